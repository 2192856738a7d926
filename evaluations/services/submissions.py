"""A maintainer's decision on submitted completions: accepted, they become a run; rejected, they count nowhere.

Both are one conditional UPDATE, so that of two people who press at once one decides and the other is told.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from corpus.scoring.types import Asked, Reading, Target
from corpus.selectors.targets import target_of
from corpus.services.planner import tell_planner
from corpus.services.results import action_log, results_changed
from corpus.services.verdicts import Judged, store_verdicts_in_bulk
from evaluations.asked import asked_of_run
from evaluations.database_clock import database_now
from evaluations.errors import EvaluationError, ReasonMissingError
from evaluations.models import Item, ItemReading, ItemScore, Run, Submission, SubmittedCompletion
from evaluations.providers import FinishReason
from evaluations.services.completion_import import PROMPTS_HASH
from evaluations.services.freezing import GIVEN_OUT, frozen_facts
from evaluations.services.prompt_export import Member, prompt_set
from evaluations.services.reply_reading import read_reply
from evaluations.storable_text import storable

_ROWS_AT_ONCE = 500
_REASON_LENGTH = 500
_NAME_LENGTH = 200
_FINISH = {
    "stop": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
}


class SubmissionStateError(EvaluationError):
    """The submission has been decided already, or its prompts can no longer be made."""

    code = "submission-state"


class _Read(NamedTuple):
    item: Item
    target: Target
    reading: Reading | None


def submission_accept(*, submission_id: int, actor: AbstractBaseUser | None = None, reason: str = "") -> Run:
    """Make a run of a waiting submission, every completion read and judged as a worker's replies are.

    A submission that does not answer every question in every repeat becomes an incomplete run. Raises
    SubmissionStateError when somebody has decided already.
    """
    with transaction.atomic():
        submission = _decide(submission_id, Submission.Status.ACCEPTED, actor, reason)
        run = _run_of(submission, actor)
        complete = _store(run, submission)
        now = database_now()
        status = Run.Status.FINISHED if complete else Run.Status.INCOMPLETE
        Run.objects.filter(pk=run.pk).update(status=status, queued_at=now, finished_at=now)
        Submission.objects.filter(pk=submission.pk).update(run=run)
        action_log(code="submission.accepted", target=submission, actor=actor, detail={"run": str(run.pk)})
        action_log(code="run.submitted", target=run, actor=actor, detail={"submission": submission.pk})
        results_changed(benchmark_id=submission.set_revision.question_set.benchmark_id, system_id=run.system_id)
        tell_planner(Run, Item, ItemReading, ItemScore)
    run.refresh_from_db()
    return run


def submission_reject(*, submission_id: int, reason: str, actor: AbstractBaseUser | None = None) -> Submission:
    """Refuse a waiting submission; what was sent stays stored and counts nowhere.

    Raises ReasonMissingError without a reason, SubmissionStateError when somebody has decided already.
    """
    if not reason.strip():
        raise ReasonMissingError("Say why the submission is rejected; its contributor reads the reason.")
    with transaction.atomic():
        submission = _decide(submission_id, Submission.Status.REJECTED, actor, reason)
        detail = {"reason": submission.review_reason}
        action_log(code="submission.rejected", target=submission, actor=actor, detail=detail)
    return submission


def finish_reason_of(facts: dict[str, Any]) -> str:
    """Return why a reply ended, in our words; what is stated in other words is unknown."""
    return _FINISH.get(str(facts.get("finish_reason", "")), FinishReason.UNKNOWN).value


def asked_of_member(member: Member, *, frozen: Mapping[str, Any]) -> Asked:
    """Return what a completion answers, as every later reading of it sees it."""
    options, prompt = member.prepared.options_shown, storable(member.prepared.prompt)
    return asked_of_run(member.revision, options, prompt, frozen=frozen)


def members_of(submission: Submission) -> dict[int, Member]:
    """Return the prompts a submission answers, by the id of the question's revision.

    Raises SubmissionStateError when they can no longer be made as they were asked.
    """
    prompts = prompt_set(set_revision=submission.set_revision, style_name=submission.prompt_style)
    if submission.facts.get(PROMPTS_HASH, prompts.prompts_hash) != prompts.prompts_hash:
        raise SubmissionStateError(
            f"The prompts are no longer those that submission {submission.pk} answers. Reject it, and have the new "
            "prompts answered."
        )
    return {member.revision.pk: member for member in prompts.members}


def _decide(submission_id: int, to: Submission.Status, actor: AbstractBaseUser | None, reason: str) -> Submission:
    moved = Submission.objects.filter(pk=submission_id, status=Submission.Status.WAITING).update(
        status=to,
        reviewed_at=timezone.now(),
        reviewed_by=actor,
        review_reason=storable(reason.strip())[:_REASON_LENGTH],
    )
    submission = Submission.objects.select_related(
        "system", "token", "reviewed_by", "set_revision__question_set__benchmark"
    ).get(pk=submission_id)
    if not moved:
        by = f" by {submission.reviewed_by}" if submission.reviewed_by else ""
        raise SubmissionStateError(
            f"Submission {submission_id} was {submission.get_status_display()} already{by}; that decision stands."
        )
    return submission


def _run_of(submission: Submission, actor: AbstractBaseUser | None) -> Run:
    stated = submission.facts.get("parameters")
    highest = submission.completions.order_by("-repeat").values_list("repeat", flat=True).first() or 0
    return Run.objects.create(
        system=submission.system,
        set_revision=submission.set_revision,
        origin=Run.Origin.SUBMITTED,
        status=Run.Status.INCOMPLETE,
        prompt_style=submission.prompt_style,
        parameters=stated if isinstance(stated, dict) else {},
        repeats=highest + 1,
        requested_by=actor,  # type: ignore[misc]
        frozen={
            **_frozen(submission),
            "submission": {
                "id": submission.pk,
                "content_hash": submission.content_hash,
                "contributor": submission.token.name if submission.token else "",
                "received_at": submission.received_at.isoformat(),
                "stated": submission.facts,
            },
        },
    )


def _frozen(submission: Submission) -> dict[str, Any]:
    """Return what was given out as of the day the completions came, and what judges them as of today."""
    today = frozen_facts(
        system=submission.system, set_revision=submission.set_revision, style_name=submission.prompt_style
    )
    return today | {name: submission.frozen[name] for name in GIVEN_OUT if name in submission.frozen}


def _store(run: Run, submission: Submission) -> bool:
    """Store items, readings and verdicts; say whether every question has its answer in every repeat."""
    members = members_of(submission)
    rows = submission.completions.order_by("id").iterator(chunk_size=_ROWS_AT_ONCE)
    n_stored, is_judged = 0, True
    chunk: list[_Read] = []
    for row in rows:
        member = members.get(row.question_revision_id)
        if member is None:
            raise SubmissionStateError(
                f"The prompt of a question can no longer be made, so submission {submission.pk} cannot be judged."
            )
        chunk.append(_read(run, row, member))
        if len(chunk) == _ROWS_AT_ONCE:
            n_stored, is_judged, chunk = n_stored + len(chunk), _store_chunk(chunk, run) and is_judged, []
    n_stored, is_judged = n_stored + len(chunk), _store_chunk(chunk, run) and is_judged
    n_members = submission.set_revision.members.count()
    return is_judged and n_stored == n_members * run.repeats


def _read(run: Run, row: SubmittedCompletion, member: Member) -> _Read:
    facts, target = row.facts, target_of(member.revision)
    seconds = facts.get("seconds")
    item = Item(
        run=run,
        question_revision_id=row.question_revision_id,
        repeat=row.repeat,
        position=member.position,
        status=Item.Status.ANSWERED,
        prompt=storable(member.prepared.prompt),
        options_shown=[list(option) for option in member.prepared.options_shown],
        completion=row.completion,
        reasoning=facts.get("reasoning", ""),
        finish_reason=finish_reason_of(facts),
        model_reported=facts.get("model", "")[:_NAME_LENGTH],
        tokens_in=facts.get("tokens_in"),
        tokens_out=facts.get("tokens_out"),
        tokens_cached=facts.get("tokens_cached"),
        tokens_reasoning=facts.get("tokens_reasoning"),
        latency_ms=None if seconds is None else min(round(seconds * 1000), 2**31 - 1),
        attempts=1,
        source_flags={name: facts[name] for name in ("tool_trace",) if name in facts},
    )
    reading = read_reply(
        text=row.completion,
        finish_reason=item.finish_reason,
        asked=asked_of_member(member, frozen=run.frozen),
        target=target,
        reader=run.frozen["reader"],
        rule=run.frozen["rule"],
        name=f"submitted completion {row.pk}",
    )
    return _Read(item, target, reading)


def _store_chunk(chunk: Sequence[_Read], run: Run) -> bool:
    Item.objects.bulk_create([each.item for each in chunk], batch_size=_ROWS_AT_ONCE)
    rule = run.frozen["rule"]
    judged = [Judged(each.item, each.reading, each.target, (rule,)) for each in chunk if each.reading is not None]
    store_verdicts_in_bulk(
        judged=judged,
        reading_model=ItemReading,
        score_model=ItemScore,
        current_rule=rule,
        batch_size=_ROWS_AT_ONCE,
    )
    return len(judged) == len(chunk)
