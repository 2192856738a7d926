"""What goes with a score, as a page, a chart and files. Nothing here depends on who reads."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.scoring.rules import rule_names
from leaderboard.csv_files import csv_response
from leaderboard.factor_charts import HEIGHT, factor_chart
from leaderboard.factors import FACTORS, Factors, Heated, Line, factors_of, parse_factor
from leaderboard.payloads import flag
from leaderboard.selectors.assets import chart_script_url
from leaderboard.views import explains_bad_queries, kind_labels, set_or_404, whole_choices

CSV_FIELDS = (
    "slug",
    "name",
    "kind",
    "is_demo",
    "n_questions",
    "repeats",
    "accuracy",
    "ci_low",
    "ci_high",
    "parameter_count",
    "released_on",
    "open_weights",
    "base_model",
    "n_answers",
    "price_per_question",
    "currency",
    "n_price",
    "on_front",
    "tokens_in_per_question",
    "n_tokens_in",
    "tokens_out_per_question",
    "n_tokens_out",
    "seconds_per_question",
    "n_seconds",
    "accuracy_without_fallback",
    "n_by_fallback",
)
RUN_FIELDS = (
    "slug",
    "name",
    "is_demo",
    "prompt_style",
    "permutes_options",
    "temperature",
    "n_questions",
    "repeats",
    "accuracy",
    "ci_low",
    "ci_high",
    "repeat_low",
    "repeat_high",
    "repeat_sd",
)


def asked_factors(request: HttpRequest, slug: str) -> Factors:
    """Return what the address asks for. Raise `BadQueryError`."""
    return factors_of(question_set=set_or_404(slug), **whole_choices(request))


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def factors(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is known of each system beside its score, and results that the board leaves out."""
    factor = parse_factor(request.GET.get("x", ""))
    found = asked_factors(request, slug)
    context = {
        "factors": found,
        "board": found.board,
        "choices": list(FACTORS.values()),
        "chosen": FACTORS[factor],
        "n_charted": len(found.charted(factor)),
        "kind_labels": kind_labels(line.row for line in found.lines),
        "rules": rule_names(),
        "chart_script": chart_script_url(),
        "chart_height": HEIGHT,
        "page": "board",
    }
    return render(request, "leaderboard/factors.html", context)


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    """Return scores against the factor asked for as Plotly JSON."""
    factor = parse_factor(request.GET.get("x", ""))
    return JsonResponse(factor_chart(asked_factors(request, slug), factor))


@require_safe
@conditional_page
@explains_bad_queries
def factors_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a line for each system as CSV, safe in spreadsheets; what is not known is empty."""
    found = asked_factors(request, slug)
    strict = {each.row.slug: (each.estimate.accuracy, each.n_by_fallback) for each in found.strict}
    on_base = {each.row.slug: each.base.slug for each in found.on_base if each.base}
    lines = [
        _cells(line, base=on_base.get(line.row.slug, ""), strict=strict.get(line.row.slug, (None, None)))
        for line in found.lines
    ]
    return csv_response(f"{slug}-factors.csv", CSV_FIELDS, lines)


@require_safe
@conditional_page
@explains_bad_queries
def runs_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a line for each run set beside others of its system as CSV, safe in spreadsheets."""
    lines = [_run_cells(heated) for heated in asked_factors(request, slug).heated]
    return csv_response(f"{slug}-runs.csv", RUN_FIELDS, lines)


def _cells(line: Line, *, base: str, strict: tuple[Any, Any]) -> list[Any]:
    row, stated = line.row, line.stated
    low, high = row.estimate.bounds or (None, None)
    without, n_by_fallback = strict
    return [
        row.slug,
        row.name,
        row.kind,
        flag(row.is_demo),
        row.estimate.n_questions,
        row.repeats,
        _share(row.estimate.accuracy),
        low,
        high,
        stated.parameter_count,
        stated.released_on.isoformat() if stated.released_on else None,
        None if stated.open_weights is None else flag(stated.open_weights),
        base,
        line.price.of,
        line.price.value,
        line.currency if line.price.n else "",
        line.price.n,
        flag(line.is_on_front) if line.x("price") is not None else None,
        line.tokens_in.value,
        line.tokens_in.n,
        line.tokens_out.value,
        line.tokens_out.n,
        line.seconds.value,
        line.seconds.n,
        _share(without),
        n_by_fallback,
    ]


def _run_cells(heated: Heated) -> list[Any]:
    estimate, run = heated.estimate, heated.run
    return [
        heated.system.slug,
        heated.system.name,
        flag(heated.system.is_demo),
        run.prompt_style,
        flag(run.permutes_options),
        run.temperature,
        estimate.n_questions,
        run.repeats,
        _share(estimate.accuracy),
        *(estimate.bounds or (None, None)),
        *(estimate.spread or (None, None, None)),
    ]


def _share(share: Any) -> float | None:
    return None if share is None else float(share)
