"""Public reports in small: each trap of the published data, written by us."""

import json
from decimal import Decimal
from typing import Any

import pytest

from corpus.scoring.published import (
    UnmatchedOptionsError,
    match_options,
    options_in_prompt,
    reading_from_parsed,
)
from corpus.scoring.reading import read_answer
from corpus.scoring.rules import judge
from corpus.scoring.types import Asked, Kind, Option, Reading, ReadStatus, ShownOption, Target

PROMPT = (
    "A question follows.\n\nQuestion: Which is a noble gas?\n\nOptions:\nA. \\ce{Ne}\nB. $N2$\nC. \\ce{O2}\n\n"
    "You MUST answer within [ANSWER] and [/ANSWER]."
)

# `targets_` was sorted after the model had answered: its order is not the order of the prompt.
REPORT = """[{
  "prompt": %s, "output": {"text": "[ANSWER]A[/ANSWER] or [ANSWER]A[/ANSWER]"}, "parsed_output": ["A", "A"],
  "targets_": {"N2": 0, "O2": 0, "\\\\ce{Ne}": 1}, "metrics": {"mae": NaN, "hamming": 7}, "score": {"all": false}
}]""" % json.dumps(PROMPT)  # noqa: UP031


def choice(report: dict[str, Any]) -> tuple[Asked, Target]:
    sent = options_in_prompt(report["prompt"])
    matched = match_options(sent, report["targets_"])
    shown = tuple(ShownOption(letter, matched[letter], text) for letter, text in sent)
    options = tuple(Option(text, text, Decimal(str(credit))) for text, credit in report["targets_"].items())
    return Asked(Kind.CHOICE, shown, report["prompt"]), Target(Kind.CHOICE, options)


def published_outcome(parsed: object, **changes: Any) -> str:
    report = json.loads(REPORT)[0] | changes
    asked, target = choice(report)
    return judge(
        reading=reading_from_parsed(parsed_output=parsed, asked=asked), target=target, rule="as-published@1"
    ).outcome.value


def test_options_in_prompt() -> None:
    assert options_in_prompt(PROMPT) == (("A", r"\ce{Ne}"), ("B", "$N2$"), ("C", r"\ce{O2}"))


def test_options_in_prompt_traps() -> None:
    lines = "Options:\nA. first\nK. pneumoniae goes on\nB. second\n\nC. is an instruction"
    assert options_in_prompt(lines) == (("A", "first\nK. pneumoniae goes on"), ("B", "second"))
    assert options_in_prompt("Options:\nA. one\nB. two") == (("A", "one"), ("B", "two"))
    assert options_in_prompt("Options:\nA. old\n\nOptions:\nA. new\nB. newer\n\nEnd") == (("A", "new"), ("B", "newer"))
    assert options_in_prompt("Options:\n\nNone here.") == ()
    assert options_in_prompt("Options:\n\nA. one\nB. two") == ()
    assert options_in_prompt("Options:\nA. one\nB. two\n\nThen.\n\nC. three") == (("A", "one"), ("B", "two"))
    assert options_in_prompt("A. one\nB. two") == ()
    many = "Options:\n" + "\n".join(f"{chr(65 + i)}. x{i}" for i in range(26)) + "\nAA. x26\nAB. x27"
    assert [letter for letter, _ in options_in_prompt(many)][-2:] == ["AA", "AB"]


def test_letters_are_mapped_through_the_prompt() -> None:
    report = json.loads(REPORT)[0]
    assert match_options(options_in_prompt(PROMPT), report["targets_"]) == {"A": r"\ce{Ne}", "B": "N2", "C": "O2"}
    assert published_outcome(["A"]) == "right"
    assert published_outcome(["C"]) == "wrong"  # by the order of targets_ this letter would be right


MATCHES = [
    ([("A", "two"), ("B", "one")], {"one": 0, "two": 1}, {"A": "two", "B": "one"}),
    ([("A", "Co"), ("B", "CO")], {"CO": 0, "Co": 1}, {"A": "Co", "B": "CO"}),
    ([("A", "H2O "), ("B", "x")], {r"\ce{H2O}": 0, "x": 1}, {"A": r"\ce{H2O}", "B": "x"}),
    ([("A", "CCO"), ("B", "CC")], {"[START_SMILES]CC[END_SMILES]": 0, "CCO": 1}, {"A": "CCO"}),
    ([("A", "a-b"), ("B", "c")], {"a b": 0, "c": 1}, {"A": "a b"}),
    ([("A", "mispelt"), ("B", "c")], {"c": 0, "misspelt": 1}, {"A": "misspelt"}),
    ([("A", "+1"), ("B", "-1")], {"$-1$": 0, "$+1$": 1}, {"A": "$+1$", "B": "$-1$"}),
]


@pytest.mark.parametrize(("sent", "targets", "expected"), MATCHES)
def test_options_match_whatever_the_markup(
    sent: list[tuple[str, str]], targets: dict[str, int], expected: dict[str, str]
) -> None:
    matched = match_options(sent, targets)
    assert matched | expected == matched
    assert sorted(matched.values()) == sorted(targets)


def test_options_that_do_not_match_are_refused() -> None:
    with pytest.raises(UnmatchedOptionsError, match="2 options, the target has 1"):
        match_options([("A", "x"), ("B", "y")], {"x": 1})
    with pytest.raises(UnmatchedOptionsError, match="A, B"):
        match_options([("A", "x"), ("B", "y")], {"p": 1, "q": 0})


def test_bare_nan_score_and_metrics_are_never_looked_at() -> None:
    report = json.loads(REPORT)[0]
    assert report["metrics"]["mae"] != report["metrics"]["mae"]
    assert published_outcome(["A"]) == published_outcome(["A"], metrics={}, score={}) == "right"


STORED_LETTERS = [
    (["A"], "right"),
    (["A", "A"], "right"),
    (["A", "B"], "wrong"),
    (["A", "Z"], "wrong"),
    (["Z"], "wrong"),
    ({}, "unparsed"),
    ([], "unparsed"),
    (None, "unparsed"),
    ("A", "unparsed"),
]


@pytest.mark.parametrize(("parsed", "expected"), STORED_LETTERS)
def test_stored_letters(parsed: object, expected: str) -> None:
    assert published_outcome(parsed) == expected


def test_stored_reading_says_what_was_odd() -> None:
    asked, _ = choice(json.loads(REPORT)[0])
    reading = reading_from_parsed(parsed_output=["B", "Z", "B"], asked=asked)
    assert reading.option_keys == ("N2",)
    assert reading.notes == ("unknown-letter", "repeated-letter")
    assert reading.reader == "as-published@1"
    assert reading_from_parsed(parsed_output=["B"], asked=asked).notes == ()


STORED_NUMBERS = [
    (42.0, "42", "right"),
    (42, "42", "right"),
    (42.42, "42", "wrong"),
    (42.41, "42", "right"),
    (-4.0, "-4", "wrong"),
    (0.0, "0", "wrong"),
    (3.27e-22, "3.27E-22", "right"),
    (3.27, "3.27E-22", "wrong"),
    (float("nan"), "42", "unparsed"),
    (float("inf"), "42", "unparsed"),
    ({}, "42", "unparsed"),
    (True, "1", "unparsed"),
    (["A"], "42", "unparsed"),
]


@pytest.mark.parametrize(("parsed", "target", "expected"), STORED_NUMBERS)
def test_stored_numbers(parsed: object, target: str, expected: str) -> None:
    reading = reading_from_parsed(parsed_output=parsed, asked=Asked(Kind.NUMBER))
    wanted = Target(Kind.NUMBER, number=Decimal(target))
    assert judge(reading=reading, target=wanted, rule="as-published@1").outcome.value == expected


def both_rules(text: str, parsed: object) -> tuple[str, str]:
    asked, target = choice(json.loads(REPORT)[0])
    stored: Reading = reading_from_parsed(parsed_output=parsed, asked=asked)
    read = read_answer(text=text, asked=asked)
    published = judge(reading=stored, target=target, rule="as-published@1")
    return published.outcome.value, judge(reading=read, target=target).outcome.value


TRAPS = [
    # every tag was united, where the last one is meant
    ("[ANSWER]B[/ANSWER] No: [ANSWER]A[/ANSWER]", ["B", "A"], ("wrong", "right")),
    # the echoed prompt gave its own letters
    (PROMPT + " A", ["A", "B", "C"], ("wrong", "right")),
    # an extractor answered in the agent's place
    ("Agent stopped due to iteration limit or time limit.", ["A"], ("right", "gave_up")),
    ("[ANSWER][/ANSWER]", ["A"], ("right", "unparsed")),
]


@pytest.mark.parametrize(("text", "parsed", "expected"), TRAPS)
def test_where_the_two_rules_part(text: str, parsed: object, expected: tuple[str, str]) -> None:
    assert both_rules(text, parsed) == expected


def test_a_report_without_options_has_unknown_letters_only() -> None:
    reading = reading_from_parsed(parsed_output=["A"], asked=Asked(Kind.CHOICE))
    assert (reading.status, reading.option_keys, reading.notes) == (ReadStatus.READ, (), ("unknown-letter",))
