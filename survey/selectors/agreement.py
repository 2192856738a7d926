"""How far the people of a study agree with each other. For staff."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.models import Label
from corpus.scoring.types import Outcome
from survey.models import Study, StudyBlock
from survey.selectors.study_answers import StudyAnswer, answer_values, study_answers
from survey.statistics import Agreement, krippendorff_alpha

TOPIC_GROUPING = "topic"


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A part of a study: agreement on the answers given, and on being right or not (None without verdicts)."""

    part: str
    name: str
    n_people: int
    answers: Agreement
    verdicts: Agreement | None


def study_agreement(study: Study, *, with_verdicts: bool) -> list[AgreementRow]:
    """Return the agreement in the whole study, in each block, and in each topic, attention checks left out.

    Without `with_verdicts` nothing depends on which answers are right: a topic can be one question and two people.

    Topics are the labels of the grouping the study is balanced over, else of the grouping `topic`. Four queries,
    more where a question has a later revision.
    """
    answers = [answer for answer in study_answers(study) if not answer.is_attention_check]
    if not answers:
        return []
    values = answer_values(answers, with_verdicts=with_verdicts)
    return [
        _row(part, name, given, values, with_verdicts=with_verdicts) for part, name, given in _parts(study, answers)
    ]


def _parts(study: Study, answers: Sequence[StudyAnswer]) -> Iterator[tuple[str, str, list[StudyAnswer]]]:
    yield "study", "Whole study", list(answers)
    for block_id, title in StudyBlock.objects.filter(study=study).order_by("position").values_list("pk", "title"):
        yield "block", title, [answer for answer in answers if answer.block_id == block_id]
    for name, question_ids in _topics(study, answers).items():
        yield "topic", name, [answer for answer in answers if answer.question_id in question_ids]


def _topics(study: Study, answers: Sequence[StudyAnswer]) -> dict[str, set[int]]:
    answered = {answer.question_id for answer in answers}
    labelled = Label.questions.through.objects.filter(question_id__in=answered)
    if study.balance_grouping_id:
        labelled = labelled.filter(label__grouping=study.balance_grouping_id)
    else:
        labelled = labelled.filter(label__grouping__slug=TOPIC_GROUPING)
    found: dict[str, set[int]] = {}
    for name, question_id in labelled.order_by("label__name").values_list("label__name", "question_id"):
        found.setdefault(name, set()).add(question_id)
    return found


def _row(
    part: str, name: str, answers: Sequence[StudyAnswer], values: Mapping[int, object], *, with_verdicts: bool
) -> AgreementRow:
    given = [answer for answer in answers if answer.answer_id in values]
    return AgreementRow(
        part=part,
        name=name,
        n_people=len({answer.participant_id for answer in answers}),
        answers=krippendorff_alpha([a.root_id for a in given], _coded([values[a.answer_id] for a in given])),
        verdicts=_verdicts(answers) if with_verdicts else None,
    )


def _verdicts(answers: Sequence[StudyAnswer]) -> Agreement:
    judged = [answer for answer in answers if answer.is_judged]
    return krippendorff_alpha([a.root_id for a in judged], [a.outcome == Outcome.RIGHT for a in judged])


def _coded(values: Sequence[object]) -> list[int]:
    codes: dict[object, int] = {}
    return [codes.setdefault(value, len(codes)) for value in values]
