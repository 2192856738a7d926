"""Numbers as chemists write them (cases AP-01 to AP-15, AP-29)."""

from decimal import Decimal

import pytest

from corpus.scoring.numbers import NumberRead, parse_number, read_number
from corpus.scoring.types import Unread

NO_NUMBER = Unread("There is no number at the start of the answer.")

SCIENTIFIC = [
    *("4.15×10^-21", "4.15·10^-21", "4.15*10^-21", "4.15x10^-21", "4.15X10^-21", "4.15 x 10^(-21)"),
    *(r"4.15\times 10^{-21}", r"4.15 \cdot 10^{-21}", r"$4.15 \times 10^{-21}$", r"\(4.15\times10^{-21}\)"),
    *("4.15 × 10⁻²¹", "4.15×10−21", "4.15 · 10⁻²¹", "4.15 x 10^{-21}", "4.15*10**-21", "4.15 × 10 ^ -21"),
    *("4.15 E-21", "4.15e -21", "4.15E-21", "4.15e−21", "4,15 × 10⁻²¹", "(4.15 x 10^-21)", "0.415×10^-20"),
    *("４.１５E-21", "4.15\u200b×\u00a010^-21", r"\pu{4.15E-21 g}", "(4.15±0.02)×10^-21", "(4.15 x 10^-21) g"),
]


@pytest.mark.parametrize("text", SCIENTIFIC)
def test_scientific_notation(text: str) -> None:
    read = parse_number(text)
    assert read is not None
    assert read.value == Decimal("4.15E-21")


THOUSANDS = ["12,500", "12{,}500", "12 500", "12\u2009500", "12\u00a0500", "12\u202f500", "12'500", "12’500", "$12,500"]
THOUSANDS += [r"12\,500", r"\$12,500", "12,500.0"]


@pytest.mark.parametrize("text", THOUSANDS)
def test_thousands_separators(text: str) -> None:
    read = parse_number(text)
    assert read is not None
    assert read.value == 12500


PLAIN = [
    # powers of ten alone
    *[(text, "1E-23") for text in ("10^-23", "10⁻²³", "10^{-23}", "10^(-23)", "10**-23", r"$10^{-23}$", "10^(- 23)")],
    # decimal comma
    *[("12,5", "12.5"), ("0,082", "0.082"), ("1.234,5", "1234.5"), ("1.234.567", "1234567"), ("pH = 7,4", "7.4")],
    # edges and currency
    *[
        (text, "42")
        for text in ("(42).", "[42]", "42!", "**42**", "$42.00", "≈42", "~ 42", "`42`", '"42"', "42.", "*42*")
    ],
    *[(text, "42") for text in ("approximately 42", "about 42", "= 42", "the answer is 42", "x = 42", "$x=42$", "42 ")],
    # minus
    *[(text, "-5.2") for text in ("-5.2", "−5.2", "– 5.2", "minus 5.2", "negative 5.2", "—5.2", "－5.2")],
    *[("5.2", "5.2"), ("+5", "5"), ("plus 5", "5"), (".5", "0.5"), ("-.5", "-0.5")],
    # charges and oxidation states
    *[("4-", "-4"), ("-4", "-4"), ("IV-", "-4"), ("4−", "-4"), ("-IV", "-4")],
    *[("3+", "3"), ("+3", "3"), ("+III", "3"), ("III", "3"), ("VII", "7"), ("3 +", "3"), ("(IV)", "4"), ("IX", "9")],
    # words
    *[("eleven", "11"), ("Twenty-one", "21"), ("minus three", "-3"), ("zero", "0"), ("the answer is eleven", "11")],
    # results of a derivation
    *[
        ("3.162 - 2.20 = 2.162", "2.162"),
        ("512 mol - 20 mol = 492 mol", "492"),
        ("2/3 = 0.6667 ≈ 0.67", "0.67"),
        ("moles of gas (n = 2)", "2"),
    ],
    # fractions
    *[
        ("1/2", "0.5"),
        ("-1/2", "-0.5"),
        ("1 1/2", "1.5"),
        (r"\frac{1}{2}", "0.5"),
        (r"1\frac{1}{2}", "1.5"),
        ("½", "0.5"),
    ],
    # uncertainty kept apart
    *[("3 ± 0.2", "3"), ("5.24(3) g", "5.24"), ("3 +/- 0.2 mol", "3"), (r"3 \pm 0.2", "3"), ("1.5e3 ± 20", "1500")],
]


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_one_number(text: str, value: str) -> None:
    read = parse_number(text)
    assert read is not None
    assert read.value == Decimal(value)


UNITS = [
    ("2.30E-22g", "2.30E-22", "g"),
    ("2.30mmol", "2.30", "mmol"),
    ("5mol", "5", "mol"),
    ("-0.6Dq", "-0.6", "Dq"),
    ("-0.6*Dq", "-0.6", "Dq"),
    ("33,640 g/mol", "33640", "g/mol"),
    ("3 kJ mol^{-1}", "3", "kJ mol^{-1}"),
    ("3 kJ mol-1", "3", "kJ mol-1"),
    ("4.58 cm^3", "4.58", "cm^3"),
    ("4.58 cm³", "4.58", "cm^3"),
    (r"25^\circ\text{C}", "25", "°C"),
    ("60%", "60", "%"),
    (r"60 \%", "60", "%"),
    ("60 percent", "60", "percent"),
    ("60% of 100", "60", "%"),
    ("5 g. (at 25 °C)", "5", "g"),
    ("5 kJ/mol)", "5", "kJ/mol"),
    ("(3) g)", "3", "g"),
    ("3 signals in a proton NMR spectrum", "3", "signals in a proton"),
    ("3 of them as far as can be told from the spectrum given", "3", ""),
]


@pytest.mark.parametrize(("text", "value", "unit"), UNITS)
def test_unit_stands_apart(text: str, value: str, unit: str) -> None:
    read = parse_number(text)
    assert read is not None
    assert (read.value, read.unit) == (Decimal(value), unit)


UNREAD = [
    *("", "   ", "**", "N/A", "none", "often", "weight", "The molecular weight cannot be found", "NaN", "inf", "∞"),
    *(
        "3-4",
        "3 – 4",
        "3 to 4",
        "3 or 4",
        "between 3 and 4",
        "3, 4",
        "1:2",
        "3; 4",
        "3 or more",
        "at least 3",
        "±5",
        "3..4",
    ),
    *("63.5/23.0 x 100", "5 x 10", "2 × 3", "2+3", "2^10", "2²", "1.2 x 10 - 3", "3x", "x", "X", "10-21", "<5", "5/0"),
    *("1.5.2", "1,2,3", "12,50,000", "1_000", "H2", "C3v", "|Δn(CO2)|", "4(in one), 2(in other)", "x = 3, y = 4"),
    *("1E99999", "(a) 5", "(5 6) g", "(3", "3 mol of 4", "+IV-", "twentytwo", "one of them", "a" * 500),
    *("(5 g) (wet)", "(3) (4)", "((3) g)", "(5 (g))", "g5) mol", "x) 5", "b5)", "(3 g))"),
]


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_not_one_number_is_not_read(text: str) -> None:
    assert parse_number(text) is None
    assert isinstance(read_number(text), Unread)


NOTES = [
    ("12,500", ("ambiguous-separator",)),
    ("1,234,567", ()),
    ("12,500.5", ()),
    ("12 500", ()),
    ("12,5", ("decimal-comma",)),
    ("0,082", ("decimal-comma",)),
    ("1.234,5", ("decimal-comma",)),
    ("1.234.567", ()),
    ("4/3", ("fraction",)),
    ("4-", ("trailing-sign",)),
    ("-4", ()),
    ("III", ("roman-numeral",)),
    ("eleven", ("number-word",)),
    ("3 ± 0.2", ("uncertainty",)),
    ("12,5 ± 0.1", ("decimal-comma", "uncertainty")),
    ("12,5 % of it", ("decimal-comma",)),
]


@pytest.mark.parametrize(("text", "notes"), NOTES)
def test_how_it_was_written_is_noted(text: str, notes: tuple[str, ...]) -> None:
    read = parse_number(text)
    assert read is not None
    assert read.notes == notes


UNREAD_NOTES = [
    ("3-4", "range"),
    ("at most", ""),
    ("3 or more", "range"),
    ("2 × 3", "expression"),
    ("3x", "expression"),
    ("1.5.2", "several-numbers"),
]


@pytest.mark.parametrize(("text", "note"), UNREAD_NOTES)
def test_why_it_was_not_read_is_noted(text: str, note: str) -> None:
    read = read_number(text)
    assert isinstance(read, Unread)
    assert read.note == note
    assert read.reason.endswith(".")


def test_a_fraction_is_divided_not_cut() -> None:
    read = parse_number("4/3")
    assert read is not None
    assert abs(read.value * 3 - 4) < Decimal("1E-20")


BRACKETED = [
    ("(42)mol", "42", "mol"),
    ("(42 ) mol", "42", "mol"),
    ("(42) mol (roughly)", "42", "mol"),
    ("8.3 J/(mol K)", "8.3", "J/(mol K)"),
    ("8.3 J / (mol K).", "8.3", "J / (mol K)"),
    ("(8.3 kJ//mol)", "8.3", "kJ//mol"),
    ("8.3 m/s^2 (dry)", "8.3", "m/s^2"),
    ("(4.15 x 10^-21) mol", "4.15E-21", "mol"),
    ("[42]", "42", ""),
    ("(4 x 10^2) mol (roughly)", "400", "mol"),
    ("(4 x 10^2)g", "400", "g"),
    ("(4 x 10^2g) mol", None, ""),
    ("((42)", None, ""),
    ("(42 x) mol", None, ""),
    ("(4) (5)", None, ""),
    ("(x) 42", None, ""),
    ("(42", None, ""),
]


@pytest.mark.parametrize(("text", "value", "unit"), BRACKETED)
def test_brackets_around_the_number(text: str, value: str | None, unit: str) -> None:
    read = parse_number(text)
    assert (None if read is None else (read.value, read.unit)) == (None if value is None else (Decimal(value), unit))


SENTENCES = [
    ("pH 4.5", "4.5"),
    ("pKa = 4.5", "4.5"),
    ("There are 5 peaks", "5"),
    ("It is 5", "5"),
    ("This is about 5 g", "5"),
    ("2π", None),
    (r"2\pi r", None),
    (r"2\sqrt{3}", None),
    ("5 √3", None),
    (r"5~\mathrm{g}", "5"),
    ("~ 42", "42"),
]


@pytest.mark.parametrize(("text", "value"), SENTENCES)
def test_short_sentences_and_expressions(text: str, value: str | None) -> None:
    read = parse_number(text)
    assert (None if read is None else read.value) == (None if value is None else Decimal(value))


RESULTS = [
    (".", Unread("There is nothing to read.")),
    ("()", Unread("There is nothing to read.")),
    (", 188", NO_NUMBER),
    ("X5", NO_NUMBER),
    ("(4()", NO_NUMBER),
    ("(4 (5)", NO_NUMBER),
    ("four (5)", NO_NUMBER),
    ("n=3 l=2", Unread("Several equations stand side by side.", "several-numbers")),
    ("m=3 g=5", Unread("Several equations stand side by side.", "several-numbers")),
    ("54 g (54 kg)", Unread("More than one number.", "several-numbers")),
    ("m=3 g= 5", NumberRead(Decimal(5))),
    ("188.", NumberRead(Decimal(188))),
    ("{5}", NumberRead(Decimal(5))),
    ("6-g", NumberRead(Decimal(6))),
    ("5 peaks'", NumberRead(Decimal(5), "peaks")),
    ("5 Xe", NumberRead(Decimal(5), "Xe")),
    ("5 MeX", NumberRead(Decimal(5), "MeX")),
    ("four (4)", NumberRead(Decimal(4), notes=("number-word",))),
]


@pytest.mark.parametrize(("text", "result"), RESULTS)
def test_results(text: str, result: NumberRead | Unread) -> None:
    assert read_number(text) == result
