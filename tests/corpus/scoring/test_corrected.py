"""Whether what stands behind an answer says the same again, and where the last announcement of a rest is."""

from decimal import Decimal

import pytest

from corpus.scoring.contents import Content
from corpus.scoring.corrected import is_said_again, read_correction
from corpus.scoring.cues import last_announced
from corpus.scoring.found import Found
from corpus.scoring.types import Asked, Kind, ShownOption

TEXTS = ("methanol", "ethanol", "propane", "benzene")
SHOWN = tuple(ShownOption(letter, f"key-{letter}", text) for letter, text in zip("ABCD", TEXTS, strict=True))
CHOICE, NUMBER = Asked(Kind.CHOICE, SHOWN), Asked(Kind.NUMBER, unit="g")
MANY = Asked(Kind.CHOICE, tuple(ShownOption(f"A{x}" if i > 25 else x, f"{i}", f"text {i}") for i, x in enumerate(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCD"
)))  # fmt: skip
B, FORTY_TWO = Content(option_keys=("key-B",)), Content(number=Decimal(42))


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("Wait, let me check. Yes, B is correct.", True),
        ("Wait. Yes, it is B.", True),
        ("Wait. Yes, ethanol.", True),
        ("Wait. Yes, A.", False),
        ("Wait, yes.", True),
        ("Hmm, wait. That is correct.", True),
        ("No, wait. B is still correct.", True),
        ("No, wait. A is still correct.", False),
        ("Hmm. The answer stands.", True),
        ("Hmm, let me see. The answer is B.", True),
        ("Hmm. The answer is ethanol.", True),
        ("Hmm, let me see. The answer is A.", False),
        ("Hmm. I think it's B.", True),
        ("Hmm. I think it's C.", False),
        ("Hmm, let me see.", False),
        ("Hmm. The answer is open.", False),
        ("Wait. If it were light, the answer would be B.", False),
        (f"{'x' * 500} Yes, B.", False),
    ],
)
def test_a_choice_is_said_again(rest: str, expected: bool) -> None:
    assert is_said_again(rest, CHOICE, B) is expected


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("Wait. Yes, it is 42.", True),
        ("Wait. Yes, 43.", False),
        ("Hmm, let me check. The answer is 42.", True),
        ("Hmm. The answer is 42 g, not 43.", True),
        ("Hmm. The answer is 43.", False),
        ("Hmm, B is the correct answer.", False),
    ],
)
def test_a_number_is_said_again(rest: str, expected: bool) -> None:
    assert is_said_again(rest, NUMBER, FORTY_TWO) is expected


def test_letters_behind_z_are_said_again_where_there_are_so_many_options() -> None:
    assert is_said_again("Hmm. I think it's AC.", MANY, Content(option_keys=("28",)))
    assert not is_said_again("Hmm. I think it's AC.", MANY, Content(option_keys=("2",)))


def test_what_is_false_is_said_again_where_the_question_asks_for_it() -> None:
    asked = Asked(Kind.CHOICE, SHOWN, prompt="Which statement is false?")
    assert is_said_again("Hmm. B is the false statement.", asked, B)
    assert not is_said_again("Hmm. B is the false statement.", CHOICE, B)


def corrected(text: str, start: int, asked: Asked, stated: Content) -> tuple[Found, str] | None:
    found = read_correction(text, start, asked, stated)
    return None if found is None else (found, text[slice(*found.span or ())])


def test_the_later_of_a_box_and_an_announcement_is_the_last_one() -> None:
    box_last = "A. I made a mistake. The answer is C. So \\boxed{D}"
    told_last = "A. I made a mistake. So \\boxed{D}. The answer is C."
    for text, key, place in ((box_last, "key-D", "D"), (told_last, "key-C", "C")):
        found = corrected(text, 1, CHOICE, B)
        assert found is not None
        assert isinstance(found[0].content, Content)
        assert (found[0].content.option_keys, found[1]) == ((key,), place)


def test_behind_a_very_long_rest_only_its_end_is_looked_at() -> None:
    told = "Scratch that, C."
    far = f"B. {told} {'It is so. ' * 2500}"
    near = f"B. {'It is so. ' * 2500}{told}"
    assert corrected(far, 1, CHOICE, B) is None
    found = corrected(near, 1, CHOICE, B)
    assert found is not None
    assert found[1] == "C"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 5, not 6.", "5"),
        ("The answer is 5 (not 6).", "5"),
        ("The answer is 5, and not -6", "5"),
        ("It is not 4. The answer is 5", "5"),
        ("The answer is 5. Do not take 6, not 7.", "5"),
        ("The answer is 5, not the 6", "5, not the 6"),
    ],
)
def test_a_number_is_announced_without_the_one_that_is_denied(text: str, expected: str) -> None:
    located = last_announced(text, is_number=True)
    assert located is not None
    assert text[located.start : located.end].rstrip(",") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ans: B", "B"),
        ("It is so.\nAns. B", "B"),
        ("ANS.: B", "B"),
        ("My guess is B.", "B"),
        ("My guess: B", "B"),
        ("The best option is B.", "B"),
        ("Answer - B", "B"),
        ("Answer → B\nThe answer is C.", "C"),
        ("If it were light, the answer would be B. The answer is C.", "C"),
        ("Answer: C. If it were light, the answer would be B.", "C. If it were light, the answer would be B."),
    ],
)
def test_every_way_to_announce_is_found_by_itself(text: str, expected: str) -> None:
    located = last_announced(text, is_number=False)
    assert located is not None
    assert text[located.start : located.end] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("If it is light, the answer is B.", "B"),
        ("If so, fine. The answer would be B.", "B"),
        ("If it is light, the answer would be B.", None),
        ("The answer would be B.", "B"),
    ],
)
def test_only_what_would_be_under_a_condition_of_its_own_sentence_is_not_firm(text: str, expected: str | None) -> None:
    located = last_announced(text, is_number=False, is_firm=True)
    assert (located and text[located.start : located.end]) == expected
