"""Submitted completions as a maintainer reviews them: how much there is, how much can be read. Never a verdict."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, NamedTuple

from django.db.models import Case, Count, F, Max, OuterRef, QuerySet, Subquery, TextField, When
from django.db.models.functions import Length, Substr

from corpus.models import QuestionSetMember
from corpus.scoring.reading import read_answer
from corpus.scoring.types import ReadStatus
from evaluations.models import ContributorToken, Run, Submission
from evaluations.services.freezing import READER
from evaluations.services.prompt_export import Member
from evaluations.services.submissions import asked_of_member, finish_reason_of, members_of

SAMPLE = 8
FAILED_TO_READ = "not readable"
TOO_LONG_HERE = "too long to be read here"
# A review reads no more than this while somebody waits for its page; acceptance reads everything.
LONGEST_READ_HERE = 100_000
MOST_READ_HERE = 5_000_000
SHOWN_CHARACTERS = 5_000
_ROWS_AT_ONCE = 500


class SampleLine(NamedTuple):
    """One completion with what the reader says of it, not whether it is right; `shown` is how it begins."""

    completion_id: int
    key: str
    repeat: int
    prompt: str
    shown: str
    n_characters: int
    status: str
    reason: str

    @property
    def is_cut(self) -> bool:
        """Whether there is more than is shown."""
        return self.n_characters > len(self.shown)


@dataclass(frozen=True, slots=True)
class SubmissionReview:
    """What a maintainer decides on.

    `statuses` counts completions by what the reader finds in them: `read`, `unparsed`, `refused`, ...; all of them, or
    `n_read` that are spread over the set where they are very long. `missing` names questions without a completion in
    some repeat. The sample is spread over the set; what could not be read is there first.
    """

    n_questions: int
    n_covered: int
    repeats: int
    n_completions: int
    n_empty: int
    n_read: int
    statuses: Mapping[str, int]
    missing: tuple[str, ...]
    sample: tuple[SampleLine, ...]

    @property
    def n_expected(self) -> int:
        """How many completions a complete submission of so many repeats has."""
        return self.n_questions * self.repeats

    @property
    def is_complete(self) -> bool:
        """Whether every question has a completion in every repeat."""
        return self.n_completions == self.n_expected


def submission_review(*, submission: Submission) -> SubmissionReview:
    """Read the completions of a submission, as many as `MOST_READ_HERE` allows, and count; nothing is judged."""
    members = members_of(submission)
    lengths = submission.completions.annotate(n_characters=Length("completion")).order_by("id")
    rows = [_Row(*row) for row in lengths.values_list("id", "question_revision_id", "repeat", "n_characters")]
    lines = [
        _line(row, members.get(row.question_revision_id), submission.frozen)
        for row in _texts(submission, _few_enough(rows))
    ]
    repeats = 1 + max((row.repeat for row in rows), default=0)
    given = Counter(row.question_revision_id for row in rows)
    return SubmissionReview(
        n_questions=submission.set_revision.members.count(),
        n_covered=len(given),
        repeats=repeats,
        n_completions=len(rows),
        n_empty=submission.completions.filter(completion__regex=r"^\s*$").count(),
        n_read=sum(line.status != TOO_LONG_HERE for line in lines),
        statuses=_counted(lines),
        missing=tuple(member.key for pk, member in members.items() if given[pk] < repeats),
        sample=_sample(lines),
    )


def run_before(*, submission: Submission) -> Run | None:
    """Return the finished run, asked here or imported, that stands on the board before a run of the submission."""
    others = Run.objects.filter(
        system=submission.system_id,
        set_revision__question_set=submission.set_revision.question_set_id,
        status=Run.Status.FINISHED,
        withdrawn_at=None,
    ).exclude(origin=Run.Origin.SUBMITTED)
    return others.order_by("-queued_at").first()


class _Row(NamedTuple):
    completion_id: int
    question_revision_id: int
    repeat: int
    n_characters: int


def _few_enough(rows: Sequence[_Row]) -> list[int]:
    """Return the ids of what is looked at here: everything, or as much as may be, spread over all of it."""
    to_read = sum(min(row.n_characters, LONGEST_READ_HERE) for row in rows)
    step = max(1, ceil(to_read / MOST_READ_HERE))
    return [row.completion_id for row in rows[::step]]


def _texts(submission: Submission, ids: Sequence[int]) -> Iterator[Any]:
    """Give the completions, of those that are too long the beginning only, few at a time."""
    rows = submission.completions.defer("completion").annotate(
        n_characters=Length("completion"),
        text=Case(
            When(n_characters__gt=LONGEST_READ_HERE, then=Substr("completion", 1, SHOWN_CHARACTERS)),
            default=F("completion"),
            output_field=TextField(),
        ),
    )
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        yield from rows.filter(pk__in=ids[start : start + _ROWS_AT_ONCE]).order_by("id").iterator(_ROWS_AT_ONCE)


def _line(row: Any, member: Member | None, frozen: Mapping[str, Any]) -> SampleLine:
    status, reason = _read(row, member, frozen)
    return SampleLine(
        completion_id=row.pk,
        key=member.key if member else "",
        repeat=row.repeat,
        prompt=member.prepared.prompt if member else "",
        shown=row.text[:SHOWN_CHARACTERS],
        n_characters=row.n_characters,
        status=status,
        reason=reason,
    )


def _read(row: Any, member: Member | None, frozen: Mapping[str, Any]) -> tuple[str, str]:
    if member is None:
        return FAILED_TO_READ, "Its prompt cannot be made."
    if row.n_characters > LONGEST_READ_HERE:
        return TOO_LONG_HERE, f"It has {row.n_characters:,} characters; it is read when the submission is accepted."
    try:
        reading = read_answer(
            text=row.text,
            asked=asked_of_member(member, frozen=frozen),
            finish_reason=finish_reason_of(row.facts),
            reader=READER,
        )
    except Exception as error:  # noqa: BLE001 -- one reply that breaks the reader must not hide the others
        return FAILED_TO_READ, f"The reader fails: {type(error).__name__}"
    return reading.status.value, reading.reason


def _counted(lines: Sequence[SampleLine]) -> dict[str, int]:
    counts = Counter(line.status for line in lines)
    names = [status.value for status in ReadStatus] + [FAILED_TO_READ, TOO_LONG_HERE]
    return {name: counts[name] for name in names if counts[name] or name in {ReadStatus.READ, ReadStatus.UNPARSED}}


def _sample(lines: Sequence[SampleLine]) -> tuple[SampleLine, ...]:
    """Return some of the completions that cannot be read, then some of the others, each spread over all of them."""
    unread = [line for line in lines if line.status != ReadStatus.READ.value]
    read = [line for line in lines if line.status == ReadStatus.READ.value]
    few = _spread(unread, SAMPLE // 2)
    return (*few, *_spread(read, SAMPLE - len(few)))


def _spread(lines: Sequence[SampleLine], n: int) -> list[SampleLine]:
    if len(lines) <= n:
        return list(lines)
    return [lines[index * len(lines) // n] for index in range(n)]


class SubmissionState(NamedTuple):
    """What a contributor may know of a submission: that it is there, how much there is, and the decision."""

    submission_id: int
    status: str
    system: str
    set: str
    set_revision: int
    prompt_style: str
    received_at: datetime
    reviewed_at: datetime | None
    reason: str
    n_questions: int
    n_covered: int
    n_completions: int
    repeats: int


def submission_states(*, token: ContributorToken) -> list[SubmissionState]:
    """Return every submission of a contributor, newest first, in one query."""
    return [_state(row) for row in _states(token)]


def submission_state(*, token: ContributorToken, submission_id: int) -> SubmissionState | None:
    """Return one submission of a contributor, None for one that is not theirs."""
    row = _states(token).filter(pk=submission_id).first()
    return None if row is None else _state(row)


def _states(token: ContributorToken) -> QuerySet[Submission]:
    members = (
        QuestionSetMember.objects.filter(set_revision=OuterRef("set_revision"))
        .order_by()
        .values("set_revision")
        .annotate(n=Count("pk"))
        .values("n")
    )
    return (
        Submission.objects.filter(token=token)
        .select_related("system", "set_revision__question_set")
        .annotate(
            n_members=Subquery(members),
            n_rows=Count("completions"),
            n_covered=Count("completions__question_revision", distinct=True),
            last_repeat=Max("completions__repeat"),
        )
        .order_by("-received_at", "-pk")
    )


def _state(row: Any) -> SubmissionState:
    return SubmissionState(
        submission_id=row.pk,
        status=row.status,
        system=row.system.slug,
        set=row.set_revision.question_set.slug,
        set_revision=row.set_revision.number,
        prompt_style=row.prompt_style,
        received_at=row.received_at,
        reviewed_at=row.reviewed_at,
        reason=row.review_reason,
        n_questions=row.n_members,
        n_covered=row.n_covered,
        n_completions=row.n_rows,
        repeats=1 + (row.last_repeat or 0),
    )
