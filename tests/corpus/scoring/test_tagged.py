"""Tags, boxes and what stands in and around them: the value read and the stretch it is read from."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

SHOWN = tuple(
    ShownOption(letter, letter, text) for letter, text in zip("ABCD", ("tin", "zinc", "lead", "gold"), strict=True)
)
CHOICE, NUMBER = Asked(Kind.CHOICE, SHOWN), Asked(Kind.NUMBER)
LONG = "and on it goes " * 30


def read(text: str, asked: Asked, finish_reason: str = "") -> tuple[str, str]:
    """Return what was read (or the status) and the stretch of the text it stands in."""
    reading = read_answer(text=text, asked=asked, finish_reason=finish_reason)
    value = ",".join(reading.option_keys) or str(reading.number or "") or reading.status.value
    return value, text[slice(*reading.span)] if reading.span else ""


DERIVED = [
    # several equations: the result is behind the last sign of the last line
    ("[ANSWER]a = 3 g\n and b = 4 g\nc = 3 + 4 = 7 g\n[/ANSWER]", "7", "7 g"),
    ("[ANSWER]a = 3 g\n and b = 4 g\nc = 3 + 4 ≈ 7.0 g [/ANSWER]", "7.0", "7.0 g"),
    (r"[ANSWER]a = 3 g" "\n and b = 4 g\n" r"c \approx 7 g[/ANSWER]", "7", "7 g"),
    ("[ANSWER]c = 3 g\n and d = 4 g\n\n  e = 9 g[/ANSWER]", "9", "9 g"),
    ("[ANSWER]a = 3 g\n and b = 4 g\n" r"c \approx 7 g" "\n[/ANSWER]", "7", "7 g"),
    ("[ANSWER]a = 3 g\n and b = 4 g\n" r"\approx 7 g[/ANSWER]", "7", "7 g"),
    ("[ANSWER]a = 3 g\n and b = 4 g\n5 of it[/ANSWER]", "unparsed", "a = 3 g\n and b = 4 g\n5 of it"),
    ("[ANSWER]a = 3 g\n b = 4 g\nTherefore, c is 7 g[/ANSWER]", "7", "7 g"),
    ("[ANSWER]a = 3 g\n b = 4 g\nThe answer is 7 g because of it.[/ANSWER]", "7", "7 g because of it"),
    ("[ANSWER]a = 3 g. B = 4 g. C = 7 g[/ANSWER]", "7", "a = 3 g. B = 4 g. C = 7 g"),
    ("[ANSWER]5 g\nbecause a = 2 + 3[/ANSWER]", "5", "5 g\nbecause a = 2 + 3"),
    ("[ANSWER]a = 5 g because 2 + 3 = 5[/ANSWER]", "5", "a = 5 g because 2 + 3 = 5"),
    ("[ANSWER]a = 5 g\nby adding[/ANSWER]", "5", "a = 5 g\nby adding"),
    ("[ANSWER]" + LONG + "\nm = 8 g[/ANSWER] So.", "8", "8 g"),
    ("[ANSWER]m = 3 g.\nSo n = 4 mol of 5[/ANSWER]", "unparsed", "m = 3 g.\nSo n = 4 mol of 5"),
    ("[ANSWER]The mass is 5 g[/ANSWER]", "5", "5 g"),
    ("[ANSWER]" + LONG + ". The mass is 5 g[/ANSWER]", "5", "5 g"),
    ("[ANSWER]The mass is 5 to 6 g[/ANSWER]", "unparsed", "5 to 6 g"),
    ("[ANSWER]" + LONG + "\nm = 8 to 9 g[/ANSWER] So.", "unparsed", "8 to 9 g"),
]


@pytest.mark.parametrize(("length", "expected"), [(400, "5"), (401, "unparsed")])
def test_a_sentence_in_a_tag_is_no_longer_than_a_sentence(length: int, expected: str) -> None:
    sentence = "The mass of it all" + " is 5 g".rjust(length - 18, "l")
    assert read(f"[ANSWER]{sentence}[/ANSWER]", NUMBER)[0] == expected


@pytest.mark.parametrize(("text", "expected", "stretch"), DERIVED)
def test_a_tag_that_argues(text: str, expected: str, stretch: str) -> None:
    assert read(text, NUMBER) == (expected, stretch)


def test_a_line_that_goes_on_from_the_prompt() -> None:
    asked = Asked(Kind.NUMBER, prompt="How heavy is it?\nAnswer:")
    assert read(" 42 g\nIt is heavy.", asked) == ("42", "42 g")
    only = Asked(Kind.NUMBER, prompt=asked.prompt, protocols=("continuation",))
    assert read("42 g\nA: it is heavy", only) == ("42", "42 g")
    assert read("42 g\nA:\nThe mass is 3 g.", only) == ("unparsed", "")


def test_a_tag_that_argues_for_a_letter() -> None:
    text = "[ANSWER]It is not tin, it melts. So the correct answer is C, I think[/ANSWER]"
    assert read(text, CHOICE) == ("C", "C, I think")
    assert read("[ANSWER]It is not tin, it melts = 3[/ANSWER]", CHOICE)[0] == "unparsed"


HALF = [
    ("5 g\n= 42 g [/ANSWER]", "42", "= 42 g"),
    ("= 42 g [/ANSWER]\n5 g", "42", "= 42 g"),
    ("5 g\n3 g\n= 42 g [/ANSWER]", "42", "= 42 g"),
    ("x\n[/ANSWER]\nA:\n42 g", "42", "42 g"),
    ("4 g\n[/ANSWER] 42 g", "42", "42 g"),
    ("\n[/ANSWER] 42 g", "42", "42 g"),
    ("x\n3 is small. ANSWER: 42 g [/ANSWER]", "42", "42 g"),
    ("x\n[/ANSWER] answer: 42 g\nfor sure", "42", "42 g"),
    ("x\n [ANSWER] 42 g", "42", "42 g"),
    ("[ANSWER] 42 g", "42", "42 g"),
    ("[ANSWER] 42 g and" + " x" * 196, "unparsed", "42 g and" + " x" * 196),
    ("[ANSWER]" + "4".rjust(400), "4", "4"),
    ("[ANSWER]" + "4".rjust(401), "unparsed", "4"),
]


@pytest.mark.parametrize(("text", "expected", "stretch"), HALF)
def test_half_a_tag(text: str, expected: str, stretch: str) -> None:
    assert read(text, NUMBER) == (expected, stretch)


def test_a_line_before_a_closing_tag_was_written_to_its_end() -> None:
    for text in ("= 42 g [/ANSWER]", "ANSWER: 42 g [/ANSWER]"):
        assert read(text, NUMBER, "length")[0] == "42"
    assert read("ANSWER: 4 or 5 g [/ANSWER]", NUMBER, "length")[0] == "unparsed"
    assert read("It is [ANSWER] 42", NUMBER, "length")[0] == "truncated"
    assert read("[ANSWER]It is heavy. The answer is 4 or 5 g[/ANSWER]", NUMBER, "length")[0] == "unparsed"
    assert read("It is [ANSWER]a = 3 g\n and b = 4 g\nc = or so[/ANSWER]", NUMBER, "length")[0] == "unparsed"


SWAPPED = [
    ("[ANSWER]B[ANSWER]", "B"),
    ("[ANSWER]B[ANSWER] as said", "B"),
    ("[ANSWER] [ANSWER]B[/ANSWER]", "B"),
    ("[ANSWER]A[ANSWER]B[/ANSWER]", "B"),
    ("[ANSWER]A[ANSWER]B[ANSWER/]", "B"),
    ("[ANSWER]A[ANSWER]B[ANSWER]", "A"),
    ("[ANSWER]B" + " " * 199 + "[ANSWER]", "B"),
    ("[ANSWER]B" + " " * 200 + "[ANSWER]", "unparsed"),
    ("[ANSWER]A\n\nB[ANSWER]", "unparsed"),
    ("[ANSWER]\n\nB[ANSWER]", "B"),
    ("[ANSWER][ANSWER]", "unparsed"),
]


@pytest.mark.parametrize(("text", "expected"), SWAPPED)
def test_two_openings_around_a_short_answer(text: str, expected: str) -> None:
    assert read(text, CHOICE)[0] == expected


BOXES = [
    (r"\boxed{A} and then \boxed{B}", "B", "B"),
    (r"\boxed{A} and then \boxed{B", "A", "A"),
    (r"\boxed{A} and \boxed{B}", "A,B", r"A} and \boxed{B"),
    (r"\boxed{A} in the boxed text", "A", "A"),
    (r"\boxed{A} boxed", "A", "A"),
    (r"\boxed {C}.", "C", "C"),
    (r"\fboxed{C}.", "C", "C"),
    (r"So \boxed{\text{D}}!", "D", r"\text{D}"),
    ("boxed{B} it is", "unparsed", ""),
    (r"Not \boxed  {B} it is", "unparsed", ""),
    (r"So \boxed{A" + " " * 999 + "}", "A", "A"),
    (r"So \boxed{A" + " " * 1000 + "}.", "unparsed", ""),
    (r"So \boxed{A}" + r" \boxed{B" * 7, "A", "A"),
    (r"So \boxed{A}" + r" \boxed{B" * 8, "unparsed", ""),
]


@pytest.mark.parametrize(("text", "expected", "stretch"), BOXES)
def test_boxes(text: str, expected: str, stretch: str) -> None:
    assert read(text, CHOICE) == (expected, stretch)


FILLER = "x" * 380
CONCLUSIONS = [
    ("Given 3.\nWe have it. Therefore, the mass is 42 g.", "42", "42 g."),
    ("Line\nThe mass is 3 g. Thus the volume is 7 mL.  \n", "7", "7 mL."),
    ("  Thus the volume is 7 mL", "7", "7 mL"),
    ("Hence it is 7 mL! So it is 8", "8", "8"),
    ("Thus it is 5 g. The density is 2.", "unparsed", ""),
    ("Thus it is 5 g.\nThe density is 2.", "unparsed", ""),
    ("Given.\nThus it is 5 g\nThe density is 2.", "unparsed", ""),
    ("Thus it follows.", "unparsed", ""),
    ("Thus it is 4 or 5.", "unparsed", ""),
    (f"Thus {FILLER} it is 12345678", "12345678", "12345678"),
    (f"Thus {FILLER} it is 123456789", "unparsed", ""),
    (f"It is long. Thus {FILLER} it is 12345678", "12345678", "12345678"),
    (f"It is long. Thus {FILLER} it is 123456789", "unparsed", ""),
]


@pytest.mark.parametrize(("text", "expected", "stretch"), CONCLUSIONS)
def test_conclusions(text: str, expected: str, stretch: str) -> None:
    assert read(text, NUMBER) == (expected, stretch)


FIRST_LINES = [
    ("\n\nB\nIt melts.", "B", "B"),
    ("B" + " " * 399 + "\nIt melts.", "B", "B"),
    ("B" + " " * 400 + "\nIt melts.", "unparsed", ""),
    ("\n" * 300 + "zinc\nIt melts." + LONG, "B", "zinc"),
    ("zinc = B\nIt melts.", "unparsed", ""),
    ("It melts.\nB", "unparsed", ""),
    ("\nB it melts", "unparsed", ""),
    ("B\nOf them all, Z is the best choice.", "B", "B"),
]


@pytest.mark.parametrize(("text", "expected", "stretch"), FIRST_LINES)
def test_first_lines(text: str, expected: str, stretch: str) -> None:
    assert read(text, CHOICE) == (expected, stretch)


MEANT = [
    ("[ANSWER]A[/ANSWER] Oops, I meant C.", "C"),
    ("[ANSWER]A[/ANSWER] I meant C", "C"),
    ("[ANSWER]A[/ANSWER]\nSorry - I actually meant to say option C!", "C"),
    ("[ANSWER]A[/ANSWER] No, I meant C, not A.", "C"),
    ("[ANSWER]A[/ANSWER] I meant B. Wait, the answer is C.", "C"),
    ("[ANSWER]A[/ANSWER] Sorry, the answer is B. No, I meant C.", "C"),
    ("[ANSWER]A[/ANSWER] That is what I meant.", "A"),
    ("[ANSWER]A[/ANSWER] By the first of them I meant C.", "A"),
    ("[ANSWER]A[/ANSWER] Oops, I meant something else.", "A"),
    ("[ANSWER]C[/ANSWER]\nWait, the options once more:\nA:\ntin\nB:\nzinc", "C"),
]


@pytest.mark.parametrize(("text", "expected"), MEANT)
def test_what_was_meant_takes_the_place_of_what_was_said(text: str, expected: str) -> None:
    reading = read_answer(text=text, asked=CHOICE)
    assert reading.option_keys == (SHOWN["ABC".index(expected)].key,)


def test_a_number_that_was_meant() -> None:
    assert read_answer(text="[ANSWER]4.2[/ANSWER] Oops, I meant 4.3 g.", asked=NUMBER).number == Decimal("4.3")


@pytest.mark.parametrize(
    "correction", ["Wait, I made a mistake. The answer is 6, not 5.", "Sorry, I was wrong.\nA:\n6"]
)
def test_a_number_that_is_corrected(correction: str) -> None:
    reading = read_answer(text=f"[ANSWER]5[/ANSWER] {correction}", asked=NUMBER)
    assert (reading.number, reading.notes) == (Decimal(6), ("corrected",))


INCORRECT = Asked(Kind.CHOICE, SHOWN, "Which is the incorrect one?")
INSIDE = [
    ("[ANSWER]We see. The answer is 5, not 6[/ANSWER]", NUMBER, "5", "5"),
    ("[ANSWER]because it weighs m = 5 g[/ANSWER]", NUMBER, "5", "because it weighs m = 5 g"),
    ("[ANSWER]x is B[/ANSWER]", CHOICE, "unparsed", "x is B"),
    ("[ANSWER]It is light. The incorrect one is B[/ANSWER]", CHOICE, "unparsed", "It is light. The incorrect one is B"),
    ("[ANSWER]It is light. The incorrect answer is B[/ANSWER]", INCORRECT, "B", "B"),
    ("[ANSWER]5{[/ANSWER]", NUMBER, "5", "5{"),
    # tags that belong together, behind or in front of others
    (
        "[ANSWER]D[/ANSWER] so [ANSWER]A[/ANSWER] and [ANSWER]B[/ANSWER]",
        CHOICE,
        "A,B",
        "A[/ANSWER] and [ANSWER]B",
    ),
    ("Not [ANSWER]A[/ANSWER] and [ANSWER]B[/ANSWER]", CHOICE, "unparsed", "B"),
    ("The incorrect one is [ANSWER]A[/ANSWER] and [ANSWER]B[/ANSWER]", CHOICE, "unparsed", "B"),
    (
        "The incorrect one is [ANSWER]A[/ANSWER] and [ANSWER]B[/ANSWER]",
        INCORRECT,
        "A,B",
        "A[/ANSWER] and [ANSWER]B",
    ),
]


@pytest.mark.parametrize(("text", "asked", "value", "stretch"), INSIDE)
def test_inside_and_around_tags(text: str, asked: Asked, value: str, stretch: str) -> None:
    assert read(text, asked) == (value, stretch)


CORRECTIONS = [
    *[
        (f"[ANSWER]A[/ANSWER]\n\n{words} C.", "C")
        for words in (
            "Actually, it should be",
            "Sorry, that should be",
            "Oops, this should have been",
            "No! It must be",
            "Wait, it should actually be",
            "My mistake: it should be",
            "Edit: the answer is",
            "**Edit:** the answer is",
            "That was quick. Edit: the answer is",
            "OOPS, I MEANT",
        )
    ],
    ("[ANSWER]A[/ANSWER]\n\nI give it credit: the answer is C.", "A"),
    ("[ANSWER]A[/ANSWER]\n\nActually, it should be noted that C is heavy.", "A"),
    ("[ANSWER]A[/ANSWER]\n\nIt should be C.", "A"),
    ("The answer is A. Actually, it should be C.", "C"),
    ("The answer is A. Sorry, that must be C.", "C"),
    ("The answer is A. Sorry, that must be something else.", ""),
    ("The answer is A. Sorry, I was slow.", "A"),
]


@pytest.mark.parametrize(("text", "letter"), CORRECTIONS)
def test_what_should_be_replaces_what_was_said(text: str, letter: str) -> None:
    shown = tuple(ShownOption(name, name, f"text {name}") for name in "ABC")
    assert "".join(read_answer(text=text, asked=Asked(Kind.CHOICE, shown)).option_keys) == letter


PROSE = [
    ("The mass is 42 g.", "0.042"),
    ("The mass of NaCl is about 42 g.", "0.042"),
    ("about 42", "42"),
    ("The solution has a pH of 4.76", "4.76"),
    ("We need 42 g of NaCl.", "0.042"),
    ("I think 42 g", "0.042"),
    ("The compound shows 6 signals", "6"),
    ("The mass comes to roughly 42 g", "0.042"),
    ("close to 42", "42"),
    ("The mass is 42 g, not 43 g", "0.042"),
    ("The mass is 42 g if n = 2", "0.042"),
    ("The molar mass is 58 g/mol, so the mass is 42 g.", "0.042"),
    ("As the volume is 3 L and dry, the mass is 42 g.", "0.042"),
    ("between 40 and 42", None),
    ("The mass is between 40 and 42 g", None),
    ("from 40 g", None),
    ("I get up to 42", None),
    ("We need more than 42 g", None),
    ("We do not need 42 g", None),
    ("two of 42", None),
    ("a decrease of 42 g", None),
    ("We need 42 g of 2 kg", None),
    ("The mass is 42 g and the volume is 3 L.", None),
    ("The pH is 4.76 while the pOH is 9.24.", None),
]


@pytest.mark.parametrize(("text", "value"), PROSE)
def test_a_sentence_in_a_tag_is_read_where_it_holds_one_number(text: str, value: str | None) -> None:
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER, unit="kg"))
    assert reading.number == (None if value is None else Decimal(value))
