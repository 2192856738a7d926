"""The markup-insensitive form of a text, by which two spellings of one option are recognised."""

import re
from functools import lru_cache

_TAG = re.compile(r"\[/?[A-Z_]{0,20}SMILES\]")
_BRACES = re.compile(
    r"(?P<wrapper>\\(?:ce|pu|text(?:bf|it|rm|tt|sf)?|math(?:rm|bf|it|sf)|operatorname|mbox|boldsymbol|bf)\s?\{)"
    r"|\\[{}]|(?P<brace>[{}])"
)
_ESCAPED = re.compile(r"\\([%$&_#{}])")
_DELIMITER = re.compile(r"\\[()\[\]]|\$")
_SPACE_COMMAND = re.compile(r"\\[,;:! ]|~")
_LINE_BREAK = re.compile(r"<(?:br\s{0,2}/?|/?p)>", re.IGNORECASE)
_HAS_MARKUP = re.compile(r"[\[\\$~{]")


@lru_cache(maxsize=16384)
def plain_text(markup: str) -> str:
    """Return `markup` without molecule tags, formula wrappers, math delimiters and doubled spaces.

    Case is kept: in chemistry it carries meaning (`Co` and `CO`, `c1ccccc1` and `C1CCCCC1`).
    """
    text = _LINE_BREAK.sub(" ", markup) if "<" in markup else markup
    if _HAS_MARKUP.search(text):
        text = unwrapped(_TAG.sub("", text))
        text = _SPACE_COMMAND.sub(" ", text)
        text = _DELIMITER.sub("", _ESCAPED.sub(r"\1", text))
    return " ".join(text.split())


def unwrapped(text: str) -> str:
    """Return `text` without `\\ce{`, `\\text{` and their like and the braces that close them; other braces stay."""
    dropped: list[tuple[int, int]] = []
    is_wrapper: list[bool] = []
    for token in _BRACES.finditer(text):
        if token["wrapper"]:
            is_wrapper.append(True)
            dropped.append(token.span())
        elif token["brace"] == "{":
            is_wrapper.append(False)
        elif token["brace"] == "}" and is_wrapper and is_wrapper.pop():
            dropped.append(token.span())
    return _without(text, dropped)


def _without(text: str, stretches: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in stretches:
        pieces.append(text[position:start])
        position = end
    return "".join([*pieces, text[position:]])


_BRACE = re.compile(r"[{}]")


def closing_brace(text: str, start: int, limit: int | None = None) -> int:
    """Return the index of the brace that closes the one before `start`, or of the end of the search if none does."""
    end = len(text) if limit is None else min(len(text), start + limit)
    depth = 1
    for match in _BRACE.finditer(text, start, end):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return end
