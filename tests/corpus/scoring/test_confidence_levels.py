"""The level from 1 to 5 by which an answerer says how sure it is."""

import time

import pytest

from corpus.scoring.confidence_levels import StatedConfidence, read_confidence


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("4", 4),
        (" 1\n", 1),
        ("5.", 5),
        ("**3**", 3),
        ("Level 2", 2),
        ("Level: 2 (rather unsure)", 2),
        ("4/5", 4),
        ("5 out of 5", 5),
        ("I would say 4 on a scale of 1 to 5.", 4),
        ("On a scale from 1–5: 3", 3),
        ("My confidence is 4. Yes, 4.", 4),
        ("Four", 4),
        ("Confidence: five.", 5),
        ("I am not sure: 2", 2),
        ("2 (not sure)", 2),
        ("2, no idea really", 2),
        ("I do not know. 1", 1),
        ("I can't tell, so 1", 1),
        ("<think>Perhaps 2, or rather 3.</think>4", 4),
    ],
)
def test_one_level_is_read(text: str, level: int) -> None:
    assert read_confidence(text).level == level


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "0",
        "6",
        "10",
        "-3",
        "4.5",
        "4,5",
        "80%",
        "4 %",
        "3 or 4",
        "3-4",
        "3–4",
        "1 = a guess, 5 = certain; I choose 4",
        "quite sure",
        "One of the options is right, I think.",
        "[ANSWER]A[/ANSWER]",
        "from 1 to 5",
        "<think>It is 4",
        "4 <think>or rather 3",
        "4/5 is wrong",
        "Certainly not 5",
        "It is definitely not a 5.",
        "It isn't 5",
        "It cannot be 5",
        "It can never be level 5",
        "Not four, but not 5 either",
        "5? Surely not.",
        "5 is wrong",
        "5 for A. No, not 5.",
        "less than 3",
        "more than 3/5",
        "At least 4",
        "below 3",
        "4 " + "because of this " * 200,
    ],
)
def test_no_level_several_or_one_outside_the_scale_is_not_read(text: str) -> None:
    found = read_confidence(text)
    assert found.level is None
    assert found.reason


LONGEST = "4 " + "x" * 1_998
REASONS = [
    ("4", 4, "Read from the only number."),
    ("Four", 4, "Read from a word."),
    (LONGEST, 4, "Read from the only number."),
    (LONGEST + "x", None, "The reply is too long for the statement of a level."),
    ("", None, "The reply states nothing."),
    ("quite sure", None, "The reply states no level."),
    ("3 or 4", None, "The reply states several numbers."),
    ("5 is wrong", None, "The reply denies the level, or states another one by it."),
    ("6", None, "6 is no level from 1 to 5."),
]


@pytest.mark.parametrize(("text", "level", "reason"), REASONS)
def test_a_person_is_told_why(text: str, level: int | None, reason: str) -> None:
    assert read_confidence(text) == StatedConfidence(level, reason)


@pytest.mark.parametrize("character", ["1", "-", " ", "/", ",", "1,", "scale "])
def test_no_text_takes_long(character: str) -> None:
    started = time.perf_counter()
    read_confidence(character * (100_000 // len(character)))
    assert time.perf_counter() - started < 0.5
