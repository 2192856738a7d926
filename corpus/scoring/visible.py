"""Leave out what is not the reply itself: thinking blocks, an echoed prompt, the turns of a chat template.

Left-out stretches become blanks of the same length, so that positions stay those of the raw text.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from corpus.scoring.folding import holds_any, lowered
from corpus.scoring.repeats import loose_echo
from corpus.scoring.turns import without_other_turns

MIN_ECHO_LENGTH = 16
MAX_CHANNEL_START = 100

_NAME = (
    r"(?:think(?:ing)?(?:[_-]process)?|(?:ant|antml)[_-]?thinking|thoughts?(?:[_-]process)?|reasoning(?:[_-]process)?|scratchpad|"
    r"reflection|analysis|inner[_-]?(?:monologue|thoughts?)|chain[_-]of[_-]thoughts?|cot)"
)
_THINKING = re.compile(
    rf"(?P<open><(?:[a-z]{{1,8}}:)?{_NAME}\s{{0,3}}>|<\|START_THINKING\|>|\[THINK\]|<\|(?:begin_of_thought|thinking)\|>|◁think▷|"
    r"<\|channel\|>\s?(?:analysis|commentary)[^<>\n]{0,40}(?:<\|constrain\|>[^<>\n]{0,20})?<\|message\|>)"
    rf"|(?P<close></(?:[a-z]{{1,8}}:)?{_NAME}\s{{0,3}}>|<\|END_THINKING\|>|\[/THINK\]|<\|(?:end_of_thought|/thinking)\|>|◁/think▷|(?P<final><\|begin_of_solution\|>|"
    r"<\|channel\|>\s?final\s?(?:<\|constrain\|>[^<>\n]{0,20})?<\|message\|>))",
    re.IGNORECASE,
)
# `<think> tags`: spoken of, not opened.
_SPOKEN_OF = re.compile(r"[`\"']?\s{0,2}(?:tags?|tokens?|blocks?|elements?|sections?)\b", re.IGNORECASE)
_BRACKET_HINTS = ("[think]", "[/think]")
_HINTS = ("think", "thought", "reason", "scratch", "reflec", "analysis", "channel", "monologue", "cot>", "solution")


class Visible(NamedTuple):
    """The reply with the rest blanked out, and whether a thinking block was never closed."""

    text: str
    is_cut_in_thinking: bool = False


def visible_text(text: str, prompt: str = "", said_first: str = "") -> Visible:
    """Return `text` with every echo of `prompt`, with `said_first` before it or not, and all thinking blanked out."""
    without_echo = _without_echo(text, prompt.strip(), said_first.lstrip())
    visible = _without_channel(without_echo)
    if _may_think(visible.text):
        spoken = _without_thinking(visible.text)
        visible = Visible(spoken.text, spoken.is_cut_in_thinking or visible.is_cut_in_thinking)
    return Visible(without_other_turns(visible.text), visible.is_cut_in_thinking)


# As long as what they stand for; a heading begins with the sign that Markdown has for one.
_BREAKS = {tag: "\n".ljust(len(tag)) for tag in ("<br>", "<br/>", "<br />", "<BR>", "<p>", "</p>")}
_BREAKS |= {f"<h{level}>": "\n## " for level in range(1, 7)} | {f"</h{level}>": "\n    " for level in range(1, 7)}


_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(?P<tag>del|strike)>[^<\n]{1,200}</(?P=tag)>")


def without_struck(text: str) -> str:
    """Return `text`, as long as before, without what is struck through (`~~A~~ B`)."""
    if "~~" not in text and "</" not in text:
        return text
    return _STRUCK.sub(lambda struck: " " * len(struck.group()), text)


def with_line_breaks(text: str) -> str:
    """Return `text`, as long as before, with the ends of lines, paragraphs and headings of HTML as line ends."""
    if "<" in text:
        for tag, line_end in _BREAKS.items():
            text = text.replace(tag, line_end)
    return text


# The channels of a chat template whose tokens were dropped: `analysisWe look ...assistantfinalThe answer is C.`
_FINAL_CHANNEL = "assistantfinal"
_ANALYSIS_CHANNEL = re.compile(r"\s*analysis(?=[A-Z])")


def _without_channel(text: str) -> Visible:
    end = text.rfind(_FINAL_CHANNEL) + len(_FINAL_CHANNEL)
    if end >= len(_FINAL_CHANNEL):
        return Visible(" " * end + text[end:])
    is_cut = "analysis" in text[:MAX_CHANNEL_START] and _ANALYSIS_CHANNEL.match(text) is not None
    return Visible(" " * len(text), True) if is_cut else Visible(text)


def _may_think(text: str) -> bool:
    """Tell whether a thinking tag can occur at all; most replies have no bracket but those of `[ANSWER]`."""
    if "<" in text or "◁" in text:
        return holds_any(lowered(text), _HINTS)
    return "[" in text and holds_any(lowered(text), _BRACKET_HINTS)


_TAGGED_ANSWER = re.compile(r"\s*[\[<]ANSWER[\]>][^\[\]<>]{1,200}[\[<]/ANSWER[\]>]", re.IGNORECASE)


def _without_echo(text: str, prompt: str, said_first: str) -> str:
    """Blank every echo; a reply that begins with one or an answer and repeats it has run on: its rest is blanked."""
    if len(prompt) < MIN_ECHO_LENGTH:
        return text
    if prompt not in text:
        return _without_loose_echo(text, prompt, said_first)
    text = text.replace(said_first + prompt, " " * len(said_first) + prompt)
    start = text.find(prompt)
    again = text.find(prompt, start + len(prompt))
    if _TAGGED_ANSWER.match(text, 0, start):
        return text[:start] + " " * (len(text) - start)
    if again >= 0 and not text[:start].strip():
        text = text[:again] + " " * (len(text) - again)
    return text.replace(prompt, " " * len(prompt))


def _without_loose_echo(text: str, prompt: str, said_first: str) -> str:
    """Blank the first echo with other blanks or quoting marks, and all from a second one on or behind an answer."""
    echo = (loose_echo(text, said_first + prompt) if said_first else None) or loose_echo(text, prompt)
    if echo is None:
        return text
    start, end = echo
    if _TAGGED_ANSWER.match(text, 0, start):
        return text[:start] + " " * (len(text) - start)
    again = loose_echo(text[end:], prompt)
    if again is not None and not text[:start].strip():
        text = text[: end + again[0]] + " " * (len(text) - end - again[0])
    return text[:start] + " " * (end - start) + text[end:]


def _without_thinking(text: str) -> Visible:
    """Blank closed blocks, all before a closing tag that was never opened, all after an opening never closed."""
    hidden: list[tuple[int, int]] = []
    depth = 0
    opened_at = 0
    for tag in _THINKING.finditer(text):
        if tag.group("open") is not None and not depth and _is_spoken_of(text, tag):
            continue
        if tag.group("open") is not None:
            opened_at = opened_at if depth else tag.start()
            depth += 1
        elif depth == 0 or tag.group("final") is not None:
            hidden, depth = [(0, tag.end())], 0
        else:
            depth -= 1
            hidden += [(opened_at, tag.end())] if depth == 0 else []
    if depth:
        hidden.append((opened_at, len(text)))
    return Visible(_blanked(text, hidden), is_cut_in_thinking=depth > 0)


def _is_spoken_of(text: str, tag: re.Match[str]) -> bool:
    """Tell whether words on the same line speak of a tag (`The model should use <think> tags.`)."""
    before = text[max(tag.start() - MAX_CHANNEL_START, 0) : tag.start()].rpartition("\n")[2]
    return bool(before.strip("`\"' ")) and _SPOKEN_OF.match(text, tag.end()) is not None


def _blanked(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in stretches:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])
