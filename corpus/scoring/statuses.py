"""Name a reply that holds no answer: refused, given up, broken off, or hedged words around an answer."""

import re

from corpus.scoring.folding import holds_any, lowered

_GAVE_UP = re.compile(
    r"\s{0,20}(?:agent stopped due to|reached max(?:imum)? (?:steps|iterations)|max iterations reached)",
    re.IGNORECASE,
)

_REFUSAL_HINTS = (
    "can't", "can’t", "cannot", "can not", "unable", "decline", "refuse", "won't", "won’t", "will not", "not able",
    "comfortable", "not going to", "cant ", "rather not", "prefer not",
    "declining", "as an ai", "as a language", "as a large", "as an artificial",
)  # fmt: skip
_REFUSAL = re.compile(
    r"\bI(?:\s?['’]?m|\s{1,3}am|['’]ll|['’]d)?(?:\s{1,3}(?:really|very|truly|so))?(?:\s{1,3}(?:sorry|afraid))?"
    r"(?:[,.]?\s{1,3}(?:but|that|and))?(?:\s{1,3}I)?\s{1,3}"
    r"(?:can(?:no|['’])t|can\s{1,3}not|(?:unable|not\s{1,3}able|not\s{1,3}comfortable)(?:\s{1,3}to)?|won['’]t|"
    r"will\s{1,3}not|not\s{1,3}going\s{1,3}to|(?:must|have\s{1,3}to|need\s{1,3}to|going\s{1,3}to|"
    r"respectfully)?\s{0,2}(?:decline|refuse)(?:\s{1,3}(?:this|that|the|your)(?:\s{1,3}(?:request|question|prompt))?)?|"
    r"declining|cant|(?:rather|(?:would\s{1,3})?prefer)\s{1,3}not|"
    r"do(?:\s{1,3}not|n['’]t)\s{1,3}feel\s{1,3}comfortable)"
    r"(?:\s{1,3}(?:to|in\s{1,3}good\s{1,3}conscience|ethically|responsibly|directly))?"
    r"(?:\s{1,3}(?:help|assist|provide|answer|give|comply|fulfill|fulfil|discuss|offer|engage|support|share|continue|"
    r"answering|determine|calculate|choose|select|do\s{1,3}(?:that|this)|decide|identify|"
    r"respond|participate|complete|advise|recommend|make|speculate|suggest)\b|(?=\s{0,3}[.,;!]|\s{1,3}to\b|\s{0,3}$))",
    re.IGNORECASE,
)
_AS_AN_AI = re.compile(r"\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b", re.IGNORECASE)

# About 250 tokens; no limit that anyone sets for an answer is lower.
SHORTEST_BROKEN_OFF = 1_000
_ENDED = re.compile(r"(?:[.!?…。][)\]}\"'”’*_`]{0,4}|\\[\])]|[\]>$]|```)\Z")
_LONGEST_ENDING = 5


def is_given_up(text: str) -> bool:
    """Tell whether the reply is an agent framework's own stop text."""
    return _GAVE_UP.match(text) is not None


def is_refusal(text: str) -> bool:
    """Tell whether the reply says, in the first person, that it will not or cannot help."""
    return _has_hint(text) and _REFUSAL.search(text) is not None


def is_hedged(text: str) -> bool:
    """Tell whether refusal or "as an AI" words stand in the reply, an answer beside them or not."""
    return _has_hint(text) and (_AS_AN_AI.search(text) is not None or _REFUSAL.search(text) is not None)


def is_broken_off(text: str, visible: str) -> bool:
    """Tell whether a long reply ends in the middle of a sentence, formula or list.

    For replies whose end nobody explained: `text` is all that was sent, `visible` the same without thinking and echo.
    """
    end = visible.rstrip()[-_LONGEST_ENDING:]
    return len(text.rstrip()) >= SHORTEST_BROKEN_OFF and _ENDED.search(end) is None


def _has_hint(text: str) -> bool:
    return holds_any(lowered(text.strip()), _REFUSAL_HINTS)
