"""A list that says something of each option chooses none of them."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

TEXTS = ("Methanol", "Ethanol", "Propanol", "Butanol")
ASKED = Asked(Kind.CHOICE, tuple(ShownOption(a, a, text) for a, text in zip("ABCD", TEXTS, strict=True)))


def read(text: str) -> str:
    reading = read_answer(text=text, asked=ASKED)
    return "".join(reading.option_keys) or reading.status.value


REMARKS = ("toxic", "safe", "safe", "toxic")
SHAPES = [
    *[
        "{}: {}",
        "- {}: {}",
        "**{}**: {}",
        "- **{}**: {}",
        "* {}. {}",
        "{}) {}",
        "{} - {}",
        "{} – {}",
        "{}, {}",
        "{} = {}",
    ],
    *["{} ({})", "{} -> {}", "| {} | {} |", "{} is {}", "**{}** is {}", "Option {}: {}", "1. {}: {}"],
]
FRAMES = [
    "{}",
    "[ANSWER]{}[/ANSWER]",
    "Answer: {}",
    "Answer:\n{}",
    "## Answer\n\n{}",
    "FINAL ANSWER: {}",
    r"\boxed{{{}}}",
]


@pytest.mark.parametrize("joint", ["\n", "; ", ", ", "\n\n"])
@pytest.mark.parametrize("shape", SHAPES)
def test_remarks_that_differ(shape: str, joint: str) -> None:
    text = joint.join(shape.format(letter, remark) for letter, remark in zip("ABCD", REMARKS, strict=True))
    assert {frame: read(frame.format(text)) for frame in FRAMES} == dict.fromkeys(FRAMES, "unparsed")


VERDICTS = [("true", "false"), ("correct", "incorrect"), ("yes", "no"), ("Right", "Wrong"), ("✅", "❌")]


@pytest.mark.parametrize("verdicts", VERDICTS)
@pytest.mark.parametrize("shape", ["{}: {}", "- **{}**: {}", "{} is {}", "{} ({})", "{}) {}"])
def test_which_verdict_was_asked_for_is_not_guessed(shape: str, verdicts: tuple[str, str]) -> None:
    judged = (verdicts[0], verdicts[1], verdicts[0], verdicts[0])
    text = "\n".join(shape.format(letter, verdict) for letter, verdict in zip("ABCD", judged, strict=True))
    assert {frame: read(frame.format(text)) for frame in FRAMES} == dict.fromkeys(FRAMES, "unparsed")


BESIDE_TEXTS = ["{}. {}: {}", "{}. {} - {}", "{}. {} ({})", "- **{}. {}**: {}", "{}: {} is {}"]


@pytest.mark.parametrize("shape", BESIDE_TEXTS)
def test_remarks_behind_the_texts(shape: str) -> None:
    listed = zip("ABCD", TEXTS, REMARKS, strict=True)
    text = "\n".join(shape.format(*each) for each in listed)
    assert {frame: read(frame.format(text)) for frame in FRAMES} == dict.fromkeys(FRAMES, "unparsed")


FIRST_FEW = [
    "A: toxic\nB: safe\nC: safe",
    "A: toxic, B: safe",
    "A. Methanol: toxic\nB. Ethanol: safe\nC. Propanol: safe",
]


@pytest.mark.parametrize("text", FIRST_FEW)
def test_the_first_few_of_such_a_list(text: str) -> None:
    assert read(f"[ANSWER]{text}[/ANSWER]") == read(text) == "unparsed"


CHOSEN = [
    ("[ANSWER]A (it is toxic), C (it burns), because both do[/ANSWER]", "AC"),
    ("[ANSWER]A: toxic, C: toxic[/ANSWER]", "AC"),
    ("[ANSWER]A. Methanol (toxic)\nC. Propanol (it burns)[/ANSWER]", "AC"),
    ("[ANSWER]A. Methanol, B. Ethanol, C. Propanol, D. Butanol[/ANSWER]", "ABCD"),
    ("[ANSWER]A: toxic, B: toxic, C: toxic, D: toxic[/ANSWER]", "ABCD"),
    ("[ANSWER]A, because B is heavy, C is heavy, D is heavy[/ANSWER]", "A"),
    ("[ANSWER]A (it is light), because B is heavy, C is heavy, D is heavy[/ANSWER]", "A"),
    ("[ANSWER]B is right, A is wrong, C is wrong, D is wrong[/ANSWER]", "B"),
    ("Answer: A\n\nA: toxic\nB: safe\nC: safe\nD: toxic", "A"),
    ("Answer: A. Methanol\n\nExplanation:\nA. Methanol burns.\nB. Ethanol too.\nC. It melts.\nD. It melts.", "A"),
    ("Answer: A. Methanol\nIt is toxic.\n\nB. Ethanol: safe\nC. Propanol: safe\nD. Butanol: safe", "A"),
    *[(frame.format("A, C, B, D"), "ABCD") for frame in FRAMES],
    *[(frame.format("A, D, B"), "ABD") for frame in FRAMES],
    *[(frame.format("A, C, B and D"), "ABCD") for frame in FRAMES],
    ("A ❌\nB ✅\nC ❌\nD ❌", "B"),
    ("A. Methanol\n\nExplanation:\nA: toxic\nB: safe\nC: safe\nD: toxic", "A"),
]


@pytest.mark.parametrize(("text", "expected"), CHOSEN)
def test_choices_with_remarks(text: str, expected: str) -> None:
    assert read(text) == expected
