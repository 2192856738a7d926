"""Tell a number from a name or label that begins with one."""

import re

from corpus.scoring.units import is_known_unit

LABEL = "label"

# A name or label that begins with a number: `2-butanol`, `13-C`, `3d`, `2p orbital`, `5th`; and `5°30'`, `5h30`.
_NAMED = re.compile(
    r"(?! [spdf] (?:electrons|orbitals|levels)\b)(?:[pdf](?![A-Za-z0-9])"
    r"|\s?[spdf](?:-|\s)?(?:orbital|(?:sub)?shell|electron|level|block)"
    r"|(?:st|nd|rd|th)(?![A-Za-z])(?![\s-]?order)|\s?(?:°|h|hr|hrs|min)\s?\d)"
)
_HYPHENATED = re.compile(r"-(?P<word>[A-Za-z]+)")
_COUNTED = re.compile(
    r"(?:fold|coordinat|electron|step|member|dimension|carbon|digit|place|proton|neutron|atom|bond|hour|minute|second|day|"
    r"year|gram|mole|liter|litre|degree|percent|thousand|hundred|million|billion|center|centre|signal|peak)",
    re.IGNORECASE,
)


def is_label(rest: str) -> bool:
    """Tell whether what is glued to a number makes a name of it; a unit behind a hyphen does not."""
    if _NAMED.match(rest):
        return True
    hyphenated = _HYPHENATED.match(rest)
    if hyphenated is None or _COUNTED.match(hyphenated["word"]):
        return False
    word = hyphenated["word"]
    return (len(word) == 1 and word.isupper()) or not is_known_unit(word)
