"""Each cause of a difference: texts it explains, and near ones it must not claim."""

from dataclasses import replace
from decimal import Decimal

import pytest

from corpus.scoring.choice_causes import is_letter_list, is_letters_out_of_words, is_option_order, is_union_of_tags
from corpus.scoring.differences import CAUSES, CAUSES_OF_REPLIES, Difference, cause_of
from corpus.scoring.number_causes import is_boundary, is_derivation, is_first_of_several_tags
from corpus.scoring.published import reading_from_parsed
from corpus.scoring.reading import read_answer
from corpus.scoring.rules import judge
from corpus.scoring.shared_causes import (
    is_echoed_prompt,
    is_misspelt_tag,
    is_run_on,
    is_thinking_text,
    standard_text,
)
from corpus.scoring.survey_reports import KEPT_AS_REPORTED
from corpus.scoring.typed_causes import is_comma_as_point, is_kept_as_reported, is_spaced_exponent_unread
from corpus.scoring.types import Asked, Kind, Option, Reading, ReadStatus, ShownOption, Target
from corpus.scoring.visible import MIN_ECHO_LENGTH

PROMPT = "Which two gases did the technician collect? You can choose from A,B,C,D and need not explain eight things. 7"
TEXTS = ("neon", "argon", "krypton", "xenon gas")


def choice(text: str, stored: list[str], *, finish_reason: str = "", order: str = "ABCD") -> Difference:
    """A choice whose right options are B and C; `order` is the key's order of the options shown as A to D."""
    shown = tuple(ShownOption(letter, f"key {letter}", words) for letter, words in zip("ABCD", TEXTS, strict=True))
    options = tuple(Option(f"key {letter}", letter, Decimal(letter in "BC")) for letter in order)
    asked, target = Asked(Kind.CHOICE, shown, PROMPT), Target(Kind.CHOICE, options)
    return compared(text, stored or {}, asked, target, finish_reason)


def number(
    text: str,
    stored: float | None,
    *,
    target: str = "4",
    unit: str = "",
    tolerance: str | None = None,
    finish_reason: str = "",
) -> Difference:
    key = Target(Kind.NUMBER, number=Decimal(target), tolerance=None if tolerance is None else Decimal(tolerance))
    asked = Asked(Kind.NUMBER, prompt=PROMPT, unit=unit)
    return compared(text, {} if stored is None else stored, asked, key, finish_reason)


def compared(text: str, stored: object, asked: Asked, target: Target, finish_reason: str) -> Difference:
    published = reading_from_parsed(parsed_output=stored, asked=asked)
    standard = read_answer(text=text, asked=asked, finish_reason=finish_reason)
    return Difference(
        text,
        asked,
        target,
        published,
        judge(reading=published, target=target, rule="as-published@1"),
        standard,
        judge(reading=standard, target=target, rule="standard@1"),
    )


STOPPED = "Agent stopped due to iteration limit or time limit."
EXPLAINED = [
    ("agent-stop-text", choice(STOPPED, ["B", "C"])),
    ("agent-stop-text", number(STOPPED, None)),
    ("echoed-prompt", choice(f"{PROMPT} B", ["A", "B", "C", "D"])),
    ("echoed-prompt", choice(PROMPT, ["A", "B"])),
    ("echoed-prompt", number(f"{PROMPT} 4", 8)),
    ("echoed-prompt", number(f"{PROMPT} 4", 7)),
    ("thinking-text", choice("<think>[ANSWER]A[/ANSWER]</think>[ANSWER]B, C[/ANSWER]", ["A", "B", "C"][:1])),
    ("thinking-text", number("<think>[ANSWER]5[/ANSWER]</think>[ANSWER]4[/ANSWER]", 5)),
    ("thinking-text", number("<think>maybe five</think>[ANSWER]4[/ANSWER]", 5)),
    ("refusal", choice("I'm sorry, but I cannot help with that.", [])),
    ("refusal", number("I'm unable to provide an answer to this one.", 1)),
    ("cut-off", number("The first step gives three", 3, finish_reason="length")),
    ("cut-off", choice("<think>It is A", ["A"])),
    ("target-zero-or-below", number("[ANSWER]0[/ANSWER]", 0, target="0")),
    ("target-zero-or-below", number("[ANSWER]-4[/ANSWER]", -4, target="-4")),
    ("boundary", number("[ANSWER]101[/ANSWER]", 101, target="100")),
    ("boundary", number("[ANSWER]99[/ANSWER]", 99, target="100")),
    ("boundary", number("[ANSWER]4.04E-22[/ANSWER]", 4.04e-22, target="4E-22")),
    ("own-tolerance", number("[ANSWER]105[/ANSWER]", 105, target="100", tolerance="0.1")),
    ("own-tolerance", number("[ANSWER]100.5[/ANSWER]", 100.5, target="100", tolerance="0")),
    ("option-order", choice("[ANSWER]A[/ANSWER]", ["B"], order="BACD")),
    ("correction", choice("[ANSWER]A[/ANSWER] Wait, that is wrong. The correct answer is B, C.", ["A"])),
    ("run-on", choice("B\n\nQuestion: which one?\n[ANSWER]A[/ANSWER]", ["A"])),
    ("union-of-tags", choice("[ANSWER]A[/ANSWER] or rather [ANSWER]B, C[/ANSWER]", ["A", "B", "C"])),
    ("first-of-several-tags", number("[ANSWER]3[/ANSWER] no [ANSWER]4[/ANSWER]", 3)),
    ("first-of-several-tags", number("[ANSWER]3[/ANSWER] no [ANSWER]5[/ANSWER] no [ANSWER]4[/ANSWER]", 3)),
    ("union-of-tags", choice("[ANSWER]A[/ANSWER] [ANSWER]D[/ANSWER] [ANSWER]B, C[/ANSWER]", ["A", "B", "C", "D"])),
    ("outside", number("[ANSWER]4[/ANSWER] × 10^2", 4, target="400")),
    ("outside", number("E = -[ANSWER]4[/ANSWER] V", 4, target="-4")),
    ("outside", number(r"-\boxed{4} \times 10^{2}", 4, target="-400")),
    ("unit-converted", number("[ANSWER]4000[/ANSWER] mmol", 4000, unit="mol")),
    ("multiplication-sign", number("[ANSWER]4×10^2[/ANSWER]", 4, target="400")),
    ("multiplication-sign", number(r"[ANSWER]4.15 \times 10^{-21}[/ANSWER]", 4.15, target="4.15E-21")),
    ("spaced-exponent", number("[ANSWER]4 E-21[/ANSWER]", 4, target="4E-21")),
    ("spaced-exponent", number("[ANSWER]10⁻²[/ANSWER]", 10, target="0.01")),
    ("thousands-separator", number("[ANSWER]22,800[/ANSWER]", 22, target="22800")),
    ("thousands-separator", number("[ANSWER]1{,}022{,}800[/ANSWER]", 1, target="1022800")),
    ("thousands-separator", number("[ANSWER]12 500[/ANSWER]", 12, target="12500")),
    ("decimal-comma", number("[ANSWER]12,5[/ANSWER]", 12, target="12.5")),
    ("lost-minus", number("[ANSWER]−5.2[/ANSWER]", 5.2, target="-5.2")),
    ("lost-minus", number("[ANSWER]4-[/ANSWER]", 4, target="-4")),
    ("lost-minus", number("[ANSWER]minus 4[/ANSWER]", 4, target="-4")),
    ("fraction", number("[ANSWER]4/3[/ANSWER]", 4)),
    ("derivation", number("[ANSWER]2.5 + 1.5 = 4[/ANSWER]", 2.5)),
    ("derivation", number("[ANSWER]There are eight corners, so\nn = 8 / 2 = 4\n[/ANSWER]", 8)),
    ("derivation", number("[ANSWER]From the mass we get\nm = 3 + 1 = 4 g\n[/ANSWER]", None)),
    ("unit-converted", number("[ANSWER]4000 mmol[/ANSWER]", 4000, unit="mol")),
    ("written-in-words", number("[ANSWER]IV[/ANSWER]", None)),
    ("written-in-words", number("[ANSWER]four[/ANSWER]", None)),
    ("placeholder-tag", number("As in [ANSWER]<answer>[/ANSWER] I say [ANSWER]4[/ANSWER]", None)),
    (
        "placeholder-tag",
        number("[ANSWER]<answer>[/ANSWER] [ANSWER]3[/ANSWER] [ANSWER]4[/ANSWER]", None),
    ),
    ("misspelt-tag", number("There are eight. [ANSWER]4[/ANswer]", 8)),
    ("misspelt-tag", choice("<ANSWER>B, C</ANSWER>", [])),
    ("number-word", number("The weights cannot be found.", 8)),
    ("number-word", number("Often it is [ANSWER]unknown[/ANSWER].", 10)),
    ("second-number", number("[ANSWER]4 (in one), 2 (in the other)[/ANSWER]", 4)),
    ("second-number", number("[ANSWER]4-5[/ANSWER]", 4)),
    ("letter-outside-options", choice("[ANSWER]B, H[/ANSWER]", ["B"])),
    ("letter-against-text", choice("[ANSWER]B, neon[/ANSWER]", ["B"])),
    ("alternatives", choice("[ANSWER]A or C[/ANSWER]", ["A", "C"])),
    ("letter-list", choice("[ANSWER]B and C[/ANSWER]", ["B"])),
    ("letter-list", choice("[ANSWER]BC[/ANSWER]", [])),
    ("option-text", choice("[ANSWER]argon[/ANSWER]", [])),
    ("option-text", choice("[ANSWER]Xenon gas[/ANSWER]", ["C"])),
    ("letters-out-of-words", choice("[ANSWER]The B-1, C-2 order[/ANSWER]", ["B", "C"])),
    ("lucky-fallback", choice("[ANSWER][/ANSWER]", ["B", "C"])),
    ("lucky-fallback", number("It cannot be known.", 4)),
    ("lucky-fallback", choice("[ANSWER]1, 2[/ANSWER]", ["B", "D"])),
    ("outside-tags", choice("The correct answer is B.", [])),
    ("outside-tags", number("Final answer: 4", None)),
    ("no-answer-stored", number("It cannot be known.", None)),
    ("no-answer-stored", choice("", [])),
]


@pytest.mark.parametrize(("cause", "difference"), EXPLAINED)
def test_cause(cause: str, difference: Difference) -> None:
    assert cause_of(difference) == cause


def test_every_cause_is_tried_here_and_described_in_a_sentence() -> None:
    assert {cause for cause, _ in EXPLAINED} == CAUSES_OF_REPLIES
    assert all(text[0].isupper() and text.endswith(".") and len(text) > 30 for text in CAUSES.values())


def answered(asked: Asked, stored: Reading, read: Reading, text: str) -> Difference:
    """A difference between two readings given as they are."""
    verdict = judge(reading=Reading(ReadStatus.UNPARSED), target=Target(asked.kind), rule="standard@1")
    return Difference(text, asked, Target(asked.kind), stored, verdict, read, verdict)


def test_what_was_read_nowhere_is_no_text() -> None:
    read = Reading(ReadStatus.UNPARSED)
    assert standard_text(answered(Asked(Kind.TEXT), read, read, "some words")) == ""


THOUGHT = "<think>5</think>[ANSWER]5[/ANSWER]"
RUN_ON = "B\n\nQuestion: which one?\n[ANSWER]B[/ANSWER]"


def test_a_cause_explains_only_what_differs() -> None:
    assert is_thinking_text(number("<think>5</think>[ANSWER]4[/ANSWER]", 5))
    assert not is_thinking_text(number(THOUGHT, 5))
    assert is_run_on(choice(RUN_ON.replace("]B[", "]A["), ["A"]))
    assert not is_run_on(choice(RUN_ON, ["B"]))
    assert not is_run_on(choice("[ANSWER]C[/ANSWER], or so they say, B", ["B"]))
    assert is_derivation(number("[ANSWER]2.5 + 1.5 = 4[/ANSWER]", 2.5))
    assert not is_derivation(number("[ANSWER]4 = 4[/ANSWER]", 4))
    assert is_letter_list(choice("[ANSWER]B and C[/ANSWER]", ["B"]))
    assert not is_letter_list(choice("[ANSWER]B and C[/ANSWER]", ["B", "C"]))
    assert not is_letter_list(choice("[ANSWER]argon B, krypton C[/ANSWER]", ["B"]))


@pytest.mark.parametrize(("distance", "is_near"), [(250, True), (400, False)])
def test_a_misspelt_tag_stands_near(distance: int, is_near: bool) -> None:
    read = Reading(ReadStatus.READ, option_keys=("key B",), span=(0, 1))
    text = "B" + " " * distance + "[ANSWR]"
    assert is_misspelt_tag(answered(Asked(Kind.CHOICE), Reading(ReadStatus.UNPARSED), read, text)) is is_near


def test_a_misspelt_tag_may_begin_the_reply() -> None:
    assert is_misspelt_tag(choice("[ANSWR] B", []))


@pytest.mark.parametrize(("prompt", "is_echo"), [("Is it 5 or is it", True), ("Is it 5 or is i", False)])
def test_a_repeated_prompt_has_some_length(prompt: str, is_echo: bool) -> None:
    assert len(prompt) == MIN_ECHO_LENGTH - (not is_echo)
    asked = Asked(Kind.NUMBER, prompt=prompt)
    found = compared(f"{prompt}\n[ANSWER]4[/ANSWER]", 5, asked, Target(Kind.NUMBER, number=Decimal(4)), "")
    assert is_echoed_prompt(found) is is_echo


# Nothing here follows from the text: each differs from a case above in what the mechanism needs.
UNEXPLAINED = [
    number("[ANSWER]4[/ANSWER]", 4),
    number("[ANSWER]100.5[/ANSWER]", 100.5, target="100"),
    number("[ANSWER]101.001[/ANSWER]", 101.001, target="100"),
    choice("[ANSWER]B, C[/ANSWER]", ["B", "C"]),
    choice("[ANSWER]A[/ANSWER] [ANSWER]B, C[/ANSWER]", ["B", "C"]),
    number("There are four of it. The answer is 4.", 4),
    number("[ANSWER]3[/ANSWER] [ANSWER]4[/ANSWER]", None),
]


@pytest.mark.parametrize("difference", UNEXPLAINED)
def test_no_cause_is_invented(difference: Difference) -> None:
    assert cause_of(difference) == ""


# The same words with another stored answer have another cause, or none.
TURNED = [
    ("echoed-prompt", number(f"{PROMPT} 4", 9)),
    ("echoed-prompt", number("7 [ANSWER]4[/ANSWER]", 7)),
    ("thinking-text", number("<think>[ANSWER]5[/ANSWER]</think>[ANSWER]4[/ANSWER]", 6)),
    ("multiplication-sign", number("[ANSWER]4×10^2[/ANSWER]", 3, target="400")),
    ("thousands-separator", number("[ANSWER]22,800[/ANSWER]", 23, target="22800")),
    ("decimal-comma", number("[ANSWER]12,5[/ANSWER]", 13, target="12.5")),
    ("lost-minus", number("[ANSWER]-5.2[/ANSWER]", 5.2, target="-5.2")),
    ("lost-minus", number("[ANSWER]−5.2[/ANSWER]", 5.3, target="-5.2")),
    ("fraction", number("[ANSWER]4/3[/ANSWER]", 5)),
    ("derivation", number("[ANSWER]2.5 + 1.5 = 4[/ANSWER]", 1.5)),
    ("unit-converted", number("[ANSWER]4000 mmol[/ANSWER]", 40, unit="mol")),
    ("number-word", number("The weights cannot be found.", 9)),
    ("second-number", number("[ANSWER]4-5[/ANSWER]", 5)),
    ("first-of-several-tags", number("[ANSWER]3[/ANSWER] no [ANSWER]4[/ANSWER]", 5)),
    ("union-of-tags", choice("[ANSWER]A[/ANSWER] [ANSWER]B, C[/ANSWER]", ["D"])),
    ("letter-outside-options", choice("[ANSWER]B, H[/ANSWER]", ["A"])),
    ("letter-against-text", choice("[ANSWER]B, neon[/ANSWER]", ["A"])),
    ("alternatives", choice("[ANSWER]A or C[/ANSWER]", ["B"])),
    ("letter-list", choice("[ANSWER]B and C[/ANSWER]", ["A"])),
    ("option-order", choice("[ANSWER]A[/ANSWER]", ["C"], order="BACD")),
    ("run-on", choice("B\n\nQuestion: which one?\n[ANSWER]A[/ANSWER]", ["D"])),
    ("misspelt-tag", number("There are eight. [ANSWER]4[/ANSWER]", 8)),
    ("boundary", number("[ANSWER]-101[/ANSWER]", -101, target="-100")),
    ("boundary", number("[ANSWER]101[/ANSWER]", 50, target="100")),
    ("own-tolerance", number("[ANSWER]105[/ANSWER]", 50, target="100", tolerance="0.1")),
    ("target-zero-or-below", number("[ANSWER]0[/ANSWER]", 1, target="0")),
    ("multiplication-sign", number("[ANSWER]4×10^2[/ANSWER]", 40, target="400")),
    ("number-word", number("Of four, [ANSWER]5 or 6[/ANSWER]", 4)),
    ("agent-stop-text", number("Agent stopped due to time. [ANSWER]4[/ANSWER]", 5)),
    ("thinking-text", number("<think>x</think>5 then [ANSWER]4[/ANSWER]", 5)),
    ("placeholder-tag", number("[ANSWER]<answer>[/ANSWER] then [ANSWER]4[/ANSWER]", 5)),
    ("option-order", choice("[ANSWER]D[/ANSWER]", ["A"], order="BAC")),
    ("refusal", number("[ANSWER]1[/ANSWER] I cannot help with that.", 2)),
]


@pytest.mark.parametrize(("cause", "difference"), TURNED)
def test_a_cause_needs_its_mechanism(cause: str, difference: Difference) -> None:
    assert cause_of(difference) != cause


def test_causes_by_themselves_at_their_edges() -> None:
    assert not is_boundary(number("[ANSWER]0[/ANSWER]", 0, target="0"))
    assert is_boundary(number("[ANSWER]4.040000004[/ANSWER]", 4.040000004))
    assert not is_first_of_several_tags(number("[ANSWER]4[/ANSWER] [ANSWER]4[/ANSWER]", 4))
    assert not is_derivation(number("[ANSWER]x = y = 3 or 4[/ANSWER]", 3))
    assert not is_comma_as_point(number("[ANSWER]2,5 or 3[/ANSWER]", 2.5))
    assert not is_spaced_exponent_unread(number("[ANSWER]5 e3[/ANSWER]", 5000))
    assert not is_option_order(choice("[ANSWER]none[/ANSWER]", ["H"]))
    assert not is_union_of_tags(choice("[ANSWER]A[/ANSWER] [ANSWER]B or C[/ANSWER]", ["B", "C"]))
    assert is_letters_out_of_words(choice("[ANSWER]BB[/ANSWER]", ["B"]))
    agreed = choice("[ANSWER]B[/ANSWER]", ["B"])
    kept = replace(agreed.published, notes=(KEPT_AS_REPORTED,))
    assert not is_kept_as_reported(replace(agreed, published=kept))
