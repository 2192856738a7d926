"""Options recognised by their text: other spellings of it, parts of it, amounts."""

import pytest

from corpus.scoring.choices import ChoiceRead, read_choice
from corpus.scoring.option_texts import OptionTexts, option_texts
from corpus.scoring.types import ShownOption

SIGNS = (r"$\ce{CO2}$", r"$\ce{SO4^{2-}}$", "10 °C", "A = 1", "BD")
COUNTS = ("12 signals", "2 signals", "7", "1.5", "1:1", "not 9")
CHANGES = ("increases", "decreases", "does not change", "is not soluble in water", "no reaction at all")
NUMERALS = ("I only", "II only", "I and II only", "I, II and III")
STATEMENTS = ("Statement 1 and 2", "Statement 1, 2 and 3", "HCl + NaOH", "NaCl(aq) before H2O(l)")
SYMBOLS = ("GHS05 and GHS07", "GHS02, GHS04", "GHS06; GHS08", "GHS01 or GHS09")
STRUCTURES = ("CC(=O)O", "c1ccccc1Br", "[NH4+].[Cl-]", "1s2 2s2 2p6")
NAMES = ("cis-2-butene", "2,2-dimethylpropane", "acetic acid", "0.20 M NaOH", "methyl ethanoate", "24 K")
CLAUSES = (
    "Ethanol, because it is polar",
    "Benzene which is flat, and stable",
    "an Aldol condensation",
    "The rate, not K",
)
SURE = ("Yes", "No", "NO2", "yes and no")

AMOUNTS = ("58.6 kJ/mol", "2.0", "1.5", "12 %", "25 °C", "1.8 × 10^-5", "6 V", "6 A", "-3.10 V", "5-7", "III")
TAGGED = ("Na2SO4", "Na<sub>2</sub>S", r"\ce{Fe^{3+}}")

WRITTEN = [
    # an amount without its unit, or in another spelling
    *[(text, AMOUNTS, "A") for text in ("58.6", "58.6 kJ mol⁻¹", "58.6 kJ mol$^{-1}$", "58600 J/mol", "58.60")],
    *[(text, AMOUNTS, "B") for text in ("2", "2.00", "2.0")],
    *[(text, AMOUNTS, "C") for text in ("1.5", "1.50", "3/2")],
    *[(text, AMOUNTS, "D") for text in ("12", "12%", "12 percent", "12.0")],
    *[(text, AMOUNTS, "E") for text in ("25", "25 °C", "25 C")],
    *[(text, AMOUNTS, "F") for text in ("1.8e-5", "0.000018", r"$1.8 \times 10^{-5}$")],
    *[(text, AMOUNTS, "I") for text in ("-3.1", "−3.1 V", "-3100 mV")],
    ("6.0 V", AMOUNTS, "G"),
    *[(text, AMOUNTS, None) for text in ("58.6 J/mol", "58", "6", "1.8", "12 g", "3.1", "5", "7", "3", "2 or 1.5")],
    ("2.00", ("2", "2.0"), None),
    ("1H, NOESY", ("19F", "1H", "NOESY (spectroscopy)"), "BC"),
    *[("13", ("13C", "15N"), None), ("12", ("12C, 14N", "15N"), None), ("2 V and more", ("2.0 V", "3.0 V"), None)],
    *[(text, TAGGED, "A") for text in ("Na<sub>2</sub>SO<sub>4</sub>", "Na<SUB>2</SUB>SO4")],
    *[(text, TAGGED, "B") for text in ("Na2S", "Na₂S", "Na<sub>2</sub>S")],
    ("Fe<sup>3+</sup>", TAGGED, "C"),
    # a piece of a list, of numerals, of a structure or of a name is none of them
    *[(text, NUMERALS, None) for text in ("II and III", "I, II", "II, III", "III", "I and III")],
    *[(text, NUMERALS, "C") for text in ("I and II", "I and II only")],
    *[(text, STATEMENTS, None) for text in ("2 and 3", "Statement 2 and 3", "1, 2", "Statement 1, 2", "NaOH", "NaCl")],
    *[(text, STATEMENTS, "A") for text in ("1 and 2", "Statement 1 and 2")],
    ("1, 2 and 3", STATEMENTS, "B"),
    *[(text, SYMBOLS, None) for text in ("GHS05", "GHS07", "GHS04", "GHS06", "GHS09", "GHS05, GHS02", "GHS05; GHS07")],
    *[(text, STRUCTURES, None) for text in ("CC(=O)", "(=O)O", "c1ccccc1", "[Cl-]", "1s2 2s2", "2s2 2p6")],
    *[(text, NAMES, None) for text in ("2-butene", "butene", "dimethylpropane", "2-dimethylpropane", "acid", "acetic")],
    *[(text, NAMES, None) for text in ("0.20 M", "ethanoate", "methyl")],
    *[(text, NAMES, "D") for text in ("0.20 M NaOH", "0.20")],
    ("24", NAMES, "F"),
    *[(text, CLAUSES, "A") for text in ("Ethanol", "Ethanol, because it is polar", "ETHANOL, BECAUSE IT IS POLAR")],
    ("Benzene", CLAUSES, "B"),
    *[(text, CLAUSES, "C") for text in ("Aldol", "Aldol condensation", "condensation")],
    *[(text, CLAUSES, None) for text in ("The rate", "stable")],
    *[(text, SURE, "B") for text in ("no", "NO", "No", "No.")],
    *[(text, SURE, "A") for text in ("yes", "YES")],
    ("ethanol", ("ethanol forms H2O", "methane burns"), "A"),
    ("no", ("NO", "CO", "N2O"), None),
    ("NO", ("No", "Co"), None),
    *[(text, SIGNS, "A") for text in ("CO₂", "CO2", r"\ce{CO2}", "A. CO₂", "𝐀")],
    *[(text, SIGNS, "B") for text in ("SO₄²⁻", "SO4^2-", "B) SO₄²⁻", "𝖡")],
    *[(text, SIGNS, "C") for text in ("10°C", "10 °C", r"10\,^\circ\text{C}")],
    *[(text, SIGNS, "D") for text in ("A = 1", "A=1", "A =1")],
    *[(text, COUNTS, "A") for text in ("12", "12 signals")],
    *[(text, COUNTS, "C") for text in ("7", "7 signals", "7 different signals")],
    ("1.5 mol", COUNTS, "D"),
    ("12 peaks", COUNTS, None),
    ("1 signal", COUNTS, None),
    ("1 and 7", COUNTS, None),
    ("9", COUNTS, None),
    # a part must not drop a denial
    ("change", CHANGES, None),
    ("soluble in water", CHANGES, None),
    ("reaction", CHANGES, None),
    ("increases, change", CHANGES, None),
    ("does not change", CHANGES, "C"),
    ("not change", CHANGES, "C"),
    ("not soluble", CHANGES, "D"),
    ("no reaction", CHANGES, "E"),
]


@pytest.mark.parametrize(("text", "texts", "expected"), WRITTEN)
def test_texts(text: str, texts: tuple[str, ...], expected: str | None) -> None:
    options = tuple(ShownOption("ABCDEFGHIJK"[i], str(i), option) for i, option in enumerate(texts))
    read = read_choice(text, options)
    letters = "".join(options[i].letter for i in read.positions) if isinstance(read, ChoiceRead) else None
    assert letters == expected


def test_texts_that_differ_in_spaces_alone() -> None:
    options = (ShownOption("A", "a", "1 2"), ShownOption("B", "b", "12"), ShownOption("C", "c", "1  2 3"))
    assert read_choice("12", options) == ChoiceRead((1,), ("by-text",))
    assert read_choice("1 2", options) == ChoiceRead((0,), ("by-text",))
    assert read_choice("1 23", options) == ChoiceRead((2,), ("by-text",))


METALS = ("zinc", "zinc and zincate", "zincate, zinc, zincite", "zincates", "12 BDs here", "12 BD")


def texts_of(*texts: str) -> OptionTexts:
    return option_texts(tuple(ShownOption("ABCDEF"[i], str(i), text) for i, text in enumerate(texts)))


@pytest.mark.parametrize("separator", ["\n", "; ", ", "])
def test_a_list_of_whole_texts(separator: str) -> None:
    texts = texts_of("wood alcohol", "grain alcohol", "water")
    assert texts.read_whole(f"water{separator}wood alcohol") == (0, 2)
    assert texts.read_whole(f"water{separator}alcohol") is None


def test_one_option_may_be_named_twice() -> None:
    assert texts_of("wood alcohol").read_parts("wood, wood") == (0,)
    assert texts_of("wood alcohol").read_parts("wood, wood, wood") is None


def test_exact_spelling_comes_before_any_other() -> None:
    assert texts_of("n m", "N m", "Nm").position_of("N m") == 1


def test_a_part_that_several_options_hold_is_none() -> None:
    assert texts_of("1200 K", "about 1200 K").read_part("1200") is None
    assert texts_of("1200 K", "about 1300 K").read_part("1200") == (0,)
    assert texts_of("1 2", "12").read_part("12") == (1,)


@pytest.mark.parametrize("text", METALS)
def test_words_are_found_wherever_they_stand_whole(text: str) -> None:
    texts = texts_of(text)
    assert texts.mentions("zinc") is (text in METALS[:3])
    assert texts.mentions("BD") is (text == METALS[5])


def test_what_is_said_behind_an_options_text() -> None:
    assert texts_of("zinc").without_text_of("Zinc, a metal", 0) == ", a metal"
    assert texts_of("zinc").without_text_of("zincs melt", 0) == "zincs melt"


def test_an_option_without_a_text_is_in_no_words() -> None:
    assert texts_of("$$", "zinc").contradicts("- zinc melts", 0)
