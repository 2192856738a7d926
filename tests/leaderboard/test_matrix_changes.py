"""A matrix that is brought up to date by what changed is the one that is built from nothing."""

import random

import pytest

from corpus.models import Benchmark
from corpus.selectors.changes import changes_since
from corpus.services.results import results_changed
from evaluations.models import Item
from leaderboard.matrix import pack
from leaderboard.models import ScoreMatrix
from leaderboard.selectors import inputs
from leaderboard.selectors.boards import public_sets
from leaderboard.services import current_matrix
from survey.models import Participant
from survey.services import participant_withdraw
from tests.leaderboard.factories import make_people, make_run, make_system

RULE = "standard@1"
PRINTED = "as-published@1"


def fresh():
    return public_sets().get(slug="small")


def up_to_date(rule=RULE):
    return pack(current_matrix(question_set=fresh(), rule=rule))


def from_nothing(rule=RULE):
    question_set = fresh()
    return pack(inputs.read_matrix(set_revision=question_set.current_revision, rule=rule))


@pytest.fixture
def read(monkeypatch):
    """What was read of systems (None: all) and of people, in this order, by matrices made after this."""
    calls = []
    codes, people = inputs.board_codes, inputs._read_people

    def codes_noted(**asked):
        calls.append(asked.get("system_ids"))
        return codes(**asked)

    def people_noted(*asked):
        calls.append("people")
        return people(*asked)

    monkeypatch.setattr(inputs, "board_codes", codes_noted)
    monkeypatch.setattr(inputs, "_read_people", people_noted)
    return calls


@pytest.fixture
def results(small_set):
    make_run(
        make_system(slug="imported", provider="imported"),
        small_set,
        "++++++----",
        origin="imported",
        published="+++-------",
    )
    make_run(make_system(slug="asked"), small_set, ["+++++r---u", "+++++++---"])
    make_people(small_set, ["+++++-----"] * 5)
    return small_set


def test_after_a_run_only_its_system_is_read(results, read) -> None:
    up_to_date()
    assert read == [None, "people"]
    late = make_system(slug="late")
    make_run(late, results, "+" * 10)
    found = up_to_date()
    assert read[2:] == [frozenset({late.pk})]
    assert found == from_nothing()


def test_after_a_change_of_people_no_system_is_read(results, read) -> None:
    up_to_date()
    make_people(results, ["-" * 10] * 6)
    found = up_to_date()
    assert read[2:] == [frozenset(), "people"]
    assert found == from_nothing()


def test_after_a_change_of_anything_else_all_is_read(results, read) -> None:
    up_to_date()
    results_changed(benchmark_id=results.benchmark_id)
    up_to_date()
    assert read[2:] == [None, "people"]


def test_a_version_raised_without_a_record_may_be_anything(results, read) -> None:
    up_to_date()
    Benchmark.objects.update(results_version=100)
    up_to_date()
    assert read[2:] == [None, "people"]


@pytest.mark.parametrize("seed", range(3))
def test_after_many_changes_it_is_the_same(results, seed: int) -> None:
    chance = random.Random(seed)
    systems = [make_system(slug=f"s{number}") for number in range(4)]

    def run_made() -> None:
        repeats = ["".join(chance.choices("++-ur e", k=10)) for _ in range(chance.randint(1, 3))]
        make_run(chance.choice(systems), results, repeats)

    def answers_lost() -> None:
        system = chance.choice(systems)
        Item.objects.filter(run__system=system).update(status="waiting", outcome="")
        results_changed(benchmark_id=results.benchmark_id, system_id=system.pk)

    def people_made() -> None:
        make_people(results, ["".join(chance.choices("+-d", k=10)) for _ in range(2)])

    def person_gone() -> None:
        participant_withdraw(participant=Participant.objects.filter(withdrawn_at=None).order_by("pk").last())

    changes = [run_made, run_made, answers_lost, people_made, person_gone]
    for _ in range(8):
        for _ in range(chance.randint(1, 3)):
            chance.choice(changes)()
        rule = chance.choice([RULE, PRINTED])
        assert up_to_date(rule) == from_nothing(rule)


def test_nothing_of_people_who_changed_stays_in_a_matrix_nobody_opens(results, read) -> None:
    imported = results.current_revision.runs.get(origin="imported").system
    for rule in (PRINTED, RULE):
        up_to_date(rule)
    make_people(results, ["+" * 10] * 5)
    up_to_date()
    kinds = {
        rule: [entry["type"] for entry in entrants]
        for rule, entrants in ScoreMatrix.objects.values_list("rule", "entrants")
    }
    assert kinds == {PRINTED: ["system"], RULE: ["person"] * 10 + ["system"] * 2}
    del read[:]
    assert up_to_date(PRINTED) == from_nothing(PRINTED)
    assert read[:2] == [frozenset(), "people"]
    assert imported.pk in {entry["id"] for entry in up_to_date(PRINTED)[0]}


def test_each_part_has_the_version_of_its_last_change(small_set) -> None:
    benchmark_id = small_set.benchmark_id
    for part in ({"system_id": 7}, {"system_id": 8}, {"of_people": True}, {"system_id": 7}):
        results_changed(benchmark_id=benchmark_id, **part)
    until = Benchmark.objects.get().results_version
    found = changes_since(benchmark_id=benchmark_id, since=until - 2, until=until)
    assert (found.is_all, found.of_people, found.system_ids) == (False, True, {7})
    assert changes_since(benchmark_id=benchmark_id, since=until, until=until).system_ids == frozenset()
    assert changes_since(benchmark_id=benchmark_id, since=until - 2, until=until + 1).is_all
    results_changed(benchmark_id=benchmark_id)
    assert changes_since(benchmark_id=benchmark_id, since=until, until=until + 1).is_all
