"""A key goes where it was set for: its variable's name is frozen together with provider and address."""

from collections.abc import Callable
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from evaluations.errors import CannotBeAskedError
from evaluations.models import ItemFallback, Run, System
from evaluations.services.asking import ask_until_done
from evaluations.services.cloning import run_clone
from evaluations.services.fallback import fallback_reader, read_with_fallback
from evaluations.services.fallback_frozen import fallback_facts
from evaluations.services.questions import run_context
from evaluations.services.runs import run_create, run_pause, run_resume, run_stop
from evaluations.services.system_edits import system_save
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]

MakeSystem = Callable[..., System]
KEYS = {"OLD_API_KEY": "old-vendor-key-000001", "NEW_API_KEY": "new-vendor-key-999999"}
ELSEWHERE = "http://127.0.0.1:9/elsewhere"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def few(db: None) -> QuestionSetRevision:
    return make_bank(2)


def edited(system: System, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(system, name, value)
    system_save(system=system, changed=tuple(fields))


def made_before_names_were_frozen(run: Run) -> None:
    del run.frozen["api_key_variable"]
    run.save()


def sent_keys(server: FakeServer) -> set[str]:
    return {call.headers["authorization"].removeprefix("Bearer ") for call in server.calls}


def test_a_run_asks_its_address_with_the_key_that_was_set_for_it(
    few: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with FakeServer() as old, FakeServer() as new:
        system = make_system(old.base_url, api_key_variable="OLD_API_KEY")
        run = run_create(system=system, set_revision=few)
        run_pause(run_id=run.pk)
        edited(system, base_url=new.base_url, api_key_variable="NEW_API_KEY", model_id="model-y")
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    assert (sent_keys(old), len(old.calls), len(new.calls)) == ({KEYS["OLD_API_KEY"]}, 2, 0)


def test_a_run_keeps_its_key_when_the_system_goes_to_another_provider_without_an_address(
    few: QuestionSetRevision, make_system: MakeSystem
) -> None:
    system = make_system("", api_key_variable="OLD_API_KEY")
    run = run_create(system=system, set_revision=few)
    edited(system, provider="anthropic_messages", api_key_variable="NEW_API_KEY")
    context = run_context(run_id=run.pk)
    assert (context.provider, context.endpoint.api_key) == ("openai_chat", KEYS["OLD_API_KEY"])


def test_a_frozen_name_that_is_not_set_says_so_and_names_the_way_to_todays(
    few: QuestionSetRevision, make_system: MakeSystem
) -> None:
    system = make_system("http://127.0.0.1:9/v1", api_key_variable="MISSPELT_API_KEY")
    run = run_create(system=system, set_revision=few)
    edited(system, api_key_variable="NEW_API_KEY")
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.PAUSED
    for part in ("MISSPELT_API_KEY is not set", "NEW_API_KEY", "queue the same again"):
        assert part in run.error_message


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        ({"base_url": ELSEWHERE}, "address"),
        ({"provider": "anthropic_messages"}, "provider"),
        ({"base_url": ELSEWHERE, "provider": "anthropic_messages"}, "provider and address"),
    ],
)
def test_a_run_without_a_frozen_name_gets_no_key_set_for_somewhere_else(
    few: QuestionSetRevision, make_system: MakeSystem, edit: dict[str, str], named: str
) -> None:
    with FakeServer() as old:
        system = make_system(old.base_url, api_key_variable="OLD_API_KEY")
        run = run_create(system=system, set_revision=few)
        made_before_names_were_frozen(run)
        edited(system, api_key_variable="NEW_API_KEY", **edit)
        ask_until_done(run_id=run.pk)
        run.refresh_from_db()
        assert (run.status, run.error_code, len(old.calls)) == (Run.Status.PAUSED, "cannot_be_asked", 0)
        assert f"another {named} today" in run.error_message
        assert "back" in run.error_message
        edited(system, api_key_variable="OLD_API_KEY", base_url=old.base_url, provider="openai_chat")
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    assert (sent_keys(old), len(old.calls)) == ({KEYS["OLD_API_KEY"]}, 2)


def test_the_same_again_goes_to_todays_address_with_todays_key(
    few: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with FakeServer() as old, FakeServer() as new:
        system = make_system(old.base_url, api_key_variable="OLD_API_KEY")
        run = run_create(system=system, set_revision=few)
        run_stop(run_id=run.pk)
        edited(system, base_url=new.base_url, api_key_variable="NEW_API_KEY")
        clone = run_clone(run_id=run.pk)
        ask_until_done(run_id=clone.pk)
    assert (sent_keys(new), len(new.calls), len(old.calls)) == ({KEYS["NEW_API_KEY"]}, 2, 0)


def test_the_same_is_not_queued_again_with_another_provider(few: QuestionSetRevision, make_system: MakeSystem) -> None:
    system = make_system("", api_key_variable="OLD_API_KEY")
    run = run_create(system=system, set_revision=few)
    run_stop(run_id=run.pk)
    edited(system, provider="anthropic_messages", api_key_variable="NEW_API_KEY")
    with pytest.raises(CannotBeAskedError, match="provider was openai_chat and is anthropic_messages today"):
        run_clone(run_id=run.pk)
    assert Run.objects.count() == 1


def test_a_fallback_reader_is_asked_where_it_was_with_the_key_of_that_day(make_system: MakeSystem) -> None:
    system = make_system("http://127.0.0.1:9/v1", api_key_variable="OLD_API_KEY")
    facts = fallback_facts(system)
    edited(system, base_url=ELSEWHERE, api_key_variable="NEW_API_KEY")
    endpoint = fallback_reader(facts).context.endpoint
    assert (endpoint.base_url, endpoint.api_key) == ("http://127.0.0.1:9/v1", KEYS["OLD_API_KEY"])


def test_a_fallback_reader_without_a_frozen_name_gets_no_key_set_for_somewhere_else(
    few: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with FakeServer() as old:
        reader = make_system(old.base_url, api_key_variable="OLD_API_KEY")
        run = run_create(system=make_system(), set_revision=few, fallback=reader)
        made_before_names_were_frozen(run)
        del run.frozen["fallback"]["api_key_variable"]
        run.save()
        run.items.update(status="answered", outcome="unparsed", rule="standard@1", completion="hm, either of them")
        edited(reader, base_url=ELSEWHERE, api_key_variable="NEW_API_KEY")
        read_with_fallback(run_id=run.pk)
    assert not old.calls
    assert "another address today" in ItemFallback.objects.filter(item__run=run)[0].error_message


def test_the_same_again_asks_its_fallback_reader_at_todays_address_with_todays_key(
    few: QuestionSetRevision, make_system: MakeSystem
) -> None:
    reader = make_system("http://127.0.0.1:9/v1", api_key_variable="OLD_API_KEY")
    run = run_create(system=make_system(), set_revision=few, fallback=reader)
    run_stop(run_id=run.pk)
    edited(reader, base_url=ELSEWHERE, api_key_variable="NEW_API_KEY", model_id="model-y")
    clone = run_clone(run_id=run.pk)
    endpoint = fallback_reader(clone.frozen["fallback"]).context.endpoint
    assert (endpoint.base_url, endpoint.api_key, endpoint.model_id) == (ELSEWHERE, KEYS["NEW_API_KEY"], "model-x")
    run_stop(run_id=clone.pk)
    edited(reader, provider="anthropic_messages")
    with pytest.raises(CannotBeAskedError, match="fallback reader's provider was openai_chat"):
        run_clone(run_id=run.pk)
