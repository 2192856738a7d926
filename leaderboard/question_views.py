"""The questions of a set, for everybody where the set is open, otherwise for staff who may see verdicts."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.answer_admin import KEY_PERMISSION, may_see_keys
from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from leaderboard.csv_files import csv_response
from leaderboard.queries import whole_query
from leaderboard.questions import (
    MISSED,
    ORDERS,
    ListedQuestion,
    is_public,
    parse_question_query,
    question_lines,
    question_list,
    shown_question,
)
from leaderboard.views import explains_bad_queries, set_or_404, whole_choices

# Single questions belong into no search engine, archive or training data.
ROBOTS = "noindex, nofollow, noarchive, nosnippet"
CSV_FIELDS = (
    "number",
    "question",
    "groups",
    "difficulty_label",
    "n_systems",
    "n_demo_systems",
    "share_right",
    "difficulty",
    "difficulty_error",
    "discrimination",
)
# What is beyond is below every error of a level.
DECIMALS = 4
QuestionView = Callable[..., HttpResponse]


def may_read_questions(request: HttpRequest, question_set: QuestionSet) -> bool:
    """Say whether this reader may see verdicts on single questions: everybody on an open set, elsewhere some staff."""
    user = request.user
    return is_public(question_set) or bool(user.is_active and user.is_staff and may_see_keys(request))


def _asked_for(request: HttpRequest) -> str:
    """Name the page a reader was kept from: pages that tell verdicts keep them as the list of questions does."""
    name = request.resolver_match.url_name if request.resolver_match else None
    return "scale" if name and name.startswith("scale") else "questions"


def for_who_may_read_questions(view: QuestionView) -> Callable[..., HttpResponse]:
    """Give the view its set where this reader may read its questions, else say why not; no robot keeps either."""

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        question_set = set_or_404(slug)
        if may_read_questions(request, question_set):
            response = view(request, question_set, **kwargs)
        else:
            context = {
                "question_set": question_set,
                "permission": KEY_PERMISSION,
                "asked_for": _asked_for(request),
                "page": "board",
            }
            response = render(request, "leaderboard/questions_closed.html", context, status=403)
        if not is_public(question_set):
            add_never_cache_headers(response)
        response["X-Robots-Tag"] = ROBOTS
        return response

    return wrapped


@require_safe
@gzip_page
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def questions(request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
    """List the questions of a set, with topic, difficulty and the share of systems that are right."""
    query = parse_question_query(request.GET.dict(), question_set=question_set)
    context = {
        "found": question_list(question_set=question_set, query=query),
        "question_set": question_set,
        "orders": ORDERS,
        "missed_words": MISSED,
        "rules": rule_names(),
        "is_public": is_public(question_set),
        "robots": ROBOTS,
        "page": "board",
    }
    return render(request, "leaderboard/questions.html", context)


@require_safe
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def questions_csv(request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
    """Return what is said of every question that is found as CSV, without its words."""
    query = parse_question_query(request.GET.dict(), question_set=question_set)
    lines = question_lines(question_set=question_set, query=query)
    return csv_response(f"{question_set.slug}-questions.csv", CSV_FIELDS, map(_cells, lines))


def _cells(line: ListedQuestion) -> list[Any]:
    level = [round(figure, DECIMALS) for figure in line.level] if line.level else [None] * 3
    said = [line.number, line.question_id, "; ".join(line.topics), line.difficulty]
    return [*said, line.n_systems, line.n_demo, line.share, *level]


@require_safe
@gzip_page
@conditional_page
@for_who_may_read_questions
@explains_bad_queries
def question(request: HttpRequest, question_set: QuestionSet, question_id: int) -> HttpResponse:
    """Show one question as people see it: no key, no option marked."""
    asked = whole_query(question_set=question_set, **whole_choices(request))
    found = shown_question(question_set=question_set, question_id=question_id, rule=asked.rule, fallback=asked.fallback)
    if found is None:
        raise Http404("That question is not in this set, or a study that is not closed asks it.")
    context = {
        "question": found,
        "question_set": question_set,
        "is_public": is_public(question_set),
        "rule": asked.rule,
        "robots": ROBOTS,
        "page": "board",
    }
    return render(request, "leaderboard/question.html", context)
