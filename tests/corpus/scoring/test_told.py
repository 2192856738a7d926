"""What is told of a reading: where it stood, how it was read, and why another was not."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

NUMBER = Asked(Kind.NUMBER)


def _choice(*texts: str) -> Asked:
    return Asked(
        Kind.CHOICE, tuple(ShownOption(letter, letter, text) for letter, text in zip("ABCD", texts, strict=True))
    )


ALCOHOLS = _choice("Methanol", "Ethanol", "Propanol", "Butanol")
METALS = _choice("tin", "zinc", "lead", "gold")
CHARGES = _choice("-1", "+1", "0", "+2")

# The text, what was read or the status, the notes, the words it was read from, and the reason.
ANOTHER_COUNT = "Another count follows in words."
LINES_BELOW = "Another number stands on the lines below."
TAKEN_BACK = "What was stated is taken back or doubted right behind it."
NUMBERS = [
    ("pH of 2.82", "2.82", (), "2.82", "Read from the sentence."),
    ("five and six signals", "unparsed", ("several-numbers",), "five and six signals", ANOTHER_COUNT),
    ("42 (forty-three)", "unparsed", ("several-numbers",), "42 (forty-three)", ANOTHER_COUNT),
    ("5 g (six)", "unparsed", ("several-numbers",), "5 g (six)", ANOTHER_COUNT),
    (r"\boxed{2}+", "2", ("outside", "trailing-sign"), r"\boxed{2}+", "Read from the boxed."),
    (r"E = - \boxed{1.2}", "-1.2", ("outside",), r"- \boxed{1.2}", "Read from the boxed."),
    (
        r"\boxed{1.2} \cdot 10^3 \text{ mol}",
        "1.2E+3",
        ("outside", "unit-undeclared"),
        r"\boxed{1.2} \cdot 10^3 \text{ mol",
        "Read from the boxed.",
    ),
    (
        "-[ANSWER]-5[/ANSWER]",
        "unparsed",
        ("expression",),
        "-[ANSWER]-5[/ANSWER]",
        "An expression around the number, not a number.",
    ),
    ("11.1\n\nBecause pOH = 2.9", "11.1", (), "11.1\n\nBecause pOH = 2.9", "Read from the bare reply."),
    ("11.1\n\npOH = 2.9", "unparsed", ("several-numbers",), "11.1", LINES_BELOW),
    ("11.1<br>pOH = 2.9", "unparsed", ("several-numbers",), "11.1", LINES_BELOW),
    ("11.1\n\n2.9 = pOH", "unparsed", ("several-numbers",), "11.1", LINES_BELOW),
    ("eleven\n\npOH = 2.9", "unparsed", ("several-numbers",), "eleven", LINES_BELOW),
    (
        "[ANSWER]11.1\n\npOH = 2.9[/ANSWER]",
        "unparsed",
        ("several-numbers",),
        "11.1\n\npOH = 2.9",
        "Another number stands in front of the equation.",
    ),
    (
        "[ANSWER]10 with 4n+2 electrons, n = 2[/ANSWER]",
        "unparsed",
        ("several-numbers",),
        "10 with 4n+2 electrons, n = 2",
        "Several equations stand behind one number.",
    ),
    ("five ", "5", ("number-word",), "five", "Read from the bare reply."),
    ("Answer -42", "-42", (), "Answer -42", "Read from the bare reply."),
]
CHOICES = [
    (
        "Answer: A and B but not B",
        "unparsed",
        ("unread-list",),
        "A and B but not B",
        "The letter B may belong to the answer.",
    ),
    (
        "[ANSWER](A) und (C)[/ANSWER]",
        "unparsed",
        ("unread-list",),
        "(A) und (C)",
        "The letter C may belong to the answer.",
    ),
    ("Final Answer: The final answer is $B$. I hope it is correct.", "B", (), "$B$", "Read from the label."),
    ("FINAL ANSWER: A\nOops. B is the correct answer.", "B", ("corrected",), "B", "Read from the statement."),
    ("✅ A, ❌ B", "unparsed", (), "", "The reply states no answer."),
    (r"\boxed{A and B but not C or D} Not A, but B.", "AB", (), "A and B but not C or D", "Read from the boxed."),
    (
        "The answer is B. Methanol.",
        "unparsed",
        ("contradiction",),
        "B",
        "The letter B and the words beside it name different options.",
    ),
    (
        "Answer:\n**A** is toxic, **B** is safe, **C** is safe,",
        "unparsed",
        ("judged",),
        "A** is toxic, **B** is safe, **C** is safe,",
        "Something is said of each option, and none is chosen.",
    ),
    (
        "✅ **B. Ethanol** ## Answer\nA\n\nActually, it's B.",
        "B",
        ("letter-and-text",),
        "✅ **B. Ethanol** ## Answer",
        "Read from the first line.",
    ),
]
CORRECTIONS = [
    ("[ANSWER]A[/ANSWER] Sorry, that is wrong.", "unparsed", ("withdrawn",), "wrong", TAKEN_BACK),
    ("[ANSWER]A[/ANSWER] Oops, I meant C or D.", "unparsed", ("withdrawn",), "C or D", TAKEN_BACK),
    ("B. Actually, no.", "unparsed", ("withdrawn",), "no", TAKEN_BACK),
    ("Answer: A\n**Edit:** B The answer is B? No, it's C.", "A", (), "A", "Read from the label."),
]
TOLD = [
    *[(NUMBER, *row) for row in NUMBERS],
    (
        Asked(Kind.NUMBER, unit="g"),
        "500 mg NaCl FINAL ANSWER – 42",
        "unparsed",
        ("several-numbers",),
        "500 mg NaCl FINAL ANSWER – 42",
        "More than one number.",
    ),
    (Asked(Kind.NUMBER, unit="%"), "[ANSWER]50 per cent[/ANSWER]", "50", (), "50 per cent", "Read from the tag."),
    *[(ALCOHOLS, *row) for row in CHOICES],
    *[(METALS, *row) for row in CORRECTIONS],
    (
        CHARGES,
        "-[ANSWER]+1[/ANSWER]",
        "unparsed",
        ("expression",),
        "-[ANSWER]+1[/ANSWER]",
        "An expression around the number, not a number.",
    ),
]


@pytest.mark.parametrize(("asked", "text", "read", "notes", "said", "reason"), TOLD)
def test_what_is_told_of_a_reading(
    asked: Asked, text: str, read: str, notes: tuple[str, ...], said: str, reason: str
) -> None:
    reading = read_answer(text=text, asked=asked)
    value = "".join(reading.option_keys) or ("" if reading.number is None else str(reading.number))
    assert (value or reading.status.value) == read
    assert reading.notes == notes
    assert (text[slice(*reading.span)] if reading.span else "") == said
    assert reading.reason == reason


@pytest.mark.parametrize("text", ["\nA: toxic\nB: safe\nC: safe\n", "\n\nA. tin\nB. zinc\nC. lead\n\n"])
def test_a_list_of_all_options_at_the_limit_was_cut(text: str) -> None:
    reading = read_answer(text=text, asked=ALCOHOLS, finish_reason="length")
    assert (reading.status.value, reading.span) == ("truncated", None)
    assert reading.reason == "The reply reached the token limit before its answer was complete."
