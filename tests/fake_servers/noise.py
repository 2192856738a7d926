"""Seeded noisy replies whose outcome is known beforehand, without the site's own reader or rules."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from corpus.models import QuestionRevision
from evaluations.prompts import Prepared, prompt_style
from tests.fake_servers.server import Said

_SHARES = (("right", 55), ("wrong", 18), ("unparsed", 8), ("refused", 7), ("empty", 6), ("truncated", 6))


@dataclass(frozen=True)
class Noise:
    """What the server says to each prompt, how often each prompt is to come, and which outcomes follow."""

    replies: dict[str, Said]
    prompts: Counter[str]
    outcomes: Counter[str]


def noise_for(revisions: Iterable[QuestionRevision], *, seed: int, style: str = "instruction@1") -> Noise:
    """Return a reply for every revision. Two questions with the same prompt get the same reply."""
    replies: dict[str, Said] = {}
    expected: dict[str, str] = {}
    prompts: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for revision in revisions:
        prepared = prompt_style(style).prepare(revision, ())
        if prepared.prompt not in replies:
            expected[prepared.prompt] = _share(prepared.prompt, seed)
            replies[prepared.prompt] = _said(expected[prepared.prompt], revision, prepared)
        prompts[prepared.prompt] += 1
        outcomes[expected[prepared.prompt]] += 1
    return Noise(replies, prompts, outcomes)


def right_text(revision: QuestionRevision, prepared: Prepared) -> str:
    """Return the right answer as a model would write it between the tags."""
    if revision.kind == "choice":
        right = {option.option_key for option in revision.options.all() if option.credit == 1}
        return ", ".join(letter for letter, key, _ in prepared.options_shown if key in right)
    return revision.target


def wrong_text(revision: QuestionRevision, prepared: Prepared) -> str:
    """Return an answer that is certainly not the right one."""
    if revision.kind == "choice":
        right = {option.option_key for option in revision.options.all() if option.credit == 1}
        wrong = [letter for letter, key, _ in prepared.options_shown if key not in right]
        return wrong[0] if wrong else prepared.options_shown[0][0]
    return str(Decimal(revision.target) * 3 + 1)


def _share(prompt: str, seed: int) -> str:
    place = int(hashlib.sha256(f"{seed}|{prompt}".encode()).hexdigest(), 16) % 100
    for outcome, share in _SHARES:
        if place < share:
            return outcome
        place -= share
    raise AssertionError("the shares do not make a hundred")


def _said(outcome: str, revision: QuestionRevision, prepared: Prepared) -> Said:
    return {
        "right": Said(f"It follows from what is given.\n[ANSWER]{right_text(revision, prepared)}[/ANSWER]"),
        "wrong": Said(f"Quickly: [ANSWER]{wrong_text(revision, prepared)}[/ANSWER]"),
        "unparsed": Said("That depends on many things, and the literature does not settle it."),
        "refused": Said(None, "content_filter"),
        "empty": Said(""),
        "truncated": Said("First we look at every part of the question in turn, beginning with", "length"),
    }[outcome]
