"""Find the number that a sentence comes to: `Therefore, the mass is 5 g (molar mass = 58.44 g/mol).`"""

import re
from collections import deque

from corpus.scoring.denials import is_denied_copula
from corpus.scoring.tags import Located

MAX_SENTENCE_LENGTH = 400
_CONCLUSION = re.compile(
    r"(?:\b(?:therefore|thus|hence|so|consequently|in conclusion|finally|overall)\b)", re.IGNORECASE
)
# A colon between digits is a ratio.
_COPULA = re.compile(
    r"(?:\bis\b|\bare\b|\bequals?\b|\bbe\b|[=≈]|(?<![0-9])(?<![0-9]\s):)\s{0,3}",
    re.IGNORECASE,
)
# A bracket behind an operator is a factor: `x = 4 * (2 + 3)`.
_EXPLANATION = re.compile(
    r"(?<![×·/+−=^\s-])(?<!\s\*)(?<![0-9]\*)[,;]?\s{1,2}\("
    r"|[,;]?\s{1,2}(?:where|which|when|using|with|given|assuming|taking|because|since|provided|based\son|"
    r"if|at|i\.e\.|that\sis)(?=[\s,])",
    re.IGNORECASE,
)
_VALUE_FIRST = re.compile(r"(?:(?:about|approximately|roughly|around)\s)?[\s*_$~(\\]{0,6}[-+−]?\.?[0-9]", re.IGNORECASE)
_NEXT_RESULT = re.compile(r"[,;]\s|\b(?:and|or|while|but|whereas)\b", re.IGNORECASE)
_NAME = re.compile(r"[0-9][-‐‑–][A-Za-z]{3}")
# Words by which a sentence about a number may say anything but that it is the answer.
_NO_STATEMENT = re.compile(
    r"\b(?:not|never|no|nor|neither|cannot|wrong|incorrect|false|untrue|unlikely|least|doubt|doubtful|supposed?|assum\w{1,6}"
    r"|might|may|could|would\s+have|if|unless|were|many|some|others)\b|n['’]t\b",
    re.IGNORECASE,
)
_SENTENCE_BREAK = re.compile(r"[.!?]\s{1,3}(?=[A-Z])")
_EQUALS = re.compile(r"[=≈]|\\approx(?![A-Za-z])")


def concluding_value(text: str) -> Located | None:
    """Return what the last sentence says something is, when that sentence draws a conclusion.

    What only explains the value is left out; a sentence with several results, or a name (`2-butanol`), has none.
    """
    body = text.rstrip()
    start = _sentence_start(body)
    cue = _last_match(_CONCLUSION, body, start) if len(body) - start <= MAX_SENTENCE_LENGTH else None
    if cue is None:
        return None
    copulas = list(_COPULA.finditer(body, cue.end())) or list(_COPULA.finditer(body, start))
    for place, copula in enumerate(copulas):
        following = copulas[place + 1].start() if place + 1 < len(copulas) else len(body)
        if _VALUE_FIRST.match(body, copula.end(), following) is None and following < len(body):
            continue
        explanation = _EXPLANATION.search(body, copula.end() + 1)
        if explanation is not None and explanation.start() < following:
            return _value(body, copula, explanation.start())
        if following == len(body):
            return _value(body, copula, following)
        if _NEXT_RESULT.search(body, copula.end(), following) is not None:
            return None
    return None


def has_conclusion(text: str) -> bool:
    """Tell whether any word of `text` draws a conclusion (`Hence k = 2 at T = 300`)."""
    return _CONCLUSION.search(text) is not None


def _value(text: str, copula: re.Match[str], end: int) -> Located | None:
    is_name = _NAME.search(text, copula.end(), end) is not None
    return None if is_name or is_denied_copula(text, copula.start()) else Located(copula.end(), end, "conclusion")


def last_statement(text: str) -> Located | None:
    """Return what the last sentence says something is, whatever kind of sentence it is."""
    body = text.rstrip()
    start = _sentence_start(body)
    last = _last_match(_COPULA, body, start) if len(body) - start <= MAX_SENTENCE_LENGTH else None
    if last is None or is_denied_copula(body, last.start()) or _is_another_result(body, start, last.start()):
        return None
    return Located(last.end(), len(body), "conclusion")


_JOINED = re.compile(r"\b(?:and|while|whereas|but)\b(?!\s(?:so|thus|hence|therefore))", re.IGNORECASE)
_PREMISE = re.compile(r"\b(?:since|as|because|if|when|with|given|so|thus|hence|therefore|then)\b", re.IGNORECASE)


def _is_another_result(text: str, start: int, end: int) -> bool:
    """Tell whether the words before the last `is` state a number of their own: `the mass is 42 g and the volume`."""
    first = _COPULA.search(text, start, end)
    if first is None or _VALUE_FIRST.match(text, first.end(), end) is None or _PREMISE.search(text, start, end):
        return False
    return _JOINED.search(text, first.end(), end) is not None


# Words that lead up to the one number of a sentence, and words that make it a limit, a range or a denial.
_LEADS_UP = re.compile(
    r"(?:[A-Za-z][\w'’-]{0,20},?\s){0,14}(?:has|have|of|to|needs?|gets?|obtain|find|calculate|think|say|thus|therefore|hence|"
    r"gives?|contains?|requires?|shows?|exhibits?|yields?|becomes?|uses?)\s(?:exactly\s|about\s|approximately\s|roughly\s|around\s)?"
    r"(?=[-+−~≈]?\.?[0-9])"
)
_LIMITS = re.compile(
    r"\b(?:between|from|than|least|most|under|over|below|above|up|not|no|never|cannot|or|either|if|less|more|minimum|"
    r"maximum|doubt|unless|without|could|might|may|nor|neither|first|some|decreas\w{1,3}|drop|loss|half(?!-)|twice|double|square|root|power|log|ratio|one|two|three|four|"
    r"five|six)\b|n['’]t\b",
    re.IGNORECASE,
)


def only_number(text: str) -> Located | None:
    """Return the one number of a short sentence, with what stands behind it: `We need 42 g`, `has a pH of 4.76`."""
    start = len(text) - len(text.lstrip())
    lead = _LEADS_UP.match(text, start) if len(text) <= MAX_SENTENCE_LENGTH else None
    if lead is None or _LIMITS.search(text, start, lead.end()):
        return None
    return Located(lead.end(), len(text.rstrip()), "sentence")


def last_result(text: str) -> Located | None:
    """Return what follows the last equals sign of the last line, the result of a derivation."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    equals = _last_match(_EQUALS, body, start)
    return None if equals is None else Located(equals.end(), len(body), "derivation")


def _sentence_start(text: str) -> int:
    """Return where the last sentence of the last line begins."""
    window = max(len(text) - MAX_SENTENCE_LENGTH - 2, 0)
    last = _last_match(_SENTENCE_BREAK, text, window)
    return max(text.rfind("\n") + 1, 0 if last is None else last.end())


def _last_match(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    matches = deque(pattern.finditer(text, start), maxlen=1)
    return matches[0] if matches else None


MAX_SOLE_LENGTH = 200


def sole_statement(text: str) -> Located | None:
    """Return the number of a reply that is one sentence with no other: `The mass of NaCl is 42 g.`, `Mass: 42 g`."""
    body = text.strip()
    if len(body) > MAX_SOLE_LENGTH or "\n" in body or body.endswith("?") or _SENTENCE_BREAK.search(body):
        return None
    if has_conclusion(body) or _NAME.search(body) or _NO_STATEMENT.search(body):
        return None
    located = last_statement(text) or only_number(text)
    if located is None or _is_another_in_front(text[: located.start]) or _LIMITS.search(text, 0, located.start):
        return None
    return located


_NUMBER_IN_FRONT = re.compile(r"(?<![A-Za-z0-9_.])\.?[0-9]")
# A number that belongs to what the sentence is about: `The pH of a 0.1 M solution is 1.0.`
_OF_SUBJECT = re.compile(
    r"(?:[Tt]he\s[A-Za-z][A-Za-z -]{0,40}\s(?:of|from|in|for)|\A\s{0,3}(?:[Aa]t|[Ff]or|[Ii]n))\s(?:an?\s|the\s)?\Z"
)


def _is_another_in_front(front: str) -> bool:
    """Tell whether any number before the value is one of its own, and not part of what the sentence is about."""
    numbers = list(_NUMBER_IN_FRONT.finditer(front))
    return any(_OF_SUBJECT.search(front[: number.start()]) is None for number in numbers)
