"""Find a letter that a reply calls correct beside its answer: `The answer is B. C is also correct.`"""

import re
from collections.abc import Collection

from corpus.scoring.folding import holds_any
from corpus.scoring.tags import TAG

_LETTER = r"[*_(]{0,3}[A-Z]{1,2}(?![A-Za-z0-9])[)*_]{0,4}"
_RIGHT = r"(?:a\s|an\s|the\s)?(?:correct|right|true|valid|possible|acceptable|plausible|defensible)\b"
_BE = r"(?:is|are|would\sbe|may\sbe|might\sbe|could\sbe|can\sbe)"
_ADDED = (
    r"(?:(?:[Aa]nd|[Hh]owever|[Bb]ut|[Yy]et|[Aa]lthough|[Tt]hough|[Ww]hile),?\s)?(?:(?:[Oo]ptions?|[Aa]nswers?|[Ss]tatements?)\s)?"
    rf"(?P<letters>{_LETTER}(?:(?:,\s|,?\sand\s){_LETTER}){{0,4}})(?:\s\([^()\n]{{1,60}}\))?\s"
    rf"(?:{_BE}\s(?:also|equally|likewise|just\sas)\s{_RIGHT}|{_BE}\s{_RIGHT},?\s(?:as\swell|too|also)\b"
    rf"|(?:would|could|can|may|might)\salso\sbe\s{_RIGHT}|also\s{_BE}\s{_RIGHT}"
    r"|also\s(?:applies|apply|works|work|fits|fit|holds|hold)\b)"
)
_BEHIND = re.compile(rf"[\s.;:,!*_)\]}}$\\`\"']{{1,12}}{_ADDED}")
_WITHIN = re.compile(rf"(?:[.;:,]\s|\n|\s[–—-]\s)\s{{0,3}}{_ADDED}")
# Every way to add a letter holds one of these.
_AS_WELL = ("also", "well", "too", "likewise", "equally", "just")
_CAPITALS = re.compile(r"[A-Z]{1,2}")
_MAX_LENGTH = 500
_SENTENCE_LENGTH = 200
# As far behind an answer as the longest of these sentences ends, its tag included.
_REACH = 400


def added_letters(text: str, start: int, end: int, *, is_subject: bool = False) -> Collection[str]:
    """Return the letters called correct as well, in the answer at text[start:end] or right behind it.

    `is_subject`: the answer is the subject of a sentence, behind which another may follow.
    """
    end = end + _SENTENCE_LENGTH if is_subject else end
    if end - start > _MAX_LENGTH or not holds_any(text[start : end + _REACH], _AS_WELL):
        return ()
    closing = TAG.match(text, end)
    behind = end if closing is None else closing.end()
    found = _WITHIN.search(text, start, end) or _BEHIND.match(text, behind)
    return () if found is None else set(_CAPITALS.findall(found["letters"]))
