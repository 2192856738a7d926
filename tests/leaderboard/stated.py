"""How sure saved entrants say they are, for tests of what is shown of it."""

from collections.abc import Sequence

from django.utils import timezone

from corpus.models import QuestionSet
from corpus.services.results import results_changed
from evaluations.models import ItemConfidence, Run
from survey.models import Response


def state(run: Run, levels: str) -> Run:
    """Let a run state a level of each item in its order; a full stop is a reply without one, a blank no reply."""
    rows = []
    for item, letter in zip(run.items.order_by("repeat", "position"), levels, strict=True):
        if letter != " ":
            level = None if letter == "." else int(letter)
            rows.append(ItemConfidence(item=item, level=level, asked_at=timezone.now()))
    ItemConfidence.objects.bulk_create(rows)
    results_changed(benchmark_id=run.set_revision.question_set.benchmark_id)
    return run


def state_people(question_set: QuestionSet, levels: Sequence[str]) -> None:
    """Let the people of a set state a level of each answer, in the order they were made and asked."""
    responses = list(Response.objects.order_by("assignment__participant_id", "assignment__position"))
    for response, letter in zip(responses, "".join(levels), strict=True):
        response.confidence = None if letter == "." else int(letter)
    Response.objects.bulk_update(responses, ["confidence"])
    results_changed(benchmark_id=question_set.benchmark_id)
