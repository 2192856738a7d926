"""What provider and database hold after a run, as the checks want it. Needs Django to be set up."""

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bin.chaos_run.checks import Asked, Call, Verdict
from bin.chaos_run.provider_plan import fingerprint

if TYPE_CHECKING:
    from evaluations.models import Item, Run


def logged_calls(log: Path) -> list[Call]:
    """Return every call, in the order in which they came."""
    lines = map(json.loads, log.read_text().splitlines())
    return [Call(line["prompt"], line["worker"], line["at"], line["fault"]) for line in lines]


def n_calls(log: Path) -> int:
    """Return how many calls came so far."""
    return log.read_bytes().count(b"\n")


def verdicts_of(run: "Run") -> dict[str, Verdict]:
    """Return everything a reader of the results would see of each answer, by question."""
    return {item.key: item.verdict for item in asked_items(run)}


def asked_items(run: "Run") -> list[Asked]:
    """Return the items of a run in the set's order."""
    items = run.items.select_related("question_revision__question").prefetch_related("readings", "scores")
    errors, late = _attempts(run)
    return [
        Asked(
            key=f"{item.question_revision.question.key}/{item.repeat}",
            prompt=fingerprint(item.prompt),
            status=item.status,
            answered_at=item.answered_at.timestamp() if item.answered_at else float("inf"),
            verdict=_verdict(item),
            n_readings=item.readings.count(),
            n_scores=item.scores.count(),
            errors=tuple(errors[item.pk]),
            n_late=late[item.pk],
        )
        for item in items.order_by("position", "repeat")
    ]


def _verdict(item: "Item") -> Verdict:
    readings = [(each.status, tuple(each.option_keys), each.number, each.unit) for each in item.readings.all()]
    scores = [(each.rule, each.outcome, each.credit) for each in item.scores.all()]
    told = (item.completion, item.finish_reason, item.tokens_in, item.tokens_out)
    return item.outcome, item.credit, item.rule, told, tuple(readings), tuple(scores)


def _attempts(run: "Run") -> tuple[Any, Any]:
    from evaluations.models import ItemAttempt

    errors: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
    late: defaultdict[int, int] = defaultdict(int)
    for attempt in ItemAttempt.objects.filter(item__run=run).order_by("pk"):
        if attempt.kind == "late":
            late[attempt.item_id] += 1
        else:
            errors[attempt.item_id].append((attempt.created_at.timestamp(), attempt.error_code))
    return errors, late
