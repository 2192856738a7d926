"""What holds for every number, every set of letters and every text. Examples are the same in every run."""

import random
import string
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.scoring.letters import letter_index, option_letter
from corpus.scoring.numbers import parse_number
from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption

steady = settings(max_examples=60, derandomize=True, deadline=None)

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SHOWN = tuple(ShownOption(letter, letter, f"the text number {index}") for index, letter in enumerate("ABCDEF"))
CHOICE = Asked(Kind.CHOICE, SHOWN)

mantissas = st.decimals(min_value="-9.999", max_value="9.999", places=3, allow_nan=False).filter(lambda m: abs(m) >= 1)
exponents = st.integers(min_value=-30, max_value=30)

WRITERS: dict[str, Callable[[Decimal, int], str]] = {
    "e": lambda m, e: f"{m}e{e}",
    "E": lambda m, e: f"{m}E{e:+d}",
    "spaced E": lambda m, e: f"{m} E{e}",
    "caret": lambda m, e: f"{m}×10^{e}",
    "x": lambda m, e: f"{m} x 10^{e}",
    "star": lambda m, e: f"{m}*10^{e}",
    "dot": lambda m, e: f"{m} · 10^{e}",
    "superscript": lambda m, e: f"{m} × 10{str(e).translate(SUPERSCRIPT)}",
    "times": lambda m, e: rf"{m} \times 10^{{{e}}}",
    "cdot": lambda m, e: rf"${m} \cdot 10^{{{e}}}$",
    "brackets": lambda m, e: f"{m} x 10^({e})",
    "python": lambda m, e: f"{m}*10**{e}",
    "unicode minus": lambda m, e: f"{m}×10^{e}".replace("-", "−"),
    "decimal comma": lambda m, e: f"{m}×10^{e}".replace(".", ","),
    "bold": lambda m, e: f"**{m} x 10^{e}**",
    "unit": lambda m, e: f"{m} x 10^{e} g/mol",
}


@pytest.mark.parametrize("writer", WRITERS)
@given(mantissa=mantissas, exponent=exponents)
@steady
def test_a_number_is_read_back_however_it_is_written(writer: str, mantissa: Decimal, exponent: int) -> None:
    if writer == "decimal comma" and len(str(mantissa).lstrip("-")) == 5:
        mantissa = mantissa.quantize(Decimal("0.01"))  # three digits after a comma are thousands, by rule
    read = parse_number(WRITERS[writer](mantissa, exponent))
    assert read is not None
    assert read.value == mantissa.scaleb(exponent)


small = st.integers(min_value=1, max_value=99)
fractions = st.tuples(small, small, st.integers(min_value=2, max_value=99))
FRACTION_WRITERS: dict[str, Callable[[int, int, int], tuple[str, Decimal]]] = {
    "fraction": lambda whole, top, bottom: (f"{top}/{bottom}", Decimal(top) / bottom),
    "spaced fraction": lambda whole, top, bottom: (f"{top} / {bottom}", Decimal(top) / bottom),
    "latex fraction": lambda whole, top, bottom: (rf"$\frac{{{top}}}{{{bottom}}}$", Decimal(top) / bottom),
    "negative fraction": lambda whole, top, bottom: (f"−{top}/{bottom}", -(Decimal(top) / bottom)),
    "mixed number": lambda whole, top, bottom: (f"{whole} {top}/{bottom}", whole + Decimal(top) / bottom),
    "latex mixed number": lambda whole, top, bottom: (
        rf"{whole}\frac{{{top}}}{{{bottom}}}",
        whole + Decimal(top) / bottom,
    ),
}


@pytest.mark.parametrize("writer", FRACTION_WRITERS)
@given(parts=fractions)
@steady
def test_a_fraction_is_read_back(writer: str, parts: tuple[int, int, int]) -> None:
    text, value = FRACTION_WRITERS[writer](*parts)
    for said in (text, f"**{text}**", f"{text} mol"):
        read = parse_number(said)
        assert read is not None
        assert read.value == value


ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
CHARGES: dict[str, Callable[[int, str], str]] = {
    "behind": lambda size, sign: f"{size}{sign}",
    "behind, minus sign": lambda size, sign: f"{size}{sign}".replace("-", "−"),
    "behind, apart": lambda size, sign: f"{size} {sign}",
    "in front": lambda size, sign: f"{sign}{size}",
    "sign raised": lambda size, sign: f"{size}{'⁻' if sign == '-' else '⁺'}",
    "raised": lambda size, sign: f"{'⁰¹²³⁴⁵⁶⁷⁸'[size]}{'⁻' if sign == '-' else '⁺'}",
    "latex": lambda size, sign: f"$^{{{size}{sign}}}$",
    "Roman": lambda size, sign: f"{sign}{ROMAN[size - 1]}",
}


@pytest.mark.parametrize("writer", CHARGES)
@pytest.mark.parametrize("charge", [charge for charge in range(-8, 9) if charge])
def test_a_charge_is_read_back(writer: str, charge: int) -> None:
    read = parse_number(CHARGES[writer](abs(charge), "-" if charge < 0 else "+"))
    assert read is not None
    assert read.value == charge


UNCERTAINTIES = ["{} ± {}", "{}±{}", "{} +/- {}", r"{} \pm {}", "{} (± {})", "({} ± {})"]


@pytest.mark.parametrize("writer", UNCERTAINTIES)
@given(mantissa=mantissas, uncertainty=st.decimals(min_value="0.001", max_value="0.5", places=3), exponent=exponents)
@steady
def test_uncertainty_is_kept_apart(writer: str, mantissa: Decimal, uncertainty: Decimal, exponent: int) -> None:
    text = writer.format(mantissa, uncertainty)
    texts = {text: mantissa, f"{text} mol": mantissa}
    if text.startswith("("):
        texts[f"{text} × 10^{exponent}"] = mantissa.scaleb(exponent)
    for said, value in texts.items():
        read = parse_number(said)
        assert read is not None
        assert (read.value, "uncertainty" in read.notes) == (value, True)


HOLDERS = [r"\boxed{%s}", r"$\boxed{%s}$", "[ANSWER]%s[/ANSWER]", "**[ANSWER]%s[/ANSWER]**"]
POWERS = ["", " × 10^{}", r" \times 10^{{{}}}", " x 10^({})", r" \cdot 10^{{{}}}", "e{}"]
DECLARED = {"g": {"mg": -3, "kg": 3, "g": 0}, "J/mol": {"kJ/mol": 3, "kJ mol⁻¹": 3, r"\text{ kJ/mol}": 3, "mJ/mol": -3}}


@pytest.mark.parametrize("holder", HOLDERS)
@given(mantissa=mantissas, exponent=exponents, power=st.sampled_from(POWERS), data=st.data())
@steady
def test_what_stands_outside_belongs_to_the_number(
    holder: str, mantissa: Decimal, exponent: int, power: str, data: st.DataObject
) -> None:
    asked_unit = data.draw(st.sampled_from(sorted(DECLARED)))
    unit = data.draw(st.sampled_from(sorted(DECLARED[asked_unit])))
    sign = "-" if mantissa < 0 else ""
    value = mantissa.scaleb(exponent) if power else mantissa
    text = f"It is {sign}{holder % abs(mantissa)}{power.format(exponent)}"
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, unit=asked_unit))
    assert reading.number == value
    with_unit = read_answer(text=f"{text} {unit}.", asked=Asked(Kind.NUMBER, unit=asked_unit))
    assert with_unit.number == value.scaleb(DECLARED[asked_unit][unit])


@given(
    mantissa=mantissas, exponent=exponents, writer=st.sampled_from([w for w in WRITERS if w != "unit"]), data=st.data()
)
@steady
def test_a_unit_other_than_the_asked_one_is_converted(
    writer: str, mantissa: Decimal, exponent: int, data: st.DataObject
) -> None:
    asked_unit = data.draw(st.sampled_from(sorted(DECLARED)))
    unit = data.draw(st.sampled_from(sorted(DECLARED[asked_unit])))
    if writer == "decimal comma":
        mantissa = mantissa.quantize(Decimal("0.01"))
    value = mantissa.scaleb(exponent + DECLARED[asked_unit][unit])
    text = f"{WRITERS[writer](mantissa, exponent)} {unit}"
    for said in (text, f"[ANSWER]{text}[/ANSWER]", f"The answer is {text} of the substance that was dissolved there."):
        assert read_answer(text=said, asked=Asked(Kind.NUMBER, unit=asked_unit)).number == value
    assert read_typed_number(text, unit=asked_unit).number == value


GROUPERS: dict[str, Callable[[int], str]] = {
    "comma": lambda n: f"{n:,}",
    "space": lambda n: f"{n:,}".replace(",", " "),
    "thin space": lambda n: f"{n:,}".replace(",", "\u2009"),
    "no-break space": lambda n: f"{n:,}".replace(",", "\u00a0"),
    "apostrophe": lambda n: f"{n:,}".replace(",", "'"),
    "latex": lambda n: f"{n:,}".replace(",", "{,}"),
    "plain": str,
}


@pytest.mark.parametrize("grouper", GROUPERS)
@given(number=st.integers(min_value=-(10**12), max_value=10**12))
@steady
def test_a_grouped_number_is_read_back(grouper: str, number: int) -> None:
    read = parse_number(GROUPERS[grouper](number))
    assert read is not None
    assert read.value == number


STYLES = {
    "comma": ", ",
    "bare comma": ",",
    "and": " and ",
    "semicolon": "; ",
    "slash": "/",
    "ampersand": " & ",
    "space": " ",
    "line": "\n",
    "run": "",
}
WRAPPERS = ["{}", "**{}**", "${}$", r"\text{{{}}}", "({})", " {} ", "{}."]


@pytest.mark.parametrize("style", STYLES)
@given(letters=st.lists(st.sampled_from("ABCDEF"), unique=True, min_size=1), wrapper=st.sampled_from(WRAPPERS))
@steady
def test_any_letters_are_read_back_in_any_style(style: str, letters: list[str], wrapper: str) -> None:
    text = wrapper.format(STYLES[style].join(letters))
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=CHOICE)
    assert reading.status is ReadStatus.READ
    assert reading.option_keys == tuple(sorted(letters))


PLACES = [
    "[ANSWER]{}[/ANSWER]",
    "Answer: {}",
    "The correct answers are {}",
    "The correct answers are: {}",
    r"\boxed{{{}}}",
    "{}",
]
MARKS = ["{}", "**{}**", "({})", "{}.", "${}$", "[{}]", "({}),", "{})"]
EVERY_LETTER = tuple(option_letter(index) for index in range(40))
MANY = Asked(
    Kind.CHOICE, tuple(ShownOption(letter, letter, f"the text number {i}") for i, letter in enumerate(EVERY_LETTER))
)
letter_lists = st.lists(st.sampled_from(EVERY_LETTER), unique=True, min_size=2, max_size=8)


@pytest.mark.parametrize("style", [style for style in STYLES if style != "run"])
@given(
    letters=letter_lists, place=st.sampled_from(PLACES), mark=st.sampled_from(MARKS), wrapper=st.sampled_from(WRAPPERS)
)
@steady
def test_marked_letters_are_read_back_wherever_they_stand(
    style: str, letters: list[str], place: str, mark: str, wrapper: str
) -> None:
    wrapper = "{}" if style == "line" and "/" not in place else wrapper  # a label goes with its own line
    list_of_letters = wrapper.format(STYLES[style].join(mark.format(letter) for letter in letters))
    reading = read_answer(text=place.format(list_of_letters), asked=MANY)
    expected = tuple(letter for letter in EVERY_LETTER if letter in letters)
    assert reading.option_keys in (expected, ())
    if mark in {"{}", "**{}**", "({})"} and wrapper == "{}" and style not in {"space", "line"}:
        assert reading.option_keys == expected


ECHOED = "Which gas is it? Choose from A to F.\n\nFor example, [ANSWER]A[/ANSWER] or [ANSWER]A,C[/ANSWER].\n\nAnswer:"
CHANGES: dict[str, Callable[[str], str]] = {
    "none": str,
    "line ends": lambda prompt: prompt.replace("\n", "\r\n"),
    "blank lines": lambda prompt: prompt.replace("\n\n", "\n"),
    "quoting": lambda prompt: "> " + prompt.replace("\n", "\n> ") + "\n\n",
    "beginning": lambda prompt: prompt[10:],
}


@pytest.mark.parametrize("change", CHANGES)
@given(letters=st.lists(st.sampled_from("ABCDEF"), unique=True, min_size=1), place=st.sampled_from(PLACES))
@steady
def test_an_echo_of_the_instruction_is_no_answer(change: str, letters: list[str], place: str) -> None:
    prompted = Asked(Kind.CHOICE, SHOWN, ECHOED)
    answer = place.format(", ".join(letters))
    reading = read_answer(text=f"{CHANGES[change](ECHOED)}\n{answer}", asked=prompted)
    assert reading.option_keys == tuple(sorted(letters))
    assert read_answer(text=CHANGES[change](ECHOED), asked=prompted).status is ReadStatus.EMPTY


def same(first: Reading, second: Reading) -> bool:
    return (first.status, first.option_keys, first.number) == (second.status, second.option_keys, second.number)


CHOICES = [
    "[ANSWER]B[/ANSWER]",
    "[ANSWER]A, C[/ANSWER]",
    "The correct answer is D.",
    "Final answer: E",
    r"\boxed{A}",
    "B",
    "no answer here",
    "[ANSWER]Z[/ANSWER]",
]
NUMBERS = [
    "[ANSWER]12,500[/ANSWER]",
    "[ANSWER]4.15×10⁻²¹[/ANSWER]",
    "The answer is -5.2.",
    r"\boxed{0.082}",
    "3/4",
    "no answer here",
    "[ANSWER]3 or 4[/ANSWER]",
]
REPLIES = [(reply, CHOICE) for reply in CHOICES] + [(reply, Asked(Kind.NUMBER)) for reply in NUMBERS]
filler = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<>[]◁"), max_size=80)


@given(reply=st.sampled_from(REPLIES), words=filler)
@steady
def test_thinking_and_echo_change_nothing(reply: tuple[str, Asked], words: str) -> None:
    text, asked = reply
    plain = read_answer(text=text, asked=asked)
    for name in ("think", "thinking", "reasoning", "scratchpad"):
        assert same(read_answer(text=f"<{name}>{words} [ANSWER]F[/ANSWER]</{name}>{text}", asked=asked), plain)
    assert same(read_answer(text=f"{words} so 7.</think>{text}", asked=asked), plain)
    prompt = f"A prompt long enough to be known again: {words}\nAnswer with A, B, C, D, E or F."
    prompted = Asked(asked.kind, asked.shown, prompt)
    assert same(read_answer(text=f"{prompt}\n{text}", asked=prompted), plain)


MARKDOWN = ["**{}**", "__{}__", "`{}`", "***{}***", "\n{}\n", "  {}"]


@pytest.mark.parametrize("mark", MARKDOWN)
@given(reply=st.sampled_from([reply for reply in REPLIES if "{" not in reply[0]]))
@steady
def test_markdown_changes_nothing(mark: str, reply: tuple[str, Asked]) -> None:
    text, asked = reply
    plain = read_answer(text=text, asked=asked)
    assert same(read_answer(text=mark.format(text), asked=asked), plain)
    if text.startswith("[ANSWER]"):
        inside = text.replace("[ANSWER]", "[ANSWER]" + mark.partition("{}")[0], 1)
        inside = inside.replace("[/ANSWER]", mark.partition("{}")[2] + "[/ANSWER]", 1)
        assert same(read_answer(text=inside, asked=asked), plain)


UNITS = ["g", "g/mol", "kJ mol⁻¹", "mol dm^{-3}", "°C", "%", r"\text{cm}^3", "cm3", "m/s^2", "Dq"]


@pytest.mark.parametrize("unit", UNITS)
@given(
    mantissa=mantissas, exponent=exponents, writer=st.sampled_from([w for w in WRITERS if w not in {"unit", "cdot"}])
)
@steady
def test_a_unit_changes_nothing(unit: str, writer: str, mantissa: Decimal, exponent: int) -> None:
    number = WRITERS[writer](mantissa, exponent)
    plain = read_answer(text=f"[ANSWER]{number}[/ANSWER]", asked=Asked(Kind.NUMBER))
    for declared in ("", unit):
        asked = Asked(Kind.NUMBER, unit=declared)
        assert same(read_answer(text=f"[ANSWER]{number} {unit}[/ANSWER]", asked=asked), plain)
        assert same(read_answer(text=f"The answer is {number} {unit}", asked=asked), plain)


pieces = st.sampled_from(
    [
        *"ABCZ ,.;:()[]{}<>$\\/*_^\n+-=×⁻²10",
        "[ANSWER]",
        "[/ANSWER]",
        "<think>",
        "</think>",
        "\\boxed{",
        "answer is ",
        "or",
    ]
)
noise = st.one_of(st.text(max_size=200), st.lists(pieces, max_size=60).map("".join))


@given(text=noise, finish_reason=st.sampled_from(["", "stop", "length", "refusal", "content_filter"]))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_no_text_raises_and_no_answer_is_invented(text: str, finish_reason: str) -> None:
    for asked in (CHOICE, Asked(Kind.NUMBER, unit="mol"), Asked(Kind.TEXT)):
        reading = read_answer(text=text, asked=asked, finish_reason=finish_reason)
        assert set(reading.option_keys) <= {option.key for option in SHOWN}
        assert (reading.status is ReadStatus.READ) or (reading.number is None and reading.option_keys == ())
        if reading.span is not None:
            assert 0 <= reading.span[0] <= reading.span[1] <= len(text)
    assert read_typed_number(text).option_keys == ()


WORDS = [
    *(
        "[ANSWER]",
        "[/ANSWER]",
        "<ANSWER>",
        "<think>",
        "</think>",
        r"\boxed{",
        "}",
        "Final answer:",
        "## Answer\n",
        "\n",
    ),
    *("the answer is ", "or", "and ", "A", "B, C", "12,5", "1 000", "×10^", "⁻²¹", "E-3", "1/2", "±", "IV", "eleven "),
    *("I cannot ", "as an AI ", "\nQuestion:", "text number 1", " g/mol", "%", "=", "-", "−", " ", "\\frac{1}{2}", "$"),
]


def random_text(source: random.Random) -> str:
    if source.random() < 0.2:
        return "".join(source.choices(string.printable + "×−⁻¹½中İ\u00a0\u2009\ud800\x00", k=source.randrange(80)))
    return "".join(source.choices(WORDS, k=source.randrange(20)))


def test_ten_thousand_random_texts_raise_nothing() -> None:
    source = random.Random(3)
    asked = [CHOICE, Asked(Kind.NUMBER), Asked(Kind.NUMBER, unit="mol"), Asked(Kind.MOLECULE)]
    n_read = 0
    for count in range(10_000):
        text = random_text(source)
        reading = read_answer(text=text, asked=asked[count % 4], finish_reason=source.choice(["", "length"]))
        n_read += reading.status is ReadStatus.READ
        read_typed_number(text)
    assert 500 < n_read < 9_500


@given(index=st.integers(min_value=0, max_value=20_000))
@steady
def test_letter_of_an_index_gives_the_index_back(index: int) -> None:
    assert letter_index(option_letter(index)) == index
