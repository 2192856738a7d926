"""Store what an imported person was given and what they answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from corpus.scoring.published import UnmatchedOptionsError
from corpus.scoring.rules import resolve_rule
from corpus.selectors.later_keys import keys_in_force
from corpus.services.verdicts import Judged, store_verdicts_in_bulk
from survey.models import Assignment, Participant, Response, ResponseReading, ResponseScore
from survey.services.imported_answers import STANDARD_RULE, PreparedAnswer
from survey.services.imported_questions import MatchedQuestion, option_keys_of

BATCH = 500


@dataclass(slots=True)
class ResponsesImported:
    """What became of a person's answers; `corrected` are left because a maintainer has corrected their reading."""

    new: list[PreparedAnswer] = field(default_factory=list)
    changed: list[PreparedAnswer] = field(default_factory=list)
    unchanged: list[PreparedAnswer] = field(default_factory=list)
    corrected: list[PreparedAnswer] = field(default_factory=list)
    n_kept: int = 0

    def counts(self) -> dict[str, int]:
        """Return how many were new, changed, unchanged, or kept though the export has them no longer."""
        return {
            "new": len(self.new),
            "changed": len(self.changed),
            "unchanged": len(self.unchanged),
            "kept": self.n_kept,
        }


def assignments_import(
    *,
    participant: Participant,
    answers: Sequence[PreparedAnswer],
    questions: Mapping[str, MatchedQuestion],
    listed: Mapping[str, Sequence[str]],
) -> dict[int, Assignment]:
    """Return the person's assignments by question: answered ones in their order, then those never answered.

    Everybody was to answer the whole survey, so that what is unanswered was given as well. The order it would have
    come in is not known and is that of the list; `listed` holds the options of `questions` as the survey lists them.
    """
    rows = participant.assignments.select_related("question_revision")
    given = {row.question_revision.question_id: row for row in rows}
    wanted = _wanted(answers, questions, listed)
    last = max((row.position for row in given.values()), default=0)
    fresh = [entry for entry in wanted if entry[0].revision.question_id not in given]
    made = Assignment.objects.bulk_create(
        [
            Assignment(
                participant=participant,
                block=question.block,
                question_revision=question.revision,
                position=last + place,
                option_order=list(order),
            )
            for place, (question, order) in enumerate(fresh, start=1)
        ],
        batch_size=BATCH,
    )
    _orders_update(answers, given)
    return given | {row.question_revision.question_id: row for row in made}


def _wanted(
    answers: Sequence[PreparedAnswer],
    questions: Mapping[str, MatchedQuestion],
    listed: Mapping[str, Sequence[str]],
) -> list[tuple[MatchedQuestion, Sequence[str]]]:
    answered = {entry.question.revision.pk for entry in answers}
    in_order = sorted(questions.items(), key=lambda found: (found[1].block.position, len(found[0]), found[0]))
    return [(entry.question, entry.option_order) for entry in answers] + [
        (question, _listed_order(question, listed[number]))
        for number, question in in_order
        if question.revision.pk not in answered
    ]


def _orders_update(answers: Sequence[PreparedAnswer], given: Mapping[int, Assignment]) -> None:
    for entry in answers:
        row = given.get(entry.question.revision.question_id)
        if row is not None and row.option_order != list(entry.option_order):
            row.option_order = list(entry.option_order)
            row.save(update_fields=["option_order"])


def responses_import(
    *, participant: Participant, answers: Sequence[PreparedAnswer], given: Mapping[int, Assignment], now: datetime
) -> ResponsesImported:
    """Store a person's answers with their verdicts: new ones, and those that have changed in the place of the old.

    They are judged by the key in force, which may have been corrected since the question was given. `now`, not after
    the study closed, stands for when an answer was given, which the export does not say.
    """
    done = ResponsesImported()
    known = {
        response.assignment_id: response
        for response in Response.objects.filter(assignment__participant=participant).select_related("assignment")
    }
    to_judge: list[tuple[Response, PreparedAnswer]] = []
    for entry in answers:
        assignment = given[entry.question.revision.question_id]
        response = known.pop(assignment.pk, None)
        if response is None:
            done.new.append(entry)
            to_judge.append((Response(assignment=assignment, answered_at=now, **entry.fields), entry))
        elif all(getattr(response, name) == value for name, value in entry.fields.items()):
            done.unchanged.append(entry)
        elif response.readings.filter(corrected_by__isnull=False).exists():
            done.corrected.append(entry)
        else:
            done.changed.append(entry)
            to_judge.append((response, entry))
            _put_in_place(response, entry)
    done.n_kept = len(known)
    Response.objects.bulk_create([response for response, _ in to_judge if response.pk is None], batch_size=BATCH)
    _judge(to_judge)
    _finish(participant, now)
    return done


def _put_in_place(response: Response, entry: PreparedAnswer) -> None:
    """Change an answer, without the readings of what is no longer there."""
    response.readings.all().delete()
    for name, value in entry.fields.items():
        setattr(response, name, value)
    response.save()


def _finish(participant: Participant, now: datetime) -> None:
    if not participant.assignments.filter(response__isnull=True).exists():
        Participant.objects.filter(pk=participant.pk, finished_at__isnull=True).update(finished_at=now)


def _listed_order(question: MatchedQuestion, texts: Sequence[str]) -> Sequence[str]:
    """Return the options in the survey's own order, or in the bank's where they are not the same."""
    if not texts:
        return ()
    try:
        keys = option_keys_of(texts=texts, target=question.target)
    except UnmatchedOptionsError:
        return [option.key for option in question.target.options]
    return [keys[text] for text in texts]


def _judge(answers: Sequence[tuple[Response, PreparedAnswer]]) -> None:
    if not answers:
        return
    default = answers[0][1].question.revision.question.benchmark.default_rule
    store_verdicts_in_bulk(
        judged=_to_judge(answers, default),
        reading_model=ResponseReading,
        score_model=ResponseScore,
        current_rule=default,
        batch_size=BATCH,
    )


def _to_judge(answers: Sequence[tuple[Response, PreparedAnswer]], default: str) -> list[Judged]:
    """Return every reading with the rules it is judged by, and the key in force for what the person was given."""
    standard = resolve_rule(STANDARD_RULE)
    keys = keys_in_force({response.assignment.question_revision_id for response, _ in answers})
    return [
        Judged(
            answer=response,
            reading=reading,
            target=key.target,
            rules=tuple(dict.fromkeys((rule, default))) if rule == standard else (rule,),
            key_revision_id=key.revision_id,
        )
        for response, entry in answers
        for key in [keys[response.assignment.question_revision_id]]
        for reading, rule in entry.readings
    ]
