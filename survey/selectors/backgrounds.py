"""What is known of people beside their answers: experience and pace, for groups of them."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from survey.models import Participant, Response, Study
from survey.selectors.study_answers import net_seconds


@dataclass(frozen=True, slots=True)
class Background:
    """Years of experience (None: not said), and the median of the net seconds on all questions (None: no times)."""

    years: int | None
    seconds: float | None


def backgrounds(*, participant_ids: Collection[int]) -> dict[int, Background]:
    """Return the backgrounds of people, by their number. Attention checks are in no time. Two queries.

    The time is over everything a person was asked in their study, so that it is the same on every set of it.
    """
    seconds: dict[int, list[float]] = defaultdict(list)
    answers = Response.objects.filter(
        assignment__participant__in=participant_ids, assignment__is_attention_check=False, seconds__isnull=False
    ).order_by()
    for pk, gross, away in answers.values_list("assignment__participant_id", "seconds", "away_seconds").iterator():
        net = net_seconds(gross, away)
        if net is not None:
            seconds[pk].append(net)
    people = Participant.objects.filter(pk__in=participant_ids).values_list("pk", "years_experience")
    return {pk: Background(years, median(seconds[pk]) if seconds[pk] else None) for pk, years in people}


def open_studies_among(*, study_ids: Collection[int]) -> bool:
    """Say whether any of these studies is open: people still join its results."""
    return Study.objects.filter(pk__in=study_ids, status=Study.Status.OPEN).exists()
