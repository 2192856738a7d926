"""An answer on a line of its own between the marks of displayed maths or code."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

CHOICE = Asked(
    Kind.CHOICE, tuple(ShownOption(a, a, text) for a, text in zip("ABC", ("tin", "zinc", "lead"), strict=True))
)
HEADS = [
    "Final answer:\n",
    "**Answer:**\n\n",
    "The answer is\n",
    "The answer is:\n\n",
    "## Answer\n",
    "FINAL ANSWER: ",
    "",
]
MARKS = [
    ("\\[", "\\]"),
    ("$$", "$$"),
    ("\\(", "\\)"),
    ("```", "```"),
    ("```text", "```"),
    ("\\begin{align*}", "\\end{align*}"),
]


def read(text: str, asked: Asked = CHOICE) -> str:
    reading = read_answer(text=text, asked=asked)
    return "".join(reading.option_keys) or (reading.status.value if reading.number is None else str(reading.number))


@pytest.mark.parametrize("head", HEADS[:-1])
@pytest.mark.parametrize(("opening", "closing"), MARKS)
def test_behind_an_announcement(head: str, opening: str, closing: str) -> None:
    for inner in ("B", "\\boxed{B}", "\\text{B}", "\\text{(B)}.", "  \\mathbf{B}", "zinc"):
        assert read(f"We compare them.\n{head}{opening}\n{inner}\n{closing}\n\nIt burns.") == "B"
    assert read(f"{head}{opening}\n5.2\n{closing}", Asked(Kind.NUMBER)) == "5.2"
    assert read(f"{head}{opening}\nm = 5.2\n{closing}", Asked(Kind.NUMBER)) == "5.2"


@pytest.mark.parametrize(("opening", "closing"), MARKS)
def test_alone(opening: str, closing: str) -> None:
    assert read(f"{opening}\n\\boxed{{B}}\n{closing}") == "B"


NOT_ALONE = ["Answer:\n\\[\nB\n+ C\n\\]", "Answer:\n\\[\nB", "Answer:\n\\[\n\\]\nB", "Answer:\n\\[\nA \\to B\n\\]"]


@pytest.mark.parametrize("text", NOT_ALONE)
def test_a_display_of_more_is_no_answer(text: str) -> None:
    assert read(text) == "unparsed"
    assert read(text.replace("B", "5").replace("A ", "4 ").replace("C", "3"), Asked(Kind.NUMBER)) == "unparsed"
