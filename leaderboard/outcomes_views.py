"""How answers ended, by entrant and by topic. Nothing here depends on who reads."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.scoring.rules import rule_names
from leaderboard.boards import SMALL_TOPIC, Estimate, Row
from leaderboard.csv_files import csv_response
from leaderboard.matrix import OUTCOMES
from leaderboard.outcomes import CHOICES, NO_ANSWER, NO_ANSWER_SLUG, n_due, outcomes_of, parse_outcome
from leaderboard.payloads import flag
from leaderboard.queries import Board
from leaderboard.selectors.boards import people_rule
from leaderboard.selectors.shown import smallest_group
from leaderboard.views import board_of, explains_bad_queries, grouping_name

CSV_FIELDS = ("slug", "name", "kind", "is_demo", "status", "grouping", "topic", "n_questions", "n_due", "n_answers")


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def outcomes(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how the answers of each entrant ended, and those of one kind by topic."""
    chosen = parse_outcome(request.GET.get("outcome", ""))
    found = outcomes_of(board_of(request, slug, with_topics=True), chosen=chosen)
    context = {
        "outcomes": found,
        "board": found.board,
        "choices": CHOICES,
        "no_answer": NO_ANSWER_SLUG,
        "no_answer_kinds": [outcome.value for outcome in NO_ANSWER],
        "grouping_name": grouping_name(found.board),
        "small": SMALL_TOPIC,
        "smallest_group": smallest_group(found.board.question_set),
        "people_minimum": people_rule().minimum_for_mean,
        "rules": rule_names(),
        "page": "board",
    }
    return render(request, "leaderboard/outcomes.html", context)


@require_safe
@conditional_page
@explains_bad_queries
def outcomes_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return every count of the page, and its share, as CSV, safe in spreadsheets; a line for each topic."""
    board = board_of(request, slug, with_topics=True)
    names = [outcome.value for outcome in OUTCOMES]
    fields = [*CSV_FIELDS, *names, *(f"{name}_share" for name in names)]
    lines = (line for row in board.rows for line in _lines(board, row))
    return csv_response(f"{slug}-outcomes.csv", fields, lines)


def _lines(board: Board, row: Row) -> Iterator[list[Any]]:
    entrant = [row.slug, row.name, row.kind, flag(row.is_demo), "complete" if row.is_complete else "incomplete"]
    named = [("", "", row.estimate)]
    named += [(board.query.grouping, topic.name, row.topics[topic.slug]) for topic in board.topics]
    for grouping, topic, estimate in named:
        yield [*entrant, grouping, topic, estimate.n_questions, *_counts(row, estimate)]


def _counts(row: Row, estimate: Estimate) -> list[int | float | None]:
    if not estimate.outcomes:
        return [None] * (2 + 2 * len(OUTCOMES))
    n = n_due(row, estimate)
    counts = [estimate.outcomes[outcome.value] for outcome in OUTCOMES]
    return [n, sum(counts), *counts, *(count / n for count in counts)]
