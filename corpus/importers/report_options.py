"""Say which of our options each letter of a report's prompt stood for.

Letter -> text as sent -> text in the report's `targets_` -> our option. Never by position: question files were
re-sorted after some models had run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher

from corpus.scoring.numbers import parse_number
from corpus.scoring.plain import plain_text
from corpus.scoring.published import UnmatchedOptionsError, match_options, options_in_prompt
from corpus.scoring.types import Option

LEAST_SIMILARITY = 0.6


@dataclass(frozen=True, slots=True)
class LetteredOptions:
    """[letter, option key, text as sent] in the order sent, and what differs between the report and our question."""

    shown: tuple[tuple[str, str, str], ...]
    changed_texts: tuple[tuple[str, str], ...] = ()
    changed_credits: tuple[str, ...] = ()


def lettered_options(*, prompt: str, targets: Mapping[str, float], options: Sequence[Option]) -> LetteredOptions:
    """Map the letters in `prompt` to `options` through the report's own `targets`.

    Raise `UnmatchedOptionsError` when a letter cannot be settled; nothing is guessed.
    """
    sent = options_in_prompt(prompt)
    text_of = match_options(sent, targets)
    option_of = match_our_options(list(targets), options)
    pairs = [(text, option_of[text]) for text in targets]
    return LetteredOptions(
        shown=tuple((letter, option_of[text_of[letter]].key, text) for letter, text in sent),
        changed_texts=tuple(
            (text, option.text) for text, option in pairs if plain_text(text) != plain_text(option.text)
        ),
        changed_credits=tuple(option.text for text, option in pairs if float(targets[text]) != float(option.credit)),
    )


def match_our_options(texts: Sequence[str], options: Sequence[Option]) -> dict[str, Option]:
    """Map each option text of a report to one of our options, one to one.

    Texts that match without markup are settled first, then numbers; what is left must be closest to each other.
    """
    by_text = {option.text: option for option in options}
    try:
        matched = match_options(
            [(text, text) for text in texts], {text: float(by_text[text].credit) for text in by_text}
        )
    except UnmatchedOptionsError:
        matched = _matched_otherwise(texts, list(by_text))
    return {text: by_text[ours] for text, ours in matched.items()}


def _matched_otherwise(texts: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Pair equal texts, equal numbers (`1.50E23`, `$1.50\\cdot 10^{23}$`), then those that are closest to each other.

    Raise when one is left over.
    """
    if len(texts) != len(ours):
        raise UnmatchedOptionsError(f"The report has {len(texts)} options, the question has {len(ours)}.")
    matched = _matched_by_number(texts, ours) or {text: text for text in texts if text in ours}
    shape = {text: plain_text(text) for text in (*texts, *ours)}
    open_texts = [text for text in texts if text not in matched]
    open_ours = [text for text in ours if text not in matched.values()]
    for text in open_texts:
        closest = _closest(shape[text], {other: shape[other] for other in open_ours})
        back = _closest(shape[closest], {other: shape[other] for other in open_texts}) if closest else ""
        if not closest or back != text:
            raise UnmatchedOptionsError(f"No option of the question is like {text[:80]!r} of the report.")
        matched[text] = closest
    return matched


def _matched_by_number(texts: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Pair all options by value and unit, or none when one of them is no number or a number is there twice."""
    then = {_number(text): text for text in texts}
    now = {_number(text): text for text in ours}
    if None in then or then.keys() != now.keys() or len(then) != len(texts):
        return {}
    return {then[number]: now[number] for number in then}


def _number(text: str) -> tuple[Decimal, str] | None:
    read = parse_number(text)
    return None if read is None else (read.value, read.unit)


def _closest(text: str, candidates: Mapping[str, str]) -> str:
    """Return the one candidate most like `text`, or "" when none is near or two are equally near."""
    ratios = sorted(
        ((SequenceMatcher(None, text, shape).ratio(), name) for name, shape in candidates.items()), reverse=True
    )
    if not ratios or ratios[0][0] < LEAST_SIMILARITY:
        return ""
    is_tie = len(ratios) > 1 and ratios[0][0] == ratios[1][0]
    return "" if is_tie else ratios[0][1]
