"""Fixtures of the evaluations' tests: no queue unless a test asks for one, short waits, small banks."""

from collections.abc import Callable
from typing import Any

import pytest
from redis.exceptions import ConnectionError as QueueAwayError

from corpus.models import QuestionSetRevision
from evaluations.models import Run, System
from evaluations.services.runs import run_create
from tests.corpus.factories import make_benchmark, make_questions, make_set
from tests.evaluations.asked_servers import START
from tests.evaluations.completions import make_outside_set, make_outside_system
from tests.fake_servers.server import FakeServer


@pytest.fixture(autouse=True)
def _no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests in this process never reach a queue that happens to run on this machine."""

    def away(*args: Any, **kwargs: Any) -> None:
        raise QueueAwayError("there is no queue in this test")

    monkeypatch.setattr("evaluations.tasks.django_rq.get_queue", away)


@pytest.fixture(autouse=True)
def _short_waits(settings: Any) -> None:
    settings.EVALUATION_RETRY_SECONDS = 0.01
    settings.EVALUATION_CALL_SECONDS = 10.0


@pytest.fixture
def twenty(db: None) -> QuestionSetRevision:
    """Twenty choice questions, `Question 1` to `Question 20`."""
    return make_bank(20)


def make_bank(size: int) -> QuestionSetRevision:
    benchmark = make_benchmark()
    questions = make_questions(benchmark, [{"stem": f"Question {number}: which one?"} for number in range(1, size + 1)])
    revision = make_set(benchmark, revisions=questions).current_revision
    assert revision is not None
    return revision


@pytest.fixture
def bank(db: None) -> QuestionSetRevision:
    """Three questions, for a system that is asked elsewhere."""
    return make_outside_set()


@pytest.fixture
def system(db: None) -> System:
    """A system that is asked elsewhere."""
    return make_outside_system()


@pytest.fixture
def make_system() -> Callable[..., System]:
    def make(base_url: str = "", provider: str = "openai_chat", **fields: Any) -> System:
        number = System.objects.count() + 1
        return System.objects.create(
            slug=f"system-{number}",
            name=f"System {number}",
            provider=provider,
            model_id="model-x",
            base_url=base_url,
            **fields,
        )

    return make


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key in the environment under TEST_API_KEY."""
    value = "canary-7f3a9c-key/with+signs"
    monkeypatch.setenv("TEST_API_KEY", value)
    return value


@pytest.fixture
def start(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> START:
    """Return a function that makes a run of the twenty questions on a server."""

    def go(server: FakeServer, *, repeats: int = 1, **fields: Any) -> Run:
        provider = {"openai": "openai_chat", "anthropic": "anthropic_messages"}[server.shape]
        system = make_system(server.base_url, provider, **fields)
        return run_create(system=system, set_revision=twenty, repeats=repeats)

    return go
