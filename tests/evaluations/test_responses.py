"""What a worker stores of replies beside their text, and how a system's own prompt reaches each interface."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from evaluations.models import Run, System
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Said, Shape

MakeSystem = Callable[..., System]
PROVIDERS: dict[Shape, str] = {
    "openai": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "plain": "plain_http",
}


@pytest.fixture
def two(db: None) -> QuestionSetRevision:
    """Two choice questions."""
    return make_bank(2)


def asked_run(system: System, questions: QuestionSetRevision) -> Run:
    run = run_create(system=system, set_revision=questions)
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    return run


def test_a_run_over_the_responses_interface(two: QuestionSetRevision, make_system: MakeSystem) -> None:
    said = Said(
        "[ANSWER]A[/ANSWER]",
        reasoning="It is A.",
        n_cached=4,
        n_reasoning=3,
        log_probabilities=[("[ANSWER]", -0.5), ("A\x00", float("-inf"))],
    )
    with FakeServer("responses", answer=lambda prompt: said) as server:
        system = make_system(server.base_url, "openai_responses", parameters={"max_output_tokens": 99})
        run = asked_run(system, two)
    assert {(call.path, call.body["store"], call.body["max_output_tokens"]) for call in server.calls} == {
        ("/v1/responses", False, 99)
    }
    for item in run.items.all():
        assert (item.completion, item.outcome, item.reasoning) == (said.text, "right", "It is A.")
        assert (item.tokens_in, item.tokens_out, item.tokens_cached, item.tokens_reasoning) == (11, 7, 4, 3)
        assert item.log_probabilities == [["[ANSWER]", -0.5], ["A\N{SYMBOL FOR NULL}", None]]
        assert (item.model_reported, item.error_message) == ("model-x-2026", "")


@pytest.mark.parametrize("shape", ["openai", "responses", "anthropic"])
def test_what_a_system_does_not_report_stays_unknown(
    two: QuestionSetRevision, make_system: MakeSystem, shape: Shape
) -> None:
    with FakeServer(shape, answer=lambda prompt: Said("[ANSWER]A[/ANSWER]", has_usage=False)) as server:
        item = asked_run(make_system(server.base_url, PROVIDERS[shape]), two).items.get(position=0)
    counts = (item.tokens_in, item.tokens_out, item.tokens_cached, item.tokens_reasoning)
    assert counts == (None, None, None, None)
    assert item.log_probabilities is None


def _said_first(shape: Shape, body: Mapping[str, Any]) -> str:
    """Return what was said before the question in the interface's own place."""
    if shape == "openai":
        return "".join(message["content"] for message in body["messages"] if message["role"] == "system")
    return str(body.get({"responses": "instructions", "anthropic": "system"}[shape], ""))


@pytest.mark.parametrize("shape", ["openai", "responses", "anthropic"])
@pytest.mark.parametrize("folds", [False, True])
def test_a_systems_own_prompt_is_frozen_and_said_before_every_question(
    two: QuestionSetRevision, make_system: MakeSystem, shape: Shape, folds: bool
) -> None:
    rules = "You are a careful chemist."
    with FakeServer(shape) as server:
        system = make_system(server.base_url, PROVIDERS[shape], system_prompt=rules, folds_system_prompt=folds)
        run = run_create(system=system, set_revision=two)
        System.objects.filter(pk=system.pk).update(system_prompt="changed later", folds_system_prompt=not folds)
        ask_until_done(run_id=run.pk)
    assert (run.frozen["system_prompt"], run.frozen["folds_system_prompt"]) == (rules, folds)
    assert [_said_first(shape, call.body) for call in server.calls] == ["" if folds else rules] * 2
    items = {item.prompt for item in run.items.all()}
    assert items == {call.prompt for call in server.calls}
    assert all(prompt.startswith(f"{rules}\n\nBelow is") is folds for prompt in items)
    assert not run.items.exclude(outcome="right").exists()


def test_an_interface_with_one_text_gets_the_prompt_at_its_head(
    two: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with FakeServer("plain") as server:
        system = make_system(
            server.base_url, "plain_http", system_prompt="Be brief.", parameters={"text_path": "outputs.0.text"}
        )
        asked_run(system, two)
    assert all(call.prompt.startswith("Be brief.\n\n") for call in server.calls)
