"""From codes to rows: denominators, incomplete results, people."""

from fractions import Fraction

import numpy as np
import pytest

from leaderboard.boards import (
    PeopleRule,
    SystemFacts,
    Topic,
    estimate_of,
    ranked,
    system_rows,
)
from leaderboard.charts import label
from leaderboard.matrix import MISSING, OUTCOMES, PERSON, SYSTEM, Answer, Entrant, build_matrix
from leaderboard.people import cohort_of, people_row
from leaderboard.statistics import wilson_interval

CODE = {"+": "right", "-": "wrong", "u": "unparsed", "r": "refused", "e": "error", "d": "do_not_know", " ": ""}
ALL = [outcome.value for outcome in OUTCOMES]
RULE = PeopleRule(minimum_for_mean=5, minimum_for_extremes=10)


def codes(*rows: str) -> np.ndarray:
    return np.array([[ALL.index(CODE[x]) if CODE[x] else MISSING for x in row] for row in rows], dtype=np.int8)


def matrix_of(systems: dict[str, list[str]], people: list[str] = ()):
    width = len(next(iter(systems.values()))[0]) if systems else len(people[0])
    answers, entrants = [], []
    for number, repeats in enumerate(systems.values()):
        entrants.append(Entrant(SYSTEM, number, repeats=len(repeats), run_id="r"))
        answers += [
            Answer(SYSTEM, number, repeat, column, CODE[letter])
            for repeat, row in enumerate(repeats)
            for column, letter in enumerate(row)
        ]
    for number, row in enumerate(people):
        is_finished = " " not in row and "e" not in row
        entrants.append(
            Entrant(PERSON, number, study_id=1, has_finished=is_finished, counted="complete" if is_finished else "")
        )
        answers += [Answer(PERSON, number, 0, column, CODE[letter]) for column, letter in enumerate(row)]
    return build_matrix(columns=[(n, n) for n in range(width)], entrants=entrants, answers=answers)


def facts(*names: str) -> dict[int, SystemFacts]:
    return {n: SystemFacts(name.lower(), name, "", "model", is_demo=False) for n, name in enumerate(names)}


def board(systems: dict[str, list[str]], topics: list[Topic] = ()):
    matrix = matrix_of(systems)
    columns = np.arange(len(matrix.root_ids))
    return ranked(system_rows(matrix, systems=facts(*systems), columns=columns, topics=topics))


@pytest.mark.parametrize("against", ["-", "u", "r", "d"])
def test_every_other_outcome_counts_against_the_accuracy(against: str) -> None:
    estimate = estimate_of(codes("+++" + against))
    assert estimate.accuracy == Fraction(3, 4)
    assert estimate.interval == wilson_interval(3, 4)
    assert estimate.outcomes[CODE[against]] == 1
    assert sum(estimate.outcomes.values()) == 4


@pytest.mark.parametrize("row", ["+++ ", "+++e"])
def test_a_missing_or_failed_answer_leaves_no_accuracy(row: str) -> None:
    estimate = estimate_of(codes(row))
    assert estimate.accuracy is None
    assert estimate.bounds is None
    assert (estimate.n_questions, estimate.n_scored) == (4, 3)


def test_a_stopped_run_is_not_above_a_finished_one() -> None:
    rows = board({"A": ["+" * 60 + "-" * 40], "B": ["+" * 9 + "-" + " " * 90]})
    assert [(row.name, row.rank, row.is_complete) for row in rows] == [("A", 1, True), ("B", None, False)]
    assert rows[1].estimate.outcomes["right"] == 9


def test_with_repeats_it_is_the_mean_over_questions_of_the_mean_over_repeats() -> None:
    estimate = estimate_of(codes("++--", "+---", "+-+-"))
    assert estimate.accuracy == Fraction(5, 12)
    assert estimate.n_questions == 4
    assert estimate.interval.low < 5 / 12 < estimate.interval.high


def test_single_repeats_have_their_spread() -> None:
    # 2, 1 and 2 of 4 right: accuracies 0.5, 0.25, 0.5 with mean 5/12 and variance (1 + 4 + 1)/144/2 = 1/48.
    spread = estimate_of(codes("++--", "+---", "+-+-")).spread
    assert spread is not None
    assert (spread.lowest, spread.highest) == (0.25, 0.5)
    assert spread.deviation == pytest.approx((1 / 48) ** 0.5)
    assert estimate_of(codes("++--")).spread is None


def test_repeats_that_agree_say_no_more_of_other_questions_than_one() -> None:
    once, thrice = estimate_of(codes("+" * 60 + "-" * 40)), estimate_of(codes(*["+" * 60 + "-" * 40] * 3))
    assert (once.accuracy, once.n_questions) == (thrice.accuracy, thrice.n_questions) == (Fraction(3, 5), 100)
    widths = [each.interval.high - each.interval.low for each in (once, thrice)]
    assert widths[1] == pytest.approx(widths[0], abs=0.02)
    assert thrice.spread == (0.6, 0.6, 0.0)


@pytest.mark.parametrize("letter", ["+", "-"])
def test_all_right_or_all_wrong_in_every_repeat_is_not_certain(letter: str) -> None:
    estimate = estimate_of(codes(letter * 20, letter * 20))
    assert estimate.interval == wilson_interval(20 if letter == "+" else 0, 20)


def test_one_missing_repeat_is_incomplete() -> None:
    estimate = estimate_of(codes("++--", "++- "))
    assert (estimate.accuracy, estimate.spread, estimate.bounds) == (None, None, None)
    assert estimate.n_scored == 3


def test_ties_share_a_rank_and_the_next_skips() -> None:
    rows = board({"Zeta": ["++--"], "Alpha": ["-++-"], "Low": ["+---"]})
    assert [(row.name, row.rank) for row in rows] == [("Alpha", 1), ("Zeta", 1), ("Low", 3)]


def test_an_incomplete_result_shows_nothing_by_topic() -> None:
    topics = [Topic("a", "A", np.array([0, 1])), Topic("b", "B", np.array([2, 3]))]
    rows = {row.name: row for row in board({"A": ["+-  "], "B": ["+-++"]}, topics)}
    assert [(topic.accuracy, topic.outcomes, topic.withheld) for topic in rows["A"].topics.values()] == [
        (None, {}, "incomplete"),
        (None, {}, "incomplete"),
    ]
    assert [topic.n_questions for topic in rows["A"].topics.values()] == [2, 2]
    assert [topic.accuracy for topic in rows["B"].topics.values()] == [Fraction(1, 2), Fraction(1)]


def test_an_incomplete_result_is_not_ranked_on_the_part_it_answered() -> None:
    matrix = matrix_of({"A": ["++  "], "B": ["+-++"]})
    rows = ranked(system_rows(matrix, systems=facts("A", "B"), columns=np.arange(2), topics=[]))
    assert [(row.name, row.rank, row.is_complete) for row in rows] == [("B", 1, True), ("A", None, False)]
    assert (rows[1].estimate.accuracy, rows[1].estimate.bounds, rows[1].estimate.outcomes) == (None, None, {})


def test_what_is_not_shown_has_no_figure_at_all() -> None:
    matrix = matrix_of({"A": ["++--"]})
    topics = [Topic("a", "A", np.array([0])), Topic("b", "B", np.array([1, 2]))]
    (row,) = system_rows(matrix, systems=facts("A"), columns=np.array([0]), topics=topics, is_shown=False, hidden={"a"})
    for estimate in (row.estimate, row.topics["a"]):
        assert (estimate.accuracy, estimate.bounds, estimate.outcomes) == (None, None, {})
        assert estimate.reason == "one question: not shown"
    assert row.topics["b"].accuracy == Fraction(1, 2)
    assert row.is_complete


def cohort(*people: tuple[int, bool, str], minimum: int = 5, n_made_up: int = 0):
    """Build a cohort of (study, whether all who finished it cover the set, outcomes); the last are made up."""
    entrants = [
        Entrant(
            PERSON,
            number,
            is_demo=number >= len(people) - n_made_up,
            study_id=study,
            has_finished=" " not in row,
            counted="complete" if covers and " " not in row else "",
        )
        for number, (study, covers, row) in enumerate(people)
    ]
    answers = [
        Answer(PERSON, number, 0, column, CODE[letter])
        for number, (_, _, row) in enumerate(people)
        for column, letter in enumerate(row)
    ]
    matrix = build_matrix(columns=[(n, n) for n in range(2)], entrants=entrants, answers=answers)
    return cohort_of(matrix, minimum=minimum)


def test_a_study_counts_from_enough_people_on_and_where_all_of_them_do() -> None:
    enough, covering_not, too_few = (1, True, "+-"), (2, False, "++"), (3, True, "--")
    found = cohort(*[enough] * 5, (1, True, "+ "), *[covering_not] * 6, *[too_few] * 4)
    assert len(found.codes) == 5
    assert (found.n_people, found.n_finished) == (16, 15)
    assert found.codes.tolist() == [codes("+-")[0].tolist()] * 5


@pytest.mark.parametrize(
    ("n_real", "n_made_up", "n", "is_demo"),
    [(5, 5, 5, False), (5, 0, 5, False), (0, 5, 5, True), (4, 5, 5, True), (5, 4, 5, False), (4, 4, 0, False)],
)
@pytest.mark.parametrize("n_studies", [1, 2])
def test_real_and_made_up_people_are_never_in_one_mean(
    n_real: int, n_made_up: int, n: int, is_demo: bool, n_studies: int
) -> None:
    found = cohort(*[(0, True, "++")] * n_real, *[(n_studies - 1, True, "--")] * n_made_up, n_made_up=n_made_up)
    assert (len(found.codes), found.is_demo) == (n, is_demo)
    assert found.n_people == (n_made_up if is_demo else n_real)
    assert len(np.unique(found.codes)) == min(n, 1)


def test_systems_of_one_name_are_marked() -> None:
    matrix = matrix_of({"x": ["+-"], "y": ["--"], "z": ["++"]})
    known = {n: SystemFacts(f"s{n}", "same" if n < 2 else "other", "", "model", is_demo=False) for n in range(3)}
    rows = ranked(system_rows(matrix, systems=known, columns=np.arange(2), topics=[]))
    assert [(row.slug, row.name_repeats) for row in rows] == [("s2", False), ("s0", True), ("s1", True)]


def test_systems_that_are_not_named_are_left_out() -> None:
    matrix = matrix_of({"x": ["+-"], "hidden": ["--"]})
    rows = system_rows(matrix, systems={0: facts("x")[0]}, columns=np.arange(2), topics=[])
    assert [row.name for row in rows] == ["x"]


def people(answers: list[str], columns: range = range(4), **options):
    matrix = matrix_of({}, answers)
    options.setdefault("filtered", False)
    cohort = cohort_of(matrix, minimum=RULE.minimum_for_mean)
    return people_row(cohort, rule=RULE, columns=np.array(columns), topics=[], **options)


@pytest.mark.parametrize(("n", "shown"), [(4, False), (5, True)])
def test_the_mean_of_people_needs_enough_of_them(n: int, shown: bool) -> None:
    assert (people(["+-+-"] * n) is not None) is shown


@pytest.mark.parametrize(
    ("n", "filtered", "extremes"),
    [
        (9, False, (None, None)),
        (10, False, (Fraction(1), Fraction(1, 4))),
        (10, True, (None, None)),
    ],
)
def test_best_and_worst_need_more_people_and_no_filter(n: int, filtered: bool, extremes: tuple) -> None:
    row = people(["++++", *["+---"] * (n - 1)], filtered=filtered)
    assert row is not None
    assert row.people is not None
    assert (row.people.best, row.people.worst) == extremes


def test_only_people_who_answered_everything_count() -> None:
    row = people([*["+---"] * 5, "+++ ", "+++e"])
    assert row is not None
    assert row.name == "Human experts (mean of 5)"
    assert row.estimate.accuracy == Fraction(1, 4)


def test_people_are_averaged_within_each_first() -> None:
    row = people(["++++", "+---", "+---", "----", "++--"])
    assert row is not None
    assert row.estimate.accuracy == Fraction(1 + 0 + 2 + 1 + 4, 20)
    assert row.estimate.interval.low == pytest.approx(max(0, 0.4 - 2.776445 * 0.3791438 / 5**0.5), abs=1e-6)
    assert row.estimate.outcomes["right"] == 8


def test_people_under_a_topic_are_those_of_the_whole_set() -> None:
    row = people([*["++--"] * 5, "++- "], columns=range(2), filtered=True)
    assert row is not None
    assert row.estimate.accuracy == 1
    assert row.people is not None
    assert row.people.n == 5


def test_names_that_begin_alike_do_not_share_a_bar() -> None:
    beginning = "a-model-that-has-a-very-long-name-"
    matrix = matrix_of({"x": ["+-"], "y": ["--"], "z": ["-+"]})
    named = [("x", f"{beginning}one"), ("y", f"{beginning}two"), ("z", "short")]
    systems = {n: SystemFacts(slug, name, "", "model", is_demo=False) for n, (slug, name) in enumerate(named)}
    rows = ranked(system_rows(matrix, systems=systems, columns=np.arange(2), topics=[]))
    assert {row.slug for row in rows if row.name_repeats} == {"x", "y"}
    assert len({label(row) for row in rows}) == 3
