"""Find what is said behind an answer and replaces it or takes it back: `Scratch that, B`, `Wait, that's wrong.`"""

import re
from collections import deque
from typing import NamedTuple

from corpus.scoring.folding import holds_any, lowered
from corpus.scoring.tags import Located

MEANT = "correction"
# Looked at from the last one back. A reply that corrects itself more often is in a loop.
MAX_CORRECTIONS = 16

_PAUSE = r"[\s,.;:!…*_—–-]{1,6}"
_MANNER = r"(?:(?:actually|really|rather|indeed|clearly|in\sfact|instead)\s)?"
_WRONG = r"(?:wrong|incorrect|not\s(?:right|correct|true)|an?\s(?:mistake|typo|error)|mistaken)"
_EARLIER = r"(?:(?:above|previous|first|initial|earlier|original|last|stated|final)\s)?"
# What takes an answer back by itself.
_RETRACTION = (
    r"(?:(?:scratch|strike)\sthat"
    rf"|(?:please\s)?(?:ignore|disregard)\s(?:that|this|(?:the|my)\s(?:above|{_EARLIER}(?:answer|response|reply)(?:\sabove)?))"
    rf"|I\s(?:take|took)\s(?:that|it|this)\sback|I(?:'d|'ll)?\s(?:(?:would|will|must|have\sto|need\sto|want\sto|like\sto)\s){{0,2}}retract\s(?:that|it|this|my\s{_EARLIER}answer)"
    r"|I(?:'ve|\shave)?\smade\san?\s(?:\w{1,12}\s)?(?:mistake|error)"
    r"(?:\s(?:above|there|here|in\s(?:my|the)\s(?:\w{1,12}\s)?(?:calculations?|answer|reasoning|response)))?"
    r"|I\s(?:was|am)\s(?:wrong|mistaken|incorrect)|I\smis(?:spoke|calculated|typed)"
    r"|I\smisread\s(?:that|it|the\s\w{1,12})|my\s(?:mistake|bad|error)"
    rf"|(?:that|this|it)(?:'s|\sis|\swas)\s{_MANNER}{_WRONG}|(?:that|this|it)\s(?:is|was)n't\s(?:right|correct|true)"
    r"|(?:that|this|it)\s(?:can't|cannot|could\snot|couldn't)\sbe\s(?:right|correct)"
    r"|(?:that|this|it)\s(?:does\snot|doesn't)\s(?:seem|look|sound)\s(?:right|correct)"
    r"|I\s(?:need|have|want|should|must)\s(?:to\s)?(?:correct|fix|revise|change)\smy\s(?:final\s)?answer"
    rf"|(?:this|that)\sanswer\s(?:is|was)\s{_WRONG}(?=\s?[.!\n]|\s*\Z)"
    rf"|(?:the|my)\s{_EARLIER}answer(?:\sabove)?\s(?:is|was)\s{_WRONG})(?![\w-])"
)
_INTERJECTION = (
    r"(?:wait|hold\son|hmm{0,3}|oh|ah|oops|whoops|actually|"
    r"(?:sorry|apologies|I\sapologi[sz]e)(?:\sfor\s(?>[^.,!;\n]{1,40}))?|"
    r"(?:(?:final\s)?correction|edit|update|erratum|typo|fix|amendment)(?=[*_]{0,3}\s?[:,.!—–-])|on\ssecond\sthoughts?|(?:up)?on\s(?:further\s|closer\s|second\s)?"
    r"(?:reflection|consideration|inspection|look|review|thought)|(?:or|but)\srather|looking\s(?:at\s(?:it|this|that)\s)?again|"
    r"after\s(?:(?:re|double)-?check|re-?read|re-?consider|re-?think|re-?calculat)ing(?:\s(?:it|this|that|(?:the|my)\s\w{1,12}))?|"
    r"thinking\sabout\s(?:it|this)\s(?:more|again|further)|let\sme\s(?:correct|fix|revise|rephrase|reconsider|amend)(?:\s(?:this|that|it|myself|my\s\w{1,12}))?)(?![\w-])"
)
_OPENER = rf"(?:{_RETRACTION}|{_INTERJECTION})"
_COPULA = (
    rf"(?:'s|\sis|\swas|\sare|\s(?:should|must|has\sto|ought\sto|would|will)\s{_MANNER}(?:be|have\sbeen))"
    rf"\s{_MANNER}(?:likely\s|most\slikely\s|supposed\sto\sbe\s)?"
)
_ADJECTIVES = r"(?:(?:correct|right|final|best|actual|true|new|revised|corrected|updated)\s){0,2}"
_NAMED = rf"(?:the|my)?\s?{_ADJECTIVES}(?:answer|option|choice|one|value|result|letter)"
# What replaces an answer without any word before it.
_REPLACING = (
    r"(?:I\s(?:actually\s|really\s)?meant\s(?:to\s(?:say|write|answer|choose|pick|put)\s)?:?\s?"
    r"|I\s(?:have\s)?changed\smy\smind[,:;.!]\s(?:(?:it(?:'s|\sis)|the\sanswer\sis)\s)?"
    r"|I\snow\s(?:think|believe|say)\s(?:that\s)?(?:(?:it(?:'s|\sis)|the\s(?:correct\s)?answer\sis)\s)?"
    r"|I(?:'d|\swould)\srather\s(?:say|choose|pick|answer|go\swith)\s|change\s(?:that|it|this)\sto\s"
    r"|(?:please\s)?(?:take|use|count|accept|consider)\s(?=[^.\n]{1,40}\sas\s(?:my|the)\s(?:final\s)?answer)"
    r"|I\sshould\shave\s(?:said|written|chosen|picked|answered|put)\s|make\s(?:that|it)\s"
    r"|(?:it|that|this)\sshould\shave\sbeen\s|(?:it|that|this)\s(?:should|must)\sbe\s(?=[^.\n]{1,40}\sinstead)"
    r"|(?:(?:I|I'm|I'd|I'll|let|am|me|would|like|will|want|need|to|must|have)\s){0,5}"
    r"(?:chang(?:e|ing)|revis(?:e|ing)|correct(?:ing)?|updat(?:e|ing)|switch(?:ing)?)"
    r"\s(?:my|the)\s(?:final\s)?answer(?:\sfrom\s\S{1,12})?(?:\sto\s|:\s)"
    r"|(?:my\s)?(?:revised|corrected|updated|new)\s(?:final\s)?answer(?:\sis\s|:\s|\sshould\sbe\s))"
)
_CLAIM = (
    rf"(?:(?:so|but|now|then|no|yes)[,\s]\s?)?(?:(?:with|using)\sthe\s(?:correct|right|proper)\s[^.,;:\n]{{1,40}}?,?\s)?(?:I\s(?:now\s)?(?:think|believe)\s(?:that\s)?)?"
    rf"(?:{_REPLACING}|(?:it|that|this){_COPULA}|{_NAMED}(?:{_COPULA}|:\s?)"
    rf"|I(?:'ll|'d|\swill|\swould)?\s(?:choose|pick|select|go\swith|say)\s)"
)
_ANSWER = r"[\s*_:]{0,4}(?P<answer>[^\s.,;:!?*_][^\n]{0,60}?)"
_CALLED_RIGHT = (
    r"(?:\s(?:is|are)\s(?:actually\s|indeed\s)?(?:the\s|an?\s)?(?:correct|right|best|better)(?:\s(?:answer|option|choice|one|fit))?"
    r"|\sfits\s(?:(?:the|this)\s\w{1,12}\s)?(?:better|best)|\smakes\smore\ssense)"
)
_END = (
    rf"(?:,?\s(?:not|instead\sof|rather\sthan)\s[^.\n,;]{{1,30}}|\sinstead|{_CALLED_RIGHT}|\sas\s(?:my|the)\s(?:final\s)?answer|\s\(not\s[^()\n]{{1,20}}\))?"
    rf"(?:,\snot\s[^.\n,;]{{1,30}})?"
    r"(?:[.!]?[*_)\]]{0,3}\s{0,2}(?:\n|\Z)|[.!;](?=\s)|,?\s(?:because|since|as)\s)"
)
_CHAIN = rf"{_OPENER}(?:{_PAUSE}(?:{_OPENER}|no|nope|well|but)){{0,4}}"
_REPLACED = re.compile(
    rf"(?:(?:(?:(?:no|nope)[,!.—–-]{{0,2}}\s)?{_CHAIN}{_PAUSE}|(?:no|nope|rather)[,!—–-]{{1,2}}\s)(?P<claim>{_CLAIM})?|{_REPLACING}){_ANSWER}{_END}",
    re.I,
)
_NO = r"(?:wait|hmm{0,3}|oh|ah|actually|on\ssecond\sthought)[\s,.!…—–-]{1,5}no"
_ADMITTED = (
    r"(?:(?:I\s(?:now\s|just\s)?(?:realize|realise|see|think|believe|notice)d?|it\s(?:seems|appears|turns\sout)"
    r"|unfortunately,?)\s(?:that\s)?)?"
)
_UNCONFIRMED = (
    r"(?![\s,.;!—–-]{1,4}(?:that|it|this)(?:'s|\sis)\s(?:still\s|actually\s|indeed\s)?"
    r"(?:right|correct|fine|ok|okay|true)\b)"
)
_WITHDRAWN = re.compile(
    rf"(?:(?:{_INTERJECTION}|no|nope|but|well){_PAUSE}){{0,3}}{_ADMITTED}{_RETRACTION}{_UNCONFIRMED}(?=\s?[.,;:!…—–)\n]|\s(?:because|since|and)\b|\s*\Z)",
    re.I,
)
_UNSURE = r"(?:but\s)?I(?:'m|\sam)\snot\s(?:so\s|really\s|entirely\s|completely\s)?(?:sure|certain)(?:\sthough)?"
_MAYBE = (
    r"(?:(?:I\sthink\s)?(?:it|that|the\s(?:correct\s)?answer)\s(?:may|might|could)\s(?:also\s|actually\s|well\s)?be\s"
    r"|(?:maybe|perhaps|possibly|probably)\s(?:(?:it(?:'s|\sis)|the\sanswer\sis)\s)?"
    r"|(?:it(?:'s|\sis))\s(?:maybe|perhaps|possibly|probably)\s"
    r"|(?:is|could|might|should)\s(?:it|the\sanswer)\s(?:be\s|actually\s(?:be\s)?)?)"
)
_DOUBTED = re.compile(
    rf"(?:(?:{_CHAIN}|(?:{_CHAIN}{_PAUSE})?{_UNSURE}){_PAUSE}(?:or\s)?{_MAYBE}|or\s{_MAYBE}|or\s(?!rather\b)){_ANSWER}(?:\sinstead)?\s?"
    r"(?:[.!?;](?=\s|\Z)|\s{0,2}(?:\n|\Z))",
    re.I,
)
_NOT_BUT = re.compile(
    r"[\s.,;:!*_—–-]{0,6}(?:it(?:'s|\sis)\s|that(?:'s|\sis)\s)?not\s(?P<denied>[^\s,.;]{1,20})(?:,?\sbut\s(?:rather\s)?|[.;]\s)"
    rf"(?:it(?:'s|\sis)\s)?{_ANSWER}{_END}",
    re.I,
)
_STARRED = re.compile(r"\s{0,4}\*(?P<answer>[^\s*][^\n*]{0,40})\s*\Z")

# A sentence that may correct something, in lower case: the first word of any pattern above.
_START = re.compile(
    r"(?:\A[^\w\n]{0,8}|[.!?…;)\]}\n—–*]\s{0,3}[*_(#>-]{0,4}\s?)(?P<start>"
    r"(?:wait|hold|hmm|oh|ah|oops|whoops|actually|sorry|apologies|correction|correcting|edit|update|erratum|typo|fix|"
    r"amendment|final|on|upon|or|but|looking|let|scratch|strike|please|ignore|disregard|i|i'm|i'd|i'll|i've|that|that's|this|unfortunately|nope|change|"
    r"after|take|count|accept|it|it's|the|my|make|no|changing|revising|updating|switching|rather|revised|corrected|updated|new)\b)"
)
_HINTS = (
    "wait", "hold on", "hmm", "oops", "actually", "sorry", "apolog", "correct", "edit", "update", "erratum", "typo",
    "fix", "amend", "thought", "on reflection", "reflection", "consideration", "inspection", "look", "review", "rather",
    "scratch that", "strike that", "ignore", "disregard", "back", "retract", "mistake", "error", "wrong", "mis",
    "my bad", "not right", "not true", "n't", "meant", "should have", "make that", "make it", "chang", "revis",
    "switch", "as my", "as the", "checking", "reading", "no,", "no!", "no -", "no –", "no —",
    "new answer", "i now", "nope", "doesn't", "does not", "right", "instead", "not sure", "not certain", "or ",
)  # fmt: skip


_SAYS_NO = re.compile(rf"{_NO}{_UNCONFIRMED}(?=\s?[.,;:!…—–)\n]|\s*\Z)", re.IGNORECASE)
_ASKED_AND_DENIED = re.compile(
    r"[\s*_]{0,3}\?{1,3}\s{1,3}(?:no|nope|not\ssure|certainly\snot|probably\snot)\b", re.IGNORECASE
)


class Behind(NamedTuple):
    """What may replace an answer or put it in doubt: where it begins, the new answer, and what is said of the old one.

    `is_claimed` is true where more than a word such as `wait` says that it is the answer, `is_retracted` where the old
    one is taken back whatever the new one is. `denied` is the place of the answer that is denied, where it is named.
    """

    start: int
    answer: Located | None = None
    is_doubt: bool = False
    is_claimed: bool = False
    is_retracted: bool = False
    denied: Located | None = None


def corrections(text: str, *, is_first: bool) -> list[Behind]:
    """Return what in `text`, all that follows an answer, may correct it, the last one first.

    Where `is_first`, the beginning of `text` follows the answer directly.
    """
    first = (_preferred(text) or _starred(text)) if is_first else None
    if is_first and _ASKED_AND_DENIED.match(text):
        first = Behind(0, is_retracted=True)
    found: list[Behind | None] = []
    folded = lowered(text)
    if holds_any(folded, _HINTS):
        text, folded = text.replace("’", "'"), folded.replace("’", "'")
        starts = deque(_START.finditer(folded), maxlen=MAX_CORRECTIONS)
        found = [_behind(text, start, is_direct=is_first and start.start() == 0) for start in reversed(starts)]
    return [each for each in (*found, first) if each is not None]


def _preferred(text: str) -> Behind | None:
    """Return the answer of `Not A, but B` at the beginning of `text`."""
    match = _NOT_BUT.match(text)
    if match is None:
        return None
    denied = Located(*match.span("denied"), MEANT)
    return Behind(0, Located(*match.span("answer"), MEANT), is_claimed=True, denied=denied)


def _starred(text: str) -> Behind | None:
    """Return the answer of `*B`, as people correct themselves in a chat, where that is all of `text`."""
    match = _STARRED.match(text)
    return None if match is None else Behind(0, Located(*match.span("answer"), MEANT))


def _behind(text: str, found: re.Match[str], *, is_direct: bool) -> Behind | None:
    start, word = found.start("start"), found["start"]
    if word in _DIRECT and (not is_direct or "(" in text[:start]):
        return None
    is_retracted = (is_direct or word not in _OF_ANYTHING) and _WITHDRAWN.match(text, start) is not None
    is_retracted = is_retracted or (not text.startswith("?", found.start()) and _SAYS_NO.match(text, start) is not None)
    doubted = _DOUBTED.match(text, start)
    if doubted is not None:
        return Behind(start, Located(*doubted.span("answer"), MEANT), is_doubt=True)
    replaced = _REPLACED.match(text, start)
    if replaced is not None and (word != "no" or is_direct or _is_plain_no(text, found, replaced)):
        is_claimed = replaced["claim"] is not None or word not in _WEAK
        answer = Located(*replaced.span("answer"), MEANT)
        return Behind(start, answer, is_claimed=is_claimed, is_retracted=is_retracted)
    return Behind(start, is_retracted=True) if is_retracted else None


# What is called wrong by these may be anything, but for right behind the answer.
_OF_ANYTHING = frozenset({"that", "that's", "this", "it", "it's", "no"})
_DIRECT = frozenset({"or", "rather", "nope"})
_WEAK = frozenset(
    {"wait", "hold", "hmm", "oh", "ah", "actually", "no", "sorry", "or", "but", "oops", "whoops", "rather"}
)


def _is_plain_no(text: str, found: re.Match[str], replaced: re.Match[str]) -> bool:
    """Tell whether `No, it's B` says what the answer is and answers no question of the reply's own."""
    return replaced["claim"] is not None and not text.startswith("?", found.start())
