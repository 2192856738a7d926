"""What the interfaces of OpenAI share: the client, and what its faults are in our words."""

import json
from collections.abc import Awaitable, Mapping
from typing import Any

import openai

from evaluations.providers.base import Ask, Endpoint, NeverRetryError, RetryLaterError, Scope
from evaluations.providers.http_errors import (
    HttpFailure,
    broken_json_error,
    connection_error,
    error_of,
    text_error,
)
from evaluations.providers.incoming import expect_answer, has_begun, watched_answers
from evaluations.providers.sockets import client_settings
from evaluations.redaction import heard

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_NO_KEY = "none"


def openai_client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """Return a client that neither retries nor follows redirects: a key must not travel to another host.

    Nor does anything of the worker's environment: the SDK would send one vendor's key to any address.
    """
    client = openai.AsyncOpenAI(
        api_key=endpoint.api_key or _NO_KEY,
        base_url=endpoint.base_url or DEFAULT_BASE_URL,
        max_retries=0,
        timeout=endpoint.timeout_seconds,
        http_client=openai.DefaultAsyncHttpxClient(
            **client_settings(endpoint.timeout_seconds), event_hooks=watched_answers()
        ),
    )
    client.organization = client.project = client.admin_api_key = None
    client._custom_headers = {}
    return client


def parameters_of(ask: Ask) -> dict[str, Any]:
    """Return the parameters to send; None leaves one out."""
    return {name: value for name, value in ask.parameters.items() if value is not None}


def sent(client: openai.AsyncOpenAI, path: str, body: Mapping[str, Any], answer_type: type[Any]) -> Awaitable[Any]:
    """Send a call through the SDK, but not by its `create`: that looks through every parameter there is first, which
    takes a quarter of a call's processor time.
    """
    return client.post(path, body=body, cast_to=answer_type, options={"security": {"bearer_auth": True}})


async def answered(call: Awaitable[Any], *, ask: Ask, endpoint: Endpoint, limits: tuple[str, ...]) -> Any:
    """Return what the SDK makes of an answer. Raise nothing but a `ProviderError`; see `HttpFailure` for `limits`."""
    expect_answer()
    try:
        answer = await call
    except openai.APIStatusError as error:
        body = error.body or error.response.text
        failure = HttpFailure(error.status_code, error.response.headers, body, limits, ask)
        raise error_of(failure, endpoint.api_key) from None
    except openai.APITimeoutError:
        raise RetryLaterError("timeout", "The endpoint did not answer in time.") from None
    except openai.APIConnectionError as error:
        raise connection_error(address=endpoint.base_url or DEFAULT_BASE_URL, cause=error.__cause__) from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise broken_json_error() from None
    except (openai.OpenAIError, TypeError, ValueError) as error:
        if has_begun():
            raise broken_json_error() from None
        said = heard(str(error), [endpoint.api_key])
        raise NeverRetryError("bad_parameter", f"The request cannot be made: {said}", Scope.RUN) from None
    if isinstance(answer, str):
        raise text_error(answer)
    return answer
