"""The public pages. Each answers with what the address asks for; nothing here depends on who reads."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe
from django.views.decorators.vary import vary_on_headers

from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from evaluations.selectors import public_system
from evaluations.selectors.history import withdrawn_runs
from leaderboard.boards import HUMAN, SMALL_TOPIC, Row, outcomes_in_use
from leaderboard.charts import bar_chart, chart_height, charted
from leaderboard.disclosure import SMALLEST_GROUP, SMALLEST_GROUP_OF_PEOPLE
from leaderboard.history import histories_of
from leaderboard.home import benchmark_boards, open_studies
from leaderboard.methods import rule_sections, statistic_sections
from leaderboard.queries import (
    KINDS,
    BadQueryError,
    Board,
    BoardQuery,
    check_query,
    load_board,
    parse_query,
)
from leaderboard.selectors.assets import chart_script_url
from leaderboard.selectors.boards import people_rule, public_sets
from leaderboard.selectors.published import published_by_topic, published_of
from leaderboard.selectors.shown import smallest_group
from leaderboard.selectors.snapshots import with_newest_snapshot
from leaderboard.share_image import share_picture, share_png
from leaderboard.systems import base_model_of, public_facts, results_by_set
from leaderboard.topic_chart import asked_chart, choices, topic_chart_of, topic_figure

View = Callable[..., HttpResponse]


def explains_bad_queries(view: View) -> View:
    """Answer a request for something that does not exist with a page that says what there is."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except BadQueryError as error:
            return render(request, "leaderboard/bad_query.html", {"message": str(error)}, status=400)

    return wrapped


def set_or_404(slug: str) -> QuestionSet:
    """Return the set of that slug, read anew with its benchmark."""
    found = with_newest_snapshot(public_sets()).filter(slug=slug).first()
    if found is None:
        raise Http404(f"There is no question set “{slug}”.")
    return found


def number_of_newest_snapshot(board: Board) -> int | None:
    """Return the number of the newest snapshot of a board under the benchmark's default rule, None under others."""
    question_set = board.question_set
    is_default = board.query.rule == question_set.benchmark.default_rule
    return getattr(question_set, "newest_snapshot", None) if is_default else None


def board_of(request: HttpRequest, slug: str, *, with_topics: bool = False) -> Board:
    """Return the board that the address asks for; `with_topics` of all questions, whatever topic the address names."""
    question_set = set_or_404(slug)
    asked = parse_query(request.GET.dict(), question_set=question_set)
    if not with_topics:
        return load_board(question_set=question_set, query=asked)
    check_query(question_set=question_set, query=asked)
    return load_board(question_set=question_set, query=replace(asked, topic=""), with_topics=True)


def whole_choices(request: HttpRequest) -> dict[str, str]:
    """Return the choices of the address that every page of a whole set knows, as they were given."""
    return {name: request.GET.get(name, "") for name in ("rule", "fallback")}


def named_entrants(request: HttpRequest) -> list[str]:
    """Return the slugs the address names; lists left empty name nobody."""
    return [slug for slug in request.GET.getlist("entrant") if slug]


class SortColumn(NamedTuple):
    """A column that can be sorted by, and the direction its heading leads to."""

    key: str
    label: str
    css_class: str
    next_direction: str


def sort_columns(query: BoardQuery) -> list[SortColumn]:
    """Return the sortable columns in the order shown; a second press on one turns its direction."""
    columns = (("name", "Name", "name"), ("accuracy", "Accuracy", "score"), ("questions", "Questions", "count"))
    first = {"name": "ascending"}
    turned = {"ascending": "descending", "descending": "ascending"}
    return [
        SortColumn(key, label, css, turned[query.direction] if key == query.sort else first.get(key, "descending"))
        for key, label, css in columns
    ]


def kind_labels(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Return the kinds on a board, with their names in the legend; people have an entry of their own."""
    present = {row.kind for row in rows}
    return [(kind, kind) for kind in KINDS if kind in present and kind != HUMAN]


def grouping_name(board: Board) -> str:
    """Return the name of the grouping shown."""
    names = {grouping.slug: grouping.name for grouping in board.groupings}
    return names.get(board.query.grouping, board.query.grouping)


@require_safe
@gzip_page
@conditional_page
def home(request: HttpRequest) -> HttpResponse:
    """Say what this is, show the top of each board, invite to open studies."""
    return render(request, "leaderboard/home.html", {"benchmarks": benchmark_boards(), "studies": open_studies()})


@require_safe
@gzip_page
@conditional_page
@vary_on_headers("HX-Request")
@explains_bad_queries
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ranked table of a set; only the table for a request by htmx."""
    found = board_of(request, slug)
    context = {
        "board": found,
        "rows": found.rows_as_sorted,
        "sorts": sort_columns(found.query),
        "outcomes": outcomes_in_use(found.rows),
        "kinds": KINDS,
        "small": SMALL_TOPIC,
        "kind_labels": kind_labels(found.rows),
        "people_minimum": people_rule().minimum_for_mean,
        "rules": rule_names(),
        "chart_script": chart_script_url(),
        "chart_height": chart_height(found),
        "n_charted": len(charted(found)),
        "published": published_of(
            question_set=found.question_set,
            grouping=found.query.grouping,
            topic=found.topic,
            topics=found.topics,
            kind=found.query.kind,
        ),
        "share": share_picture(found) if found.query == parse_query({}, question_set=found.question_set) else None,
        "site_url": settings.SITE_URL,
        "snapshot_number": number_of_newest_snapshot(found),
        "page": "board",
    }
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    name = "_board" if is_fragment else "board"
    return render(request, f"leaderboard/{name}.html", {**context, "is_fragment": is_fragment})


@require_safe
@conditional_page
def share_image(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the picture of the whole board for other sites; its size and drawing are the same for everyone."""
    question_set = set_or_404(slug)
    found = load_board(question_set=question_set, query=parse_query({}, question_set=question_set))
    return HttpResponse(share_png(share_picture(found)), content_type="image/png")


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show accuracy of each entrant on each group of questions, a few of them as a chart."""
    found = board_of(request, slug, with_topics=True)
    named = named_entrants(request)
    asked = asked_chart(found, named)
    context = {
        "board": found,
        "grouping_name": grouping_name(found),
        "small": SMALL_TOPIC,
        "smallest_group": smallest_group(found.question_set),
        "smallest_group_of_people": SMALLEST_GROUP_OF_PEOPLE,
        "people_minimum": people_rule().minimum_for_mean,
        "rules": rule_names(),
        "published": published_by_topic(board=slug, grouping=found.query.grouping),
        "asked": asked,
        "choices": choices(found, asked.chart, named),
        "chart_script": chart_script_url(),
        "page": "board",
    }
    return render(request, "leaderboard/topics.html", context, status=400 if asked.is_mistake else 200)


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def topics_chart(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the chart of the topics page as Plotly JSON."""
    return JsonResponse(
        topic_figure(topic_chart_of(board_of(request, slug, with_topics=True), named_entrants(request)))
    )


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the bar chart of a board as Plotly JSON."""
    return JsonResponse(bar_chart(board_of(request, slug)))


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def system(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is known of a system and its results by set."""
    found = public_system(slug=slug)
    if found is None:
        raise Http404(f"There is no system “{slug}”.")
    results = results_by_set(system_slug=slug, **whole_choices(request))
    context = {
        "system": found,
        "results": results,
        "has_demo": found.is_demo or any(result.question_set.benchmark.is_demo for result in results),
        "only_rows": not all(result.question_set.benchmark.is_demo for result in results),
        "facts": public_facts(found.facts),
        "base_model": base_model_of(found.facts),
        "histories": histories_of(system_id=found.system_id, results=results),
        "n_by_fallback": sum(result.row.n_by_fallback for result in results),
        "is_strict": any(result.fallback == "off" for result in results),
        "withdrawn": withdrawn_runs(system_id=found.system_id),
    }
    return render(request, "leaderboard/system.html", context)


@require_safe
@gzip_page
@conditional_page
def methods(request: HttpRequest) -> HttpResponse:
    """Print how each number comes about, from the code that computes it."""
    return render(
        request,
        "leaderboard/methods.html",
        {
            "rules": rule_sections(),
            "statistics": statistic_sections(),
            "people_rule": people_rule(),
            "smallest_group": SMALLEST_GROUP,
            "smallest_group_of_people": SMALLEST_GROUP_OF_PEOPLE,
            "page": "methods",
        },
    )
