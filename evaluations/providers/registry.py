"""The adapters by name. Adding a provider is one file beside this one and one line in `_ENTRIES`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.utils.module_loading import import_string

from evaluations.credentials import credential_inside
from evaluations.errors import CannotBeAskedError
from evaluations.providers.base import Endpoint, Provider
from evaluations.providers.guarded import Guarded
from evaluations.providers.plain_http_settings import plain_http_problems

# Read by the asking loop, never sent.
OUR_PARAMETERS = frozenset({"timeout_seconds"})
# What the adapters themselves put into a request; a parameter of that name would replace it.
_RESERVED = frozenset({"model", "messages", "prompt", "input", "stream", "n"})
LONGEST_TIMEOUT_SECONDS = 600
# Providers of systems that are never asked: known by published reports, or by completions sent in.
IMPORTED = "imported"
SUBMITTED = "submitted"


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """How an adapter is found (`path` is imported at first use) and what it needs.

    `problems` says what is wrong with a system's parameters for this adapter, one sentence each. A baseline computes
    its answers: there is no model behind it that could be asked anything else.
    """

    name: str
    label: str
    path: str
    needs_model: bool
    defaults: Mapping[str, Any]
    needs_address: bool = False
    is_baseline: bool = False
    problems: Callable[[Mapping[str, Any]], list[str]] = lambda parameters: []


def _not_taken(**reasons: str) -> Callable[[Mapping[str, Any]], list[str]]:
    """Refuse parameters that would change what is asked or how it is answered, each for a reason."""

    def problems(parameters: Mapping[str, Any]) -> list[str]:
        named = [name for name in reasons if parameters.get(name) not in (None, False)]
        return [f"The parameter {name!r} cannot be used: {reasons[name]}" for name in named]

    return problems


_HAS_A_FIELD = "put the text into the system's field System prompt."
_ENTRIES: dict[str, ProviderEntry] = {
    entry.name: entry
    for entry in (
        ProviderEntry(
            "openai_chat",
            "OpenAI-compatible chat",
            "evaluations.providers.openai_chat.OpenAIChat",
            True,
            {"temperature": 0},
        ),
        ProviderEntry(
            "anthropic_messages",
            "Anthropic messages",
            "evaluations.providers.anthropic_messages.AnthropicMessages",
            True,
            {"temperature": 0, "max_tokens": 4096},
            problems=_not_taken(system=_HAS_A_FIELD),
        ),
        ProviderEntry(
            "openai_responses",
            "OpenAI responses",
            "evaluations.providers.openai_responses.OpenAIResponses",
            True,
            {"temperature": 0, "store": False},
            problems=_not_taken(
                instructions=_HAS_A_FIELD,
                background="a response that comes later would never be read.",
                previous_response_id="every question is asked by itself.",
                conversation="every question is asked by itself.",
            ),
        ),
        ProviderEntry(
            "plain_http",
            "Plain HTTP",
            "evaluations.providers.plain_http.PlainHttp",
            False,
            {},
            needs_address=True,
            problems=plain_http_problems,
        ),
        ProviderEntry(
            "random",
            "Random baseline",
            "evaluations.providers.random_baseline.RandomBaseline",
            False,
            {},
            is_baseline=True,
        ),
        ProviderEntry(
            "structure",
            "Structure baseline",
            "evaluations.providers.structure.baseline.StructureBaseline",
            False,
            {},
            is_baseline=True,
        ),
    )
}
BASELINES = frozenset(entry.name for entry in _ENTRIES.values() if entry.is_baseline)
# Behind these there is no model that could be asked to read or to say something.
WITHOUT_MODEL = BASELINES | {IMPORTED, SUBMITTED}


def provider_names() -> tuple[str, ...]:
    """Return the names of the providers that can be asked."""
    return tuple(_ENTRIES)


def provider_entry(name: str) -> ProviderEntry:
    """Return a registered provider. Refuse another name, saying which there are."""
    if name not in _ENTRIES:
        known = ", ".join(_ENTRIES)
        raise CannotBeAskedError(f"There is no provider {name!r} to ask. Choose one of: {known}.")
    return _ENTRIES[name]


def open_provider(name: str, endpoint: Endpoint) -> Provider:
    """Return an adapter, not yet entered (`async with`), for the system at `endpoint`; its key never comes back."""
    factory = import_string(provider_entry(name).path)
    return Guarded(cast(Provider, factory(endpoint)), endpoint.api_key)


def parameter_problems(parameters: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a system's parameters, one sentence each."""
    problems = [
        f"The parameter {name!r} is set by the site itself; leave it out."
        for name in sorted(_RESERVED & set(parameters))
    ]
    if credential_inside(parameters):
        problems.append(
            "The parameters hold something that looks like a key, or a name under which keys are sent. Parameters are "
            "shown and stored: put the key into an environment variable and name it in the field Api key variable."
        )
    seconds = parameters.get("timeout_seconds", 1)
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= LONGEST_TIMEOUT_SECONDS:
        problems.append(
            f"timeout_seconds must be a number of seconds from 1 to {LONGEST_TIMEOUT_SECONDS}, not {seconds!r}."
        )
    return problems
