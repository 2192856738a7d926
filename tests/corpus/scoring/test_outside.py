"""What stands outside the box or the tag and belongs to the number: its sign, its power of ten, its unit."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption

PLACES = [r"\boxed{%s}", "[ANSWER]%s[/ANSWER]", "<answer>%s</answer>"]


def read(text: str, unit: str = "") -> Reading:
    """Read a reply to a question for a number."""
    return read_answer(text=text, asked=Asked(Kind.NUMBER, unit=unit))


# Text around a place that holds 1.2; the value.
AROUND = [
    (r"@ \times 10^{-3}", "0.0012"),
    (r"$@ \times 10^{-3}$", "0.0012"),
    (r"@ \cdot 10^3 \text{ mol}", "1200"),
    ("@ × 10^-3", "0.0012"),
    ("@×10⁻³ mol.", "0.0012"),
    ("**@** x 10^(-3)", "0.0012"),
    ("@e-3", "0.0012"),
    ("@ E-3", "0.0012"),
    ("@ million", "1200000"),
    ("@ thousand mol", "1200"),
    ("-@", "-1.2"),
    ("−@ kJ", "-1.2"),
    ("The answer is -@.", "-1.2"),
    ("E = -@ V", "-1.2"),
    ("E = - @", "-1.2"),
    ("$-@$", "-1.2"),
    (r"\(E = -@\)", "-1.2"),
    ("**-@**", "-1.2"),
    ("-$@$", "-1.2"),
    (r"-@ \times 10^{-3}", "-0.0012"),
    ("+@", "1.2"),
    # no part of the number
    ("- @", "1.2"),
    ("Result:\n- @\n", "1.2"),
    ("The answer — @", "1.2"),
    ("The answer—@", "1.2"),
    ("The answer - @", "1.2"),
    ("@ - as said before", "1.2"),
    ("@ times as much", "1.2"),
    ("@\n\n× 10 is what I thought first", "1.2"),
    ("@ is 10 times more", "1.2"),
    # an expression, not a number
    ("±@", None),
    (r"\pm @", None),
    ("10^{@}", None),
    ("10^@", None),
    ("2^{@}", None),
    ("7-@", None),
    ("x = 7 -@", None),
    (r"@ \times 10^{-3} \times 2", None),
    ("10^{-@}", None),
    ("@^2", None),
    ("@^-2", None),
    ("@-3", None),
    ("@- as said before", None),
    ("@−", None),
    (r"-\frac{@}{2}", None),
    (r"\dfrac{3}{@}", None),
    (r"\sqrt{@}", None),
    (r"\sqrt[3]{-@}", None),
    (r"\log @", None),
    (r"-\log_{10}(@)", None),
    # a piece of nothing
    (r"\mathbf{@}", "1.2"),
    (r"\log K = @", "1.2"),
    (r"\frac{1}{2} = @", "1.2"),
    ("@—as said before", "1.2"),
    ("@– as said before", "1.2"),
    ("@-fold", "1.2"),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("around", "value"), AROUND)
def test_signs_and_powers_of_ten_outside_count(around: str, value: str | None, place: str) -> None:
    reading = read(around.replace("@", place % "1.2"))
    assert reading.number == (None if value is None else Decimal(value))
    assert (reading.status is ReadStatus.UNPARSED) is (value is None)


# Text around a place that holds 500, the unit asked for, the value, the unit read, notes.
UNITS = [
    ("@ mg", "g", "0.5", "mg", ("unit-converted",)),
    ("$@$ mg", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@\text{ mg}$", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@\,\mathrm{mg}$.", "g", "0.5", "mg", ("unit-converted",)),
    ("@ mg of salt", "g", "0.5", "mg", ("unit-converted",)),
    ("@ mg, because it is heavy.", "g", "0.5", "mg", ("unit-converted",)),
    ("@ mg. It is heavy.", "g", "0.5", "mg", ("unit-converted",)),
    ("**@** mg", "g", "0.5", "mg", ("unit-converted",)),
    ("@ J", "kJ", "0.5", "J", ("unit-converted",)),
    ("@ J mol⁻¹", "kJ/mol", "0.5", "J mol^-1", ("unit-converted",)),
    (r"@ \text{ J mol}^{-1}", "kJ/mol", "0.5", "J mol^{-1}", ("unit-converted",)),
    ("@%", "fraction", "5", "%", ("unit-converted",)),
    (r"@\%", "fraction", "5", "%", ("unit-converted",)),
    ("@ mmHg", "mmHg", "500", "mmHg", ()),
    ("@ cal", "J", "2092", "cal", ("unit-converted",)),
    ("@ mol", "g", "500", "mol", ("unit-differs",)),
    ("@ g", "g", "500", "g", ()),
    ("@ g", "", "500", "g", ("unit-undeclared",)),
    ("@~mg", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@~\text{mg}$", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@~\mathrm{mg}$", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@\quad\text{mg}$", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@\qquad\text{mg}$", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@ \mathrm{~mg}$", "g", "0.5", "mg", ("unit-converted",)),
    (r"$@\text{~mg}$", "g", "0.5", "mg", ("unit-converted",)),
    # words, no unit
    ("@ as said", "g", "500", "", ()),
    ("@ A is the ampere", "g", "500", "", ()),
    ("@ m is the mass", "g", "500", "", ()),
    ("@\n\nmg", "g", "500", "", ()),
    ("@. J", "g", "500", "", ()),
    ("@ thanks", "g", "500", "", ()),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("around", "asked", "value", "unit", "notes"), UNITS)
def test_a_unit_outside_is_converted_or_noted(
    around: str, asked: str, value: str, unit: str, notes: tuple[str, ...], place: str
) -> None:
    reading = read(around.replace("@", place % "500"), asked)
    assert (reading.number, reading.unit, reading.notes) == (Decimal(value), unit, notes)


def test_the_unit_inside_goes_first() -> None:
    assert read("[ANSWER]500 mg[/ANSWER] g", "g").number == Decimal("0.5")
    assert read(r"\boxed{1.2 \text{ g}} \times 10^{3}", "g").status is ReadStatus.UNPARSED


def test_what_was_read_spans_the_sign_the_power_and_the_unit() -> None:
    text = r"So E = -\boxed{1.2} \times 10^{-3} V, that is."
    reading = read(text)
    assert text[slice(*(reading.span or (0, 0)))] == r"-\boxed{1.2} \times 10^{-3} V"
    assert reading.notes == ("outside", "unit-undeclared")


def test_a_correction_still_replaces_the_tag() -> None:
    assert read("-[ANSWER]5[/ANSWER] V. I made a mistake. The correct answer is 6.").number == 6


# Text around a place that holds 2; the value.
CHARGES = [
    ("The charge is @−.", "-2"),
    ("@-", "-2"),
    ("@–", "-2"),
    ("@+", "2"),
    ("@^-", "-2"),
    ("$@^{-}$ as said", "-2"),
    ("$@$-", "-2"),
    (r"\(@-\) as said", "-2"),
    ("(@-) as said", "-2"),
    ("**@**- ", "-2"),
    ("@- as said", None),
    ("@--- as said", "2"),
    ("@-> as said", "2"),
    ("@-butanol", None),
    ("@ - as said", "2"),
    ("@—", "2"),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("around", "value"), CHARGES)
def test_a_sign_right_behind_is_a_charge(around: str, value: str | None, place: str) -> None:
    reading = read(around.replace("@", place % "2"))
    assert reading.number == (None if value is None else Decimal(value))
    assert (
        value != "-2" or reading.notes == ("trailing-sign", "outside") or reading.notes == ("outside", "trailing-sign")
    )


def test_what_is_no_whole_number_has_no_charge() -> None:
    assert read("[ANSWER]II[/ANSWER]−").number == -2
    assert read("[ANSWER]5 g[/ANSWER]-").status is ReadStatus.UNPARSED
    assert read("-[ANSWER]-5[/ANSWER]").status is ReadStatus.UNPARSED
    assert read("-[ANSWER]x = 5[/ANSWER]").status is ReadStatus.UNPARSED


STATES = ("-1", "+1", "0", "+2")
CONCENTRATIONS = ("1.2 × 10^-3 M", "1.2 × 10^-4 M", "1.2 M")
ENTHALPIES = ("58.6 kJ/mol", "-58.6 kJ/mol")
# Options, a reply, the position of the option or none.
OPTIONS = [
    (STATES, r"The oxidation state is −\boxed{1}.", 0),
    (STATES, r"The oxidation state is \boxed{1}^-.", 0),
    (STATES, "It is [ANSWER]1[/ANSWER]−.", 0),
    (STATES, r"\boxed{1}", 1),
    (STATES, "- [ANSWER]1[/ANSWER]", 1),
    (STATES, "-[ANSWER]A[/ANSWER]", 0),
    (STATES, "-[ANSWER]+1[/ANSWER]", None),
    (STATES, r"-\boxed{2}", None),
    (STATES, r"7-\boxed{1}", None),
    (STATES, "−[ANSWER]one[/ANSWER]", 1),
    (("-1", "0"), r"-\boxed{1}", 0),
    (("58.6", "-58.6"), r"$\Delta H = -\boxed{58.6\ \text{kJ/mol}}$", 1),
    (("58.6", "-58.6"), "ΔH = -[ANSWER]58.6 kJ/mol[/ANSWER]", 1),
    (ENTHALPIES, "ΔH = -[ANSWER]58.6[/ANSWER] kJ/mol", 1),
    (ENTHALPIES, "ΔH = [ANSWER]58.6[/ANSWER] kJ/mol", 0),
    (ENTHALPIES, "ΔH = [ANSWER]58.6 kJ/mol[/ANSWER] J", 0),
    (CONCENTRATIONS, r"$\boxed{1.2} \times 10^{-3}$ M", 0),
    (CONCENTRATIONS, "[ANSWER]1.2[/ANSWER] × 10^-3 M", 0),
    (CONCENTRATIONS, "[ANSWER]1.2[/ANSWER] × 10^-4", 1),
    (CONCENTRATIONS, "[ANSWER]1.2[/ANSWER] M", 2),
    (CONCENTRATIONS, "[ANSWER]1.2[/ANSWER] mM", 0),
    (CONCENTRATIONS, "[ANSWER]A[/ANSWER] M", 0),
    (CONCENTRATIONS, r"10^{\boxed{1.2}} M", None),
    (("500 mg", "2 g"), "[ANSWER]2[/ANSWER] kg", None),
    (("500 mg", "2 g"), "[ANSWER]2[/ANSWER] as said", 1),
]


@pytest.mark.parametrize(("options", "text", "position"), OPTIONS)
def test_what_stands_outside_an_option_that_is_an_amount(
    options: tuple[str, ...], text: str, position: int | None
) -> None:
    shown = tuple(ShownOption("ABCD"[i], str(i), option) for i, option in enumerate(options))
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, shown))
    assert reading.option_keys == (() if position is None else (str(position),))


def test_a_choice_has_no_sign() -> None:
    assert read_answer(text="-[ANSWER]B[/ANSWER]", asked=Asked(Kind.TEXT)).status is ReadStatus.READ
