"""Causes of differences over what a person typed or ticked, where a report stored a reading of it."""

import re

from corpus.scoring.published_habits import first_plain_number
from corpus.scoring.shared_causes import has_stored_answer, is_read, reads_apart
from corpus.scoring.survey_reports import KEPT_AS_REPORTED
from corpus.scoring.types import Difference, Kind

_SPACED_EXPONENT = re.compile(r"\d\s+[eE]\s?[-+−–]?\d")


def is_comma_as_point(difference: Difference) -> bool:
    """The stored number is what the text says with every comma made a point, and standard read another."""
    stored = difference.published.number
    if stored is None or "," not in difference.text or not is_read(difference) or not reads_apart(difference):
        return False
    return first_plain_number(difference.text.replace(",", ".")) == stored


def is_spaced_exponent_unread(difference: Difference) -> bool:
    """Standard read a number whose exponent stands behind a space, and nothing is stored."""
    is_unread = is_read(difference) and not has_stored_answer(difference)
    return is_unread and _SPACED_EXPONENT.search(difference.text) is not None


def is_unit_unread(difference: Difference) -> bool:
    """Standard read a number with a unit, and nothing is stored."""
    return is_read(difference) and not has_stored_answer(difference) and bool(difference.standard.unit)


def is_kept_as_reported(difference: Difference) -> bool:
    """A choice that was not matched by text: the report's letters were kept, and standard read other options."""
    is_choice = difference.asked.kind is Kind.CHOICE and reads_apart(difference)
    return is_choice and KEPT_AS_REPORTED in difference.published.notes
