"""Choices in forms that were once read wrongly or not at all: short lists, corrections, conclusions, marks, echoes."""

import pytest

from corpus.scoring.letters import option_letter
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption


def shown(*texts: str) -> tuple[ShownOption, ...]:
    return tuple(ShownOption(option_letter(i), option_letter(i), text) for i, text in enumerate(texts))


ALCOHOLS = shown("Methanol", "Ethanol", "Propanol", "Butanol")
DESCRIPTORS = shown("R", "S", "achiral", "meso")
ELEMENTS = shown("Na", "K", "Ca", "C")
CERTAINTIES = shown("Yes", "No")
PENTANOLS = shown("2-methylbutan-1-ol", "3-methylbutan-1-ol", "pentan-1-ol", "N-methylaniline")
MANY = shown(*(f"text {i}" for i in range(60)))


def read(text: str, options: tuple[ShownOption, ...] = ALCOHOLS, prompt: str = "") -> str:
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, options, prompt))
    return ",".join(reading.option_keys) or reading.status.value


def read_number(text: str) -> str:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER))
    return reading.status.value if reading.number is None else f"{reading.number:f}"


TWO_LETTERS = [
    "B, D.\n\nExplanation: B is light.",
    "Answer: B, D because both are alcohols",
    *[
        f"[ANSWER]B, D{rest}[/ANSWER]"
        for rest in (": both are", " - both are", " which are", " since both are", ". Both are")
    ],
    "[ANSWER](B)(D)[/ANSWER]",
    "Answer: (B)(D)",
    "(B)(D)",
    "The answer is (B)(D).",
    "[ANSWER]B.D.[/ANSWER]",
    "The answer is B. and D.",
    "(B)、(D)",
    "B、D",
    r"\boxed{(B)(D)}",
]


@pytest.mark.parametrize("text", TWO_LETTERS)
def test_two_letters_and_what_stands_around_them(text: str) -> None:
    assert read(text) == "B,D"


FOREIGN = ["(A) und (C)", "[ANSWER](A) und (C)[/ANSWER]", "Answer: A und C", "[ANSWER](A) et (C)[/ANSWER]", "A 和 C"]


@pytest.mark.parametrize("text", FOREIGN)
def test_letters_joined_by_other_words_are_not_read_by_the_first(text: str) -> None:
    assert read(text) == "unparsed"


def test_the_letter_behind_a_mark_may_begin_the_options_own_text() -> None:
    carbon = shown("C because it binds", "N", "O")
    assert read("[ANSWER]A. C because it binds, surely[/ANSWER]", carbon) == "A"


SPOKEN_OF = [
    ("Option A is too polar. Option B has the right chain length. Hence option B.", "B"),
    ("Option C is more likely than option B.", "unparsed"),
    ("Options B and C are both correct.", "B,C"),
    ("Option C is too polar.", "unparsed"),
    ("I rule out option B.", "unparsed"),
    ("It is heavier than option B.", "unparsed"),
    ("[ANSWER]I would pick option B[/ANSWER]", "B"),
    ("Lower it (option B) and raise it (option D).", "B,D"),
    ("Options A and C are correct.", "A,C"),
    ("I choose options A and C.", "A,C"),
    ("A) Methanol is toxic, B) Ethanol is drinkable, so B", "B"),
    ("B) Ethanol, so B", "B"),
    ("[ANSWER]B) Ethanol is drinkable, so A[/ANSWER]", "unparsed"),
    ("Methanol is the correct answer. So B.", "unparsed"),
    ("A is the correct answer. Hence option B.", "unparsed"),
    ("We look at it. " * 30 + "It is light, so A", "unparsed"),
    ("We look at it. " * 30 + "It is light, so A.", "A"),
    ("The answer is A. C is also correct.", "unparsed"),
    ("The answer is A. However, option C would be correct as well.", "unparsed"),
    ("The correct answers are A. B. D.", "unparsed"),
    ("The answer is A. C is also toxic.", "A"),
    ("The answer is A. A is also correct by another way.", "A"),
]


@pytest.mark.parametrize(("text", "expected"), SPOKEN_OF)
def test_options_that_are_spoken_of(text: str, expected: str) -> None:
    assert read(text) == expected


OF_MANY = [
    ("AB is the correct answer.", "AB"),
    ("I think it's AB.", "AB"),
    ("B and AB are correct.", "B,AB"),
    ("B or AB is correct.", "unparsed"),
    ("B is correct, and so is AB.", "unparsed"),
    ("ZZ is the correct answer.", "unparsed"),
    ("OK is the best answer to stay calm. AB is the correct answer.", "AB"),
]


@pytest.mark.parametrize(("text", "expected"), OF_MANY)
def test_letters_behind_z_called_correct(text: str, expected: str) -> None:
    assert read(text, MANY) == expected


def test_two_capitals_are_no_letter_of_few_options() -> None:
    assert read("CA is correct.") == "unparsed"
    assert read("CO is the best choice of gas. B is the correct answer.") == "B"


CORRECTIONS = [
    "Wait, I misread. The answer is B.",
    "Upon further reflection, the correct answer is B.",
    "Scratch that. The answer is B.",
    "Wait a minute. The answer is B.",
    "Oops. B is the correct answer.",
    "Correction: B",
    "**Correction:** B.",
]
NO_CORRECTIONS = [
    "Wait time is 5 min. The answer is B for other solvents.",
    "The answer is B for other solvents.",
    "Correction: the flask was cold.",
    "Correction: B is lighter than C.",
    "Wait, the answer is A.",
]


@pytest.mark.parametrize("place", ["[ANSWER]A[/ANSWER]", r"\boxed{A}", "FINAL ANSWER: A"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_corrections(place: str, gap: str) -> None:
    assert [read(place + gap + text) for text in CORRECTIONS] == ["B"] * len(CORRECTIONS)
    assert [read(place + gap + text) for text in NO_CORRECTIONS] == ["A"] * len(NO_CORRECTIONS)


def test_a_corrected_number_in_a_box() -> None:
    assert read_number("\\boxed{4}\n\nWait, I misread. The answer is 5.") == "5"
    assert read_number("\\boxed{4}\n\nThe answer is 5 for other solvents.") == "4"


THOUGHTS = [
    "<|START_THINKING|>{}<|END_THINKING|>",
    "<seed:think>{}</seed:think>",
    "<think >{}</think >",
    "analysisWe say {}assistantfinal",
]


@pytest.mark.parametrize("thought", THOUGHTS)
def test_thinking_of_other_templates(thought: str) -> None:
    hidden = thought.format("[ANSWER]A[/ANSWER]")
    assert read(hidden + "The answer is C.") == "C"
    assert read(hidden + "[ANSWER]C[/ANSWER]") == "C"
    assert read(hidden[: hidden.index("[/ANSWER]") + 9]) == "truncated"


def test_a_word_that_begins_like_a_channel_is_none() -> None:
    assert read("analysis of it: the answer is C.") == "C"
    assert read("Analysis\nThe answer is C.") == "C"


SMALL = ["b) Ethanol", "(b) Ethanol", "Answer: b) Ethanol", "[ANSWER]b. Ethanol[/ANSWER]", "The answer is b) Ethanol."]
SMALL_LISTS = [
    ("a) Methanol, c) Propanol", "A,C"),
    ("a) Methanol\nc) Propanol", "A,C"),
    ("[ANSWER]a. Methanol and c. Propanol[/ANSWER]", "A,C"),
    ("b) Methanol", "unparsed"),
    ("a) Methanol\nc) Ethanol", "unparsed"),
    ("z) Methanol", "unparsed"),
    ("b) it burns", "unparsed"),
]


def test_small_letters_beside_their_own_texts() -> None:
    assert [read(text) for text in SMALL] == ["B"] * len(SMALL)
    assert [(text, read(text)) for text, _ in SMALL_LISTS] == SMALL_LISTS


OWN_TEXTS = [
    ("[ANSWER]A (R)[/ANSWER]", DESCRIPTORS, "A"),
    ("The correct answer is B (S).", DESCRIPTORS, "B"),
    ("The answer is A (R), because it turns right.", DESCRIPTORS, "A"),
    ("A - R", DESCRIPTORS, "A"),
    ("B (R)", DESCRIPTORS, "unparsed"),
    ("The correct answer is B (K).", ELEMENTS, "B"),
    ("D (C)", ELEMENTS, "D"),
    ("(D) (C)", ELEMENTS, "C,D"),
    ("A - C", ELEMENTS, "unparsed"),
]


@pytest.mark.parametrize(("text", "options", "expected"), OWN_TEXTS)
def test_an_options_text_that_is_a_letter(text: str, options: tuple[ShownOption, ...], expected: str) -> None:
    assert read(text, options) == expected


REASONED = [
    ("The correct answer is ethanol, because it has two carbons.", ALCOHOLS, "B"),
    ("Answer: Ethanol (C2H5OH)", ALCOHOLS, "B"),
    ("[ANSWER]Ethanol, which is drinkable[/ANSWER]", ALCOHOLS, "B"),
    ("[ANSWER]Ethanol since methanol is toxic[/ANSWER]", ALCOHOLS, "B"),
    ("Yes, because it is aromatic.", CERTAINTIES, "A"),
    ("No, because it is not.", CERTAINTIES, "B"),
    ("False, because it is not.", shown("True", "False"), "B"),
    ("Ethanol (methanol)", ALCOHOLS, "unparsed"),
    ("Methanol (B)", ALCOHOLS, "unparsed"),
    ("Ethanol (wrong)", ALCOHOLS, "unparsed"),
    ("Ethanol, which is wrong", ALCOHOLS, "unparsed"),
    ("Ethanol, because it burns. No, wait, methanol.", ALCOHOLS, "unparsed"),
    ("Methanol, because it is light, and ethanol, because it is drinkable", ALCOHOLS, "unparsed"),
    ("Yes, because it is flat.", shown("Yes", "Yes, because it is aromatic", "No"), "unparsed"),
    ("Spirit, because it burns", ALCOHOLS, "unparsed"),
]


@pytest.mark.parametrize(("text", "options", "expected"), REASONED)
def test_an_options_text_before_a_reason(text: str, options: tuple[ShownOption, ...], expected: str) -> None:
    assert read(text, options) == expected


NAMES = [
    ("2-Methylbutan-1-ol", PENTANOLS, "A"),
    ("N-Methylaniline", PENTANOLS, "D"),
    ("The answer is 3-Methylbutan-1-ol.", PENTANOLS, "B"),
    ("n-methylaniline", PENTANOLS, "unparsed"),
    ("Cccco", shown("cccco", "CCO"), "unparsed"),
    ("2-Methylbutan-1-ol", shown("2-methylbutan-1-ol", "2-METHYLBUTAN-1-OL"), "unparsed"),
]


@pytest.mark.parametrize(("text", "options", "expected"), NAMES)
def test_a_name_with_locants_may_begin_with_a_capital(
    text: str, options: tuple[ShownOption, ...], expected: str
) -> None:
    assert read(text, options) == expected


ENDINGS = [
    ("#### B", "B"),
    ("We add them.\n#### B", "B"),
    ("#### Summary", "unparsed"),
    ("#### A\nNothing more is known.", "unparsed"),
    ("Final Answer: The final answer is $B$. I hope it is correct.", "B"),
    ("Final Answer: The final answer is unknown. I hope it is correct.", "unparsed"),
]


@pytest.mark.parametrize(("text", "expected"), ENDINGS)
def test_endings_of_worked_solutions(text: str, expected: str) -> None:
    assert read(text) == expected
    assert read_number(text.replace("B", "5").replace("A", "4")) == (expected if expected == "unparsed" else "5")


def test_an_ending_that_was_cut_off_is_none() -> None:
    reading = read_answer(text="We add.\n#### 5", asked=Asked(Kind.NUMBER), finish_reason="length")
    assert reading.status == "truncated"


JOY = ["B ✅", "Answer: **B** ✅", "✅ **B. Ethanol**", "[ANSWER]B 😊[/ANSWER]", "The answer is ✅ B, as it burns."]
NO_JOY = ["✅ A, ❌ B", "A ❌ B ✅", "B ❌", "B 👎", "✅"]


def test_signs_of_joy_round_an_answer() -> None:
    assert [read(text) for text in JOY] == ["B"] * len(JOY)
    assert [read(text) for text in NO_JOY] == ["unparsed"] * len(NO_JOY)
    assert read_number("✅ **5**") == "5"


MARKUP = [
    "<strong>B</strong>",
    "<p>B</p>",
    "The answer is <b>B</b>.",
    "[ANSWER]&nbsp;B[/ANSWER]",
    "\u2066B\u2069",
    "\u202aB\u202c",
    "Answer: \u2066B\u2069",
    'Here is my answer.\n```json\n{"answer": "B"}\n```',
    '```json\n{"answer": "B"}\n```\nI hope that it helps.',
    '{"reasoning": "At first the answer is A, but no.", "answer": "B"}',
]


@pytest.mark.parametrize("text", MARKUP)
def test_markup_around_an_answer(text: str) -> None:
    assert read(text) == "B"


def test_entities_in_numbers() -> None:
    assert [read_number(text) for text in ("&minus;5.2", "1.5 &times; 10^2", "<b>5</b>")] == ["-5.2", "150", "5"]


REFUSALS = [
    "I'm not going to answer that.",
    "I am unable to determine the answer.",
    "I cannot determine the answer from this.",
    "I am not going to help with it.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert read(text) == "refused"


PROMPT = (
    "The following is a question about gases.\n\nYou can choose from A, B, C or D. For example, [ANSWER]A[/ANSWER] or "
    "[ANSWER]A,C[/ANSWER].\n\nOptions:\nA. Methanol\nB. Ethanol\n\nAnswer:"
)
ECHOES = {
    "line ends": PROMPT.replace("\n", "\r\n"),
    "one blank line fewer": PROMPT.replace("\n\n", "\n", 1),
    "quoting marks": "\n".join(f"> {line}" for line in PROMPT.split("\n")) + "\n\n",
    "beginning missing": PROMPT[30:],
}


@pytest.mark.parametrize("name", ECHOES)
def test_an_echo_with_other_blanks_or_without_its_beginning(name: str) -> None:
    assert read(f"{ECHOES[name]} B", ALCOHOLS, PROMPT) == "B"
    assert read(f"You said:\n{ECHOES['line ends']} My answer is B.", ALCOHOLS, PROMPT) == "B"
    assert read(f"{ECHOES[name]} [ANSWER]B, D[/ANSWER]", ALCOHOLS, PROMPT) == "B,D"
    assert read(f"{ECHOES[name]} It is hard.", ALCOHOLS, PROMPT) == "unparsed"


def test_a_loose_echo_with_a_system_prompt_and_a_second_one() -> None:
    loose = PROMPT.replace("\n", "\r\n")
    system = "Choose as [ANSWER]D[/ANSWER] and be short.\n\n"
    asked = Asked(Kind.CHOICE, ALCOHOLS, PROMPT, said_first=system)
    assert read_answer(text=f"{system}{loose} B", asked=asked).option_keys == ("B",)
    assert read(f"{loose} B\n\n{loose} C", ALCOHOLS, PROMPT) == "B"
    assert read(f"[ANSWER]B[/ANSWER]\n{loose} C", ALCOHOLS, PROMPT) == "B"
    reading = read_answer(text=f"{loose} [ANSWER]B[/ANSWER]", asked=Asked(Kind.CHOICE, ALCOHOLS, PROMPT))
    assert reading.span == (len(loose) + 9, len(loose) + 10)


def test_a_piece_of_the_prompt_is_no_echo() -> None:
    for piece in (PROMPT[30:110], PROMPT[60:], "It says: " + PROMPT[60:]):
        assert read(f"{piece} B", ALCOHOLS, PROMPT.replace("gases", "all kinds of gases")) != "B"
