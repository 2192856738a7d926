"""A few entrants of a board side by side. Nothing but the list of single questions depends on who reads."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.answer_admin import KEY_PERMISSION, may_see_keys
from corpus.scoring.rules import rule_names
from leaderboard.boards import SMALL_TOPIC
from leaderboard.compare import (
    Comparison,
    TooFewError,
    board_to_compare,
    chosen_rows,
    comparison_of,
    question_by_question,
)
from leaderboard.compare_charts import difference_chart, difference_chart_height
from leaderboard.comparison import COARSE_STEP, FEWEST, MOST, Difference, Pair
from leaderboard.csv_files import csv_response
from leaderboard.payloads import flag
from leaderboard.queries import BadQueryError
from leaderboard.selectors.assets import chart_script_url
from leaderboard.selectors.shown import smallest_group
from leaderboard.views import explains_bad_queries, named_entrants, set_or_404, whole_choices

View = Callable[..., HttpResponseBase]
CSV_FIELDS = (
    "topic",
    "first",
    "second",
    "first_is_demo",
    "second_is_demo",
    "n_questions",
    "first_accuracy",
    "second_accuracy",
    "difference",
    "ci_low",
    "ci_high",
    "p_holm",
    "first_better",
    "second_better",
    "compared",
)


def asked_comparison(request: HttpRequest, slug: str) -> Comparison:
    """Return the comparison that the address asks for. Raise `BadQueryError`."""
    board = board_to_compare(question_set=set_or_404(slug), **whole_choices(request))
    return comparison_of(board, chosen_rows(board, named_entrants(request)))


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show two to five entrants side by side, or the form to choose them, with what is wrong with the choice."""
    board = board_to_compare(question_set=set_or_404(slug), **whole_choices(request))
    named = named_entrants(request)
    found, problem, status = None, "", 200
    try:
        found = comparison_of(board, chosen_rows(board, named))
    except TooFewError as error:
        problem = str(error)
    except BadQueryError as error:
        problem, status = str(error), 400
    known = {row.slug for row in board.rows if row.has_accuracy}
    kept = [slug for slug in dict.fromkeys(named) if slug in known][:MOST]
    context = {
        "board": board,
        "comparison": found,
        "problem": problem,
        "is_mistake": status == 400,
        "choices": [(number + 1, kept[number] if number < len(kept) else "") for number in range(MOST)],
        "fewest": FEWEST,
        "rules": rule_names(),
        "small": SMALL_TOPIC,
        "step": COARSE_STEP,
        "chart_script": chart_script_url(),
        "chart_height": difference_chart_height(found) if found else 0,
        "page": "board",
    }
    return render(request, "leaderboard/compare.html", context, status=status)


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the differences by topic as Plotly JSON."""
    return JsonResponse(difference_chart(asked_comparison(request, slug)))


@require_safe
@conditional_page
@explains_bad_queries
def differences(request: HttpRequest, slug: str) -> HttpResponse:
    """Return every difference of the page as CSV, safe in spreadsheets."""
    found = asked_comparison(request, slug)
    lines = (line for pair in found.pairs for line in _lines(found, pair))
    return csv_response(f"{slug}-compare.csv", CSV_FIELDS, lines)


def _lines(found: Comparison, pair: Pair) -> Iterator[list[Any]]:
    named = [pair.first, pair.second, *(flag(found.named[slug].is_demo) for slug in (pair.first, pair.second))]
    parts = [("", pair.whole)]
    parts += [(topic.name, pair.topics[topic.slug]) for topic in found.topics if topic.slug in pair.topics]
    for topic, difference in parts:
        yield [topic, *named, *_numbers(difference), pair.how]


def _numbers(difference: Difference) -> list[float | int | None]:
    low, high = difference.bounds or (None, None)
    return [
        difference.n,
        difference.first,
        difference.second,
        difference.difference,
        low,
        high,
        difference.p,
        difference.better,
        difference.worse,
    ]


def for_who_may_see_verdicts(view: View) -> View:
    """Let everybody in where a set's verdicts are public, else only staff who may see keys; their page is not kept."""

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str) -> HttpResponseBase:
        question_set = set_or_404(slug)
        if smallest_group(question_set) == 1:
            return view(request, slug)
        if not request.user.is_authenticated:
            response: HttpResponseBase = redirect_to_login(request.get_full_path())
        elif not (request.user.is_active and request.user.is_staff and may_see_keys(request)):
            context = {"question_set": question_set, "permission": KEY_PERMISSION}
            response = render(request, "leaderboard/verdicts_refused.html", context, status=403)
        else:
            response = view(request, slug)
        add_never_cache_headers(response)
        return response

    return wrapped


@require_safe
@for_who_may_see_verdicts
@explains_bad_queries
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """List the questions on which the systems chosen disagree; people are not in it."""
    found = asked_comparison(request, slug)
    context = {"comparison": found, "board": found.board, "listed": question_by_question(found), "page": "board"}
    return render(request, "leaderboard/compare_questions.html", context)
