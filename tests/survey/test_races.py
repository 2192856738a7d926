"""The same thing twice at the same moment, through real connections."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import Barrier, Event, Thread
from time import sleep
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from survey.errors import WithdrawnError
from survey.models import Absence, Assignment, Draft, Participant, Response, UnknownLinkCount
from survey.selectors.studies import current_consent
from survey.services import (
    absence_begin,
    draft_save,
    participant_begin,
    participant_withdraw,
    practice_record,
    profile_record,
    response_record,
    unknown_link_note,
)
from survey.services import drafts as drafts_module
from survey.services import responses as responses_module
from tests.survey.factories import (
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
    right_given,
)

pytestmark = pytest.mark.django_db(transaction=True)
TOGETHER = 4
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def at_once(action: Callable[[], Any], times: int = TOGETHER) -> list[Any]:
    """Run an action in several threads, each with its own connection; return results and exceptions."""
    barrier, results = Barrier(times), []

    def run() -> None:
        try:
            barrier.wait(timeout=20)
            results.append(action())
        except Exception as error:  # noqa: BLE001 - handed to the test, which looks at it
            results.append(error)
        finally:
            connection.close()

    threads = [Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def waiting() -> Iterator[tuple[Participant, Assignment]]:
    """A person at the first of two questions."""
    participant = make_participant(make_study(n_choice=2, n_number=0, n_tools=0))
    return participant, go_to_question(participant)


def test_sv01_double_click_stores_one_answer_and_shows_the_next_question(
    waiting: tuple[Participant, Assignment],
) -> None:
    participant, assignment = waiting
    cookies = client_of(participant).cookies

    def post() -> str:
        client = Client()
        client.cookies = cookies
        return client.post(question_url(assignment), post_data(assignment))["Location"]

    assert at_once(post) == [question_url(participant.assignments.get(position=2))] * TOGETHER
    assert Response.objects.count() == 1
    assert Response.objects.get().readings.count() == 1
    assert Response.objects.get().scores.count() == 1


def test_double_click_on_consent_makes_one_participant() -> None:
    study = make_study()
    consent = current_consent(study)
    people = at_once(lambda: participant_begin(study=study, consent_text_id=consent.pk, link_secret="same").pk)
    assert len(set(people)) == 1
    assert Participant.objects.count() == 1


def test_double_click_on_practice_draws_one_order() -> None:
    participant = make_participant(make_study(n_choice=6, n_number=0, n_tools=0), practised=False)
    profile_record(participant=participant)

    def practise() -> None:
        practice_record(participant=Participant.objects.get(pk=participant.pk))

    assert at_once(practise) == [None] * TOGETHER
    assert sorted(participant.assignments.values_list("position", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_rules_accepted_twice_at_once_do_no_harm() -> None:
    participant = make_participant(make_study())
    cookies = client_of(participant).cookies
    block = participant.assignments.first().block_id

    def post() -> int:
        client = Client()
        client.cookies = cookies
        return client.post(reverse("survey:rules", args=[participant.study.slug]), {"block": block}).status_code

    assert at_once(post) == [302] * TOGETHER
    assert participant.block_visits.count() == 1


def test_draft_that_is_being_saved_while_its_answer_is_stored_does_not_outlive_it(
    waiting: tuple[Participant, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    participant, assignment = waiting
    put, is_put = drafts_module._draft_put, Event()

    def put_and_wait(*args: Any) -> None:
        put(*args)
        is_put.set()
        sleep(0.5)

    def save() -> None:
        person = Participant.objects.select_related("study").get(pk=participant.pk)
        given = person.assignments.get(pk=assignment.pk)
        draft_save(assignment=given, fields={"choice": ["A"]})
        connection.close()

    monkeypatch.setattr(drafts_module, "_draft_put", put_and_wait)
    thread = Thread(target=save)
    thread.start()
    assert is_put.wait(timeout=20)
    assert record(participant, assignment)
    thread.join()
    assert Response.objects.filter(assignment=assignment).exists()
    assert not Draft.objects.exists()


def test_hidden_told_by_many_tabs_at_once_is_one_absence(waiting: tuple[Participant, Assignment]) -> None:
    _, assignment = waiting
    begun = at_once(lambda: absence_begin(assignment=assignment, kind=Absence.Kind.HIDDEN))
    assert sorted(begun) == [False] * (TOGETHER - 1) + [True]
    assert Absence.objects.count() == 1


def test_unknown_links_opened_at_once_are_all_counted(transactional_db: None) -> None:
    assert at_once(lambda: unknown_link_note(address="192.0.2.1", now=NOON)) == [None] * TOGETHER
    assert UnknownLinkCount.objects.get().n == TOGETHER


# The race itself, where two transactions really overlap


@pytest.fixture
def both_before_storing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two requests pass every check before either stores its answer."""
    if connection.vendor != "postgresql":
        pytest.skip("overlapping transactions need PostgreSQL (DATABASE_URL); SQLite lets writers in one by one")
    barrier, check = Barrier(2), responses_module._refuse_incomplete

    def held(*args: Any) -> None:
        check(*args)
        barrier.wait(timeout=20)

    monkeypatch.setattr(responses_module, "_refuse_incomplete", held)


def record(participant: Participant, assignment: Assignment) -> bool:
    person = Participant.objects.select_related("study").get(pk=participant.pk)
    given = right_given(assignment)
    return response_record(participant=person, assignment_id=assignment.pk, given=given).created


@pytest.mark.postgres
@pytest.mark.usefixtures("both_before_storing")
def test_of_two_overlapping_answers_one_is_stored(waiting: tuple[Participant, Assignment]) -> None:
    participant, assignment = waiting
    assert sorted(at_once(lambda: record(participant, assignment), times=2)) == [False, True]
    assert Response.objects.filter(assignment=assignment).count() == 1


@pytest.mark.postgres
def test_of_a_withdrawal_and_an_answer_at_the_same_moment_nothing_is_left(
    waiting: tuple[Participant, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever comes first: the withdrawal waits for the answer and deletes it, or the answer is refused."""
    if connection.vendor != "postgresql":
        pytest.skip("overlapping transactions need PostgreSQL (DATABASE_URL); SQLite lets writers in one by one")
    participant, assignment = waiting
    inserted, withdrawn = Event(), []
    insert = responses_module._response_insert

    def held(*args: Any) -> Response:
        response = insert(*args)
        inserted.set()
        return response

    def withdraw() -> None:
        inserted.wait(timeout=20)
        withdrawn.append(participant_withdraw(participant=Participant.objects.get(pk=participant.pk)))
        connection.close()

    monkeypatch.setattr(responses_module, "_response_insert", held)
    thread = Thread(target=withdraw)
    thread.start()
    with suppress(WithdrawnError):
        record(participant, assignment)
    thread.join()
    assert withdrawn == [True]
    assert not Response.objects.exists()
    assert not Assignment.objects.exists()


@pytest.mark.postgres
@pytest.mark.usefixtures("both_before_storing")
def test_without_the_constraint_both_would_be_stored(waiting: tuple[Participant, Assignment]) -> None:
    participant, assignment = waiting
    with without_unique_assignment():
        assert at_once(lambda: record(participant, assignment), times=2) == [True, True]
        assert Response.objects.filter(assignment=assignment).count() == 2


@contextmanager
def without_unique_assignment() -> Iterator[None]:
    """Take the constraint away for a while; the answers stored meanwhile are removed again."""
    table = Response._meta.db_table
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, table)
        name = next(
            name
            for name, facts in constraints.items()
            if facts["unique"] and not facts["primary_key"] and facts["columns"] == ["assignment_id"]
        )
        cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
    try:
        yield
    finally:
        Response.objects.all().delete()
        with connection.cursor() as cursor:
            cursor.execute(f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" UNIQUE (assignment_id)')
