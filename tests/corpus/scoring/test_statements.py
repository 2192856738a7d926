"""Letters called correct: a group is read whole, and what may be an alternative or a part of one is not read."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.statements import called_correct, only_statement
from corpus.scoring.types import Asked, Kind, ShownOption

TEXTS = ("Methanol", "Ethanol", "Propan-1-ol", "Benzene")
CHOICE = Asked(Kind.CHOICE, tuple(ShownOption(a, a, text) for a, text in zip("ABCD", TEXTS, strict=True)))


def read(text: str) -> str:
    reading = read_answer(text=text, asked=CHOICE)
    return "".join(reading.option_keys) or "unparsed"


STATED = [
    *[(f"A {joint} D are correct.", "AD") for joint in ("and", "&", "+", "plus", "as well as")],
    *[(f"{group} are the correct answers.", "ABD") for group in ("A, B and D", "A, B, and D", "A and B and D")],
    *[(f"{group} are correct.", "AD") for group in ("A, D", "Both A and D", "**A** and **D**", "(A) and (D)", "A+D")],
    ("So both A & D are correct", "AD"),
    ("I think it's A and D.", "AD"),
    ("It is light, and so D is correct.", "D"),
    ("Ethanol (B) is correct.", "B"),
    ("A is wrong and D is correct.", "D"),
    ("It can't be A; D is correct.", "D"),
    ("It isn't A, but D is correct.", "D"),
    ("D is the correct one, since it has more carbons than B and C.", "D"),
    ("D is correct. B and C are lighter.", "D"),
    ("**D** is the correct answer.", "D"),
    ("A is the answer since B is too big", "A"),
    ("Ethanol is the correct answer.", "B"),
    ("It has two carbons. So ethanol is the correct answer.", "B"),
]
NOT_STATED = [
    "Neither A nor D is correct.",
    "A or D is correct.",
    "Either A or D is correct.",
    "A and/or D is correct.",
    "A / D are correct.",
    "A; D are correct.",
    "A along with D is correct.",
    "A rather than D is correct.",
    "Methanol (A) and benzene (D) are correct.",
    "I cannot answer, as none of the options A, B, C or D is correct.",
    "None of A, B and D is correct.",
    "Only one of A and D is correct.",
    "Compared to A and C, B is the best answer.",
    "A is correct, and so is D.",
    "A is correct. So is D.",
    "A is correct, D as well.",
    "A is correct and D is also correct.",
    "D is correct. A too.",
    "A is correct, or D.",
    "D is correct only if heated.",
    "At first glance D is correct, but B is the right one.",
    "D is the correct answer? I doubt it.",
    "It is tempting to say D is the correct answer. It is not.",
    "It is wrong to say that D is correct.",
    "Nobody would say D is correct.",
    "Suppose D is correct. Then it burns.",
    "I think it's A; D.",
    "Nobody thinks ethanol is the correct answer.",
    "Ethanol is the correct answer? No.",
    "Ethanol is the correct answer. No, wait.",
    "Ethanol is the correct answer. Benzene is the correct answer.",
    "Butanol is the correct answer.",
    "I think it's A, or D.",
    "I think it's A. Or D.",
]


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_letters_called_correct(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", NOT_STATED)
def test_what_states_no_one_choice(text: str) -> None:
    assert read(text) == "unparsed"


def test_the_same_letter_added_changes_nothing() -> None:
    assert read("B is the correct answer. B too.") == "B"


@pytest.mark.parametrize(
    "text", ["METHANOL IS THE CORRECT ANSWER.", "METHANOL IS THE RIGHT OPTION.", "METHANOL IS THE BEST CHOICE"]
)
def test_a_sentence_all_in_capitals_is_a_statement(text: str) -> None:
    assert [text[place.start : place.end] for place in called_correct(text)] == ["METHANOL"]


@pytest.mark.parametrize(
    "text",
    [
        "I think it's B.",
        "I'd say that it's option B",
        "I would go with (B), since",
        "I pick **B**\n",
        "I choose B and C",
        "I guess B because",
        "I'll go with B.",
        "I will go with option B.",
        "I select B.",
        "I'd select (B), because",
        "I’ll pick B.",
        "I'm going with B.",
        "I am choosing B",
        "I opt for B.",
        "My choice is B.",
        "So my choice is B.",
        "Let me go with option B.",
        "Let's go with B.",
        "Going with B.",
        "My pick would be **B**.",
    ],
)
def test_a_choice_in_the_first_person_is_a_statement(text: str) -> None:
    located = only_statement(text)
    assert located is not None
    assert "B" in text[located.start : located.end]


def test_a_choice_of_nothing_is_no_statement() -> None:
    assert only_statement("I think it's I think it's Bad") is None
