"""Numbers written as words or Roman numerals; whole words only."""

import re
from decimal import Decimal

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


# What is counted in chemistry; behind any other word a number word may mean something else (`two thirds`).
_COUNTED = re.compile(
    r"(?:[\w-]{1,20}\s){0,3}(?:signals?|peaks?|electrons?|protons?|neutrons?|carbons?|atoms?|bonds?|cent(?:er|re)s|isomers?|"
    r"stereoisomers?|stereocent(?:er|re)s?|enantiomers?|diastereomers?|ions?|molecules?|orbitals?|groups?|lines?|rings?|"
    r"products?|resonances|sites?|ligands?|hydrogens?|oxygens?|nitrogens?|compounds?|steps?|nodes?|types?|sets?)",
    re.IGNORECASE,
)


def is_counted(things: str) -> bool:
    """Tell whether `things`, behind a number word, are what it counts and nothing else."""
    return _COUNTED.fullmatch(things.rstrip(" .!")) is not None


# `3 13C NMR signals`: the nucleus that is looked at, in front of what is counted.
_ISOTOPE = re.compile(
    r"\s\^?\{?(?:1|2|3|6|7|9|11|13|14|15|17|19|27|29|31|33|77|119|195)\}?[\s-]?(?:H|D|He|Li|Be|B|C|N|O|F|Al|Si|P|S|Se|Sn|Pt)"
    r"(?:[\s-]NMR\b|(?=[\s-](?:signals?|peaks?|resonances?|environments?|lines?)\b))"
)


def without_isotope(things: str) -> str:
    """Return `things`, what is counted behind a number, without the nucleus at their head (`13C NMR`)."""
    return _ISOTOPE.sub("", things, count=1) if _ISOTOPE.match(things) else things


_SAME_COUNT = re.compile(
    r",?\s(?:so|thus|hence|therefore|giving|which\sgives)\s(?:there\s(?:are|will\sbe)\s|we\s(?:see|expect)\s)?(?P<number>[0-9]{1,4})"
    r"(?=\s[A-Za-z])"
)


def without_same_count(rest: str, value: Decimal) -> str:
    """Return `rest`, behind the number `value`, without the same number again (`6 carbons, so 6 signals`)."""
    again = _SAME_COUNT.search(rest)
    return rest if again is None or Decimal(again["number"]) != value else rest[: again.start()] + rest[again.end() :]


ALL_WORDS = "|".join(sorted(filter(str.isalpha, WORD_VALUES), key=len, reverse=True))
_WORD_BEHIND = re.compile(rf"(?<![\w-])(?:{ALL_WORDS})(?![\w-])", re.IGNORECASE)
_FOLLOWS = re.compile(
    rf"\b(?:so|thus|hence|therefore|giving|gives|making|makes|meaning)\s(?:[a-z]{{2,12}}\s){{0,3}}(?P<word>{ALL_WORDS})(?![\w-])",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    rf"\s?[^\s()]{{0,12}}\s?\((?P<word>{'|'.join(sorted(WORD_VALUES, key=len, reverse=True))})\)", re.IGNORECASE
)
_IN_TOTAL = re.compile(
    rf"(?<![\w-])(?P<word>{ALL_WORDS})\s(?:[a-z]{{2,20}}\s)?(?:in\s(?:total|all|sum)|altogether|overall)\b",
    re.IGNORECASE,
)
_ADDED = re.compile(rf"\b(?:and|plus)\s(?P<word>{ALL_WORDS})(?![\w-])", re.IGNORECASE)


def states_another_count(rest: str, value: Decimal) -> bool:
    """Tell whether `rest`, behind the number `value`, comes to another count in words, or adds one to it.

    `3 signals, one here and two there` only says what the 3 are made of.
    """
    alone = _IN_BRACKETS.match(rest)
    if alone is not None and WORD_VALUES[alone["word"].lower()] != value:
        return True
    words = [WORD_VALUES[word.lower()] for word in _WORD_BEHIND.findall(rest)]
    if not words:
        return False
    result = _FOLLOWS.search(rest) or _IN_TOTAL.search(rest)
    if result is not None:
        return WORD_VALUES[result["word"].lower()] != value
    added = _ADDED.search(rest)
    return added is not None and added["word"].lower() != "one" and sum(words) != value
