"""A run over each vendor's interface whose server does everything wrong in turn: every question ends as it should."""

import re
from collections.abc import Callable

import pytest

from corpus.models import QuestionSetRevision
from evaluations.models import Run, System
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create, run_resume
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Fault, Said, Shape, error_fault

MakeSystem = Callable[..., System]
PROVIDERS: dict[Shape, str] = {
    "openai": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic_messages",
}
RIGHT = Said("[ANSWER]A[/ANSWER]")
MALFORMED = Fault(200, '{"id": "x", "choi')
TOO_LONG = error_fault(400, "This model's maximum context length is 8192 tokens")
# By number of the question: what is said, what goes wrong the first time, what goes wrong every time, the outcome.
SAID: dict[int, Said] = {
    2: Said(None, "content_filter"),
    3: Said("I cannot help with that.", "content_filter"),
    4: Said(None, "length", reasoning="on and on", n_reasoning=7),
    5: Said(None, "tool_calls", tool="search"),
    6: Said(""),
}
AT_FIRST: dict[int, Fault] = {
    7: error_fault(429, "slow down", {"retry-after-ms": "50"}),
    8: Fault(200, "<!doctype html><html><body>Please log in</body></html>"),
    9: Fault(200, '{"id": "x", "choices": [', cuts="chunked"),
    10: Fault(drops=True),
}
ALWAYS: dict[int, Fault] = {11: MALFORMED, 12: TOO_LONG}
OUTCOMES = {2: "refused", 3: "refused", 4: "truncated", 5: "empty", 6: "empty", 11: "error", 12: "error"}
TWELVE = range(1, 13)


@pytest.fixture
def twelve(db: None) -> QuestionSetRevision:
    """Twelve choice questions, `Question 1` to `Question 12`."""
    return make_bank(len(TWELVE))


def number_of(prompt: str) -> int:
    found = re.search(r"Question (\d+):", prompt)
    assert found is not None
    return int(found[1])


def fault_for(prompt: str, nth: int) -> Fault | None:
    number = number_of(prompt)
    return ALWAYS.get(number) or (AT_FIRST.get(number) if nth == 1 else None)


@pytest.mark.parametrize("shape", PROVIDERS)
def test_every_fault_costs_its_own_question_only(
    twelve: QuestionSetRevision, make_system: MakeSystem, settings: object, shape: Shape
) -> None:
    settings.EVALUATION_TRIES = 2  # type: ignore[attr-defined]
    with FakeServer(shape, answer=lambda prompt: SAID.get(number_of(prompt), RIGHT), fault=fault_for) as server:
        system = make_system(server.base_url, PROVIDERS[shape], parameters={"max_tokens": 7})
        run = run_create(system=system, set_revision=twelve)
        ask_until_done(run_id=run.pk)
        run.refresh_from_db()
        assert run.status == Run.Status.INCOMPLETE
        items = {item.position + 1: item for item in run.items.all()}
        assert {number: item.outcome for number, item in items.items()} == {
            number: OUTCOMES.get(number, "right") for number in TWELVE
        }
        n_asked = {number_of(prompt): count for prompt, count in server.asked.items()}
        assert n_asked == {number: 2 if number in {*AT_FIRST, 11} else 1 for number in TWELVE}
        assert "raise max_tokens (now 7)" in items[4].error_message
        assert "maximum context length" in items[12].error_message
        assert "not valid JSON" in items[11].error_message

        server.fault = lambda prompt, nth: None
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert {number_of(prompt): count for prompt, count in server.asked.items()} == {
        number: n_asked[number] + (number in ALWAYS) for number in TWELVE
    }
