"""Find the letters that a reply calls correct: `B is the correct answer`, `A and D are correct`, `I think it's B`."""

import re

from corpus.scoring.denials import is_denied_statement, is_taken_back
from corpus.scoring.tags import Located

_ENTRY = r"\*{0,2}\(?(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9'])\)?\*{0,2}"
_LAST_JOINT = r"(?:,?\s(?:and|plus|as\swell\sas)\s|\s?[&+]\s?)"
_GROUP = (
    rf"{_ENTRY}(?:(?:,\s?{_ENTRY}){{0,15}}{_LAST_JOINT}{_ENTRY}|(?:,?\sand\s{_ENTRY}){{2,15}}"
    rf"|(?:,\s?{_ENTRY}){{1,15}}(?=\sare\b))?"
)
_CALLED = (
    r"\s(?:is|are)\s(?:(?:indeed|also|both|all)\s)?(?:the\s)?"
    r"(?:(?:only\s)?(?:most\slikely\s)?(?:correct|right|best)\s(?:answer|option|choice|one)s?|correct|right(?=\s?[.,;!]|$)"
    r"|answers?)(?![\w-])"
)
_SAID = re.compile(
    r"(?<![A-Z)][-–—−…])(?<![A-Z)]\s[-–—−…])(?<![A-Z)]\s[-–—−…]\s)(?<!\.\.)(?<!\sto\s)(?<!\sthrough\s)"
    rf"(?:[Oo]ptions?\s)?(?P<subject>{_GROUP}){_CALLED}"
    rf"|\bI(?:'d|\swould)?\s(?:think|say|believe|choose|pick|go\swith|guess)\s(?:it(?:'s|\sis)\s|that\sit(?:'s|\sis)\s)?"
    rf"(?:option\s)?(?P<object>{_GROUP})(?=\s?(?:[.,;:!\n]|$)|\s(?:because|since)\b)"
)
# Every such statement holds one of these; they are found many times faster.
_MAY_CALL = re.compile(
    r"\s(?:is|are)\s(?:(?:indeed|also|both|all)\s)?(?:the\s)?(?:only|most|correct|right|best|answer)"
)
_MAY_CHOOSE = re.compile(r"I(?:'d|\swould)?\s(?:think|say|believe|choose|pick|go\swith|guess)\s")
_CAPITAL = re.compile(r"[A-Z]")
_WINDOW = 100

# A letter before the subject that may belong to it: `A or D is correct`, `methanol (A) and benzene (D) are correct`.
_CLAUSE_BREAK = re.compile(
    r"[.!?:\n]\s|\b(?:so|but|because|while|whereas|hence|thus|therefore|that|since|then|is|are|was|were|has|have|does|do)\b"
)
_JOINED_LETTER = re.compile(
    rf"{_ENTRY}\s?(?:[,/&+]|(?:and|or|nor|plus|as\swell|along|together|rather|instead|over|versus|vs|and/or|with)\b)"
)
_PART_OF_GROUP = re.compile(
    r"\b(?:of|to|than|from|between|among|with|unlike|like|for|neither|either|except|besides|not|one|never)\s"
    r"(?:both\s)?(?:the\s)?(?:[Oo]ptions?\s|[Ll]etters?\s)?\Z",
    re.IGNORECASE,
)

# What follows and adds a letter, makes a condition or asks.
_ADDED = re.compile(
    rf"(?:\b(?:[Ss]o|[Aa]s|[Nn]either|[Nn]or)\s(?:is|are)\s(?:option\s)?{_ENTRY}"
    rf"|{_ENTRY}\s(?:too|as\swell|also|likewise|is\sas\swell|is\stoo(?=\s?[.,;!]|$)|might\sbe|may\sbe|could\sbe)\b"
    rf"|\A[.,;:]?\s{{0,2}}\b(?:[Aa]nd|[Oo]r|and/or|[Mm]aybe|[Pp]erhaps|along\swith|together\swith|as\swell\sas|plus)\s"
    rf"(?:also\s|maybe\s|perhaps\s|possibly\s)?(?:[Oo]ption\s)?{_ENTRY}(?=\s?(?:[.,;!?\n]|$|(?:is|are)\salso\b))"
    rf"|\A\s?[,;/]\s?{_ENTRY}(?=\s?(?:[.,;!\n]|$)))"
)
_CONDITION = re.compile(
    r"\s{0,2},?\s?(?:only\s)?(?:if|unless|provided|when)\b|[^.!?\n]{0,80}\?"
    r"|[^.!?\n]{0,80},?\s(?:but|yet|however)\s[^.!?\n]{0,40}\b[A-Z]\sis\b"
)


def only_statement(text: str) -> Located | None:
    """Return the letters of `B is the correct answer` or `I think it's B` where nothing else is stated like that.

    Letters joined by `and`, `&`, `+`, `plus` or `as well as` belong together; what may be an alternative, a part of
    another group or a condition is no statement.
    """
    text = text.replace("’", "'")
    if _MAY_CALL.search(text) is None and _MAY_CHOOSE.search(text) is None:
        return None
    found = [match for match in _SAID.finditer(text) if not is_denied_statement(text, match.start())]
    if len({frozenset(_CAPITAL.findall(match["subject"] or match["object"])) for match in found}) != 1:
        return None
    if any(_is_unclear(text, match) for match in found):
        return None
    start, end = found[-1].span("subject" if found[-1]["subject"] else "object")
    return Located(start, end, "statement")


_NAMED = re.compile(
    r"(?:\A\s{0,8}|(?<=[.!?]\s)|(?<=\n))(?:(?:so|thus|hence|therefore),?\s)?(?P<words>[^\n.!?:;]{1,120}?)\s(?:is|are)\s"
    r"the\s(?:correct|right|best)\s(?:answer|option|choice)s?(?=\s?(?:[.!\n]|\Z))",
    re.IGNORECASE,
)


def called_correct(text: str) -> list[Located]:
    """Return the words of every sentence `Ethanol is the correct answer.` that is not taken back right behind it."""
    found = list(_NAMED.finditer(text)) if "correct" in text or "right" in text or "best" in text else []
    if any(is_taken_back(text[match.end() : match.end() + _WINDOW]) for match in found):
        return []
    return [Located(*match.span("words"), "statement") for match in found]


def _is_unclear(text: str, match: re.Match[str]) -> bool:
    """Tell whether the words around a statement join its letters to others, or make it a condition or a question."""
    named = match["subject"] or match["object"]
    behind = text[match.end() : match.end() + _WINDOW]
    if _CONDITION.match(behind) or is_taken_back(behind):
        return True
    if any(not set(_CAPITAL.findall(added.group())) <= set(named) for added in _ADDED.finditer(behind)):
        return True
    start = match.start()
    before = text[max(start - _WINDOW, 0) : start]
    breaks = list(_CLAUSE_BREAK.finditer(before))
    clause = before[breaks[-1].end() if breaks else 0 :]
    is_group = len(_CAPITAL.findall(named)) > 1
    if not is_group and " are " in match.group():
        return True
    return _JOINED_LETTER.search(clause) is not None or (is_group and _PART_OF_GROUP.search(before) is not None)
