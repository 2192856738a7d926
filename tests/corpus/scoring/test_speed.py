"""No pattern takes more than linear time."""

import string
import time

import pytest

from corpus.scoring.letters import option_letter
from corpus.scoring.plain import plain_text
from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind, ShownOption

LENGTH = 100_000
MAX_SECONDS = 0.05
CHARACTERS = [*string.printable, "×", "−", "⁻", "⁰", "\u00a0", "中", "İ"]
ASKED = [
    Asked(Kind.CHOICE, tuple(ShownOption(letter, letter, f"text {letter}") for letter in "ABCD")),
    Asked(Kind.NUMBER, unit="mol"),
]
MANY = Asked(Kind.CHOICE, tuple(ShownOption(option_letter(i), f"key-{i}", f"text {i}") for i in range(30)))
FRAMES = ["{}", "[ANSWER]{}[/ANSWER]", "Answer: {}"]


def seconds(text: str, asked: Asked) -> float:
    """Return the least processor time of two readings: one may have been interrupted."""
    times = []
    for _ in range(2):
        start = time.process_time()
        read_answer(text=text, asked=asked)
        times.append(time.process_time() - start)
        if times[-1] < MAX_SECONDS:
            break
    return min(times)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("asked", ASKED, ids=["choice", "number"])
def test_any_repeated_character(asked: Asked, frame: str) -> None:
    slow = {}
    for character in CHARACTERS:
        taken = seconds(frame.replace("{}", character * LENGTH), asked)
        if taken >= MAX_SECONDS:
            slow[character] = taken
    assert slow == {}


REPEATED = [
    "[ANSWER]",
    "[/ANSWER]",
    "[ANSWER]A",
    "<think>",
    "</think>",
    "\\boxed{",
    "answer: ",
    "the answer is ",
    "A, ",
]
REPEATED += [
    "1,",
    "1 ",
    "10^",
    "I am ",
    "= ",
    ". A",
    "\nQuestion:",
    "\nA:",
    "\\ce{",
    "(A) ",
    " or ",
    "option A ",
    "answer to ",
    "A is wrong ",
    "[ANSWER]A[/ANSWER], ",
    "[ANSWER]A[/ANSWER] and ",
    "not [ANSWER]A[/ANSWER], ",
    "not [ANSWER]A[/ANSWER]. ",
    "\\boxed{A}, ",
    "\\boxed{5} and ",
    "not the answer: ",
    "the incorrect answer is ",
    "the answer is B? ",
    "x = 5, ",
    "A. text A\n",
    "A. text A\nB. text B\nC. text C\nD. text D\n",
    "A (x), ",
    "A (Methanol) and C\n",
    "Answer:\nA. text A\nB. text B\n",
    "The correct answers are A. text A and ",
    "A (",
    "A because C and ",
    "A–C ",
    "10 to the power of ",
    "1 000,5 ",
    "not ",
    "is ",
    "&minus;",
    "1e^-",
    "five signals ",
    "5 mg water ",
    "\\boxed{5} mg ",
    "-\\boxed{5} \\times 10^{3} ",
    "-[ANSWER]5[/ANSWER] × 10^3 mg and ",
    "\\kilo\\joule",
    "10 (n = 2) ",
    "10, n = ",
    "\\boxed{5}- ",
    "\\frac{1}{\\boxed{5}} ",
    "five 13C NMR signals, so 5 ",
    '{"a": ',
    "<br>",
    "<h1>",
    "use <think> tags ",
    "\\SI[a]{5}{\\mg{",
]


# Phrases by which a model in a loop fills its reply.
IN_A_LOOP = [
    "B is the correct answer. ",
    "I think it's B. ",
    "I think it's ",
    "Actually, it should be B. ",
    "B is correct, ",
    "the answer is not B. ",
    "Many say the answer is B. ",
    "If the answer is B, ",
    "the answer is B? ",
    "Hence option B. ",
    "text A is the correct answer. ",
    "Explanation of the answer: ",
    "Wait, the answer is B. ",
    "Correction: B. ",
    "[ANSWER]A[/ANSWER] Wait, the answer is B. ",
    "many say the answer is 5. ",
    "the answer is ",
    "answer to ",
    "A is also correct. ",
    "C is the false statement. ",
    "only A and B, ",
    "A: toxic, B: safe, ",
    "[ANSWER]A[/ANSWER] or ",
    "\\boxed{A} / ",
    "$$\nA\n$$\n",
    "Sorry for ",
    "Hmm, maybe B? ",
    "not A, but ",
    "[ANSWER]A[/ANSWER] Wait, no, ",
]


@pytest.mark.parametrize("asked", [*ASKED, MANY], ids=["choice", "number", "many"])
def test_any_phrase_of_a_loop(asked: Asked) -> None:
    taken = {phrase: seconds(phrase * (LENGTH // len(phrase)), asked) for phrase in IN_A_LOOP}
    assert {phrase: spent for phrase, spent in taken.items() if spent >= MAX_SECONDS} == {}


@pytest.mark.parametrize("unit", REPEATED)
@pytest.mark.parametrize("asked", ASKED, ids=["choice", "number"])
def test_four_times_the_text_takes_no_sixteen_times_the_time(asked: Asked, unit: str) -> None:
    short = seconds(unit * (25_000 // len(unit)), asked)
    long = seconds(unit * (LENGTH // len(unit)), asked)
    assert long < max(9 * short, MAX_SECONDS)


@pytest.mark.parametrize("unit", ["a", "{", "}", "$", "\\", "\\ce{", "[START_SMILES]", "~"])
def test_typed_numbers_and_option_texts(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    start = time.process_time()
    read_typed_number(text)
    plain_text(text)
    assert time.process_time() - start < 1
