"""The rules there are, and how one is found by name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from corpus.scoring.rules import as_published, chempro, standard, survey_option_text
from corpus.scoring.rules.verdicts import unread_verdict
from corpus.scoring.text_metrics import text_metrics
from corpus.scoring.types import Kind, Reading, ReadStatus, Target, Verdict


class UnknownRuleError(LookupError):
    """No rule of that name or version is registered."""


class NotJudgedError(ValueError):
    """The rule says nothing about this kind of question."""


class Judge(Protocol):
    """Judge a reading that has status `read`."""

    def __call__(self, *, reading: Reading, target: Target, rule: str) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Rule:
    """One version of a rule: its name, the paragraph that defines it, a judge for each kind it can judge."""

    name: str
    definition: str
    judges: Mapping[Kind, Judge]


_RULES = {
    rule.name: rule
    for rule in (
        Rule(
            name="standard@1",
            definition=standard.DEFINITION,
            judges={Kind.CHOICE: standard.judge_choice, Kind.NUMBER: standard.judge_number},
        ),
        Rule(
            name="as-published@1",
            definition=as_published.DEFINITION,
            judges={Kind.CHOICE: as_published.judge_choice, Kind.NUMBER: as_published.judge_number},
        ),
        Rule(
            name="survey-option-text@1",
            definition=survey_option_text.DEFINITION,
            judges={Kind.CHOICE: survey_option_text.judge_choice, Kind.NUMBER: survey_option_text.judge_number},
        ),
        Rule(
            name="chempro-exact@1",
            definition=chempro.EXACT_DEFINITION,
            judges={Kind.CHOICE: chempro.judge_choice, Kind.NUMBER: chempro.judge_exact_number},
        ),
        Rule(
            name="chempro-tolerance@1",
            definition=chempro.TOLERANCE_DEFINITION,
            judges={Kind.CHOICE: chempro.judge_choice, Kind.NUMBER: chempro.judge_tolerant_number},
        ),
    )
}


def _version(name: str) -> int:
    return int(name.partition("@")[2])


def rule_names() -> tuple[str, ...]:
    """Return every registered rule as `name@version`, in the order of registration."""
    return tuple(_RULES)


def resolve_rule(rule: str) -> str:
    """Return `name@version` for a rule; a name alone means its newest version. Raise `UnknownRuleError`."""
    if rule in _RULES:
        return rule
    versions = [name for name in _RULES if name.partition("@")[0] == rule]
    if not versions:
        raise UnknownRuleError(f"There is no rule {rule!r}. Registered: {', '.join(_RULES)}.")
    return max(versions, key=_version)


def rule_definition(rule: str) -> str:
    """Return the paragraph that defines a rule, for people."""
    return _RULES[resolve_rule(rule)].definition


def judge(*, reading: Reading, target: Target, rule: str = "standard@1") -> Verdict:
    """Judge `reading` against `target`.

    A reading without an answer gets the outcome of its own status and no credit. A kind of question that the rule
    does not cover raises `NotJudgedError` in place of a guess. A verdict on a text that was read carries its metrics,
    which no rule looks at.
    """
    name = resolve_rule(rule)
    if reading.status is not ReadStatus.READ:
        return unread_verdict(reading=reading, rule=name)
    judge_kind = _RULES[name].judges.get(target.kind)
    if judge_kind is None:
        raise NotJudgedError(f"The rule {name} does not judge questions of kind {target.kind.value!r}.")
    return _with_text_metrics(judge_kind(reading=reading, target=target, rule=name), reading, target)


def _with_text_metrics(verdict: Verdict, reading: Reading, target: Target) -> Verdict:
    if target.kind is not Kind.TEXT or not target.text or not reading.text:
        return verdict
    metrics = text_metrics(hypothesis=reading.text, reference=target.text)
    return replace(verdict, metrics={**verdict.metrics, **metrics})
