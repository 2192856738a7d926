"""Find the letter that a reply calls the false one, where the question asks for it (`Which is not true?`)."""

import re

from corpus.scoring.denials import is_denied_statement, is_taken_back
from corpus.scoring.tags import Located

_FALSE = r"(?:incorrect|false|wrong|untrue|inaccurate)"
_ASKED = re.compile(
    r"\b(?:which|what|identify|select|choose|find|mark|pick|tick)\b[^.?!:\n]{0,160}"
    rf"\b(?:{_FALSE}|not\s(?:a\s)?(?:correct|true|right|accurate))\b",
    re.IGNORECASE,
)
_THING = r"(?:statement|option|claim|one|answer|choice)s?"
_LETTER = r"[*_(]{{0,3}}(?P<{}>[A-Z])(?![A-Za-z0-9'’])[)*_]{{0,4}}"
_CALLED_FALSE = re.compile(
    rf"(?:{_LETTER.format('subject')}\sis\s(?:(?:therefore|thus|clearly|indeed)\s)?the\s(?:only\s)?{_FALSE}\s{_THING}"
    rf"|\b(?:{_FALSE}\s{_THING}|{_THING}\s(?:that|which)\sis\s(?:{_FALSE}|not\s(?:true|correct|right)))(?:\sis|:)[*_]{{0,3}}\s"
    rf"(?:(?:[Oo]ption|[Ss]tatement)\s)?{_LETTER.format('object')}(?=\s?(?:[.,;:!)\n]|$)|\s(?:because|since|as)\b))"
)
# More statements than these are no reply of anybody.
_MAX_STATEMENTS = 32
_WINDOW = 60


def asks_for_false(prompt: str) -> bool:
    """Tell whether the question asks which of its options is false."""
    return _ASKED.search(prompt) is not None


def called_false(text: str) -> Located | None:
    """Return the one letter that is called the false statement or option; None where none or several are."""
    found = list(_CALLED_FALSE.finditer(text))
    if not found or len(found) > _MAX_STATEMENTS:
        return None
    letters = {match["subject"] or match["object"] for match in found}
    is_doubtful = any(
        is_denied_statement(text, match.start()) or is_taken_back(text[match.end() : match.end() + _WINDOW])
        for match in found
    )
    if len(letters) > 1 or is_doubtful:
        return None
    return Located(*found[-1].span("subject" if found[-1]["subject"] else "object"), "statement")
