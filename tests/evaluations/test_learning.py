"""Parameters an endpoint does not take: learned once from its own words, shown, used from the start later."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from corpus.models import ActionLog, QuestionSetRevision
from evaluations.models import ItemAttempt, Run, System
from evaluations.providers.lessons import Lesson
from evaluations.services.asking import ask_until_done
from evaluations.services.learning import (
    as_learned,
    forget_learned,
    learn,
    learned_list,
    learned_of,
    may_be_learned,
    parameters_sent,
)
from evaluations.services.runs import run_create, run_resume
from evaluations.services.system_edits import system_save
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

pytestmark = pytest.mark.one_database

MakeSystem = Callable[..., System]
Refuses = Callable[[Mapping[str, Any]], Fault | None]
PROVIDERS = {"openai": "openai_chat", "responses": "openai_responses", "anthropic": "anthropic_messages"}


@pytest.fixture
def three(db: None) -> QuestionSetRevision:
    """Three choice questions."""
    return make_bank(3)


def refuses(name: str, message: str, **fields: Any) -> Refuses:
    return lambda body: error_fault(400, message, **fields) if name in body else None


def both(first: Refuses, second: Refuses) -> Refuses:
    return lambda body: first(body) or second(body)


NO_TEMPERATURE = refuses(
    "temperature",
    "Unsupported parameter: 'temperature' is not supported with this model.",
    param="temperature",
    type="invalid_request_error",
)
NO_MAX_TOKENS = refuses(
    "max_tokens",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code="unsupported_parameter",
    param="max_tokens",
)
NO_MAX_COMPLETION_TOKENS = refuses(
    "max_completion_tokens",
    "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', "
    "'input': 50}]",
)


def asked(run: Run) -> Run:
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("shape", PROVIDERS)
def test_a_refused_parameter_is_learned_once_and_the_question_asked_again_at_once(
    three: QuestionSetRevision, make_system: MakeSystem, shape: Any
) -> None:
    with FakeServer(shape, refuses=NO_TEMPERATURE) as server:
        system = make_system(server.base_url, PROVIDERS[shape])
        first = asked(run_create(system=system, set_revision=three))
        n_calls = len(server.calls)
        system.refresh_from_db()
        second = asked(run_create(system=system, set_revision=three))
    assert (first.status, second.status) == (Run.Status.FINISHED, Run.Status.FINISHED)
    assert (n_calls, len(server.calls)) == (4, 7)
    assert set(first.items.values_list("attempts", flat=True)) == {1}
    assert not ItemAttempt.objects.exists()
    for run in (first, second):
        (learned,) = learned_list(run.learned)
        assert (learned.name, learned.to, learned.value, learned.run) == ("temperature", "", 0, str(first.pk))
        assert "'temperature' is not supported" in learned.message
        assert "temperature" not in parameters_sent(run)
    log = ActionLog.objects.get(code="run.learned")
    assert log.detail["parameter"] == "temperature"


@pytest.mark.parametrize(
    ("refusing", "set_as", "sent_as"),
    [
        (NO_MAX_TOKENS, "max_tokens", "max_completion_tokens"),
        (NO_MAX_COMPLETION_TOKENS, "max_completion_tokens", "max_tokens"),
        (NO_MAX_TOKENS, "max_completion_tokens", "max_completion_tokens"),
    ],
)
def test_servers_that_know_one_name_for_the_limit_of_tokens(
    three: QuestionSetRevision, make_system: MakeSystem, refusing: Refuses, set_as: str, sent_as: str
) -> None:
    with FakeServer(refuses=refusing) as server:
        system = make_system(server.base_url, parameters={set_as: 50})
        run = asked(run_create(system=system, set_revision=three))
    assert run.status == Run.Status.FINISHED
    assert server.calls[-1].body[sent_as] == 50
    assert ({"max_tokens", "max_completion_tokens"} & set(server.calls[-1].body)) == {sent_as}
    assert run.parameters[set_as] == 50
    assert [(each.name, each.to) for each in learned_list(run.learned)] == [(set_as, sent_as)] * (set_as != sent_as)


def test_several_parameters_are_learned_on_the_way_of_one_question(
    three: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with FakeServer(refuses=both(NO_TEMPERATURE, NO_MAX_TOKENS)) as server:
        system = make_system(server.base_url, parameters={"max_tokens": 50})
        run = asked(run_create(system=system, set_revision=three))
    assert run.status == Run.Status.FINISHED
    assert len(server.calls) == 5
    assert [(each.name, each.to) for each in learned_list(run.learned)] == [
        ("max_tokens", "max_completion_tokens"),
        ("temperature", ""),
    ]


@pytest.mark.parametrize(
    ("refusing", "parameters", "n_calls", "says"),
    [
        (both(NO_MAX_TOKENS, NO_MAX_COMPLETION_TOKENS), {"max_tokens": 50}, 2, "max_completion_tokens"),
        (NO_MAX_TOKENS, {"max_tokens": 50, "max_completion_tokens": 60}, 1, "max_tokens"),
        (lambda body: NO_TEMPERATURE({"temperature": 0}), {}, 2, "temperature"),
        (lambda body: NO_TEMPERATURE({"temperature": 0}), {"temperature": None}, 1, "temperature"),
        (
            refuses("model", "Unsupported parameter: 'model'", code="unsupported_parameter", param="model"),
            {},
            1,
            "model",
        ),
        (refuses("messages", "Unknown parameter: 'messages'.", code="unknown_parameter", param="x"), {}, 1, "messages"),
        (refuses("depth", "Unknown parameter: 'depth'.", code="unknown_parameter"), {"depth": 3}, 1, "depth"),
        (refuses("seed", "'seed' must be a whole number", param="seed", code="invalid_type"), {"seed": "x"}, 1, "seed"),
    ],
)
def test_what_teaches_nothing_new_pauses_the_run(
    three: QuestionSetRevision,
    make_system: MakeSystem,
    refusing: Refuses,
    parameters: dict[str, Any],
    n_calls: int,
    says: str,
) -> None:
    with FakeServer(refuses=refusing) as server:
        system = make_system(server.base_url, parameters=parameters)
        run = asked(run_create(system=system, set_revision=three))
    assert (run.status, run.error_code) == (Run.Status.PAUSED, "bad_parameter")
    assert says in run.error_message
    assert len(server.calls) == n_calls
    assert run.items.filter(status="waiting").count() == 3


def test_questions_in_flight_are_taught_together_and_a_parameter_is_stored_once(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    refused: Counter[str] = Counter()

    def from_the_second_question_on(body: Mapping[str, Any]) -> Fault | None:
        prompt = str(body["messages"][-1]["content"])
        if "Question 1:" in prompt or "temperature" not in body:
            return None
        refused[prompt] += 1
        return NO_TEMPERATURE(body)

    with FakeServer(refuses=from_the_second_question_on, latency_seconds=0.05) as server:
        run = asked(run_create(system=make_system(server.base_url, concurrency=10), set_revision=twenty))
    assert run.status == Run.Status.FINISHED
    assert set(refused.values()) == {1}
    assert len(refused) <= 10
    assert len(server.calls) == 20 + len(refused)
    assert ActionLog.objects.filter(code="run.learned").count() == 1


def test_a_resumed_run_goes_on_with_what_it_learned(three: QuestionSetRevision, make_system: MakeSystem) -> None:
    quota = error_fault(429, "You exceeded your current quota", code="insufficient_quota")
    with FakeServer(refuses=NO_TEMPERATURE, fault=lambda prompt, nth: quota if nth == 2 else None) as server:
        run = asked(run_create(system=make_system(server.base_url), set_revision=three))
        assert (run.status, run.error_code) == (Run.Status.PAUSED, "quota")
        run_resume(run_id=run.pk)
        run = asked(run)
    assert run.status == Run.Status.FINISHED
    assert sum("temperature" in call.body for call in server.calls) == 1


NO_SYSTEM_ROLE = error_fault(400, "System role not supported")


@pytest.mark.parametrize("shape", PROVIDERS)
def test_a_system_prompt_that_has_no_place_goes_with_the_question(
    three: QuestionSetRevision, make_system: MakeSystem, shape: Any
) -> None:
    def refuses_system_prompt(body: Mapping[str, Any]) -> Fault | None:
        has_role = any(message["role"] == "system" for message in body.get("messages", ()))
        return NO_SYSTEM_ROLE if has_role or "instructions" in body or "system" in body else None

    with FakeServer(shape, refuses=refuses_system_prompt) as server:
        system = make_system(server.base_url, PROVIDERS[shape], system_prompt="Be brief.")
        first = asked(run_create(system=system, set_revision=three))
        system.refresh_from_db()
        second = asked(run_create(system=system, set_revision=three))
    assert len(server.calls) == 7
    for run in (first, second):
        assert run.status == Run.Status.FINISHED
        assert all(item.prompt.startswith("Be brief.\n\nBelow is") for item in run.items.all())
        assert run.frozen["folds_system_prompt"] is False
        (learned,) = learned_list(run.learned)
        assert (learned.name, learned.value, learned.message) == (
            "system_prompt",
            "Be brief.",
            "System role not supported",
        )


@pytest.mark.django_db(transaction=True)
def test_workers_that_learn_at_the_same_time_lose_nothing_of_each_other(make_system: MakeSystem) -> None:
    system = make_system(parameters={"top_p": 1})
    run = run_create(system=system, set_revision=make_bank(1))
    names = ["temperature", "top_p", "seed", "logprobs", "stop", "user"]

    def work(name: str) -> None:
        try:
            learn(run_id=run.pk, lesson=Lesson(name, "", f"no {name}"), value=1)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, names * 2))
    run.refresh_from_db()
    system.refresh_from_db()
    assert [each.name for each in learned_list(run.learned)] == sorted(names)
    assert [each.name for each in learned_list(learned_of(system))] == sorted(names)
    assert ActionLog.objects.filter(code="run.learned").count() == len(names)


def test_what_was_learned_of_another_model_is_not_used(three: QuestionSetRevision, make_system: MakeSystem) -> None:
    system = make_system("http://127.0.0.1:9/v1")
    run = run_create(system=system, set_revision=three)
    System.objects.filter(pk=system.pk).update(model_id="model-y")
    learn(run_id=run.pk, lesson=Lesson("temperature", "", "no"), value=0)
    system.refresh_from_db()
    assert system.learned == {}
    System.objects.filter(pk=system.pk).update(model_id="model-x")
    learn(run_id=run.pk, lesson=Lesson("top_p", "", "no"), value=0)
    system.refresh_from_db()
    assert [each.name for each in learned_list(learned_of(system))] == ["top_p"]
    system.model_id = "model-y"
    assert learned_of(system) == {}


def test_a_maintainer_can_have_it_forgotten(three: QuestionSetRevision, make_system: MakeSystem) -> None:
    system = make_system()
    run = run_create(system=system, set_revision=three)
    learn(run_id=run.pk, lesson=Lesson("top_p", "", "no"), value=0)
    forget_learned(system=system)
    system.refresh_from_db()
    run.refresh_from_db()
    assert learned_of(system) == {}
    assert len(learned_list(run.learned)) == 1
    assert ActionLog.objects.filter(code="system.learned_forgotten").exists()


def test_an_edit_that_began_before_takes_back_nothing(three: QuestionSetRevision, make_system: MakeSystem) -> None:
    system = make_system()
    edited = System.objects.get(pk=system.pk)
    learn(run_id=run_create(system=system, set_revision=three).pk, lesson=Lesson("top_p", "", "no"), value=0)
    edited.name = "Another name"
    system_save(system=edited)
    system.refresh_from_db()
    assert system.name == "Another name"
    assert [each.name for each in learned_list(learned_of(system))] == ["top_p"]


@pytest.mark.parametrize("shape", [*PROVIDERS, "plain"])
def test_a_quoted_question_is_the_question_s_error_and_not_the_run_s(
    three: QuestionSetRevision, make_system: MakeSystem, shape: Any
) -> None:
    said = 'Invalid prompt: "A gas whose temperature is unknown"'
    plain = {"text_path": "outputs.0.text", "temperature": 0}
    with FakeServer(
        shape, fault=lambda prompt, nth: error_fault(400, said) if "Question 2:" in prompt else None
    ) as fake:
        provider = PROVIDERS.get(shape, "plain_http")
        system = make_system(fake.base_url, provider, concurrency=1, parameters=plain if shape == "plain" else {})
        run = asked(run_create(system=system, set_revision=three))
    system.refresh_from_db()
    assert (run.learned, system.learned) == ({}, {})
    assert run.status == Run.Status.INCOMPLETE
    assert list(run.items.order_by("position").values_list("status", "error_code")) == [
        ("answered", ""),
        ("failed", "bad_request"),
        ("answered", ""),
    ]


def test_a_name_never_wanders_to_and_fro() -> None:
    learned = {"rename": {"max_tokens": {"to": "max_completion_tokens", "message": "", "run": ""}}}
    sent = as_learned({"max_tokens": 5}, learned)
    assert sent == {"max_completion_tokens": 5}
    back = Lesson("max_completion_tokens", "max_tokens", "")
    assert not may_be_learned(back, sent=sent, learned=learned)
    assert may_be_learned(back, sent=sent, learned={})


@pytest.mark.parametrize(
    ("said", "parameters", "outcome", "hint"),
    [
        (
            Said(None, "length", reasoning="on and on", n_reasoning=7),
            {"max_tokens": 7},
            "truncated",
            "raise max_tokens",
        ),
        (Said(None, "length"), {}, "truncated", "set a higher limit"),
        (Said("So far", "length"), {"max_completion_tokens": 7}, "truncated", "raise max_completion_tokens (now 7)"),
        (Said("[ANSWER]A[/ANSWER]"), {"max_tokens": 7}, "right", ""),
    ],
)
def test_a_reply_that_is_cut_off_says_what_to_raise(
    three: QuestionSetRevision,
    make_system: MakeSystem,
    said: Said,
    parameters: dict[str, Any],
    outcome: str,
    hint: str,
) -> None:
    with FakeServer(answer=lambda prompt: said) as server:
        run = asked(run_create(system=make_system(server.base_url, parameters=parameters), set_revision=three))
    assert run.status == Run.Status.FINISHED
    item = run.items.get(position=0)
    assert (item.outcome, item.tokens_reasoning) == (outcome, said.n_reasoning)
    assert hint in item.error_message
    assert bool(item.error_message) is bool(hint)


def test_the_message_is_stored_without_the_key_and_as_every_database_takes_it(
    three: QuestionSetRevision, make_system: MakeSystem, key: str
) -> None:
    message = f"Unsupported parameter: 'temperature' is not supported with this model. \x00 Key: {key}"
    with FakeServer(refuses=refuses("temperature", message)) as server:
        system = make_system(server.base_url, api_key_variable="TEST_API_KEY")
        run = asked(run_create(system=system, set_revision=three))
    assert run.status == Run.Status.FINISHED
    system.refresh_from_db()
    stored = json.dumps([run.learned, system.learned, list(ActionLog.objects.values_list("detail", flat=True))])
    assert key not in stored
    assert "[key removed]" in stored
