"""The public, read-only API, version 1. How often it may be asked, and from where, is in `leaderboard.api_access`."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from ninja import NinjaAPI, Query, Schema

from corpus.models import QuestionSet
from evaluations.selectors import public_system
from leaderboard import payloads
from leaderboard.api_schemas import CSV_EXTRA, EXTRA, PROBLEMS, BoardOut, SetsOut, SystemOut
from leaderboard.libraries import figure_libraries
from leaderboard.queries import (
    BadQueryError,
    Board,
    BoardQuery,
    check_query,
    load_board,
    parse_fallback,
    parse_query,
    parse_rule,
)
from leaderboard.selectors.boards import people_rule, public_sets, visible_systems
from leaderboard.selectors.shown import smallest_group
from leaderboard.systems import results_by_set

api = NinjaAPI(
    title="ChemBench Site",
    version="1",
    description="Results of people and models on question sets in chemistry. Shares are fractions of 1. "
    "Questions, answer keys and verdicts on single questions are not served. Reading is free, from any page "
    "(`Access-Control-Allow-Origin: *`, GET only, no credentials). Every answer has an `ETag`: sent back as "
    "`If-None-Match` it costs next to nothing and is answered with 304 while nothing has changed. Whoever asks more "
    "often than the site allows is answered with 429 and `Retry-After` in seconds.",
    # The interactive pages would load their script from another host.
    docs_url=None,
    openapi_url="openapi.json",
    urls_namespace="leaderboard:api-v1",
)


class NotFoundError(LookupError):
    """The address names something that is not there; the message says what there is."""


@api.exception_handler(BadQueryError)
def bad_query(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say what may be asked."""
    return api.create_response(request, {"detail": str(error)}, status=400)


@api.exception_handler(NotFoundError)
def not_found(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say what there is."""
    return api.create_response(request, {"detail": str(error)}, status=404)


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a name for the code that makes the answers: an update of the site may change them without new results."""
    digest = hashlib.sha256(repr(figure_libraries()).encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def entity_tag(request: HttpRequest, *parts: Any) -> str:
    """Return a strong tag of an answer: the address with its parameters, and whatever the answer is made from."""
    made_from = repr((request.get_full_path(), code_version(), sorted(visible_systems().items()), *parts))
    return f'"{hashlib.sha256(made_from.encode()).hexdigest()[:32]}"'


def conditional(request: HttpRequest, tag: str, build: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer 304 where the reader has this version already; else build the answer and name its version."""
    unchanged = get_conditional_response(request, etag=tag)
    response = unchanged if unchanged is not None else build()
    response["ETag"] = tag
    patch_cache_control(response, public=True, no_cache=True)
    return response


def found_set(slug: str) -> QuestionSet:
    """Return the set of that slug with its benchmark. Raise `NotFoundError`."""
    sets = list(public_sets())
    for question_set in sets:
        if question_set.slug == slug:
            return question_set
    known = ", ".join(question_set.slug for question_set in sets) or "none yet"
    raise NotFoundError(f"There is no question set “{slug}”. There are: {known}.")


def checked_query(request: HttpRequest, question_set: QuestionSet) -> BoardQuery:
    """Return what the address asks of a set. Raise `BadQueryError`, also for readers who have an answer already."""
    query = parse_query(request.GET.dict(), question_set=question_set)
    check_query(question_set=question_set, query=query)
    return query


def found_board(question_set: QuestionSet, query: BoardQuery) -> Board:
    """Return the board of a set with estimates by topic."""
    return load_board(question_set=question_set, query=query, with_topics=True)


def set_version(question_set: QuestionSet) -> tuple[Any, ...]:
    """Return what changes whenever a board of the set may change, its systems' names apart."""
    benchmark = question_set.benchmark
    return (
        question_set.current_revision_id,
        question_set.name,
        benchmark.slug,
        benchmark.is_demo,
        benchmark.results_version,
        benchmark.default_rule,
        people_rule(),
        smallest_group(question_set),
    )


def json_response(request: HttpRequest, schema: type[Schema], payload: Any) -> HttpResponse:
    """Return a payload checked against its schema; what it leaves out is left out."""
    return api.create_response(
        request, schema.model_validate(payload).model_dump(mode="json", exclude_unset=True), status=200
    )


RULE: Any = Query("", description="`name` or `name@version`; the benchmark's default without it.")
GROUPING: Any = Query("topic", description="What `topics` are, such as `topic`, `skill` or `difficulty`.")
TOPIC: Any = Query("", description="Only the questions of this group of the grouping (a slug).")
KIND: Any = Query("", description="Only rows of this kind: `model`, `agent`, `baseline` or `human`.")
FALLBACK: Any = Query("on", description="`off`: what only a fallback reader could read is unparsed.")


@api.get("/sets/", response={200: SetsOut, 429: PROBLEMS[429]}, summary="The question sets", openapi_extra=EXTRA)
def list_sets(request: HttpRequest) -> HttpResponse:
    """Every question set with its current revision and size."""
    sets = [payloads.set_payload(question_set) for question_set in public_sets()]
    tag = entity_tag(request, sets)
    return conditional(request, tag, lambda: json_response(request, SetsOut, {"sets": sets}))


@api.get(
    "/leaderboard/{slug:set_slug}/",
    response={200: BoardOut, **PROBLEMS},
    summary="The board of a set",
    openapi_extra=EXTRA,
)
def leaderboard(
    request: HttpRequest,
    set_slug: str,
    rule: str = RULE,
    grouping: str = GROUPING,
    topic: str = TOPIC,
    kind: str = KIND,
    fallback: str = FALLBACK,
) -> HttpResponse:
    """Rows in rank order; `topic` and `kind` narrow the board. Rows with an answer of the set missing have no
    accuracy and no rank, whatever is asked for. `withheld` says why there is none: `incomplete`, or
    `few_questions` where it would tell the result of a single question, alone or with what else is shown of the
    benchmark. On sets that are not open an incomplete row has no `outcomes`, and no `n_scored` on a topic.
    `inclusion` says which people a row is of; `answers_per_question` is the median number of them for a question
    where each answered a part of the set. With `repeats` above 1 the accuracy is the mean over questions of the
    mean over repeats; `repeat_low`, `repeat_high` and `repeat_sd` are the lowest and highest accuracy of a single
    repeat and the standard deviation between them. `rank_low` and `rank_high` are the ranks the questions allow; two
    rows share one of `letters` exactly where they cannot be told apart. In `macro_accuracy` each of `macro_topics`
    topics counts the same. `chance_level` is a guesser's."""
    question_set = found_set(set_slug)
    query = checked_query(request, question_set)
    return conditional(
        request,
        entity_tag(request, set_version(question_set)),
        lambda: json_response(request, BoardOut, payloads.board_payload(found_board(question_set, query))),
    )


@api.get(
    "/leaderboard/{slug:set_slug}.csv",
    response=PROBLEMS,
    summary="The board of a set as CSV",
    openapi_extra=CSV_EXTRA,
)
def leaderboard_csv(
    request: HttpRequest,
    set_slug: str,
    rule: str = RULE,
    grouping: str = GROUPING,
    topic: str = TOPIC,
    kind: str = KIND,
    fallback: str = FALLBACK,
) -> HttpResponse:
    """The same rows as a file for spreadsheets; UTF-8, one line of headings. Text that a spreadsheet would take for a
    formula begins with an apostrophe; numbers stay numbers."""
    question_set = found_set(set_slug)
    query = checked_query(request, question_set)

    def build() -> HttpResponse:
        content = payloads.board_csv(found_board(question_set, query))
        response = HttpResponse(content, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{set_slug}.csv"'
        return response

    return conditional(request, entity_tag(request, set_version(question_set)), build)


@api.get(
    "/systems/{slug:slug}/",
    response={200: SystemOut, **PROBLEMS},
    summary="A system and its results",
    openapi_extra=EXTRA,
)
def system(request: HttpRequest, slug: str, rule: str = RULE, fallback: str = FALLBACK) -> HttpResponse:
    """What is known of a system, and its row on every board that has one."""
    found = public_system(slug=slug)
    if found is None:
        raise NotFoundError(f"There is no system “{slug}”.")
    checked = parse_rule(rule, default="standard") if rule else ""
    chosen = parse_fallback(fallback)
    tag = entity_tag(request, [set_version(question_set) for question_set in public_sets()], repr(found))

    def build() -> HttpResponse:
        found_results = results_by_set(system_slug=slug, rule=checked, fallback=chosen)
        results = [payloads.result_payload(result) for result in found_results]
        facts = {name: getattr(found, name) for name in SystemOut.model_fields if name != "results"}
        facts["released_on"] = found.released_on.isoformat() if found.released_on else None
        return json_response(request, SystemOut, {**facts, "results": results})

    return conditional(request, tag, build)
