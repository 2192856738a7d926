"""The item response model against what its answers were drawn from."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from leaderboard.statistics import fit_item_response
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
