"""Shares of a block by simulation: how evenly answers gather, and what happens when people stop."""

import random

import numpy as np
import pytest

from survey.drawing.orders import attention_places_draw
from survey.drawing.shares import shares_draw, topic_quotas
from tests.balanced_simulation import N_QUESTIONS, SHARE, TOPIC_OF, TOPIC_SIZES, next_share, shares

TOPICS = range(len(TOPIC_SIZES))


def spreads(counts: np.ndarray) -> np.ndarray:
    """Return the greatest less the least count within each topic, of shape (runs, topics)."""
    return np.stack([np.ptp(counts[:, topic == TOPIC_OF], axis=1) for topic in TOPICS], axis=1)


@pytest.mark.parametrize("people", [30, 60, 120])
def test_answers_gather_evenly_after_every_person(people: int) -> None:
    given = shares(runs=20, people=people, generator=np.random.default_rng(people))
    assert (given.sum(axis=2) == SHARE).all()
    counts = given.cumsum(axis=1, dtype=np.int64)
    for person in range(people):
        assert spreads(counts[:, person]).max() <= 1
        in_topic = np.stack([counts[:, person][:, topic == TOPIC_OF].sum(axis=1) for topic in TOPICS], axis=1)
        expected = (person + 1) * SHARE * np.array(TOPIC_SIZES) / N_QUESTIONS
        assert np.abs(in_topic - expected).max() < 1


def test_pairs_of_people_overlap_on_many_questions() -> None:
    given = shares(runs=1, people=60, generator=np.random.default_rng(1))[0].astype(np.int64)
    common = (given @ given.T)[np.triu_indices(60, k=1)]
    # Each question is answered by 7 or 8 of the 60; two people who draw one after the other share least.
    assert common.mean() == pytest.approx(N_QUESTIONS * 7.63 * 6.63 / (60 * 59), rel=0.01)
    assert np.median(common) == 3
    assert (common > 0).mean() > 0.85
    assert 7 <= given.sum(axis=0).min() <= given.sum(axis=0).max() <= 8


@pytest.mark.parametrize("seed", range(40))
def test_topics_keep_their_share_whatever_their_sizes(seed: int) -> None:
    generator = random.Random(seed)
    sizes = np.array([generator.choice([1, 1, 2, 3, 5, 8, 13, 30]) for _ in range(generator.randint(2, 8))])
    size = generator.randint(1, int(sizes.sum()) - 1)
    given = np.zeros((1, sizes.size), dtype=np.int64)
    for person in range(1, 50):
        quotas = topic_quotas(given=given, sizes=sizes, size=size, capacity=sizes[np.newaxis])
        assert quotas.sum() == size
        assert (quotas <= sizes).all()
        given += quotas
        assert np.abs(given - person * size * sizes / sizes.sum()).max() < 1


def test_topic_that_fell_behind_comes_first() -> None:
    sizes = np.array([10, 10])
    quotas = topic_quotas(given=np.array([[9, 5]]), sizes=sizes, size=4, capacity=sizes[np.newaxis])
    assert quotas.tolist() == [[0, 4]]


@pytest.mark.parametrize(("size", "n_given"), [(3, 3), (8, 8), (9, 8), (10, 8), (50, 8)])
def test_never_more_than_there_is_for_somebody(size: int, n_given: int) -> None:
    available = np.array([[True] * 8 + [False] * 2])
    chosen = shares_draw(
        counts=np.zeros((1, 10), dtype=np.int64),
        topic_of=np.array([0] * 5 + [1] * 5),
        size=size,
        keys=np.zeros((1, 10)),
        available=available,
    )
    assert chosen.sum() == n_given
    assert not chosen[~available].any()


def test_least_answered_questions_come_first_and_keys_break_ties() -> None:
    chosen = shares_draw(
        counts=np.array([[2, 1, 1, 0, 1]]),
        topic_of=np.zeros(5, dtype=np.int64),
        size=2,
        keys=np.array([[0.0, 0.9, 0.1, 0.99, 0.5]]),
        available=np.ones((1, 5), dtype=np.bool_),
    )
    assert np.flatnonzero(chosen[0]).tolist() == [2, 3]


# People who stop


def with_dropouts(*, runs: int, people: int, stop: float, lag: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return answers per question with what people left given again, and without, each of shape (runs, questions).

    So many of the people stop after a number of questions that is equally likely to be anything below their share;
    `lag` people draw before it is noticed.
    """
    results = []
    for gives_again in (True, False):
        generator = np.random.default_rng(seed)
        covered = np.zeros((runs, N_QUESTIONS), dtype=np.int64)
        answered = covered.copy()
        left: list[np.ndarray] = []
        for person in range(people):
            share = next_share(covered, generator)
            order = np.where(share, generator.random(share.shape), np.inf).argsort(axis=1).argsort(axis=1)
            stops = generator.random((runs, 1)) < stop
            answers = share & (order < np.where(stops, generator.integers(0, SHARE, (runs, 1)), SHARE))
            covered += share
            answered += answers
            left.append(share & ~answers)
            if gives_again and person >= lag:
                covered -= left[person - lag]
        results.append(answered)
    return results[0], results[1]


@pytest.mark.parametrize("people", [30, 60, 120])
def test_what_people_left_is_given_to_others(people: int) -> None:
    again, never = with_dropouts(runs=50, people=people, stop=0.4, lag=5, seed=people)
    # What the last few left is not answered yet, so the guarantee of 1 becomes 2 for most topics, 3 at the worst.
    assert np.median(spreads(again)) <= 2
    assert spreads(again).max() <= 3
    assert spreads(again).mean() < 0.8 * spreads(never).mean()
    assert again.min(axis=1).mean() > never.min(axis=1).mean()


# Attention checks


@pytest.mark.parametrize(
    ("n_questions", "every", "n_checks"), [(30, 10, 3), (39, 10, 3), (9, 10, 0), (4, 1, 4), (0, 3, 0)]
)
def test_one_attention_check_falls_in_each_full_stretch(n_questions: int, every: int, n_checks: int) -> None:
    seen = set()
    for seed in range(60):
        places = attention_places_draw(n_questions=n_questions, every=every, generator=random.Random(seed))
        assert len(places) == n_checks
        for stretch, place in enumerate(places):
            assert stretch * every < place <= (stretch + 1) * every
        seen.update(places)
    assert seen == set(range(1, n_checks * every + 1))
