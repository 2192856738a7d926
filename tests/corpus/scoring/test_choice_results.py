"""What `read_choice` returns in full: the options, the note on how they were written, the reason where none is read."""

import pytest

from corpus.scoring.choices import ChoiceRead, read_choice
from corpus.scoring.letters import option_letter
from corpus.scoring.types import ShownOption, Unread

ALCOHOLS = ("Methanol", "Ethanol", "Propanol", "Water")
METALS = ("tin", "zinc")
ANSWERS = ("Yes", "Probably not", "No")
SYMBOLS = ("B", "C", "A")
SYMMETRIES = ("Cs", "C2v", "D3h")
ORDERS = ("W < X < Y", "X < W < Y", "A: B")

BESIDE = "letter-and-text"
EMPTY = Unread("There is nothing to read.")
NAMES_NONE = Unread("The answer names no option.")
DECLINES = Unread("The answer declines to choose.")
SIGN = Unread("A letter behind a sign for “not”.", "denied")
WRONG = Unread("A letter is said to be wrong.", "denied")
SCORED = Unread("A number stands beside each letter.", "scored")
EITHER = Unread("Alternatives, not one choice.", "alternatives")
RANGE = Unread("A range of letters, not the letters themselves.", "range")

UNREAD = [
    # said of an option, not chosen
    ("Beside A, C and D, option B melts", ALCOHOLS, NAMES_NONE),
    ("()", ALCOHOLS, EMPTY),
    ("(none)", ALCOHOLS, DECLINES),
    ("(n/a)", ALCOHOLS, DECLINES),
    ("Answer: n/a.", ALCOHOLS, NAMES_NONE),
    ("!A", ALCOHOLS, SIGN),
    ('"!A"', ALCOHOLS, SIGN),
    ("A–C", ALCOHOLS, RANGE),
    ("Answer: A–C", ALCOHOLS, RANGE),
    ("Option A", ("Option P", "Option A"), Unread("The letters are the text of another option.", "contradiction")),
    ("Options: A, B, C, D", ALCOHOLS, Unread("The options are listed, and none is chosen.", "echoed-options")),
    ("or B", ALCOHOLS, EITHER),
    ("A (it burns) or C (it melts)", ALCOHOLS, EITHER),
    ("W < Y < X", ORDERS, Unread("No option has the letter W, Y, X.", "unknown-letter")),
    ("A (Methanol), Z (Propanol)", ALCOHOLS, Unread("No option has the letter Z.", "unknown-letter")),
    ("A. Methanol, N. crassa", ALCOHOLS, Unread("No option has the letter N.", "unknown-letter")),
    ("A\nC X", ALCOHOLS, Unread("No option has the letter X.", "unknown-letter")),
    ("A (incorrect), C (Propanol)", ALCOHOLS, WRONG),
    ("A (is not polar), C (it burns)", ALCOHOLS, WRONG),
    ("A (90%), C (80%)", ALCOHOLS, SCORED),
    (
        "A (Methanol), C (Ethanol)",
        ALCOHOLS,
        Unread("The letter C and the words beside it name different options.", "contradiction"),
    ),
    # a letter more behind what is read, more letters than there are options
    ("B (Ethanol)X", ALCOHOLS, NAMES_NONE),
    ("Ethanol (B)X", ALCOHOLS, NAMES_NONE),
    ("A (it burns), C (it melts) X", ALCOHOLS, NAMES_NONE),
    ("A B A B A B A", METALS, NAMES_NONE),
    ("A\nC:\nBoth burn.\nBye", ALCOHOLS, NAMES_NONE),
    (" " * 3996 + "**A**", METALS, Unread("The answer is too long to be a choice.")),
]
READ = [
    (" " * 3995 + "**A**", METALS, (0,), ()),
    ("Options: A, B", METALS, (0, 1), ()),
    ("A B A B A B", METALS, (0, 1), ()),
    ("A <-- correct\nB", METALS, (0,), ("marked",)),
    ("`Cs`", SYMMETRIES, (0,), ("by-text",)),
    ("A: B", ORDERS, (2,), ("by-text",)),
    ("ethanol (option B).", ALCOHOLS, (1,), (BESIDE,)),
    # where a letter's text is a letter of its own, a list of letters is meant
    ("A, B", SYMBOLS, (0, 1), ()),
    ("A, (B)", SYMBOLS, (0, 1), ()),
    # a remark beside a letter is no text of its option
    ("A. Yes, C. No", ANSWERS, (0, 2), (BESIDE,)),
    ("A (Methanol), C (Propanol)", ALCOHOLS, (0, 2), (BESIDE,)),
    ("A (it burns), C (Propanol)", ALCOHOLS, (0, 2), ()),
    ("A (Methanol), C (it burns)", ALCOHOLS, (0, 2), ()),
    ("A (it burns), C (it melts).", ALCOHOLS, (0, 2), ()),
    ("A. (it burns), C (it melts)", ALCOHOLS, (0, 2), ()),
    ('"A (it burns), C (it melts)"', ALCOHOLS, (0, 2), ()),
    ("Answers: A (it burns), C (it melts)", ALCOHOLS, (0, 2), ()),
    # letters that no option has begin nothing
    ("A. tin\nB. zinc\nDC: lead", METALS, (0, 1), (BESIDE,)),
]


def result(text: str, texts: tuple[str, ...]) -> ChoiceRead | Unread:
    return read_choice(text, tuple(ShownOption(option_letter(i), f"k{i}", words) for i, words in enumerate(texts)))


@pytest.mark.parametrize(("text", "texts", "unread"), UNREAD)
def test_unread(text: str, texts: tuple[str, ...], unread: Unread) -> None:
    assert result(text, texts) == unread


@pytest.mark.parametrize(("text", "texts", "positions", "notes"), READ)
def test_read(text: str, texts: tuple[str, ...], positions: tuple[int, ...], notes: tuple[str, ...]) -> None:
    assert result(text, texts) == ChoiceRead(positions, notes)
