"""Tell whether the lines of a text state several numbers: `11.1`, and under it `pOH = 2.9`."""

import re
from decimal import Decimal

_EQUALS = re.compile(r"[=≈]")
_BULLET = re.compile(r"[-*•#>]{1,4}\s{1,3}")
# What says why, and states nothing of its own.
EXPLAINING = (
    r"(?:Check|Verification|Note|Because|Since|Given|Assuming|Using|With|Here|Where|Explanation|Reasoning|Working|Workings|"
    r"Calculation|Calculations|Derivation)"
)
_RESULT = re.compile(r"\s{0,3}(?:[-*•]\s{1,3})?(?P<name>[^\W\d][\w^+()\[\]{}-]{0,19})\s?[=≈]\s?[-+]?\.?\d[^=≈\n]{0,40}")
_ANSWER = frozenset({"answer", "result", "total"})


def lines_in_front(text: str) -> list[str]:
    """Return the lines and sentences without an equals sign that stand before the last equation.

    A line that the next one goes on from (`0.5 mol`, then `= 29 g`) is part of its equation.
    """
    parts = _BREAK.split(text)
    last = max((place for place, part in enumerate(parts) if _EQUALS.search(part)), default=0)
    alone = [
        part
        for part, following in zip(parts[:last], parts[1 : last + 1], strict=True)
        if _EQUALS.search(part) is None and following[:1] not in {"=", "≈"}
    ]
    return [_BULLET.sub("", part, count=1) if _BULLET.match(part) else part for part in alone]


_BREAK = re.compile(r"\s{0,3}\n\s{0,9}|[.]\s{1,3}(?=[A-Za-z])")


def is_list_of_results(text: str) -> bool:
    """Tell whether each of several lines is a quantity and its value, none of which follows from the others."""
    lines = [line for line in text.split("\n") if line.strip()]
    results = [_RESULT.fullmatch(line) for line in lines]
    names = {result["name"].lower() for result in results if result is not None}
    return None not in results and len(names) > 1 and _ANSWER.isdisjoint(names)


def is_rounded(first: Decimal, second: Decimal) -> bool:
    """Tell whether two numbers are the same, or one is the other with fewer digits."""
    exponents = [number.as_tuple().exponent for number in (first, second)]
    coarser = max(exponent for exponent in exponents if isinstance(exponent, int))
    step = Decimal((0, (1,), coarser))
    return abs(first - second) <= step / 2
