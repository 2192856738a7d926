"""What the fake provider says and what it does wrong: pure functions of question and attempt."""

import hashlib
import json
import re
from typing import NamedTuple

FAULT_SHARES = (("rate_limit", 2), ("server_error", 2), ("reset", 1), ("hang", 1), ("malformed", 1))
_REPLY_SHARES = (("answer", 82), ("unparsed", 6), ("empty", 4), ("refused", 4), ("truncated", 4))
_LETTER = re.compile(r"^([A-Z])\. ", re.MULTILINE)
RETRY_AFTER_SECONDS = 1


class Said(NamedTuple):
    """A reply: its text (None is a reply without content) and why it ended, in OpenAI's words."""

    text: str | None
    finish: str


def fingerprint(prompt: str) -> str:
    """Return a short name of a prompt, the same in the provider's log and in the checks."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]


def fault_for(prompt: str, nth: int, seed: int) -> str:
    """Return the kind of fault of the `nth` call with this prompt, or "" for none."""
    return _share(f"fault|{seed}|{nth}|{prompt}", FAULT_SHARES, 100)


def latency_for(prompt: str, nth: int, seed: int, seconds: float) -> float:
    """Return how long this call takes, from half of `seconds` to one and a half."""
    return seconds * (0.5 + _number(f"latency|{seed}|{nth}|{prompt}") % 1001 / 1000)


def reply_for(prompt: str) -> Said:
    """Return what is always said to this prompt, however often and whenever it comes."""
    kind = _share(f"reply|{prompt}", _REPLY_SHARES, 100)
    if kind == "unparsed":
        return Said("That depends on many things, and the literature does not settle it.", "stop")
    if kind == "empty":
        return Said("", "stop")
    if kind == "refused":
        return Said(None, "content_filter")
    if kind == "truncated":
        return Said("First we look at every part of the question in turn, beginning with", "length")
    letters = _LETTER.findall(prompt)
    number = _number(f"answer|{prompt}")
    answer = letters[number % len(letters)] if letters else str(1 + number % 5)
    return Said(f"It follows from what is given.\n[ANSWER]{answer}[/ANSWER]", "stop")


def completion(said: Said, model: str) -> bytes:
    """Return the reply as the chat API sends it."""
    message = {"role": "assistant", "content": said.text, "refusal": None}
    reply = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{model}-2026",
        "choices": [{"index": 0, "finish_reason": said.finish, "message": message, "logprobs": None}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    return json.dumps(reply).encode()


def _share(text: str, shares: tuple[tuple[str, int], ...], whole: int) -> str:
    place = _number(text) % (whole * 1000) / 1000
    for name, share in shares:
        if place < share:
            return name
        place -= share
    return ""


def _number(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)
