"""Numbers that mean something else than their first digits, and more spellings of plain ones."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind

READ = [
    # a comma of one digit before a power of ten
    ("6,022e23", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    ("6,022 × 10^23", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    (r"6,022 \times 10^{23}", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    ("6,022", "6022", ("ambiguous-separator",)),
    ("12,500e3", "12500E3", ("ambiguous-separator",)),
    ("1,234,567e3", "1234567E3", ()),
    # more spellings
    (r"\num{4.15e-21}", "4.15E-21", ()),
    (r"\SI{4.15e-21}{\joule}", "4.15E-21", ("unit-undeclared",)),
    (r"\qty{4.15e-21}{J}", "4.15E-21", ("unit-undeclared",)),
    # a power of ten written as one of e
    *[(text, "1.5E-5", ("doubtful-power",)) for text in ("1.5e^-5", "1.5e^{-5}", "1.5e⁻⁵", "1.5 e^(-5)", "1.5e(-5)")],
    *[(text, "1.5E-5", ()) for text in ("1.5E^-5", "1.5E^{-5}", "1.5E(-5)", "1.5E{-5}", r"1.5\mathrm{E}{-5}")],
    (r"1.5\text{e}{-5}", "1.5E-5", ("doubtful-power",)),
    ("-1,5e^-5", "-1.5E-5", ("decimal-comma", "doubtful-power")),
    ("6,022e^23", "6.022E23", ("decimal-comma", "ambiguous-separator", "doubtful-power")),
    ("6,022E^23", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    ("6.022e^23", "6.022E23", ("doubtful-power",)),
    ("2e^-3", "0.002", ("doubtful-power",)),
    ("2 e^-", "2", ()),
    ("2e^- are transferred", "2", ()),
    # entities and marks of direction
    ("&minus;5.2", "-5.2", ()),
    ("1.5 &times; 10^-5", "1.5E-5", ()),
    ("1.5&nbsp;&#215;&nbsp;10<sup>&minus;5</sup>", "1.5E-5", ()),
    ("25&#xb0;C", "25", ("unit-undeclared",)),
    ("\u20665.2\u2069", "5.2", ()),
    ("\u202a5.2\u202c", "5.2", ()),
    ("4.15 times 10 to the power of -21", "4.15E-21", ()),
    ("4.15 times 10 to the -21", "4.15E-21", ()),
    ("4.15 multiplied by 10^-21", "4.15E-21", ()),
    ("22 800,5", "22800.5", ("decimal-comma",)),
    ("1 234 567,89", "1234567.89", ("decimal-comma",)),
    ("12,5±0,3", "12.5", ("decimal-comma", "uncertainty")),
    ("12.5 (±0.3)", "12.5", ("uncertainty",)),
    ("12.5 (± 0.3) g", "12.5", ("uncertainty", "unit-undeclared")),
    (r"\frac12", "0.5", ("fraction",)),
    (r"\frac{1}{2}", "0.5", ("fraction",)),
    ("4-", "-4", ("trailing-sign",)),
    ("1.85 D", "1.85", ("unit-undeclared",)),
    ("-0.6 Dq", "-0.6", ("unit-undeclared",)),
    ("10e-", "10", ()),
    ("300 K", "300", ("unit-undeclared",)),
    ("5 mol/h", "5", ("unit-undeclared",)),
    ("0.05 d-1", "0.05", ()),
    ("2 h", "2", ("unit-undeclared",)),
    ("2 nF", "2", ()),
    ("0.5 T", "0.5", ()),
    ("2 halogens", "2", ()),
    ("3 Fe", "3", ()),
    # a function of a quantity on the left side
    ("log K = 5", "5", ("transformed",)),
    (r"$\ln k = 5$", "5", ("transformed",)),
    ("1/T = 5", "5", ("transformed",)),
    ("r^2 = 5", "5", ("transformed",)),
    ("r<sup>2</sup> = 5", "5", ("transformed",)),
    ("r<sub>2</sub> = 5", "5", ()),
    ("pH = -log(0.001) = 3", "3", ()),
    ("n = m/M = 3", "3", ()),
    ("catalog = 3", "3", ()),
    ("2/3 ≈ 0.67", "0.67", ()),
]


@pytest.mark.parametrize(("text", "value", "notes"), READ)
def test_read(text: str, value: str, notes: tuple[str, ...]) -> None:
    reading = read_typed_number(text)
    assert (reading.number, reading.notes) == (Decimal(value), notes)


BRACES = [
    r"1.5 \times {10}^{-3}",
    r"1.5 \times 10^{-{3}}",
    r"1.5\times10^{{-3}}",
    r"1.5 \times {10^{-3}}",
    "1.5 × 10^⁻³",
]
BRACES += [
    r"{1.5} \times {10}^{-3}",
    r"1.5\cdot{10}^{-3}",
    "1.5 × 10^-3^",
    r"1.5\times10^{−3}",
    r"{1.5}\times{10^{-{3}}}",
]


@pytest.mark.parametrize("text", BRACES)
def test_braces_round_the_pieces_of_a_power(text: str) -> None:
    for said in (text, rf"\boxed{{{text}}}", rf"{text}\,\text{{mol}}", rf"-{text}"):
        assert abs(read_answer(text=said, asked=Asked(Kind.NUMBER)).number or 0) == Decimal("0.0015")


def test_braces_between_digits_make_no_number() -> None:
    for text in (r"1.5\times10^{-{1}{2}}", "2{3}", "{2}{3}", r"1.5\times10^{2.5}", "10^3^2"):
        assert read_answer(text=text, asked=Asked(Kind.NUMBER)).number is None


EXPRESSIONS = ["2**10", "2^10", "4.15D-21", "3d5", "1e", "1E", "3.5-", "5 divided by two", "5 times ten", "5 log two"]
EXPRESSIONS += [
    "5 and a half",
    "5 and one half",
    "5 halves",
    "3 quarters",
    "5 plus two",
    "1.5 RT",
    "1.5RT",
    "3 R",
    "2 kT",
]
EXPRESSIONS += ["3e^2", "3e^{-kt}", "4 e^2", "5 E (3)", "2e^x", "3 E^5.5"]
EXPRESSIONS += ["2h/m", "3 k_B T", "3 N_A", "1.5 x 10e-3"]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_are_not_cut(text: str) -> None:
    assert read_typed_number(text).notes == ("expression",)
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).notes == ("expression",)


LABELS = ["2-butanol", "13-C", "2p orbital", "2 p orbital", "3d", "4f", "3d subshell", "5th", "1st", "5h30", "5°30'"]
LABELS += ["3-methylpentane", "1,2-dibromoethane", "5 min 30", "2-D", "3s electron"]


@pytest.mark.parametrize("text", LABELS)
def test_names_that_begin_with_a_number(text: str) -> None:
    for said in (text, f"x = {text}"):
        assert read_typed_number(said).notes == ("label",)
        assert read_answer(text=f"[ANSWER]{said}[/ANSWER]", asked=Asked(Kind.NUMBER)).notes == ("label",)


NOT_LABELS = [
    "5 h",
    "5 d",
    "5 h-1",
    "5 m2",
    "5-mL",
    "5-fold",
    "5-coordinate",
    "5-membered",
    "5s",
    "5°C",
    "5 p",
    "5-kJ/mol",
]
NOT_LABELS += ["5 d-1", "5 sp3", "5 hydrogens", "5 minima", "5 stars"]


@pytest.mark.parametrize("text", NOT_LABELS)
def test_units_and_counts_are_no_labels(text: str) -> None:
    assert read_typed_number(text).number == 5


def test_a_broken_off_exponent_is_an_expression() -> None:
    assert [read_typed_number(text).notes for text in ("5E+", "5E-", "5e+")] == [("expression",)] * 3


RESULTS = [
    ("42 g because n = 3", "42"),
    ("42 g (n = 3)", "42"),
    ("42 g with n = 3", "42"),
    ("42 g, since n = 3", "42"),
    ("m = 42 g with n = 3", "42"),
    ("k = 42 at T = 300 K", "42"),
    ("42 g/mol. Check: n = 3", "42"),
    ("42 (n ≈ 3)", "42"),
    # what stands before is no result, or not the only one
    ("For n = 3, E = 5", "5"),
    ("E at T = 300 K = 5 V", "5"),
    ("5 × (2 + 3) = 25", "25"),
    ("5 (n = 3) = 15", "15"),
    ("V=3 L=3000 mL", "3000"),
    ("V = 3 L = 3000 mL", "3000"),
    ("25 C = 298 K", "298"),
    ("0.5 mol × 18 g/mol = 9 g", "9"),
    ("m = 0.5 mol. Then m = 9 g", "9"),
]


@pytest.mark.parametrize(("text", "value"), RESULTS)
def test_a_result_in_front_of_its_conditions(text: str, value: str) -> None:
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).number == Decimal(value)


@pytest.mark.parametrize("text", ["!= 5", "x != 5", "!=5", "≠ 5", "$\\neq 5$"])
def test_a_sign_for_not_is_heeded(text: str) -> None:
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).number is None


FORMS = [
    ("four (4)", "", "4"),
    ("7.4 (at 25 °C)", "", "7.4"),
    ("pH = 7.4 (measured at 298 K)", "", "7.4"),
    ("1.8 x 10<sup>-5</sup>", "", "1.8E-5"),
    ("1.8 × 10<SUP>−5</SUP> mol", "", "1.8E-5"),
    # how exactly it holds, and under which conditions
    ("5.2 g (3 s.f.)", "", "5.2"),
    ("5.2 g to 2 significant figures", "", "5.2"),
    ("5.2 (2 d.p.)", "", "5.2"),
    ("5.20, 3 sig. figs.", "", "5.20"),
    ("5.2 to two decimal places", "", "5.2"),
    ("4.76 at 25 °C", "", "4.76"),
    ("4.76 at 298 K and 1 atm", "", "4.76"),
    ("4.76 at room temperature", "", "4.76"),
    ("3.1 at pH 7.4", "", "3.1"),
    ("5 (confidence: 80%)", "", "5"),
    ("5 (80% confident)", "", "5"),
    ("4.76 at 25 °C and 5.1 at 30 °C", "", None),
    ("5 or 6 at 25 °C", "", None),
    ("5 (95%)", "", None),
    ("42 (not 43)", "", "42"),
    # the same before it was rounded
    ("42 (rounded from 42.3)", "", "42"),
    ("42 g (unrounded: 42.27 g)", "g", "42"),
    ("42 (more precisely 42.3)", "", "42"),
    ("42 (rounded from 43)", "", None),
    ("42 (exact: 41.2)", "", None),
    ("42 (42.3)", "", None),
    ("42 (or 43)", "", None),
    ("42 (forty-two)", "", "42"),
    ("42 (forty-three)", "", None),
    ("5 g (six)", "", None),
    ("42 (approximately)", "", "42"),
    # one number in two spellings
    ("0.000018 (1.8 × 10^-5)", "", "0.000018"),
    ("1.8e-5 (or 0.000018)", "", "0.000018"),
    ("1.5 (3/2)", "", "1.5"),
    ("100 (10²)", "", "100"),
    ("0.000018 M (1.8 × 10^-5 M)", "", "0.000018"),
    ("0.0182 (1.8 × 10^-2)", "", None),
    ("200 (201)", "", None),
    ("0.25 (25%)", "", None),
    # counts
    *[(text, "", "6") for text in ("6 π electrons", "6π electrons", "6 pi-electrons", "6 pi electrons")],
    ("5 d electrons", "", "5"),
    ("3 p orbitals", "", "3"),
    ("4 R groups", "", "4"),
    ("2 R stereocentres", "", "2"),
    ("44.01 g CO_2", "", "44.01"),
    ("180.16 g C_6H_{12}O_6", "", "180.16"),
    ("five signals", "", "5"),
    ("There are five signals.", "", "5"),
    ("two π electrons", "", "2"),
    ("Five (5) signals", "", "5"),
    ("five (6) signals", "", None),
    ("Five (5) or six signals", "", None),
    ("two thirds", "", None),
    ("five and six signals", "", None),
    # counts that follow in words
    ("There are 2 chiral centres, so four stereoisomers.", "", None),
    ("There are 3 aromatic signals and two aliphatic ones, five in total.", "", None),
    ("3 signals and two peaks", "", None),
    ("3 signals (two aromatic, one aliphatic)", "", "3"),
    ("3 signals, one for the CH3 and two for the CH2", "", "3"),
    ("There are 4 isomers, so four in total", "", "4"),
    ("3 signals and one of them is broad", "", "3"),
    ('{"answer": 7}', "", "7"),
    ('{"answer": "7 g"}', "g", "7"),
    ('{"final_answer": 7.5}', "", "7.5"),
    ("54.0 g (0.054 kg)", "g", "54"),
    ("0.054 kg (54 g)", "g", "54"),
    ("0.054 kg (or 54 g).", "g", "54"),
    ("298 K (25 °C)", "K", "298"),
    ('{"answer": 5, "unit": "mg"}', "g", "0.005"),
    ('{"answer": "5", "units": "mg"}', "g", "0.005"),
    ('{"answer": "-5.2e3", "Unit": "mg"}', "g", "-5.2"),
    ('{"answer": "5 mg", "unit": "g"}', "g", "0.005"),
    ('{"answer": 5, "unit": null}', "g", "5"),
    ('{"answer": 5, "unit": "mg", "units": "kg"}', "g", "5"),
    ('{"answer": 5, "mass": "mg"}', "g", "5"),
    (r"2.5\,\frac{\text{kJ}}{\text{mol}}", "J/mol", "2500"),
    (r"\boxed{2.5\,\frac{\mathrm{kJ}}{\mathrm{mol \cdot K}}}", "J/(mol K)", "2500"),
    (r"\SI{2.5}{\kilo\joule\per\mole}", "J/mol", "2500"),
    (r"\qty{2.5}{\milli\gram}", "g", "0.0025"),
    (r"2.5 \si{\kilo\gram\per\cubic\metre}", "g/m^3", "2500"),
    (r"2.5 \unit{\joule\per\mole\per\kelvin}", "J/(mol K)", "2.5"),
    (r"\SI{2.5}{\metre\per\second\squared}", "cm/s^2", "250"),
    (r"\SI{2.5}{\square\metre}", "cm^2", "25000"),
    (r"\SI{2.5}{kJ/mol}", "J/mol", "2500"),
    (r"\SI{2.5}{\wizzle}", "m", "2.5"),
    ("four (5)", "", None),
    ("3 (at A) and 4 (at B)", "", None),
    ("54 g (54 kg)", "g", None),
    # Another quantity in brackets beside what was asked for.
    ("54 g (3 mol)", "g", "54"),
    ("54 g (3 mol of water)", "g", "54"),
    ("3 mol (54 g)", "g", None),
    ("54 g (3 mol)", "", None),
    ("54 (3 mol)", "g", None),
    ("54 g (3 wizzles)", "g", None),
    ("54 g (3 mol or 4 mol)", "g", None),
    ("It's 54.", "", "54"),
    ("It's about 54 g.", "g", "54"),
    ("That's 54 g", "g", "54"),
    ("It’s -54", "", "-54"),
    ("54.0 g (0.054 kg)", "", None),
]


@pytest.mark.parametrize(("text", "unit", "value"), FORMS)
def test_one_number_in_another_dress(text: str, unit: str, value: str | None) -> None:
    for said in (text, f"[ANSWER]{text}[/ANSWER]"):
        reading = read_answer(text=said, asked=Asked(Kind.NUMBER, unit=unit))
        assert reading.number == (None if value is None else Decimal(value))


SEVERAL = ["n=3 l=2", "x = 2 n = 3", "1. 12", "4.\n5", "5\n6", "x=5, y=6", "x = 5 and y = 6", "a = 5; b = 6; c = 7"]


@pytest.mark.parametrize("text", SEVERAL)
def test_several_numbers(text: str) -> None:
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).notes == ("several-numbers",)


ONE = [
    ("42. It follows", "42"),
    ("42 g. It follows from 2 equations", "42"),
    ("42 g\nby adding", "42"),
    ("m = 3, n = 5, so x = m + n = 8", "8"),
    ("V = 2 L,\n so n = 8", "8"),
]


@pytest.mark.parametrize(("text", "value"), ONE)
def test_one_number_and_an_explanation(text: str, value: str) -> None:
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).number == Decimal(value)
