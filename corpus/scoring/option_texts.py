"""Recognise options by their own text, whatever the markup it is written in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from corpus.scoring.glyphs import one_spelling
from corpus.scoring.number_words import is_counted, number_word
from corpus.scoring.numbers import NumberRead, parse_number
from corpus.scoring.pieces import is_piece
from corpus.scoring.plain import plain_text
from corpus.scoring.types import ShownOption
from corpus.scoring.units import UNIT_DIFFERS, in_asked_unit, leading_unit

BY_TEXT = "by-text"
MIN_PART_LENGTH = 4
MAX_JOINT_LENGTH = 12
_LATEX_LEFTOVERS = re.compile(r"[\\{}$*_^]")
_LIST = re.compile(r"[\n;,]|\band\b")
_EDGES = " \t\r\n\"'.,;:!()"


def _shape(text: str) -> str:
    """Return the form in which texts are compared: no markup, one spelling of signs, no edge punctuation."""
    bare = _LATEX_LEFTOVERS.sub("", one_spelling(plain_text(text)))
    joined = " ".join(bare.split())
    shape = joined.strip(_EDGES)
    return f".{shape}" if "." in joined[:2] and _DECIMALS.match(joined) is not None else shape


# `.2 g`, in brackets or not: the point is that of a fraction.
_DECIMALS = re.compile(r"[(\"']?\.[0-9]")


@dataclass(frozen=True, slots=True)
class OptionTexts:
    """The options' texts, exact and without regard to case."""

    exact: tuple[str, ...]
    folded: tuple[str, ...]
    unspaced: tuple[str, ...]

    def read_whole(self, text: str) -> tuple[int, ...] | None:
        """Return the positions of the options whose whole text this is: one option, or a list of several."""
        single = self.position_of(text)
        if single is not None:
            return (single,)
        for separator in ("\n", ";", ","):
            parts = [part for part in text.split(separator) if part.strip()]
            positions = [self.position_of(part) for part in parts]
            if len(parts) > 1 and all(position is not None for position in positions):
                return tuple(sorted({position for position in positions if position is not None}))
        return None

    def position_of(self, text: str) -> int | None:
        """Return the position of the one option whose whole text this is."""
        shape = _shape(text)
        if not shape:
            return None
        if self.exact.count(shape) == 1:
            return self.exact.index(shape)
        folded = shape.casefold()
        if self.folded.count(folded) == 1:
            position = self.folded.index(folded)
            if _is_same_but_for_words(shape, self.exact[position]) or (folded == "no" and "yes" in self.folded):
                return position
        unspaced = shape.replace(" ", "")
        return self.unspaced.index(unspaced) if self.unspaced.count(unspaced) == 1 else None

    def read_part(self, text: str) -> tuple[int, ...] | None:
        """Return the one option that contains `text` as whole words, if it is long enough to mean something.

        A piece of a list, of a set of numerals or of a name is none: it may be what another list or name begins with.
        An amount without its unit, or in another spelling, is that option.
        """
        part = self._find_part(text)
        if part is None or self.position_of(text) == part:
            return None if part is None else (part,)
        shape, whole = _shape(text), self.exact[part]
        is_part = _holds(whole, shape) and is_piece(whole, shape)
        return None if is_part and self._read_value(shape) != part else (part,)

    def _find_part(self, text: str) -> int | None:
        """Return the one option that contains `text`, piece of a list or not."""
        shape = _shape(text)
        if _OF_ANSWERING.fullmatch(shape):
            return None
        if len(shape) < MIN_PART_LENGTH:
            return self._read_amount(shape)
        holders = [i for i, option in enumerate(self.exact) if _holds(option, shape)]
        if len(holders) != 1:
            return None if holders else self._read_amount(shape)
        return None if _drops_negation(self.exact[holders[0]], shape) else holders[0]

    def _read_amount(self, shape: str) -> int | None:
        """Return the one option that is the amount `shape`, either of them without its unit or with what it counts."""
        shape = _in_digits(shape)
        valued = self._read_value(shape)
        amount = _AMOUNT.fullmatch(shape)
        if valued is not None or amount is None:
            return valued
        options = [_AMOUNT.fullmatch(_in_digits(option)) for option in self.exact]
        same = [i for i, option in enumerate(options) if option is not None and option["number"] == amount["number"]]
        option = options[same[0]] if len(same) == 1 else None
        is_same = option is not None and (option["word"] == amount["word"] or "" in (option["word"], amount["word"]))
        return same[0] if is_same else None

    def _read_value(self, shape: str) -> int | None:
        """Return the one option that is an amount of the same value as `shape`, where no two units contradict.

        Of several the one with a unit counts for an amount with a unit.
        """
        written = _amount(shape)
        if written is None:
            return None
        options = [_amount(option) for option in self.exact]
        same = [i for i, option in enumerate(options) if _is_same_amount(written, option)]
        if len(same) > 1 and written.unit:
            same = [i for i in same if (option := options[i]) is not None and option.unit]
        return same[0] if len(same) == 1 else None

    def read_parts(self, text: str) -> tuple[int, ...] | None:
        """Return the options of a list in which each entry is one option's text or an unambiguous part of it."""
        entries = [entry for entry in _LIST.split(text) if entry.strip()]
        if len(entries) < 2 or len(entries) > 2 * len(self.exact):
            return None
        positions: set[int] = set()
        for entry in entries:
            whole = self.position_of(entry)
            part = self.read_part(entry) if whole is None else (whole,)
            if part is None:
                return None
            positions.update(part)
        return tuple(sorted(positions))

    def mentions(self, word: str) -> bool:
        """Tell whether any option holds `word` as a whole word."""
        return any(_holds(option, word) for option in self.exact)

    def is_text_of(self, words: str, position: int | None) -> bool:
        """Tell whether `words` are the whole text of the option at `position`."""
        return position is not None and _shape(words).casefold() == self.folded[position]

    def begins_another(self, position: int) -> bool:
        """Tell whether the text of another option begins with that of the option at `position`."""
        own = self.folded[position]
        others = (text for i, text in enumerate(self.folded) if i != position)
        return any(text.startswith(own) and not text[len(own) : len(own) + 1].isalnum() for text in others)

    def joins_another(self, words: str, position: int) -> bool:
        """Tell whether `words` go on to the text of another option than that at `position` (`..., and methanol`)."""
        folded = words.casefold()
        others = (text for i, text in enumerate(self.folded) if i != position and text)
        return any(
            _JOINED.search(folded[max(place - MAX_JOINT_LENGTH, 0) : place])
            for text in others
            for place in _places(folded, text)
        )

    def is_own_text(self, words: str, position: int | None) -> bool:
        """Tell whether `words` are the text of the option at `position`, or whole words of it and of no other.

        Beside the option's own letter a piece of its list is enough.
        """
        if position is None or self.is_text_of(words, position):
            return position is not None
        return self._find_part(words) == position and self.position_of(words) is None

    def without_text_of(self, words: str, position: int) -> str:
        """Return what `words` say behind the text of the option at `position`; all where they do not begin with it."""
        shape = _shape(words)
        own = self.folded[position]
        is_own = bool(own) and shape[: len(own)].casefold() == own and not shape[len(own) : len(own) + 1].isalnum()
        return shape[len(own) :] if is_own else words

    def contradicts(self, words: str, position: int) -> bool:
        """Tell whether `words`, written beside the letter of `position`, are or begin with another option's text."""
        shape = _shape(words)
        if not shape or shape.casefold() == self.folded[position]:
            return False
        if self.position_of(words) is not None:
            return True
        if _SAYS_WHY.match(shape):
            return False
        valued = self._read_value(shape) if shape[0] in _BEGINS_AMOUNT else None
        if valued is not None or _holds(self.exact[position], shape):
            return valued not in (None, position)
        others = [option for i, option in enumerate(self.exact) if i != position and option]
        named = [place for option in others if (place := _place(shape, option)) is not None]
        own = _place(shape.casefold(), self.folded[position], is_folded=True)
        if own is not None:
            return bool(named) and min(named) < own
        return bool(named) or any(_holds(option, shape) for option in others)


# What follows is said of the letter in front, whatever it names (`B, because methanol is smaller`, `B, not methanol`).
_SAYS_WHY = re.compile(
    r"(?:[Bb]ecause|[Ss]ince|as|due\sto|[Uu]nlike|[Cc]ompared\s(?:to|with)|(?:and\s)?[Nn]ot"
    r"|(?:(?:is|it\sis|being)\s)?(?:[Mm]ore|[Ll]ess|[A-Za-z][a-z]{1,11}er)\s(?:[a-z-]{1,15}\s){0,2}than)\s"
)

# Words by which answers are spoken of: as a part of an option's text they name nothing.
_OF_ANSWERING = re.compile(
    r"(?:(?:the|all|are|is|of|above|these|them|both|none|correct|right|true|wrong|incorrect|false|possible|answers?|"
    r"options?|choices?|statements?)(?:\s|$))+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\S+")
_PLAIN_WORD = re.compile(r"[^\w]*(?:[^\W\d_]{3,}(?:[-'/][^\W\d_]{2,})*)[^\w]*")
_AROMATIC = re.compile(r"[cnops]+", re.IGNORECASE)
_SHORT_WORDS = frozenset(
    ("a", "an", "as", "at", "be", "by", "do", "if", "in", "is", "it", "no", "of", "on", "or", "to")
)


def _is_same_but_for_words(written: str, option: str) -> bool:
    """Tell whether two texts, the same but for case, differ in words alone: case means something in a formula."""
    pairs = list(zip(_TOKEN.findall(written), _TOKEN.findall(option), strict=False))
    is_phrase = len(pairs) > 1
    return all(
        one == other or _is_word(other, is_phrase=is_phrase) or _differs_by_capital(one, other) for one, other in pairs
    )


_SMALL_RUN = re.compile(r"[A-Za-z][a-z]{3,}")


def _differs_by_capital(one: str, other: str) -> bool:
    """Tell whether two names differ by their one capital alone, which begins a word: `2-Methylbutan-1-ol`."""
    places = [i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    if len(one) != len(other) or len(places) != 1 or one[: places[0]][-1:].isalpha():
        return False
    run = _SMALL_RUN.match(other, places[0])
    return run is not None and _AROMATIC.fullmatch(run.group()) is None


def _is_word(token: str, *, is_phrase: bool) -> bool:
    """Tell whether `token` is written as a word (`Ethanol`), not as a formula, symbol or code (`CO`, `Co`, `c1cc1`)."""
    if is_phrase and token.casefold() in _SHORT_WORDS:
        return True
    letters = [word[1:] for word in _WORD.findall(token)]
    is_lower = bool(letters) and all(rest == rest.lower() for rest in letters)
    return is_lower and _PLAIN_WORD.fullmatch(token) is not None and _AROMATIC.fullmatch(token) is None


_AMOUNT = re.compile(
    r"(?P<number>[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?! (?:or|to|and|of|not|plus|minus|times)\b)"
    r"(?P<word>(?: [A-Za-z]{1,20}){0,2})"
)
_BEGINS_AMOUNT = frozenset("0123456789+-.")
_IS_AMOUNT = re.compile(r"[-+]?\.?[0-9](?!.*(?:[;(]|,(?![0-9])|\b(?:and|or)\b))")
_BARE_NUMBER = re.compile(r"[-+0-9.,/^×x*eE ]+")
_ISOTOPE = re.compile(r"[0-9]{1,3}[A-Z]")


@lru_cache(maxsize=8192)
def _amount(shape: str) -> NumberRead | None:
    """Return the number and unit that a text is and nothing else, or None; `13C` is an isotope."""
    if _IS_AMOUNT.match(shape) is None or _ISOTOPE.fullmatch(shape) is not None:
        return None
    read = parse_number(shape)
    if read is None:
        return None
    is_whole = leading_unit(read.unit) == read.unit if read.unit else _BARE_NUMBER.fullmatch(shape) is not None
    return read if is_whole else None


def _in_digits(shape: str) -> str:
    """Return `shape` with a number word at its head, alone or in front of what it counts, in digits."""
    if shape[:1] in _BEGINS_AMOUNT:
        return shape
    word, space, things = shape.partition(" ")
    value = number_word(word)
    return shape if value is None or (things and not is_counted(things)) else f"{value}{space}{things}"


def _is_same_amount(written: NumberRead, option: NumberRead | None) -> bool:
    """Tell whether both are the same number, in one unit or one of them without."""
    if option is None:
        return False
    if not (written.unit and option.unit) or written.unit == option.unit:
        return written.value == option.value
    value, note = in_asked_unit(value=written.value, unit=written.unit, asked_unit=option.unit)
    return value == option.value and note != UNIT_DIFFERS


_NEGATIVE = re.compile(
    r"\b(?:not?|non|none|never|neither|nor|without|cannot|except|lacks?|fails?)\b|n't\b", re.IGNORECASE
)


def _drops_negation(whole: str, part: str) -> bool:
    """Tell whether `whole` denies something and `part` of it does not: `change` of `does not change`."""
    return _NEGATIVE.search(part) is None and _NEGATIVE.search(whole) is not None


def _place(text: str, part: str, *, is_folded: bool = False) -> tuple[int, int, bool] | None:
    """Return where `part` stands in `text` as whole words; the smallest is the first, the longest of equals."""
    start = _find_words(text, part)
    return None if start < 0 else (start, -len(part), is_folded)


def _holds(text: str, part: str) -> bool:
    """Tell whether `part` occurs in `text` with no letter or digit right before or after it."""
    return _find_words(text, part) >= 0


_JOINED = re.compile(r"(?:\b(?:and|or|plus|also|but|no)|[;.,:])\s{1,2}\Z")


def _places(text: str, part: str) -> Iterator[int]:
    """Yield where `part` stands in `text`."""
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + len(part))


def _find_words(text: str, part: str) -> int:
    position = text.find(part) if part else -1
    while position >= 0:
        before, after = text[position - 1 : position], text[position + len(part) : position + len(part) + 1]
        if not before.isalnum() and not after.isalnum() and not (before == "." and _is_fraction(text, position)):
            return position
        position = text.find(part, position + 1)
    return -1


def _is_fraction(text: str, position: int) -> bool:
    """Tell whether the digits at `position` are those behind a decimal point: `2` of `0.2`."""
    return text[position : position + 1].isdigit() and text[max(position - 2, 0) : position - 1].isdigit()


@lru_cache(maxsize=8192)
def option_texts(shown: tuple[ShownOption, ...]) -> OptionTexts:
    """Return the texts of `shown` ready for comparing."""
    exact = tuple(_shape(option.text) for option in shown)
    return OptionTexts(exact, tuple(text.casefold() for text in exact), tuple(text.replace(" ", "") for text in exact))
