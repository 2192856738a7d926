"""What a status, its headers and the words beside them mean: whether to ask again, when, and at what cost."""

from typing import Any

import pytest

from evaluations.providers import NeverRetryError, RetryLaterError
from evaluations.providers.http_errors import HttpFailure, error_of
from tests.evaluations.test_providers import failure
from tests.fake_servers.server import error_fault

pytestmark = pytest.mark.one_database

BY_THE_MINUTE = "You exceeded your current quota, please check your plan. limit: 15 requests per minute."
BY_THE_ACCOUNT = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("status", "message", "headers", "fields", "code"),
    [
        (429, BY_THE_ACCOUNT, {"Retry-After": "0.2"}, {}, "rate_limit"),
        (429, BY_THE_MINUTE, {}, {}, "rate_limit"),
        (429, f"{BY_THE_ACCOUNT} Please retry in 7.2s.", {}, {}, "rate_limit"),
        (429, BY_THE_ACCOUNT, {}, {}, "quota"),
        (429, BY_THE_ACCOUNT, {"Retry-After": "999999"}, {}, "quota"),
        (429, BY_THE_ACCOUNT, {"Retry-After": "0.2"}, {"code": "insufficient_quota"}, "quota"),
        (400, f"{BY_THE_MINUTE} Your credit balance is too low", {"Retry-After": "0.2"}, {}, "quota"),
    ],
)
def test_a_limit_by_the_minute_is_no_account_without_money(
    status: int, message: str, headers: dict[str, str], fields: dict[str, Any], code: str
) -> None:
    error = error_of(HttpFailure(status, headers, {"error": {"message": message, **fields}}), "")
    assert error.code == code
    assert isinstance(error, NeverRetryError if code == "quota" else RetryLaterError)


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_short_wait_asked_over_http_is_no_account_without_money(shape: str) -> None:
    error = failure(shape, error_fault(429, BY_THE_ACCOUNT, {"Retry-After": "0.2"}, type="RESOURCE_EXHAUSTED"))
    assert isinstance(error, RetryLaterError)
    assert (error.code, error.delay_seconds) == ("rate_limit", 0.2)
