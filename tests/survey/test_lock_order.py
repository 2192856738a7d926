"""Several things of one person at the same moment: each takes its turn, and none is ended by the database."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog
from survey.errors import NotYourTurnError, WithdrawnError
from survey.models import Absence, Assignment, BlockVisit, Draft, Participant, Response, Study
from survey.services import (
    absence_begin,
    block_begin,
    draft_save,
    participant_erase,
    participant_withdraw,
    response_record,
    retention_apply,
)
from survey.services import drafts as drafts_module
from survey.services import responses as responses_module
from survey.services import retention as retention_module
from survey.services import survey_imports as imports_module
from survey.services import withdrawal as withdrawal_module
from tests.survey.factories import (
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
    right_given,
)
from tests.survey.survey_exports import demo_bank, import_survey
from tests.survey.test_withdrawal_races import meanwhile, needs_overlap, nothing_is_left, until_somebody_waits

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting() -> tuple[Participant, Assignment]:
    """A person at the first of two questions, with a draft of its answer."""
    person = make_participant(make_study(n_choice=2, n_number=0, n_tools=0))
    assignment = go_to_question(person)
    draft_save(assignment=assignment, fields={"choice": ["A"]})
    return person, assignment


def answer(person: Participant, assignment: Assignment) -> bool:
    return response_record(participant=person, assignment_id=assignment.pk, given=right_given(assignment)).created


def withdraw(person: Participant, assignment: Assignment) -> bool:
    return participant_withdraw(participant=Participant.objects.get(pk=person.pk))


@pytest.mark.postgres
@pytest.mark.parametrize("action", [answer, withdraw])
def test_what_comes_while_a_draft_is_saved_waits_for_it(
    waiting: tuple[Participant, Assignment], monkeypatch: pytest.MonkeyPatch, action: Callable[..., bool]
) -> None:
    needs_overlap()
    person, assignment = waiting
    put, is_put = drafts_module._draft_put, Event()
    attempts: list[int] = []

    def put_and_wait(*args: Any) -> None:
        attempts.append(1)
        put(*args)
        is_put.set()
        until_somebody_waits()

    monkeypatch.setattr(drafts_module, "_draft_put", put_and_wait)
    with meanwhile(lambda: draft_save(assignment=assignment, fields={"choice": ["B"]})) as saved:
        assert is_put.wait(timeout=20)
        assert action(person, assignment) is True
    assert (saved, len(attempts)) == ([True], 1)
    assert not Draft.objects.exists()
    assert Response.objects.exists() is (action is answer)


@pytest.mark.postgres
def test_answers_with_a_draft_on_its_way_are_all_stored() -> None:
    """As browsers do: a draft leaves up to 30 ms before the answer, from several people."""
    needs_overlap()
    study = make_study(n_choice=6, n_number=0, n_tools=0)
    people = [make_participant(study) for _ in range(4)]
    for person in people:
        go_to_question(person)
    codes: list[int] = []

    def post(cookies: Any, url: str, data: dict[str, Any]) -> None:
        client = Client(raise_request_exception=False)
        client.cookies = cookies
        codes.append(client.post(url, data).status_code)
        connection.close()

    def take_part(person: Participant, random: Random) -> None:
        client = client_of(person)
        draft_url = reverse("survey:draft", args=[study.slug])
        for assignment in person.assignments.select_related("block", "question_revision", "participant__study"):
            client.get(question_url(assignment))
            client.post(draft_url, {"assignment": assignment.pk, "choice": "A"})
            draft = {"assignment": assignment.pk, "choice": "B"}
            thread = Thread(target=post, args=(client.cookies, draft_url, draft))
            thread.start()
            sleep(random.random() * 0.03)
            post(client.cookies, question_url(assignment), post_data(assignment))
            thread.join()
        connection.close()

    threads = [Thread(target=take_part, args=(person, Random(number))) for number, person in enumerate(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 500 not in codes
    assert Response.objects.count() == 4 * 6
    assert not Draft.objects.exists()


@pytest.mark.postgres
@pytest.mark.parametrize("what", ["rules", "absence"])
def test_what_is_noted_at_the_moment_of_a_withdrawal_is_not_left(
    waiting: tuple[Participant, Assignment], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    needs_overlap()
    person, assignment = waiting
    if what == "rules":
        BlockVisit.objects.all().delete()
    actions: dict[str, Callable[[], Any]] = {
        "rules": lambda: block_begin(participant=person, block_id=assignment.block_id),
        "absence": lambda: absence_begin(assignment=assignment, kind=Absence.Kind.HIDDEN),
    }
    contexts: list[Any] = []
    delete = withdrawal_module._answers_delete

    def held(*args: Any) -> None:
        delete(*args)
        contexts.append(meanwhile(actions[what]))
        contexts.append(contexts[0].__enter__())
        until_somebody_waits()

    monkeypatch.setattr(withdrawal_module, "_answers_delete", held)
    assert withdraw(person, assignment) is True
    contexts[0].__exit__(None, None, None)
    (result,) = contexts[1]
    assert result is False or isinstance(result, (NotYourTurnError, WithdrawnError)), result
    assert nothing_is_left()
    assert not Absence.objects.exists()


@pytest.fixture
def lost_to_others(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Let the database end the first so many transactions that reach a function, as it ends one of a deadlock."""

    def end(module: Any, name: str, times: int) -> list[int]:
        calls: list[int] = []
        original = getattr(module, name)

        def ended(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            calls.append(1)
            if len(calls) <= times:
                with connection.cursor() as cursor:
                    cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$")
            return result

        monkeypatch.setattr(module, name, ended)
        return calls

    return end


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("action", "module", "name"),
    [(answer, responses_module, "_response_insert"), (withdraw, withdrawal_module, "_answers_delete")],
)
def test_whatever_the_database_ends_for_another_is_done_again(
    waiting: tuple[Participant, Assignment],
    lost_to_others: Callable[..., list[int]],
    action: Callable[..., bool],
    module: Any,
    name: str,
) -> None:
    needs_overlap()
    calls = lost_to_others(module, name, times=2)
    assert action(*waiting) is True
    assert len(calls) == 3
    assert Response.objects.count() == (1 if action is answer else 0)


def erase(person: Participant) -> None:
    participant_erase(study=person.study, pseudonym=person.pseudonym)


def retain(person: Participant) -> None:
    Study.objects.update(status="closed", closed_at=timezone.now() - timedelta(days=5), retention_days=1)
    retention_apply()


def import_anew(person: Participant) -> None:
    demo_bank()
    import_survey()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("action", "module", "code"),
    [
        (erase, retention_module, "participant.erased"),
        (retain, retention_module, "study.retention_applied"),
        (import_anew, imports_module, "survey.imported"),
    ],
)
def test_so_is_what_is_done_to_somebody_or_everybody_of_a_study(
    waiting: tuple[Participant, Assignment],
    lost_to_others: Callable[..., list[int]],
    action: Callable[[Participant], None],
    module: Any,
    code: str,
) -> None:
    needs_overlap()
    calls = lost_to_others(module, "action_log", times=2)
    action(waiting[0])
    assert len(calls) == 3
    assert ActionLog.objects.filter(code=code).count() == 1


@pytest.mark.postgres
def test_it_is_not_tried_for_ever(
    waiting: tuple[Participant, Assignment], lost_to_others: Callable[..., list[int]]
) -> None:
    needs_overlap()
    calls = lost_to_others(responses_module, "_response_insert", times=100)
    with pytest.raises(OperationalError):
        answer(*waiting)
    assert 3 <= len(calls) <= 10
    assert not Response.objects.exists()
