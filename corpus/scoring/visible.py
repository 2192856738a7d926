"""Leave out what is not the reply itself: thinking blocks, an echoed prompt, the turns of a chat template.

Left-out stretches become blanks of the same length, so that positions stay those of the raw text.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from corpus.scoring.folding import holds_any, lowered
from corpus.scoring.turns import without_other_turns

MIN_ECHO_LENGTH = 16

_NAME = r"(?:think(?:ing)?|thoughts?|reasoning|scratchpad|reflection|analysis)"
_THINKING = re.compile(
    rf"(?P<open><{_NAME}>|\[THINK\]|<\|begin_of_thought\|>|◁think▷|<\|channel\|>analysis<\|message\|>)"
    rf"|(?P<close></{_NAME}>|\[/THINK\]|<\|end_of_thought\|>|◁/think▷|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
_BRACKET_HINTS = ("[think]", "[/think]")
_HINTS = ("think", "thought", "reason", "scratch", "reflec", "analysis", "channel")


class Visible(NamedTuple):
    """The reply with the rest blanked out, and whether a thinking block was never closed."""

    text: str
    is_cut_in_thinking: bool = False


def visible_text(text: str, prompt: str = "", said_first: str = "") -> Visible:
    """Return `text` with every echo of `prompt`, with `said_first` before it or not, and all thinking blanked out."""
    without_echo = _without_echo(text, prompt.strip(), said_first.lstrip())
    visible = _without_thinking(without_echo) if _may_think(without_echo) else Visible(without_echo)
    return visible._replace(text=without_other_turns(visible.text))


def _may_think(text: str) -> bool:
    """Tell whether a thinking tag can occur at all; most replies have no bracket but those of `[ANSWER]`."""
    if "<" in text or "◁" in text:
        return holds_any(lowered(text), _HINTS)
    return "[" in text and holds_any(lowered(text), _BRACKET_HINTS)


_TAGGED_ANSWER = re.compile(r"\s*[\[<]ANSWER[\]>][^\[\]<>]{1,200}[\[<]/ANSWER[\]>]", re.IGNORECASE)


def _without_echo(text: str, prompt: str, said_first: str) -> str:
    """Blank every echo; a reply that begins with one or an answer and repeats it has run on: its rest is blanked."""
    if len(prompt) < MIN_ECHO_LENGTH or prompt not in text:
        return text
    text = text.replace(said_first + prompt, " " * len(said_first) + prompt)
    start = text.find(prompt)
    again = text.find(prompt, start + len(prompt))
    if _TAGGED_ANSWER.match(text, 0, start):
        return text[:start] + " " * (len(text) - start)
    if again >= 0 and not text[:start].strip():
        text = text[:again] + " " * (len(text) - again)
    return text.replace(prompt, " " * len(prompt))


def _without_thinking(text: str) -> Visible:
    """Blank closed blocks, all before a closing tag that was never opened, all after an opening never closed."""
    hidden: list[tuple[int, int]] = []
    depth = 0
    opened_at = 0
    for tag in _THINKING.finditer(text):
        if tag.group("open") is not None:
            opened_at = opened_at if depth else tag.start()
            depth += 1
        elif depth == 0:
            hidden = [(0, tag.end())]
        else:
            depth -= 1
            hidden += [(opened_at, tag.end())] if depth == 0 else []
    if depth:
        hidden.append((opened_at, len(text)))
    return Visible(_blanked(text, hidden), is_cut_in_thinking=depth > 0)


def _blanked(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in stretches:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])
