"""Find an answer that is announced in words: `ANSWER: C`, `The correct answer is C.`, a concluding sentence."""

import re
from collections import deque
from collections.abc import Iterator

from corpus.scoring.tags import Located

_QUALIFIER = r"(?:correct|right|best|final|appropriate|suitable|accurate)"
_STRESS = r"[*_\s]{0,4}"
_LABEL_CUE = re.compile(
    rf"\banswers?(?:\(s\))?{_STRESS}[:=]{_STRESS}",
    re.IGNORECASE,
)
_PROSE_CUE = re.compile(
    rf"(?:\banswers?(?:\(s\))?|\b{_QUALIFIER}\s{{1,2}}(?:options?|choices?|letters?|statements?|values?)(?:\(s\))?)"
    rf"(?:\s{{1,2}}(?:to|for|of|here|therefore|thus)\b[^.\n:]{{0,120}}?)?"
    rf"\s{{1,3}}(?:is|are|would\s+be|should\s+be|must\s+be|will\s+be|seems\s+to\s+be|appears\s+to\s+be){_STRESS}:?{_STRESS}"
    rf"(?:(?:indeed|likely|most\s+likely|probably|thus|therefore|clearly|option|options|letter|choice)\s{{1,2}}){{0,2}}{_STRESS}",
    re.IGNORECASE,
)
_NEW_SPEAKER = re.compile(r"^A:[ \t]{0,3}$", re.MULTILINE)
_END_OF_LINE = re.compile(r"\n|$")
_END_OF_SENTENCE = re.compile(r"\n|[.!?](?=\s|$)|$")

_CONCLUSION = re.compile(
    r"(?:\b(?:therefore|thus|hence|so|consequently|in conclusion|finally|overall)\b)", re.IGNORECASE
)
_COPULA = re.compile(r"(?:\bis\b|\bare\b|\bequals?\b|\bbe\b|[=≈:])\s{0,3}", re.IGNORECASE)
MAX_SENTENCE_LENGTH = 400


def last_announced(text: str, *, is_number: bool) -> Located | None:
    """Return what the last announcement of an answer announces, to the end of its line or sentence."""
    last: Located | None = None
    for found in _announcements(text, is_number=is_number):
        if last is None or found.start > last.start:
            last = found
    return last


def _announcements(text: str, *, is_number: bool) -> Iterator[Located]:
    for pattern, ending, form in (
        (_LABEL_CUE, _END_OF_LINE, "label"),
        (_PROSE_CUE, _END_OF_SENTENCE, "sentence"),
    ):
        last = _last_match(pattern, text)
        if last is not None:
            yield _announced(text, last.end(), ending, form)
    if is_number:
        for speaker in _NEW_SPEAKER.finditer(text):
            yield _announced(text, speaker.end(), _END_OF_LINE, "label")


def _announced(text: str, start: int, ending: re.Pattern[str], form: str) -> Located:
    """Return what stands after an announcement; a label alone on its line announces the next line that has text."""
    while form == "label" and start < len(text) and text[start] in " \n\r\t":
        start += 1
    match = ending.search(text, start)
    end = len(text) if match is None else match.start()
    is_ended = end < len(text)
    return Located(start, end, form, is_complete=is_ended)


def concluding_value(text: str) -> Located | None:
    """Return what the last sentence says something is, when that sentence draws a conclusion."""
    body = text.rstrip()
    start = max(body.rfind("\n"), _last_sentence_start(body))
    sentence = body[start + 1 :]
    if len(sentence) > MAX_SENTENCE_LENGTH or not _CONCLUSION.search(sentence):
        return None
    last = _last_match(_COPULA, sentence)
    if last is None:
        return None
    return Located(start + 1 + last.end(), len(body), "conclusion")


def last_result(text: str) -> Located | None:
    """Return what follows the last equals sign of the last line, the result of a derivation."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    equals = _last_match(_EQUALS, body, start)
    return None if equals is None else Located(equals.end(), len(body), "derivation")


_EQUALS = re.compile(r"[=≈]|\\approx(?![A-Za-z])")
_SENTENCE_BREAK = re.compile(r"[.!?]\s{1,3}(?=[A-Z])")


def _last_sentence_start(text: str) -> int:
    """Return the index before the last sentence of the last stretch of text, or -1."""
    window = max(len(text) - MAX_SENTENCE_LENGTH - 2, 0)
    last = _last_match(_SENTENCE_BREAK, text, window)
    return -1 if last is None else last.end() - 1


def _last_match(pattern: re.Pattern[str], text: str, start: int = 0) -> re.Match[str] | None:
    matches = deque(pattern.finditer(text, start), maxlen=1)
    return matches[0] if matches else None


_RUN_ON = re.compile(
    r"\n[ \t]{0,3}(?:\*\*)?(?:Question|Q|Human|User|Problem|#{1,4} ?(?:Question|Instruction|User|Human|Input))"
    r"[ \t]{0,2}\d{0,3}(?:\*\*)?[ \t]{0,2}:"
)


def run_on_start(text: str) -> int | None:
    """Return where a reply runs on into a question of its own (`\\nQuestion: ...`), or None where it does not."""
    match = _RUN_ON.search(text, len(text) - len(text.lstrip()))
    return None if match is None else match.start()


_CORRECTION = re.compile(
    r"\b(?:correction|wait|i (?:made|have made) (?:a|an) (?:mistake|error)|i was (?:wrong|mistaken)|apologi[sz]e|sorry|"
    r"let me correct|should have been|revised answer|corrected answer|on second thought)\b",
    re.IGNORECASE,
)


def is_corrected(text: str) -> bool:
    """Tell whether `text` takes back something said before."""
    return _CORRECTION.search(text) is not None
