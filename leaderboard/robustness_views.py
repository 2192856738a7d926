"""How far results depend on the questions asked. On sets that are not open, errors by source are for some staff."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.answer_admin import KEY_PERMISSION
from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from leaderboard.csv_files import csv_response
from leaderboard.payloads import flag
from leaderboard.question_views import for_who_may_read_questions, may_read_questions
from leaderboard.questions import is_public
from leaderboard.robustness import Agreement, Robustness, robustness_of
from leaderboard.statistics import SetAgreement
from leaderboard.views import explains_bad_queries, set_or_404, whole_choices

SOURCE_FIELDS = (
    "slug",
    "name",
    "is_demo",
    "n_questions",
    "n_sources",
    "accuracy",
    "standard_error",
    "standard_error_by_source",
    "ci_low_by_source",
    "ci_high_by_source",
)
AGREEMENT_FIELDS = (
    "small_set",
    "full_set",
    "compared_with",
    "n_small",
    "n_compared",
    "n_systems",
    "spearman",
    "kendall",
    "mean_absolute_difference",
    "largest_difference",
)
SYSTEM_FIELDS = (
    "small_set",
    "full_set",
    "n_small",
    "n_full",
    "n_rest",
    "slug",
    "name",
    "is_demo",
    "small",
    "full",
    "rest",
    "small_rank",
    "full_rank",
)


def asked(request: HttpRequest, slug: str) -> Robustness:
    """Return what the address asks for. Raise `BadQueryError`."""
    choices = whole_choices(request)
    return robustness_of(question_set=set_or_404(slug), rule=choices["rule"], fallback=choices["fallback"])


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def robustness(request: HttpRequest, slug: str) -> HttpResponse:
    """Show errors by source, and how smaller and larger sets of the benchmark agree."""
    question_set = set_or_404(slug)
    tells_verdicts = may_read_questions(request, question_set)
    found = robustness_of(question_set=question_set, tells_verdicts=tells_verdicts, **whole_choices(request))
    context = {
        "found": found,
        "board": found.board,
        "rules": rule_names(),
        "permission": KEY_PERMISSION,
        "page": "board",
    }
    response = render(request, "leaderboard/robustness.html", context)
    if tells_verdicts and not is_public(question_set):
        add_never_cache_headers(response)
    return response


@require_safe
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def sources_csv(request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
    """Return the errors by source as CSV, safe in spreadsheets."""
    found = robustness_of(question_set=question_set, tells_verdicts=True, **whole_choices(request))
    return csv_response(f"{question_set.slug}-sources.csv", SOURCE_FIELDS, _source_lines(found))


@require_safe
@conditional_page
@explains_bad_queries
def agreement_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the agreement of the set with others as CSV, a line for each comparison."""
    found = asked(request, slug)
    lines = (line for each in found.agreements for line in _agreement_lines(each))
    return csv_response(f"{slug}-agreement.csv", AGREEMENT_FIELDS, lines)


@require_safe
@conditional_page
@explains_bad_queries
def systems_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the systems that answered both sets as CSV, a line for each pair of sets and system."""
    lines = (
        [
            each.small.slug,
            each.full.slug,
            each.n_small,
            each.n_full,
            each.n_rest,
            line.row.slug,
            line.row.name,
            flag(line.row.is_demo),
            float(line.small),
            float(line.full),
            line.rest,
            line.small_rank,
            line.full_rank,
        ]
        for each in asked(request, slug).agreements
        for line in each.systems
    )
    return csv_response(f"{slug}-on-both.csv", SYSTEM_FIELDS, lines)


def _source_lines(found: Robustness) -> Iterator[list[Any]]:
    for each in found.sources.systems:
        by_source = each.found
        yield [
            each.row.slug,
            each.row.name,
            flag(each.row.is_demo),
            by_source.n_questions,
            by_source.n_clusters,
            by_source.mean,
            by_source.plain_standard_error,
            each.error,
            *(each.bounds or (None, None)),
        ]


def _agreement_lines(found: Agreement) -> Iterator[list[Any]]:
    yield [found.small.slug, found.full.slug, "full", found.n_small, found.n_full, *_figures(found.whole)]
    if found.rest is not None:
        yield [found.small.slug, found.full.slug, "rest", found.n_small, found.n_rest, *_figures(found.rest)]


def _figures(found: SetAgreement) -> list[float | int | None]:
    return [None if value != value else value for value in found]
