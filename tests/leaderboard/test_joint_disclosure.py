"""Whatever sets and groupings there are: from all that is shown together, nothing too small can be worked out."""

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.joint_disclosure import Joint, joint_disclosure

N = 12


def joint(totals: list[range | list[int]], groups: list[range | list[int]], minimum: int, n: int = N) -> Joint:
    is_kept = np.zeros(len(groups), dtype=bool)
    return joint_disclosure(totals=rows(totals, n), groups=rows(groups, n), is_kept=is_kept, minimum=minimum)


def rows(spans: list[range | list[int]], n: int) -> np.ndarray:
    made = np.zeros((len(spans), n), dtype=bool)
    for row, span in zip(made, spans, strict=True):
        row[list(span)] = True
    return made


def follows(shown: np.ndarray, columns: tuple[int, ...]) -> bool:
    """Say by rank alone whether some result of these questions and no others follows from those shown."""
    others = np.delete(shown.astype(float), columns, axis=1)
    return bool(np.linalg.matrix_rank(others) < np.linalg.matrix_rank(shown.astype(float)))


WHOLE = range(N)
CASES = [
    pytest.param([WHOLE], [range(6), range(6, N)], 2, [True, True], id="two large ones"),
    pytest.param([WHOLE], [range(1), range(1, N)], 2, [False, False], id="one question and the rest"),
    pytest.param([WHOLE], [range(1), range(1, 4), range(4, N)], 2, [False, False, True], id="the smaller one goes"),
    pytest.param([WHOLE, range(6)], [range(3), range(2)], 2, [True, False], id="a topic on two boards"),
    pytest.param([WHOLE, range(6)], [range(4), [2, 3, 4, 6]], 2, [True, True], id="two that tell nothing"),
    pytest.param([WHOLE], [range(6), range(5)], 2, [True, False], id="two groupings that differ by a question"),
    pytest.param([WHOLE], [range(6), range(6), range(5)], 2, [True, True, False], id="shown twice"),
    pytest.param([WHOLE, range(11)], [range(4), range(4, 11)], 2, [True, True], id="totals that differ by a question"),
    pytest.param([WHOLE], [range(7), range(8)], 5, [True, False], id="people: four left over"),
    pytest.param([WHOLE], [range(7), range(5)], 5, [True, False], id="people: two boards, two questions"),
]


@pytest.mark.parametrize(("totals", "groups", "minimum", "shown"), CASES)
def test_which_groups_are_shown(totals, groups, minimum, shown) -> None:
    assert joint(totals, groups, minimum).shown.tolist() == shown


def test_totals_that_give_a_question_away_are_named_and_the_others_still_protected() -> None:
    found = joint([WHOLE, range(11)], [range(6), range(5), [11, 10]], 2)
    assert [part.tolist() for part in found.given_away] == [[11]]
    assert found.shown.tolist() == [True, False, False]


def test_groups_do_not_divide_what_the_totals_give_away() -> None:
    found = joint([range(20), range(17)], [range(10), list(range(10, 17)), [10, 11, 12, 13, 14, 17]], 5, n=20)
    assert [part.tolist() for part in found.given_away] == [[17, 18, 19]]
    assert found.shown.tolist() == [True, True, False]


def test_those_to_keep_are_shown_before_larger_ones() -> None:
    groups, is_kept = rows([range(6), range(5)], N), np.array([False, True])
    found = joint_disclosure(totals=rows([WHOLE], N), groups=groups, is_kept=is_kept, minimum=2)
    assert found.shown.tolist() == [False, True]


def _families(n_rows: int) -> st.SearchStrategy[list[list[int]]]:
    members = st.lists(st.integers(0, N - 1), min_size=1, max_size=N, unique=True)
    return st.lists(members, min_size=1, max_size=n_rows)


@settings(max_examples=150, deadline=None)
@given(totals=_families(4), groups=_families(9), minimum=st.sampled_from([2, 3, 5]))
def test_nothing_too_small_follows_from_all_that_is_shown(totals, groups, minimum) -> None:
    found = joint(totals, groups, minimum)
    assert (found.shown == joint(totals, groups, minimum).shown).all()
    known = [set(part.tolist()) for part in found.given_away]
    free = [column for column in range(N) if not any(column in part for part in known)]
    shown = np.concatenate([rows(totals, N), rows(groups, N)[found.shown]])
    # What the totals give away is known as a whole, never divided: a row of its own for each.
    for part in known:
        assert all(len(part & set(np.flatnonzero(row))) in (0, len(part)) for row in shown)
    for size in range(1, minimum):
        for columns in combinations(free, size):
            assert not follows(shown[:, free], tuple(free.index(column) for column in columns)), columns


@settings(max_examples=100, deadline=None)
@given(totals=_families(4), groups=_families(9))
def test_single_questions_hide_no_group_that_could_be_shown(totals, groups) -> None:
    found = joint(totals, groups, 2)
    if found.given_away:
        return
    shown = np.concatenate([rows(totals, N), rows(groups, N)[found.shown]])
    for group, is_shown in zip(rows(groups, N), found.shown, strict=True):
        if not is_shown and group.sum() > 1:
            more = np.concatenate([shown, group[None]])
            assert any(follows(more, (column,)) for column in range(N))


def test_a_large_bank_takes_seconds_at_most() -> None:
    random = np.random.default_rng(7)
    n = 1000
    totals = [list(range(n)), *[random.choice(n, size, replace=False).tolist() for size in (240, 120, 120, 300)]]
    labels = [random.integers(0, count, n) for count in (9, 3, 4, 9, 35)]
    groups = [
        [int(column) for column in total if label[column] == value]
        for total in totals
        for label in labels
        for value in range(label.max() + 1)
    ]
    started = time.process_time()
    found = joint(totals, groups, 5, n=n)
    assert time.process_time() - started < 10
    assert found.shown.any()
