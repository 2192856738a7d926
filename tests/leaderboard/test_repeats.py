"""A system asked several times: one figure a question, its spread, and no rank while a repeat is missing."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from django.test import Client

from leaderboard.statistics import bootstrap_interval, repeated_interval, repeated_intervals, repeats, wilson_interval
from tests.leaderboard.factories import make_run, make_system

BOARD = "/api/v1/leaderboard/small/"
# 8, 6 and 7 of 10 right: 21 of 30 answers, and no more than 10 questions.
THREE = ["++++++++--", "++++++----", "+++++++---"]


@pytest.fixture
def results(small_set: Any) -> Any:
    make_run(make_system(slug="thrice", name="Thrice"), small_set, THREE)
    make_run(make_system(slug="once", name="Once"), small_set, "+++++++---")
    make_run(make_system(slug="short", name="Short"), small_set, ["++++++++++", "+++++++++ "])
    make_run(make_system(slug="failed", name="Failed"), small_set, ["++++++++++", "e+++++++++"])
    return small_set


def rows(client: Client) -> dict[str, Any]:
    return {row["slug"]: row for row in client.get(BOARD).json()["rows"]}


def test_the_mean_over_questions_of_the_mean_over_repeats_with_its_spread(client: Client, results: Any) -> None:
    row = rows(client)["thrice"]
    assert (row["accuracy"], row["n_questions"], row["n_scored"], row["repeats"]) == (0.7, 10, 10, 3)
    assert (row["repeat_low"], row["repeat_high"]) == (0.6, 0.8)
    assert row["repeat_sd"] == pytest.approx(0.1)
    assert (row["outcomes"]["right"], row["outcomes"]["wrong"]) == (21, 9)
    assert row["ci_low"] < 0.5
    assert row["ci_high"] > 0.85


def test_a_tie_of_one_repeat_and_several_is_a_tie(client: Client, results: Any) -> None:
    found = rows(client)
    assert (found["thrice"]["rank"], found["once"]["rank"]) == (1, 1)
    assert [found["once"][name] for name in ("repeat_low", "repeat_high", "repeat_sd")] == [None, None, None]
    # Three repeats of ten questions tell less than thirty questions would.
    widths = {slug: found[slug]["ci_high"] - found[slug]["ci_low"] for slug in ("once", "thrice")}
    assert widths["thrice"] > 0.8 * widths["once"]


@pytest.mark.parametrize("slug", ["short", "failed"])
def test_a_missing_or_failed_repeat_makes_the_result_incomplete(client: Client, results: Any, slug: str) -> None:
    row = rows(client)[slug]
    assert (row["status"], row["rank"], row["accuracy"], row["withheld"]) == ("incomplete", None, None, "incomplete")
    assert (row["n_questions"], row["n_scored"], row["repeat_low"]) == (10, 9, None)


def test_pages_and_file_say_it_too(client: Client, results: Any) -> None:
    board = client.get("/leaderboard/small/").content.decode()
    assert "single repeats 60.0% to 80.0%" in board
    system = client.get("/systems/thrice/").content.decode()
    assert "3 repeats: 60.0% to 80.0%, standard deviation 10.0%" in system
    table = list(csv.DictReader(io.StringIO(client.get("/api/v1/leaderboard/small.csv").content.decode())))
    line = next(line for line in table if line["slug"] == "thrice")
    assert (line["repeats"], line["repeat_low"], line["repeat_high"], line["accuracy"]) == ("3", "0.6", "0.8", "0.7")
    once = next(line for line in table if line["slug"] == "once")
    assert (once["repeats"], once["repeat_sd"]) == ("1", "")


def test_intervals_are_to_the_last_digit_the_same_alone_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(5)
    shapes = [(3, 40), (5, 40), (5, 40), (2, 7), (4, 1)]
    rights = [draw.random(shape) < 0.6 for shape in shapes] + [np.ones((3, 40), dtype=np.bool_), np.zeros((2, 40)) > 0]
    monkeypatch.setattr(repeats, "_known", {})
    together = repeated_intervals(rights)
    for _ in range(2):
        assert repr([repeated_interval(is_right) for is_right in rights]) == repr(together)
        repeats._known.clear()
    for is_right, interval in zip(rights[:4], together, strict=False):
        assert interval == pytest.approx(bootstrap_interval(is_right.mean(axis=0)), abs=1e-12)
    assert together[5:] == [wilson_interval(40, 40), wilson_interval(0, 40)]


def test_what_was_worked_out_is_forgotten_before_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "_known", {})
    monkeypatch.setattr(repeats, "_MOST_KNOWN", 3)
    draw = np.random.default_rng(6)
    rights = [draw.random((2, 20)) < 0.5 for _ in range(5)]
    first = [repeated_interval(is_right) for is_right in rights]
    assert len(repeats._known) <= 3
    assert [repeated_interval(is_right) for is_right in rights] == first
