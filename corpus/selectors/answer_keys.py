"""Prove that every answer key, written as an answer, is read and judged right, and every slip from it wrong."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from corpus.models import QuestionRevision
from corpus.scoring.plain import plain_text
from corpus.scoring.reading import read_answer, read_chosen, read_typed_number
from corpus.scoring.rules import judge
from corpus.scoring.types import Asked, Kind, Outcome, Reading, Target
from corpus.selectors.targets import asked_of, target_of

Writer = Callable[[str], str]


def _stated(answer: str) -> str:
    called = "are the correct answers" if ", " in answer else "is the correct answer"
    return f"This follows from the facts given. {answer} {called}, as one can see."


WRITERS: dict[str, Writer] = {
    "tag": "[ANSWER]{}[/ANSWER]".format,
    "boxed": r"So we get \boxed{{{}}}".format,
    "final-answer": "This follows from the facts given.\nFINAL ANSWER: {}".format,
    "heading": "This follows from the facts given.\n\n### Answer\n{}".format,
    "json": lambda answer: json.dumps({"answer": answer}),
    "continuation": " {}\n\nThis follows from the facts given.".format,
    "announced": "The correct answer is {}.".format,
    "bare": "{}".format,
    "first-line": "{}\n\nThis follows from the facts given.".format,
}
CHOICE_WRITERS: dict[str, Writer] = {
    **WRITERS,
    "statement": _stated,
}
NUMBER_WRITERS: dict[str, Writer] = {
    **WRITERS,
    "conclusion": "Therefore the value is {}.".format,
    "derivation": "We divide one by the other.\nx = {}".format,
}
# The form `continuation` goes on from a prompt that ends like this.
OPEN_PROMPT = "Here is a question, and its answer follows.\nAnswer:"
TYPED = "typed by a person"
TICKED = "ticked by a person"


@dataclass(frozen=True, slots=True)
class KeyFailure:
    """A question whose key did not behave: what came out, and in which form it had been written."""

    key: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """How many keys were checked, how many behaved in every form, and the first failure of each other one."""

    checked: int
    right: int
    failures: tuple[KeyFailure, ...]


@dataclass(frozen=True, slots=True)
class _Trial:
    """An answer, the form it was written in, and the outcome it must have."""

    form: str
    reading: Reading
    expected: Outcome


def answer_keys_check(*, revisions: Iterable[QuestionRevision], rule: str) -> KeyCheck:
    """Check the keys of revisions (options prefetched) under a rule.

    Choice: the key in every protocol the reader knows, as the options' text and as ticks, in four orders of the
    options, must be right; each wrong option alone, and each right one alone where several are right, must be wrong.
    Number: the key in every protocol and typed must be right; 2 % to either side must be wrong (twice the tolerance
    where that is larger, and for a target of 0, where it is absolute).
    """
    checked = 0
    failures = []
    for revision in revisions:
        checked += 1
        target = target_of(revision)
        trials = _number_trials(target) if target.kind is Kind.NUMBER else _choice_trials(revision, target)
        failure = _first_failure(revision.question.key, target, rule, trials)
        if failure:
            failures.append(failure)
    return KeyCheck(checked, checked - len(failures), tuple(failures))


def _first_failure(key: str, target: Target, rule: str, trials: Iterable[_Trial]) -> KeyFailure | None:
    for trial in trials:
        verdict = judge(reading=trial.reading, target=target, rule=rule)
        if verdict.outcome is not trial.expected:
            because = trial.reading.reason if verdict.outcome.value == trial.reading.status.value else verdict.reason
            reason = f"{trial.form}: {trial.expected.value} was expected. {because}"
            return KeyFailure(key, verdict.outcome.value, reason)
    return None


def option_orders(keys: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the bank's order, its reverse, a rotation and a shuffle that is the same every time."""
    shuffled = list(keys)
    random.Random("".join(keys)).shuffle(shuffled)  # noqa: S311 - an order, no secret
    orders = [tuple(keys), tuple(reversed(keys)), (*keys[1:], *keys[:1]), tuple(shuffled)]
    return list(dict.fromkeys(orders))


def _choice_trials(revision: QuestionRevision, target: Target) -> Iterator[_Trial]:
    right = {option.key for option in target.options if option.credit == 1}
    alone = [option.key for option in target.options if {option.key} != right]
    for number, order in enumerate(option_orders([option.key for option in target.options]), start=1):
        asked = asked_of(revision, order)
        where = f"order {number}"
        yield from _written_choices(asked, right, where)
        yield _Trial(f"{TICKED}, {where}", read_chosen(sorted(right), asked), Outcome.RIGHT)
        for key in alone:
            yield from _wrong_choices(asked, key, where)


def _written_choices(asked: Asked, right: set[str], where: str) -> Iterator[_Trial]:
    letters = ", ".join(option.letter for option in asked.shown if option.key in right)
    for form, write in CHOICE_WRITERS.items():
        read = read_answer(text=write(letters), asked=_asked_by(form, asked))
        yield _Trial(f"{form}, {where}", read, Outcome.RIGHT)
    words = [option.text for option in asked.shown if option.key in right]
    # An option that says "K" or "B" cannot be told from the letter of an option; there the letter counts.
    if not any(len(plain_text(word)) == 1 for word in words):
        written = read_answer(text=WRITERS["tag"]("\n".join(words)), asked=asked)
        yield _Trial(f"option text in a tag, {where}", written, Outcome.RIGHT)


def _wrong_choices(asked: Asked, key: str, where: str) -> Iterator[_Trial]:
    letter = next(option.letter for option in asked.shown if option.key == key)
    written = read_answer(text=WRITERS["tag"](letter), asked=asked)
    yield _Trial(f"only {letter} in a tag, {where}", written, Outcome.WRONG)
    yield _Trial(f"only {letter} ticked, {where}", read_chosen([key], asked), Outcome.WRONG)


def _number_trials(target: Target) -> Iterator[_Trial]:
    asked = Asked(kind=Kind.NUMBER, unit=target.unit)
    yield from _written_numbers(target.text, asked, Outcome.RIGHT)
    for slip in _slips(target):
        yield from _written_numbers(slip, asked, Outcome.WRONG)


def _written_numbers(text: str, asked: Asked, expected: Outcome) -> Iterator[_Trial]:
    for form, write in NUMBER_WRITERS.items():
        read = read_answer(text=write(text), asked=_asked_by(form, asked))
        yield _Trial(f"{text}, {form}", read, expected)
    yield _Trial(f"{text}, {TYPED}", read_typed_number(text), expected)


def _asked_by(form: str, asked: Asked) -> Asked:
    return replace(asked, prompt=OPEN_PROMPT) if form == "continuation" else asked


def _slips(target: Target) -> tuple[str, str]:
    """Return two numbers outside the tolerance, one to each side."""
    number = target.number or Decimal(0)
    share = max(Decimal("0.02"), 2 * (target.tolerance or Decimal(0)))
    distance = share * abs(number) if number else share
    return str(number + distance), str(number - distance)
