"""Read letters in a frame of words that adds nothing: `only B`, `A and B, but not C`, `both A and B are correct`."""

import re
from collections.abc import Mapping

_LETTER = r"[*_(]{0,3}[A-Z]{1,2}(?![A-Za-z0-9'’])[)*_]{0,3}"
_LIST = rf"{_LETTER}(?:(?:,\s?|,?\s?(?:and|&)\s|\s?\+\s?){_LETTER}){{0,20}}"
_DENIED = (
    r",?\s\(?(?:(?:but|and)\s)?(?:not|rather\sthan|instead\sof|as\sopposed\sto)\s(?:(?:options?|either)\s)?"
    rf"(?P<denied>{_LETTER}(?:(?:,\s?|,?\s(?:and|or|nor)\s){_LETTER}){{0,20}})\)?"
)
_FRAMED = re.compile(
    r"[*_\s]{0,4}(?P<said>(?:(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore)[,:]?\s)?(?:(?:[Ii]t(?:['’]s|\sis)|[Tt]hat\swould\sbe)\s)?)"
    r"[*_]{0,3}(?:(?:[Tt]he\s)?[Oo]ptions?\s)?(?P<before>(?:(?:[Oo]nly|[Jj]ust|[Ss]olely|[Bb]oth|[Aa]ll\sof)\s){0,2})(?:options?\s)?"
    rf"(?P<letters>{_LIST})(?P<behind>\s\(?(?:only|alone|together)\)?|\s(?P<called>(?:is|are))\s(?P<all>(?:both|all)\s)?"
    rf"(?:the\s)?(?:only\s)?(?:correct|right|true)(?:\s(?:answer|option|choice|statement|one)s?)?(?=[.!\s]{{0,3}}\Z))?"
    rf"(?:{_DENIED})?(?=[*_]{{0,3}}(?P<rest>[.!\s]{{0,3}}\Z|\.\s|[,;:\n]|\s[–—-]\s|,?\s(?:because|since)\b))",
)
_CAPITALS = re.compile(r"[A-Z]{1,2}(?![A-Za-z])")


def framed_letters(text: str, letters: Mapping[str, int], *, is_whole: bool) -> tuple[list[str], int] | None:
    """Return the letters at the start of `text` that stand in such a frame, and where it ends; None for none.

    `is_whole`: nothing else stands in `text`; otherwise an explanation may follow.
    """
    match = _FRAMED.match(text)
    if match is None or not (match["said"] or match["before"] or match["behind"] or match["denied"]):
        return None
    if match["called"] and not (match["before"] or match["all"]):
        return None
    named, denied = _CAPITALS.findall(match["letters"]), _CAPITALS.findall(match["denied"] or "")
    if not all(letter in letters for letter in (*named, *denied)) or not set(named).isdisjoint(denied):
        return None
    return None if is_whole and match.end("rest") < len(text) else (named, match.end())
