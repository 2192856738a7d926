"""Which questions people are being asked, or are about to be."""

from corpus.models import QuestionSetMember
from survey.models import Assignment, Study


def questions_in_use(*, benchmark_id: int) -> set[int]:
    """Return the ids of the questions of a benchmark that any study which is not closed asks, or has asked.

    They are those of its blocks, its attention checks, and those people were given: a block may have been given another
    set since. Whoever reads one of them elsewhere beforehand spoils the study.
    """
    unfinished = Study.objects.exclude(status=Study.Status.CLOSED)
    members = QuestionSetMember.objects.filter(question_revision__question__benchmark=benchmark_id)
    of_blocks = members.filter(set_revision__study_blocks__study__in=unfinished)
    of_checks = members.filter(set_revision__in=unfinished.filter(attention_set__isnull=False).values("attention_set"))
    given = Assignment.objects.filter(
        participant__study__in=unfinished, question_revision__question__benchmark=benchmark_id
    )
    name = "question_revision__question_id"
    return {
        question_id
        for rows in (of_blocks, of_checks, given)
        for question_id in rows.order_by().values_list(name, flat=True).distinct()
    }
