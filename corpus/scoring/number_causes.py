"""Causes of differences over questions that ask for a number."""

import re
from decimal import Decimal

from corpus.scoring.number_grammar import DECIMAL_COMMA, FRACTION, TRAILING_SIGN
from corpus.scoring.outside import OUTSIDE
from corpus.scoring.published_habits import exact_tags, first_plain_number, plain_numbers, word_numbers
from corpus.scoring.rules.standard import DEFAULT_TOLERANCE, EXACT, abs_difference
from corpus.scoring.shared_causes import is_read, is_same_number, standard_text
from corpus.scoring.types import Difference, Kind
from corpus.scoring.units import UNIT_CONVERTED

_FLOAT_NOISE = Decimal("1E-9")
_TIMES_TEN = re.compile(r"(?:[xX×*·⋅•∙∗]|\\times|\\cdot)\s{0,3}\{?10")
_RAISED_OR_SPACED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]|10\s?\^|10\*\*|10[-−–]|\d\s+[eE]\s?[-+−–]?\d|[eE]\s?[−–]\d|[eE]\s[-+]?\d")
_GROUPED = re.compile(r"\d(?:,|\{,\}|'|’|[ \u00a0\u2009\u202f]|\\,)\d{3}(?!\d)")
_OTHER_MINUS = re.compile(r"[−–—‐‑‒﹣－]|\b(?:minus|negative)\b", re.IGNORECASE)
_SECOND_NUMBER_NOTES = frozenset({"range", "several-numbers", "expression"})
_WORD_NOTES = frozenset({"roman-numeral", "number-word"})


def _numbers(difference: Difference) -> tuple[Decimal, Decimal] | None:
    """Return the stored number and the one standard read, where both exist."""
    stored, read = difference.published.number, difference.standard.number
    return None if stored is None or read is None else (stored, read)


def _same_number(difference: Difference) -> bool:
    numbers = _numbers(difference)
    return numbers is not None and is_same_number(*numbers)


def _first_number_is_stored(difference: Difference) -> bool:
    """Tell whether the stored number is the first plain one of what standard read."""
    stored = difference.published.number
    return stored is not None and first_plain_number(standard_text(difference)) == stored


def is_target_zero_or_below(difference: Difference) -> bool:
    """The same number on both sides, and a target that the signed comparison excludes."""
    target = difference.target.number
    return target is not None and target <= 0 and _same_number(difference)


def is_boundary(difference: Difference) -> bool:
    """The same number on both sides, 1 % from a positive target but for floating point's noise."""
    target, read = difference.target.number, difference.standard.number
    if target is None or read is None or target <= 0 or not _same_number(difference):
        return False
    allowed = EXACT.multiply(DEFAULT_TOLERANCE, target)
    return abs_difference(abs_difference(read, target), allowed) <= EXACT.multiply(_FLOAT_NOISE, target)


def is_own_tolerance(difference: Difference) -> bool:
    """The same number on both sides, and a tolerance in the key."""
    return difference.target.tolerance is not None and _same_number(difference)


def is_first_of_several_tags(difference: Difference) -> bool:
    """The stored number is the first tag's, standard read a later tag."""
    tags, stored = exact_tags(difference.text), difference.published.number
    if len(tags) < 2 or stored is None or first_plain_number(tags[0]) != stored:
        return False
    return standard_text(difference) in tags[-1] and not _first_number_is_stored(difference)


def _is_scaled(difference: Difference) -> bool:
    """Tell whether the number read is the stored one, which comes first in the text, times a power of ten."""
    numbers = _numbers(difference)
    if numbers is None or numbers[0] == numbers[1] or not _first_number_is_stored(difference):
        return False
    stored, read = (abs(number).normalize().as_tuple().digits for number in numbers)
    return stored == read


def is_multiplication_sign(difference: Difference) -> bool:
    """Only the mantissa before `×10` was stored."""
    return _is_scaled(difference) and _TIMES_TEN.search(standard_text(difference)) is not None


def is_spaced_exponent(difference: Difference) -> bool:
    """Only what stands before a spaced `E` or raised digits was stored."""
    return _is_scaled(difference) and _RAISED_OR_SPACED.search(standard_text(difference)) is not None


def is_thousands_separator(difference: Difference) -> bool:
    """Only the digits before the first separator were stored."""
    if _numbers(difference) is None or not _first_number_is_stored(difference):
        return False
    return _GROUPED.search(standard_text(difference)) is not None and not _same_number(difference)


def is_decimal_comma(difference: Difference) -> bool:
    """Only the digits before the comma were stored."""
    is_comma = DECIMAL_COMMA in difference.standard.notes
    return is_comma and _first_number_is_stored(difference) and not _same_number(difference)


def is_lost_minus(difference: Difference) -> bool:
    """The numbers differ in sign only, and the text writes its minus otherwise than `-` before the number."""
    numbers = _numbers(difference)
    if numbers is None or numbers[0] != -numbers[1] or numbers[0].is_zero():
        return False
    is_trailing = TRAILING_SIGN in difference.standard.notes
    return is_trailing or _OTHER_MINUS.search(standard_text(difference)) is not None


def is_fraction(difference: Difference) -> bool:
    """The stored number is the first of a fraction."""
    return FRACTION in difference.standard.notes and _first_number_is_stored(difference)


def is_derivation(difference: Difference) -> bool:
    """Standard read the end of a tag that argues; stored is the tag's first number, a word's value, or nothing."""
    if difference.asked.kind is not Kind.NUMBER or not is_read(difference) or _same_number(difference):
        return False
    read, stored = standard_text(difference), difference.published.number
    arguing = [tag for tag in exact_tags(difference.text) if read in tag and (tag.strip() != read or "=" in read)]
    is_from_elsewhere = stored is None or stored in word_numbers(difference.text)
    return any(is_from_elsewhere or first_plain_number(tag) == stored for tag in arguing)


def is_outside(difference: Difference) -> bool:
    """The stored number stands in the tag or box, and standard read a sign or a power of ten outside with it."""
    return OUTSIDE in difference.standard.notes and _first_number_is_stored(difference)


def is_unit_converted(difference: Difference) -> bool:
    """The stored number is the one written, before its conversion."""
    return UNIT_CONVERTED in difference.standard.notes and _first_number_is_stored(difference)


def is_written_in_words(difference: Difference) -> bool:
    """Standard read a Roman numeral or a number word, and nothing or another number is stored."""
    return not _WORD_NOTES.isdisjoint(difference.standard.notes) and not _same_number(difference)


def is_number_word(difference: Difference) -> bool:
    """No exact tag holds a number, and the stored one is the value of a word in the text."""
    stored = difference.published.number
    if stored is None or _same_number(difference) or any(plain_numbers(tag) for tag in exact_tags(difference.text)):
        return False
    return stored in word_numbers(difference.text)


def is_second_number(difference: Difference) -> bool:
    """Standard read none of several numbers, of which the first is stored."""
    return not _SECOND_NUMBER_NOTES.isdisjoint(difference.standard.notes) and _first_number_is_stored(difference)
