"""Leave out what is not the reply itself: thinking blocks and an echoed prompt.

Left-out stretches become blanks of the same length, so that positions stay those of the raw text.
"""

import re
from typing import NamedTuple

MIN_ECHO_LENGTH = 16

_NAME = r"(?:think(?:ing)?|thoughts?|reasoning|scratchpad|reflection|analysis)"
_THINKING = re.compile(
    rf"(?P<open><{_NAME}>|\[THINK\]|<\|begin_of_thought\|>|◁think▷|<\|channel\|>analysis<\|message\|>)"
    rf"|(?P<close></{_NAME}>|\[/THINK\]|<\|end_of_thought\|>|◁/think▷|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
_HINTS = ("think", "thought", "reason", "scratch", "reflec", "analysis", "channel")


class Visible(NamedTuple):
    """The reply with the rest blanked out, and whether a thinking block was never closed."""

    text: str
    is_cut_in_thinking: bool = False


def visible_text(text: str, prompt: str = "") -> Visible:
    """Return `text` with an echo of `prompt` and every thinking block blanked out."""
    without_echo = _without_echo(text, prompt.strip())
    lowered = without_echo.lower()
    if not any(hint in lowered for hint in _HINTS):
        return Visible(without_echo)
    return _without_thinking(without_echo)


def _without_echo(text: str, prompt: str) -> str:
    if len(prompt) < MIN_ECHO_LENGTH or prompt not in text:
        return text
    return text.replace(prompt, _blank(prompt))


def _blank(text: str) -> str:
    return " " * len(text)


def _without_thinking(text: str) -> Visible:
    """Blank closed blocks, all before a closing tag that was never opened, all after an opening never closed."""
    pieces: list[str] = []
    position = 0
    depth = 0
    for tag in _THINKING.finditer(text):
        if tag.group("open") is None and depth == 0:
            pieces = [_blank(text[: tag.end()])]
        else:
            stretch = text[position : tag.end()]
            pieces.append(_blank(stretch) if depth else text[position : tag.start()] + _blank(tag.group()))
        depth = depth + 1 if tag.group("open") is not None else max(depth - 1, 0)
        position = tag.end()
    rest = text[position:]
    pieces.append(_blank(rest) if depth else rest)
    return Visible("".join(pieces), is_cut_in_thinking=depth > 0)
