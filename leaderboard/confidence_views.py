"""How sure entrants of a board say they are, and whether that holds. Nothing here depends on who reads."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.scoring.rules import rule_names
from leaderboard.boards import SMALL_TOPIC
from leaderboard.calibration import EACH_LEVEL, LEVELS
from leaderboard.confidence import MOST_DRAWN, Confidence, Stated, confidence_of
from leaderboard.confidence_charts import CHART_HEIGHT, distribution_chart, reliability_chart
from leaderboard.csv_files import csv_response
from leaderboard.payloads import flag
from leaderboard.selectors.assets import chart_script_url
from leaderboard.selectors.boards import people_rule
from leaderboard.statistics import level_probability
from leaderboard.views import explains_bad_queries, set_or_404, whole_choices

CSV_FIELDS = (
    "entrant",
    "name",
    "kind",
    "is_demo",
    "levels",
    "n",
    "portion",
    "right",
    "share_right",
    "ci_low",
    "ci_high",
    "expected_calibration_error",
    "auroc",
    "auroc_low",
    "auroc_high",
    "n_with_probability",
    "mean_probability",
)


def asked_confidence(request: HttpRequest, slug: str) -> Confidence:
    """Return what the address asks for. Raise `BadQueryError`."""
    return confidence_of(
        question_set=set_or_404(slug),
        **whole_choices(request),
        without=request.GET.get("without", ""),
        slugs=request.GET.getlist("entrant"),
    )


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def confidence(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how sure entrants say they are, level by level, and how often they are right then."""
    found = asked_confidence(request, slug)
    context = {
        "confidence": found,
        "board": found.board,
        "rules": rule_names(),
        "most": MOST_DRAWN,
        "small": SMALL_TOPIC,
        "drawn_slugs": {entrant.row.slug for entrant in found.drawn},
        "probabilities": [(level, float(level_probability(level))) for level in LEVELS],
        "people_minimum": people_rule().minimum_for_mean,
        "chart_script": chart_script_url(),
        "chart_height": CHART_HEIGHT,
        "page": "board",
    }
    return render(request, "leaderboard/confidence.html", context)


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the reliability diagram as Plotly JSON."""
    return JsonResponse(reliability_chart(asked_confidence(request, slug)))


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def distribution(request: HttpRequest, slug: str) -> HttpResponse:
    """Return how often each level was stated as Plotly JSON."""
    return JsonResponse(distribution_chart(asked_confidence(request, slug)))


@require_safe
@conditional_page
@explains_bad_queries
def levels(request: HttpRequest, slug: str) -> HttpResponse:
    """Return every figure of every entrant of the page as CSV, safe in spreadsheets."""
    found = asked_confidence(request, slug)
    lines = (line for entrant in found.entrants for line in _lines(found, entrant))
    return csv_response(f"{slug}-confidence.csv", CSV_FIELDS, lines)


def _lines(found: Confidence, entrant: Stated) -> Iterator[list[Any]]:
    """Yield the line of all levels together, with what is of all of them, and one for each level or part."""
    whole, row = entrant.calibration, entrant.row
    named = [row.slug, row.name, row.kind, flag(row.is_demo)]
    by_probability = {row.slug: against for row, against in found.against}.get(entrant.row.slug)
    n_both = by_probability.n if by_probability else None
    all_levels = f"{LEVELS[0]} to {LEVELS[-1]}"
    quality = [whole.error, whole.area_value, *(whole.area_bounds or (None, None))]
    portion = whole.n / entrant.n_answers if entrant.n_answers else None
    yield [*named, all_levels, whole.n, portion, whole.right, whole.share, None, None, *quality, n_both, None]
    is_each = tuple(cell.levels for cell in whole.cells) == EACH_LEVEL
    means = by_probability.cells if by_probability and is_each else [(None, None, None)] * len(whole.cells)
    for cell, (_, n_both, mean) in zip(whole.cells, means, strict=True):
        counts = [cell.name, cell.n, cell.portion, cell.right, cell.share, *(cell.bounds or (None, None))]
        yield [*named, *counts, None, None, None, None, n_both, mean]
