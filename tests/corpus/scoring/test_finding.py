"""Which of several places in a reply states its answer where the reply asks a question of its own."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption

SHOWN = tuple(ShownOption(letter, letter, f"text {letter.lower() * 3}") for letter in "ABCD")


def read(text: str, *, prompt: str = "", protocols: tuple[str, ...] = (), finish_reason: str = "") -> Reading:
    asked = Asked(Kind.CHOICE, SHOWN, prompt, protocols=protocols)
    return read_answer(text=text, asked=asked, finish_reason=finish_reason)


def letters(reading: Reading) -> str:
    """Return the letters read, or the status where none was."""
    return "".join(reading.option_keys) if reading.status is ReadStatus.READ else reading.status.value


# A line `Question:` in the middle of a reply: a step of its own, or a question it invents when it runs on
QUESTIONS = [
    # what stands in a stronger form behind it is the answer
    ("At first the answer is A.\n\nQuestion: does that fit? No.\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("The answer is A, they say.\n**Problem**: not in water.\n[ANSWER]B[/ANSWER]", "B", ()),
    ("At first the answer is A.\n\n### Question: does that fit? No.\n\n## Final Answer\nB", "B", ()),
    ("At first the answer is A.\n\nQuestion: does that fit?\n\n\\boxed{B}", "B", ()),
    ("At first the answer is A.\n\nQuestion: does that fit?\n\nFINAL ANSWER: B", "B", ()),
    ("A\n\nsince it fits.\n\nQuestion: does it?\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("\\boxed{A} at first.\n\nQuestion: does that fit? No.\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("A or B\n\nQuestion: which one?\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("I write [ANSWER]<answer>[/ANSWER].\n\nQuestion: which?\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("I leave [ANSWER][/ANSWER] open.\n\nQuestion: which?\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("It is not [ANSWER]A[/ANSWER].\n\nQuestion: which?\n\n[ANSWER]B[/ANSWER]", "B", ()),
    ("It is not \\boxed{A}.\n\nQuestion: which?\n\n\\boxed{B}", "B", ()),
    ("It is \\boxed{?}.\n\nQuestion: which?\n\n\\boxed{B}", "B", ()),
    # and behind that the reply runs on
    ("The answer is A.\n\nQuestion: fits?\n[ANSWER]B[/ANSWER]\n\nQuestion: next?\n[ANSWER]C[/ANSWER]", "B", ()),
    ("I see.\n\nQuestion: which?\n[ANSWER]B[/ANSWER]\n\nQuestion: next?\n[ANSWER]C[/ANSWER]", "B", ("run-on",)),
    # the same form, a weaker one, or none: it has run on
    ("[ANSWER]B[/ANSWER]\n\nQuestion: next?\n\n[ANSWER]C[/ANSWER]", "B", ("run-on",)),
    ("[ANSWER]B[/ANSWER]\n\nQuestion: next?\n\n\\boxed{C}", "B", ("run-on",)),
    ("[ANSWER] B\n\nQuestion: next?\n\n[ANSWER]C[/ANSWER]", "B", ("unclosed-tag", "run-on")),
    ("\\boxed{B}\n\nQuestion: next?\n\n\\boxed{C}", "B", ("run-on",)),
    ("## Answer\nB\n\n### Question 2:\nnext?\n\n## Answer\nC", "B", ("run-on",)),
    ("The answer is B.\n\nQuestion: next?\n\nThe answer is C.", "B", ("run-on",)),
    ("The answer is B.\n\nQuestion: next?\n\n[ANSWER]often[/ANSWER]", "B", ("run-on",)),
    ("B\n\nQuestion: next?\n\n[ANSWER]C[/ANSWER]", "B", ("run-on",)),
    ("[ANSWER]often[/ANSWER]\n\nQuestion: next?\n\n[ANSWER]C[/ANSWER]", "unparsed", ()),
]


@pytest.mark.parametrize(("text", "expected", "notes"), QUESTIONS)
def test_a_question_in_a_reply(text: str, expected: str, notes: tuple[str, ...]) -> None:
    reading = read(text)
    assert (letters(reading), reading.notes) == (expected, notes)


@pytest.mark.parametrize("form", ["[ANSWER]{}[/ANSWER]", "\\boxed{{{}}}", "FINAL ANSWER: {}", "The answer is {}."])
def test_a_reply_that_goes_on_from_a_label_is_not_read_from_its_next_question(form: str) -> None:
    text = f" The answer is B.\n\nQuestion: next?\nAnswer: {form.format('C')}"
    assert letters(read(text, prompt="Question: which one?\nAnswer:")) == "B"


def test_a_marked_answer_that_was_cut_off_does_not_count() -> None:
    text = "The answer is A.\n\nQuestion: does that fit? No.\n\n[ANSWER]B"
    assert letters(read(text)) == "B"
    assert letters(read(text, finish_reason="length")) == "A"


def test_only_the_places_asked_for_count_behind_a_question() -> None:
    text = "The answer is A.\n\nQuestion: does that fit?\n\n\\boxed{B}"
    assert letters(read(text)) == "B"
    assert letters(read(text, protocols=("tag", "announced"))) == "A"


def test_the_first_eight_questions_of_a_reply_are_looked_at() -> None:
    questions = "".join(f"\n\nQuestion {number}: next?" for number in range(1, 9))
    text = f"Let me see.{questions}\nThe answer is B.\n\nQuestion: next?\nThe answer is C."
    assert letters(read(text.replace("\n\nQuestion 1: next?", ""))) == "B"
    assert letters(read(text)) == "C"
