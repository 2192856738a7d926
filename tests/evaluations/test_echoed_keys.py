"""A server that repeats the key it was sent, anywhere in its answer: nothing of it reaches a message or a row."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.providers.http_errors import HttpFailure, error_of
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

Start = Callable[[FakeServer], Run]
KEY = "Canary/9f8e7d6c+5b4a 3210"
SPELLINGS = {
    "plain": KEY,
    "capitals": KEY.upper(),
    "small": KEY.lower(),
    "percent": "Canary%2F9f8e7d6c%2B5b4a%203210",
    "small percent": "canary%2f9f8e7d6c%2b5b4a%203210",
    "form": "Canary%2F9f8e7d6c%2B5b4a+3210",
    "part percent": "Canary/9f8e7d6c%2B5b4a%203210",
}
PLACES: dict[str, Callable[[str], Any]] = {
    "message": lambda key: {"error": {"message": f"no {key}"}},
    "param": lambda key: {"error": {"message": "no", "param": key}},
    "long param": lambda key: {"error": {"message": "no", "param": "x" * 30 + key}},
    "code": lambda key: {"error": {"message": "no", "code": key}},
    "type": lambda key: {"error": {"message": "no", "type": key, "param": f"a {key}"}},
    "inner code": lambda key: {"error": {"message": "no", "innererror": {"code": key}}},
    "error text": lambda key: {"error": f"no {key}"},
    "no error object": lambda key: {"message": f"no {key}", "param": key},
    "list": lambda key: {"error": [key]},
    "text": lambda key: f"no {key}",
    "cut text": lambda key: "x" * 290 + key,
}


@pytest.fixture
def start(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> Start:
    """Return a function that makes a run on a server that is sent the key in TEST_API_KEY."""

    def go(server: FakeServer) -> Run:
        providers = {"openai": "openai_chat", "responses": "openai_responses", "anthropic": "anthropic_messages"}
        return run_create(
            system=make_system(server.base_url, providers[server.shape], api_key_variable="TEST_API_KEY"),
            set_revision=twenty,
        )

    return go


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_error_repeats_the_key(place: str, spelling: str) -> None:
    echoed = SPELLINGS[spelling]
    headers = {"retry-after": echoed, "location": f"https://other.example/?key={echoed}", "x-request": echoed}
    for status in (302, 400, 401, 404, 413, 422, 429, 500):
        error = error_of(HttpFailure(status, headers, PLACES[place](echoed)), KEY)
        assert "9f8e7d" not in f"{error.code} {error.message} {error}".lower()


@pytest.mark.parametrize("place", ["message", "param", "code", "text"])
def test_what_a_server_says_is_shortened(place: str) -> None:
    error = error_of(HttpFailure(400, {}, PLACES[place]("long " * 2000)), KEY)
    assert len(error.message) < 450


@pytest.mark.parametrize("shape", ["openai", "responses", "anthropic"])
@pytest.mark.parametrize("fields", ["message", "param", "type"])
def test_no_row_of_a_run_holds_the_key(start: Start, shape: Any, fields: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = KEY.replace(" ", "")
    monkeypatch.setenv("TEST_API_KEY", key)
    fault = error_fault(400, **{"message": "no", "param": "p", fields: f"x{key.upper()}"})
    with FakeServer(shape, fault=lambda prompt, nth: fault) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    stored = "".join(str(list(model.objects.values())) for model in (Run, Item, ItemAttempt))
    assert "9f8e7d" not in stored.lower()
    assert ItemAttempt.objects.get().error_message.startswith("The endpoint rejects")


def test_a_reply_that_repeats_the_key_is_stored_without_it(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    key = KEY.replace(" ", "")
    monkeypatch.setenv("TEST_API_KEY", key)
    answer = Said(f"Your key is {key}. [ANSWER]A[/ANSWER]", reasoning=f"The header says {key}")
    with FakeServer(answer=lambda prompt: answer) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    item = run.items.order_by("position")[0]
    assert item.completion == "Your key is [key removed]. [ANSWER]A[/ANSWER]"
    assert item.reasoning == "The header says [key removed]"


def test_an_error_inside_a_200_holds_no_key(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    key = KEY.replace(" ", "")
    monkeypatch.setenv("TEST_API_KEY", key)
    body = json.dumps({"id": "x", "choices": None, "error": {"code": 400, "message": "no", "param": key}})
    with FakeServer(fault=lambda prompt, nth: Fault(200, body, {"content-type": "application/json"})) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert "parameter [key removed]" in run.error_message


def test_a_word_for_a_key_stays_a_word(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", "ollama")
    with FakeServer(answer=lambda prompt: Said("ollama [ANSWER]A[/ANSWER]")) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    assert run.items.order_by("position")[0].completion == "ollama [ANSWER]A[/ANSWER]"


def test_a_word_for_a_key_stays_in_what_an_error_advises(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", "ollama")
    with FakeServer(fault=lambda prompt, nth: error_fault(404, "try `ollama pull llama3` first")) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert "try `ollama pull llama3` first" in run.error_message


@pytest.mark.parametrize("status", [301, 401, 403, 404, 418, 429, 500, 503])
def test_se_08_a_text_of_another_machine_is_not_repeated(status: int) -> None:
    error = error_of(HttpFailure(status, {}, "SECRET BODY ami-id root passwd"), KEY)
    assert "SECRET" not in str(error)
    assert f"HTTP {status}: a text that is no JSON" in str(error)


def test_a_text_about_what_was_sent_is_repeated() -> None:
    assert "no such option" in str(error_of(HttpFailure(400, {}, "no such option: top_p"), KEY))
