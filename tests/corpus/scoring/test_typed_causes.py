"""Why what a person typed or ticked ends otherwise under two rules; each cause with a case that lacks it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from corpus.scoring.differences import CAUSES, CAUSES_OF_PEOPLE, cause_of
from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.scoring.reading import read_chosen, read_typed_number
from corpus.scoring.rules import judge
from corpus.scoring.survey_reports import KEPT_AS_REPORTED, READER, reading_from_survey
from corpus.scoring.types import Asked, Difference, Kind, Option, Reading, ReadStatus, ShownOption, Target

SHOWN = ("water", "ammonia", "methane")


def typed(text: str, stored: str | None, target: str, *, unit: str = "", tolerance: str | None = None) -> Difference:
    """A typed number, with what the report stored of it."""
    asked = Asked(Kind.NUMBER, unit=unit)
    key = Target(Kind.NUMBER, number=Decimal(target), unit=unit, tolerance=Decimal(tolerance) if tolerance else None)
    status = ReadStatus.UNPARSED if stored is None else ReadStatus.READ
    published = Reading(status, number=None if stored is None else Decimal(stored), reader=PUBLISHED_READER)
    read = read_typed_number(text, unit=unit)
    return Difference(
        text=text,
        asked=asked,
        target=key,
        published=published,
        published_verdict=judge(reading=published, target=key, rule="survey-option-text"),
        standard=read if read.span else replace(read, span=(0, len(text))),
        standard_verdict=judge(reading=read, target=key, rule="standard"),
        is_persons=True,
    )


def ticked(text: str, stored: str, *, notes: tuple[str, ...] = ()) -> Difference:
    """A ticked option, with the one that the report stored; the bank lists them by the alphabet backwards."""
    asked = Asked(
        Kind.CHOICE, tuple(ShownOption(letter, name, name) for letter, name in zip("ABC", SHOWN, strict=True))
    )
    options = tuple(Option(name, name, Decimal(name == "water")) for name in sorted(SHOWN, reverse=True))
    key = Target(Kind.CHOICE, options)
    published = Reading(ReadStatus.READ, option_keys=(stored,), notes=notes, reader=PUBLISHED_READER)
    read = read_chosen([text], asked)
    return Difference(
        text="",
        asked=asked,
        target=key,
        published=published,
        published_verdict=judge(reading=published, target=key, rule="as-published"),
        standard=read,
        standard_verdict=judge(reading=read, target=key, rule="standard"),
        is_persons=True,
    )


CASES = [
    (typed("-4", "-4", "-4"), "target-zero-or-below"),
    (typed("0", "0", "0"), "target-zero-or-below"),
    (typed("101", "101", "100"), "boundary"),
    (typed("103", "103", "100", tolerance="0.05"), "own-tolerance"),
    (typed("0,45", "0", "0.45"), "decimal-comma"),
    (typed("five", None, "5"), "written-in-words"),
    (typed("2 kJ", "2", "2000", unit="J"), "unit-converted"),
    (typed("3.27×10^-22", "3.27", "3.27E-22"), "multiplication-sign"),
    (typed("4.78 * 10^(-23)", "4.78", "4.78E-23"), "multiplication-sign"),
    (typed("3.27 E-22", "3.27", "3.27E-22"), "spaced-exponent"),
    (typed("3.27 E-22", None, "3.27E-22"), "spaced-exponent-unread"),
    (typed("2 Dq", None, "5"), "unit-unread"),
    (typed("4-", "4", "-4"), "lost-minus"),
    (typed("400,000", "400", "400000"), "thousands-separator"),
    (typed("12,500", "12.5", "12500"), "comma-as-point"),
    (typed("1/2", "1", "0.5"), "fraction"),
    (typed("4:1", "4", "0.9"), "second-number"),
    (typed("1..2", "1", "1.24"), "second-number"),
    (typed("I don't know", None, "1"), "no-answer-stored"),
    (typed("7", "3", "7"), ""),
    (typed("12,500", "99", "12500"), ""),
    (typed("7", None, "7"), ""),
    (ticked("water", "ammonia"), "option-order"),
    (ticked("ammonia", "water"), ""),
    (ticked("water", "methane", notes=(KEPT_AS_REPORTED,)), "kept-as-reported"),
]


@pytest.mark.parametrize(("difference", "cause"), CASES)
def test_a_difference_has_the_cause_whose_mechanism_made_it(difference: Difference, cause: str) -> None:
    assert cause_of(difference) == cause
    assert not cause or CAUSES[cause]


def test_every_cause_is_tried_here() -> None:
    assert {cause for _, cause in CASES} - {""} == CAUSES_OF_PEOPLE


def test_letters_may_have_been_looked_up_in_the_banks_order_or_by_the_alphabet() -> None:
    assert cause_of(ticked("methane", "ammonia")) == "option-order"
    assert cause_of(ticked("methane", "water")) == "option-order"


def test_causes_that_look_for_tags_say_nothing_about_people() -> None:
    difference = typed("7", "3", "7")
    assert cause_of(difference) == ""
    assert cause_of(replace(difference, is_persons=False)) == "lucky-fallback"


TICKED = Reading(ReadStatus.READ, option_keys=("a",))
REPORTED = Reading(ReadStatus.READ, option_keys=("b",), reader=PUBLISHED_READER, notes=("repeated-letter",))


@pytest.mark.parametrize(
    ("kind", "is_same_text", "keys", "notes"),
    [
        (Kind.CHOICE, True, ("a",), ()),
        (Kind.CHOICE, False, ("b",), ("repeated-letter", KEPT_AS_REPORTED)),
        (Kind.NUMBER, True, ("b",), ("repeated-letter", KEPT_AS_REPORTED)),
    ],
)
def test_a_choice_of_the_same_text_counts_as_ticked_and_all_else_as_reported(
    kind: Kind, is_same_text: bool, keys: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    reading = reading_from_survey(kind=kind, ticked=TICKED, reported=REPORTED, is_same_text=is_same_text)
    assert reading is not None
    assert (reading.option_keys, reading.notes, reading.reader) == (keys, notes, READER)


def test_what_would_have_to_come_from_a_missing_report_has_no_reading() -> None:
    assert reading_from_survey(kind=Kind.NUMBER, ticked=TICKED, reported=None, is_same_text=True) is None
    assert reading_from_survey(kind=Kind.CHOICE, ticked=TICKED, reported=None, is_same_text=True) is not None


def test_letters_kept_as_reported_are_wrong_with_one_that_no_option_has() -> None:
    key = Target(Kind.CHOICE, (Option("b", "b", Decimal(1)), Option("a", "a", Decimal(0))))
    kept = replace(REPORTED, notes=("unknown-letter",))
    for note, outcome in ((KEPT_AS_REPORTED, "wrong"), ("other", "right")):
        reading = replace(kept, notes=("unknown-letter", note))
        verdict = judge(reading=reading, target=key, rule="survey-option-text")
        assert (verdict.outcome.value, verdict.rule) == (outcome, "survey-option-text@1")
