"""Find an answer that is announced in words: `ANSWER: C`, `The correct answer is C.`"""

import re
from collections import deque
from itertools import islice

from corpus.scoring.denials import asks_for, denying_words, end_of_denied, is_unaffirmed
from corpus.scoring.folding import holds_any, lowered
from corpus.scoring.tags import Located

# The patterns run on lower-case text and begin with a literal word, which the regex engine finds quickly; what may
# not stand before that word is looked at behind it.
_STRESS = r"[*_\s]{0,4}"
_ANSWER = r"answer(?<![a-z0-9_]answer)s?(?:\(s\))?"
_VERB = (
    rf"(?:,\s(?:therefore|thus|then|hence),)?\s{{1,3}}(?:is|are|(?:would|should|must|will)\s+(?:therefore\s+|thus\s+)?be"
    rf"|has\s+to\s+be|seems\s+to\s+be|appears\s+to\s+be){_STRESS}:?"
    rf"{_STRESS}(?:(?:,\s(?:therefore|thus|of\s+course|indeed),"
    rf"|indeed|likely|most\s+likely|probably|thus|therefore|clearly|simply|actually|in\s+fact|of\s+course"
    rf"|options?|letters?|choice)\s{{1,2}}){{0,2}}{_STRESS}"
).replace(r"\s+", r"\s{1,2}")
# Every announcement in a sentence holds one of these, which are found many times faster.
_HAS_VERB = re.compile(r"\s(?:is|are|be)(?:\b|n)")
_LABEL_CUE = re.compile(rf"{_ANSWER}{_STRESS}[:=：]{_STRESS}")
_PROSE_CUE = re.compile(rf"{_ANSWER}(?:\s{{1,2}}(?:to|for|of|here|therefore|thus)\b[^.\n:]{{0,120}}?)?{_VERB}")
_SHORT_CUE = re.compile(
    rf"(?<![a-z0-9_])ans(?:(?:\.\s?)?:|(?:(?<=\nans)|(?<=\Aans))\.?(?=\s[*_$(-]{{0,4}}\.?(?:[0-9]|[a-z]\b))){_STRESS}"
)
_DASH_CUE = re.compile(rf"answers?{_STRESS}\s(?:[-–—→]|[-=]>){_STRESS}\s{_STRESS}(?=[*_$(\\+−-]{{0,4}}\.?[a-z0-9])")
_QUALIFIERS = ("correct", "right", "best", "final", "appropriate", "suitable", "accurate")
_QUALIFIED_CUE = re.compile(
    rf"(?:{'|'.join(_QUALIFIERS)})\s{{1,2}}(?:options?|choices?|letters?|statements?|values?|one)(?:\(s\))?(?:\shere)?{_VERB}"
    rf"|(?:my|best|educated)\s{{1,2}}guess(?:{_VERB}|{_STRESS}:{_STRESS})"
)
_FINAL_CUE = re.compile(rf"final[ _]{{1,2}}answers?(?:\(s\))?{_STRESS}[:=：]{_STRESS}")
_HEADING_CUE = re.compile(
    r"answer(?:\(s\)|s)?(?:[ \t]{1,2}(?:choice|option|letter))?[*_]{0,3}:?[*_]{0,3}[ \t]{0,3}#{0,6}[ \t]{0,3}\n"
)
_HEADING_START = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]{1,3}[*_]{0,3}|[*_]{2,3}|(?=final))(?:(?:[0-9]{1,2}|step[ ][0-9]{1,2})[.:)][ \t]{1,3})?"
    r"(?:(?:the|my|your|final|correct)[ ]){0,3}"
)
_ABOUT = re.compile(
    r"(?:explanation|explaining|justification|rationale|reasoning|reasons?|verification|check|support)\s{1,2}"
    r"(?:of|for|behind)\s{1,2}(?:(?:the|my|your|this|final|correct)\s{1,2}){0,3}\Z"
)
_MAX_HEADING_LENGTH = 60
_NEW_SPEAKER = re.compile(r"\nA:[ \t]{0,3}(?=\n|$)")
_BLANKS = " \n\r\t"
_END_OF_LINE = re.compile(r"\n")
_END_OF_SENTENCE = re.compile(r"\n|[.!?](?=\s|$)")

MAX_SENTENCE_LENGTH = 400
# Looked at from the last one back. A reply that denies or supposes more in a row is in a loop.
MAX_CUES = 32


def last_announced(text: str, *, is_number: bool, prompt: str = "", is_firm: bool = False) -> Located | None:
    """Return what the last announcement of an answer announces, to the end of its line or sentence.

    `The incorrect answer is B` announces nothing, unless `prompt` asks for it in the same word. `If ..., the answer
    would be B` counts only where nothing else is announced, and never where `is_firm` asks for more.
    """
    folded = lowered(text)
    labels = [_last_label(folded, prompt)] if "answer" in folded else []
    proses = [_last_affirmed(_PROSE_CUE, folded, prompt)] if labels and _HAS_VERB.search(folded) else []
    if labels and holds_any(folded, _DASHES):
        labels.append(_last_dash(folded))
    if "ans:" in folded or "ans.:" in folded or "\nans" in folded or folded.startswith("ans"):
        labels.append(_last_match(_SHORT_CUE, folded))
    if holds_any(folded, _QUALIFIERS) or "guess" in folded:
        proses.append(_last_affirmed(_QUALIFIED_CUE, folded, prompt))
    if is_number and "\nA:" in text:
        labels.append(_last_match(_NEW_SPEAKER, text))
    firm = [cue for cue in proses if cue is not None and not _is_conditional(folded, cue)]
    proses = [*firm] if is_firm or firm or any(labels) else proses
    found = [_announced(text, cue.end(), _END_OF_LINE, "label") for cue in labels if cue is not None]
    found += [_announced(text, cue.end(), _END_OF_SENTENCE, "sentence") for cue in proses if cue is not None]
    last = max(found, key=_start, default=None)
    return _without_denied_number(text, last) if is_number and last is not None else last


_ANOTHER_NUMBER = re.compile(r"\s{0,2}[,(]\s{0,2}(?:and\s)?not\s[-+−]?\.?[0-9]")


def _without_denied_number(text: str, located: Located) -> Located:
    """Leave out what is denied behind a number: `5, not 6`."""
    if text.find("not", located.start, located.end) < 0:
        return located
    denied = _ANOTHER_NUMBER.search(text, located.start, located.end)
    return located if denied is None else located._replace(end=denied.start())


def _last_affirmed(pattern: re.Pattern[str], folded: str, prompt: str) -> re.Match[str] | None:
    """Return the last match that no word before it turns around (`the wrong answer is`) and that is no question."""
    denied: re.Match[str] | None = None
    conditional: re.Match[str] | None = None
    for cue in reversed(deque(pattern.finditer(folded), maxlen=MAX_CUES)):
        if not _is_affirmed(folded, cue, prompt):
            continue
        if _is_conditional(folded, cue):
            conditional = conditional or (None if _NOT_THE_CASE.search(_clause_before(folded, cue)) else cue)
        elif folded.startswith(("not ", "n't "), cue.end()) and end_of_denied(folded, cue.end()) == cue.end():
            denied = denied or cue
        elif denied is None or _first_word(folded, cue.end()) != _first_word(folded, denied.end() + 4):
            return cue
    return denied or conditional


_CONDITION = re.compile(r"\b(?:if|unless|had|otherwise|assuming|suppose|supposing|in\s(?:that|this|which)\scase)\b")
_COUNTERFACTUAL = re.compile(
    r"[^.!?\n]{1,60}?(?:\s(?:if|had)\s[^.!?\n]{0,40}?\b(?:were|was|had|did|asked|been)\b|,\s(?:but|however|yet)\s)"
)
# A case that did not arise: `If it were light, ...`, `Had it been light, ...`
_NOT_THE_CASE = re.compile(r"\b(?:if\b[^.!?\n]{1,80}\b(?:were|had)|had\s(?:it|they|this|that|the|we|you|i))\b")
_CONDITION_WINDOW = 160


def _is_conditional(folded: str, cue: re.Match[str]) -> bool:
    """Tell whether an announcement with `would be` stands behind a condition in its sentence."""
    return "would" in cue.group() and _CONDITION.search(_clause_before(folded, cue)) is not None


def _clause_before(folded: str, cue: re.Match[str]) -> str:
    """Return what stands before an announcement in its sentence."""
    before = folded[max(cue.start() - _CONDITION_WINDOW, 0) : cue.start()]
    ends = [end.end() for end in _END_OF_SENTENCE.finditer(before)]
    return before[ends[-1] if ends else 0 :]


_EARLIER = re.compile(r"\b(?:above|previous|first|initial|earlier|original|last|stated|my)\s{1,2}\Z")
_CALLED_WRONG = re.compile(r"(?:wrong|incorrect|mistaken|not (?:right|correct))\b")


def _is_affirmed(folded: str, cue: re.Match[str], prompt: str) -> bool:
    denying = denying_words(folded, cue.start())
    if denying and not asks_for(prompt, denying):
        return False
    if _CALLED_WRONG.match(folded, cue.end()) and _EARLIER.search(folded, max(cue.start() - 20, 0), cue.start()):
        return False
    if "would" in cue.group() and _COUNTERFACTUAL.match(folded, cue.end()):
        return False
    return not is_unaffirmed(folded, cue.start()) and not _is_asked(folded, cue.end())


_WORD = re.compile(r"\W{0,8}(\w{1,40})")


def _first_word(text: str, start: int) -> str:
    match = _WORD.match(text, start)
    return "" if match is None else match.group(1)


def _is_asked(text: str, start: int) -> bool:
    """Tell whether the sentence that goes on at `start` ends in a question mark (`The answer is B? No.`)."""
    end = _END_OF_SENTENCE.search(text, start, start + MAX_SENTENCE_LENGTH)
    return end is not None and end.group() == "?"


def _last_label(folded: str, prompt: str) -> re.Match[str] | None:
    """Return the last label that heads an answer, not an explanation of one (`Explanation of the answer:`)."""
    for cue in reversed(deque(_LABEL_CUE.finditer(folded), maxlen=MAX_CUES)):
        is_about = _ABOUT.search(folded, max(cue.start() - _MAX_HEADING_LENGTH, 0), cue.start()) is not None
        denying = denying_words(folded, cue.start())
        if not is_about and (not denying or asks_for(prompt, denying)):
            return cue
    return None


def last_final(text: str) -> Located | None:
    """Return what stands behind the last label `FINAL ANSWER:`, on its line or, where it stands alone, the next.

    Without such a label, what stands behind `####` on the last line.
    """
    folded = lowered(text)
    cue = _last_match(_FINAL_CUE, folded) if "final" in folded else None
    return _behind_hashes(text) if cue is None else _announced(text, cue.end(), _END_OF_LINE, "label")


HASHES = "last line"
_HASHES = "#### "


def _behind_hashes(text: str) -> Located | None:
    """Return the last line behind the sign by which worked solutions end (`#### 5`)."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    if not body.startswith(_HASHES, start):
        return None
    return Located(start + len(_HASHES), len(body), HASHES, is_complete=len(body) < len(text))


def last_heading(text: str) -> Located | None:
    """Return the first line with text under the last heading `Answer` or `Final Answer`; it is empty where none is."""
    folded = lowered(text)
    end = len(text)
    while (position := folded.rfind("answer", 0, end)) >= 0:
        cue = _HEADING_CUE.match(folded, position)
        if cue is not None and _is_heading(folded, position):
            return _announced(text, cue.end(), _END_OF_LINE, "heading")
        end = position
    return None


def _is_heading(folded: str, position: int) -> bool:
    """Tell whether what stands on the line before `position` makes it a heading."""
    start = folded.rfind("\n", 0, position) + 1
    return _HEADING_START.fullmatch(folded, start, position) is not None


_DASHES = (" - ", " – ", " — ", " → ", "** -", "** –", "** —", "-> ", "=> ")


def _last_dash(folded: str) -> re.Match[str] | None:
    """Return the last label on a line of its own that a dash or an arrow ends (`Answer - B`)."""
    for cue in reversed(deque(_DASH_CUE.finditer(folded), maxlen=MAX_CUES)):
        line = folded[folded.rfind("\n", 0, cue.start()) + 1 : cue.start()]
        if len(line) <= _MAX_HEADING_LENGTH and _LINE_START.fullmatch(line) is not None:
            return cue
    return None


_LINE_START = re.compile(r"[ \t#>*_-]{0,8}(?:(?:the|my|your|final|correct|right|best)[ ]){0,3}")


def _start(located: Located) -> int:
    return located.start


# One line by itself between the marks of displayed maths or code.
_DISPLAY = re.compile(
    r"\s{0,4}(?:\\\[|\\\(|\${1,2}|```[a-z]{0,10}|\\begin\{(?:equation|align|gather)\*?\})[ \t]{0,4}\n\s{0,8}"
    r"(?P<line>[^\n]{1,200})\n\s{0,8}(?:\\\]|\\\)|\${1,2}|```|\\end\{)"
)
# The answer may stand in a quotation.
_QUOTED = re.compile(r"\s{0,8}>[ \t]{1,3}")


def _announced(text: str, start: int, ending: re.Pattern[str], form: str) -> Located:
    """Return what stands after an announcement; a label alone on its line announces the next line that has text."""
    if form != "sentence":
        start = len(text) - len(text[start:].lstrip(_BLANKS))
    display = _DISPLAY.match(text, start)
    if display is not None:
        return Located(*display.span("line"), form)
    opening = _QUOTED.match(text, start)
    start = end_of_denied(text, start if opening is None else opening.end())
    match = ending.search(text, start)
    end = len(text) if match is None else match.start()
    is_ended = end < len(text)
    return Located(start, end, form, is_complete=is_ended)


def has_new_speaker(text: str) -> bool:
    """Tell whether a line `A:` opens somebody's answer."""
    return "\nA:" in text and _NEW_SPEAKER.search(text) is not None


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = deque(pattern.finditer(text), maxlen=1)
    return matches[0] if matches else None


_RUN_ON = re.compile(
    r"\n[ \t]{0,3}(?:\*\*)?(?:Question|Q|Human|User|Problem|#{1,4} ?(?:Question|Instruction|User|Human|Input))"
    r"[ \t]{0,2}\d{0,3}(?:\*\*)?[ \t]{0,2}:"
)


# More of them are no reply of anybody.
MAX_RUN_ONS = 8


def run_on_starts(text: str) -> tuple[int, ...]:
    """Return where a reply may run on into a question of its own (`\\nQuestion: ...`), the first few places."""
    if "\n" not in text:
        return ()
    matches = _RUN_ON.finditer(text, len(text) - len(text.lstrip()))
    return tuple(match.start() for match in islice(matches, MAX_RUN_ONS))


_CORRECTIONS = (
    "correction", "wait,", "wait.", "wait!", "wait:", "wait;", "wait…", "wait –", "wait —", "wait -", "wait—", "wait\n",
    "wait no", "wait i ", "wait a ", "wait that", "wait this", "wait it", "wait actually", "wait the ", "wait let",
    "made a mistake", "made an error", "my mistake", "misread", "misspoke", "miscalculated", "i was wrong", "oops",
    "i was mistaken", "apologi", "sorry", "let me correct", "should have been", "revised answer", "corrected answer",
    "on second thought", "upon second", "second look", "closer look", "closer inspection", "on reflection",
    "further reflection", "further consideration", "further review", "upon review", "reconsider", "scratch that",
    "strike that", "actually, ", "actually the", "\nedit:", " edit:", "*edit:", "take that back", "take it back",
    "that is incorrect", "that's incorrect", "that is wrong", "that's wrong", "that is not right", "that's not right",
    "answer is wrong", "answer was wrong", "answer is incorrect", "answer was incorrect", "disregard", "ignore that",
    "ignore the above", "ignore my", "update:", "updated answer", "no, the answer", "no, the correct", "amendment",
    "looking again", "at this again", "at it again", "correct my", "change my answer", "revise my",
    "double check", "double-check", "recheck", "re-check", "reexamin", "re-examin", "after reconsider",
)  # fmt: skip


def is_corrected(text: str) -> bool:
    """Tell whether `text` takes back something said before."""
    return holds_any(lowered(text), _CORRECTIONS)
