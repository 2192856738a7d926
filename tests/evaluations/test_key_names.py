"""The name of a key's variable is sent to an endpoint: the site's own secrets never are."""

import pytest

from evaluations.errors import CannotBeAskedError
from evaluations.forms import SystemForm
from evaluations.key_names import key_name_problem
from evaluations.services.questions import key_from_environment

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


@pytest.mark.parametrize("name", OWN)
def test_own_secrets_are_refused_when_typed_and_when_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "value-that-must-stay-here")
    form = SystemForm({"api_key_variable": name})
    assert key_name_problem(name) in form.errors.get("api_key_variable", [])
    with pytest.raises(CannotBeAskedError) as error:
        key_from_environment(name)
    assert "value-that-must-stay-here" not in str(error.value)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GROQ_KEY"])
def test_names_of_keys_are_taken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "key")
    assert key_name_problem(name) == ""
    assert key_from_environment(name) == "key"
