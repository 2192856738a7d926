"""Numbers written as words or Roman numerals; whole words only."""

import re

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORD_VALUES = {word: value for value, word in enumerate(_UNITS)}
WORD_VALUES |= {word: 10 * place for place, word in enumerate(_TENS, start=2)}
WORD_VALUES |= {
    f"{ten}{join}{unit}": WORD_VALUES[ten] + WORD_VALUES[unit]
    for ten in _TENS
    for unit in _UNITS[1:10]
    for join in "- "
}
_WORD = re.compile(r"(?:(minus|negative)\s{1,3})?([a-z]{3,9}(?:[- ][a-z]{3,5})?|[a-z]{3,9})", re.IGNORECASE)

# A lone X is left out: it is an unknown more often than a ten.
_ROMAN = {name: value for value, name in enumerate(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"], start=1)}
_ROMAN |= {"XI": 11, "XII": 12}
_ROMAN_NUMERAL = re.compile(r"\(?([+-]?)\s?([IVX]{1,4})\s?([+-]?)\)?")


def number_word(text: str) -> int | None:
    """Return the value of a text that is one number word (`eleven`, `minus twenty-one`), else None."""
    match = _WORD.fullmatch(text)
    if match is None:
        return None
    value = WORD_VALUES.get(match.group(2).lower())
    if value is None:
        return None
    return -value if match.group(1) else value


def roman_numeral(text: str) -> int | None:
    """Return the value of a Roman numeral up to XII with an optional sign on either side, else None."""
    match = _ROMAN_NUMERAL.fullmatch(text)
    if match is None or (match.group(1) and match.group(3)):
        return None
    value = _ROMAN.get(match.group(2))
    if value is None:
        return None
    return -value if "-" in (match.group(1), match.group(3)) else value
