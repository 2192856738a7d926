"""Recognise a list that says something of each option (`A: toxic, B: safe, C: safe`): it chooses none."""

import re
from collections.abc import Mapping

from corpus.scoring.option_texts import OptionTexts
from corpus.scoring.types import Unread

JUDGED = "judged"
MAX_REMARK_LENGTH = 300
_ENTRY = re.compile(
    r"(?:\A\s{0,8}|[\n;,.|]\s{0,8}|\band\s)(?:[-•*|]\s{1,3}|[0-9]{1,2}[.)]\s)?[*_(]{0,3}(?:(?:[Oo]ption|[Ss]tatement)\s)?"
    r"(?P<letter>[A-Z]{1,2})(?![A-Za-z0-9'’])[)*_]{0,4}"
    r"(?:(?P<mark>\s{0,2}[:=|.,)]|\s?(?:[-=]{1,2}>|→|⇒|[-–—]\s))|(?P<copula>(?=\s(?:is|are|was|has|does|can)\b))"
    r"|(?P<bracket>\s?\()|\s?(?=[✓✔✅✗✘❌]))[*_]{0,3}"
)
_REASON = re.compile(r"\s{0,3}(?:because|since|as|for|due|which|where|with|so|given|both|not)\b", re.IGNORECASE)
# The next letter of a plain list (`A, C, B, D`) is no remark.
_LETTERS = re.compile(
    r"[\s*_(&/+]{0,4}(?:and\s)?[*_(]{0,3}[A-Z]{1,2}(?![A-Za-z0-9'’])[)*_.]{0,4}\s?(?:[,;&/+\n]|and\b|\Z)"
)
_EDGES = " \t\n*_.,;:|()-–—"


def judged_each(text: str, letters: Mapping[str, int], texts: OptionTexts) -> Unread | None:
    """Return why `text`, which begins with the first letter, chooses nothing; None where it does not go through them.

    So it is where remarks that differ stand beside all options in order, or the first few without their texts.
    """
    entries = _entries(text, letters)
    if len(entries) < 2:
        return None
    ends = [entry.start() for entry in entries[1:]] + [len(text)]
    written = [text[entry.end() : end].partition("\n")[0] for entry, end in zip(entries, ends, strict=True)]
    if any(words.strip(_EDGES) in letters for words in written):
        return None
    remarks = [_remark(words, position, texts) for position, words in enumerate(written)]
    if not all(remarks) or len(set(remarks)) < 2 or len(max(remarks, key=len)) > MAX_REMARK_LENGTH:
        return None
    is_each = len(entries) == len(letters)
    is_plain = entries[0]["mark"] is not None and all(
        texts.without_text_of(words, position) is words for position, words in enumerate(written)
    )
    is_sorted = len(entries) > 2 and len(set(remarks)) < len(remarks)
    if not (is_each or is_plain or is_sorted):
        return None
    return Unread("Something is said of each option, and none is chosen.", JUDGED)


def _entries(text: str, letters: Mapping[str, int]) -> list[re.Match[str]]:
    """Return the places of the first letters of all, in order and written alike, from the start of `text` on."""
    entries: list[re.Match[str]] = []
    if _ENTRY.match(text) is None:
        return entries
    found = (entry for entry in _ENTRY.finditer(text) if entry["letter"] in letters)
    for entry, wanted in zip(found, letters, strict=False):
        is_next = entry["letter"] == wanted and bool(entries or not entry.start())
        if not is_next or (entries and _manner(entry) != _manner(entries[0])):
            break
        entries.append(entry)
    return entries


def _manner(entry: re.Match[str]) -> str:
    return "copula" if entry["copula"] is not None else "bracket" if entry["bracket"] else (entry["mark"] or "").strip()


def _remark(words: str, position: int, texts: OptionTexts) -> str:
    """Return what is said beside the option on its line, without its own text; "" for nothing, letters or a reason."""
    if _REASON.match(words) or _LETTERS.match(words) or texts.is_own_text(words, position):
        return ""
    return texts.without_text_of(words, position).strip(_EDGES).casefold()
