"""What a key's variable holds is sent to an endpoint: no other secret of the machine ever is."""

from collections.abc import Callable
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from evaluations.errors import CannotBeAskedError
from evaluations.forms import SystemForm
from evaluations.key_names import key_name_problem
from evaluations.models import Run, System
from evaluations.services.asking import ask_until_done
from evaluations.services.questions import key_from_environment
from evaluations.services.runs import run_create
from tests.fake_servers.server import FakeServer

OWN = [
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "DATABASE_URL",
    "REDIS_URL",
    "POSTGRES_PASSWORD",
    "PGPASSWORD",
    "PATH",
    "HOME",
]
OTHERS = [
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "EMAIL_KEY",
    "API_KEY",
    "OPENAI_API_KEY_FILE",
    "GROQ_KEY",
]


@pytest.mark.django_db
@pytest.mark.parametrize("name", OWN + OTHERS)
def test_other_secrets_are_refused_when_typed_and_when_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "value-that-must-stay-here")
    form = SystemForm({"api_key_variable": name})
    assert key_name_problem(name) in form.errors.get("api_key_variable", [])
    with pytest.raises(CannotBeAskedError) as error:
        key_from_environment(name)
    assert "value-that-must-stay-here" not in str(error.value)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "A_1_API_KEY"])
def test_names_of_keys_are_taken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "key")
    assert key_name_problem(name) == ""
    assert key_from_environment(name) == "key"


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", "\n{}", "\t{} "])
def test_white_space_around_a_key_is_no_part_of_it(around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", around.format("canary-1234567890"))
    assert key_from_environment("TEST_API_KEY") == "canary-1234567890"


def test_a_key_with_a_line_end_inside_is_refused_unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", "canary-12345\n67890")
    with pytest.raises(CannotBeAskedError) as error:
        key_from_environment("TEST_API_KEY")
    assert "TEST_API_KEY" in str(error.value)
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(("name", "is_taken"), [("HF_TOKEN", True), ("HF_TOKEN_2", False), ("SECRET_KEY", False)])
def test_the_site_may_allow_other_names_but_not_its_own_secrets(name: str, is_taken: bool, settings: Any) -> None:
    settings.EVALUATION_KEY_NAMES = ["HF_TOKEN", "SECRET_KEY"]
    assert (key_name_problem(name) == "") is is_taken


def test_a_system_stored_with_another_name_is_not_asked(
    twenty: QuestionSetRevision, make_system: Callable[..., System], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "value-that-must-stay-here")
    with FakeServer() as server:
        system = make_system(server.base_url, "openai_chat", api_key_variable="GITHUB_TOKEN")
        run = run_create(system=system, set_revision=twenty)
        ask_until_done(run_id=run.pk)
        assert not server.calls
    run.refresh_from_db()
    assert run.status == Run.Status.PAUSED
    assert "EVALUATION_KEY_NAMES" in run.error_message
    assert "value-that-must-stay-here" not in run.error_message
