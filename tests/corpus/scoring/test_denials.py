"""Letters, numbers and announcements that are denied are no answers."""

import pytest

from corpus.scoring.denials import asks_for
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

METALS = ("tin", "zinc", "lead", "gold")


def asked_for(*texts: str, prompt: str = "") -> Asked:
    return Asked(Kind.CHOICE, tuple(ShownOption("ABCD"[i], "ABCD"[i], text) for i, text in enumerate(texts)), prompt)


def read(text: str, asked: Asked) -> str:
    """Return the letters or number read, or the status with the notes where none was."""
    reading = read_answer(text=text, asked=asked)
    value = "".join(reading.option_keys) or ("" if reading.number is None else str(reading.number))
    return value or " ".join((reading.status.value, *reading.notes))


IN_A_TAG = [
    *[(text, "unparsed denied") for text in ("A is wrong", "A, B are incorrect", "A and B are wrong; C", "B is false")],
    *[(text, "unparsed denied") for text in ("B (incorrect)", "A (ruled out)", "!A", "¬B", "! (A)", "**A** is wrong")],
    *[(text, "unparsed denied") for text in ("A - incorrect\nB - correct", "A. No; B. Yes")],
    *[(text, "unparsed denied") for text in ("A is clearly not", "B: not the answer", "A is not light")],
    *[(text, "unparsed denied") for text in ("A: tin (wrong), B: zinc", "B. zinc is wrong", "A: 1, B: 0, C: 0, D: 0")],
    *[(text, "unparsed denied") for text in ("B, surely not", "B (definitely not)", "B - clearly no")],
    *[(text, "unparsed") for text in ("B? Certainly not", "A can be excluded", "A isn't, B", "A cannot be", "A ❌")],
    ("A: 0.9, B: 0.1", "unparsed scored"),
    ("A: 0.9 , B: 0.1", "unparsed scored"),
    ("A: 90%\nB: 10%", "unparsed scored"),
    ("A: 90%  \nB: 10%", "unparsed scored"),
    ("A, C (both correct)", "AC"),
    # a letter preferred to another one, and words that only contain a denial
    *[
        (text, "B")
        for text in (
            "B, not A",
            "B (not C)",
            "B, not the others",
            "B, certainly not A",
            "B: zinc",
            "B is right, A is wrong",
        )
    ],
    *[
        (text, "B")
        for text in ("B because A is wrong", "B. zinc, no doubt", "B. zinc is not a halogen", "B, nothing else")
    ],
    *[(text, "B") for text in ("B. zinc isn't a halogen", "B. zinc cannot melt")],
    *[(text, "B") for text in ("B (90%)", "B: 0.9", "B is incorrectly called tin", "B. zinc does not melt")],
]


@pytest.mark.parametrize(("text", "expected"), IN_A_TAG)
def test_in_a_tag(text: str, expected: str) -> None:
    assert read(f"[ANSWER]{text}[/ANSWER]", asked_for(*METALS)) == expected


@pytest.mark.parametrize("text", ["B. No change", "B. no change at all", "B: No change.", "B (no change)"])
def test_an_option_that_is_a_denial_itself(text: str) -> None:
    options = asked_for("Yes", "No change" if "all" not in text else "No change at all", "Not soluble", "Incorrect")
    assert read("[ANSWER]B. Probably not[/ANSWER]", asked_for("Yes", "Probably not", "No", "Maybe")) == "B"
    assert read("[ANSWER]C. No[/ANSWER]", asked_for("Yes", "Probably not", "No", "Maybe")) == "C"
    assert read(f"[ANSWER]{text}[/ANSWER]", options) == "B"
    assert read("[ANSWER]C. Not soluble[/ANSWER]", options) == "C"
    assert read("[ANSWER]D. Incorrect[/ANSWER]", options) == "D"
    assert read("[ANSWER]D (Incorrect)[/ANSWER]", options) == "D"


WHOLE_REPLIES = [
    ("Answer: B is wrong.", "unparsed denied"),
    ("Answer: A is incorrect, so B", "unparsed denied"),
    ("A: incorrect\nB: correct\nC: incorrect\nD: incorrect", "unparsed denied"),
    ("The answer is B? No, it's C.", "unparsed"),
    ("The answer is A. And if the answer is B? No.", "A"),
    ("Answer: A (tin), B (zinc), which are wrong", "unparsed denied"),
    ("Explanation of the answer: B", "unparsed"),
    ("The incorrect answer is B.", "unparsed"),
    ("The wrong answers are A, B.", "unparsed"),
    ("The least likely answer is B", "unparsed"),
    ("The incorrect statement is B.", "unparsed"),
    ("The inappropriate option is B.", "unparsed"),
    ("Incorrect answer: B", "unparsed"),
    ("Not the answer: B", "unparsed"),
    ("It is not true that the answer is B", "unparsed"),
    ("The correct answer is A. The incorrect answers are B, C.", "A"),
    ("Answer: A\nWrong answers: B, C", "A"),
    *[(f"Certainly not {text}", "unparsed") for text in ("B", "B.", "the answer: B", "B is the correct answer.")],
    ("It isn't the correct answer: B", "unparsed"),
    ("It cannot be the answer: B", "unparsed"),
    ("It is never the answer: B", "unparsed"),
    ("I doubt that B is the correct answer.", "unparsed"),
    ("Not B is the correct answer.", "unparsed"),
    ("I do not think option B is the correct answer.", "unparsed"),
    ("It isn't B is the correct answer.", "unparsed"),
    ("It is not the case that B is the correct answer.", "unparsed"),
    ("Nobody thinks B is the correct answer.", "unparsed"),
    ("I wonder whether B is the correct answer.", "unparsed"),
    ("I doubt that B is the correct answer. A is the correct answer.", "A"),
    ("It is not tin. B is the correct answer.", "B"),
    ("Why not? B is the correct answer.", "B"),
    # tags and boxes
    ("It is certainly not the [ANSWER]A[/ANSWER].", "unparsed denied"),
    ("It cannot be [ANSWER]A[/ANSWER].", "unparsed denied"),
    (r"It can't be \boxed{A}.", "unparsed denied"),
    ("If not tin, then the [ANSWER]A[/ANSWER]", "A"),
    ("The answer is not [ANSWER]A[/ANSWER].", "unparsed denied"),
    ("The answer isn't <ANSWER>A</ANSWER>.", "unparsed denied"),
    (r"The answer is not \boxed{A}.", "unparsed denied"),
    ("[ANSWER]A[/ANSWER]. The wrong ones: [ANSWER]B[/ANSWER] and [ANSWER]C[/ANSWER]", "A"),
    ("[ANSWER]A[/ANSWER]. The incorrect answer is [ANSWER]B[/ANSWER]", "A"),
    ("B and C are wrong\n[ANSWER]A[/ANSWER]", "A"),
    ("It is not\n[ANSWER]A[/ANSWER]", "A"),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE_REPLIES)
def test_whole_replies(text: str, expected: str) -> None:
    assert read(text, asked_for(*METALS)) == expected


ASKED_FOR = [
    ("The incorrect statement is B.", "Which statement is incorrect?", "B"),
    ("The incorrect statement is B.", "Which of these is not true?", "B"),
    ("The least likely answer is B.", "Which is the least likely?", "B"),
    ("The least likely answer is B.", "Which is the most likely?", "unparsed"),
    ("Wrong answer: B", "Which answer is wrong?", "B"),
    ("The incorrect one is [ANSWER]B[/ANSWER]", "Which one is false?", "B"),
    ("The incorrect one is [ANSWER]B[/ANSWER]", "Which one is heavy?", "unparsed denied"),
    ("It is not the answer: B", "Which is not the heaviest?", "unparsed"),
    ("B is wrong", "Which statement is wrong?", "unparsed"),
    *[(f"The {word} answer is B.", "Which is not true?", "B") for word in ("incorrect", "wrong", "false", "untrue")],
    *[(f"The {word} answer is B.", "Which is true?", "unparsed") for word in ("incorrect", "wrong", "false", "untrue")],
    # the question may say `not` of something else
    ("It is never the answer: B", "Which is never the answer?", "unparsed"),
    ("It cannot be the answer: B", "Which cannot be the answer?", "unparsed"),
    # in a correction and before a lone closing tag
    ("[ANSWER]A[/ANSWER] Wait, the incorrect statement is B.", "Which statement is false?", "B"),
    ("[ANSWER]A[/ANSWER] Wait, the incorrect statement is B.", "Which statement is true?", "A"),
    ("So\nthe incorrect statement is B [/ANSWER]", "Which statement is false?", "B"),
    ("So\nthe incorrect statement is B [/ANSWER]", "Which statement is true?", "unparsed"),
    (r"It is not \boxed{A} and \boxed{C}.", "", "unparsed denied"),
    (r"It is not \boxed{A}, so \(x = 1\).", "", "unparsed denied"),
    (r"With \(x = 1\), it is not \boxed{A}.", "", "unparsed denied"),
    (r"The incorrect one is \boxed{B}.", "Which one is false?", "B"),
]


@pytest.mark.parametrize(("text", "prompt", "expected"), ASKED_FOR)
def test_a_question_may_ask_for_what_is_wrong(text: str, prompt: str, expected: str) -> None:
    assert read(text, asked_for(*METALS, prompt=prompt)) == expected


CORRECTIONS = [
    ("[ANSWER]A[/ANSWER]\nWait, actually, B is correct.", "B"),
    ("[ANSWER]A[/ANSWER] Actually, the answer is B.", "B"),
    ("[ANSWER]A[/ANSWER] Actually the answer is B.", "B"),
    ("[ANSWER]A[/ANSWER] It is actually light. The answer is B, some say.", "A"),
]


@pytest.mark.parametrize(("text", "expected"), CORRECTIONS)
def test_corrections(text: str, expected: str) -> None:
    assert read(text, asked_for(*METALS)) == expected


JOINED = [
    (r"\boxed{A} \text{ and } \boxed{C}", "AC"),
    (r"$\boxed{A}$, $\boxed{B}$ and $\boxed{C}$", "ABC"),
    (r"\boxed{A}, so \boxed{C}", "C"),
    (r"\frac{1}{2}, \boxed{C}", "C"),
    (f"[ANSWER]A[/ANSWER]{' ' * 70}and [ANSWER]C[/ANSWER]", "C"),
    (f"[ANSWER]A[/ANSWER], {'as was said before, ' * 4}and [ANSWER]C[/ANSWER]", "C"),
    ("[ANSWER]A[/ANSWER] and [ANSWER]C[/ANSWER]", "AC"),
    ("[ANSWER]A[/ANSWER], [ANSWER]B[/ANSWER], and [ANSWER]C[/ANSWER]", "ABC"),
    ("[ANSWER]A[/ANSWER] then [ANSWER]C[/ANSWER]", "C"),
    ("[ANSWER]A[/ANSWER]\n[ANSWER]C[/ANSWER]", "C"),
    ("[ANSWER]A[/ANSWER] and [ANSWER]Z[/ANSWER]", "unparsed unknown-letter"),
    ("[ANSWER]Z[/ANSWER] and [ANSWER]A[/ANSWER]", "unparsed unknown-letter"),
]


@pytest.mark.parametrize(("text", "expected"), JOINED)
def test_answers_joined_by_and(text: str, expected: str) -> None:
    assert read(text, asked_for(*METALS)) == expected


def test_joined_numbers_are_one_number_or_none() -> None:
    assert read("[ANSWER]3[/ANSWER] and [ANSWER]4[/ANSWER]", Asked(Kind.NUMBER)) == "unparsed several-numbers"
    assert read("[ANSWER]3[/ANSWER] and [ANSWER]3.0[/ANSWER]", Asked(Kind.NUMBER)) == "3.0"
    assert read(r"\boxed{3}, \boxed{4}", Asked(Kind.NUMBER)) == "unparsed several-numbers"


NUMBERS = [
    ("[ANSWER]5 is wrong[/ANSWER]", "unparsed denied"),
    ("[ANSWER]5 g (incorrect)[/ANSWER]", "unparsed denied"),
    ("[ANSWER]5 is not right[/ANSWER]", "unparsed denied"),
    ("[ANSWER]42[/ANSWER] Actually the answer is 43.", "43"),
    ("The wrong answer is 42.", "unparsed"),
    ("The answer is not [ANSWER]42[/ANSWER].", "unparsed denied"),
    ("[ANSWER]5 g, not counting water[/ANSWER]", "5"),
    *[(f"Certainly not {text}", "unparsed") for text in ("5", "5.", "**5**", "about 5", "equal to 5")],
    *[
        (f"5{text}", "unparsed denied")
        for text in ("? Certainly not.", ", surely not", " - definitely not", " clearly not")
    ],
    *[(f"x {sign} 5", "unparsed denied") for sign in ("is not =", "!=", "cannot be =", "isn't =", "is never ≈")],
    ("It is false that x = 5", "unparsed denied"),
    ("[ANSWER]Surely not = 5[/ANSWER]", "unparsed denied"),
    ("[ANSWER]It cannot be 5[/ANSWER]", "unparsed"),
    *[
        (f"Therefore, it {text} 5.", "unparsed")
        for text in ("cannot be", "can't be", "does not equal", "would certainly not be", "can never be")
    ],
    ("Therefore, it is unlikely to be 5.", "unparsed"),
    ("Therefore, it is not zero but is 5.", "5"),
    ("Therefore, it cannot be neglected and is 5.", "5"),
    ("x is not 4, it is = 5", "5"),
    *[(f"[ANSWER]{text} 5[/ANSWER]", "unparsed denied") for text in ("!=", "Cannot be =")],
    ("The answer is 5.\n3 is the charge of the ion, not 2.", "5"),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_numbers(text: str, expected: str) -> None:
    assert read(text, Asked(Kind.NUMBER)) == expected


SUPPOSED = [
    ("If the answer is A, then it is light. But it is heavy. So it must be B.", "B"),
    ("Suppose the answer is A. Then it would be light. Hence B.", "B"),
    ("Assuming that the answer is A leads nowhere.", "unparsed"),
    ("Many students say the answer is A. But it is D.", "unparsed"),
    ("Some textbooks claim the answer is A, yet this is outdated.", "unparsed"),
    ("Another student wrote: 'The answer is A.' It may be C.", "unparsed"),
    ("Previously I said the answer is A.", "unparsed"),
    ("I thought the answer is A.", "unparsed"),
    ("Let me conclude:\nThe answer is B.", "B"),
    ("I doubt the answer is A.", "unparsed"),
    ("I am not convinced the answer is A.", "unparsed"),
    ("It's unlikely that the answer is A.", "unparsed"),
    ("I cannot conclude that the answer is A.", "unparsed"),
    ("There is no way the answer is A.", "unparsed"),
    ("I can rule out that the answer is A", "unparsed"),
    ("Don't think the correct option is A.", "unparsed"),
    ("The answer is B. Many students say the answer is A.", "B"),
    ("The answer is A... no, C.", "C"),
    ("The answer is A, or rather C.", "unparsed withdrawn"),
    ("The answer is A. Hmm, wait. Let me reconsider. It should be C.", "C"),
    ("The answer is A. Hmm, wait. Let me reconsider.", "unparsed withdrawn"),
    ("The answer is A. That is not correct.", "unparsed withdrawn"),
    # affirmed, whatever stands before it
    *[(f"{words} the answer is B.", "B") for words in ("I think", "I would say that", "We conclude that", "I believe")],
    *[(f"{words} the answer is B.", "B") for words in ("If it is light,", "I am not sure, but", "It is not tin, so")],
    *[(f"{words} the answer is B.", "B") for words in ("I suppose", "I am confident that", "This means that")],
    ("The answer is B. No other metal is light.", "B"),
    ("The answer is B. It is not heavy.", "B"),
    ("The answer is B (the answer is not A).", "B"),
    ("The answer is B. Hence, the answer is not B.", "unparsed"),
    ("The answer is not A.", "unparsed"),
    ("The correct answers are A. A soft metal and C. A heavy metal.", "unparsed unread-list"),
    ("The correct answers are A. tin, which is soft, and C", "unparsed unread-list"),
    ("Answers are A. A soft metal and C. A heavy metal.", "unparsed unread-list"),
    ("The correct answers are A. tin.\nOf zinc, and C, nothing is known.\nDone.", "A"),
]


@pytest.mark.parametrize(("text", "expected"), SUPPOSED)
def test_what_is_supposed_doubted_reported_or_taken_back(text: str, expected: str) -> None:
    assert read(text, asked_for(*METALS)) == expected


SUPPOSED_NUMBERS = [
    ("Suppose the answer is 5. That is too small. So 6.", "unparsed"),
    ("I doubt the answer is 5.", "unparsed"),
    ("The answer is 5... no, 6.", "6"),
    ("The answer is 5... no, no.", "unparsed withdrawn"),
    ("[ANSWER]5... no, 6[/ANSWER]", "unparsed denied"),
    ("Hence the answer is 5, not 6.", "5"),
    ("Hence, the answer is 5 g (not 6).", "5"),
]


@pytest.mark.parametrize(("text", "expected"), SUPPOSED_NUMBERS)
def test_numbers_that_are_supposed_or_taken_back(text: str, expected: str) -> None:
    assert read(text, Asked(Kind.NUMBER)) == expected


def test_a_tag_called_wrong_behind_it() -> None:
    assert read("[ANSWER]A[/ANSWER] is wrong, since it is light.", asked_for(*METALS)) == "unparsed denied"
    assert read("[ANSWER]A[/ANSWER] is what I choose.", asked_for(*METALS)) == "A"
    assert read("[ANSWER]A[/ANSWER]\n\nNot B, since it is light.", asked_for(*METALS)) == "A"


def test_a_question_that_denies_asks_for_nothing_denied() -> None:
    assert not asks_for("Which isn't the correct one?", "n't the correct ")
    assert not asks_for("Which is not the correct one?", "not the correct ")
    assert asks_for("Which is the worst one?", "worst ")


def test_only_the_words_of_the_same_line_are_somebody_elses() -> None:
    assert read("Hm.\nMany say\nThe answer is B.", asked_for(*METALS)) == "B"
    assert read("Hm.\nMany say the answer is B.", asked_for(*METALS)) == "unparsed"
    assert read("It's unlikely that the answer is A\n\n", asked_for(*METALS)) == "unparsed"
