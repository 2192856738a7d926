"""What a person is told: every reading and verdict gives its reason in a sentence, its reader or rule by name."""

from decimal import Decimal

import pytest

from corpus.scoring.contents import read_content
from corpus.scoring.published import UnmatchedOptionsError, match_options, reading_from_parsed
from corpus.scoring.reading import read_answer, read_chosen, read_typed_number
from corpus.scoring.rules import judge, rule_names
from corpus.scoring.types import Asked, Kind, Option, Outcome, Reading, ReadStatus, ShownOption, Target, Unread, Verdict

SHOWN = tuple(
    ShownOption(letter, letter.lower(), text) for letter, text in zip("ABC", ("tin", "zinc", "lead"), strict=True)
)
CHOICE, NUMBER = Asked(Kind.CHOICE, SHOWN), Asked(Kind.NUMBER)

TYPED = [
    ("", Reading(ReadStatus.EMPTY, reason="Nothing was typed.")),
    (" \n", Reading(ReadStatus.EMPTY, reason="Nothing was typed.")),
    ("I don’t know.", Reading(ReadStatus.DO_NOT_KNOW, reason="Typed as not known.")),
    ("do not know!", Reading(ReadStatus.DO_NOT_KNOW, reason="Typed as not known.")),
    (" 4.5 peaks ", Reading(ReadStatus.READ, number=Decimal("4.5"), unit="peaks", span=(1, 10), reason="Typed.")),
    ("IV", Reading(ReadStatus.READ, number=Decimal(4), span=(0, 2), notes=("roman-numeral",), reason="Typed.")),
    ("10^-3", Reading(ReadStatus.READ, number=Decimal("0.001"), span=(0, 5), reason="Typed.")),
    (" " * 400 + "7", Reading(ReadStatus.READ, number=Decimal(7), span=(400, 401), reason="Typed.")),
    (
        "5" + " " * 394 + "peaks",
        Reading(ReadStatus.READ, number=Decimal(5), unit="peaks", span=(0, 400), reason="Typed."),
    ),
    ("2-butanol", Reading(ReadStatus.UNPARSED, notes=("label",), reason="A name or label, not a number.")),
    ("4-5", Reading(ReadStatus.UNPARSED, notes=("range",), reason="A range or alternatives, not one number.")),
    ("4*5", Reading(ReadStatus.UNPARSED, notes=("expression",), reason="An expression, not a number.")),
    ("4 g of 5", Reading(ReadStatus.UNPARSED, notes=("several-numbers",), reason="More than one number.")),
    ("4 or more", Reading(ReadStatus.UNPARSED, notes=("range",), reason="An open-ended amount, not one number.")),
    ("5 squared", Reading(ReadStatus.UNPARSED, notes=("expression",), reason="An expression, not a number.")),
    ("5 is wrong", Reading(ReadStatus.UNPARSED, notes=("denied",), reason="The number is said to be wrong.")),
    ("asdf", Reading(ReadStatus.UNPARSED, reason="There is no number at the start of the answer.")),
    (
        "a = 1, b = 2",
        Reading(ReadStatus.UNPARSED, notes=("several-numbers",), reason="Several equations stand side by side."),
    ),
    ("**", Reading(ReadStatus.UNPARSED, reason="There is nothing to read.")),
    ("x" * 401, Reading(ReadStatus.UNPARSED, reason="The text is too long to be a number.")),
]


@pytest.mark.parametrize(("text", "reading"), TYPED)
def test_typed(text: str, reading: Reading) -> None:
    assert reading.reader == "standard@1"
    assert read_typed_number(text) == reading


TICKED = [
    ([], Reading(ReadStatus.EMPTY, reason="No option was ticked.")),
    (["z"], Reading(ReadStatus.UNPARSED, notes=("unknown-option",), reason="An option that was not shown.")),
    (["c", "a"], Reading(ReadStatus.READ, option_keys=("a", "c"), reason="Ticked.")),
]


@pytest.mark.parametrize(("keys", "reading"), TICKED)
def test_ticked(keys: list[str], reading: Reading) -> None:
    assert read_chosen(keys, CHOICE) == reading


STORED = [
    (["A", "C"], CHOICE, Reading(ReadStatus.READ, ("a", "c"), reason="The report stored the letters A, C.")),
    (
        ["A", "A", "D"],
        CHOICE,
        Reading(
            ReadStatus.READ,
            ("a",),
            notes=("unknown-letter", "repeated-letter"),
            reason="The report stored the letters A, A, D.",
        ),
    ),
    (2.5, NUMBER, Reading(ReadStatus.READ, number=Decimal("2.5"), reason="The report stored the number 2.5.")),
    ({}, NUMBER, Reading(ReadStatus.UNPARSED, reason="The report stored no parsed answer.")),
    ({}, CHOICE, Reading(ReadStatus.UNPARSED, reason="The report stored no parsed answer.")),
    ([], CHOICE, Reading(ReadStatus.UNPARSED, reason="The report stored no parsed answer.")),
    (float("nan"), NUMBER, Reading(ReadStatus.UNPARSED, reason="The report stored no finite number.")),
    (True, NUMBER, Reading(ReadStatus.UNPARSED, reason="The report stored no finite number.")),
]


@pytest.mark.parametrize(("stored", "asked", "reading"), STORED)
def test_stored(stored: object, asked: Asked, reading: Reading) -> None:
    found = reading_from_parsed(parsed_output=stored, asked=asked)
    assert found.reader == "as-published@1"
    assert (found.status, found.option_keys, found.number) == (reading.status, reading.option_keys, reading.number)
    assert (found.notes, found.reason) == (reading.notes, reading.reason)


def test_options_that_do_not_match_are_named() -> None:
    with pytest.raises(UnmatchedOptionsError, match=r"^No option of the target matches: A, C$"):
        match_options((("A", "tin"), ("B", "zinc"), ("C", "lead")), {"gold": 1, "zinc": 0, "silver": 0})


REPLIES = [
    ("I say [ANSWER]B[/ANSWER]", CHOICE, "read", "Read from the tag."),
    ("[ANSWER]It melts. So the answer is B[/ANSWER]", CHOICE, "read", "Read from the tag."),
    (r"\boxed{B}", CHOICE, "read", "Read from the boxed."),
    ("It is not \\boxed{B}.", CHOICE, "unparsed", "The words before the box deny it."),
    ("FINAL ANSWER: B", CHOICE, "read", "Read from the label."),
    ("[ANSWER]x != 5[/ANSWER]", NUMBER, "unparsed", "The equation is denied."),
    ("[ANSWER]a = 3 g\n and b = 4 g\nc =\n7 g[/ANSWER]", NUMBER, "unparsed", "Several equations stand side by side."),
    ("Answer: B", CHOICE, "read", "Read from the label."),
    ("The answer is B.", CHOICE, "read", "Read from the sentence."),
    ("## Answer\nB", CHOICE, "read", "Read from the heading."),
    ("B", CHOICE, "read", "Read from the bare reply."),
    ("So B is correct.", CHOICE, "read", "Read from the statement."),
    ("It melts. Zinc is the right answer.", CHOICE, "read", "Read from the statement."),
    ("Zinc is the best choice.", CHOICE, "read", "Read from the statement."),
    ("B\nIt melts.", CHOICE, "read", "Read from the first line."),
    ("It melts.\nTherefore, it is 42 g.", NUMBER, "read", "Read from the conclusion."),
    ("So\nB [/ANSWER]", CHOICE, "read", "Read from the closing tag."),
    ("So\n[/ANSWER] B", CHOICE, "read", "Read from the closing tag."),
    ("So\nANSWER: B [/ANSWER]", CHOICE, "read", "Read from the closing tag."),
    ("So [ANSWER] B", CHOICE, "read", "Read from the opening tag."),
    ("[ANSWER][/ANSWER]", CHOICE, "unparsed", "The answer tag is empty."),
    ("[ANSWER] B" + " melts" * 70, CHOICE, "unparsed", "The answer tag was never closed."),
    ("It melts.", CHOICE, "unparsed", "The reply states no answer."),
    ("[ANSWER]silver[/ANSWER]", CHOICE, "unparsed", "The answer names no option."),
    ("[ANSWER]**[/ANSWER]", CHOICE, "unparsed", "There is nothing to read."),
    ("[ANSWER]A or B[/ANSWER]", CHOICE, "unparsed", "Alternatives, not one choice."),
    ("[ANSWER]A, X, Y, Z, V[/ANSWER]", CHOICE, "unparsed", "No option has the letter X, Y, Z."),
    ("[ANSWER]Z[/ANSWER]", CHOICE, "unparsed", "No option has the letter Z."),
    ("[ANSWER]none[/ANSWER]", CHOICE, "unparsed", "The answer declines to choose."),
    (
        "[ANSWER]A. zinc[/ANSWER]",
        CHOICE,
        "unparsed",
        "The letter A and the words beside it name different options.",
    ),
    ("[ANSWER]B. zinc is wrong[/ANSWER]", CHOICE, "unparsed", "A letter is said to be wrong."),
    ("Answer: A (tin), B (zinc), which are wrong", CHOICE, "unparsed", "A letter is said to be wrong."),
    ("[ANSWER]A: 0.9, B: 0.1[/ANSWER]", CHOICE, "unparsed", "A number stands beside each letter."),
    ("Answer:\nA. tin\nB. zinc\nC. lead", CHOICE, "unparsed", "The options are listed, and none is chosen."),
    ("Answer:\nA. tin melts\nC. lead melts", CHOICE, "unparsed", "A line of the list cannot be read."),
    ("A. tin, B. zinc, C. lead", CHOICE, "unparsed", "The options are repeated, and none is chosen."),
    (
        "It melts. " * 100 + "So",
        CHOICE,
        "truncated",
        "The reply is long and breaks off; nothing says why it ended.",
    ),
    ("[ANSWER]" + "melts " * 700 + "[/ANSWER]", CHOICE, "unparsed", "The answer is too long to be a choice."),
    ("X5", NUMBER, "unparsed", "The reply states no answer."),
    ("\nA:\n5", NUMBER, "read", "Read from the label."),
    ("", CHOICE, "empty", "The reply is empty."),
    ("I don't know.", CHOICE, "do_not_know", "The whole reply says that it is not known."),
    ("<think>B</think>", CHOICE, "empty", "There is nothing outside thinking and echoed prompt."),
    ("<think>B", CHOICE, "truncated", "A thinking block was never closed."),
    ("I'm sorry, I cannot help with that.", CHOICE, "refused", "The reply declines to answer."),
    ("Agent stopped due to max iterations.", CHOICE, "gave_up", "The agent's own stop text."),
]


@pytest.mark.parametrize(("text", "asked", "status", "reason"), REPLIES)
def test_reply(text: str, asked: Asked, status: str, reason: str) -> None:
    reading = read_answer(text=text, asked=asked)
    assert (reading.status.value, reading.reason, reading.reader) == (status, reason, "standard@1")


def test_text_without_words() -> None:
    assert read_content(" \n", Asked(Kind.TEXT)) == Unread("There is nothing to read.")


def test_reply_that_the_provider_ended() -> None:
    filtered = read_answer(text="", asked=CHOICE, finish_reason="content_filter")
    assert (filtered.status, filtered.reason) == (
        ReadStatus.REFUSED,
        "The provider ended the reply with content_filter.",
    )
    cut = read_answer(text="It", asked=CHOICE, finish_reason="length")
    assert cut.reason == "The reply reached the token limit before its answer was complete."


OPTIONS = Target(Kind.CHOICE, tuple(Option(key, key, Decimal(key in "ab")) for key in "abc"))
HUNDRED = Target(Kind.NUMBER, number=Decimal(100))
ZERO = Target(Kind.NUMBER, number=Decimal(0))


def chosen(*keys: str) -> Reading:
    return Reading(ReadStatus.READ, keys)


def number(value: str) -> Reading:
    return Reading(ReadStatus.READ, number=Decimal(value))


ALL_RIGHT = "Chosen exactly the options with full credit."
ONE_OFF = "1 chosen without full credit, 1 with full credit missed."
VERDICTS = [
    ("standard@1", chosen("a", "b"), OPTIONS, ALL_RIGHT),
    ("standard@1", chosen("a", "c"), OPTIONS, ONE_OFF),
    ("standard@1", chosen("a"), OPTIONS, "0 chosen without full credit, 1 with full credit missed."),
    ("standard@1", number("101"), HUNDRED, "Within 0.01 of the target's size."),
    ("standard@1", number("102"), HUNDRED, "Outside 0.01 of the target's size."),
    ("standard@1", number("0.01"), ZERO, "Within 0.01 (target 0)."),
    ("standard@1", number("0.02"), ZERO, "Outside 0.01 (target 0)."),
    ("as-published@1", chosen("a", "b"), OPTIONS, "The stored letters stand for the right options."),
    ("as-published@1", chosen("a"), OPTIONS, "The stored letters stand for others."),
    ("as-published@1", number("100.5"), HUNDRED, "The error 0.5 is below 1."),
    ("as-published@1", number("101"), HUNDRED, "The error 1 is not below 1."),
    ("survey-option-text@1", chosen("a", "c"), OPTIONS, ONE_OFF),
    ("survey-option-text@1", number("100.5"), HUNDRED, "The error 0.5 is below 1."),
    ("chempro-exact@1", chosen("a", "b"), OPTIONS, ALL_RIGHT),
    ("chempro-exact@1", number("100.0"), HUNDRED, "Equals the target."),
    ("chempro-exact@1", number("100.1"), HUNDRED, "Does not equal the target."),
    ("chempro-tolerance@1", chosen("a", "c"), OPTIONS, ONE_OFF),
    ("chempro-tolerance@1", number("110"), HUNDRED, "Within 0.1 of the mean size of answer and target."),
    ("chempro-tolerance@1", number("111"), HUNDRED, "Outside 0.1 of the mean size of answer and target."),
]


@pytest.mark.parametrize(("rule", "reading", "target", "reason"), VERDICTS)
def test_verdict(rule: str, reading: Reading, target: Target, reason: str) -> None:
    verdict = judge(reading=reading, target=target, rule=rule)
    assert (verdict.rule, verdict.reason) == (rule, reason)


UNREAD = {
    ReadStatus.UNPARSED: "No answer could be read.",
    ReadStatus.REFUSED: "The reply refuses to answer.",
    ReadStatus.EMPTY: "The reply is empty.",
    ReadStatus.TRUNCATED: "The reply was cut off before its answer.",
    ReadStatus.GAVE_UP: "The agent stopped without an answer.",
    ReadStatus.DO_NOT_KNOW: "The answer says that it is not known.",
}


@pytest.mark.parametrize("rule", rule_names())
@pytest.mark.parametrize("status", UNREAD)
def test_verdict_of_what_was_not_read(status: ReadStatus, rule: str) -> None:
    verdict = judge(reading=Reading(status), target=OPTIONS, rule=rule)
    assert verdict == Verdict(Outcome(status.value), Decimal(0), rule, UNREAD[status])


@pytest.mark.parametrize("rule", rule_names())
def test_a_number_without_a_number_is_a_programming_error(rule: str) -> None:
    message = r"^A number is judged from a number read and a number in the target\.$"
    with pytest.raises(ValueError, match=message):
        judge(reading=chosen("a"), target=HUNDRED, rule=rule)
    with pytest.raises(ValueError, match=message):
        judge(reading=number("1"), target=Target(Kind.NUMBER), rule=rule)
