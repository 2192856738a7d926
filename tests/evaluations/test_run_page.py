"""The run page while a run is asked: money, retries, workers, silence, what was learned, and its further buttons."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone
from redis.exceptions import ConnectionError as QueueAwayError

from corpus.models import ActionLog, QuestionSetRevision
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.selectors import run_progress, workers
from evaluations.services.runs import run_create

pytestmark = pytest.mark.one_database

PRICED = {"input_price": Decimal(2), "output_price": Decimal(8)}


@pytest.fixture
def run(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> Run:
    """A run of a system with prices, on its way."""
    made = run_create(system=make_system(**PRICED), set_revision=twenty, wake=False, seed=7, repeats=2)
    change(made, status="running", started_at=timezone.now(), heartbeat_at=timezone.now())
    return made


def change(run: Run, **fields: Any) -> None:
    Run.objects.filter(pk=run.pk).update(**fields)
    run.refresh_from_db()


def address(run: Run, name: str = "change", *more: str) -> str:
    return reverse(f"admin:evaluations_run_{name}", args=[run.pk, *more])


def words(response: Any) -> str:
    return " ".join(response.content.decode().split())


def fail(item: Item, times: int, *, due_in: float) -> None:
    for _ in range(times):
        ItemAttempt.objects.create(item=item, lease_token=uuid4(), kind="error", error_code="overload")
    Item.objects.filter(pk=item.pk).update(not_before=timezone.now() + timedelta(seconds=due_in))


def test_the_page_says_which_try_is_next_and_when(admin_client: Any, run: Run, settings: Any) -> None:
    settings.EVALUATION_TRIES = 6
    first, second = run.items.order_by("position")[:2]
    fail(first, 1, due_in=300)
    fail(second, 3, due_in=60)
    for name in ("change", "progress"):
        assert re.search(r"retry 4 of 6, next in (60|[1-5][0-9]) s", words(admin_client.get(address(run, name))))
    second.refresh_from_db()
    assert second.not_before is not None
    retrying = run_progress(run=run, now=second.not_before - timedelta(seconds=59.5)).retrying
    assert retrying is not None
    assert (retrying.n_items, retrying.text) == (2, "retry 4 of 6, next in 60 s")


def test_failures_before_the_run_was_queued_again_do_not_count_as_tries(run: Run) -> None:
    item = run.items.order_by("position")[0]
    fail(item, 5, due_in=60)
    change(run, queued_at=timezone.now() + timedelta(seconds=1))
    retrying = run_progress(run=run).retrying
    assert retrying is not None
    assert retrying.try_number == 1


def test_nothing_is_retried_where_nothing_failed(run: Run) -> None:
    assert run_progress(run=run).retrying is None


def test_the_page_and_the_list_say_what_was_spent_and_what_of_it_is_unknown(admin_client: Any, run: Run) -> None:
    ids = list(run.items.values_list("pk", flat=True)[:10])
    Item.objects.filter(pk__in=ids).update(status="answered", cost=Decimal("0.25"))
    Item.objects.filter(pk=ids[0]).update(cost=None)
    change(run, budget=Decimal(10))
    page = words(admin_client.get(address(run)))
    assert "at least 2.25 USD, 1 of 10 unknown" in page
    assert "10.00 USD" in page
    assert "2 USD sent, 8 USD received, per million tokens" in page
    listed = words(admin_client.get(reverse("admin:evaluations_run_changelist")))
    assert "at least 2.25 USD, 1 of 10 unknown" in listed


def test_a_silent_run_is_shown_as_interrupted(admin_client: Any, run: Run, settings: Any) -> None:
    assert "Interrupted" not in words(admin_client.get(address(run)))
    last = timezone.now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 1)
    change(run, heartbeat_at=last)
    for name in ("change", "progress"):
        page = words(admin_client.get(address(run, name)))
        assert f"no worker has given a sign of life since {timezone.localtime(last):%Y-%m-%d %H:%M:%S}" in page


def test_a_queued_run_that_nobody_takes_says_so(admin_client: Any, run: Run, settings: Any) -> None:
    queued = timezone.now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 1)
    change(run, status="queued", started_at=None, heartbeat_at=None, queued_at=queued)
    page = words(admin_client.get(address(run)))
    assert "No worker has taken this run since" in page
    assert "Interrupted" not in page


def known_workers(monkeypatch: pytest.MonkeyPatch, *jobs: str | None, seconds_ago: int = 1) -> None:
    """Let the queue know one worker for each job."""
    heard = timezone.now() - timedelta(seconds=seconds_ago)
    found = [SimpleNamespace(last_heartbeat=heard, get_current_job_id=lambda job=job: job) for job in jobs]
    monkeypatch.setattr(workers, "django_rq", SimpleNamespace(get_queue=lambda name: name))
    monkeypatch.setattr(workers, "Worker", SimpleNamespace(all=lambda queue: found))


def test_the_page_says_how_many_workers_are_at_the_run(
    admin_client: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_workers(monkeypatch, f"run-{run.pk}-1", f"run-{uuid4()}-1", None)
    assert "1 at this run, 3 alive" in words(admin_client.get(address(run, "progress")))


@pytest.mark.parametrize(("jobs", "seconds_ago"), [((), 0), ((None, None), 3600)])
def test_no_worker_is_said_plainly_with_the_command(
    admin_client: Any, run: Run, monkeypatch: pytest.MonkeyPatch, jobs: tuple[None, ...], seconds_ago: int
) -> None:
    known_workers(monkeypatch, *jobs, seconds_ago=seconds_ago)
    page = words(admin_client.get(address(run, "progress")))
    assert "No worker is running." in page
    assert "manage.py rqworker evaluations" in page
    change(run, status="finished")
    assert "No worker is running." not in words(admin_client.get(address(run, "progress")))


def test_a_queue_that_is_away_is_no_proof_of_no_worker(
    admin_client: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(name: str) -> None:
        raise QueueAwayError("away")

    monkeypatch.setattr(workers, "django_rq", SimpleNamespace(get_queue=away))
    page = words(admin_client.get(address(run, "progress")))
    assert "The queue cannot be reached" in page
    assert "rqworker" not in page


LEARNED = {
    "leave_out": {"temperature": {"message": "not <with> this model", "value": 0, "run": "r"}},
    "rename": {"max_tokens": {"to": "max_completion_tokens", "message": "use the other", "value": 50, "run": "r"}},
}


def test_what_was_learned_is_shown_with_the_words_of_the_endpoint(admin_client: Any, run: Run) -> None:
    assert "Learned from" not in words(admin_client.get(address(run)))
    change(run, learned=LEARNED, parameters={"temperature": 0, "max_tokens": 50})
    page = words(admin_client.get(address(run, "progress")))
    for part in ("left out", "not &lt;with&gt; this model", "sent as <code>max_completion_tokens</code>"):
        assert part in page
    assert "{&quot;max_completion_tokens&quot;: 50}" in page


def test_what_a_system_learned_can_be_forgotten(admin_client: Any, run: Run) -> None:
    about = {"provider": "openai_chat", "model_id": "model-x", "base_url": ""}
    System.objects.filter(pk=run.system_id).update(learned={**LEARNED, "about": about})
    page = reverse("admin:evaluations_system_change", args=[run.system_id])
    forget = reverse("admin:evaluations_system_forget", args=[run.system_id])
    assert forget in words(admin_client.get(page))
    assert admin_client.get(forget).status_code == 405
    assert "left out" not in words(admin_client.post(forget, follow=True))
    assert System.objects.get().learned == {}
    assert str(ActionLog.objects.get(code="system.learned_forgotten").actor) == "admin"


def test_the_same_is_queued_again(admin_client: Any, run: Run) -> None:
    assert address(run, "action", "clone") not in words(admin_client.get(address(run)))
    asked_as = {"permutes_options": True, "asks_confidence": True, "parameters": {"temperature": 0.7}}
    change(run, status="finished", budget=Decimal(3), **asked_as)
    assert address(run, "action", "clone") in words(admin_client.get(address(run)))
    response = admin_client.post(address(run, "action", "clone"))
    clone = Run.objects.exclude(pk=run.pk).get()
    assert response["Location"] == address(clone)
    for name in ("system_id", "set_revision_id", "prompt_style", "seed", "repeats", "budget", *asked_as):
        assert getattr(clone, name) == getattr(run, name), name
    assert (clone.status, clone.items.count(), str(clone.requested_by)) == ("queued", 40, "admin")
    assert ActionLog.objects.get(code="run.cloned", object_id=str(run.pk)).detail == {"run": str(clone.pk)}


def test_the_same_is_asked_whatever_the_system_is_set_to_meanwhile(admin_client: Any, run: Run) -> None:
    learned = {"leave_out": {"top_p": {"message": "no", "value": 1, "run": str(run.pk)}}}
    change(run, status="finished", parameters={"temperature": 0, "top_p": 1}, learned=learned)
    today = {"parameters": {"temperature": 0, "effort": "high"}, "system_prompt": "Be brief.", "input_price": 7}
    about = {"about": {"provider": "openai_chat", "model_id": "model-y", "base_url": "http://127.0.0.1:9/v2"}}
    learned_today = {**about, "leave_out": {"temperature": {"message": "no", "value": 0, "run": "x"}}}
    System.objects.filter(pk=run.system_id).update(
        model_id="model-y", base_url="http://127.0.0.1:9/v2", learned=learned_today, **today
    )
    page = words(admin_client.post(address(run, "action", "clone"), follow=True))
    clone = Run.objects.exclude(pk=run.pk).get()
    assert (clone.parameters, clone.learned) == ({"temperature": 0, "top_p": 1}, learned)
    for name in ("provider", "model_id", "system_prompt", "folds_system_prompt"):
        assert clone.frozen[name] == run.frozen[name], name
    assert (clone.frozen["base_url"], clone.frozen["prices"]["input"]) == ("http://127.0.0.1:9/v2", "7")
    assert clone.frozen["clone_of"] == str(run.pk)
    assert "not used: model, system prompt, parameter effort, parameter top_p." in page
    assert address(run) in page


@pytest.mark.parametrize(
    ("parameters", "said", "proposed"),
    [
        ({"max_completion_tokens": 5}, "token limit (5)", "max_completion_tokens=20"),
        ({}, "token limit (the endpoint's own)", "max_tokens=4096"),
    ],
)
def test_ap_24_replies_cut_off_are_offered_again_with_a_larger_limit(
    admin_client: Any, run: Run, parameters: dict[str, Any], said: str, proposed: str
) -> None:
    change(run, status=Run.Status.FINISHED, parameters=parameters)
    assert "cut off" not in words(admin_client.get(address(run)))
    Item.objects.filter(pk=run.items.first().pk).update(status="answered", outcome="truncated", finish_reason="length")
    page = admin_client.get(address(run))
    assert f"1 reply was cut off by the {said} and counts as truncated" in words(page)
    form = admin_client.get(page.context["cut_off"].address).context["form"]
    assert (form["sweep"].value(), form["prompt_style"].value()) == (proposed, run.prompt_style)
    assert int(form["question_set"].value()) == run.set_revision.question_set_id


def test_the_same_is_not_queued_again_with_its_budget_in_another_currency(admin_client: Any, run: Run) -> None:
    change(run, status="finished", budget=Decimal(100))
    System.objects.filter(pk=run.system_id).update(price_currency="JPY")
    page = words(admin_client.post(address(run, "action", "clone"), follow=True))
    assert "budget of 100 USD" in page
    assert "prices are in JPY today" in page
    assert Run.objects.count() == 1
    change(run, budget=None)
    admin_client.post(address(run, "action", "clone"))
    clone = Run.objects.exclude(pk=run.pk).get()
    assert (clone.budget, clone.frozen["prices"]["currency"]) == (None, "JPY")


def test_two_presses_queue_the_same_once(admin_client: Any, run: Run) -> None:
    change(run, status="finished")
    admin_client.post(address(run, "action", "clone"))
    response = admin_client.post(address(run, "action", "clone"), follow=True)
    assert "already being asked this set" in words(response)
    assert Run.objects.count() == 2


def test_a_run_that_ends_while_it_is_looked_at_takes_its_budget_form_along(admin_client: Any, run: Run) -> None:
    gone = 'id="run-budget" hx-swap-oob="delete"'
    assert 'id="run-budget"' in words(admin_client.get(address(run)))
    assert gone not in words(admin_client.get(address(run, "progress")))
    change(run, status="finished")
    assert gone in words(admin_client.get(address(run, "progress")))
    assert "run-budget" not in words(admin_client.get(address(run)))


def test_a_budget_is_raised_on_the_page_and_the_run_goes_on(admin_client: Any, run: Run) -> None:
    change(run, status="paused", budget=Decimal(1), error_code="budget", error_message="used up")
    page = words(admin_client.get(address(run)))
    assert "Raise the budget" in page
    assert address(run, "action", "resume") not in page
    for amount, part in (("1", "give a higher one"), ("", "stays as it is"), ("x", "stays as it is")):
        assert part in words(admin_client.post(address(run, "budget"), {"budget": amount}, follow=True))
    run.refresh_from_db()
    assert (run.status, run.budget) == ("paused", Decimal(1))
    assert "the run goes on" in words(admin_client.post(address(run, "budget"), {"budget": "2.5"}, follow=True))
    run.refresh_from_db()
    assert (run.status, run.budget, run.error_code) == ("queued", Decimal("2.5"), "")


def test_a_run_without_prices_is_offered_no_budget(admin_client: Any, run: Run) -> None:
    change(run, frozen={**run.frozen, "prices": None})
    assert address(run, "budget") not in words(admin_client.get(address(run)))
    response = admin_client.post(address(run, "budget"), {"budget": "2"}, follow=True)
    assert "prices of System 1 are not known" in words(response)


def test_who_may_only_look_is_offered_nothing_and_refused(client: Any, django_user_model: Any, run: Run) -> None:
    person = django_user_model.objects.create_user("looker", is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__startswith="view_"))
    client.force_login(person)
    change(run, status="finished")
    page = words(client.get(address(run)))
    for link in (address(run, "action", "clone"), address(run, "budget"), "/django_rq/"):
        assert link not in page
    assert client.post(address(run, "action", "clone")).status_code == 403
    assert client.post(address(run, "budget"), {"budget": "2"}).status_code == 403
    assert client.post(reverse("admin:evaluations_system_forget", args=[run.system_id])).status_code == 403
    assert Run.objects.count() == 1


def test_who_may_change_runs_but_not_add_them_cannot_queue_the_same_again(
    client: Any, django_user_model: Any, run: Run
) -> None:
    person = django_user_model.objects.create_user("steerer", is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__in=["view_run", "change_run"]))
    client.force_login(person)
    change(run, status="paused")
    page = words(client.get(address(run)))
    assert address(run, "action", "resume") in page
    assert address(run, "action", "clone") not in page
    assert client.post(address(run, "action", "clone")).status_code == 403


def test_no_raw_id_stands_in_titles_or_headings(admin_client: Any, run: Run) -> None:
    for page in (
        admin_client.get(address(run)),
        admin_client.get(reverse("admin:evaluations_item_change", args=[run.items.get(position=0, repeat=0).pk])),
    ):
        text = words(page)
        head = text[: text.index('id="content-main"')]
        title = head[head.index("<title>") : head.index("</title>")]
        crumbs = head[head.index('class="breadcrumbs"') :].split("</div>")[0]
        assert str(run.pk) not in title
        assert str(run.pk) not in crumbs.replace(f"={run.pk}", "")
        assert f"item {run.items.get(position=0, repeat=0).pk}" not in crumbs
