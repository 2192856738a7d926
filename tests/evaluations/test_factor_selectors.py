"""What answers took, and which runs differ in temperature alone."""

from decimal import Decimal

import pytest

from corpus.models import QuestionSet
from evaluations.models import Item, Run, System
from evaluations.selectors.board import items_of_runs
from evaluations.selectors.temperatures import runs_by_temperature
from evaluations.selectors.usage import Known, usage_by_run
from tests.corpus.factories import make_benchmark, make_question, make_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> QuestionSet:
    benchmark = make_benchmark(slug="two")
    return make_set(benchmark, "two", [make_question(benchmark) for _ in range(2)])


@pytest.fixture
def system() -> System:
    return System.objects.create(slug="s", name="s", provider="random")


def made(system: System, two: QuestionSet, *, outcomes=("right", "wrong"), repeats: int = 1, **fields) -> Run:
    assert two.current_revision is not None
    run = Run.objects.create(
        system=system, set_revision=two.current_revision, repeats=repeats, status="finished", **fields
    )
    revisions = two.current_revision.question_revisions.order_by("pk")
    for repeat in range(repeats):
        for revision, outcome in zip(revisions, outcomes, strict=True):
            fields = {"status": "answered", "outcome": outcome, "rule": "standard@1", "credit": Decimal(0)}
            Item.objects.create(
                run=run, question_revision=revision, repeat=repeat, **(fields if outcome else {"status": "waiting"})
            )
    return run


def roots(two: QuestionSet) -> list[int]:
    assert two.current_revision is not None
    return [revision.root_id for revision in two.current_revision.question_revisions.order_by("pk")]


def side_by_side(two: QuestionSet, system: System) -> list[tuple[float | None, int]]:
    found = runs_by_temperature(root_ids=roots(two), system_ids=[system.pk])
    return [(run.temperature, run.repeats) for run in found]


def test_sums_say_how_many_answers_they_are_of(system, two) -> None:
    run = made(system, two, frozen={"prices": {"currency": "EUR"}})
    first, _ = run.items.order_by("pk")
    Item.objects.filter(pk=first.pk).update(cost=Decimal("0.5"), tokens_in=7)
    run.items.update(tokens_out=3)
    usage = usage_by_run(root_ids=roots(two), run_ids=[run.pk])[run.pk]
    assert (usage.n_answers, usage.currency) == (2, "EUR")
    assert (usage.cost, usage.tokens_in, usage.tokens_out) == (Known(Decimal("0.5"), 1), Known(7, 1), Known(6, 2))
    assert (usage.cost.mean, usage.tokens_out.mean, usage.latency_ms.mean) == (0.5, 3.0, None)


def test_only_the_questions_asked_for_and_answers_count(system, two) -> None:
    run = made(system, two, outcomes=("right", ""))
    run.items.update(cost=1)
    unpriced = made(system, two)
    found = usage_by_run(root_ids=roots(two), run_ids=[str(run.pk), str(unpriced.pk)])
    assert (found[run.pk].n_answers, found[run.pk].cost.total, found[run.pk].currency) == (1, 1, "")
    assert usage_by_run(root_ids=roots(two)[1:], run_ids=[run.pk]) == {}


def test_runs_that_differ_in_temperature_stand_side_by_side_coldest_first(system, two) -> None:
    for temperature in (1, 0.0, 0.5):
        made(system, two, parameters={"temperature": temperature, "max_tokens": 10})
    made(system, two, parameters={"max_tokens": 10})
    assert side_by_side(two, system) == [(0.0, 1), (0.5, 1), (1.0, 1), (None, 1)]


@pytest.mark.parametrize(
    "other",
    [
        {"prompt_style": "another@1"},
        {"parameters": {"temperature": 1, "top_p": 0.5}},
        {"frozen": {"model_id": "newer"}},
        {"frozen": {"system_prompt": "Be brief."}},
        {"permutes_options": True},
        {"origin": "submitted"},
        {"origin": "imported"},
        {"outcomes": ("right", "")},
        {"outcomes": ("right", "error")},
    ],
)
def test_runs_that_differ_in_more_or_are_not_complete_do_not(system, two, other) -> None:
    made(system, two, parameters={"temperature": 0})
    made(system, two, **{"parameters": {"temperature": 1}, **other})
    assert side_by_side(two, system) == []


def test_a_run_asked_several_times_is_there_by_itself(system, two) -> None:
    made(system, two, repeats=3)
    made(system, two)
    assert side_by_side(two, system) == [(None, 3)]


def test_the_newest_run_of_each_temperature_counts(system, two) -> None:
    made(system, two, parameters={"temperature": 0}, repeats=2)
    made(system, two, parameters={"temperature": 1})
    newest = made(system, two, parameters={"temperature": 0})
    found = runs_by_temperature(root_ids=roots(two), system_ids=[system.pk])
    assert (found[0].run_id, found[0].repeats) == (newest.pk, 1)


def test_a_temperature_that_was_not_taken_was_not_sent(system, two) -> None:
    learned = {"leave_out": {"temperature": {"message": "no", "value": 1, "run": "x"}}}
    made(system, two, parameters={"temperature": 0})
    made(system, two, parameters={"temperature": 1}, learned=learned)
    assert side_by_side(two, system) == [(0.0, 1), (None, 1)]


def test_verdicts_of_any_run_are_those_a_board_would_have(system, two) -> None:
    older, newer = made(system, two), made(system, two, outcomes=("wrong", "wrong"))
    items = items_of_runs(root_ids=roots(two), rule="standard@1", run_ids=[older.pk])
    assert [item.outcome for item in items] == ["right", "wrong"]
    both = items_of_runs(root_ids=roots(two), rule="as-published@1", run_ids=[older.pk, newer.pk])
    assert [item.outcome for item in both] == [""] * 4
