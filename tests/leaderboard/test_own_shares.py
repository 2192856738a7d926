"""A person's own shares: what is told, and that no single verdict follows from it."""

from itertools import product

import numpy as np
import pytest

from leaderboard.own_shares import OwnGroup, OwnShare, divided, exact_shares, protected_shares


def groups(**spans: range) -> list[OwnGroup]:
    return [OwnGroup(slug, slug.title(), np.array(span)) for slug, span in spans.items()]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (OwnShare(8, 5, 5), "62.5%"),
        (OwnShare(5, 0, 1), "at most 20.0%"),
        (OwnShare(5, 4, 5), "at least 80.0%"),
        (OwnShare(50, 30, 32), "60.0% to 64.0%"),
    ],
)
def test_a_share_is_said_in_words(share, words) -> None:
    assert share.words == words


@pytest.mark.parametrize(
    ("spans", "n", "expected"),
    [
        pytest.param({}, 4, [], id="too few in all"),
        pytest.param({}, 5, [("rest", 5)], id="no topics"),
        pytest.param({"a": range(5), "b": range(5, 10)}, 10, [("a", 5), ("b", 5)], id="all in topics"),
        pytest.param({"a": range(4), "b": range(4, 10)}, 10, [("rest", 10)], id="the small one takes another along"),
        pytest.param({"a": range(4), "b": range(4, 9), "c": range(9, 20)}, 20, [("c", 11), ("rest", 9)], id="smallest"),
        pytest.param({"a": range(6), "b": range(5, 12)}, 12, [("b", 7), ("rest", 5)], id="no overlap"),
        pytest.param({"a": range(9)}, 10, [("rest", 10)], id="all but one"),
        pytest.param(
            {"a": range(3), "b": range(3, 6), "c": range(6, 8)}, 11, [("rest-1", 6), ("rest-2", 5)], id="small"
        ),
        pytest.param({"a": range(4), "b": range(3, 7)}, 9, [("rest", 9)], id="too few left over"),
        pytest.param(
            {"a": range(4), "b": range(3, 7), "c": range(6, 8)}, 13, [("rest-1", 7), ("rest-2", 6)], id="both"
        ),
    ],
)
def test_questions_are_divided_into_groups_that_do_not_overlap(spans, n, expected) -> None:
    found = divided(groups(**spans), n=n)
    assert [(group.slug, group.columns.size) for group in found] == expected
    assert sorted(column for group in found for column in group.columns) == list(range(n if expected else 0))


def test_small_topics_that_are_put_together_are_named() -> None:
    found = divided(groups(d=range(3), b=range(3, 6), c=range(6, 8)), n=11)
    assert [group.name for group in found] == ["B, C", "D, Other questions"]


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param({"a": range(3), "b": range(3, 6), "c": range(5, 9)}, id="small topics put together"),
        pytest.param({"a": range(5), "b": range(5, 12)}, id="two topics"),
        pytest.param({"a": range(7), "b": range(5, 12)}, id="overlapping"),
        pytest.param({"a": range(5), "b": range(4)}, id="one within another"),
        pytest.param({"a": range(11)}, id="all but one"),
        pytest.param({"a": range(6), "b": range(6, 11), "c": range(11, 12)}, id="one of one question"),
    ],
)
def test_no_verdict_follows_whatever_somebody_answered(spans) -> None:
    """For every way to answer, every question could be right and could be wrong with the same page."""
    n = 12
    pages: dict[object, list[tuple[bool, ...]]] = {}
    for answers in product((False, True), repeat=n):
        pages.setdefault(protected_shares(np.array(answers), groups(**spans)), []).append(answers)
    for same in pages.values():
        rights = np.array(same).sum(axis=0)
        assert ((rights > 0) & (rights < len(same))).all()


def test_exact_shares_would_tell_verdicts() -> None:
    """The check above can fail: the shares as they are tell all verdicts of somebody who has everything right."""
    shares = exact_shares(np.array([True] * 5 + [False, True]), groups(a=range(5), b=range(5, 7)))
    assert [row.share.words for row in shares.groups] == ["100.0%", "50.0%"]
    assert shares.total == OwnShare(7, 6, 6)


def test_the_whole_is_the_sum_of_what_is_told() -> None:
    shares = protected_shares(np.array([True] * 5 + [True] * 3 + [False] * 4), groups(a=range(5), b=range(5, 12)))
    assert {row.slug: (row.share.low, row.share.high) for row in shares.groups} == {"b": (3, 3), "a": (4, 5)}
    assert (shares.total.low, shares.total.high) == (7, 8)


def test_too_few_answers_have_no_share() -> None:
    assert protected_shares(np.array([True] * 4), groups(a=range(4))).total is None
    assert exact_shares(np.array([], dtype=bool), []).total is None
