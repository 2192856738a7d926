"""Shares, orders of parts and attention checks as people are given them; the achieved balance."""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from corpus.models import Benchmark, Grouping, Question
from survey.models import Assignment, Participant, ParticipantFlag, Response, Study, StudyBlock
from survey.selectors.balance import ACTIVE_DAYS, block_coverage, block_topics, study_balance
from survey.selectors.studies import study_problems
from survey.services import (
    BlockPlan,
    assignments_draw,
    participant_withdraw,
    practice_record,
    profile_record,
    study_create,
    study_open,
)
from tests.corpus.factories import label_question, make_benchmark, make_question, make_revision, make_set
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
_numbers = count(1)
SOME_OPTIONS = [("the wrong one", 0), ("the keyed one", 1)]


def make_questions(benchmark: Benchmark, n: int, topic: str = "") -> list[Question]:
    """Save choice questions, with a label of the grouping `topic` unless the name is empty."""
    questions = [make_question(benchmark, options=SOME_OPTIONS) for _ in range(n)]
    for question in questions if topic else []:
        label_question(question, name=topic)
    return questions


def make_balanced_study(
    blocks: Sequence[tuple[Sequence[Question], int | None]], *, opened: bool = True, **fields: Any
) -> Study:
    """Make a study of (questions, questions per person) blocks, balanced over `topic`; all but the first use tools."""
    benchmark = blocks[0][0][0].benchmark
    plans = [
        BlockPlan(
            slug=f"part-{number}",
            title=f"Part {number}",
            rules="Answer.",
            tools_allowed=number > 1,
            set_revision=make_set(benchmark, revisions=questions).current_revision,
            questions_per_person=size,
        )
        for number, (questions, size) in enumerate(blocks, start=1)
    ]
    grouping = Grouping.objects.filter(benchmark=benchmark, slug="topic").first()
    study = study_create(
        slug=f"balanced-{next(_numbers)}",
        title="Balanced",
        consent_text="You may stop at any time.",
        blocks=plans,
        **{"balance_grouping": grouping, **fields},
    )
    if opened:
        study_open(study=study)
    return study


def two_topics(n_first: int = 4, n_second: int = 2, *, size: int = 3, **fields: Any) -> Study:
    benchmark = make_benchmark()
    questions = make_questions(benchmark, n_first, "First") + make_questions(benchmark, n_second, "Second")
    return make_balanced_study([(questions, size)], **fields)


def topics_of(participant: Participant) -> Counter[str]:
    names = participant.assignments.values_list("question_revision__question__labels__name", flat=True)
    return Counter(names)


# Shares


def test_everybody_gets_a_share_and_answers_gather_evenly() -> None:
    study = two_topics(4, 2, size=3)
    people = [make_participant(study) for _ in range(8)]
    assert [topics_of(person) for person in people] == [Counter(First=2, Second=1)] * 8
    coverage = block_coverage(study.blocks.get())
    # 8 people with 3 of 6 questions each: every question exactly 4 times.
    assert set(coverage.values()) == {4}
    assert len(coverage) == 6
    shares = {frozenset(person.assignments.values_list("question_revision", flat=True)) for person in people}
    assert len(shares) > 2
    study.refresh_from_db()
    assert study.n_draws == 8


@pytest.mark.parametrize("size", [6, 7, 100])
def test_share_as_large_as_the_block_is_all_of_it(size: int) -> None:
    person = make_participant(two_topics(4, 2, size=size))
    assert sorted(person.assignments.values_list("position", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_question_given_in_an_earlier_part_is_not_given_again() -> None:
    benchmark = make_benchmark()
    both, own = make_questions(benchmark, 4), make_questions(benchmark, 2)
    study = make_balanced_study([(both, 3), ([*both, *own], 3)])
    for _ in range(6):
        given = list(make_participant(study).assignments.values_list("question_revision_id", flat=True))
        # Three of the four in the first part leave one of them and two of its own to the second.
        assert len(set(given)) == len(given) == 6
    # Each part gathers its own answers: 6 people, 3 of 4 questions.
    assert set(block_coverage(study.blocks.first()).values()) <= {4, 5}


@pytest.mark.parametrize("size", [None, 2])
def test_question_whose_key_was_corrected_between_two_parts_is_given_once(size: int | None) -> None:
    benchmark = make_benchmark()
    both, own = make_questions(benchmark, 1), make_questions(benchmark, 2)
    first = make_set(benchmark, revisions=both).current_revision
    make_revision(both[0], options=[("the wrong one", 1), ("the keyed one", 0)], change="key")
    study = make_balanced_study([(both, None), ([*both, *own], size)])
    StudyBlock.objects.filter(study=study, position=1).update(set_revision=first)
    asked = list(make_participant(study).assignments.values_list("question_revision__question", flat=True))
    assert len(set(asked)) == len(asked) == 3


def test_first_label_by_name_counts_and_questions_without_one_are_a_topic() -> None:
    benchmark = make_benchmark()
    two, one, none = make_questions(benchmark, 3)
    for name in ("Zeolites", "Acids"):
        label_question(two, name=name)
    label_question(one, name="Zeolites")
    label_question(none, grouping="skill", name="Recall")
    study = make_balanced_study([([two, one, none], 1)])
    topics = block_topics(study.blocks.get(), study.balance_grouping)
    assert list(topics.values()) == ["Acids", "Zeolites", ""]


def test_without_a_grouping_answers_still_gather_evenly() -> None:
    study = two_topics(4, 3, size=2, balance_grouping=None)
    for _ in range(5):
        make_participant(study)
    # 10 questions given of 7.
    assert sorted(block_coverage(study.blocks.get()).values()) == [1, 1, 1, 1, 2, 2, 2]


# What counts as covered


def draw_at(participant: Participant, days_later: int) -> None:
    """Let somebody draw when so many days have passed."""
    assignments_draw(participant=participant, now=timezone.now() + timedelta(days=days_later))


@pytest.fixture
def left_half_way() -> tuple[Study, Participant]:
    """Somebody who answered one question of their two, of a block of four."""
    study = two_topics(4, 0, size=2, balance_grouping=None)
    person = make_participant(study)
    answer_next(person)
    return study, person


@pytest.mark.parametrize(("days", "n_covered"), [(0, 2), (ACTIVE_DAYS - 1, 2), (ACTIVE_DAYS + 1, 1)])
def test_what_somebody_left_counts_until_they_are_taken_to_have_stopped(
    left_half_way: tuple[Study, Participant], days: int, n_covered: int
) -> None:
    coverage = block_coverage(left_half_way[0].blocks.get(), now=timezone.now() + timedelta(days=days))
    assert coverage.total() == n_covered


def test_an_answer_shows_that_somebody_is_still_there(left_half_way: tuple[Study, Participant]) -> None:
    study, person = left_half_way
    long_ago = timezone.now() - timedelta(days=3 * ACTIVE_DAYS)
    Participant.objects.update(started_at=long_ago, practised_at=long_ago)
    Assignment.objects.filter(served_at__isnull=False).update(served_at=long_ago)
    assert block_coverage(study.blocks.get()).total() == 2
    Response.objects.update(answered_at=timezone.now() - timedelta(days=2 * ACTIVE_DAYS))
    assert block_coverage(study.blocks.get()).total() == 1


def test_who_comes_back_late_to_draw_is_seen_by_the_next_draw() -> None:
    study = two_topics(4, 0, size=2, balance_grouping=None)
    late = make_participant(study, practised=False)
    Participant.objects.update(started_at=timezone.now() - timedelta(days=2 * ACTIVE_DAYS))
    practice_record(participant=Participant.objects.get(pk=late.pk))
    following = make_participant(study)
    given = [set(person.assignments.values_list("question_revision", flat=True)) for person in (late, following)]
    assert len(set.union(*given)) == 4, given


def test_who_goes_on_late_is_seen_once_a_question_is_shown(left_half_way: tuple[Study, Participant]) -> None:
    study, person = left_half_way
    long_ago = timezone.now() - timedelta(days=2 * ACTIVE_DAYS)
    Participant.objects.update(started_at=long_ago, practised_at=long_ago)
    Response.objects.update(answered_at=long_ago)
    Assignment.objects.filter(served_at__isnull=False).update(served_at=long_ago)
    assert block_coverage(study.blocks.get()).total() == 1
    go_to_question(person)
    assert block_coverage(study.blocks.get()).total() == 2


def test_question_left_by_somebody_who_stopped_is_given_again(left_half_way: tuple[Study, Participant]) -> None:
    study, person = left_half_way
    left = person.assignments.get(response__isnull=True).question_revision_id
    later = [make_participant(study, practised=False) for _ in range(2)]
    Participant.objects.filter(pk__in=[one.pk for one in later]).update(
        started_at=timezone.now() + timedelta(days=2 * ACTIVE_DAYS)
    )
    for one in later:
        draw_at(one, 2 * ACTIVE_DAYS)
    given = Counter(Assignment.objects.filter(participant__in=later).values_list("question_revision_id", flat=True))
    # Of the 3 questions that nobody answers each is given once before any is given twice.
    assert given[left] >= 1
    assert len(given) >= 3


def test_withdrawn_and_left_out_people_cover_nothing(left_half_way: tuple[Study, Participant]) -> None:
    study, person = left_half_way
    flag = ParticipantFlag.objects.create(participant=person, code="too_fast", detail="x", found_at=timezone.now())
    assert block_coverage(study.blocks.get()).total() == 2
    ParticipantFlag.objects.filter(pk=flag.pk).update(is_left_out=True)
    assert not block_coverage(study.blocks.get())
    ParticipantFlag.objects.filter(pk=flag.pk).update(is_left_out=False)
    assert block_coverage(study.blocks.get()).total() == 2
    participant_withdraw(participant=person)
    assert not block_coverage(study.blocks.get())


# Orders of parts


@pytest.mark.parametrize(
    ("order", "first"),
    [
        (Study.BlockOrder.AS_LISTED, {"no-tools"}),
        (Study.BlockOrder.NO_TOOLS_FIRST, {"no-tools"}),
        (Study.BlockOrder.TOOLS_FIRST, {"tools"}),
        (Study.BlockOrder.RANDOM, {"no-tools", "tools"}),
    ],
)
def test_parts_come_in_the_order_of_the_study(order: str, first: set[str]) -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=2, block_order=order)
    seen = set()
    for _ in range(12):
        slugs = list(make_participant(study).assignments.order_by("position").values_list("block__slug", flat=True))
        assert slugs == [slugs[0]] * 2 + [slugs[2]] * 2
        seen.add(slugs[0])
    assert seen == first


# Attention checks


def with_attention_checks(n_checks: int, every: int) -> Study:
    benchmark = make_benchmark()
    checks = make_set(benchmark, revisions=make_questions(benchmark, n_checks))
    blocks = [(make_questions(benchmark, 5), None), (make_questions(benchmark, 6), 4)]
    return make_balanced_study(blocks, attention_set=checks.current_revision, attention_every=every)


@pytest.mark.parametrize(("n_checks", "every", "expected"), [(5, 3, 3), (2, 3, 2), (5, 10, 0), (9, 1, 9)])
def test_attention_checks_come_between_questions_and_are_never_repeated(
    n_checks: int, every: int, expected: int
) -> None:
    study = with_attention_checks(n_checks, every)
    person = make_participant(study)
    given = list(person.assignments.order_by("position"))
    assert [assignment.position for assignment in given] == list(range(1, 9 + expected + 1))
    checks = [assignment for assignment in given if assignment.is_attention_check]
    members = set(study.attention_set.members.values_list("question_revision_id", flat=True))
    assert len({check.question_revision_id for check in checks} & members) == len(checks) == expected
    assert not given[0].is_attention_check
    for before, after in zip(given, given[1:], strict=False):
        assert not after.is_attention_check or after.block_id == before.block_id
    assert all(check.option_order for check in checks)


def test_attention_checks_are_no_part_of_the_balance() -> None:
    study = with_attention_checks(5, 3)
    make_participant(study)
    assert [block_coverage(block).total() for block in study.blocks.all()] == [5, 4]
    assert [balance.total.n_questions for balance in study_balance(study)] == [5, 6]


# What keeps a study from being opened


def problems_with(**changes: Any) -> str:
    """Return the problems of a study with a share and attention checks after these changes to it."""
    study = two_topics(opened=False)
    benchmark = study.balance_grouping.benchmark
    study.attention_set = make_set(benchmark, revisions=make_questions(benchmark, 1)).current_revision
    study.attention_every = 2
    for name, value in changes.items():
        setattr(study, name, value(study) if callable(value) else value)
    study.save()
    return " ".join(study_problems(study))


def another_grouping(study: Study) -> Grouping:
    return Grouping.objects.create(benchmark=study.balance_grouping.benchmark, slug="other", name="other")


def set_of(study: Study, **fields: Any) -> Any:
    benchmark = study.balance_grouping.benchmark
    return make_set(benchmark, revisions=[make_question(benchmark, **fields)]).current_revision


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, ""),
        ({"balance_grouping": None}, ""),
        ({"attention_set": None, "attention_every": None}, ""),
        ({"attention_set": None}, "no set of them"),
        ({"attention_every": None}, "after how many questions"),
        ({"attention_set": lambda study: study.blocks.get().set_revision}, "6 attention checks are questions"),
        ({"attention_set": lambda study: set_of(study, kind="text", target="x")}, "1 attention checks are neither"),
        ({"balance_grouping": another_grouping}, "No question of the block “Part 1” has a label"),
    ],
)
def test_bad_combinations_are_named(changes: dict[str, Any], message: str) -> None:
    problems = problems_with(**changes)
    assert message in problems
    assert bool(message) == bool(problems)


def test_grouping_without_a_share_does_no_harm() -> None:
    benchmark = make_benchmark()
    questions = make_questions(benchmark, 2, "First")
    study = make_balanced_study([(questions, None)])
    assert make_participant(study).assignments.count() == 2
    assert not study_problems(study)


# The achieved balance


def test_balance_counts_answers_waiting_questions_and_overlap(django_assert_max_num_queries: Any) -> None:
    study = two_topics(2, 1, size=3)
    first, second = make_participant(study), make_participant(study)
    for _ in range(3):
        answer_next(first)
    answer_next(second)
    with django_assert_max_num_queries(6):
        (balance,) = study_balance(study)
    assert (balance.n_people, balance.total.n_questions, balance.total.n_answers, balance.total.n_waiting) == (
        2,
        3,
        4,
        2,
    )
    assert [(topic.topic, topic.n_questions) for topic in balance.topics] == [("First", 2), ("Second", 1)]
    assert sum(topic.n_answers for topic in balance.topics) == 4
    assert [topic.expected_answers for topic in balance.topics] == pytest.approx([8 / 3, 4 / 3])
    assert balance.total.answers == (1, 1.0, 2)
    assert balance.total.covered == (2, 2.0, 2)
    assert balance.people_per_question == 1.0
    assert balance.questions_in_common == 1.0


@pytest.mark.parametrize(("change", "n_answers"), [("key", 4), ("content", 0)])
def test_answers_to_a_question_whose_key_was_corrected_count_once_the_part_goes_on(change: str, n_answers: int) -> None:
    benchmark = make_benchmark()
    questions = make_questions(benchmark, 4)
    study = make_balanced_study([(questions, 2)])
    for _ in range(8):
        person = make_participant(study)
        for _ in range(2):
            answer_next(person)
    later = make_revision(questions[0], options=[("the wrong one", 1), ("the keyed one", 0)], change=change)
    moved = make_set(benchmark, revisions=questions).current_revision
    block = study.blocks.get()
    block.set_revision = moved
    block.save()
    assert block_coverage(block)[later.pk] == n_answers
    (balance,) = study_balance(study)
    assert (balance.total.answers.least, balance.total.covered.least) == (n_answers, n_answers)


def test_balance_of_a_study_nobody_has_begun() -> None:
    (balance,) = study_balance(two_topics())
    assert (balance.n_people, balance.total.n_answers, balance.questions_in_common) == (0, 0, None)
    assert balance.total.answers == (0, 0.0, 0)


def test_same_generator_gives_the_same_order() -> None:
    study = two_topics(6, 4, size=5)
    orders = []
    for _ in range(2):
        person = make_participant(study, practised=False)
        profile_record(participant=person)
        practice_record(participant=person, generator=random.Random(5))
        orders.append(list(person.assignments.order_by("position").values_list("question_revision_id", "option_order")))
        person.assignments.all().delete()
    assert orders[0] == orders[1]
