"""Options that are amounts: the same value in another spelling, with or without its unit, in a word."""

import pytest

from corpus.scoring import units
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption

MASSES = ("2.0 g", "0.2 g", "20 g", "200 g")
SIGNALS = ("3 signals", "4 signals")
WORDS = ("Three", "Four", "Five")
MIXED = ("12", "12.0 g", "24")

# Options, what is said, the letters read.
AMOUNTS = [
    *[(MASSES, text, "A") for text in ("A. 2 g", "A (2 g)", "The answer is A (2 g).", "A, 2 g.", "A) 2.00 g", "2 g")],
    (MASSES, "C. 20", "C"),
    (MASSES, "A. 2000 mg", "A"),
    *[(MASSES, text, "") for text in ("B. 2 g", "B. 2.0 g", "C. 2 g", "C. 200", "A. 0.2")],
    (("0.2 g", "5 g"), "2 g", ""),
    (("0.2 g", "5 g"), "A. 2 g", "A"),
    *[(("0.2 g", "2 g", "20 g"), text, "A") for text in (".2 g", "(.2 g)", "A. .2 g", "0.20 g")],
    *[(("0.2 g", "2 g", "20 g"), text, "B") for text in ("2 g", "(2 g)", "..2 g", ". 2 g")],
    (("12.5 g", "7 g"), "A. 2.5 g", "A"),
    (SIGNALS, "four signals", "B"),
    (SIGNALS, "four", "B"),
    (SIGNALS, "4", "B"),
    (SIGNALS, "five signals", ""),
    (SIGNALS, "four peaks", ""),
    (WORDS, "4", "B"),
    (WORDS, "4 signals", "B"),
    (WORDS, "four signals", "B"),
    (MIXED, "12 g", "B"),
    (MIXED, "12", "A"),
    (MIXED, "24 g", "C"),
    (("12", "24"), "12 g", "A"),
    (("12.0", "12.00 g", "12.000 g"), "12 g", ""),
    (("1.2 M", "1.2 × 10^-3 M"), "1.2 mM", "B"),
    (("2", "5"), "two or three", ""),
    *[(("2", "5"), f"2 {word} three", "") for word in ("or", "to", "and", "plus", "minus", "times", "not")],
    (("2", "5"), "2 of them", ""),
    (("1", "2"), "one of them", ""),
]


@pytest.mark.parametrize(("options", "text", "letters"), AMOUNTS)
def test_an_amount_is_an_option_by_its_value(options: tuple[str, ...], text: str, letters: str) -> None:
    shown = tuple(ShownOption("ABCD"[i], "ABCD"[i], option) for i, option in enumerate(options))
    for said in (text, f"[ANSWER]{text}[/ANSWER]"):
        assert "".join(read_answer(text=said, asked=Asked(Kind.CHOICE, shown)).option_keys) == letters


def test_options_without_units_need_no_library_of_units(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("The library of units was loaded.")

    monkeypatch.setattr(units, "_registry", refuse)
    # What another test has read is kept.
    units._line.cache_clear()
    shown = tuple(ShownOption("ABC"[i], "ABC"[i], option) for i, option in enumerate(("58.6", "12 peaks", "Ethanol")))
    for text in ("58.6 kcal", "A. 58.6 kcal", "[ANSWER]58.6[/ANSWER] kcal", "12 °F", "Ethanol"):
        read_answer(text=text, asked=Asked(Kind.CHOICE, shown))
    degrees = (ShownOption("A", "A", "77 °F"), ShownOption("B", "B", "300 K"))
    with pytest.raises(AssertionError, match="loaded"):
        read_answer(text="25 °C", asked=Asked(Kind.CHOICE, degrees))
