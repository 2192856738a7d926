"""Where entrants stand: letters, ranks and blocks."""

import numpy as np
import pytest

from leaderboard.standing import Contender, letter_text, standings
from leaderboard.statistics import coarse_pair, compare_pair, paired_table, sign_flip_p_value, wilson_interval
from leaderboard.statistics.paired import _sign_flip_approximation


def contender(slug: str, letters: str, *, paired: bool = True) -> Contender:
    means = np.array([letter == "+" for letter in letters], dtype=np.float64)
    return Contender(slug, wilson_interval(int(means.sum()), means.size), means if paired else None)


def test_near_ties_share_a_letter_and_both_ranks() -> None:
    """LB-04: 61.5 % and 61.0 % of 200 questions, whatever questions they are right on: not claimed different."""
    first = contender("a", "+" * 123 + "-" * 77)
    for other in ("+" * 122 + "-" * 78, "-" * 78 + "+" * 122):
        found = standings([first, contender("b", other), contender("c", "-" * 200)])
        assert [found[slug].letters for slug in "abc"] == [("a",), ("a",), ("b",)]
        assert [found[slug][:2] for slug in "abc"] == [(1, 2), (1, 2), (3, 3)]
        assert [found[slug].block for slug in "abc"] == [1, 1, 2]


def test_common_questions_tell_apart_what_intervals_do_not() -> None:
    better, worse = contender("a", "+" * 130 + "-" * 70), contender("b", "+" * 110 + "-" * 90)
    assert worse.interval is not None
    assert better.interval is not None
    assert worse.interval[1] > better.interval[0]
    by_question = standings([better, worse])
    assert [by_question[slug].letters for slug in "ab"] == [("a",), ("b",)]
    assert [by_question[slug][:2] for slug in "ab"] == [(1, 1), (2, 2)]
    by_interval = standings([better, Contender("b", worse.interval)])
    assert [by_interval[slug].letters for slug in "ab"] == [("a",), ("a",)]
    assert [by_interval[slug][:2] for slug in "ab"] == [(1, 2), (1, 2)]


def test_who_stands_between_two_that_are_told_apart_may_belong_to_both() -> None:
    found = standings(
        [contender("a", "+" * 60 + "-" * 40), contender("b", "+" * 54 + "-" * 46), contender("c", "+" * 48 + "-" * 52)]
    )
    assert [found[slug].letters for slug in "abc"] == [("a",), ("a", "b"), ("b",)]
    assert [found[slug].block for slug in "abc"] == [1, 1, 2]


def test_people_are_compared_by_their_interval() -> None:
    rows = [contender("a", "+" * 90 + "-" * 10), Contender("people", (0.45, 0.55)), contender("b", "+" * 52 + "-" * 48)]
    found = standings(rows)
    assert [found[slug].letters for slug in ("a", "people", "b")] == [("a",), ("b",), ("b",)]
    assert [found[slug][:2] for slug in ("a", "people", "b")] == [(1, 1), (2, 3), (2, 3)]


def test_who_has_no_interval_can_be_told_apart_from_nobody() -> None:
    found = standings([Contender("people", None), contender("a", "+" * 20)])
    assert found["people"] == (1, 2, 1, ("a",))
    assert standings([]) == {}


@pytest.mark.parametrize(
    ("letters", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", "b"), "a, b"),
        (("a", "c", "d", "e"), "a, c–e"),
        (("y", "z", "aa", "ab"), "y–ab"),
    ],
)
def test_letters_in_a_row_are_written_as_a_range(letters, text) -> None:
    assert letter_text(letters) == text


def test_a_pair_of_which_one_was_asked_several_times_has_the_sign_flip_test() -> None:
    generator = np.random.default_rng(3)
    means = np.concatenate([generator.integers(0, 2, (2, 40)), generator.integers(0, 4, (1, 40)) / 3])
    table = paired_table(means, np.array([1, 1, 3]))
    assert table[0, 2] == table[2, 0] == sign_flip_p_value(means[0], means[2], 3)
    assert table[0, 1] == sign_flip_p_value(means[0], means[1], 1)
    assert np.isnan(np.diag(table)).all()


def test_the_approximation_of_many_pairs_is_near_the_exact_test() -> None:
    means = np.random.default_rng(4).integers(0, 6, (6, 236)) / 5
    exact, near = paired_table(means, np.full(6, 5)), _sign_flip_approximation(means)
    upper = np.triu_indices(6, k=1)
    assert np.abs(exact[upper] - near[upper]).max() < 0.03
    assert _sign_flip_approximation(np.array([[1.0, 0.2], [1.0, 0.2]]))[0, 1] == 1.0


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_coarse_pair_keeps_the_difference_and_never_sharpens_the_test(repeats) -> None:
    generator = np.random.default_rng(repeats)
    for _ in range(60):
        n = int(generator.integers(1, 60))
        first, second = generator.binomial(repeats, generator.random((2, 1)), (2, n)) / repeats
        coarse = coarse_pair(first, second, 5)
        assert all(((row >= 0) & (row <= 1)).all() and row.size == n for row in coarse)
        assert (coarse[0] - coarse[1]).sum() == pytest.approx((first - second).sum(), abs=1e-9)
        if repeats == 1:
            assert compare_pair(*coarse).p_value >= compare_pair(first, second).p_value - 1e-9
        else:
            assert ((coarse[0] - coarse[1]) ** 2).sum() >= ((first - second) ** 2).sum() - 1.0


@pytest.mark.parametrize("right_elsewhere", range(0, 40, 3))
def test_who_knows_the_only_right_answer_of_one_does_not_learn_that_of_another(right_elsewhere) -> None:
    known = np.array([1.0] + [0.0] * 49)
    common = [1.0] * right_elsewhere + [0.0] * (48 - right_elsewhere)
    others = [np.array([bit, *common, 1.0 - bit]) for bit in (1.0, 0.0)]
    assert len({compare_pair(known, other).worse for other in others}) == 2, "the exact test would tell"
    (one, other) = (coarse_pair(known, row, 5) for row in others)
    assert all((left == right).all() for left, right in zip(one, other, strict=True))
