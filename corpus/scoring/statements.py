"""Find the letters that a reply calls correct: `B is the correct answer`, `A and D are correct`, `I think it's B`."""

import re
from collections.abc import Collection, Iterable
from itertools import islice

from corpus.scoring.denials import is_denied_statement, is_taken_back
from corpus.scoring.falsehoods import asks_for_false, called_false
from corpus.scoring.folding import holds_any, lowered
from corpus.scoring.picked import picked_letters
from corpus.scoring.reasons import last_conclusion
from corpus.scoring.tags import Located

_ENTRY = r"\*{0,2}\(?(?<![A-Za-z0-9])[A-Z]{1,2}(?![A-Za-z0-9'])\)?\*{0,2}"
_SHORT_ENTRY = _ENTRY.replace("{1,2}", "")
_LAST_JOINT = r"(?:,?\s(?:and|plus|as\swell\sas)\s|\s?[&+]\s?)"
_CALLED = (
    r"\s(?:is|are)\s(?:(?:indeed|also|both|all)\s)?(?:the\s)?"
    r"(?:(?:only\s)?(?:most\slikely\s)?(?:correct|right|best)\s(?:answer|option|choice|one)s?|correct|right(?=\s?[.,;!]|$)"
    r"|answers?)(?![\w-])"
)

_CHOOSE = (
    r"(?:I(?:'d|'ll|\swould|\swill)?\s(?:think|say|believe|choose|pick|select|opt\sfor|go\swith|guess)"
    r"|I(?:'m|\sam)\s(?:choosing|picking|selecting|opting\sfor|going\swith)|(?:[Ll]et(?:\sme|'s)\sgo|[Gg]oing)\swith"
    r"|[Mm]y\s(?:choice|pick|selection)\s(?:is|would\sbe))"
)


def _said(entry: str) -> re.Pattern[str]:
    """Return the pattern of a statement about letters written as `entry`."""
    group = (
        rf"{entry}(?:(?:,\s?{entry}){{0,15}}{_LAST_JOINT}{entry}|(?:,?\sand\s{entry}){{2,15}}"
        rf"|(?:,\s?{entry}){{1,15}}(?=\sare\b))?"
    )
    return re.compile(
        r"(?=[*(A-Zo])(?<![A-Z][-–—−…])(?<![A-Z)]\s[-–—−…])(?<![A-Z)]\s[-–—−…]\s)(?<!\.\.)(?<!\sto\s)(?<!\sthrough\s)"
        rf"(?:[Oo]ptions?\s)?(?P<subject>{group}){_CALLED}"
        rf"|\b{_CHOOSE}\s(?:it(?:'s|\sis)\s|that\sit(?:'s|\sis)\s)?"
        rf"(?:options?\s)?(?P<object>{group})(?=\s?(?:[.,;:!\n]|$)|\s(?:because|since)\b)"
    )


_SAID = _said(_SHORT_ENTRY)
_SAID_OF_MANY = _said(_ENTRY)
# Every such statement holds one of these; they are found many times faster.
_MAY_CALL = re.compile(
    r"\s(?:is|are)\s(?:(?:indeed|also|both|all)\s)?(?:the\s)?(?:only|most|correct|right|best|answer)"
)
_MAY_CHOOSE = re.compile(
    rf"{_CHOOSE}\s(?:(?:that\s)?it(?:'s|\sis)\s)?(?:options?\s)?"
    r"\*{0,2}\(?[A-Z]{1,2}\)?\*{0,2}(?:\s?(?:[.,;:!\n&+]|\Z)|\s(?:and|plus|as|because|since)\b)"
)
_LETTER = re.compile(r"[A-Z]{1,2}")
_LONE_LETTER = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,2}(?![A-Za-z0-9'])")
_WINDOW = 100
# As far as words before a statement are looked at to see whether they deny or report it.
_BEFORE = 125
# More statements than these, their surroundings all different, are no reply of anybody.
MAX_STATEMENTS = 64
# A reply that states this often is in a loop, and comes to no end.
MAX_REPEATED = 1000

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
_CALLING_WORDS = (
    "correct",
    "right",
    "best",
    "answer",
    "only",
    "most",
    "false",
    "wrong",
    "untrue",
    "inaccurate",
    "not true",
)
_MAY_BE_FALSE = re.compile(r"\b(?:correct|right|false|wrong|untrue|inaccurate|incorrect|not\s(?:true|right))\b")
_ANSWER_NAMED = re.compile(r"\b(?:answer|option|choice|one)s?\Z")

# `C is also correct`: something else was called so before.
_ALSO = re.compile(r"\s(?:is|are)\salso\s")
_TOO = re.compile(r",?\s(?:too|as\swell|also)\b")


def only_statement(text: str, long_letters: Collection[str] = (), prompt: str = "") -> Located | None:
    """Return the letters of `B is the correct answer` or `I think it's B` where nothing else is stated like that.

    Letters joined by `and`, `&`, `+`, `plus` or `as well as` belong together; what may be an alternative, a part of
    another group or a condition is no statement. Two capitals are a letter only where `long_letters` holds them.
    Where nothing is stated, the letters count to which the last words come (`Hence option B.`, `It must be B.`). Where
    `prompt` asks for what is false, `B is correct` states nothing and `B is the false statement` does.
    """
    text = text.replace("’", "'")
    may_be_called = holds_any(lowered(text), _CALLING_WORDS)
    may_be_false = may_be_called and bool(prompt) and _MAY_BE_FALSE.search(text) is not None
    is_false_asked = may_be_false and asks_for_false(prompt)
    if is_false_asked and (false := called_false(text)) is not None:
        return false
    if not (may_be_called and _MAY_CALL.search(text)) and _MAY_CHOOSE.search(text) is None:
        return None if _may_be_named(text) and _NAMED.search(text) else last_conclusion(text) or picked_letters(text)
    stated = _all_said(text, _SAID_OF_MANY if long_letters else _SAID)
    if len(stated) > MAX_REPEATED:
        return None
    different = {_surroundings(text, match): match for match in stated}
    stated = list(different.values())
    if long_letters:
        stated = [each for each in stated if _are_letters(_letters(each), long_letters)]
    if is_false_asked:
        stated = [each for each in stated if each["object"] or _ANSWER_NAMED.search(each.group())]
    if not stated:
        return None if called_correct(text) else last_conclusion(text) or picked_letters(text)
    if len(stated) > MAX_STATEMENTS:
        return None
    found = [match for match in stated if not is_denied_statement(text, match.start())]
    if len({_letters(match) for match in found}) != 1 or any(_is_unclear(text, match, long_letters) for match in found):
        return None
    last, concluded = max(found, key=re.Match.start), last_conclusion(text)
    if concluded is not None and text[concluded.start : concluded.end].strip("*_()") not in _letters(last):
        return None
    return Located(*last.span("subject" if last["subject"] else "object"), "statement")


def _all_said(text: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Return the statements of `text`, no more than one beyond `MAX_REPEATED`."""
    return list(islice(pattern.finditer(text), MAX_REPEATED + 1)) if _LONE_LETTER.search(text) else []


def _surroundings(text: str, match: re.Match[str]) -> tuple[str, str]:
    """Return all that is looked at to see how a statement is meant; a reply in a loop says the same ever again."""
    return text[max(match.start() - _BEFORE, 0) : match.start()], text[match.start() : match.end() + _WINDOW]


def _are_letters(found: Iterable[str], long_letters: Collection[str]) -> bool:
    return all(len(letter) == 1 or letter in long_letters for letter in found)


def _letters(match: re.Match[str]) -> frozenset[str]:
    return frozenset(_LETTER.findall(match["subject"] or match["object"]))


_NAMED = re.compile(
    r"(?:\A\s{0,8}|(?<=[.!?]\s)|(?<=\n))(?:(?:so|thus|hence|therefore),?\s)?(?P<words>[^\n.!?:;]{1,120}?)\s(?:is|are)\s"
    r"the\s(?:correct|right|best)\s(?:answer|option|choice)s?(?=\s?(?:[.!\n]|\Z))",
    re.IGNORECASE,
)


def _may_be_named(text: str) -> bool:
    return holds_any(lowered(text), ("correct", "right", "best"))


def called_correct(text: str) -> list[Located]:
    """Return the words of every sentence `Ethanol is the correct answer.` that is not taken back right behind it."""
    found = list(_NAMED.finditer(text)) if _may_be_named(text) else []
    if any(is_taken_back(behind) for behind in {text[match.end() : match.end() + _WINDOW] for match in found}):
        return []
    return [Located(*match.span("words"), "statement") for match in found]


def _is_unclear(text: str, match: re.Match[str], long_letters: Collection[str]) -> bool:
    """Tell whether the words around a statement join its letters to others, or make it a condition or a question."""
    named = _letters(match)
    behind = text[match.end() : match.end() + _WINDOW]
    if _ALSO.search(match.group()) or _TOO.match(behind):
        return True
    if _CONDITION.match(behind) or is_taken_back(behind):
        return True
    added = [_LETTER.findall(addition.group()) for addition in _ADDED.finditer(behind)]
    if any(not named.issuperset(letters) for letters in added if _are_letters(letters, long_letters)):
        return True
    start = match.start()
    before = text[max(start - _WINDOW, 0) : start]
    breaks = list(_CLAUSE_BREAK.finditer(before))
    clause = before[breaks[-1].end() if breaks else 0 :]
    is_group = len(named) > 1
    if not is_group and " are " in match.group():
        return True
    joined = [_LETTER.findall(letter.group()) for letter in _JOINED_LETTER.finditer(clause)]
    if any(_are_letters(letters, long_letters) for letters in joined):
        return True
    return is_group and _PART_OF_GROUP.search(before) is not None
