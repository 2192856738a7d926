"""How runs are getting on and what came of them: counts only, nothing of a question or a completion."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Min, Q, Sum

from corpus.scoring.types import Outcome
from evaluations.database_clock import database_now
from evaluations.models import Item, ItemAttempt, Run
from evaluations.selectors.costs import Spent, spent

RATE_WINDOW = timedelta(minutes=2)
LAST_ERRORS = 5


class LastError(NamedTuple):
    """A failure of one question: what kind, the plain reason, whether the item is given up."""

    item_id: int
    key: str
    code: str
    message: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class Retrying:
    """Items that failed and wait for their time. `try_number` is the coming try of the one that is due next."""

    n_items: int
    try_number: int
    most_tries: int
    seconds: int

    @property
    def text(self) -> str:
        """The next of them in words: `retry 4 of 6, next in 60 s`."""
        return f"retry {self.try_number} of {self.most_tries}, next in {self.seconds} s"


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is. `n_sent` counts every time a question went to the system, repeated attempts included.

    `per_minute` is the rate of answers over the last two minutes, `seconds_left` what is left at that rate; both None
    while nothing says. An item whose lease has ended counts as waiting. `is_active` is True while the counts may change
    by themselves: the run is queued or running, or something is still in flight. `retrying` counts among the waiting,
    and is None while nothing waits for another try.
    """

    status: str
    status_label: str
    is_active: bool
    n_items: int
    n_waiting: int
    n_in_flight: int
    n_answered: int
    n_failed: int
    n_sent: int
    outcomes: Mapping[str, int]
    tokens_in: int | None
    tokens_out: int | None
    per_minute: float | None
    seconds_left: int | None
    retrying: Retrying | None
    spent: Spent
    last_errors: tuple[LastError, ...]

    @property
    def n_done(self) -> int:
        """Answered or given up."""
        return self.n_answered + self.n_failed

    @property
    def percent(self) -> int:
        """Done in percent, rounded down: 100 only when nothing is left."""
        return 100 * self.n_done // self.n_items if self.n_items else 0

    @property
    def time_left(self) -> str:
        """What is left in words, such as `40 s` or `5 min`; "" while nothing says."""
        if self.seconds_left is None:
            return ""
        return f"{self.seconds_left} s" if self.seconds_left < 100 else f"{ceil(self.seconds_left / 60)} min"


class RunSummary(NamedTuple):
    """One run in a list."""

    run_id: UUID
    system_id: int
    set_slug: str
    set_name: str
    set_number: int
    origin: str
    source_name: str
    status: str
    prompt_style: str
    repeats: int
    queued_at: datetime
    finished_at: datetime | None
    n_items: int
    n_answered: int
    n_failed: int
    outcomes: Mapping[str, int]


def run_progress(*, run: Run, now: datetime | None = None) -> RunProgress:
    """Return how far `run` is, from a fixed number of queries over its items."""
    now = now or database_now()
    totals = _totals(run=run, now=now)
    outcomes = Counter(dict(run.items.order_by().exclude(outcome="").values_list("outcome").annotate(n=Count("id"))))
    n_left = totals["n_waiting"] + totals["n_in_flight"]
    per_minute = _per_minute(totals, now=now) if run.status in Run.ACTIVE else None
    return RunProgress(
        status=run.status,
        status_label=run.get_status_display(),
        is_active=run.status in Run.ACTIVE or totals["n_in_flight"] > 0,
        n_items=totals["n_items"],
        n_waiting=totals["n_waiting"],
        n_in_flight=totals["n_in_flight"],
        n_answered=totals["n_answered"],
        n_failed=totals["n_failed"],
        n_sent=totals["n_sent"] or 0,
        outcomes={outcome.value: outcomes[outcome.value] for outcome in Outcome if outcomes[outcome.value]},
        tokens_in=_tokens(totals, "tokens_in"),
        tokens_out=_tokens(totals, "tokens_out"),
        per_minute=per_minute,
        seconds_left=ceil(60 * n_left / per_minute) if per_minute and n_left else None,
        retrying=_retrying(run=run, now=now),
        spent=spent(run=run),
        last_errors=last_errors(run=run),
    )


def _tokens(totals: dict[str, int], name: str) -> int | None:
    """Return the sum of what was reported; None where there are answers and nothing was."""
    return totals[name] if totals["n_answered"] else totals[name] or 0


def _totals(*, run: Run, now: datetime) -> dict[str, int]:
    is_recent = Q(answered_at__gte=now - RATE_WINDOW)
    is_leased, is_held = Q(status=Item.Status.LEASED), Q(lease_until__gte=now)
    return run.items.order_by().aggregate(
        n_items=Count("id"),
        n_waiting=Count("id", filter=Q(status=Item.Status.WAITING) | (is_leased & ~is_held)),
        n_in_flight=Count("id", filter=is_leased & is_held),
        n_answered=Count("id", filter=Q(status=Item.Status.ANSWERED)),
        n_failed=Count("id", filter=Q(status=Item.Status.FAILED)),
        n_sent=Sum("attempts"),
        tokens_in=Sum("tokens_in"),
        tokens_out=Sum("tokens_out"),
        n_recent=Count("id", filter=is_recent),
        first_recent=Min("answered_at", filter=is_recent),
    )


def _retrying(*, run: Run, now: datetime) -> Retrying | None:
    """Return what waits for another try, from its error attempts since the run was last queued."""
    waiting = run.items.filter(status=Item.Status.WAITING, not_before__gt=now).order_by("not_before", "pk")
    failures = Count(
        "other_attempts", filter=Q(other_attempts__kind="error", other_attempts__created_at__gte=run.queued_at)
    )
    following = waiting.annotate(n_failures=failures).values_list("n_failures", "not_before").first()
    if following is None:
        return None
    n_failures, due = following
    if due is None:
        return None
    seconds = ceil((due - now).total_seconds())
    return Retrying(waiting.count(), n_failures + 1, settings.EVALUATION_TRIES, seconds)


def _per_minute(totals: Mapping[str, object], *, now: datetime) -> float | None:
    """Return answers per minute since the first answer of the window; None before a second has passed."""
    first = totals["first_recent"]
    if not isinstance(first, datetime):
        return None
    seconds = (now - first).total_seconds()
    recent = totals["n_recent"]
    return 60 * recent / seconds if seconds >= 1 and isinstance(recent, int) else None


def last_errors(*, run: Run, limit: int = LAST_ERRORS) -> tuple[LastError, ...]:
    """Return the newest failures of a run's questions, given up or to be tried again, newest first."""
    attempts = (
        ItemAttempt.objects.filter(item__run=run, kind="error")
        .select_related("item__question_revision__question")
        .order_by("-id")[:limit]
    )
    errors = [
        LastError(
            attempt.item_id,
            attempt.item.question_revision.question.key,
            attempt.error_code,
            attempt.error_message,
            attempt.item.status == Item.Status.FAILED,
        )
        for attempt in attempts
    ]
    return tuple(errors) or _failed_items(run=run, limit=limit)


def _failed_items(*, run: Run, limit: int) -> tuple[LastError, ...]:
    """Return items given up without a recorded attempt, such as reports whose options could not be settled."""
    items = run.items.filter(status=Item.Status.FAILED).select_related("question_revision__question").order_by("-id")
    return tuple(
        LastError(item.pk, item.question_revision.question.key, item.error_code, item.error_message, True)
        for item in items[:limit]
    )


def active_run(*, system_id: int, set_revision_id: int) -> UUID | None:
    """Return the id of the run that is asking this system this set now, if there is one."""
    runs = Run.objects.filter(system_id=system_id, set_revision_id=set_revision_id, status__in=Run.ACTIVE)
    return runs.values_list("pk", flat=True).first()


def run_summaries(*, system_ids: Collection[int]) -> list[RunSummary]:
    """Return every run of the systems, newest first, with its counts, in two queries."""
    runs = list(
        Run.objects.filter(system_id__in=system_ids)
        .select_related("set_revision__question_set")
        .order_by("-queued_at", "id")
    )
    counts: dict[UUID, Counter[tuple[str, str]]] = {run.pk: Counter() for run in runs}
    grouped = Item.objects.filter(run__system_id__in=system_ids).order_by().values_list("run_id", "status", "outcome")
    for run_id, status, outcome, count in grouped.annotate(n=Count("id")):
        counts[run_id][status, outcome] = count
    return [_summary(run, counts[run.pk]) for run in runs]


def _summary(run: Run, counts: Counter[tuple[str, str]]) -> RunSummary:
    by_status: Counter[str] = Counter()
    by_outcome: Counter[str] = Counter()
    for (status, outcome), count in counts.items():
        by_status[status] += count
        by_outcome[outcome] += count
    question_set = run.set_revision.question_set
    return RunSummary(
        run_id=run.pk,
        system_id=run.system_id,
        set_slug=question_set.slug,
        set_name=question_set.name,
        set_number=run.set_revision.number,
        origin=run.origin,
        source_name=run.source_name,
        status=run.status,
        prompt_style=run.prompt_style,
        repeats=run.repeats,
        queued_at=run.queued_at,
        finished_at=run.finished_at,
        n_items=by_status.total(),
        n_answered=by_status[Item.Status.ANSWERED],
        n_failed=by_status[Item.Status.FAILED],
        outcomes={outcome.value: by_outcome[outcome.value] for outcome in Outcome if by_outcome[outcome.value]},
    )
