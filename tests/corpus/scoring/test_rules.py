"""Rules: what is right under which (cases SC-01, SC-06, AP-10)."""

from decimal import Decimal

import pytest

from corpus.scoring.published import UNKNOWN_LETTER
from corpus.scoring.rules import (
    NotJudgedError,
    UnknownRuleError,
    judge,
    registry,
    resolve_rule,
    rule_definition,
    rule_names,
)
from corpus.scoring.types import Kind, Option, Outcome, Reading, ReadStatus, Target


def number(value: str) -> Reading:
    return Reading(ReadStatus.READ, number=Decimal(value))


def outcome(answer: str, target: str, *, rule: str = "standard@1", tolerance: str | None = None) -> str:
    wanted = Target(Kind.NUMBER, number=Decimal(target), tolerance=None if tolerance is None else Decimal(tolerance))
    return judge(reading=number(answer), target=wanted, rule=rule).outcome.value


NUMBERS = [
    # SC-06: negative targets
    ("-2.5", "-2.5", "right", "wrong"),
    ("-2.51", "-2.5", "right", "wrong"),
    ("2.5", "-2.5", "wrong", "wrong"),
    # SC-01: target zero
    ("0", "0", "right", "wrong"),
    ("0.0", "0", "right", "wrong"),
    ("0.001", "0", "right", "wrong"),
    ("-0.01", "0", "right", "wrong"),
    ("0.02", "0", "wrong", "wrong"),
    # the boundary: at most 1 % against less than 1 %
    ("101", "100", "right", "wrong"),
    ("99", "100", "right", "wrong"),
    ("100.9", "100", "right", "right"),
    ("101.0000000000000000000001", "100", "wrong", "wrong"),
    ("98.9", "100", "wrong", "wrong"),
    ("1.01", "1", "right", "wrong"),
    ("0.0707", "0.07", "right", "right"),  # floating point puts this boundary inside
    # tiny and huge numbers
    ("4.15E-21", "4.15E-21", "right", "right"),
    ("4.19E-21", "4.15E-21", "right", "right"),
    ("4.15", "4.15E-21", "wrong", "wrong"),
    ("6.02E+23", "6.022E+23", "right", "right"),
    ("1E+4000", "1E+4000", "right", "wrong"),
    # AP-10, AP-13
    ("60", "60", "right", "right"),
    ("0.60", "60", "wrong", "wrong"),
    ("-5.2", "-5.2", "right", "wrong"),
    ("5.2", "-5.2", "wrong", "wrong"),
]


@pytest.mark.parametrize(("answer", "target", "standard", "published"), NUMBERS)
def test_number(answer: str, target: str, standard: str, published: str) -> None:
    assert outcome(answer, target) == standard
    assert outcome(answer, target, rule="as-published@1") == published


CHEMPRO = [
    # answer, target, exact, tolerance
    ("2.50", "2.5", "right", "right"),
    ("2.49", "2.5", "wrong", "right"),
    ("-2.5", "2.5", "wrong", "wrong"),
    # 2 |19 - 21| = 4 = 0.1 (19 + 21): the boundary, from both sides and with both signs
    ("19", "21", "wrong", "right"),
    ("21", "19", "wrong", "right"),
    ("-19", "-21", "wrong", "right"),
    ("18.999", "21", "wrong", "wrong"),
    ("21.001", "19", "wrong", "wrong"),
    # 10 % of the target alone would let 110.6 out and 90 in
    ("110.5", "100", "wrong", "right"),
    ("110.6", "100", "wrong", "wrong"),
    ("90.5", "100", "wrong", "right"),
    ("90.4", "100", "wrong", "wrong"),
    ("0", "0", "right", "right"),
    ("0.0", "0", "right", "right"),
    ("1E-30", "0", "wrong", "wrong"),
    ("0", "1E-30", "wrong", "wrong"),
    ("1.05E+4000", "1E+4000", "wrong", "right"),
]


@pytest.mark.parametrize(("answer", "target", "exact", "tolerance"), CHEMPRO)
def test_chempro(answer: str, target: str, exact: str, tolerance: str) -> None:
    assert outcome(answer, target, rule="chempro-exact@1", tolerance="0.5") == exact
    assert outcome(answer, target, rule="chempro-tolerance@1", tolerance="0") == tolerance
    assert outcome(target, answer, rule="chempro-tolerance@1") == tolerance


@pytest.mark.parametrize(("answer", "target", "standard", "published"), NUMBERS)
def test_survey_numbers_are_judged_as_reported(answer: str, target: str, standard: str, published: str) -> None:
    assert outcome(answer, target, rule="survey-option-text@1") == published


TOLERANCES = [
    ("105", "100", "0.05", "right"),
    ("105.1", "100", "0.05", "wrong"),
    ("100.5", "100", "0.001", "wrong"),
    ("100", "100", "0", "right"),
    ("100.1", "100", "0", "wrong"),
    ("0.4", "0", "0.5", "right"),
    ("0.6", "0", "0.5", "wrong"),
]


@pytest.mark.parametrize(("answer", "target", "tolerance", "expected"), TOLERANCES)
def test_a_questions_own_tolerance_wins(answer: str, target: str, tolerance: str, expected: str) -> None:
    assert outcome(answer, target, tolerance=tolerance) == expected


def test_decimal_comparison_holds_where_floating_point_fails() -> None:
    assert abs(1.1 - 1.0) > 0.1
    assert outcome("1.1", "1.0", tolerance="0.1") == "right"


def choice_target(**credits: str) -> Target:
    return Target(Kind.CHOICE, tuple(Option(key, f"text {key}", Decimal(value)) for key, value in credits.items()))


def chosen(*keys: str, notes: tuple[str, ...] = ()) -> Reading:
    return Reading(ReadStatus.READ, option_keys=keys, notes=notes)


TWO = choice_target(a="1", b="0", c="1.0", d="0")
PARTIAL = choice_target(p="1", q="0.5", r="0")
NONE_FULL = choice_target(p="0.5", q="0.5")

CHOICES = [
    (TWO, ("a", "c"), "right"),
    (TWO, ("c", "a"), "right"),
    (TWO, ("a",), "wrong"),
    (TWO, ("a", "b", "c"), "wrong"),
    (TWO, (), "wrong"),
    (PARTIAL, ("p",), "right"),
    (PARTIAL, ("p", "q"), "wrong"),
    (PARTIAL, ("q",), "wrong"),
    (NONE_FULL, ("p",), "wrong"),
    (NONE_FULL, (), "wrong"),
]


@pytest.mark.parametrize(("target", "keys", "expected"), CHOICES)
def test_choice(target: Target, keys: tuple[str, ...], expected: str) -> None:
    verdict = judge(reading=chosen(*keys), target=target)
    assert verdict.outcome.value == expected
    for rule in ("survey-option-text@1", "chempro-exact@1", "chempro-tolerance@1"):
        other = judge(reading=chosen(*keys), target=target, rule=rule)
        assert (other.outcome, other.credit, other.rule) == (verdict.outcome, verdict.credit, rule)
        assert other.metrics == verdict.metrics
    assert verdict.credit == (1 if expected == "right" else 0)


def test_unknown_letter_is_wrong_as_published() -> None:
    reading = chosen("a", "c", notes=(UNKNOWN_LETTER,))
    assert judge(reading=reading, target=TWO, rule="as-published@1").outcome is Outcome.WRONG
    assert judge(reading=chosen("a", "c"), target=TWO, rule="as-published@1").outcome is Outcome.RIGHT


METRICS = [
    (("a", "c"), {"precision": 1, "recall": 1, "f1": 1, "hamming": 0}),
    (("a",), {"precision": 1, "recall": 0.5, "f1": 2 / 3, "hamming": 0.5}),
    (("a", "b"), {"precision": 0.5, "recall": 0.5, "f1": 0.5, "hamming": 1}),
    (("b", "d"), {"precision": 0, "recall": 0, "f1": 0, "hamming": 2}),
    ((), {"precision": 0, "recall": 0, "f1": 0, "hamming": 1}),
]


@pytest.mark.parametrize(("keys", "expected"), METRICS)
def test_metrics_stand_beside_the_verdict(keys: tuple[str, ...], expected: dict[str, float]) -> None:
    assert judge(reading=chosen(*keys), target=TWO).metrics == pytest.approx(expected)


def test_metrics_count_an_unknown_letter_as_extra() -> None:
    reading = chosen("a", "c", notes=(UNKNOWN_LETTER,))
    metrics = judge(reading=reading, target=TWO, rule="as-published@1").metrics
    assert metrics == pytest.approx({"precision": 2 / 3, "recall": 1, "f1": 0.8, "hamming": 0.5})


def test_metrics_without_an_option_of_full_credit() -> None:
    metrics = judge(reading=chosen("p"), target=NONE_FULL).metrics
    assert metrics == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "hamming": 1.0}
    assert judge(reading=chosen(), target=NONE_FULL).metrics["f1"] == 0.0


@pytest.mark.parametrize("rule", rule_names())
@pytest.mark.parametrize("status", [status for status in ReadStatus if status is not ReadStatus.READ])
def test_what_was_not_read_keeps_its_name_and_earns_nothing(status: ReadStatus, rule: str) -> None:
    verdict = judge(reading=Reading(status), target=TWO, rule=rule)
    assert verdict.outcome.value == status.value
    assert verdict.credit == 0
    assert verdict.rule == rule
    assert verdict.reason


def test_reason_of_the_reader_is_kept() -> None:
    verdict = judge(reading=Reading(ReadStatus.UNPARSED, reason="Two numbers."), target=TWO)
    assert verdict.reason == "Two numbers."


def test_rules_are_found_by_name_and_version() -> None:
    assert rule_names() == (
        *("standard@1", "as-published@1", "survey-option-text@1"),
        *("chempro-exact@1", "chempro-tolerance@1"),
    )
    assert resolve_rule("standard") == "standard@1"
    assert resolve_rule("as-published@1") == "as-published@1"
    assert judge(reading=chosen("a", "c"), target=TWO, rule="standard").rule == "standard@1"


def test_a_name_alone_means_its_newest_version(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("standard@2", "standard@10", "standard-strict@11"):
        monkeypatch.setitem(registry._RULES, name, registry._RULES["standard@1"])
    assert resolve_rule("standard") == "standard@10"
    assert resolve_rule("standard@2") == "standard@2"
    assert judge(reading=chosen("a", "c"), target=TWO, rule="standard").rule == "standard@10"


@pytest.mark.parametrize("rule", ["", "standard@2", "nonsense", "as-published@"])
def test_unknown_rule_is_refused_with_the_rules_there_are(rule: str) -> None:
    with pytest.raises(UnknownRuleError, match="standard@1, as-published@1"):
        resolve_rule(rule)


def test_each_rule_is_defined_in_one_paragraph() -> None:
    for rule in rule_names():
        definition = rule_definition(rule)
        assert len(definition) > 200
        assert "\n" not in definition
    assert "0.01 |target|" in rule_definition("standard")
    assert "strictly" in rule_definition("as-published")
    assert "by their text" in rule_definition("survey-option-text")
    assert "equals the target in value" in rule_definition("chempro-exact")
    assert "0.1 (|target| + |answer|) / 2" in rule_definition("chempro-tolerance")


def test_a_kind_no_rule_covers_is_an_error_not_a_guess() -> None:
    with pytest.raises(NotJudgedError, match="molecule"):
        judge(reading=Reading(ReadStatus.READ), target=Target(Kind.MOLECULE))


@pytest.mark.parametrize("rule", rule_names())
def test_a_number_is_judged_from_numbers_only(rule: str) -> None:
    with pytest.raises(ValueError, match="number"):
        judge(reading=Reading(ReadStatus.READ), target=Target(Kind.NUMBER, number=Decimal(1)), rule=rule)
    with pytest.raises(ValueError, match="number"):
        judge(reading=number("1"), target=Target(Kind.NUMBER), rule=rule)
