"""A list of all options repeats the question; what follows it may answer it."""

import pytest

from corpus.scoring.echoes import without_echoed_options
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

ASKED = Asked(
    Kind.CHOICE,
    tuple(ShownOption(letter, letter, text) for letter, text in zip("ABC", ("tin", r"\ce{H2O}", "lead"), strict=True)),
)
LIST = "A. tin\nB. H2O\nC. lead"
REPLIES = [
    (LIST, "unparsed echoed-options"),
    (f"\n\n{LIST}\n\n", "unparsed echoed-options"),
    (f"Options:\n{LIST}", "unparsed echoed-options"),
    (f"**Answer options**:\n\n{LIST}\n", "unparsed echoed-options"),
    (f"Answer:\n{LIST}", "unparsed echoed-options"),
    ("A) tin\n\nB) H2O\n\nC) lead", "unparsed echoed-options"),
    ("(A) tin\n(B) H2O\n(C) lead", "unparsed echoed-options"),
    ("- A. tin\n- B. H2O\n- C. lead", "unparsed echoed-options"),
    ("A. tin, B. H2O, C. lead", "unparsed echoed-options"),
    ("Options: A, B, C", "unparsed echoed-options"),
    (f"{LIST}\nB", "B"),
    (f"{LIST}\n\nThe answer is B.", "B"),
    (f"{LIST}\nD. gold", "unparsed"),
    (f"[ANSWER]{LIST}[/ANSWER]", "ABC letter-and-text"),
    ("A, B, C", "ABC"),
    ("Options A and C", "AC"),
    ("Options: A, C", "AC"),
    ("A. tin\nB. H2O", "AB letter-and-text"),
    ("A. tin\nB. lead\nC. H2O", "unparsed contradiction"),
    ("A. tin", "A letter-and-text"),
]


@pytest.mark.parametrize(("text", "expected"), REPLIES)
def test_a_repeated_list(text: str, expected: str) -> None:
    reading = read_answer(text=text, asked=ASKED)
    assert " ".join(("".join(reading.option_keys) or reading.status.value, *reading.notes)) == expected


def test_what_follows_a_list_keeps_its_place() -> None:
    text = f"{LIST}\n  B"
    assert read_answer(text=text, asked=ASKED).span == (len(text) - 1, len(text))


def test_without_options_nothing_is_a_list_of_them() -> None:
    assert without_echoed_options("A. tin\nB. lead", ()) == "A. tin\nB. lead"
