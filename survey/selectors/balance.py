"""How evenly the answers of a study have gathered, and which questions the next person should get."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from corpus.models import Grouping, Label, QuestionSetMember
from corpus.selectors.later_keys import keys_in_force
from survey.models import Assignment, ParticipantFlag, Response, Study, StudyBlock

# Whoever has neither begun, nor been shown a question, nor answered for so long is taken to have stopped; what they
# left is given to others.
ACTIVE_DAYS = 14
NO_TOPIC = ""
ROOT_ID = Coalesce("question_revision__comparison_root_id", "question_revision_id")
QUESTION_ID = "question_revision__question_id"


class SetQuestion(NamedTuple):
    """A question of a set: the revision that is asked, and under which root and question it is known."""

    revision_id: int
    root_id: int
    question_id: int


class PerQuestion(NamedTuple):
    """The least, the middle and the greatest of a count that each question of a topic has."""

    least: int
    median: float
    most: int


@dataclass(frozen=True, slots=True)
class TopicBalance:
    """One topic of a block, or the whole block. What counts as an answer and as waiting: `block_coverage`.

    `topic` is a label's name, `NO_TOPIC` for questions without one and for the whole block. `expected_answers` is the
    topic's share of the block's answers by the number of its questions. `answers` counts answers per question,
    `covered` answers and waiting together, which is what the draw keeps even.
    """

    topic: str
    n_questions: int
    n_answers: int
    n_waiting: int
    expected_answers: float
    answers: PerQuestion
    covered: PerQuestion


@dataclass(frozen=True, slots=True)
class BlockBalance:
    """One block: its topics by name, and how much people overlap.

    `n_people` answered at least one question. `people_per_question` is the median number of people who answered a
    question, `questions_in_common` the median number of questions two people both answered (None below two people).
    """

    block: StudyBlock
    n_people: int
    total: TopicBalance
    topics: tuple[TopicBalance, ...]
    people_per_question: float
    questions_in_common: float | None


def study_balance(study: Study, *, now: datetime | None = None) -> list[BlockBalance]:
    """Return the achieved balance of every block of a study, in the listed order. At most four queries a block."""
    return [_block_balance(block, study.balance_grouping, now) for block in study.blocks.all()]


def block_coverage(block: StudyBlock, *, now: datetime | None = None) -> Counter[int]:
    """Return how often each question of a block is covered, by root id: answered, or likely to be. Two queries.

    Answers count unless somebody looked at the person and left them out; questions without an answer count for
    `ACTIVE_DAYS` after the person began, drew their questions, was first shown one or last answered. People who
    withdrew and attention checks count nowhere. Where the part went on to a later revision of its set, what was given
    before counts where the question is the same by the keys in force (four queries more).
    """
    return _coverage(block, set_questions(block.set_revision_id), now)


def _coverage(block: StudyBlock, questions: Sequence[SetQuestion], now: datetime | None) -> Counter[int]:
    since = (now or timezone.now()) - timedelta(days=ACTIVE_DAYS)
    latest = Response.objects.filter(assignment__participant=OuterRef("participant"), answered_at__gte=since)
    shown = Assignment.objects.filter(participant=OuterRef("participant"), served_at__gte=since)
    began = Q(participant__started_at__gte=since) | Q(participant__practised_at__gte=since)
    may_answer = began | Exists(latest) | Exists(shown)
    given = _given(block).filter(Q(response__isnull=False) | may_answer)
    rows = given.annotate(root_id=ROOT_ID).values_list("question_revision_id", "root_id", QUESTION_ID)
    counts = {SetQuestion(*row[:3]): row[3] for row in rows.annotate(n=Count("pk"))}
    root_of = _roots_in_set(questions, counts)
    coverage: Counter[int] = Counter()
    for asked, n in counts.items():
        coverage[root_of[asked.revision_id]] += n
    return coverage


def set_questions(set_revision_id: int) -> list[SetQuestion]:
    """Return the questions of a set in its order. One query."""
    members = QuestionSetMember.objects.filter(set_revision=set_revision_id).order_by("position")
    rows = members.values_list("question_revision_id", ROOT_ID, QUESTION_ID)
    return [SetQuestion(*row) for row in rows]


def block_topics(block: StudyBlock, grouping: Grouping | None) -> dict[int, str]:
    """Return the topic of every question of a block by root id, in the set's order.

    A question with several labels of the grouping belongs to the first by name; one without any to `NO_TOPIC`.
    Without a grouping all belong to `NO_TOPIC`. Two queries at most.
    """
    return _topics(block, grouping, set_questions(block.set_revision_id))


def _topics(block: StudyBlock, grouping: Grouping | None, questions: Sequence[SetQuestion]) -> dict[int, str]:
    label_of: dict[int, str] = {}
    if grouping:
        labels = Label.questions.through.objects.filter(label__grouping=grouping)
        labels = labels.filter(question__revisions__set_memberships__set_revision=block.set_revision_id)
        for question_id, name in labels.order_by("label__name", "label_id").values_list("question_id", "label__name"):
            label_of.setdefault(question_id, name)
    return {question.root_id: label_of.get(question.question_id, NO_TOPIC) for question in questions}


def _given(block: StudyBlock) -> QuerySet[Assignment]:
    left_out = ParticipantFlag.objects.filter(participant=OuterRef("participant"), is_left_out=True)
    return Assignment.objects.filter(
        ~Exists(left_out), block=block, is_attention_check=False, participant__withdrawn_at__isnull=True
    ).order_by()


def _roots_in_set(questions: Sequence[SetQuestion], asked: Iterable[SetQuestion]) -> dict[int, int]:
    """Return, by revision asked, its root in a set: that of the question with the same key in force where there is one.

    The set's own questions keep their root. No query unless something else was asked.
    """
    asked = set(asked)
    members, roots = {question.question_id: question for question in questions}, {q.root_id for q in questions}
    others = {other: members[other.question_id] for other in asked if other.question_id in members}
    others = {other: member for other, member in others.items() if other.root_id not in roots}
    keys = keys_in_force({question.revision_id for pair in others.items() for question in pair}) if others else {}
    return {question.revision_id: question.root_id for question in asked} | {
        other.revision_id: member.root_id
        for other, member in others.items()
        if keys[other.revision_id].root_id == keys[member.revision_id].root_id
    }


def _block_balance(block: StudyBlock, grouping: Grouping | None, now: datetime | None) -> BlockBalance:
    questions = set_questions(block.set_revision_id)
    topic_of = _topics(block, grouping, questions)
    covered = _coverage(block, questions, now)
    answered = _given(block).filter(response__isnull=False)
    rows = answered.values_list("participant_id", "question_revision_id", ROOT_ID, QUESTION_ID)
    answers = [(person, SetQuestion(*asked)) for person, *asked in rows]
    root_of = _roots_in_set(questions, [asked for _, asked in answers])
    pairs = [
        (person, root_of[asked.revision_id]) for person, asked in answers if root_of[asked.revision_id] in topic_of
    ]
    n_answered = Counter(root_id for _, root_id in pairs)
    share = len(pairs) / len(topic_of) if topic_of else 0.0

    def balance(topic: str, roots: list[int]) -> TopicBalance:
        n_answers = sum(n_answered[root_id] for root_id in roots)
        return TopicBalance(
            topic=topic,
            n_questions=len(roots),
            n_answers=n_answers,
            n_waiting=sum(covered[root_id] for root_id in roots) - n_answers,
            expected_answers=share * len(roots),
            answers=_per_question([n_answered[root_id] for root_id in roots]),
            covered=_per_question([covered[root_id] for root_id in roots]),
        )

    total = balance(NO_TOPIC, list(topic_of))
    names = sorted(set(topic_of.values()))
    return BlockBalance(
        block=block,
        n_people=len({person for person, _ in pairs}),
        total=total,
        topics=tuple(balance(name, [root for root, topic in topic_of.items() if topic == name]) for name in names),
        people_per_question=total.answers.median,
        questions_in_common=_questions_in_common(pairs),
    )


def _per_question(counts: list[int]) -> PerQuestion:
    return PerQuestion(min(counts), float(np.median(counts)), max(counts)) if counts else PerQuestion(0, 0.0, 0)


def _questions_in_common(pairs: list[tuple[int, int]]) -> float | None:
    """Return the median over all pairs of people of the number of questions both answered, from (person, question)."""
    people, rows = np.unique([person for person, _ in pairs], return_inverse=True)
    questions, columns = np.unique([root_id for _, root_id in pairs], return_inverse=True)
    if people.size < 2:
        return None
    answered: npt.NDArray[np.float32] = np.zeros((people.size, questions.size), dtype=np.float32)
    answered[rows, columns] = 1
    common = answered @ answered.T
    return float(np.median(common[np.triu_indices(people.size, k=1)]))
