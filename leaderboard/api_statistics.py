"""The part of the API that serves confidence, robustness and abilities."""

from django.http import HttpRequest, HttpResponse

from leaderboard.api import FALLBACK, RULE, api, conditional, entity_tag, found_set, json_response, set_version
from leaderboard.api_schemas import EXTRA, PROBLEMS
from leaderboard.confidence import confidence_of
from leaderboard.queries import whole_query
from leaderboard.questions import is_public
from leaderboard.robustness import robustness_of
from leaderboard.scale import placement_of
from leaderboard.selectors.boards import public_sets
from leaderboard.statistic_payloads import confidence_payload, robustness_payload, scale_payload
from leaderboard.statistic_schemas import ConfidenceOut, RobustnessOut, ScaleOut

__all__ = ["api"]

NOT_OPEN = "The set is not open, and abilities would tell of single verdicts."


@api.get(
    "/leaderboard/{slug:set_slug}/confidence/",
    response={200: ConfidenceOut, **PROBLEMS},
    summary="How sure entrants say they are",
    openapi_extra=EXTRA,
)
def confidence(request: HttpRequest, set_slug: str, rule: str = RULE, fallback: str = FALLBACK) -> HttpResponse:
    """Levels from 1 to 5 that systems and people stated of their answers, and how often they are right at each. On sets
    that are not open `right` and what follows from it are left out where they would tell single verdicts. People are
    told as one entrant, on one set, with neighbouring levels together."""
    question_set = found_set(set_slug)
    asked = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    # On which set people are told depends on the others of the benchmark.
    tag = entity_tag(request, *_versions(question_set.benchmark_id))
    return conditional(
        request,
        tag,
        lambda: json_response(
            request,
            ConfidenceOut,
            confidence_payload(confidence_of(question_set=question_set, rule=asked.rule, fallback=asked.fallback)),
        ),
    )


@api.get(
    "/leaderboard/{slug:set_slug}/robustness/",
    response={200: RobustnessOut, **PROBLEMS},
    summary="How far results depend on the questions",
    openapi_extra=EXTRA,
)
def robustness(request: HttpRequest, set_slug: str, rule: str = RULE, fallback: str = FALLBACK) -> HttpResponse:
    """Errors where questions of one source go together, on open sets, and how this set and the others of its benchmark
    agree on the systems that answered both."""
    question_set = found_set(set_slug)
    asked = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    tag = entity_tag(request, *_versions(question_set.benchmark_id))
    return conditional(
        request,
        tag,
        lambda: json_response(
            request,
            RobustnessOut,
            robustness_payload(robustness_of(question_set=question_set, rule=asked.rule, fallback=asked.fallback)),
        ),
    )


@api.get(
    "/leaderboard/{slug:set_slug}/scale/",
    response={200: ScaleOut, **PROBLEMS},
    summary="Abilities on one scale",
    openapi_extra=EXTRA,
)
def scale(request: HttpRequest, set_slug: str, rule: str = RULE, fallback: str = FALLBACK) -> HttpResponse:
    """Who answered only some questions beside who answered all, with how hard these are taken into account. The scale
    comes from systems that answered the whole set, whose abilities are taken to have mean 0 and deviation 1. Of sets
    that are not open there is none, since abilities would tell of single verdicts."""
    question_set = found_set(set_slug)
    asked = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    tag = entity_tag(request, *_versions(question_set.benchmark_id))
    withheld = "" if is_public(question_set) else NOT_OPEN
    return conditional(
        request,
        tag,
        lambda: json_response(
            request,
            ScaleOut,
            scale_payload(
                placement_of(question_set=question_set, rule=asked.rule, fallback=asked.fallback), withheld=withheld
            ),
        ),
    )


def _versions(benchmark_id: int) -> list[tuple[object, ...]]:
    return [set_version(each) for each in public_sets().filter(benchmark_id=benchmark_id)]
