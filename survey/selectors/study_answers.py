"""The answers of a study as item analysis and agreement read them: one row each, in two queries."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal

from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Coalesce

from corpus.scoring.rules import NotJudgedError, judge
from corpus.scoring.types import Kind, Outcome, Target
from corpus.selectors.later_keys import keys_in_force, matching_options
from corpus.services.verdicts import reading_from_row
from survey.models import Participant, ParticipantFlag, Response, ResponseScore, Study
from survey.statistics import number_groups

UNJUDGED = ("", Outcome.ERROR.value)


@dataclass(frozen=True, slots=True)
class StudyAnswer:
    """One answer. `seconds` is the time on the question without the time away; `number` what was read, if any.

    `root_id` is the revision under which answers to comparable revisions are put together, by the keys in force.
    `revision_id` is the newest revision of these that anybody was asked, in whose options `option_keys` are. `outcome`
    is by the key in force, also where the stored verdict still waits for a rescoring.
    """

    answer_id: int
    participant_id: int
    block_id: int
    question_id: int
    revision_id: int
    root_id: int
    kind: str
    is_attention_check: bool
    option_keys: tuple[str, ...]
    number: Decimal | None
    outcome: str
    seconds: float | None

    @property
    def is_judged(self) -> bool:
        """Whether there is a verdict."""
        return self.outcome not in UNJUDGED

    @property
    def is_right(self) -> bool:
        """Whether the verdict is right."""
        return self.outcome == Outcome.RIGHT

    @property
    def is_do_not_know(self) -> bool:
        """Whether the person said that they do not know."""
        return self.outcome == Outcome.DO_NOT_KNOW


def analysed_people(study: Study) -> QuerySet[Participant]:
    """Return whose answers are analysed: who agreed, has not withdrawn, and is not left out for a flag.

    Somebody with a flag nobody has reviewed is left out until then. Whether they finished, and how experienced they
    are, makes no difference here: an answer says something of its question in any case.
    """
    left_out = ParticipantFlag.objects.exclude(is_left_out=False).values("participant")
    return study.participants.filter(consented_at__isnull=False, withdrawn_at__isnull=True).exclude(pk__in=left_out)


def study_answers(study: Study) -> list[StudyAnswer]:
    """Return the answers of the analysed people, attention checks marked, in the order of people and positions.

    Two queries; at most six more where a question has a later revision than the one that was asked.
    """
    answers = Response.objects.filter(assignment__participant__in=analysed_people(study))
    numbers = _numbers_read(answers)
    rows = (
        answers.annotate(root_id=_root_id())
        .order_by("assignment__participant_id", "assignment__position")
        .values_list(
            "pk",
            "assignment__participant_id",
            "assignment__block_id",
            "assignment__question_revision__question_id",
            "assignment__question_revision_id",
            "root_id",
            "assignment__question_revision__kind",
            "assignment__is_attention_check",
            "chosen_option_keys",
            "outcome",
            "seconds",
            "away_seconds",
            "key_revision_id",
            "assignment__question_revision__question__current_revision_id",
        )
    )
    given, judged_by, superseded = [], {}, set()
    for row in rows.iterator(chunk_size=2000):
        options, number, seconds = tuple(sorted(set(row[8]))), numbers.get(row[0]), net_seconds(row[10], row[11])
        given.append(StudyAnswer(*row[:8], options, number, row[9], seconds))
        judged_by[row[0]] = row[12]
        if row[4] != row[13]:
            superseded.add(row[3])
    return _by_keys_in_force(given, judged_by, superseded) if superseded else given


def _by_keys_in_force(
    answers: Sequence[StudyAnswer], judged_by: Mapping[int, int | None], question_ids: Collection[int]
) -> list[StudyAnswer]:
    """Put the answers to these questions under the key in force. `judged_by` has the key revision of each verdict."""
    keys = keys_in_force({answer.revision_id for answer in answers if answer.question_id in question_ids})
    newest: dict[int, int] = {}
    for revision_id, key in sorted(keys.items(), key=lambda pair: pair[1].revision.number):
        newest[key.root_id] = revision_id
    named = {
        revision_id: matching_options(key.target.options, keys[newest[key.root_id]].target.options) or {}
        for revision_id, key in keys.items()
    }
    outcomes = _outcomes_due(
        {
            answer.answer_id: keys[answer.revision_id].target
            for answer in answers
            if answer.revision_id in keys
            and answer.is_judged
            and judged_by[answer.answer_id] != keys[answer.revision_id].revision_id
        }
    )
    return [
        replace(
            answer,
            root_id=keys[answer.revision_id].root_id,
            revision_id=newest[keys[answer.revision_id].root_id],
            option_keys=tuple(sorted(named[answer.revision_id].get(key, key) for key in answer.option_keys)),
            outcome=outcomes.get(answer.answer_id, answer.outcome),
        )
        if answer.revision_id in keys
        else answer
        for answer in answers
    ]


def _outcomes_due(targets: Mapping[int, Target]) -> dict[int, str]:
    """Return what the readings behind the current verdicts are by these targets; a person's correction goes first."""
    if not targets:
        return {}
    scores = ResponseScore.objects.filter(answer__in=list(targets), rule=F("answer__rule")).select_related("reading")
    outcomes = {}
    for score in sorted(scores, key=lambda score: (score.reading.corrected_by_id is not None, score.pk)):
        with suppress(NotJudgedError):
            verdict = judge(reading=reading_from_row(score.reading), target=targets[score.answer_id], rule=score.rule)
            outcomes[score.answer_id] = verdict.outcome.value
    return outcomes


def net_seconds(seconds: float | None, away_seconds: float | None) -> float | None:
    """Return the time on a question without the time away; None where the time is not known."""
    return None if seconds is None else max(0.0, seconds - (away_seconds or 0.0))


def answer_values(answers: Sequence[StudyAnswer], *, with_verdicts: bool = True) -> dict[int, Hashable]:
    """Return, by answer id, what counts as the same answer to a question; who gave none is not in it.

    For a choice it is the set of options. Numbers are the same where both are right, or where they are as close as
    `number_groups` says; without `with_verdicts` they are never the same for being right. "I do not know" is no answer.
    """
    right = {answer.answer_id for answer in answers if with_verdicts and answer.kind == Kind.NUMBER and answer.is_right}
    values: dict[int, Hashable] = {
        answer.answer_id: (answer.root_id, answer.option_keys)
        for answer in answers
        if answer.kind == Kind.CHOICE and answer.option_keys
    }
    for root_id, numeric in _numbers_apart(answers, right).items():
        for place, group in enumerate(number_groups([answer.number or Decimal(0) for answer in numeric])):
            values |= {numeric[index].answer_id: (root_id, place) for index in group.places}
    return values | {answer.answer_id: (answer.root_id, "right") for answer in answers if answer.answer_id in right}


def _numbers_apart(answers: Sequence[StudyAnswer], right: Collection[int]) -> Mapping[int, list[StudyAnswer]]:
    """Return the answers with a number by question, without those whose ids are in `right`."""
    found: dict[int, list[StudyAnswer]] = {}
    for answer in answers:
        if answer.kind == Kind.NUMBER and answer.number is not None and answer.answer_id not in right:
            found.setdefault(answer.root_id, []).append(answer)
    return found


def _numbers_read(answers: QuerySet[Response]) -> dict[int, Decimal]:
    """Return the number behind the current verdict of each numeric answer; a person's correction goes first.

    Where that says that nothing was read, there is no number.
    """
    rows = (
        ResponseScore.objects.filter(answer__in=answers, rule=F("answer__rule"))
        .filter(answer__assignment__question_revision__kind=Kind.NUMBER)
        .annotate(is_corrected=ExpressionWrapper(Q(reading__corrected_by__isnull=False), BooleanField()))
        .order_by("is_corrected", "pk")
        .values_list("answer_id", "reading__number")
    )
    return {answer_id: Decimal(number) for answer_id, number in dict(rows).items() if number}


def _root_id() -> Coalesce:
    return Coalesce(
        F("assignment__question_revision__comparison_root_id"),
        F("assignment__question_revision_id"),
    )
