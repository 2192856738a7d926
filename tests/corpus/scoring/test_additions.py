"""Another letter called correct beside the answer leaves it unread; what is merely possible does not."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

TEXTS = ("Methanol", "Ethanol", "Propanol", "Butanol")
ASKED = Asked(Kind.CHOICE, tuple(ShownOption(a, a, text) for a, text in zip("ABCD", TEXTS, strict=True)))


def read(text: str) -> str:
    reading = read_answer(text=text, asked=ASKED)
    return "".join(reading.option_keys) or reading.status.value


PLACES = [
    *["B\n{}", "B\n\n{}", "**B**\n\n{}", "B. Ethanol\n{}", "[ANSWER]B[/ANSWER] {}", "[ANSWER]B[/ANSWER].\n\n{}"],
    *[r"\boxed{{B}}" + "\n{}", "The answer is B. {}", "Answer: B\n{}", "FINAL ANSWER: B\n{}", "## Answer\nB\n{}"],
    *["B is the correct answer. {}", "B is correct. {}", "I think it's B. {}"],
]
ADDITIONS = [
    *["C is also correct.", "Option C is also correct.", "**C** is also a correct answer.", "C is correct too."],
    *[
        "C is correct as well.",
        "However, C is also correct.",
        "But C could also be correct.",
        "C (Propanol) is also right.",
    ],
    *["C and D are also correct.", "B and D are also valid.", "Although C is equally valid.", "C also works."],
]
NO_ADDITIONS = [
    *["However, C could also be argued.", "C is also toxic.", "B is also correct by another way.", "C is not correct."],
    *[
        "C also has an oxygen.",
        "C is often thought to be correct, but it is wrong.",
        "It is also correct that C burns.",
    ],
]


@pytest.mark.parametrize("place", PLACES)
def test_another_letter_called_correct(place: str) -> None:
    assert {words: read(place.format(words)) for words in ADDITIONS} == dict.fromkeys(ADDITIONS, "unparsed")


@pytest.mark.parametrize("place", PLACES[:-3])
def test_another_letter_spoken_of(place: str) -> None:
    assert {words: read(place.format(words)) for words in NO_ADDITIONS} == dict.fromkeys(NO_ADDITIONS, "B")


IN_A_SENTENCE = [
    ("The answer is B, but C is also correct.", "unparsed"),
    ("The answer is B, although C could also be correct.", "unparsed"),
    ("The answer is B, although D is possible", "B"),
    ("The answer is B, but C is also toxic.", "B"),
    ("[ANSWER]B, but C is also correct[/ANSWER]", "unparsed"),
    ("The answers are B and C, and C is also correct by symmetry.", "BC"),
    ("C is also correct.", "unparsed"),
    ("A is toxic. C is also correct.", "unparsed"),
]


@pytest.mark.parametrize(("text", "expected"), IN_A_SENTENCE)
def test_in_a_sentence(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(("n_times", "expected"), [(1000, ("B",)), (1001, ())])
def test_a_reply_in_a_loop_states_nothing(n_times: int, expected: tuple[str, ...]) -> None:
    shown = tuple(ShownOption(letter, letter, text) for letter, text in zip("AB", ("tin", "zinc"), strict=True))
    reading = read_answer(text="I think it's B. " * n_times, asked=Asked(Kind.CHOICE, shown))
    assert reading.option_keys == expected
