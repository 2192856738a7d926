"""Withdrawing, and what else a person can send at the same moment, through real connections: nothing is left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog
from survey.errors import CommentRefusedError, NotYoursError, ReminderRefusedError, WithdrawnError
from survey.models import Assignment, BlockVisit, Draft, Participant, QuestionComment, ReminderAddress, Response, Study
from survey.services import (
    comment_record,
    participant_finish,
    participant_withdraw,
    reminder_address_set,
    reminders_send,
    response_record,
)
from survey.services import responses as responses_module
from survey.services import withdrawal as withdrawal_module
from survey.services.comments import MOST_COMMENTS_PER_QUESTION
from tests.survey.factories import (
    answer_next,
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
    right_given,
)
from tests.survey.test_races import at_once
from tests.survey.test_reminders import stopped

pytestmark = pytest.mark.django_db(transaction=True)
EMAIL = "chemist@university.example"


@pytest.fixture
def waiting() -> tuple[Participant, Assignment]:
    """A person at the second of three questions."""
    person = make_participant(make_study(n_choice=3, n_number=0, n_tools=0))
    answer_next(person)
    return person, go_to_question(person)


@contextmanager
def meanwhile(action: Callable[[], Any]) -> Iterator[list[Any]]:
    """Run an action on a connection of its own; at the end there is one result, or one exception, in the list."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(action())
        except Exception as error:  # noqa: BLE001 - handed to the test, which looks at it
            results.append(error)
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    yield results
    thread.join(timeout=30)
    assert len(results) == 1


def until_somebody_waits() -> None:
    """Return once a transaction waits for a lock that another holds."""
    end = monotonic() + 10
    while monotonic() < end:
        if somebody_waits():
            return
        sleep(0.02)
    raise AssertionError("nobody waited for a lock")


def somebody_waits() -> bool:
    """Tell whether a connection to this database waits for a lock; other processes test on others of the cluster."""
    with connection.cursor() as cursor:
        # A lock on a transaction names no database, but who waits for it holds locks on tables.
        cursor.execute(
            "SELECT count(*) FROM pg_locks AS waited JOIN pg_locks AS held USING (pid) WHERE NOT waited.granted"
            " AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return bool(cursor.fetchone()[0])


def needs_overlap() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("overlapping transactions need PostgreSQL (DATABASE_URL); SQLite lets writers in one by one")


def withdraw(person: Participant) -> bool:
    return participant_withdraw(participant=Participant.objects.get(pk=person.pk))


def record(person: Participant, assignment: Assignment) -> bool:
    given = right_given(assignment)
    return response_record(participant=person, assignment_id=assignment.pk, given=given).created


def nothing_is_left() -> bool:
    left = (Response, Assignment, Draft, BlockVisit, ReminderAddress)
    by_them = QuestionComment.objects.filter(participant__isnull=False)
    return not any(model.objects.exists() for model in left) and not by_them.exists()


@pytest.mark.postgres
def test_withdrawing_waits_for_an_answer_that_is_being_stored_and_deletes_it(
    waiting: tuple[Participant, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_overlap()
    person, assignment = waiting
    store = responses_module._verdict_store
    threads: list[Any] = []

    def held(*args: Any) -> None:
        # The answer is inserted and its person's row held, but nothing is committed yet.
        threads.append(meanwhile(lambda: withdraw(person)))
        threads.append(threads[0].__enter__())
        until_somebody_waits()
        store(*args)

    monkeypatch.setattr(responses_module, "_verdict_store", held)
    # Both end well: neither is ended by the database because each waits for the other.
    assert record(person, assignment) is True
    threads[0].__exit__(None, None, None)
    assert threads[1] == [True]
    assert nothing_is_left()


@pytest.mark.postgres
def test_an_answer_that_comes_while_somebody_withdraws_is_refused(
    waiting: tuple[Participant, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_overlap()
    person, assignment = waiting
    delete, contexts = withdrawal_module._answers_delete, []

    def held(*args: Any) -> None:
        contexts.append(meanwhile(lambda: record(person, assignment)))
        contexts.append(contexts[0].__enter__())
        until_somebody_waits()
        delete(*args)

    monkeypatch.setattr(withdrawal_module, "_answers_delete", held)
    assert withdraw(person) is True
    contexts[0].__exit__(None, None, None)
    (error,) = contexts[1]
    assert isinstance(error, WithdrawnError), error
    assert nothing_is_left()


def test_the_button_pressed_twice_at_once_with_answers_on_the_way(waiting: tuple[Participant, Assignment]) -> None:
    person, assignment = waiting
    cookies = client_of(person).cookies
    posts = iter(
        [
            (reverse("survey:withdraw", args=[person.study.slug]), {"participant": person.pk}),
            (question_url(assignment), post_data(assignment)),
        ]
        * 3
    )

    def post() -> int:
        client = Client()
        client.cookies = cookies
        return client.post(*next(posts)).status_code

    codes = at_once(post, times=6)
    assert set(codes) <= {302, 403, 409}, codes
    assert Participant.objects.get().withdrawn_at is not None
    assert ActionLog.objects.filter(code="participant.withdrawn").count() == 1
    assert nothing_is_left()


@pytest.mark.parametrize("what", ["comment", "reminder"])
def test_what_else_is_sent_at_the_moment_of_withdrawing_is_not_left(
    waiting: tuple[Participant, Assignment], what: str
) -> None:
    person, assignment = waiting
    Study.objects.update(offers_reminders=True)
    actions: dict[str, Callable[[], Any]] = {
        "comment": lambda: comment_record(
            participant=person, assignment_id=assignment.pk, kind="error", text="Two are right."
        ),
        "reminder": lambda: reminder_address_set(participant=person, email=EMAIL),
    }
    turns = iter([lambda: withdraw(person), actions[what]] * 2)
    results = at_once(lambda: next(turns)(), times=4)
    refusals = (WithdrawnError, NotYoursError)
    assert all(not isinstance(result, Exception) or isinstance(result, refusals) for result in results), results
    assert nothing_is_left()


def test_an_address_left_at_the_moment_of_the_end_is_not_kept() -> None:
    person = make_participant(make_study(n_choice=1, n_number=0, n_tools=0))
    Study.objects.update(offers_reminders=True)
    answer_next(person)
    Participant.objects.update(finished_at=None)
    turns = iter(
        [
            lambda: participant_finish(participant=Participant.objects.get()),
            lambda: reminder_address_set(participant=person, email=EMAIL),
        ]
        * 2
    )
    results = at_once(lambda: next(turns)(), times=4)
    errors = [result for result in results if isinstance(result, Exception)]
    assert all(isinstance(error, ReminderRefusedError) for error in errors), errors
    assert not ReminderAddress.objects.exists()


def test_of_many_remarks_at_once_no_more_than_the_limit_is_stored(waiting: tuple[Participant, Assignment]) -> None:
    person, assignment = waiting
    numbers = iter(range(8))

    def send() -> Any:
        text = f"Remark {next(numbers)}"
        return comment_record(participant=person, assignment_id=assignment.pk, kind="comment", text=text)

    results = at_once(send, times=8)
    assert sum(isinstance(result, CommentRefusedError) for result in results) == 8 - MOST_COMMENTS_PER_QUESTION
    assert QuestionComment.objects.count() == MOST_COMMENTS_PER_QUESTION


def test_reminders_sent_by_four_processes_at_once_reach_everybody_once() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    Study.objects.update(offers_reminders=True)
    study.refresh_from_db()
    people = [stopped(study, email=f"person-{number}@x.example") for number in range(3)]
    now = timezone.now()
    reports = at_once(lambda: reminders_send(study=study, now=now))
    assert sum(report.sent for report in reports) == len(people)
    assert sorted(message.to[0] for message in mail.outbox) == [f"person-{number}@x.example" for number in range(3)]
    assert set(ReminderAddress.objects.values_list("n_sent", flat=True)) == {1}
