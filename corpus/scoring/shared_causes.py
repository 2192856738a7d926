"""Causes of differences that choices and numbers share."""

from decimal import Decimal

from corpus.scoring.published_habits import exact_tags, lone_letters, plain_numbers, word_numbers
from corpus.scoring.rules.standard import EXACT, abs_difference
from corpus.scoring.statuses import is_given_up
from corpus.scoring.tags import TAG, is_placeholder
from corpus.scoring.types import Asked, Difference, Kind, Reading, ReadStatus
from corpus.scoring.visible import MIN_ECHO_LENGTH, visible_text

_TAG_REACH = 300
_FLOAT_ROUNDING = Decimal("1E-15")


def has_stored_answer(difference: Difference) -> bool:
    """Tell whether the report stored an answer."""
    return difference.published.status is ReadStatus.READ


def is_read(difference: Difference) -> bool:
    """Tell whether standard read an answer."""
    return difference.standard.status is ReadStatus.READ


def reads_apart(difference: Difference) -> bool:
    """Tell whether the two readings are not the same answer."""
    first, second = difference.published, difference.standard
    if first.number is not None and second.number is not None:
        return not is_same_number(first.number, second.number)
    return (first.status, first.option_keys, first.number) != (second.status, second.option_keys, second.number)


def is_same_number(stored: Decimal, read: Decimal) -> bool:
    """Tell whether two numbers are equal but for the rounding of one that was stored in floating point."""
    return abs_difference(stored, read) <= EXACT.multiply(_FLOAT_ROUNDING, abs(read))


def letters_of(reading: Reading, asked: Asked) -> frozenset[str]:
    """Return the letters that the options of a reading had when it was asked."""
    return frozenset(option.letter for option in asked.shown if option.key in reading.option_keys)


def is_stated_in(difference: Difference, text: str) -> bool:
    """Tell whether the stored answer can have been taken from `text`, as the published package did."""
    stored = difference.published
    if difference.asked.kind is Kind.CHOICE:
        letters = letters_of(stored, difference.asked)
        return bool(letters) and letters <= lone_letters(text)
    return stored.number is not None and (stored.number in plain_numbers(text) or stored.number in word_numbers(text))


def standard_text(difference: Difference) -> str:
    """Return the stretch of the reply that standard read or tried to read."""
    span = difference.standard.span
    return "" if span is None else difference.text[slice(*span)]


def is_agent_stop_text(difference: Difference) -> bool:
    """The whole reply is an agent framework's stop text."""
    return difference.standard.status is ReadStatus.GAVE_UP and is_given_up(difference.text)


def is_echoed_prompt(difference: Difference) -> bool:
    """The stored answer stands in the echoed prompt and is not what the rest of the reply states."""
    prompt = difference.asked.prompt.strip()
    is_echoed = len(prompt) >= MIN_ECHO_LENGTH and prompt in difference.text
    return is_echoed and reads_apart(difference) and is_stated_in(difference, prompt)


def is_thinking_text(difference: Difference) -> bool:
    """The stored answer stands in what thinking tags enclose, and the visible rest states another or none."""
    visible = visible_text(difference.text).text
    if visible == difference.text or not reads_apart(difference):
        return False
    hidden = "".join(
        " " if shown == raw and not raw.isspace() else raw for raw, shown in zip(difference.text, visible, strict=True)
    )
    return is_stated_in(difference, hidden)


def is_refusal(difference: Difference) -> bool:
    """The reply declines; the report has nothing stored, or something that no exact tag states."""
    is_refused = difference.standard.status is ReadStatus.REFUSED
    return is_refused and not (has_stored_answer(difference) and exact_tags(difference.text))


def is_cut_off(difference: Difference) -> bool:
    """The token limit or an unclosed thinking block ended the reply."""
    return difference.standard.status is ReadStatus.TRUNCATED


def is_correction(difference: Difference) -> bool:
    """The reply takes back what it had tagged, and the report kept the tagged answer."""
    return "corrected" in difference.standard.notes and reads_apart(difference)


def is_run_on(difference: Difference) -> bool:
    """The stored answer stands behind the place where the reply runs on."""
    if "run-on" not in difference.standard.notes or difference.standard.span is None or not reads_apart(difference):
        return False
    return is_stated_in(difference, difference.text[difference.standard.span[1] :])


def is_placeholder_tag(difference: Difference) -> bool:
    """The first exact tag holds a placeholder, nothing is stored, and standard read a later tag."""
    tags = exact_tags(difference.text)
    if has_stored_answer(difference) or not is_read(difference) or len(tags) < 2:
        return False
    return is_placeholder(tags[0]) and standard_text(difference) in tags[-1]


def is_misspelt_tag(difference: Difference) -> bool:
    """Standard read beside a tag of some spelling where no exact tag holds the same text."""
    if difference.standard.span is None or not is_read(difference) or not reads_apart(difference):
        return False
    start, end = difference.standard.span
    near = TAG.search(difference.text, max(start - _TAG_REACH, 0), end + _TAG_REACH)
    return near is not None and not any(standard_text(difference) in content for content in exact_tags(difference.text))


def is_lucky_fallback(difference: Difference) -> bool:
    """An answer is stored that no exact tag of the reply states."""
    if not has_stored_answer(difference) or not reads_apart(difference):
        return False
    return not any(is_stated_in(difference, content) for content in exact_tags(difference.text))


def is_outside_tags(difference: Difference) -> bool:
    """Standard read an answer, and no exact tag of the reply holds anything."""
    return is_read(difference) and not has_stored_answer(difference) and not exact_tags(difference.text)


def is_no_answer_either_way(difference: Difference) -> bool:
    """No answer is stored and none was read."""
    return not has_stored_answer(difference) and not is_read(difference)
