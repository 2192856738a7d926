"""Tags and boxes side by side: joined by `and` they are one answer, joined by `or` none."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

CHOICE = Asked(
    Kind.CHOICE, tuple(ShownOption(a, a, text) for a, text in zip("ABC", ("tin", "zinc", "lead"), strict=True))
)
NUMBER = Asked(Kind.NUMBER)
ALTERNATIVES = [
    " or ",
    ", or ",
    "\nor\n",
    " or maybe ",
    " and/or ",
    "/",
    " / ",
    "–",
    " – ",
    "-",
    " - ",
    " — ",
    " to ",
    " vs ",
]
TOGETHER = [
    " and ",
    ", ",
    "; ",
    " & ",
    " + ",
    ", and ",
    "\nand\n",
    " and also ",
    " as well as ",
    " plus ",
]
PAIRS = ["[ANSWER]{}[/ANSWER]{}[ANSWER]{}[/ANSWER]", r"\boxed{{{}}}{}\boxed{{{}}}", r"$\boxed{{{}}}${}$\boxed{{{}}}$."]
IN_TEXT = r"\boxed{{{}}} \quad \text{{{}}} \quad \boxed{{{}}}"


def read(text: str, asked: Asked = CHOICE) -> str:
    reading = read_answer(text=text, asked=asked)
    value = "".join(reading.option_keys) or ("" if reading.number is None else str(reading.number))
    return value or " ".join((reading.status.value, *reading.notes))


@pytest.mark.parametrize("pair", [*PAIRS, IN_TEXT])
@pytest.mark.parametrize("joint", ALTERNATIVES)
def test_alternatives_are_no_answer(joint: str, pair: str) -> None:
    assert read(pair.format("A", joint, "B")) == "unparsed alternatives"
    assert read("The answer is " + pair.format("A", joint, "B")) == "unparsed alternatives"
    assert read(pair.format("B", joint, "B")) == "B"
    assert read(pair.format("3", joint, "4"), NUMBER).startswith("unparsed")
    assert read(pair.format("3", joint, "4")).startswith("unparsed")


@pytest.mark.parametrize("pair", [*PAIRS, IN_TEXT])
@pytest.mark.parametrize("joint", TOGETHER)
def test_what_is_joined_belongs_together(joint: str, pair: str) -> None:
    assert read(pair.format("A", joint, "B")) == "AB"


@pytest.mark.parametrize("pair", PAIRS)
def test_a_gloss_may_stand_behind_each(pair: str) -> None:
    assert read(pair.format("A", " (tin) and ", "B") + " (zinc)") == "AB"
    assert read(pair.format("A", " (tin) or ", "B") + " (zinc)") == "unparsed alternatives"


APART = [("\n- ", "B"), (". The other: ", "B"), ("\n", "B"), (" → ", "B"), (" no, ", "B")]


@pytest.mark.parametrize(("gap", "expected"), APART)
def test_the_last_of_several_counts(gap: str, expected: str) -> None:
    assert read(PAIRS[0].format("A", gap, "B")) == read(PAIRS[1].format("A", gap, "B")) == expected


def test_a_last_place_that_holds_the_others_counts() -> None:
    assert read("[ANSWER]B[/ANSWER] or possibly [ANSWER]B, C[/ANSWER]") == "BC"
    assert read("[ANSWER]B, C[/ANSWER] or [ANSWER]C[/ANSWER]") == "unparsed alternatives"


def test_one_of_three_alternatives() -> None:
    assert read("[ANSWER]A[/ANSWER], [ANSWER]B[/ANSWER] or [ANSWER]C[/ANSWER]") == "unparsed alternatives"
    assert read("[ANSWER]A[/ANSWER] or [ANSWER]B[/ANSWER]. So it is [ANSWER]C[/ANSWER].") == "C"
