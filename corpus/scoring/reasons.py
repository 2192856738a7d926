"""Read an option by its text in front of a reason, and the option that the last words of a reply come to."""

import re

from corpus.scoring.cues import is_corrected
from corpus.scoring.denials import is_called_wrong
from corpus.scoring.option_texts import OptionTexts
from corpus.scoring.tags import Located

MAX_STATED_LENGTH = 300
MAX_LETTER_LENGTH = 2
_REASON = re.compile(
    r",?\s(?:because|since|as\s(?:it|they|this|these)|due\sto|owing\sto)\b|,\s(?:which|as|for|given\sthat)\s"
)
_GLOSS = re.compile(r"(?P<stated>[^\n()]{1,300}?)\s\((?P<gloss>[^()]{1,80})\)\.?")


def read_before_reason(text: str, texts: OptionTexts) -> tuple[int, ...] | None:
    """Return the option whose whole text stands before a reason (`Ethanol, because ...`) or a gloss (`Ethanol (...)`).

    None where another option begins with the same words, or what follows denies or names another.
    """
    gloss = _GLOSS.fullmatch(text)
    if gloss is not None:
        return _read_glossed(gloss, texts)
    reason = _REASON.search(text, 0, MAX_STATED_LENGTH)
    if reason is None:
        return None
    position = texts.position_of(text[: reason.start()])
    behind = text[reason.start() :]
    if position is None or texts.begins_another(position) or texts.joins_another(behind, position):
        return None
    return None if is_called_wrong(behind.lstrip(", ")) or is_corrected(behind) else (position,)


def _read_glossed(gloss: re.Match[str], texts: OptionTexts) -> tuple[int, ...] | None:
    position = texts.position_of(gloss["stated"])
    words = gloss["gloss"]
    is_letter = words.isalpha() and len(words) <= MAX_LETTER_LENGTH
    if position is None or texts.begins_another(position) or is_letter:
        return None
    return None if is_called_wrong(words) or texts.contradicts(words, position) else (position,)


MAX_CONCLUSION_LENGTH = 60
# A longer reply that ends without a full stop may have been cut off.
MAX_UNENDED_LENGTH = 400
_CONCLUDED = re.compile(
    r"(?:(?<=sure,\s)but|(?<=guess,\s)but|(?<=certain,\s)but|(?:(?<=[\s,;])|\A)(?:[Hh]ence|[Tt]hus|[Tt]herefore|[Ss]o|[Cc]onsequently))[,:]?\s"
    r"(?:(?:it(?:'s|\sis|\smust\sbe)|I\s(?:choose|pick))\s)?(?:[Oo]ption\s)?"
    r"(?P<letter>[*_(]{0,3}(?P<capital>[A-Z]{1,2})[)*_]{0,3})(?P<end>[.!]?)\s*\Z"
)


def last_conclusion(text: str) -> Located | None:
    """Return the letter to which a reply comes with its last words (`Hence option B.`)."""
    end = len(text.rstrip())
    match = _CONCLUDED.search(text, max(end - MAX_CONCLUSION_LENGTH, 0), end)
    if match is None or not (match["end"] or len(text) <= MAX_UNENDED_LENGTH):
        return None
    return Located(*match.span("letter"), "statement")
