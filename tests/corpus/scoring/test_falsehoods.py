"""Where a question asks for what is false, the letter called false is the answer, and one called correct is not."""

import pytest

from corpus.scoring.falsehoods import asks_for_false
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

SHOWN = tuple(
    ShownOption(a, a, text) for a, text in zip("ABCD", ("It burns", "It melts", "It boils", "It rusts"), strict=True)
)
FALSE_ASKED = "Which of the following statements is NOT true?\n\nA. It burns\nB. It melts"
TRUE_ASKED = "Which of the following statements is true?\n\nA. It burns\nB. It melts"


def read(text: str, prompt: str) -> str:
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, SHOWN, prompt))
    return "".join(reading.option_keys) or reading.status.value


CALLED_FALSE = [
    *["The incorrect statement is C.", "The incorrect statement is C", "Therefore, the incorrect statement is C."],
    *["**The incorrect statement is C.**", "The false statement is C.", "The wrong option is **C**."],
    *["C is the incorrect statement.", "C is the only false one.", "Option C is the false statement, as it freezes."],
    *["The statement that is incorrect is C.", "The statement that is not true is (C).", "The false statement: C"],
    *["A is correct. B is correct. The statement that is false is C."],
]


@pytest.mark.parametrize("text", CALLED_FALSE)
def test_the_letter_called_false(text: str) -> None:
    assert read(text, FALSE_ASKED) == "C"
    assert read(text, TRUE_ASKED) == read(text, "") == "unparsed"


NOT_READ = [
    *["A, B and D are correct.", "A and B are correct. C is not.", "A is true, B is true, C is false, D is true"],
    *["A is correct, B is correct, C is incorrect, D is correct", "C is not the incorrect statement."],
    *["C is the false statement. D is the false statement.", "I doubt that C is the false statement.", "A is correct."],
    *["C is the incorrect statement. No, wait.", "If C is the false statement, it burns."],
]


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_true_is_not_what_was_asked_for(text: str) -> None:
    assert read(text, FALSE_ASKED) == "unparsed"


ANSWERED = ["C is the correct answer.", "The answer is C.", "I think it's C.", "A is true. C is the right choice.", "C"]


@pytest.mark.parametrize("text", ANSWERED)
def test_an_answer_is_one_whatever_was_asked(text: str) -> None:
    assert read(text, FALSE_ASKED) == read(text, TRUE_ASKED) == "C"


QUESTIONS = [
    ("Which statement is incorrect?", True),
    ("Identify the false statement.", True),
    ("Select all that are not correct", True),
    ("Is it true?\nA. True\nB. False", False),
    ("Which one is true?\nA. True\nB. False", False),
    ("Incorrect answers count nothing. Which one burns?", False),
]


@pytest.mark.parametrize(("prompt", "expected"), QUESTIONS)
def test_which_questions_ask_for_what_is_false(prompt: str, expected: bool) -> None:
    assert asks_for_false(prompt) is expected
