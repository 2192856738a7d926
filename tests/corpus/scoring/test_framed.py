"""Letters in a frame of words that adds nothing (`only B`), and groups of options that are options themselves."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

ALCOHOLS = ("Methanol", "Ethanol", "Propanol", "Butanol")
WITH_ALL = ("Methanol", "Ethanol", "None of the above", "All of the above")
WITH_BOTH = ("Methanol", "Ethanol", "Both A and B", "Neither A nor B")
FRAMES = ["{}", "[ANSWER]{}[/ANSWER]", "Answer: {}", "The answer is {}.", r"\boxed{{{}}}"]


def read(text: str, texts: tuple[str, ...] = ALCOHOLS) -> str:
    shown = tuple(ShownOption(letter, letter, words) for letter, words in zip("ABCD", texts, strict=True))
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, shown))
    return "".join(reading.option_keys) or reading.status.value


FRAMED = [
    *[(text, "AB") for text in ("both A and B", "A and B only", "only A and B", "just A and B", "A and B together")],
    *[(text, "AB") for text in ("A and B but not C", "A and B, but not C", "A, B but not C", "A and B, not C")],
    *[(text, "AB") for text in ("A and B but not C or D", "A and B (not C)", "A and B alone", "options A and B only")],
    *[(text, "AB") for text in ("A and B are both correct", "both A and B are correct")],
    *[
        (text, "ABC")
        for text in ("A, B and C only", "only A, B, and C", "all of A, B, and C", "A, B, and C, but not D")
    ],
    *[(text, "B") for text in ("only B", "B only", "B alone", "just B", "only option B", "option B only", "B (only)")],
    *[(text, "B") for text in ("only B is correct", "B but not C", "B, but not C or D", "B rather than C")],
    *[(text, "B") for text in ("B instead of C", "B and not C", "**B** only")],
    *[
        (text, "unparsed")
        for text in ("A or B but not C", "neither A nor B", "A and B but not B", "only Z", "B but not Z")
    ],
    *[
        (text, "ABCD")
        for text in ("all of the above", "all of them", "all options are correct", "all of these are right")
    ],
    *[(text, "ABCD") for text in ("all the above are correct", "all four options", "All the statements are true")],
]


@pytest.mark.parametrize(("text", "expected"), FRAMED)
def test_a_frame_adds_nothing(text: str, expected: str) -> None:
    assert {frame: read(frame.format(text)) for frame in FRAMES} == dict.fromkeys(FRAMES, expected)


GROUPS = [
    *[(text, WITH_ALL, "D") for text in ("all of the above", "D. All of the above", "All of the above are correct")],
    *[(text, WITH_ALL, "D") for text in ("all of them", "all of these are correct", "D (all of the above)")],
    *[(text, WITH_ALL, "C") for text in ("none of the above", "None of the above is correct", "C. None of the above")],
    *[
        (text, WITH_BOTH, "C")
        for text in ("both A and B", "Both A and B", "C. Both A and B", "Both A and B are correct")
    ],
    *[(text, WITH_BOTH, "D") for text in ("neither A nor B", "D. Neither A nor B", "Neither A nor B is correct")],
    *[(text, WITH_BOTH, "unparsed") for text in ("A and B", "A and B.")],
    *[(text, WITH_BOTH, "B") for text in ("B", "only B", "B but not A")],
]


@pytest.mark.parametrize(("text", "options", "expected"), GROUPS)
def test_a_group_that_is_an_option(text: str, options: tuple[str, ...], expected: str) -> None:
    assert {frame: read(frame.format(text), options) for frame in FRAMES} == dict.fromkeys(FRAMES, expected)


EXPLAINED = [
    ("[ANSWER]A and B only, because both are toxic[/ANSWER]", "AB"),
    ("[ANSWER]A and B but not C, since C is heavy[/ANSWER]", "AB"),
    ("The answer is only B, which burns.", "B"),
    *[(text, "B") for text in ("It's B.", "It is B", "That would be **B**.", "It is option B.", "Therefore, it is B.")],
    *[(text, "AC") for text in ("So, A and C.", "It's A and C.")],
    *[
        (text, "unparsed")
        for text in ("It is B or C.", "It is B that burns.", "It is not B.", "So B burns.", "Is it B?")
    ],
    ("The answer is A and B but not C. C is heavy.", "AB"),
    ("[ANSWER]A and B only if heated[/ANSWER]", "unparsed"),
    ("[ANSWER]A and B mix[/ANSWER]", "unparsed"),
    ("[ANSWER]A, B or so[/ANSWER]", "unparsed"),
    ("[ANSWER]B but not A, since A is toxic[/ANSWER]", "B"),
]


@pytest.mark.parametrize(("text", "expected"), EXPLAINED)
def test_an_explanation_may_follow_a_frame(text: str, expected: str) -> None:
    assert read(text) == expected
