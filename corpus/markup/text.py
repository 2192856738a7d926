"""Text of question markup for models, in named styles, and one-line titles for lists."""

from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from corpus.markup.controls import make_visible
from corpus.markup.segments import Broken, Chemical, Math, ReactionSmiles, Segment, Smiles, Text, Unit, parse
from corpus.markup.unicode_macros import plain_formula

TextStyle = Literal["tags-latex", "plain-latex", "tags-plain", "plain"]

_STYLES: tuple[TextStyle, ...] = get_args(TextStyle)


class UnknownTextStyleError(ValueError):
    """The style has no such name; the message lists the names."""


@dataclass(frozen=True, slots=True)
class _Keeps:
    tags: bool
    latex: bool


_KEEPS: dict[TextStyle, _Keeps] = {
    "tags-latex": _Keeps(tags=True, latex=True),
    "plain-latex": _Keeps(tags=False, latex=True),
    "tags-plain": _Keeps(tags=True, latex=False),
    "plain": _Keeps(tags=False, latex=False),
}


def text_styles() -> tuple[TextStyle, ...]:
    """Return the names of the styles."""
    return _STYLES


def render_text(source: str, style: TextStyle) -> str:
    """Return ``source`` for a model.

    ``tags-latex`` keeps everything, ``plain-latex`` drops the SMILES tags, ``tags-plain`` keeps the tags and
    drops the delimiters of formulas, ``plain`` drops both. Invisible characters never pass, in any style: a
    damaged macro gets its backslash back. Markup that cannot be parsed stays as it is written.
    """
    if style not in _KEEPS:
        raise UnknownTextStyleError(f"unknown text style {style!r}; the styles are {', '.join(_STYLES)}")
    keeps = _KEEPS[style]
    return "".join(_rendered(segment, keeps) for segment in parse(source))


def render_plain(source: str) -> str:
    """Return ``source`` as one line of plain text for lists and page titles."""
    return " ".join(render_text(source, "plain").split())


def _rendered(segment: Segment, keeps: _Keeps) -> str:
    match segment:
        case Text():
            return make_visible(segment.source if keeps.latex else segment.body)
        case Smiles() | ReactionSmiles():
            return make_visible(segment.source if keeps.tags else segment.body.strip())
        case Math() | Chemical() | Unit():
            if keeps.latex:
                return make_visible(segment.source, in_formula=True)
            return plain_formula(make_visible(segment.body, in_formula=True).strip())
        case Broken():
            return make_visible(segment.source, in_formula=True)
        case _:
            assert_never(segment)
