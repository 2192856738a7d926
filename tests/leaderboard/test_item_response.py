"""The item response model against what its answers were drawn from."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from leaderboard.statistics import fit_item_response, group_ability, known_abilities
from tests.statistics_simulation import item_response_recovery


def test_abilities_are_recovered() -> None:
    found = item_response_recovery(entrants=100, questions=500, answers=500)
    assert found.correlation > 0.97
    assert found.within_interval > 0.9


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_error_is_smaller_than_that_of_raw_means_where_people_answered_a_part(seed: int) -> None:
    found = item_response_recovery(entrants=90, questions=236, answers=30, complete=30, seed=seed)
    assert found.model_error < found.raw_error


def test_questions_are_recovered() -> None:
    generator = np.random.default_rng(1)
    ability, difficulty = generator.normal(size=(400, 1)), np.linspace(-1.5, 1.5, 60)
    slope = np.tile([0.6, 1.0, 1.6], 20)
    model = fit_item_response((generator.random((400, 60)) < expit(slope * (ability - difficulty))).astype(float))
    assert model.has_converged
    assert np.corrcoef(model.difficulty, difficulty)[0, 1] > 0.98
    assert np.abs(model.difficulty - difficulty).mean() < 0.25
    assert [model.discrimination[place::3].mean() for place in range(3)] == pytest.approx([0.6, 1.0, 1.6], abs=0.2)


def test_the_posterior_is_that_of_the_model() -> None:
    generator = np.random.default_rng(2)
    values = generator.integers(0, 2, (12, 9)).astype(float)
    values[0, :4] = np.nan
    model = fit_item_response(values)
    points = np.linspace(-8, 8, 20_001)
    chance = expit(model.discrimination * (points[:, np.newaxis] - model.difficulty))
    likelihood = np.where(values[0] == 1, chance, 1 - chance)[:, 4:].prod(axis=1) * norm.pdf(points)
    weights = likelihood / likelihood.sum()
    mean = weights @ points
    assert model.ability[0] == pytest.approx(mean, abs=1e-6)
    assert model.ability_error[0] == pytest.approx(np.sqrt(weights @ (points - mean) ** 2), abs=1e-6)
    assert model.expected_score[0] == pytest.approx(weights @ chance.mean(axis=1), abs=1e-6)


def test_fewer_answers_are_less_certain_and_none_say_nothing() -> None:
    values = np.random.default_rng(3).integers(0, 2, (20, 80)).astype(float)
    values[0] = np.nan
    values[1, 10:] = np.nan
    model = fit_item_response(values)
    assert np.isnan([model.ability[0], model.ability_error[0], model.expected_score[0]]).all()
    assert model.ability_error[1] > model.ability_error[2:].max()


def test_what_all_have_right_or_wrong_or_nobody_was_asked_has_a_difficulty() -> None:
    values = np.random.default_rng(4).integers(0, 2, (15, 30)).astype(float)
    values[:, 0], values[:, 1], values[:, 2], values[5] = 1, 0, np.nan, 1
    model = fit_item_response(values)
    assert model.has_converged
    assert np.isfinite(model.difficulty).all()
    assert model.difficulty[0] < model.difficulty[3:].min() < model.difficulty[3:].max() < model.difficulty[1]
    assert model.ability.argmax() == 5


def simulated(generator: np.random.Generator, ability: np.ndarray, slope: np.ndarray, level: np.ndarray) -> np.ndarray:
    chance = expit(slope * (ability[:, np.newaxis] - level))
    return (generator.random(chance.shape) < chance).astype(float)


def test_questions_answered_alike_have_the_figures_of_each_alone() -> None:
    values = np.random.default_rng(6).integers(0, 2, (8, 20)).astype(float)
    values[0, 3] = np.nan
    model = fit_item_response(np.concatenate([values, values[:, [3, 5, 5]]], axis=1))
    for copy, first in ((20, 3), (21, 5), (22, 5)):
        assert model.difficulty[copy] == model.difficulty[first]
        assert model.difficulty_error[copy] == model.difficulty_error[first]
    assert len(set(model.difficulty[:20])) > 10


def test_the_error_of_a_difficulty_is_how_far_it_lies_from_the_truth() -> None:
    generator = np.random.default_rng(7)
    slope, level = np.tile([0.8, 1.2], 40), np.linspace(-1.5, 1.5, 80)
    model = fit_item_response(simulated(generator, generator.normal(size=300), slope, level))
    distances = (model.difficulty - level) / model.difficulty_error
    assert 0.7 < np.sqrt((distances**2).mean()) < 1.4


def test_known_questions_give_those_who_made_them_known_the_abilities_they_had() -> None:
    values = np.random.default_rng(8).integers(0, 2, (12, 40)).astype(float)
    model = fit_item_response(values)
    again = known_abilities(values, model.difficulty, model.discrimination)
    assert again.ability == pytest.approx(model.ability, abs=1e-9)
    assert again.expected_score_error == pytest.approx(model.expected_score_error, abs=1e-9)


@pytest.mark.parametrize("asked", [30, 120])
def test_the_mean_of_a_group_is_held_however_few_questions_each_was_asked(asked: int) -> None:
    generator = np.random.default_rng(9)
    slope, level = np.exp(generator.normal(scale=0.3, size=120)), generator.normal(size=120)
    held, shares, means = [], [], []
    for _ in range(40):
        values = simulated(generator, generator.normal(-0.8, 0.5, size=12), slope, level)
        for person in values:
            person[generator.permutation(120)[asked:]] = np.nan
        found = group_ability(values, level, slope)
        means.append(found.mean)
        held.append(abs(found.mean + 0.8) < 1.96 * found.standard_error)
        shares.append(found.interval.low < expit(slope * (-0.8 - level)).mean() + 0.01 < found.interval.high)
    assert np.mean(means) == pytest.approx(-0.8, abs=0.07)
    assert np.mean(held) > 0.85
    assert np.mean(shares) > 0.85


def test_a_group_of_nobody_has_no_ability() -> None:
    found = group_ability(np.full((2, 3), np.nan), np.zeros(3), np.ones(3))
    assert found.n_people == 0
    assert np.isnan(found.mean)


@pytest.mark.parametrize(("n_questions", "n_other"), [(30, 0), (236, 0), (236, 1)])
@pytest.mark.parametrize("said", [0.0, 1.0])
def test_people_at_the_end_of_the_scale_have_no_ability(n_questions: int, n_other: int, said: float) -> None:
    values = np.full((12, n_questions), said)
    values[:, :n_other] = 1 - said
    found = group_ability(values, np.linspace(-1, 1, n_questions), np.ones(n_questions))
    assert found.n_people == 12
    assert np.isnan([found.mean, found.standard_error, found.expected_score, *found.interval]).all()


@pytest.mark.parametrize(("n_questions", "n_people"), [(200, 10), (40, 6), (20, 30), (40, 200)])
def test_people_who_are_all_alike_are_as_sure_as_their_answers(n_questions: int, n_people: int) -> None:
    level, slope = np.linspace(-1, 1, n_questions), np.ones(n_questions)
    values = np.tile((np.arange(n_questions) % 4 > 0).astype(float), (n_people, 1))
    found = group_ability(values, level, slope)
    assert expit(found.mean - level).mean() == pytest.approx(0.75, abs=0.002)
    chance = expit(found.mean - level)
    assert found.standard_error == pytest.approx((n_people * (chance * (1 - chance)).sum()) ** -0.5, rel=0.15)
