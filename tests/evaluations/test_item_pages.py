"""The list of items and the page of one: found by what happened to them, waiting ones shown as waiting."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from corpus.models import QuestionSetRevision
from evaluations.models import Item, ItemAttempt, ItemConfidence, Run, System
from evaluations.services.runs import run_create

pytestmark = pytest.mark.one_database

LIST = "admin:evaluations_item_changelist"


@pytest.fixture
def run(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> Run:
    system = make_system(input_price=Decimal(2), output_price=Decimal(8), price_currency="EUR")
    return run_create(system=system, set_revision=twenty, wake=False, repeats=2)


@pytest.fixture
def item(run: Run) -> Item:
    found = run.items.order_by("position", "repeat").first()
    assert found is not None
    return found


def page_of(client: Any, item: Item) -> str:
    response = client.get(reverse("admin:evaluations_item_change", args=[item.pk]))
    return " ".join(response.content.decode().split())


def change(item: Item, **fields: Any) -> None:
    Item.objects.filter(pk=item.pk).update(**fields)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({}, "It waits to be asked"),
        ({"not_before": timedelta(hours=1)}, "It failed before and waits until"),
        ({"status": "leased", "lease_token": uuid4(), "lease_until": timedelta(hours=1)}, "It is being asked"),
        ({"status": "failed"}, "It was given up"),
        ({"status": "answered"}, "The reply is empty"),
        ({"status": "answered", "completion": "C"}, None),
    ],
)
def test_an_item_says_why_it_has_no_reply(
    admin_client: Any, item: Item, fields: dict[str, Any], part: str | None
) -> None:
    now = timezone.now()
    change(item, **{name: now + value if isinstance(value, timedelta) else value for name, value in fields.items()})
    page = page_of(admin_client, item)
    sentences = ("It waits to be asked", "It failed before", "It is being asked", "It was given up", "reply is empty")
    shown = [sentence for sentence in sentences if sentence in page]
    assert shown == [sentence for sentence in sentences if part and sentence in part]


def test_an_item_shows_tokens_cost_turns_and_log_probabilities(admin_client: Any, item: Item) -> None:
    change(
        item,
        status="answered",
        completion="B",
        prompt="The question",
        tokens_cached=11,
        tokens_reasoning=222,
        cost=Decimal("0.0123"),
        turns=[["assistant", "first reply <b>"], ["user", "are you sure?"]],
        log_probabilities=[["B", -0.25]],
    )
    ItemConfidence.objects.create(item=item, prompt="p", completion="4, I think", level=4, asked_at=timezone.now())
    ItemAttempt.objects.create(item=item, lease_token=uuid4(), kind="late", completion="late one", cost=None)
    page = page_of(admin_client, item)
    for part in ("11", "222", "0.012 EUR", "first reply &lt;b&gt;", "are you sure?", "-0.25", "4 of 5", "cost unknown"):
        assert part in page, part


def test_the_cost_of_an_answer_that_nobody_knows_is_unknown(admin_client: Any, item: Item) -> None:
    assert "nothing yet" in page_of(admin_client, item)
    change(item, status="answered", completion="B")
    assert "unknown" in page_of(admin_client, item)


def test_an_answer_without_token_counts_has_an_estimate_beside_its_unknown_cost(admin_client: Any, item: Item) -> None:
    """40 characters are 10 tokens at 2 EUR a million, 20 of reply and reasoning 5 at 8: 0.00006 EUR."""
    change(item, status="answered", prompt="p" * 40, completion="c" * 12, reasoning="r" * 8)
    assert "unknown, about 0.00006 EUR (estimate)" in page_of(admin_client, item)
    change(item, tokens_in=1000)
    assert "unknown, about 0.002 EUR (estimate)" in page_of(admin_client, item)


def test_the_tools_a_system_says_it_used_are_shown(admin_client: Any, item: Item) -> None:
    change(item, status="answered", completion="B", source_flags={"tool_trace": '[{"tool": "sear<ch"}]', "other": 1})
    page = page_of(admin_client, item)
    assert "Tools it says it used" in page
    assert page.count("sear&lt;ch") == 1
    change(item, source_flags={"tool_trace": "no JSON"})
    assert "no JSON" in page_of(admin_client, item)


def found(client: Any, **query: Any) -> int:
    return int(client.get(reverse(LIST), query).context["cl"].result_count)


def test_items_are_found_by_outcome_status_error_code_and_repeat(admin_client: Any, run: Run, item: Item) -> None:
    change(item, status="failed", outcome="error", error_code="overload")
    within = {"run__id__exact": str(run.pk)}
    assert found(admin_client, **within) == 40
    for lookup in ({"outcome__exact": "error"}, {"status__exact": "failed"}, {"error_code": "overload"}):
        assert found(admin_client, **within, **lookup) == 1, lookup
    assert found(admin_client, **within, repeat=1) == 20
    assert found(admin_client, **within, q=item.question_revision.question.key) >= 2


def test_only_error_codes_of_the_run_are_offered(
    admin_client: Any, run: Run, item: Item, make_system: Callable[..., System], twenty: QuestionSetRevision
) -> None:
    change(item, error_code="overload")
    other = run_create(system=make_system(), set_revision=twenty, wake=False)
    other.items.update(error_code="timeout")
    both = admin_client.get(reverse(LIST)).content.decode()
    assert "error_code=overload" in both
    assert "error_code=timeout" in both
    one = admin_client.get(reverse(LIST), {"run__id__exact": str(run.pk)}).content.decode()
    assert "error_code=overload" in one
    assert "error_code=timeout" not in one
    assert admin_client.get(reverse(LIST), {"run__id__exact": "no-id"}).status_code == 302


def test_the_list_tells_a_cost_as_money(admin_client: Any, run: Run) -> None:
    first, second, _ = run.items.order_by("pk")[:3]
    change(first, status="answered", completion="C", cost=Decimal("0.000120000000"))
    change(second, status="answered", completion="C", cost=None)
    page = admin_client.get(reverse(LIST), {"run__id__exact": run.pk}).content.decode()
    cells = set(re.findall(r'class="field-cost_in_list">([^<]*)<', page))
    assert cells == {"0.00012 EUR", "unknown", "-"}
