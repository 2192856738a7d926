"""Choices by letter, by text and by both (cases AP-17 to AP-21)."""

import pytest

from corpus.scoring.choices import ChoiceRead, read_choice
from corpus.scoring.letters import option_letter
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption, Unread


def shown(*texts: str) -> tuple[ShownOption, ...]:
    return tuple(ShownOption(option_letter(i), f"k{i}", text) for i, text in enumerate(texts))


ALCOHOLS = shown("Methanol", "Ethanol", "1-Propanol", "2-Propanol")
GROUPS = shown("Cs", "C2v", "D3h")


def letters(text: str, options: tuple[ShownOption, ...] = ALCOHOLS) -> str | None:
    read = read_choice(text, options)
    return "".join(options[i].letter for i in read.positions) if isinstance(read, ChoiceRead) else None


LISTS = [
    "A and C",
    "A, and C",
    "A,C,",
    "A; C",
    "A & C",
    "AC",
    "C, A",
    "A C",
    "A/C",
    "A\nC",
    "(A), (C)",
    "a, c",
    "A,C,A",
]
LISTS += [
    "**A**, **C**",
    "$A$ and $C$",
    "A + C",
    "A. C.",
    "- A\n- C",
    "Options A and C",
    "both A and C",
    "A,  C",
    "ac".upper(),
]
LISTS += [
    r"\text{A, C}",
    "Answers: A and C",
    "A, C.",
    "[A, C]",
    "A. Methanol, C. 1-Propanol",
    "A. Methanol\nC. 1-Propanol",
]
LISTS += [
    "Methanol; 1-Propanol",
    "Methanol\n1-Propanol",
    "Methanol, 1-Propanol",
    "methanol (option A), the other (option C)",
]


@pytest.mark.parametrize("text", LISTS)
def test_lists(text: str) -> None:
    assert letters(text) == "AC"


SINGLES = [
    "B",
    " B ",
    "**B**",
    "$B$",
    "(B)",
    r"\text{B}",
    r"\mathrm{B}",
    '"B"',
    "B)",
    "B.",
    "b",
    "(b)",
    "[B]",
    "`B`",
    "B:",
]
SINGLES += [
    r"\boldsymbol{B}",
    "Option B",
    "option (B)",
    "B. Ethanol",
    "B) ethanol",
    "B: Ethanol",
    "B - Ethanol",
    "(B) Ethanol",
]
SINGLES += [
    "B, Ethanol",
    "B (Ethanol)",
    "Ethanol",
    "ethanol",
    "**Ethanol**",
    "Ethanol.",
    "The answer is B",
    "B only",
    "“B”",
]
SINGLES += ["B. Ethanol is the one with two carbon atoms", "Ｂ", "B\u200b", "B,"]


@pytest.mark.parametrize("text", SINGLES)
def test_single(text: str) -> None:
    assert letters(text) == "B"


NOT_READ = [
    "",
    "  ",
    "**",
    "Z",
    "z",
    "A, Z",
    "AZ",
    "N/A",
    "n/a",
    "none",
    "None of the above",
    "A or C",
    "A, B or C",
    "either A or C",
]
NOT_READ += [
    "B. Methanol",
    "A (Ethanol)",
    "C, ethanol",
    "not B",
    "Propanol",
    "5",
    "AA",
    "ABCDE",
    "any",
    "B and possibly others",
]
NOT_READ += [
    "neither option A nor option B",
    "not (option B)",
    "one (option B), two (option Z)",
    "A-4, B-2, C-3, D-1",
    "x" * 5000,
    "A: it mixes with Ethanol",
]


@pytest.mark.parametrize("text", NOT_READ)
def test_not_read(text: str) -> None:
    assert letters(text) is None


NOTES = [
    ("Z", "unknown-letter"),
    ("A, Z", "unknown-letter"),
    ("B. Methanol", "contradiction"),
    ("A or C", "alternatives"),
    ("N/A", ""),
]


@pytest.mark.parametrize(("text", "note"), NOTES)
def test_why_not(text: str, note: str) -> None:
    read = read_choice(text, ALCOHOLS)
    assert isinstance(read, Unread)
    assert read.note == note


def test_point_groups_are_texts_and_c_is_a_letter() -> None:
    assert letters("C2v", GROUPS) == "B"
    assert letters("C", GROUPS) == "C"
    assert letters("Cs", GROUPS) == "A"
    assert letters("C3v", GROUPS) is None
    assert letters("A, Cs", GROUPS) == "A"
    assert letters("C, Cs", GROUPS) is None


def test_text_in_another_markup() -> None:
    options = shown(r"\ce{H2SO4}", r"\pu{25 kJ/mol}", "[START_SMILES]CCO[END_SMILES]", r"$\frac{1}{2}$")
    assert letters("H2SO4", options) == "A"
    assert letters("25 kJ/mol", options) == "B"
    assert letters("CCO", options) == "C"
    assert letters(r"B. $\pu{25 kJ/mol}$", options) == "B"
    assert letters("[START_SMILES]CCO[END_SMILES]", options) == "C"


def test_case_of_a_formula_matters() -> None:
    options = shown("Co", "CO", "C1CC1", "c1cc1")
    assert letters("Co", options) == "A"
    assert letters("CO", options) == "B"
    assert letters("c1cc1", options) == "D"


def test_letters_inside_an_options_text_are_no_letters() -> None:
    options = shown("a weak BD bond", "second", "third", "fourth")
    assert letters("BD", options) is None
    assert letters("BC", options) == "BC"


def test_a_number_beside_a_letter() -> None:
    options = shown("Ca = 25% and P = 30%", "Ca = 30% and P = 70%", "Ca = 39.6% and P = 18%")
    assert letters("C: Ca = 39.6% and P = 18%", options) == "C"
    assert letters("A. B = 1, C = 2", shown("B = 1, C = 2", "B = 2, C = 1", "none")) == "A"


def test_an_unambiguous_part_of_a_text() -> None:
    options = shown("increases the partial pressure", "lowers the partial pressure", "no change at all")
    assert letters("no change", options) == "C"
    assert letters("partial pressure", options) is None
    assert letters("the", options) is None


def test_a_shared_part_of_the_texts_beside_a_letter() -> None:
    options = shown("strong acid", "weak acid", "salt")
    assert letters("A, acid", options) == "A"
    assert letters("A, weak acid", options) is None


def test_more_than_26_options() -> None:
    options = shown(*(f"text {i}" for i in range(60)))
    assert letters("AB", options) == "AB"
    assert letters("B, AB", options) == "BAB"
    assert letters("b, ab", options) == "BAB"
    assert letters("BH", options) == "BH"
    assert letters("BI", options) is None
    assert letters("AB. text 27", options) == "AB"


def test_letters_run_together_where_every_letter_is_an_options() -> None:
    assert letters("BD", shown(*(f"text {i}" for i in range(26)))) == "BD"
    assert letters("BD", shown(*(f"text {i}" for i in range(27)))) is None


def test_none_of_the_above_as_an_option() -> None:
    options = shown("one", "two", "None of the above")
    assert letters("None of the above", options) == "C"
    assert letters("None", options) is None


def test_an_option_that_is_another_options_letter() -> None:
    options = shown("C", "N", "O")
    assert letters("C", options) == "C"
    assert letters("C. O", options) == "C"
    assert letters("N", options) == "B"
    reading = read_answer(text="[ANSWER]The answer is N[/ANSWER]", asked=Asked(Kind.CHOICE, options))
    assert reading.option_keys == ("k1",)


NMR = shown("19F", "1H", "NOESY (two dimensions)", "COSY (two dimensions)")
PART_LISTS = [
    ("1H, NOESY", "BC"),
    ("NOESY and COSY", "CD"),
    ("19F; COSY", "AD"),
    ("COSY\nCOSY", "D"),
    ("NOESY, two", None),
    ("1H, 13C", None),
    ("two dimensions, 1H", None),
    ("1H, 19F, 1H, 19F, 1H, 19F, 1H, 19F, NOESY", None),
]


@pytest.mark.parametrize(("text", "expected"), PART_LISTS)
def test_a_list_of_unambiguous_parts(text: str, expected: str | None) -> None:
    assert letters(text, NMR) == expected


MARKED_LISTS = [
    ("A <-- Correct\nB\nC\nD", "A"),
    ("A. Methanol\nB. Ethanol ← correct answer\nC. 1-Propanol\nD. 2-Propanol (correct)", "BD"),
    ("(A) Methanol\n(B) Ethanol ✓\n(C) 1-Propanol\n(D) 2-Propanol", "B"),
    ("A. yes\nB. no\nC. no\nD. no", None),
    ("A ✓\nB", None),
    ("A ✓\nB\nC\nD\nE", None),
    ("A <-- Correct", None),
]


@pytest.mark.parametrize(("text", "expected"), MARKED_LISTS)
def test_a_mark_in_a_list_of_all_options(text: str, expected: str | None) -> None:
    options = shown("hot", "warm", "cool", "cold") if "yes" in text else ALCOHOLS
    assert letters(text, options) == expected


def test_words_beside_a_letter_may_go_on_to_other_options() -> None:
    assert letters("D, 2-propanol, unlike Methanol and Ethanol, is a secondary alcohol") == "D"
    assert letters("D, Methanol, unlike 2-Propanol, is toxic") is None


LEVELS = shown("low", "low reactivity", "CO", "Co")
BESIDE = [
    ("B, low reactivity indeed", "B"),
    ("A, low reactivity indeed", None),
    ("A, low as it gets", "A"),
    ("C, CO as it gets", "C"),
    ("C, Co as it gets", None),
    ("C, Co, unlike CO, melts", None),
    ("D, Co as it gets", "D"),
    ("Co", "D"),
    ("CO", "C"),
    ("co", None),
    ("LOW", "A"),
    ("C, it melts", "C"),
    ("B, reactivity", "B"),
    ("A, reactivity", None),
    ("B, not the others", "B"),
    ("B (low reactivity).", "B"),
    ("The answer is B. low reactivity", "B"),
    ("The answer is A (low reactivity).", None),
]


@pytest.mark.parametrize(("text", "expected"), BESIDE)
def test_words_beside_a_letter_begin_with_the_text_they_mean(text: str, expected: str | None) -> None:
    assert letters(text, LEVELS) == expected


ORDERS = shown("W < X < Y", "X < W < Y", "Y < X < W")
ELEMENTS = shown("C", "Nb", "Re", "W")
LETTERS_AS_TEXT = [
    ("W < X < Y", ORDERS, "A"),
    ("**Y < X < W**.", ORDERS, "C"),
    ("W < Y < X", ORDERS, None),
    ("W, X, Y", ORDERS, None),
    ("D, W", ELEMENTS, "D"),
    ("D,W", ELEMENTS, "D"),
    ("D. W", ELEMENTS, "D"),
    ("C, W", ELEMENTS, None),
    ("C, D, W", ELEMENTS, None),
    ("A, C", ELEMENTS, "AC"),
    ("A. C", ELEMENTS, "A"),
    ("W", ELEMENTS, "D"),
    ("C", ELEMENTS, "C"),
    ("B, Nb", ELEMENTS, "B"),
]


@pytest.mark.parametrize(("text", "options", "expected"), LETTERS_AS_TEXT)
def test_letters_that_are_an_options_text(text: str, options: tuple[ShownOption, ...], expected: str | None) -> None:
    assert letters(text, options) == expected


ALL_OF_THEM = [
    ("All of the above", ALCOHOLS, "ABCD"),
    ("**all of these**.", ALCOHOLS, "ABCD"),
    ("All options", ALCOHOLS, "ABCD"),
    ("all the answers", ALCOHOLS, "ABCD"),
    ("All of the above", shown("Tin", "Zinc", "All of the above"), "C"),
    ("None of the above", ALCOHOLS, None),
    ("Not all of the above", ALCOHOLS, None),
    ("all of the alcohols", ALCOHOLS, None),
]


@pytest.mark.parametrize(("text", "options", "expected"), ALL_OF_THEM)
def test_all_of_the_above(text: str, options: tuple[ShownOption, ...], expected: str | None) -> None:
    assert letters(text, options) == expected


IN_FRONT = [
    ("Ethanol (B)", "B"),
    ("ethanol (option B).", "B"),
    ("Methanol (B)", None),
    ("Ethanol (Z)", None),
    ("Spirit (B)", None),
    ("(A), and (B)", "AB"),
]


@pytest.mark.parametrize(("text", "expected"), IN_FRONT)
def test_a_letter_in_brackets_behind_its_text(text: str, expected: str | None) -> None:
    assert letters(text) == expected


def test_a_letter_behind_a_label() -> None:
    for label in ("The final answer is", "the correct options are", "Best choice:", "Right answer ="):
        assert letters(f"{label} B") == "B"


ORDERED = [
    "A > D",
    "A < B < C < D",
    "A -> D",
    "A --> D",
    "A → D",
    "A: B",
    "a > d",
    "(A) > (D)",
    "**A** > **D**",
    "$A > D$",
    r"$A \rightarrow D$",
    "A ≥ B, C",
    "A > D.",
    "The answer is A > D",
    "A > D because A is larger",
]


@pytest.mark.parametrize("text", ORDERED)
def test_an_order_of_letters_is_not_read(text: str) -> None:
    assert letters(text) is None
    asked = Asked(Kind.CHOICE, ALCOHOLS)
    for frame in ("[ANSWER]{}[/ANSWER]", "The answer is {}.", "Answer: {}"):
        assert read_answer(text=frame.format(text), asked=asked).status == "unparsed"


@pytest.mark.parametrize(("text", "expected"), [('{"answer": "B"}', "B"), ('```json\n{"answer": "A, C"}\n```', "AC")])
def test_an_answer_in_json(text: str, expected: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, ALCOHOLS))
    assert reading.option_keys == tuple(f"k{'ABCD'.index(letter)}" for letter in expected)


def test_an_order_that_is_an_options_text() -> None:
    options = shown("A > B > C", "C > B > A", "A: B")
    assert letters("C > B > A", options) == "B"
    assert letters("B. C > B > A", options) == "B"
    assert letters("A: B", options) == "C"
    assert read_choice("A > C", options) == Unread("An order of letters, not a choice of them.", "order")


GASES = shown("methane before ethane", "methane", "ethanes", "x-ethan")
WHOLE_WORDS = [
    ("ethane", "A"),
    ("methane", "B"),
    ("ethanes", "C"),
    ("than", None),
    ("before ethane", "A"),
    ("ethan", None),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE_WORDS)
def test_a_part_of_a_text_is_whole_words(text: str, expected: str | None) -> None:
    assert letters(text, GASES) == expected


NOTED = [
    ("B", ALCOHOLS, ()),
    ("b", ALCOHOLS, ()),
    ("B. Ethanol", ALCOHOLS, ("letter-and-text",)),
    ("Ethanol (B)", ALCOHOLS, ("letter-and-text",)),
    ("A. Methanol; B. Ethanol", ALCOHOLS, ("letter-and-text",)),
    ("D. W", ELEMENTS, ("letter-and-text",)),
    ("B, reactivity", LEVELS, ("letter-and-text",)),
    ("A: Methanols", ALCOHOLS, ()),
    ("Ethanol", ALCOHOLS, ("by-text",)),
    ("W < X < Y", ORDERS, ("by-text",)),
    ("use it (option B) here", ALCOHOLS, ("by-reference",)),
    ("all of the above", ALCOHOLS, ("all-options",)),
    ("A <-- correct\nB\nC\nD", ALCOHOLS, ("marked",)),
]


@pytest.mark.parametrize(("text", "options", "notes"), NOTED)
def test_how_it_was_recognised_is_noted(text: str, options: tuple[ShownOption, ...], notes: tuple[str, ...]) -> None:
    read = read_choice(text, options)
    assert isinstance(read, ChoiceRead)
    assert read.notes == notes


TWO_OPTIONS = [
    ("A. no\nB. yes", None),
    ("A. false; B. true", None),
]


@pytest.mark.parametrize(("text", "expected"), TWO_OPTIONS)
def test_words_beside_letters_that_name_nothing(text: str, expected: str | None) -> None:
    options = shown("hot", "warm")
    assert letters(text, options) == expected
