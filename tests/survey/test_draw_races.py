"""People who draw their share at the same moment, through real connections."""

import random
from threading import Barrier

import pytest
from django.db import connection

from survey.models import Participant
from survey.selectors.balance import block_coverage
from survey.services import assignments as assignments_module
from survey.services import practice_record, profile_record
from tests.survey.factories import make_participant
from tests.survey.test_balanced_draw import two_topics
from tests.survey.test_races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
PEOPLE = 20


@pytest.fixture(autouse=True)
def real_connections() -> None:
    """Skip where transactions cannot overlap."""
    if connection.vendor != "postgresql":
        pytest.skip("overlapping transactions need PostgreSQL (DATABASE_URL); SQLite lets writers in one by one")


def draw_at_once() -> list[int]:
    """Let 20 people draw 4 of 12 questions at the same moment; return how often each question was given, sorted."""
    study = two_topics(8, 4, size=4)
    waiting = []
    for number in range(PEOPLE):
        person = make_participant(study, practised=False)
        profile_record(participant=person)
        waiting.append((person.pk, random.Random(number)))

    def draw() -> None:
        pk, generator = waiting.pop()
        practice_record(participant=Participant.objects.get(pk=pk), generator=generator)

    assert at_once(draw, times=PEOPLE) == [None] * PEOPLE
    coverage = block_coverage(study.blocks.get())
    assert coverage.total() == 4 * PEOPLE
    return sorted(coverage.values())


def test_twenty_draws_at_once_keep_the_balance() -> None:
    # 80 questions given of 12: each 6 or 7 times, in both topics.
    assert draw_at_once() == [6] * 4 + [7] * 8


def test_without_the_lock_the_balance_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody sees that nothing was given yet."""
    barrier = Barrier(PEOPLE)
    coverage_of = assignments_module.block_coverage

    def seen_by_all(*args: object, **kwargs: object) -> object:
        coverage = coverage_of(*args, **kwargs)
        barrier.wait(timeout=30)
        return coverage

    monkeypatch.setattr(assignments_module, "_draws_serialise", lambda study: None)
    monkeypatch.setattr(assignments_module, "block_coverage", seen_by_all)
    counts = draw_at_once()
    assert counts[-1] - counts[0] > 2


def test_one_person_who_draws_twice_at_once_is_given_one_share() -> None:
    study = two_topics(8, 4, size=4)
    person = make_participant(study, practised=False)

    def draw() -> int:
        return assignments_module.assignments_draw(participant=Participant.objects.get(pk=person.pk))

    assert at_once(draw) == [4] * 4
    assert person.assignments.count() == 4
