"""The page about people: aggregates of them only."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.scoring.rules import rule_names
from leaderboard.boards import SMALL_TOPIC
from leaderboard.csv_files import csv_response
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE
from leaderboard.humans import Humans, humans_of
from leaderboard.payloads import flag
from leaderboard.selectors.boards import people_rule
from leaderboard.views import explains_bad_queries, set_or_404, whole_choices

CSV_FIELDS = (
    "slug",
    "name",
    "kind",
    "is_demo",
    "n_questions",
    "n_people",
    "accuracy",
    "ci_low",
    "ci_high",
    "beats_low",
    "beats_high",
)


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def humans(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what people can do on a set, and which of them systems beat, as far as it tells of nobody in particular."""
    found = humans_of(question_set=set_or_404(slug), **whole_choices(request))
    context = {
        "humans": found,
        "board": found.board,
        "people_rule": people_rule(),
        "people_minimum": people_rule().minimum_for_mean,
        "rules": rule_names(),
        "small": SMALL_TOPIC,
        "smallest_group_of_people": SMALLEST_GROUP_OF_PEOPLE,
        "page": "board",
    }
    return render(request, "leaderboard/humans.html", context)


@require_safe
@conditional_page
@explains_bad_queries
def humans_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the means of people, and which share of them each system beats, as CSV, safe in spreadsheets."""
    found = humans_of(question_set=set_or_404(slug), **whole_choices(request))
    return csv_response(f"{slug}-humans.csv", CSV_FIELDS, _lines(found))


def _lines(found: Humans) -> Iterator[list[Any]]:
    bands = {line.row.slug: line.band for line in found.beaten}
    for row in (*found.rows, *(line.row for line in found.beaten)):
        band, estimate = bands.get(row.slug), row.estimate
        n_people = row.people.n if row.people else band and band.n_people
        accuracy = None if estimate.accuracy is None else float(estimate.accuracy)
        shares = (band.low, band.high) if band else (None, None)
        counts = (estimate.n_questions, n_people)
        entrant = (row.slug, row.name, row.kind, flag(row.is_demo))
        yield [*entrant, *counts, accuracy, *(estimate.bounds or (None, None)), *shares]
