"""What is said behind an answer: another one in its place, that it does not hold, or an aside."""

import re

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

CHOICE = Asked(
    Kind.CHOICE,
    tuple(
        ShownOption(letter, letter, text) for letter, text in zip("ABCD", ("tin", "zinc", "lead", "gold"), strict=True)
    ),
)
NUMBER = Asked(Kind.NUMBER)
IN_TAGS = ["[ANSWER]A[/ANSWER] {}", "[ANSWER]A[/ANSWER]\n\n{}"]
PLACES = [*IN_TAGS, r"So \boxed{{A}}. {}", "Answer: A\n{}", "## Answer\nA\n\n{}"]


def read(text: str, asked: Asked = CHOICE) -> str:
    """Return the letters or number read, or the status with the notes where none was."""
    reading = read_answer(text=text, asked=asked)
    value = "".join(reading.option_keys) or ("" if reading.number is None else str(reading.number))
    return value or " ".join((reading.status.value, *reading.notes))


REPLACED = [
    *(
        "No wait, it's B",
        "I changed my mind: B.",
        "I have changed my mind. It's B.",
        "Change that to B.",
        "I now think B.",
    ),
    *("I'd rather say B.", "I now believe the answer is B."),
    "I need to correct my answer. It is light, so the answer is B.",
    "Hmm, actually looking at this again, B is the correct answer.",
    *("Correction: B", "Correction - B", "Correction: option (B) zinc.", "Correction: zinc", "Correction: **B**"),
    *("On second thought, B", "On reflection, B.", "Upon further reflection, B is the correct answer."),
    *("Scratch that, B", "Scratch that. B.", "Strike that: B", "I take that back. B.", "Ignore that, the answer is B."),
    *("Sorry, that is wrong; B is right", "Sorry, B.", "Sorry, it's B.", "Sorry for the confusion. It should be B."),
    *("Let me correct this: B", "Let me correct myself: the answer is B", "Let me change my answer: B"),
    *("Edit: B", "**Edit:** B", "EDIT: B", "Update: B", "UPDATE: The answer is B.", "Typo: B", "Erratum: B"),
    *("Wait, no. It's B.", "Wait, no, B.", "No, wait. B.", "Wait, actually it's B.", "Wait, B.", "Hmm, wait. It is B."),
    *("Actually, it's B.", "Actually, B", "Actually B is correct.", "Actually, I think it's B.", "Actually, zinc."),
    *("Oops, it's B.", "Oops! B.", "Oops, that should be B.", "Oh, I was wrong, it's B.", "My mistake: B."),
    *("I made a mistake. It should be B.", "I misread the question; it is B.", "I should have said B.", "Make that B."),
    *("I'm changing my answer to B.", "I'd like to change my answer from A to B.", "I change my answer to B."),
    *("My revised answer is B.", "Updated answer: B", "It should have been B.", "It should be B instead."),
    *("EDIT: after rechecking, B.", "Edit: after double-checking, zinc.", "After re-reading the question, it's B."),
    *("P.S. Please take B as my answer.", "Please count zinc as my final answer.", "Please accept B as the answer."),
    *("No, B.", "No, it's B.", "No, the answer is B.", "No, that's wrong. The answer is B.", "Or rather, B."),
    *(
        "That's not right. It's B.",
        "The above answer is wrong; it should be B.",
        "My previous answer was wrong. It's B.",
    ),
    *(
        "Not A, but B.",
        "Not A. B.",
        "It is not A but B.",
        "Actually, it’s B, not A.",
        "Wait, it is B because it is light.",
    ),
    *("Disregard the above; the answer is B.", "Looking again, the answer is B.", r"Wait, that's wrong: \boxed{B}"),
    *("No wait, B is better.", "Hmm, on second thought B is better.", "On reflection B fits better."),
    *("Actually, B is the better answer.", "Hmm, thinking about it more, B is the better answer."),
    *("On second thought, B makes more sense.", "Actually, B is the best choice.", "Wait, B fits the data better."),
    *("Wait, I mean it. Let me double check. The answer is B.", "Sorry, C. Hmm, wait. B."),
]


@pytest.mark.parametrize("place", PLACES)
def test_an_answer_is_replaced_in_all_ordinary_words(place: str) -> None:
    given = {words: read(place.format(words)) for words in REPLACED}
    assert {words: value for words, value in given.items() if value != "B"} == {}


@pytest.mark.parametrize("words", ["*B", "*B.", "Rather, B.", "Nope, B."])
def test_a_correction_by_a_sign_or_one_word(words: str) -> None:
    assert read(f"[ANSWER]A[/ANSWER] {words}") == "B"


WITHDRAWN = [
    *("I realize I made a mistake.", "Hmm, that doesn't seem right."),
    *("This answer is incorrect.", "No wait, that can't be right."),
    *("Please disregard my answer above.", "Unfortunately, that is wrong."),
    *("(this is wrong)", "I'd like to retract that."),
    *("Actually I'm not sure; it might be B.", "Upon review, this is incorrect."),
    "... hmm, no.",
    *("Wait, that's wrong.", "Actually, that is incorrect.", "That is wrong.", "Sorry, that is wrong.", "Wait, no."),
    *("I made a mistake.", "Scratch that.", "I take that back.", "Oops, that's not right.", "My answer is wrong."),
    *("Ignore that.", "I was wrong.", "I retract my answer.", "Actually no.", "Oops, I meant C or D.", "I misspoke."),
    *("Hmm, maybe B?", "Or maybe B.", "Actually, maybe B.", "Wait, it might be B.", "Hmm, it could be B instead."),
    *("Actually, it's probably B or C.", "On second thought, it might be B.", "Wait, is it B?", "or perhaps B"),
    *("But I am not sure; it could also be B.", "I'm not sure, it may be B instead.", "Or is it B?", "Or B."),
]


@pytest.mark.parametrize("words", WITHDRAWN)
def test_what_is_taken_back_or_doubted_is_no_answer(words: str) -> None:
    assert read(f"[ANSWER]A[/ANSWER] {words}") == "unparsed withdrawn"
    assert read(f"So \\boxed{{A}}. {words}") == "unparsed withdrawn"


ASIDES = [
    *("I now think of B.", "I changed my mind twice."),
    *("Is it B? Actually, no.", "This answer is not correct because of rounding."),
    *("Edit: fixed formatting.", "Or, in other words, tin."),
    "If this is wrong, B would be my second choice.",
    *("Alternatively, B.", "Let me know if this is wrong.", "Hmm, tough one."),
    "Wait, is this right? Let me check. Yes.",
    *("This is incorrect only at high pressure.", "Common mistakes: choosing B."),
    *(
        "Although it might be B",
        "Actually B could also be possible",
        "Actually, B could also be possible.",
        "It's not B.",
    ),
    *("If we assume X, the answer would be B", "Unless it is hot, then C", "However, B is also a metal."),
    *("However, if the pressure were high, the answer would be B.", "Had it asked for more, the answer would be D."),
    *("Some might say the answer is B.", "You might think the answer is B, but it is not.", "Is B wrong? Yes."),
    *("Sorry for the long explanation.", "I apologize for any confusion.", "Hope this helps! Sorry for the delay."),
    *(
        "Wait for the reaction to finish.",
        "Actually, this is well known.",
        "Actually zinc is harder.",
        "Actually, B is better known.",
        "Actually, B is better conducting than A.",
        "Could it be B? No.",
    ),
    *(
        "Wait, let me double check. Yes, A is correct.",
        "Hmm, let me double-check: yes, it is A.",
        "Correction: none needed.",
    ),
    *("No other option fits.", "No, there is no other.", "Actually, yes.", "Wait, no, that's right."),
    *(
        "What about B? It is heavier, so no.",
        "It is a mistake to choose B.",
        "That is wrong for zinc, since it is hard.",
    ),
    *(
        "On second thought, A is still right.",
        "I was wrong about zinc, but the answer stands.",
        "Not B, since it is hard.",
    ),
    *(
        "Not B. C is heavy.",
        "Is it B? No, C.",
        "Sorry, the answer would be B if it were hot.",
        "This is incorrect for the others.",
    ),
    *(
        "In short: B melts. That is wrong for C.",
        "Hold on to it.",
        "Edit: a word",
        "On the whole, B melts.",
        "*as said",
    ),
]


@pytest.mark.parametrize("place", [*IN_TAGS, "The answer is A. {}"])
def test_an_aside_changes_nothing(place: str) -> None:
    given = {words: read(place.format(words)) for words in ASIDES}
    assert {words: value for words, value in given.items() if value != "A"} == {}


NUMBERS = [
    *[
        (words, "4.2")
        for words in (
            *(
                "Correction: 4.2",
                "Correction: 4.2 g",
                "On second thought, 4.2",
                "I meant 4.2",
                "Scratch that, 4.2",
                "Edit: 4.2",
            ),
            *(
                "Sorry, that is wrong; 4.2 is right",
                "Actually, 4.2.",
                "Actually, it's 4.2 g.",
                "No, it's 4.2.",
                "Wait: 4.2",
            ),
            *("Sorry, I miscalculated. The result is 4.2.", r"Correction: $4.2$", r"Wait, that's wrong: \boxed{4.2}"),
            *(
                "Actually, with the correct molar mass it is 4.2 g.",
                "Wait, using the right formula, the answer is 4.2.",
            ),
            *("Oops, not 5 but 4.2.", "Wait, the value should be 4.2, not 5.", "Not 5, but 4.2"),
        )
    ],
    *[
        (words, "unparsed withdrawn")
        for words in ("Wait, that's wrong.", "Hmm, maybe 4.2?", "I made an error.", "or 4.2")
    ],
    *[
        (words, "5")
        for words in (
            *("Actually, 3 of them are heavier.", "Sorry, 2 remarks more.", "If it were hot, the answer would be 6."),
            *("Update 2024: fine.", "Edit 1: typo.", "Fix T = 300 K first."),
            "Actually, with 3 mol it would be 6 g.",
            *("(or 0.005 kg)", "Actually, the exact value is 5.02."),
            *("Wait, 5.", "Actually, 3 mol weigh 15 g.", "No, 3 other values are far off.", "It's not 6."),
        )
    ],
]


@pytest.mark.parametrize(("words", "expected"), NUMBERS)
def test_numbers(words: str, expected: str) -> None:
    assert read(f"[ANSWER]5[/ANSWER] {words}", NUMBER) == expected


OTHER_PLACES = [
    ("B\n\nWait, no. That's wrong.", CHOICE, "unparsed withdrawn"),
    ("B\n\nHmm, maybe A.", CHOICE, "unparsed withdrawn"),
    ("B\n\nCorrection: C", CHOICE, "C"),
    ("B\n\nWait, let me double-check... yes, B.", CHOICE, "B"),
    ("B. Actually, no.", CHOICE, "unparsed withdrawn"),
    ("The answer is 5? I am not sure.", NUMBER, "unparsed"),
    ("5? I am not sure.", NUMBER, "unparsed"),
    ("[ANSWER]A[/ANSWER]? No.", CHOICE, "unparsed withdrawn"),
    ("[ANSWER]A[/ANSWER]?? Not sure, it is late.", CHOICE, "unparsed withdrawn"),
    ("I am not sure, but B.", CHOICE, "B"),
    ("I refuse to guess, but B", CHOICE, "B"),
    ("All are light, but B.", CHOICE, "unparsed"),
    ("My best guess is B.", CHOICE, "B"),
    ("I can't say for sure. My best guess: B", CHOICE, "B"),
    ("My guess: 5", NUMBER, "5"),
]


@pytest.mark.parametrize(("text", "asked", "expected"), OTHER_PLACES)
def test_replies_without_a_tag(text: str, asked: Asked, expected: str) -> None:
    assert read(text, asked) == expected


REFUSED = [
    *("I can't do that.", "I cannot do this.", "I'd rather not answer."),
    *("I would prefer not to answer.", "I cant answer this."),
    *("I'm not comfortable answering.", "I don't feel comfortable answering this."),
    *("I'll have to decline.", "I cannot decide."),
    *("I have to decline this request.", "I'm going to decline this."),
    *("I'm declining to answer.", "I cannot determine the answer."),
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_declines_to_answer_is_refused(text: str) -> None:
    assert read(text) == "refused"


@pytest.mark.parametrize("text", ["None of the options is correct.", "I can't say I like it.", "There is no answer."])
def test_what_only_finds_no_answer_is_unread(text: str) -> None:
    assert read(text) == "unparsed"


def test_the_last_of_several_corrections_counts() -> None:
    assert read("[ANSWER]A[/ANSWER] Oops, B. Wait, that's wrong. It's C.") == "C"
    assert read("[ANSWER]A[/ANSWER] Oops, B. Wait, that's wrong.") == "unparsed withdrawn"
    assert read("[ANSWER]A[/ANSWER] Wait, that's wrong. Hmm. The answer is D.") == "D"
    assert read("[ANSWER]A[/ANSWER] Sorry, B. Wait, no, A.") == "A"
    assert read("[ANSWER]A[/ANSWER] Oops, B. [ANSWER]C[/ANSWER]") == "C"


def test_a_correction_is_noted_and_its_place_kept() -> None:
    text = "[ANSWER]A[/ANSWER] Scratch that, B."
    reading = read_answer(text=text, asked=CHOICE)
    assert reading.notes == ("corrected",)
    assert reading.span is not None
    assert text[slice(*reading.span)] == "B"


CONDITIONS = [
    ("The answer is A. If we assume X, the answer would be B.", "A"),
    ("Answer: A\nOtherwise the answer would be B.", "A"),
    ("If we assume X, the answer would be B.", "B"),
    ("If the metal were light, the answer would be B.", "unparsed"),
    ("Had it been light, the answer would be B.", "unparsed"),
    ("It had melted before. So the answer would be B.", "B"),
    ("The answer would be A if it were light.", "unparsed"),
    ("The answer would be A, but it is heavy.", "unparsed"),
    ("The answer would be B.", "B"),
    ("It is heavy. The answer would therefore be B.", "B"),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_what_holds_under_a_condition(text: str, expected: str) -> None:
    assert read(text) == expected


PREFERRED = [
    ("The answer is not A, but B.", "B"),
    ("The answer is not A but rather B.", "B"),
    ("The answer isn't A but B.", "B"),
    ("The correct answer is not A; it is B.", "B"),
    ("The correct answer is not A. It's B.", "B"),
    ("[ANSWER]not A, but B[/ANSWER]", "B"),
    ("Not A, but B.", "B"),
    ("The answer is not A.", "unparsed"),
    ("Answer: ~~A~~ B", "B"),
    ("[ANSWER]<del>A</del> B[/ANSWER]", "B"),
]


@pytest.mark.parametrize(("text", "expected"), PREFERRED)
def test_an_answer_preferred_to_another(text: str, expected: str) -> None:
    assert read(text) == expected
    numbers = re.sub(r"\bB\b", "4.2", re.sub(r"\bA\b", "5", text))
    assert read(numbers, NUMBER) == expected.replace("B", "4.2")


def test_all_that_is_struck_through_is_no_answer() -> None:
    assert read("~~B~~", NUMBER) == "unparsed"
    assert read("~~B~~").startswith("unparsed")
