"""The pages of runs in a real browser: accessible in both themes and on a phone, live, and whole without JavaScript."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.services.runs import run_create
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.e2e.test_staff import AXE, open_page

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
EXPECT_MS = 20_000


def make_run() -> Run:
    """Return a run on its way: an answer, a failure, a question that waits for its second try, one never asked."""
    benchmark = make_benchmark(slug="b")
    questions = make_set(benchmark, "b", [make_question(benchmark, key=f"inorganic-question-{n}") for n in range(4)])
    revision = questions.current_revision
    assert revision is not None
    message = "Unsupported value: 'temperature' does not support 0 with this model."
    learned = {"leave_out": {"temperature": {"message": message, "value": 0, "run": ""}}}
    about = {"provider": "openai_chat", "model_id": "model-x", "base_url": ""}
    system = System.objects.create(
        slug="s",
        name="A system with a name",
        provider="openai_chat",
        model_id="model-x",
        input_price=Decimal(2),
        output_price=Decimal(8),
        learned=learned | {"about": about},
    )
    run = run_create(system=system, set_revision=revision, budget=Decimal(5), wake=False)
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(status="running", started_at=now, heartbeat_at=now, learned=learned)
    answered, failed, retried, _ = run.items.order_by("position")
    Item.objects.filter(pk=answered.pk).update(
        status="answered",
        outcome="right",
        completion="[ANSWER]A[/ANSWER]",
        prompt="Which one?",
        cost=Decimal("0.25"),
        answered_at=now,
        turns=[["assistant", "A"], ["user", "Sure?"]],
        log_probabilities=[["A", -0.1]],
    )
    Item.objects.filter(pk=failed.pk).update(status="failed", outcome="error", error_code="too_long")
    ItemAttempt.objects.create(item=retried, lease_token=uuid4(), kind="error", error_code="overload", cost=0)
    Item.objects.filter(pk=retried.pk).update(not_before=now + timedelta(hours=1))
    run.refresh_from_db()
    return run


def addresses(run: Run) -> list[str]:
    first, *_, last = run.items.order_by("position")
    return [
        reverse("admin:evaluations_run_change", args=[run.pk]),
        f"{reverse('admin:evaluations_system_queue_run')}?system={run.system_id}",
        reverse("admin:evaluations_system_change", args=[run.system_id]),
        reverse("admin:evaluations_item_change", args=[first.pk]),
        reverse("admin:evaluations_item_change", args=[last.pk]),
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_pages_are_accessible_and_fit_the_screen(browser: Any, live_server: Any, scheme: str, width: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: run `npm ci`")
    run = make_run()
    page = open_page(browser, live_server, color_scheme=scheme, viewport={"width": width, "height": 800})
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    problems: list[tuple[str, str, str]] = []
    for address in addresses(run):
        page.goto(f"{live_server.url}{address}")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        problems += [(address, entry["id"], entry["nodes"][0]["html"][:150]) for entry in found]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    assert problems == []
    assert said == []
    page.context.close()


def test_run_page_follows_without_reloading_and_stops_when_the_run_is_done(browser: Any, live_server: Any) -> None:
    run = make_run()
    page = open_page(browser, live_server)
    page.goto(f"{live_server.url}{addresses(run)[0]}")
    page.evaluate("window.notReloaded = true")
    live = page.locator("#run-progress")
    sync_api.expect(live).to_contain_text("0.25 USD")
    sync_api.expect(live).to_contain_text("retry 2 of 6")
    page.fill("#id_budget", "7")
    run.items.filter(status="waiting").update(status="answered", outcome="wrong", cost=Decimal(1), not_before=None)
    sync_api.expect(live).to_contain_text("2.25 USD", timeout=EXPECT_MS)
    Run.objects.filter(pk=run.pk).update(status="incomplete", finished_at=timezone.now())
    sync_api.expect(page.locator("#run-action-retry")).to_be_visible(timeout=EXPECT_MS)
    sync_api.expect(live).not_to_have_attribute("hx-get", "", timeout=EXPECT_MS)
    assert page.evaluate("document.querySelector('#run-progress').hasAttribute('hx-get')") is False
    assert page.input_value("#id_budget") == "7", "what is being typed stays"
    assert page.evaluate("window.notReloaded") is True
    page.context.close()


def test_runs_are_estimated_queued_and_steered_without_javascript(browser: Any, live_server: Any) -> None:
    run = make_run()
    Run.objects.filter(pk=run.pk).update(status="finished")
    page = open_page(browser, live_server, java_script_enabled=False)
    page.goto(f"{live_server.url}{addresses(run)[1]}")
    page.fill("[name=repeats]", "3")
    page.click("[name=estimate]")
    sync_api.expect(page.locator(".eval-estimate tbody")).to_contain_text("12")
    assert Run.objects.count() == 1
    page.fill("[name=budget]", "2")
    page.click("input[value=Queue]")
    queued = Run.objects.exclude(pk=run.pk).get()
    assert page.url.endswith(addresses(queued)[0])
    page.click("#run-action-pause")
    page.fill("#id_budget", "3")
    page.click("#run-raise-budget")
    queued.refresh_from_db()
    assert (queued.status, queued.budget, queued.repeats) == ("paused", Decimal(3), 3)
    page.context.close()
