"""The markup-insensitive form of a text, by which two spellings of one option are recognised."""

import re
from functools import lru_cache

_TAG = re.compile(r"\[/?[A-Z_]{0,20}SMILES\]")
_WRAPPED = re.compile(
    r"\\(?:ce|pu|text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname|mbox|boldsymbol)\s?\{([^{}]*)\}"
)
_ESCAPED = re.compile(r"\\([%$&_#{}])")
_DELIMITER = re.compile(r"\\[()\[\]]|\$")
_SPACE_COMMAND = re.compile(r"\\[,;:! ]|~")
_HAS_MARKUP = re.compile(r"[\[\\$~{]")
_MAX_NESTING = 8


@lru_cache(maxsize=16384)
def plain_text(markup: str) -> str:
    """Return `markup` without molecule tags, formula wrappers, math delimiters and doubled spaces.

    Case is kept: in chemistry it carries meaning (`Co` and `CO`, `c1ccccc1` and `C1CCCCC1`).
    """
    text = markup
    if _HAS_MARKUP.search(text):
        text = unwrapped(_TAG.sub("", text))
        text = _SPACE_COMMAND.sub(" ", text)
        text = _DELIMITER.sub("", _ESCAPED.sub(r"\1", text))
    return " ".join(text.split())


def unwrapped(text: str) -> str:
    """Replace `\\ce{x}` and its like by `x`, from the inside out."""
    for _ in range(_MAX_NESTING):
        text, count = _WRAPPED.subn(r"\1", text)
        if not count:
            break
    return _unwrapped_outer(text)


_OUTER = re.compile(r"\\(?:ce|pu)\s?\{")


def _unwrapped_outer(text: str) -> str:
    """Drop `\\ce{` and the brace that closes it where braces inside kept the simple form from matching."""
    while (opening := _OUTER.search(text)) is not None:
        closing = closing_brace(text, opening.end())
        inner = text[opening.end() : closing]
        text = text[: opening.start()] + inner + text[closing + 1 :]
    return text


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
