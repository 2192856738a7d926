"""Read a list of several choices written with their texts or remarks: `A (Methanol), C (Propanol)`, lines of such.

Nothing in list position is dropped: what cannot be taken into the list, and is no explanation either, makes it unread.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.scoring.denials import DENIED, holds_wrong, is_called_wrong, is_denied
from corpus.scoring.option_texts import OptionTexts
from corpus.scoring.types import Unread

ALTERNATIVES = "alternatives"
CONTRADICTION = "contradiction"
ORDER = "order"
RANGE = "range"
UNKNOWN_LETTER = "unknown-letter"
UNREAD_LIST = "unread-list"
MAX_WORDS = 300
MAX_ENDS = 12

_STRESS = r"[*_$\"'`]{0,4}"
_LETTER = r"[(\[]?(?P<letter>[A-Z]{1,2})[)\]]?(?![A-Za-z0-9])"
_ENTRY = re.compile(rf"[ \t]{{0,3}}(?:[-•*][ \t]{{1,3}})?{_STRESS}(?:[Oo]ptions?[ ])?{_LETTER}{_STRESS}")
_MARK = re.compile(rf"(?:[.:)]|[ ]{{0,2}}[-–—](?=[ ])){_STRESS}[ \t]{{0,4}}")
_BRACKETS = re.compile(rf"[ ]{{0,2}}\((?P<words>(?:[^()]|\([^()]{{0,80}}\)){{1,{MAX_WORDS}}})\){_STRESS}")
_END_OF_WORDS = re.compile(r"[,;.\n(]|\s(?:and|or|plus|as well as|because|since|which|is|are|both)\b|\s[-–—]\s|$")
_SEPARATOR = re.compile(
    rf"{_STRESS}[ \t]{{0,3}}(?:[.,;]?{_STRESS}[ \t]{{0,3}}(?P<line>\n)\s{{0,4}}"
    r"|(?:[,;]\s{0,3})?(?P<or>\bor)\b\s{0,3}"
    r"|(?:[,;]\s{0,3}(?:(?:and|plus|as\swell\sas)\b|&)?|(?:\.\s{1,2})?\b(?:and|plus|as\swell\sas)\b|[&/+、])\s{0,3})"
)
_NEXT = re.compile(r"\s{0,3}(?:[.,;:)(\n/&+]|$|(?:and|or|plus|as|because|since|both)\b|[-–—]\s)")
_REST = re.compile(
    rf"{_STRESS}\s{{0,3}}(?:$|[.,;:!)\]\n—–]|\[/|</|-\s|(?:because|since|as|for|due|which|where|with|both|is|are|and)\b)"
)
_REASON = re.compile(
    r"[\s,.;:*_—–-]{0,6}(?:because|since|as|for|due|which|where|with|so|given|the|it|this|they)\b", re.IGNORECASE
)
_ANOTHER = re.compile(
    r"(?:[,;&/+\n]|(?P<stop>\.\s)|\b[Aa]nd\b|\balso\b)\s{0,4}(?:(?:and|also|perhaps|maybe|possibly|probably|even)\s{1,3}){0,3}"
    rf"(?:[-•*]\s{{1,3}})?[*_(]{{0,3}}(?:[Oo]ptions?\s)?(?P<letter>[A-Z]{{1,2}})(?![A-Za-z0-9'’]){_STRESS}"
    r"(?=\s{0,2}(?:[.,;:)(\n&/]|$|(?P<reason>(?:because|since)\b)|(?P<claimed>(?:is|are)\s(?:also|correct|right|true)\b)))"
)
_FOREIGN_JOINT = re.compile(
    r"[\s,)*_]{0,4}(?:\b(?:und|sowie|oder|et|ou|y|o|e|och|og|en|i|or|plus)\b|[与和及、])\s{0,3}[*_(]{0,3}(?P<letter>[A-Z]{1,2})"
    r"(?![A-Za-z0-9])"
)
_LETTER_RANGE = re.compile(
    r"[\s*_$\"'(\[]{0,6}(?:\(?[A-Z]\)?\s{0,2}(?:,\s{0,2}and\b|[,;&/]|\band\b)\s{0,2}){0,20}\(?(?P<first>[A-Z])[)*_$]{0,4}"
    r"\s{0,2}(?:[-–—−‐‑‒]{1,2}|\.{2,3}|…|\b(?:through|thru|to|until)\b)\s{0,2}"
    r"[*_$(]{0,4}(?P<last>[A-Z])(?![A-Za-z0-9'’<>=-])(?!\s?(?:bonds?|[(<>=]))"
    r"(?!\sis\s(?:wrong|incorrect|false|not|too|less)\b)"
)


@dataclass(slots=True)
class ListRead:
    """The letters of a list in the order written, where it ends, and whether any or all words were their own texts."""

    end: int = 0
    named: list[str] = field(default_factory=list)
    own_texts: int = 0
    has_other_words: bool = False
    starts_with_mark: bool = False

    def take(self, entry: "_Entry") -> None:
        """Add an entry."""
        self.starts_with_mark = entry.has_mark if not self.named else self.starts_with_mark
        self.named.append(entry.letter)
        self.end = entry.end
        self.own_texts += entry.is_own
        self.has_other_words = self.has_other_words or (bool(entry.words) and not entry.is_own)


@dataclass(frozen=True, slots=True)
class _Entry:
    letter: str
    end: int
    words: str = ""
    is_own: bool = False
    has_mark: bool = False


def range_at(text: str, start: int, letters: Mapping[str, int]) -> Unread | None:
    """Return why a range of letters (`A–C`) at `start` is not read; None where there is none."""
    match = _LETTER_RANGE.match(text, start)
    if match is None or match["first"] not in letters:
        return None
    return Unread("A range of letters, not the letters themselves.", RANGE)


_ORDER_SIGN = "[<>≤≥≪≫⩽⩾≈=~:→⇒⟶←↔⇌]"
# `A > D`, `A -> B`, `A: B`: letters that are compared, or of which one leads to another.
_ORDER = re.compile(
    r"[\s*_(\[]{0,4}(?P<first>[A-Za-z])"
    rf"(?:[)\]*_]{{0,4}}\s{{0,3}}(?:[,;]|{_ORDER_SIGN}{{1,3}}|<?[-=]{{1,3}}>)\s{{0,3}}[(\[*_]{{0,4}}[A-Za-z](?![A-Za-z0-9])){{1,30}}"
    r"(?:[\s.)\]*_!]{0,6}\Z|,?\s{1,3}(?:because|since|as)\b)"
)


def order_at(text: str, start: int, letters: Mapping[str, int]) -> Unread | None:
    """Return why an order of letters (`A > C`) from `start` on is not read; None where there is none."""
    match = _ORDER.match(text, start)
    if match is None or match["first"].upper() not in letters or not re.search(f"{_ORDER_SIGN}|>", match.group()):
        return None
    return Unread("An order of letters, not a choice of them.", ORDER)


def list_at(text: str, start: int, letters: Mapping[str, int], texts: OptionTexts) -> ListRead | Unread | None:
    """Return the list of two choices or more that begins at `start`; None where there is no list.

    A list that cannot be read as a whole is unread, an explanation behind it is left out.
    """
    first = _entry_at(text, start, letters, texts)
    if first is None or first.letter not in letters:
        return None
    read = ListRead()
    problem = _problem(first, letters, texts)
    read.take(first)
    while (separator := _SEPARATOR.match(text, read.end)) is not None:
        entry = _entry_at(text, separator.end(), letters, texts)
        if entry is None or not _stands_in_list(text, entry, bool(separator["line"])):
            if entry is not None and separator["line"] and _is_unread_line(text, separator, entry, read, letters):
                return Unread("A line of the list cannot be read.", UNREAD_LIST)
            break
        if entry.letter in read.named:
            return None
        if separator["or"]:
            return Unread("Alternatives, not one choice.", ALTERNATIVES)
        problem = problem or _problem(entry, letters, texts)
        read.take(entry)
    if len(read.named) < 2:
        return _unread_next_line(text, start, read, letters, texts)
    return problem or _denied_list(text[read.end :]) or read


def _unread_next_line(
    text: str, start: int, read: ListRead, letters: Mapping[str, int], texts: OptionTexts
) -> Unread | None:
    """Return why a line that begins with a letter and is followed by another such is not read by its first letter."""
    if text[:start].rpartition("\n")[2].strip(" \t-•*_"):
        return None
    following = _NEXT_LINE.search(text, read.end, read.end + MAX_WORDS)
    entry = None if following is None else _entry_at(text, following.end(), letters, texts)
    if following is None or entry is None or not _is_unread_line(text, following, entry, read, letters):
        return None
    return Unread("A line of the list cannot be read.", UNREAD_LIST)


_NEXT_LINE = re.compile(r"\n")


def _entry_at(text: str, start: int, letters: Mapping[str, int], texts: OptionTexts) -> _Entry | None:
    match = _ENTRY.match(text, start)
    if match is None or (len(match["letter"]) > 1 and match["letter"] not in letters):
        return None
    letter, position = match["letter"], letters.get(match["letter"])
    mark = _MARK.match(text, match.end())
    behind = match.end() if mark is None else mark.end()
    is_marked = mark is not None or text.startswith(")", match.end("letter"))
    brackets = _BRACKETS.match(text, behind)
    if brackets is not None:
        words = brackets["words"]
        return _Entry(letter, brackets.end(), words, texts.is_own_text(words, position), is_marked)
    own_end = None if not is_marked or position is None else _end_of_own_text(text, behind, texts, position)
    if own_end is not None:
        return _Entry(letter, own_end, text[behind:own_end], True, True)
    return _Entry(letter, match.end(), has_mark=is_marked)


def _end_of_own_text(text: str, start: int, texts: OptionTexts, position: int) -> int | None:
    """Return where the longest stretch ends that is the text of the option, or a part of it where none is."""
    ends: list[int] = []
    for boundary in _END_OF_WORDS.finditer(text, start, start + MAX_WORDS):
        if boundary.start() > start:
            ends.append(boundary.start())
        if len(ends) == MAX_ENDS or boundary.group() == "\n":
            break
    for place in reversed(ends):
        if texts.is_text_of(text[start:place], position):
            return place
    return ends[0] if ends and texts.is_own_text(text[start : ends[0]], position) else None


# `B and D are wrong.` on a line of its own is a sentence, no list.
_SUBJECT = re.compile(
    r"(?:\)?[*_]{0,3}(?:,\s?|,?\s(?:and|or|&)\s)[*_(]{0,3}[A-Z]{1,2}\)?[*_]{0,3}){1,20}\s"
    r"(?:is|are|was|were|do|does|have|has|can|cannot|would|will)\b"
)


def _stands_in_list(text: str, entry: _Entry, is_line: bool) -> bool:
    """Tell whether what follows an entry shows that it is one; on a line of its own nothing else may stand."""
    if not is_line:
        return bool(entry.words) or _NEXT.match(text, entry.end) is not None
    if not entry.words and _SUBJECT.match(text, entry.end):
        return False
    behind = text[entry.end :].partition("\n")[0].strip(" \t.,;:)*_$\"'`")
    return not behind or _SEPARATOR.match(text, entry.end) is not None


def _is_unread_line(
    text: str, separator: re.Match[str], entry: _Entry, read: ListRead, letters: Mapping[str, int]
) -> bool:
    """Tell whether a line right below a labelled entry is one too, but for words that are not its option's."""
    is_next_line = separator.group().count("\n") == 1 and "." not in separator.group()
    line = text[entry.end : entry.end + MAX_WORDS].partition("\n")[0]
    is_labelled = entry.has_mark and read.starts_with_mark and entry.letter in letters
    return is_next_line and is_labelled and entry.letter not in read.named and not holds_wrong(line)


_SCORE = re.compile(r"\s*[0-9]{1,3}(?:\.[0-9]{1,4})?\s?%?\s*")


def _problem(entry: _Entry, letters: Mapping[str, int], texts: OptionTexts) -> Unread | None:
    """Return why an entry cannot be taken."""
    position = letters.get(entry.letter)
    if position is None:
        return Unread(f"No option has the letter {entry.letter}.", UNKNOWN_LETTER)
    if not entry.words or entry.is_own:
        return None
    if is_denied(entry.words) or is_called_wrong(entry.words):
        return Unread("A letter is said to be wrong.", DENIED)
    if _SCORE.fullmatch(entry.words):
        return Unread("A number stands beside each letter.", "scored")
    if texts.contradicts(entry.words, position):
        return Unread(f"The letter {entry.letter} and the words beside it name different options.", CONTRADICTION)
    return None


def _denied_list(rest: str) -> Unread | None:
    return Unread("A letter is said to be wrong.", DENIED) if is_denied(rest[:MAX_WORDS]) else None


def left_over(rest: str, named: list[str], letters: Mapping[str, int], texts: OptionTexts) -> Unread | None:
    """Return why `rest`, which stands behind the letters `named`, is no mere explanation of them; None where it is."""
    joined = _FOREIGN_JOINT.match(rest)
    if joined is not None and joined["letter"] in letters and joined["letter"] not in named:
        return Unread(f"The letter {joined['letter']} may belong to the answer.", UNREAD_LIST)
    is_reason = _REASON.match(rest) is not None
    for another in _ANOTHER.finditer(rest):
        letter = another["letter"]
        if letter in named or letter not in letters:
            continue
        is_beside = _has_own_text(rest, another.end(), letters[letter], texts)
        if another["stop"] and not is_beside:
            continue
        if another["reason"] or another["claimed"] or is_beside or not is_reason:
            return Unread(f"The letter {letter} may belong to the answer.", UNREAD_LIST)
    return None


def _has_own_text(text: str, start: int, position: int, texts: OptionTexts) -> bool:
    brackets = _BRACKETS.match(text, start)
    if brackets is not None:
        return texts.is_own_text(brackets["words"], position)
    mark = _MARK.match(text, start)
    own_end = None if mark is None else _end_of_own_text(text, mark.end(), texts, position)
    return own_end is not None and _CLAUSE.match(text, own_end) is None


def behind_own_text(text: str, end: int, letter: str, letters: Mapping[str, int], texts: OptionTexts) -> int | None:
    """Return where the option's own text ends that follows its `letter` and a mark at `end`; None where none does."""
    mark = _MARK.match(text, end)
    return None if mark is None else _end_of_own_text(text, mark.end(), texts, letters[letter])


_CLAUSE = re.compile(r"\s{1,3}(?:is|are|was|were|does|do|has|have|can|cannot|would|will)\b")


def is_rest(rest: str) -> bool:
    """Tell whether `rest`, what follows a list, is its end or an explanation."""
    return _REST.match(rest) is not None
