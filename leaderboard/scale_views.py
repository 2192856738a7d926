"""Systems and people on one scale: for everybody where the set is open, otherwise for staff who may see verdicts."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from leaderboard.csv_files import csv_response
from leaderboard.payloads import flag
from leaderboard.question_views import DECIMALS, ROBOTS, for_who_may_read_questions
from leaderboard.questions import is_public
from leaderboard.scale import FEWEST_ANSWERS, FEWEST_SYSTEMS, Placement, placement_of
from leaderboard.scale_charts import n_drawn, scale_chart, scale_chart_height
from leaderboard.selectors.assets import chart_script_url
from leaderboard.views import explains_bad_queries, whole_choices

CSV_FIELDS = (
    "slug",
    "name",
    "kind",
    "is_demo",
    "status",
    "n_people",
    "n_answered",
    "accuracy",
    "ability",
    "ability_error",
    "expected_share",
    "expected_low",
    "expected_high",
    "makes_the_scale",
)


@require_safe
@gzip_page
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def scale(request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
    """Show the ability of systems and of people as groups, whatever part of the set they answered."""
    found = placement_of(question_set=question_set, **whole_choices(request))
    context = {
        "found": found,
        "board": found.board,
        "rules": rule_names(),
        "fewest_systems": FEWEST_SYSTEMS,
        "fewest_answers": FEWEST_ANSWERS,
        "is_public": is_public(question_set),
        "robots": ROBOTS,
        "chart_script": chart_script_url(),
        "chart_height": scale_chart_height(found),
        "n_charted": n_drawn(found),
        "page": "board",
    }
    return render(request, "leaderboard/scale.html", context)


@require_safe
@gzip_page
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def chart(request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
    """Return the abilities as Plotly JSON."""
    return JsonResponse(scale_chart(placement_of(question_set=question_set, **whole_choices(request))))


@require_safe
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def scale_csv(request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
    """Return the table of the page as CSV, safe in spreadsheets."""
    found = placement_of(question_set=question_set, **whole_choices(request))
    return csv_response(f"{question_set.slug}-scale.csv", CSV_FIELDS, _lines(found))


def _lines(found: Placement) -> Iterator[list[Any]]:
    for placed in found.systems:
        row, bounds = placed.row, placed.expected_bounds
        share = None if row.estimate.accuracy is None else float(row.estimate.accuracy)
        yield [
            *(row.slug, row.name, row.kind, flag(row.is_demo)),
            *("complete" if row.is_complete else "incomplete", None),
            *(placed.n_answered, share),
            *(round(figure, DECIMALS) for figure in (placed.ability, placed.ability_error, placed.expected)),
            *(round(bound, DECIMALS) for bound in bounds),
            "yes" if placed.helps else "no",
        ]
    for people in found.people:
        row, ability = people.row, people.found
        yield [
            *(row.slug, row.name, row.kind, flag(row.is_demo)),
            *("complete", ability.n_people, people.n_asked),
            *(float(row.estimate.accuracy or 0), ability.mean, ability.standard_error, ability.expected_score),
            *(ability.interval.low, ability.interval.high, "no"),
        ]
