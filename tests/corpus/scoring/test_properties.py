"""What holds for every number, every set of letters and every text."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.scoring.letters import letter_index, option_letter
from corpus.scoring.numbers import parse_number
from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption

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
@settings(max_examples=60)
def test_a_number_is_read_back_however_it_is_written(writer: str, mantissa: Decimal, exponent: int) -> None:
    if writer == "decimal comma" and len(str(mantissa).lstrip("-")) == 5:
        mantissa = mantissa.quantize(Decimal("0.01"))  # three digits after a comma are thousands, by rule
    read = parse_number(WRITERS[writer](mantissa, exponent))
    assert read is not None
    assert read.value == mantissa.scaleb(exponent)


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
@settings(max_examples=60)
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
@settings(max_examples=60)
def test_any_letters_are_read_back_in_any_style(style: str, letters: list[str], wrapper: str) -> None:
    text = wrapper.format(STYLES[style].join(letters))
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=CHOICE)
    assert reading.status is ReadStatus.READ
    assert reading.option_keys == tuple(sorted(letters))


def same(first: Reading, second: Reading) -> bool:
    return (first.status, first.option_keys, first.number) == (second.status, second.option_keys, second.number)


ANSWERS = [
    "[ANSWER]B[/ANSWER]",
    "[ANSWER]A, C[/ANSWER]",
    "The correct answer is D.",
    "B",
    "no answer here",
    "[ANSWER]Z[/ANSWER]",
]
filler = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<>[]◁"), max_size=80)


@given(reply=st.sampled_from(ANSWERS), words=filler)
@settings(max_examples=100)
def test_thinking_and_echo_change_nothing(reply: str, words: str) -> None:
    plain = read_answer(text=reply, asked=CHOICE)
    thought = f"<think>{words} [ANSWER]F[/ANSWER]</think>{reply}"
    prompt = f"A prompt long enough to be known again: {words}\nAnswer with A, B, C, D, E or F."
    assert same(read_answer(text=thought, asked=CHOICE), plain)
    assert same(read_answer(text=f"{prompt}\n{reply}", asked=Asked(Kind.CHOICE, SHOWN, prompt)), plain)


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
@settings(max_examples=200)
def test_no_text_raises_and_no_answer_is_invented(text: str, finish_reason: str) -> None:
    for asked in (CHOICE, Asked(Kind.NUMBER, unit="mol"), Asked(Kind.TEXT)):
        reading = read_answer(text=text, asked=asked, finish_reason=finish_reason)
        assert set(reading.option_keys) <= {option.key for option in SHOWN}
        assert (reading.status is ReadStatus.READ) or (reading.number is None and reading.option_keys == ())
        if reading.span is not None:
            assert 0 <= reading.span[0] <= reading.span[1] <= len(text)
    assert read_typed_number(text).option_keys == ()


@given(index=st.integers(min_value=0, max_value=20_000))
def test_letter_of_an_index_gives_the_index_back(index: int) -> None:
    assert letter_index(option_letter(index)) == index
