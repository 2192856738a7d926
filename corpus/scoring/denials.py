"""Words that take back the letter, number or announcement beside them: `A is wrong`, `B: no`, `the wrong answer`."""

import re

from corpus.scoring.folding import holds_any

DENIED = "denied"

_VERDICT = (
    r"(?:(?:the|an?|my)\s)?(?:(?:correct|right|true|valid|possible|likely|applicable|suitable)|answer|option|choice)"
)
_DENIAL = (
    r"(?:(?:wrong|incorrect|false|untrue|invalid|impossible|unlikely|excluded|eliminated|rejected|ruled\sout|"
    rf"out\sof\sthe\squestion|not\s{_VERDICT})(?![\w-])"
    r"|(?:(?:\w{2,12}ly\s)?(?:no|not)|0|zero)(?=\s{0,3}(?:[,;:!)\]\n]|\.(?!\d)|$))|[✗✘❌])"
)
_BEHIND = re.compile(
    r"[\s*_]{0,6}(?:[-–—:.,;?()\[=>→]\s{0,3}){0,3}(?:which\s)?"
    rf"(?:(?:is|are|was|were|would\sbe|must\sbe|seems?|looks?)\s(?:\w{{2,12}}ly\s)?(?:{_DENIAL}|(?P<other>not|no)\b)"
    rf"|(?:is|are|was|were|ca|could|does|do)(?P<short>n't)\b|(?P<can>can\s?not)\b|(?:can|could)\sbe\s{_DENIAL}|{_DENIAL})",
    re.IGNORECASE,
)


_WRONG = re.compile(r"\b(?:wrong|incorrect|untrue)\b", re.IGNORECASE)


def is_denied(rest: str) -> bool:
    """Tell whether `rest`, what stands right behind a letter or number, says that it is not the answer."""
    return _BEHIND.match(rest) is not None


def is_called_wrong(rest: str) -> bool:
    """Like `is_denied` for what stands behind an option's words, which may deny other things (`zinc is no gas`)."""
    match = _BEHIND.match(rest)
    return match is not None and not (match["other"] or match["short"] or match["can"])


def holds_wrong(words: str) -> bool:
    """Tell whether anything is called wrong in `words`."""
    return _WRONG.search(words) is not None


_THING = r"(?:answer|option|choice|letter|statement|one|value)"
_BEFORE = re.compile(
    r"(?:\bin|(?:\b(?:wrong|incorrect|false|untrue|worst|unlikely|impossible|unsuitable)|\bleast\s\w{2,20}|"
    r"\bnot\s(?:true|the\scase)\sthat(?:\sthe)?|"
    r"\bdoubt(?:s|ful)?\s(?:that|if|whether)(?:\sthe)?(?:\s(?:correct|right|best|final))?|"
    r"(?:\b(?:not|never|cannot)|n't)(?:\sbe)?(?:\s(?:the|an?|my|one\sof\sthe))?"
    r"(?:\s(?:correct|right|best|final|only|likely))?)\s)\Z"
)
_WINDOW = 60


def denying_words(folded: str, end: int) -> str:
    """Return the words before an announcement at `end` that turn it around (`least likely `), or "".

    `folded` is in lower case. Words found in the middle of one (`in` of `incorrect`) count.
    """
    match = _BEFORE.search(folded, max(end - _WINDOW, 0), end)
    return "" if match is None else match.group()


_FALSE = r"incorrect|wrong|false|untrue|not\s(?:correct|true|right)"


def asks_for(prompt: str, denying: str) -> bool:
    """Tell whether the question itself asks for what is `least likely`, `wrong` or `incorrect`."""
    word = denying.strip()
    if word.startswith(("not", "never", "cannot")):
        return False
    wanted = _FALSE if word in {"in", "wrong", "incorrect", "false", "untrue"} else re.escape(word)
    return re.search(rf"\b(?:{wanted})\b", prompt.lower()) is not None


_DENIED_PLACE = re.compile(
    r"(?:(?:\b(?:not|never|cannot)|n't)(?:\s(?:be|the)){0,2}|"
    rf"\b(?P<word>wrong|incorrect|false)\s{_THING}s?(?:\s(?:is|are|was|were|would\sbe))?:?)[ \t*_$(]{{0,6}}\Z",
    re.IGNORECASE,
)


_DENIED_COPULA = re.compile(
    r"(?:(?:\b(?:not|never|cannot|unlikely\sto)|n't)(?:\s(?:\w{2,12}ly|be)){0,2}\s{0,3}"
    r"|\b(?:false|wrong|untrue|incorrect|not\strue|not\sthe\scase)\sthat\s[^.!?\n]{0,40}|!)\Z",
    re.IGNORECASE,
)
_DENIED_STATEMENT = re.compile(
    r"(?:\b(?:not|never|nobody|no\sone|doubt(?:s|ful)?|false|untrue|if|whether)|n't)"
    r"(?:\s(?:thinks?|believes?|says?|agrees?|true|the\scase))?(?:\s(?:that|if|whether))?\s\Z",
    re.IGNORECASE,
)


def is_denied_copula(text: str, position: int) -> bool:
    """Tell whether the words before `position` deny the `is`, `equal` or `=` that stands there (`cannot be`, `!=`)."""
    return _DENIED_COPULA.search(text, max(position - _WINDOW, 0), position) is not None


def is_denied_statement(text: str, position: int) -> bool:
    """Tell whether the words before `position` deny or doubt a statement (`I doubt that B is the correct answer`)."""
    is_denied_here = _DENIED_STATEMENT.search(text, max(position - _WINDOW, 0), position) is not None
    return is_denied_here or is_unaffirmed(text, position)


_OPENING = r"(?:the\s|my\s|our\s)?(?:correct\s|right\s|best\s|final\s|only\s|most\s|likely\s)*(?:option\s)?[*_]{0,3}\Z"
_SAYS = (
    r"(?:say|says|said|saying|claim|claims|claimed|think|thinks|thought|believe|believes|believed|argue|argues|argued|"
    r"guess|guessed|write|writes|wrote|answered|conclude|concludes|concluded|convinced|sure|certain|confident|confirm|"
    r"agree|agrees|suspect|suspects)"
)
_SUPPOSED = re.compile(
    r"(?:\b(?:if|unless|whether)|(?<!\bi\s)\b(?:suppose|supposing|assume|assumes|assuming|imagine)|"
    r"\b(?:doubt|doubts|doubtful|unlikely|improbable|no\sway|no\sreason|rule\sout|ruled\sout|exclude|reject|deny))"
    rf"(?:\sthat|,)?\s{_OPENING}",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    rf"(?P<subject>(?:[^\s.,;:!?]+\s){{0,5}}?)(?P<verb>{_SAYS})(?:\sthat|[:,])?\s[\"'“‘]?{_OPENING}", re.IGNORECASE
)
_SPEAKER = re.compile(r"\b(?:i|we|i'd|i'm|i’d|i’m|you\scan|safe\sto|fair\sto)\b", re.IGNORECASE)
_NO_SPEAKER = re.compile(
    r"(?:\b(?:not|never|cannot|hardly|nobody|no|neither|tempt\w*|wrong|incorrect|previously|first|initially)\b|n['’]t\b)",
    re.IGNORECASE,
)
_PAST = frozenset({"said", "thought", "claimed", "believed", "argued", "guessed", "wrote", "answered"})
_REPORT_WINDOW = 120


def is_unaffirmed(text: str, position: int) -> bool:
    """Tell whether the announcement at `position` is supposed, doubted or somebody else's (`many say it is`)."""
    start = max(position - _REPORT_WINDOW, 0)
    before = text[start:position].rpartition("\n")[2]
    if not before.strip():
        return False
    if _SUPPOSED.search(before):
        return True
    report = _REPORTED.search(before)
    if report is None:
        return False
    subject = report["subject"]
    is_own = _SPEAKER.search(subject) is not None and report["verb"].lower() not in _PAST
    return bool(subject) and (not is_own or _NO_SPEAKER.search(subject) is not None)


_TAKEN_BACK = re.compile(
    r"[\s.,;:!?*_…—–-]{0,6}(?:(?:but|oh|well)[,\s]{1,2})?(?:hmm{0,3}(?=\W{0,4}(?:wait|no|not|actually|let|or|maybe|perhaps|but|that|this|is|could|i|it)\b|\W{0,4}\Z)|wait\b(?!\sfor\b)|no(?=[.:;!])|no,(?!\s(?:there|other|none|one)\b)|"
    r"oops|or\srather\b|on\ssecond\sthought|(?:actually|sorry),\s(?:it|that|this)\s(?:should|must)\b|scratch\sthat|"
    r"let\sme\sreconsider|i\swas\swrong\b(?!\sabout\b)|(?:it|that|this)(?:['’]s|\sis|\swas)\s(?:not(?=\s?[.,;!\n]|$)|"
    r"(?:wrong|incorrect|not\sright|not\scorrect)\b(?!\s(?:for|about|in|to|of|when|if|only|at)\b))|"
    r"(?:it|that|this)\sisn['’]t(?=\s?[.,;!\n]|$|\sright|\scorrect))",
    re.IGNORECASE,
)


def is_taken_back(rest: str) -> bool:
    """Tell whether `rest`, what stands right behind a statement, takes it back (`... no, C`, `Hmm, wait.`)."""
    return _TAKEN_BACK.match(rest) is not None


_DENYING_HINTS = ("not", "n't", "never", "wrong", "incorrect", "false")


def is_denied_place(text: str, start: int, prompt: str) -> bool:
    """Tell whether the words right before `start` deny what stands there (`The answer is not`).

    `The incorrect one is` denies nothing where `prompt` asks for it.
    """
    if start == 0 or not holds_any(text[max(start - _WINDOW, 0) : start].lower(), _DENYING_HINTS):
        return False
    match = _DENIED_PLACE.search(text, max(start - _WINDOW, 0), start)
    return match is not None and not (match["word"] and asks_for(prompt, match["word"].lower()))


_NOT_BUT = re.compile(
    r"\s{0,4}(?:not|n['’]t)\s(?:option\s)?[*_($]{0,3}(?:[A-Z]|[-+−]?[0-9.,]{0,12}[0-9])[)*_$]{0,3}"
    r"(?:,?\sbut\s(?:rather\s|instead\s)?|[.;,]\s(?:it(?:['’]s|\sis)|the\s(?:correct\s|right\s)?answer\sis)"
    r"\s(?:actually\s|rather\s)?)",
    re.IGNORECASE,
)


def end_of_denied(text: str, start: int = 0) -> int:
    """Return where the answer begins that is preferred to another one at `start` (`not A, but B`), or `start`."""
    match = _NOT_BUT.match(text, start)
    return start if match is None else match.end()
