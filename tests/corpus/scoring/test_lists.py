"""Lists of choices written with their texts, ranges of letters, and explanations that name other letters."""

import pytest

from corpus.scoring.letters import option_letter
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ReadStatus, ShownOption


def shown(*texts: str) -> tuple[ShownOption, ...]:
    return tuple(ShownOption(option_letter(i), f"k{i}", text) for i, text in enumerate(texts))


ALCOHOLS = shown("Methanol", "Ethanol", "Propanol", "Water")


def letters(text: str, options: tuple[ShownOption, ...] = ALCOHOLS) -> str | None:
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, options))
    if reading.status is not ReadStatus.READ:
        assert reading.reason
        return None
    return "".join(option.letter for option in options if option.key in reading.option_keys)


TAGGED = [
    "A (Methanol), C (Propanol)",
    "A (Methanol); C (Propanol)",
    "A (Methanol) and C (Propanol)",
    "A (Methanol), and C (Propanol)",
    "A (Methanol)\nC (Propanol)",
    "(A) (Methanol) & (C) (Propanol)",
    "**A** (Methanol), **C** (Propanol)",
    "A (it is toxic) and C",
    "A (it is toxic), C (it burns), because both do",
    "A, C (Propanol)",
    "A. Methanol and C",
    "A. Methanol, C",
    "A and C (Propanol)",
    "A) Methanol and C) Propanol",
    "A - Methanol, C - Propanol",
    "A: Methanol\nC: Propanol",
    "C (Propanol), A (Methanol)",
]


@pytest.mark.parametrize("text", TAGGED)
@pytest.mark.parametrize(
    "frame", ["[ANSWER]{}[/ANSWER]", "The correct answers are {}.", "Answer: {}", "Final answer:\n{}"]
)
def test_a_list_with_texts(text: str, frame: str) -> None:
    assert letters(frame.format(text)) == "AC"


LINES = [
    "A. Methanol\nC. Propanol",
    "- A. Methanol\n- C. Propanol",
    "* A. Methanol\n* C. Propanol",
    "• A. Methanol\n• C. Propanol",
    "**A. Methanol**\n**C. Propanol**",
    "- **A. Methanol**\n- **C. Propanol**",
    "**A**. Methanol\n**C**. Propanol",
    "A) Methanol\nC) Propanol",
    "(A) Methanol\n(C) Propanol",
    "A. Methanol\n\nC. Propanol",
    "A. Methanol  \nC. Propanol\n\nBoth are alcohols.",
    "A\nC",
    "- A\n- C",
    "A.\nC.",
    "A,\nC",
    "A (Methanol)\nC (Propanol)",
]
HEADS = [
    "The correct answers are:\n",
    "The correct answers are:\n\n",
    "**The correct answers are:**\n",
    "Answer:\n",
    "**Answer:**\n",
    "Reasons come first.\n\n## Answer\n\n",
    "**Final Answer**\n",
    "Final answer:\n",
    "FINAL ANSWER: ",
    "Answer: ",
]


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("head", HEADS)
def test_lines_of_a_list(head: str, lines: str) -> None:
    assert letters(head + lines) == "AC"


SENTENCES = [
    ("The correct answers are A (Methanol) and C (Propanol).", "AC"),
    ("The correct answers are A. Methanol and C. Propanol.", "AC"),
    ("The correct answers are A. Methanol, B. Ethanol, and C. Propanol.", "ABC"),
    ("The correct answers are A. Methanol and C. Propanol. Water is no alcohol.", "AC"),
    (r"\boxed{A}, \boxed{C}", "AC"),
    ("[ANSWER]B[/ANSWER] Wait, I made a mistake. The correct answers are A. Methanol and C. Propanol.", "AC"),
    ("The correct answers are A (Ethanol) and C (Propanol).", None),
    ("The correct answers are A (Methanol) or C (Propanol).", None),
    ("[ANSWER]A (Methanol) or C (Propanol)[/ANSWER]", None),
    ("[ANSWER]A (Methanol), Z (Propanol)[/ANSWER]", None),
    ("[ANSWER]A (Methanol), C (Ethanol)[/ANSWER]", None),
    ("[ANSWER]A because it is toxic and C because it burns[/ANSWER]", None),
    ("[ANSWER]A. Methanol and also C[/ANSWER]", None),
    ("[ANSWER]A (Methanol), perhaps C (Propanol)[/ANSWER]", None),
    ("The correct answers are A. Methanol, which is toxic, and C. Propanol, which burns.", None),
    ("The correct answers are A. Methanol. And C. Propanol.", None),
    ("The correct answer is A. Methanol. C. Propanol is not.", "A"),
    ("The correct answer is A. Methanol, and C. Propanol is not.", None),
    ("[ANSWER]A. Methanol; it is toxic. C. Propanol; it burns.[/ANSWER]", None),
    ("[ANSWER]A. Methanol is toxic. C. Propanol is not.[/ANSWER]", "A"),
    ("Options A (Methanol) and C (Propanol) are correct.", None),
    ("[ANSWER]A, B is too weak[/ANSWER]", None),
    ("[ANSWER]A, B–D[/ANSWER]", None),
    ("[ANSWER]A and B–D[/ANSWER]", None),
    ("The answers are A, C–D.", None),
    ("The answer is A — B is wrong.", "A"),
    ("Answer:\nMethanol\nPropanol", None),
    ("Answer:\nMethanol\nIt is toxic.", "A"),
    ("I doubt that the correct answer is B.", None),
    ("Answer:\nA. Methanol burns\nC. Propanol burns", None),
    ("Answer:\nA. Methanol burns\nC. Propanol burns\nB. Ethanol burns\nWater is wrong.", None),
    ("Answer:\nA. Methanol burns\nC. Propanol burns\nWater is wrong.\nYes.", None),
    ("Answer:\nMethanol\nPropanol\nBoth burn.", None),
    ("Answer:\nMethanol\nPropanol\nBoth burn.\nYes.", None),
    ("Answer: A      \nPropanol", "A"),
    ("Answer: A. Methanol, B. Ethanol, C. Propanol, D. Water", "ABCD"),
    ("Answer:\nA. Methanol\nC. Propanol\n\nIt is so.\nAlso B. Ethanol burns.\nYes.", "AC"),
    ("Given.\nThe correct answers are A. Methanol, which is toxic, and C. Propanol, which burns.", None),
    ("The correct answers are **A**. Methanol, which is toxic, and C. Propanol, which burns.", None),
    ("The correct answer is A. Methanol, which is toxic.\nIt burns, and C. Propanol too.\nYes", "A"),
    ("Answer: A\nPropanol", "A"),
    ("Answer: A\nB. It burns", "A"),
    ("Answer: A. Methanol\nB burns too.", "A"),
    # the line of a sentence ends what belongs to it, whatever stands before and behind
    ("It is so.\nThe correct answer is A. Methanol, which is toxic, and C. Propanol", None),
    ("The correct answer is **A**. Methanol, which is toxic, and C. Propanol", None),
    ("The correct answer is A. Methanol, which is toxic.\nIt burns, and C. Propanol, too.\nYes.", "A"),
    ("Answer:\nA. Methanol\nC. Propanol and D", "ACD"),
    ("Answer:\nA. Methanol\nC. Propanol\n\nBoth are toxic, and B. Ethanol, which is less so, is not.\nYes.", "AC"),
    # lines that begin with letters, their words no option's text
    ("The correct answers are:\n**A. Methanol burns**\n**C. Propanol burns**", None),
    ("It is so.\nAnswer:\nA. Methanol burns\nC. Propanol burns", None),
    ("[ANSWER]A because it is toxic, D (toxic)[/ANSWER]", "A"),
    ("The correct answer is B; C is close but wrong.", None),
    ("The correct answers are:\n- **A. Methanol**\n- **C. Propanol**\n\nB and D are too heavy.", "AC"),
    ("Answer:\nA. Methanol\nC. Propanol\nB, D are wrong.", "AC"),
    ("Answer:\nA. Methanol\nC, D", "ACD"),
    ("The answer is B. Methanol.", None),
    ("The answer is B. Methanol\nIt burns.", None),
    ("The answer is B. Methanol is heavier.", "B"),
    ("The answer is B. Ethanol. Methanol is heavier.", "B"),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text: str, expected: str | None) -> None:
    assert letters(text) == expected


UNREAD_LISTS = [
    ("A (Methanol), C (Propanol) burn", "What follows the list cannot be read."),
    ("A (Methanol), C (Propanol) are toxic, and perhaps B", "The letter B may belong to the answer."),
    ("A (Methanol), C (Propanol), because both burn. And B (Ethanol)", "The letter B may belong to the answer."),
    ("A is toxic. C (Propanol) burns", "The letter C may belong to the answer."),
    ("A is toxic. B burns. C. Propanol", "The letter C may belong to the answer."),
    ("A is toxic. C. Propanol", "The letter C may belong to the answer."),
    ("A is toxic. B is also toxic. C (Propanol)", "The letter C may belong to the answer."),
    ("A because it is toxic. A is also cheap. C (Propanol)", "The letter C may belong to the answer."),
]


@pytest.mark.parametrize(("text", "reason"), UNREAD_LISTS)
def test_what_stands_behind_a_list_may_belong_to_it(text: str, reason: str) -> None:
    for frame in ("[ANSWER]{}[/ANSWER]", "Answer: {}"):
        reading = read_answer(text=frame.format(text), asked=Asked(Kind.CHOICE, ALCOHOLS))
        assert (reading.status, reading.notes, reading.reason) == (ReadStatus.UNPARSED, ("unread-list",), reason)


ACIDS = shown("Acetic acid", "Formic acid", "Nitric acid")


def test_the_next_line_may_be_another_option() -> None:
    reading = read_answer(text="Answer:\nAcetic acid\nFormic acid", asked=Asked(Kind.CHOICE, ACIDS))
    assert (reading.status, reading.notes) == (ReadStatus.UNPARSED, ("unread-list",))
    assert reading.reason == "The next line is another option."


EXPLAINED = [
    "A, because C is toxic",
    "A because C is toxic",
    "A, since it holds C, H and O",
    "A. Methanol, because C is toxic",
    "A (Methanol), because B and C are toxic",
    "A. Methanol is toxic, C is not",
    "A (Methanol), not C (Propanol)",
    "A. Methanol, unlike C. Propanol",
    "A (the carbon C binds O)",
]


@pytest.mark.parametrize("text", EXPLAINED)
@pytest.mark.parametrize("frame", ["[ANSWER]{}[/ANSWER]", "The correct answer is {}.", "Answer: {}"])
def test_an_explanation_adds_no_letter(text: str, frame: str) -> None:
    assert letters(frame.format(text)) == "A"


LATER_LINES = [
    "The correct answer is A.\nB. Ethanol is less toxic.\nC. Propanol is too.",
    "Answer: A\n\nExplanation:\nA. Methanol is toxic.\nB. Ethanol is not.",
    "Answer: A\n\nA. Methanol\nB. Ethanol\nC. Propanol\nD. Water",
    "Answer: A\nB is wrong because it is not.",
    "Answer: A. Methanol\n\nB. Ethanol is wrong.\nC. Propanol is wrong.",
    "The answer is A. C is toxic.",
]


@pytest.mark.parametrize("text", LATER_LINES)
def test_later_lines_that_explain(text: str) -> None:
    assert letters(text) == "A"


RANGES = [
    "A–C",
    "A—C",
    "A-C",
    "A–D",
    "A..C",
    "A...C",
    "A…C",
    "A – C",
    "A - C",
    "A through C",
    "A to C",
    "A–F",
    "(A)–(C)",
]


@pytest.mark.parametrize("text", RANGES)
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "[ANSWER]{}[/ANSWER]",
        "The correct answers are {}.",
        "Answer: {}",
        "{} are correct",
        "[ANSWER]{}, all of them[/ANSWER]",
    ],
)
def test_a_range_of_letters_is_not_read(text: str, frame: str) -> None:
    assert letters(frame.format(text)) is None


def test_a_range_that_is_an_options_text() -> None:
    bonds = shown("C–H", "A–B", "H–H")
    assert letters("[ANSWER]A–B[/ANSWER]", bonds) == "B"
    assert letters("Answer: A–B", bonds) == "B"
    assert read_answer(text="Answer: A–C", asked=Asked(Kind.CHOICE, ALCOHOLS)).notes == ("range",)
    assert letters("[ANSWER]A - Methanol[/ANSWER]") == "A"


FULL = "A. Methanol\nB. Ethanol\nC. Propanol\nD. Water"
REPEATED = [
    (f"Answer:\n{FULL}", None),
    ("## Answer\n" + FULL.replace("\n", "\n\n"), None),
    (f"Answer:\n{FULL}\n\nAnswer:\nA. Methanol\nB. Ethanol", None),
    (f"Answer:\n{FULL}\n\nAnswer:\nB. Ethanol\nC. Propanol", "BC"),
    (f"The correct answers are:\n{FULL}", "ABCD"),
    (f"[ANSWER]{FULL}[/ANSWER]", "ABCD"),
    ("Answer: A, B, C, D", "ABCD"),
    ("Answer:\nA. Methanol\nC. Propanol\n\nAnswer:\nA. Methanol\nC. Propanol", "AC"),
    ("Answer:A. Methanol\nB. Ethanol\nC. Propanol\nAnswer:A. Methanol\nB. Ethanol", None),
    (f"Answer:\n{FULL}\n\nAnswer:\nA. Methanol\nB. Ethanol\n\nAnswer:\nA. Methanol\nB. Ethanol", None),
]


SHORT_LISTS = [
    ("Answer:\nA. Methanol\nB. Ethanol\nC. Propanol", 3, None),
    ("Answer:\nC. Propanol\nA. Methanol\nB. Ethanol", 3, "ABC"),
    ("Answer:\nA. Methanol\nB. Ethanol", 2, "AB"),
    ("A. Methanol, B. Ethanol, C. Propanol", 3, None),
    ("A. Methanol, B. Ethanol", 2, "AB"),
    ("A. Methanol\nB. Ethanol", 2, None),
]


@pytest.mark.parametrize(("text", "number", "expected"), SHORT_LISTS)
def test_all_of_few_options(text: str, number: int, expected: str | None) -> None:
    assert letters(text, ALCOHOLS[:number]) == expected


@pytest.mark.parametrize(("text", "expected"), REPEATED)
def test_a_list_of_all_options_under_a_label_chooses_nothing(text: str, expected: str | None) -> None:
    assert letters(text) == expected
    if expected is None:
        assert read_answer(text=text, asked=Asked(Kind.CHOICE, ALCOHOLS)).notes == ("echoed-options",)


UNFINISHED = ["Answer:\nA. Methanol\nC. Propanol", "The correct answers are A. Methanol and C"]


@pytest.mark.parametrize("text", UNFINISHED)
def test_a_list_at_the_cut_end_of_a_reply_may_go_on(text: str) -> None:
    asked = Asked(Kind.CHOICE, ALCOHOLS)
    assert read_answer(text=text, asked=asked, finish_reason="length").status is ReadStatus.TRUNCATED
    assert read_answer(text=text, asked=asked, finish_reason="stop").option_keys == ("k0", "k2")


def test_a_list_that_ended_before_the_cut_counts() -> None:
    text = "Answer:\nA. Methanol\nC. Propanol\nBoth"
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, ALCOHOLS), finish_reason="length")
    assert (reading.option_keys, reading.span) == (("k0", "k2"), (8, 31))


MIXTURES = shown("Salt and water", "Oil, cold", "Ice of any kind")
ENTRIES = [
    ("A. Salt and water, C. Ice of any kind", "AC"),
    ("A. Salt and water and B. Oil, cold", "AB"),
    ("A. Salt and C. Ice", "AC"),
]


@pytest.mark.parametrize(("text", "expected"), ENTRIES)
def test_a_comma_or_and_may_belong_to_an_options_text(text: str, expected: str | None) -> None:
    for frame in ("[ANSWER]{}[/ANSWER]", "The correct answers are {}.", "Answer: {}"):
        assert letters(frame.format(text), MIXTURES) == expected


@pytest.mark.parametrize(("length", "expected"), [(400, "A"), (401, None)])
def test_a_bare_reply_is_short(length: int, expected: str | None) -> None:
    assert letters("y" * length, shown("y" * length, "tin")) == expected


ALL_CORRECT = shown("All the answers are correct", "Methanol", "Ethanol", "Water")
INVENTED = [
    ("I doubt that all the answers are correct.", None),
    ("Two of the answers are correct", None),
    ("All the answers are correct\nMethanol\nEthanol\nWater", None),
    ("- All the answers are correct\n- Methanol\n- Ethanol\n- Water", None),
    ("A. All the answers are correct\nB. Methanol\nC. Ethanol\nD. Water", None),
    ("All the answers are correct", "A"),
    ("[ANSWER]All the answers are correct[/ANSWER]", "A"),
    ("The answer is methanol", "B"),
]


@pytest.mark.parametrize(("text", "expected"), INVENTED)
def test_words_of_answering_are_no_part_of_an_option(text: str, expected: str | None) -> None:
    assert letters(text, ALL_CORRECT) == expected


def test_true_is_an_options_whole_text() -> None:
    assert letters("The answer is true.", shown("True", "False")) == "A"


CASES = [
    ("ETHANOL", ALCOHOLS, "B"),
    ("ethanol", ALCOHOLS, "B"),
    ("Co", shown("CO", "Fe", "Ni"), None),
    ("CO", shown("Co", "Fe", "Ni"), None),
    ("fe", shown("Co", "Fe", "Ni"), None),
    ("c1ccccc1", shown("C1CCCCC1", "CCO", "CCN"), None),
    ("nacl", shown("NaCl", "KCl", "LiF"), None),
    ("IT IS A WEAK BASE", shown("It is a weak base", "It is a salt"), "A"),
    ("CO is oxidised", shown("Co is oxidised", "Fe is oxidised"), None),
    ("CO Is Oxidised", shown("CO is oxidised", "Fe is oxidised"), "A"),
    ("NO", shown("No", "Lr", "Md"), None),
    ("nox", shown("NOx", "SOx", "COx"), None),
    ("IT BURNS", shown("It burns", "It melts"), "A"),
]


@pytest.mark.parametrize(("text", "options", "expected"), CASES)
def test_case_matters_in_formulas_and_not_in_words(
    text: str, options: tuple[ShownOption, ...], expected: str | None
) -> None:
    assert letters(f"[ANSWER]{text}[/ANSWER]", options) == expected


NOTED = [
    ("A (Methanol), C (Propanol)", True),
    ("A. Methanol, which is toxic", True),
    ("A (it is toxic)", False),
    ("A, it is toxic", False),
    ("A (it is toxic) and C", False),
    ("A and C, because both are toxic", False),
]


@pytest.mark.parametrize(("text", "is_noted"), NOTED)
def test_letter_and_text_is_noted_where_the_text_is_the_letters_own(text: str, is_noted: bool) -> None:
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.CHOICE, ALCOHOLS))
    assert reading.status is ReadStatus.READ
    assert ("letter-and-text" in reading.notes) is is_noted


UNREAD_LINE = "A line of the list cannot be read."
IN_FULL = [
    ("Answer:\nA. Methanol\nC. Propanol\nB. melts", "", UNREAD_LINE),
    ("Answer:\nA. Methanol\nC. burns\nB is wrong.\nBye", "", UNREAD_LINE),
    ("Answer:\nA) (it burns)\nC) melts", "", UNREAD_LINE),
    ("Answer:\nA. (it burns)\nC. melts", "", UNREAD_LINE),
    ("**Answer:** **A. Methanol**\nC. burns", "", UNREAD_LINE),
    ("Answer: Methanol\nEthanol\nBoth burn.\nBye", "", "The next line is another option."),
    # without a mark behind the first letter, or with a denial on the line, a line below is none of the list
    ("Answer:\nA\nC. Propanol\nB. melts", "AC", "Read from the label."),
    ("Answer:\nA (it burns)\nC. melts", "A", "Read from the label."),
    ("Answer:\nA. Methanol\nC. burns, B is wrong.\nBye", "A", "Read from the label."),
    ("Answer:\nA\nC:\nBoth burn.\nBye", "AC", "Read from the label."),
    ("Answer:\nA\nC X", "A", "Read from the label."),
    # an option's words belong to a letter with a mark behind it
    ("Answer: A Methanol, C Propanol", "", "The answer names no option."),
    ("Answer: A. Methanol and C. Propanol are it", "AC", "Read from the label."),
    # what the next lines name belongs to something else
    ("Answer: A. Methanol, C. Propanol\nThen: B. Ethanol, D. Water\nBye", "AC", "Read from the label."),
    ("The answer is A. Methanol, which burns.\nB. Ethanol, C. Propanol\nBye", "A", "Read from the sentence."),
    ("Of A, C and D the answer is B.", "B", "Read from the sentence."),
    # a sentence that ends with its line announces nothing
    (f"The answer is{' ' * 16}\nB\nBye now", "", "The reply states no answer."),
    (f"The answer is {'…' * 12} The answer is not B.", "", "The answer names no option."),
]


@pytest.mark.parametrize(("text", "expected", "reason"), IN_FULL)
def test_what_is_read_and_why(text: str, expected: str, reason: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, ALCOHOLS))
    read = "".join(option.letter for option in ALCOHOLS if option.key in reading.option_keys)
    assert (read, reading.reason) == (expected, reason)


REFUSED = [
    ("Answer: B is wrong, since it melts", "denied", "A letter is said to be wrong."),
    ("Answer: A, C is too heavy", "unread-list", "The last letter begins a sentence of its own."),
]


@pytest.mark.parametrize(("text", "note", "reason"), REFUSED)
def test_what_follows_a_letter_and_makes_it_unread(text: str, note: str, reason: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, ALCOHOLS))
    assert (reading.notes, reading.reason) == ((note,), reason)


def test_a_heading_on_the_second_line() -> None:
    asked = Asked(Kind.CHOICE, ALCOHOLS, protocols=("heading",))
    assert read_answer(text="\n# Answer\nA", asked=asked).option_keys == ("k0",)
