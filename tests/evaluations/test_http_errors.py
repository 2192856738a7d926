"""What a status, its headers and the words beside them mean: whether to ask again, when, and at what cost."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from typing import Any

import pytest

from evaluations.providers import NeverRetryError, RetryLaterError
from evaluations.providers.http_errors import HttpFailure, error_of, retry_after_seconds
from evaluations.services.costs import Prices
from evaluations.services.reply_costs import failure_cost
from tests.evaluations.test_providers import failure
from tests.fake_servers.server import Fault, error_fault

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


NO_KEY = {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}
AS_LISTS: list[Any] = [
    [{"error": NO_KEY}],
    [NO_KEY],
    {"errors": [NO_KEY, {"message": "and more"}]},
    {"error": [NO_KEY]},
    {"error": None, "errors": [NO_KEY]},
]


@pytest.mark.parametrize("body", AS_LISTS)
def test_what_an_error_in_a_list_says_is_told(body: Any) -> None:
    assert "API key not valid" in error_of(HttpFailure(400, {}, body), "").message


@pytest.mark.parametrize("body", [[], [[]], [None], {"errors": []}, {"error": []}, [7], [[[[{"message": "deep"}]]]]])
def test_a_list_that_says_nothing_is_an_error_all_the_same(body: Any) -> None:
    error = error_of(HttpFailure(400, {}, body), "")
    assert (error.code, isinstance(error, NeverRetryError)) == ("bad_request", True)


@pytest.mark.parametrize("shape", ["openai", "anthropic", "plain"])
@pytest.mark.parametrize("body", [AS_LISTS[0], AS_LISTS[2]])
def test_a_list_over_http_keeps_its_words(shape: str, body: Any) -> None:
    assert "API key not valid" in failure(shape, Fault(400, json.dumps(body))).message


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "too large", "errors": [{"message": "see above"}]}},
        {"message": "Bad Request", "error": {"message": "too large"}},
        {"message": "too large", "error": "Bad Request"},
        {"message": "too large", "error": {"code": "bad"}},
        {"error": {"error": {"message": "too large"}}},
    ],
)
def test_of_several_messages_the_one_that_says_most_is_told(body: Any) -> None:
    assert error_of(HttpFailure(400, {}, body), "").message.endswith("(HTTP 400: too large).")


def test_a_list_can_tell_of_a_quota_and_teach() -> None:
    quota = [{"error": {"message": "pay", "code": "insufficient_quota"}}]
    assert error_of(HttpFailure(429, {}, quota), "").code == "quota"
    refused = [{"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model."}}]
    error = error_of(HttpFailure(400, {}, refused), "")
    assert isinstance(error, NeverRetryError)
    assert error.lesson is not None
    assert error.lesson.name == "temperature"


@pytest.mark.parametrize("status", [408, 504, 524])
def test_a_time_out_of_the_endpoint_may_have_been_paid(status: int) -> None:
    error = error_of(HttpFailure(status, {"Retry-After": "3"}, "<html>gateway time-out"), "")
    assert isinstance(error, RetryLaterError)
    assert (error.code, error.delay_seconds) == ("timeout", 3)
    assert f"HTTP {status}" in error.message
    priced = Prices(input=Decimal(1), output=Decimal(1))
    assert failure_cost(prices=priced, error=error) is None
    assert failure_cost(prices=priced, error=error_of(HttpFailure(503, {}, ""), "")) == 0


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30.0),
        ({"Retry-After": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"Retry-After": "5, 7"}, 7.0),
        ({"Retry-After": "5s"}, 5.0),
        ({"Retry-After": "0.5 s, 0.5 s"}, 0.5),
        ({"retry-after-ms": "1500, 1500", "retry-after": "9"}, 1.5),
        ({"Retry-After": "5 seconds"}, 5.0),
        ({"Retry-After": '"60"'}, 60.0),
        ({"Retry-After": (NOW + timedelta(seconds=30)).isoformat()}, 30.0),
        ({"Retry-After": "2026-11-30T12:00:30Z"}, 30.0),
        ({"Retry-After": "Mon Nov 30 12:00:30 2026"}, 30.0),
        ({"Retry-After": f"120, {format_datetime(NOW + timedelta(seconds=30), usegmt=True)}"}, 120.0),
        ({"Retry-After": f"7, {format_datetime(NOW + timedelta(seconds=30), usegmt=True)}"}, 30.0),
        ({"Retry-After": str(int(NOW.timestamp()) + 30)}, 30.0),
        ({"Retry-After": str(int(NOW.timestamp() - 30) * 1000)}, 0.0),
        ({"retry-after-ms": str(int(NOW.timestamp() + 30) * 1000)}, 30.0),
        ({"Retry-After": "99999999999"}, 99999999999.0),
        ({"Retry-After": "Mon"}, None),
        ({"Retry-After": "5, soon"}, None),
        ({"Retry-After": "5, -3"}, None),
        ({"Retry-After": ","}, None),
        ({"Retry-After": "s"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({}, None),
    ],
)
def test_every_form_of_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == seconds
