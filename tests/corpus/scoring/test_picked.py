"""Answers picked by a last sentence that says nothing else, letters with a reason, objections that conclude."""

from decimal import Decimal

import pytest

from corpus.scoring.picked import picked_letters
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ReadStatus, ShownOption

TEXTS = ("methanol", "ethanol", "propane", "benzene")
CHOICE = Asked(
    Kind.CHOICE, tuple(ShownOption(letter, letter, text) for letter, text in zip("ABCD", TEXTS, strict=True))
)
NUMBER = Asked(Kind.NUMBER, unit="g")


def letters(text: str, asked: Asked = CHOICE) -> str:
    return "".join(read_answer(text=text, asked=asked).option_keys)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Final: B", "B"),
        ("Verdict: **B**", "B"),
        ("My pick: B", "B"),
        ("Pick B.", "B"),
        ("It must be B.", "B"),
        ("It has to be (B).", "B"),
        ("It must be B and C.", "BC"),
        ("I’d say A, B and C.", "ABC"),
        ("Definitely B.", "B"),
        ("Most likely B", "B"),
        ("B for sure.", "B"),
        ("B it is.", "B"),
        ("A it is.", "A"),
        ("B I believe", "B"),
        ("Looks like B to me.", "B"),
        ("I am confident that it is B.", "B"),
        ("The right one is B.", "B"),
        ("The correct option here is B", "B"),
        ("The best one is B, since it has a hydrogen bond.", "B"),
        ("Not A. Definitely C.", "C"),
        ("Is it A? Probably B.", "B"),
        ("Ethanol has a hydrogen bond.\n\nIt must be B.", "B"),
        ("I'll go with ethanol.", "B"),
        ("I think it is ethanol.", "B"),
        ("The others are gases. I'd say ethanol.", "B"),
    ],
)
def test_a_sentence_that_only_picks_is_read(text: str, expected: str) -> None:
    assert letters(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Maybe B",
        "It could be B.",
        "Not B.",
        "If acidic, B.",
        "Is it B?",
        "So we say A, then B",
        "It's A, it's B.",
        "I think it is A or B.",
        "A likely choice.",
        "A choice I have.",
        "So I think",
        "B is",
        "Option B seems right.",
        "The wrong one is B.",
        "I would never pick B.",
        "I'd say methanol or ethanol.",
        "I'd say ether.",
        "Which gas is it?\n\nOptions:\nA.",
        "I think the answer\nB",
    ],
)
def test_any_other_last_sentence_is_not(text: str) -> None:
    assert letters(text) == ""


def test_a_long_reply_has_to_end_with_a_full_stop() -> None:
    reasoning = "Ethanol has a hydrogen bond. " * 20
    assert letters(f"{reasoning}It must be B.") == "B"
    assert letters(f"{reasoning}It must be B") == ""
    assert letters(f"{'Ethanol has a hydrogen bond. ' * 3}It must be B") == "B"


def test_the_place_is_that_of_the_letters() -> None:
    text = "It is polar. It must be B and C. "
    located = picked_letters(text)
    assert located is not None
    assert text[located.start : located.end] == "B and C"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B because it is bigger", "B"),
        ("B since it has a hydrogen bond", "B"),
        ("B due to hydrogen bonding", "B"),
        ("B because methanol is smaller", "B"),
        ("B, because methanol is smaller.", "B"),
        ("B. Because methanol is smaller.", "B"),
        ("B, as methanol is smaller", "B"),
        ("B, not methanol", "B"),
        ("B (larger than methanol)", "B"),
        ("B (more polar than methanol)", "B"),
        ("B. Unlike methanol, it is big.", "B"),
        ("[ANSWER]B (larger than methanol)[/ANSWER]", "B"),
        ("B (methanol)", ""),
        ("B, methanol, not ethanol", ""),
        ("A and C because both are small", "AC"),
        ("A and C, because both are small.", "AC"),
        ("A, C as they are small", "AC"),
        ("B because it is bigger\nThis is seen in the table.", "B"),
        ("B as in bromine", ""),
        ("E because it is bigger", ""),
        ("B, methanol", ""),
    ],
)
def test_letters_with_their_reason_are_read(text: str, expected: str) -> None:
    assert letters(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is A. But ethanol is heavier, so B.", "B"),
        ("The answer is A. However, ethanol is heavier, so it's B.", "B"),
        ("[ANSWER]A[/ANSWER] But ethanol is heavier, so B.", "B"),
        ("The answer is A. But methanol is lighter, so A.", "A"),
        ("The answer is A. Ethanol is heavier, so B.", "A"),
        ("The answer is A. But ethanol is heavier, so E.", "A"),
    ],
)
def test_an_objection_that_comes_to_another_letter_replaces_it(text: str, expected: str) -> None:
    assert letters(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So 42 g.", "42"),
        ("So, 42 g", "42"),
        ("Hence 42", "42"),
        ("Probably 42 g.", "42"),
        ("I'll go with 42.", "42"),
        ("I’m going with 42 g", "42"),
        ("I got 42.", "42"),
        ("I got 42 or 43", None),
        ("I got 3 of 42", None),
        ("So 42 g.\nThe density is 2.", None),
    ],
)
def test_the_number_of_a_reply_of_one_line(text: str, expected: str | None) -> None:
    assert read_answer(text=text, asked=NUMBER).number == (None if expected is None else Decimal(expected))


def test_a_letter_with_a_reason_still_has_to_agree_with_its_text() -> None:
    reading = read_answer(text="[ANSWER]B. methanol[/ANSWER]", asked=CHOICE)
    assert (reading.status, reading.notes) == (ReadStatus.UNPARSED, ("contradiction",))
