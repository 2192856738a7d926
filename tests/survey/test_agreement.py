"""Agreement between people: Krippendorff's alpha against published figures and a kept library."""

import krippendorff
import numpy as np
import pytest

from survey.statistics import krippendorff_alpha

N = float("nan")

# K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): sections A, B and C; None is not answered.
TWO_PEOPLE_BINARY = ("0100000000", "1110010100")
TWO_PEOPLE_NOMINAL = ("aabbdcccedda", "babbbccceddd")
FOUR_PEOPLE_MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def pairs(rows: tuple[str, ...]) -> tuple[list[int], list[str]]:
    found = [(unit, value) for row in rows for unit, value in enumerate(row) if value != "."]
    return [unit for unit, _ in found], [value for _, value in found]


@pytest.mark.parametrize(
    ("rows", "alpha", "n_questions", "n_answers"),
    [
        (TWO_PEOPLE_BINARY, 0.095, 10, 20),
        (TWO_PEOPLE_NOMINAL, 0.692, 12, 24),
        (FOUR_PEOPLE_MISSING, 0.743, 11, 40),
    ],
)
def test_published_figures(rows: tuple[str, ...], alpha: float, n_questions: int, n_answers: int) -> None:
    found = krippendorff_alpha(*pairs(rows))
    assert round(found.alpha, 3) == alpha
    assert (found.n_questions, found.n_answers) == (n_questions, n_answers)


@pytest.mark.parametrize("seed", range(6))
def test_same_as_the_library_on_random_answers(seed: int) -> None:
    generator = np.random.default_rng(seed)
    table = generator.integers(0, 4, size=(7, 30)).astype(float)
    table[:, generator.random(30) < 0.5] = 1
    table[generator.random(table.shape) < 0.4] = np.nan
    person, unit = np.nonzero(~np.isnan(table))
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="nominal")
    assert krippendorff_alpha(unit, table[person, unit]).alpha == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rows", "alpha"),
    [(("abc", "abc"), 1.0), (("aaa", "aaa"), N), (("abc", "..."), N), (("ab", "ba"), -0.5), (("", ""), N)],
)
def test_edges(rows: tuple[str, ...], alpha: float) -> None:
    assert krippendorff_alpha(*pairs(rows)).alpha == pytest.approx(alpha, nan_ok=True)
