"""Read how sure an answerer says it is: a level from 1 to 5."""

import re
from typing import NamedTuple

from corpus.scoring.denials import is_denied
from corpus.scoring.visible import visible_text

CONFIDENCE_READER = "confidence@1"
LOWEST, HIGHEST = 1, 5
_LONGEST = 2000

_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_WHOLE_WORD = re.compile(r"\W*(?:(?:level|confidence)\W+)?(one|two|three|four|five)\W*", re.IGNORECASE)
# The scale itself, named beside the level: `4/5`, `4 out of 5`, `on a scale of 1 to 5`, `from 1-5`.
_SCALE = re.compile(
    r"(?<=\d)\s{0,2}(?:/|out\s+of|of)\s{0,2}5(?![\d.,]*\d)"
    r"|\b(?:scale|range|from|between)\b[^\d\n]{0,20}1\s{0,2}(?:-|–|to|and|through)\s{0,2}5(?![\d.,]*\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-−–]?\d+(?:[.,]\d+)*\s{0,2}%?")


# What makes the number behind it another level than the one stated: `certainly not a 5`, `less than 3`.
_OTHER_THAN = re.compile(
    r"(?:(?:\b(?:not|never|cannot)|n['’]t)(?:\s(?:be|an?|the|at|quite|even|exactly|equal|to|level)){0,3}"
    r"|\b(?:(?:less|more|lower|higher|other)\sthan|below|above|under|over|at\s(?:least|most)|up\sto)"
    r"(?:\s(?:an?|level)){0,2})[\s*_\"'(]{0,4}\Z",
    re.IGNORECASE,
)
_WINDOW = 60


class StatedConfidence(NamedTuple):
    """The level, None where the text states no one level; `reason` says why, for a person."""

    level: int | None
    reason: str


def read_confidence(text: str) -> StatedConfidence:
    """Read the one level from 1 to 5 that a reply to the question of confidence states.

    Thinking blocks are left out, and so is the scale where it is named (`4/5`, `4 on a scale of 1 to 5`). Whatever else
    holds another number, a level outside the scale, a fraction or a share in percent is not read; nor is a level that
    is denied (`certainly not 5`) or a bound (`less than 3`): nothing is guessed.
    """
    visible = visible_text(text)
    said = visible.text.strip()
    if visible.is_cut_in_thinking or not said:
        return StatedConfidence(None, "The reply states nothing.")
    if len(said) > _LONGEST:
        return StatedConfidence(None, "The reply is too long for the statement of a level.")
    if word := _WHOLE_WORD.fullmatch(said):
        return StatedConfidence(_WORDS[word.group(1).lower()], "Read from a word.")
    said = _SCALE.sub(" ", said)
    found = list(_NUMBER.finditer(said))
    numbers = {number.group().strip() for number in found}
    if not numbers:
        return StatedConfidence(None, "The reply states no level.")
    if len(numbers) > 1:
        return StatedConfidence(None, "The reply states several numbers.")
    if any(_is_other(said, number) for number in found):
        return StatedConfidence(None, "The reply denies the level, or states another one by it.")
    return _level(numbers.pop())


def _is_other(said: str, number: re.Match[str]) -> bool:
    """Tell whether the words around a number say that the level is another one."""
    start = number.start()
    return _OTHER_THAN.search(said, max(start - _WINDOW, 0), start) is not None or is_denied(said[number.end() :])


def _level(number: str) -> StatedConfidence:
    if len(number) == 1 and LOWEST <= int(number) <= HIGHEST:
        return StatedConfidence(int(number), "Read from the only number.")
    return StatedConfidence(None, f"{number} is no level from {LOWEST} to {HIGHEST}.")
