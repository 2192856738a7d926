"""Read and judge people's answers again, in the same way as models'."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import cast

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Q, QuerySet

from corpus.models import Benchmark
from corpus.scoring.rules import resolve_rule
from corpus.scoring.types import Reading
from corpus.selectors.later_keys import KeyInForce, keys_in_force
from corpus.services.corrections import Corrected, CorrectionError, reading_correct
from corpus.services.rescoring import (
    Accepted,
    Proposed,
    Reread,
    RescoringError,
    Tables,
    default_reader,
    reads_again,
    rescoring_accept,
    rescoring_discard,
    rescoring_propose,
    resolve_reader,
)
from survey.models import (
    Participant,
    RescoredResponse,
    Response,
    ResponseReading,
    ResponseRescoring,
    ResponseScore,
    Study,
)
from survey.services.holding import done_again
from survey.services.inclusion import results_change
from survey.services.responses import Given, reading_of

TABLES = Tables(
    answer=Response, reading=ResponseReading, score=ResponseScore, rescoring=ResponseRescoring, row=RescoredResponse
)
RESPONSES_AT_ONCE = 1000


def study_rescore(
    *,
    study: Study,
    rule: str = "standard",
    reader: str = "",
    question_ids: Collection[int] | None = None,
    actor: AbstractBaseUser | None = None,
) -> tuple[Proposed, ...]:
    """Propose a rescoring of a study's answers, one for each benchmark it asks from; see `rescoring_propose`.

    `rule` and `reader` are names, for the newest version, or `name@version`; without a reader the rule's usual one.
    `question_ids` narrows the answers to these questions. Raises UnknownRuleError and RescoringError.
    """
    rule_name = resolve_rule(rule)
    reader_name = resolve_reader(reader) if reader else default_reader(rule_name)
    return tuple(
        rescoring_propose(
            tables=TABLES,
            benchmark=benchmark,
            group={"study": study},
            chunks=partial(
                study_chunks, study=study, benchmark=benchmark, reader=reader_name, question_ids=question_ids
            ),
            rule=rule_name,
            reader=reader_name,
            actor=actor,
        )
        for benchmark in benchmarks_of(study)
    )


def benchmarks_of(study: Study) -> QuerySet[Benchmark]:
    """Return the benchmarks a study asks from."""
    return Benchmark.objects.filter(question_sets__revisions__study_blocks__study=study).distinct().order_by("pk")


@done_again
def study_rescoring_accept(
    *, rescoring_id: int, actor: AbstractBaseUser | None = None, replace: Collection[int] = ()
) -> Accepted:
    """Accept a rescoring of a study; see `rescoring_accept`. People whose answers are judged now may join results.

    Whoever's answers are in it is held, finished or not; who withdraws meanwhile is no longer in it.
    """
    study_id = ResponseRescoring.objects.values_list("study_id", flat=True).filter(pk=rescoring_id).first()
    # One that is gone has no study to hold, and is refused.
    with nullcontext() if study_id is None else results_change(study_id=study_id, also=_people_of(rescoring_id)):
        return rescoring_accept(tables=TABLES, rescoring_id=rescoring_id, actor=actor, replace=replace)


def _people_of(rescoring_id: int) -> Q:
    answered = Participant.objects.filter(assignments__response__rescored__rescoring=rescoring_id)
    return Q(pk__in=answered.order_by().values("pk"))


def study_rescoring_discard(*, rescoring_id: int, actor: AbstractBaseUser | None = None) -> ResponseRescoring:
    """Discard a rescoring of a study; see `rescoring_discard`."""
    return cast(ResponseRescoring, rescoring_discard(tables=TABLES, rescoring_id=rescoring_id, actor=actor))


def response_reading_correct(
    *, response: Response, reading: Reading, reason: str, actor: AbstractBaseUser
) -> Corrected:
    """Store a maintainer's reading of a person's answer and make it current; see `reading_correct`.

    Raises CorrectionError as well when the person has withdrawn in the meantime and the answer is gone.
    """
    revision = response.assignment.question_revision
    with results_change(study_id=response.assignment.block.study_id, also=Q(pk=response.assignment.participant_id)):
        if not Response.objects.filter(pk=response.pk).exists():
            raise CorrectionError("This answer is gone: the person has withdrawn. There is nothing left to correct.")
        return reading_correct(
            answer=response,
            reading=reading,
            key=keys_in_force([revision.pk])[revision.pk],
            benchmark=revision.question.benchmark,
            reason=reason,
            actor=actor,
        )


def study_chunks(
    *, study: Study, benchmark: Benchmark, reader: str, question_ids: Collection[int] | None
) -> Iterator[Sequence[Reread]]:
    """Yield a study's answers to questions of a benchmark, or those of `question_ids`, read again by `reader`."""
    responses = Response.objects.filter(
        assignment__participant__study=study, assignment__question_revision__question__benchmark=benchmark
    )
    if question_ids is not None:
        responses = responses.filter(assignment__question_revision__question__in=question_ids)
    ids = list(responses.order_by("pk").values_list("pk", "assignment__question_revision_id"))
    keys = keys_in_force({revision_id for _, revision_id in ids})
    for start in range(0, len(ids), RESPONSES_AT_ONCE):
        chosen = [pk for pk, _ in ids[start : start + RESPONSES_AT_ONCE]]
        rows = Response.objects.filter(pk__in=chosen).select_related("assignment").order_by("pk")
        yield [_reread(response, keys, reader) for response in rows]


def _reread(response: Response, keys: Mapping[int, KeyInForce], reader: str) -> Reread:
    key = keys[response.assignment.question_revision_id]
    if not reads_again(reader):
        return Reread(response, None, key)
    # The revision is in hand already, with its options.
    response.assignment.question_revision = key.revision
    reading = reading_of(assignment=response.assignment, given=given_of(response))
    if reading.reader != reader:
        raise RescoringError(
            f"People's answers are read by {reading.reader}; {reader} cannot read them. Leave the reader out."
        )
    return Reread(response, reading, key)


def given_of(response: Response) -> Given:
    """Return a stored answer as the person gave it."""
    return Given(
        option_keys=tuple(response.chosen_option_keys),
        typed_text=response.typed_text,
        do_not_know=response.do_not_know,
    )
