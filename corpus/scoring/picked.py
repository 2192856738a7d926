"""Find what a last sentence picks by words that say nothing else: `Definitely B.`, `It must be B and C.`"""

import re
from itertools import pairwise

from corpus.scoring.reasons import MAX_UNENDED_LENGTH
from corpus.scoring.tags import Located

MAX_PICKED_LENGTH = 90
_WORD = r"(?:I|[A-Za-z'’]{2,12})"
_MARKS = r"[)*_]{0,3}"
_LETTERS = (
    rf"[*_(]{{0,3}}(?:[A-HJ-Z]|I(?=[)*_.!]|\s*\Z)){_MARKS}"
    rf"(?:(?:,?[ \t]and[ \t]|,[ \t]|[ \t]?&[ \t]?)[*_(]{{0,3}}[A-Z](?![A-Za-z'’]){_MARKS}){{0,8}}"
)
_LAST_SENTENCE = re.compile(
    rf"(?:\A|(?<=[.!?\n]))\s{{0,3}}(?P<before>(?:{_WORD}[,:]?[ \t]){{0,9}})(?P<letters>{_LETTERS})(?![A-Za-z'’])"
    rf"(?P<behind>(?:,?[ \t]{_WORD}){{0,5}})(?P<end>[.!]?)\s*\Z"
)
_WORDS = re.compile(_WORD)
_SAYING = frozenset((
    "i", "i'm", "i'd", "i'll", "we", "am", "will", "would", "say", "think", "believe", "guess", "pick", "choose",
    "select", "opt", "go", "going", "with", "for", "get", "have", "definitely", "probably", "clearly", "surely",
    "certainly", "obviously", "most", "likely", "sure", "confident", "so", "thus", "hence", "therefore", "then", "it",
    "it's", "that", "that's", "is", "must", "be", "has", "to", "should", "looks", "sounds", "seems", "like", "me", "my",
    "the", "here", "final", "verdict", "conclusion", "result", "decision", "selection",
))  # fmt: skip
# What tells a right option from a wrong one is no answer by itself: the question may have asked for the other.
_JUDGING = frozenset({"right", "correct", "best"})
_JUDGED = frozenset({"one", "choice", "option", "answer", "pick", "letter"})
# Behind these, `A` is an article.
_NOUNS = _JUDGED | _JUDGING | frozenset({"final", "verdict", "conclusion", "result", "decision", "selection", "likely"})

# Behind these, words are missing.
_UNENDED = frozenset((
    "is", "be", "to", "the", "must", "has", "with", "for", "that", "so", "then", "would", "will", "my",
))  # fmt: skip


def picked_letters(text: str) -> Located | None:
    """Return the letters of a last sentence that otherwise holds nothing but words of picking; None for any other."""
    end = len(text.rstrip())
    match = _LAST_SENTENCE.search(text, max(end - MAX_PICKED_LENGTH, 0), end)
    if match is None or not (match["end"] or len(text) <= MAX_UNENDED_LENGTH):
        return None
    before, behind = (_WORDS.findall(match[side].replace("’", "'").lower()) for side in ("before", "behind"))
    if behind and behind != ["it", "is"] and behind[-1] in _UNENDED:
        return None
    is_article = match["letters"] == "A" and bool(behind) and behind[0] in _NOUNS
    if is_article or not (before or behind) or not (_says_only(before) and _says_only(behind)):
        return None
    return Located(*match.span("letters"), "statement")


_PICKED_TEXT = re.compile(
    r"(?:\A|(?<=[.!?\n]))\s{0,3}(?:(?:so|then|thus|hence|therefore),?\s)?"
    r"(?:I(?:['’]ll|['’]d|\swill|\swould)?\s(?:go\swith|say|pick|choose|select|answer|guess)|I(?:['’]m|\sam)\sgoing\swith"
    r"|I\s(?:think|believe)\s(?:that\s)?it(?:['’]s|\sis)|it\smust\sbe|definitely|verdict:)\s(?P<words>[^\n.!?]{1,120})[.!]?\s*\Z",
    re.IGNORECASE,
)
_PICKED_TEXT_LENGTH = 200


def picked_words(text: str) -> Located | None:
    """Return the words, an option's own perhaps, that the last sentence picks (`I'd say ethanol.`)."""
    end = len(text.rstrip())
    match = _PICKED_TEXT.search(text, max(end - _PICKED_TEXT_LENGTH, 0), end)
    return None if match is None else Located(*match.span("words"), "statement")


def _says_only(words: list[str]) -> bool:
    """Tell whether `words` do nothing but pick."""
    return all(
        word in _SAYING or word in _JUDGED or (word in _JUDGING and after in _JUDGED)
        for word, after in pairwise([*words, ""])
    )
