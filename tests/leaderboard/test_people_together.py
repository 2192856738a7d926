"""What publications of sets that share questions tell of one person together."""

from itertools import product

import numpy as np
import pytest
from django.utils import timezone

from corpus.models import Benchmark, QuestionSet
from corpus.services.results import results_changed
from leaderboard.matrix import OUTCOMES, RIGHT
from leaderboard.models import Snapshot
from leaderboard.people import Cohort
from leaderboard.people_steps import FEWEST_RESULTS, step_of, telling
from leaderboard.people_together import Telling, n_possible
from leaderboard.selectors.people_told import people_told
from leaderboard.selectors.snapshots import content_of
from leaderboard.services.exports import results_export
from leaderboard.services.snapshots import snapshot_publish
from survey.models import Participant
from survey.services.withdrawal import participant_withdraw
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.leaderboard.factories import make_people_of_parts, make_run, make_system

WRONG = next(code for code, outcome in enumerate(OUTCOMES) if outcome.value == "wrong")
N, N_PEOPLE = 24, 6
# All but the last question, and all but the first.
SETS = (range(N - 1), range(1, N))


def answers(n_people: int = N_PEOPLE) -> np.ndarray:
    """Return who is right where, of shape (people, questions)."""
    generator = np.random.default_rng(2)
    return np.asarray(generator.random((n_people, N)) < generator.uniform(0.2, 0.8, n_people)[:, None])


def cohort_on(columns: range) -> Cohort:
    codes = np.where(answers()[:, list(columns)], RIGHT, WRONG).astype(np.int8)
    people = tuple(range(N_PEOPLE))
    return Cohort(codes=codes, is_demo=False, n_people=N_PEOPLE, n_finished=N_PEOPLE, participant_ids=people)


def told_on(columns: range, step: int) -> Telling:
    rights = dict(enumerate(answers()[:, list(columns)].sum(axis=1).tolist()))
    return telling(rights, root_ids=frozenset(columns), step=step)


def left(first: Telling, second: Telling, person: int) -> tuple[int, int]:
    """Count, one by one, the results on each of two sets that can be had together."""
    shared = len(first.root_ids & second.root_ids)
    own = [range(len(each.root_ids) - shared + 1) for each in (first, second)]
    (low, high), (other_low, other_high) = (each.possible[person] for each in (first, second))
    pairs = {
        (common + one, common + two)
        for common, one, two in product(range(shared + 1), *own)
        if low <= common + one <= high and other_low <= common + two <= other_high
    }
    return len({one for one, _ in pairs}), len({two for _, two in pairs})


def test_two_sets_that_each_hide_everybody_are_told_so_that_both_together_do() -> None:
    alone = [step_of(cohort_on(columns)) for columns in SETS]
    first, second = (told_on(columns, step) for columns, step in zip(SETS, alone, strict=True))
    assert min(min(left(first, second, person)) for person in range(N_PEOPLE)) < FEWEST_RESULTS
    together = step_of(cohort_on(SETS[1]), root_ids=SETS[1], earlier=[first])
    assert together > alone[1]
    coarser = told_on(SETS[1], together)
    for person in range(N_PEOPLE):
        counted = left(first, coarser, person)
        assert min(counted) >= FEWEST_RESULTS
        assert tuple(n_possible([first, coarser], person).values()) == counted


def test_the_same_again_tells_nothing_new_and_other_questions_are_another_matter() -> None:
    first = told_on(SETS[0], 20)
    assert step_of(cohort_on(SETS[0]), root_ids=SETS[0], earlier=[first]) == step_of(cohort_on(SETS[0])) == 20
    elsewhere = Telling(frozenset(range(100, 140)), dict.fromkeys(range(N_PEOPLE), (10, 14)))
    assert step_of(cohort_on(SETS[1]), root_ids=SETS[1], earlier=[elsewhere]) == step_of(cohort_on(SETS[1]))
    assert n_possible([elsewhere], 99) == {}


@pytest.mark.parametrize(("whole", "counts"), [((28, 32), (1, 1, 1)), ((24, 28), (5, 5, 5)), ((26, 32), (3, 3, 3))])
def test_a_whole_bounds_its_halves_together(whole, counts) -> None:
    halves = [frozenset(range(20)), frozenset(range(20, 40))]
    tellings = [Telling(half, {1: (10, 14)}) for half in halves]
    assert tuple(n_possible([*tellings, Telling(frozenset(range(40)), {1: whole})], 1).values()) == counts


def letters(n_people: int = N_PEOPLE) -> list[tuple[str]]:
    return [("".join("-+"[is_right] for is_right in row),) for row in answers(n_people).astype(int).tolist()]


@pytest.fixture
def sets(db) -> list[QuestionSet]:
    """A set of everything that people were asked, and the two that share all questions but one each."""
    benchmark = make_benchmark(slug="near")
    questions = [make_question(benchmark) for _ in range(N)]
    named = {"all": range(N), "most": SETS[0], "near": SETS[1]}
    found = [make_set(benchmark, slug, [questions[place] for place in places]) for slug, places in named.items()]
    make_run(make_system(slug="model"), found[0], "+-" * (N // 2))
    return found


def shown(snapshot: Snapshot) -> bool:
    return bool(content_of(snapshot)["people"]["shown"])


def test_snapshots_of_sets_that_share_questions_leave_five_results_of_everybody(sets) -> None:
    people = {person.pk for person in make_people_of_parts(sets[:1], letters())}
    snapshots = [snapshot_publish(question_set=question_set) for question_set in sets[1:]]
    assert all(shown(snapshot) for snapshot in snapshots)
    told = people_told(benchmark_id=Benchmark.objects.get().pk, rule="standard@1", participant_ids=people)
    assert len(told) == 2
    assert {min(left(*told, person)) >= FEWEST_RESULTS for person in people} == {True}
    # Now that both are out, what all was told in counts as well.
    snapshot_publish(question_set=sets[0])
    told = people_told(benchmark_id=Benchmark.objects.get().pk, rule="standard@1", participant_ids=people)
    assert min(min(n_possible(told, person).values()) for person in people) >= FEWEST_RESULTS


def test_somebody_who_joins_between_two_sets_is_told_by_neither(sets) -> None:
    late, *_ = make_people_of_parts(sets[:1], letters(N_PEOPLE + 1))
    Participant.objects.filter(pk=late.pk).update(consented_at=None)
    assert shown(snapshot_publish(question_set=sets[1]))
    Participant.objects.filter(pk=late.pk).update(consented_at=timezone.now())
    results_changed(benchmark_id=sets[0].benchmark_id, of_people=True)
    second = content_of(snapshot_publish(question_set=sets[2]))
    assert second["people"]["why_not"].startswith("Fewer than 5 people came or went since snapshot 1")
    assert {row["kind"] for row in second["board"]["rows"]} == {"model"}


def test_who_withdrew_keeps_nobody_from_being_told_later(sets) -> None:
    first, *_ = make_people_of_parts(sets[:1], letters())
    snapshot_publish(question_set=sets[1])
    participant_withdraw(participant=first)
    people = {person.pk for person in make_people_of_parts(sets[:1], letters())}
    assert people_told(benchmark_id=Benchmark.objects.get().pk, rule="standard@1", participant_ids=people) == []
    assert shown(snapshot_publish(question_set=sets[2]))


def test_a_folder_has_people_only_of_a_set_whose_own_snapshot_shows_them(sets, tmp_path) -> None:
    """Of a folder nobody knows later, so it may tell nothing that no snapshot told."""
    make_people_of_parts(sets[:1], letters())
    snapshot_publish(question_set=sets[1])
    exported = [results_export(question_set=each, target=tmp_path / each.slug).people_shown for each in sets[1:]]
    assert exported == [True, False]
