"""The operator's pages: systems are checked, runs are queued and steered, evidence is only looked at."""

import json

import pytest
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import Permission
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from corpus.models import ActionLog, Benchmark
from evaluations.models import Item, ItemReading, ItemScore, Run, System
from evaluations.services.reports import reports_import
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.evaluations.banks import FIXTURES, demo_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ATTACK = "<script>alert('x')</script>"


@pytest.fixture
def question_set():
    benchmark = make_benchmark(slug="b")
    return make_set(benchmark, "b", [make_question(benchmark, key=f"q{n}") for n in range(3)])


@pytest.fixture
def system():
    return System.objects.create(slug="s", name="System S", provider="random")


def make_run(system, question_set, status="running", **fields):
    run = Run.objects.create(system=system, set_revision=question_set.current_revision, status=status, **fields)
    for member in question_set.current_revision.members.all():
        Item.objects.create(run=run, question_revision=member.question_revision, position=member.position)
    return run


@pytest.fixture
def looker(client, django_user_model):
    """A client of a person who may look at runs and nothing else."""
    person = django_user_model.objects.create_user("looker", is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__startswith="view_"))
    client.force_login(person)
    return client


def run_page(run):
    return reverse("admin:evaluations_run_change", args=[run.pk])


def progress_address(run):
    return reverse("admin:evaluations_run_progress", args=[run.pk])


def action_address(run, name):
    return reverse("admin:evaluations_run_action", args=[run.pk, name])


def messages_of(response):
    return " ".join(str(message) for message in response.context["messages"])


GOOD_SYSTEM = {
    "name": "A model",
    "slug": "a-model",
    "kind": "model",
    "provider": "openai_chat",
    "model_id": "a-model-1",
    "base_url": "http://gpu01:8000/v1",
    "api_key_variable": "A_MODEL_API_KEY",
    "parameters": '{"temperature": 0}',
    "concurrency": "4",
    "open_weights": "unknown",
    "facts": "{}",
}


def test_a_system_is_added_and_the_record_names_who(admin_client):
    response = admin_client.post(reverse("admin:evaluations_system_add"), GOOD_SYSTEM)
    assert response.status_code == 302
    system = System.objects.get()
    assert (system.base_url, system.parameters) == ("http://gpu01:8000/v1", {"temperature": 0})
    log = ActionLog.objects.get(code="system.added")
    assert log.actor.username == "admin"
    assert log.object_id == str(system.pk)


def test_the_second_press_of_a_new_systems_button_is_told_that_it_is_there(admin_client, monkeypatch):
    changeform = ModelAdmin.changeform_view
    presses = []

    def overtaken(self, request, *args, **kwargs):
        presses.append(request)
        if len(presses) > 1:
            return changeform(self, request, *args, **kwargs)
        # Between the check and the writing of this press the other one is stored.
        System.objects.create(name="Other press", slug=GOOD_SYSTEM["slug"])
        raise IntegrityError

    monkeypatch.setattr(ModelAdmin, "changeform_view", overtaken)
    response = admin_client.post(reverse("admin:evaluations_system_add"), GOOD_SYSTEM)
    assert response.status_code == 200
    assert "System with this Slug already exists." in response.text
    assert System.objects.get().name == "Other press"


@pytest.mark.parametrize(
    ("field", "value", "part"),
    [
        ("api_key_variable", "sk-not-a-name", "never the key itself"),
        ("api_key_variable", "lower_case", "never the key itself"),
        ("base_url", "ftp://host/v1", "http:// or https://"),
        ("base_url", "javascript:alert(1)", "http:// or https://"),
        ("base_url", "https://user:word@host/v1", "Leave user name"),
        ("base_url", "https://host/v1?key=1", "Leave user name"),
        ("base_url", "https://", "http:// or https://"),
        ("parameters", "{temperature: 0}", "JSON"),
        ("parameters", "[1]", "one JSON object"),
        ("parameters", '{"messages": []}', "leave it out"),
        ("parameters", '{"timeout_seconds": -1}', "timeout_seconds"),
        ("facts", '"text"', "one JSON object"),
        ("model_id", "", "Name the model"),
        ("provider", "nobody", "Select a valid choice"),
    ],
)
def test_a_system_that_could_not_be_asked_is_refused(admin_client, field, value, part):
    response = admin_client.post(reverse("admin:evaluations_system_add"), {**GOOD_SYSTEM, field: value})
    assert response.status_code == 200
    assert part in str(response.context["adminform"].form.errors[field])
    assert not System.objects.exists()


def test_hiding_a_system_tells_the_boards(admin_client, question_set, system):
    make_run(system, question_set, status="finished")
    before = Benchmark.objects.get().results_version
    data = {**GOOD_SYSTEM, "slug": "s", "provider": "random", "is_hidden": "on"}
    admin_client.post(reverse("admin:evaluations_system_change", args=[system.pk]), data)
    system.refresh_from_db()
    assert system.is_hidden
    assert Benchmark.objects.get().results_version == before + 1


def test_the_page_says_whether_the_key_is_set_and_never_shows_it(admin_client, system, monkeypatch):
    System.objects.filter(pk=system.pk).update(api_key_variable="A_MODEL_API_KEY")
    address = reverse("admin:evaluations_system_change", args=[system.pk])
    assert "A_MODEL_API_KEY is not set" in admin_client.get(address).content.decode()
    monkeypatch.setenv("A_MODEL_API_KEY", "the-value-of-the-key")
    page = admin_client.get(address).content.decode()
    assert "A_MODEL_API_KEY is set" in page
    assert "the-value-of-the-key" not in page


def test_a_system_with_runs_cannot_be_deleted(admin_client, question_set, system):
    make_run(system, question_set)
    address = reverse("admin:evaluations_system_delete", args=[system.pk])
    page = admin_client.get(address)
    assert page.context["protected"]
    assert 'value="yes"' not in page.content.decode()
    admin_client.post(address, {"post": "yes"})
    assert System.objects.filter(pk=system.pk).exists()


def test_the_list_of_systems_links_to_the_newest_run(admin_client, question_set, system):
    run = make_run(system, question_set)
    page = admin_client.get(reverse("admin:evaluations_system_changelist"), {"q": "System"}).content.decode()
    assert run_page(run) in page


def queue_address(*systems):
    query = "&".join(f"system={system.pk}" for system in systems)
    return f"{reverse('admin:evaluations_system_queue_run')}?{query}"


def choices(chosen, **changes):
    return {"question_set": chosen.pk, "prompt_style": "instruction@1", "repeats": 1, "seed": 7, **changes}


def test_the_action_leads_to_a_page_that_queues_a_run(admin_client, question_set, system):
    changelist = reverse("admin:evaluations_system_changelist")
    action = {"action": "queue_run", "_selected_action": [system.pk]}
    page = admin_client.post(changelist, action, follow=True)
    assert "System S" in page.content.decode()
    response = admin_client.post(queue_address(system), choices(question_set, repeats=2), follow=True)
    run = Run.objects.get()
    assert response.redirect_chain == [(run_page(run), 302)]
    assert (run.seed, run.repeats, run.status, run.requested_by.username) == (7, 2, "queued", "admin")
    assert run.items.count() == 6
    assert run_page(run) in messages_of(response)
    assert ActionLog.objects.filter(code="run.queued", object_id=str(run.pk)).exists()


def test_a_second_press_says_so_and_links_to_the_run(admin_client, question_set, system):
    admin_client.post(queue_address(system), choices(question_set))
    response = admin_client.post(queue_address(system), choices(question_set))
    assert response.status_code == 200
    assert "already being asked this set" in messages_of(response)
    assert run_page(Run.objects.get()) in messages_of(response)


def test_one_system_that_cannot_be_asked_does_not_stop_the_others(admin_client, question_set, system):
    imported = System.objects.create(slug="i", name="Imported", provider="imported")
    response = admin_client.post(queue_address(system, imported), choices(question_set), follow=True)
    assert [run.system for run in Run.objects.all()] == [system]
    assert "no provider" in messages_of(response)


@pytest.mark.parametrize("changes", [{"question_set": ""}, {"repeats": 0}, {"seed": -1}, {"prompt_style": "none"}])
def test_what_cannot_be_queued_is_marked(admin_client, question_set, system, changes):
    response = admin_client.post(queue_address(system), choices(question_set, **changes))
    assert response.context["form"].errors.keys() == changes.keys()
    assert not Run.objects.exists()


def test_queueing_asks_for_systems_first(admin_client):
    response = admin_client.get(reverse("admin:evaluations_system_queue_run"), follow=True)
    assert "Choose the systems" in messages_of(response)


def test_who_may_only_look_cannot_queue_or_steer(looker, question_set, system):
    run = make_run(system, question_set)
    assert looker.get(queue_address(system)).status_code == 403
    assert looker.post(queue_address(system), choices(question_set)).status_code == 403
    assert looker.post(action_address(run, "pause")).status_code == 403
    page = looker.get(run_page(run)).content.decode()
    assert action_address(run, "pause") not in page
    assert progress_address(run) in page
    run.refresh_from_db()
    assert run.status == "running"


@pytest.mark.parametrize("address", [progress_address, run_page])
def test_strangers_see_nothing(client, question_set, system, address):
    response = client.get(address(make_run(system, question_set)))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize(
    ("status", "names"),
    [
        ("queued", {"pause", "stop"}),
        ("running", {"pause", "stop"}),
        ("paused", {"resume", "stop"}),
        ("stopped", {"resume"}),
        ("incomplete", {"retry"}),
        ("finished", set()),
    ],
)
def test_buttons_are_there_only_where_they_can_be_pressed(admin_client, question_set, system, status, names):
    run = make_run(system, question_set, status=status)
    page = admin_client.get(run_page(run)).content.decode()
    shown = {name for name in ("pause", "resume", "retry", "stop") if action_address(run, name) in page}
    assert shown == names


@pytest.mark.parametrize(
    ("before", "name", "after", "code"),
    [
        ("running", "pause", "paused", "run.paused"),
        ("paused", "resume", "queued", "run.resumed"),
        ("incomplete", "retry", "queued", "run.resumed"),
        ("running", "stop", "stopped", "run.stopped"),
    ],
)
def test_a_button_changes_the_run_and_is_recorded(admin_client, question_set, system, before, name, after, code):
    run = make_run(system, question_set, status=before)
    response = admin_client.post(action_address(run, name), follow=True)
    run.refresh_from_db()
    assert run.status == after
    assert ActionLog.objects.get(code=code, object_id=str(run.pk)).actor.username == "admin"
    assert code in response.content.decode()


def test_a_button_pressed_too_late_says_so(admin_client, question_set, system):
    run = make_run(system, question_set, status="finished")
    response = admin_client.post(action_address(run, "pause"), follow=True)
    assert "this can be done while" in messages_of(response)
    run.refresh_from_db()
    assert run.status == "finished"


def test_actions_need_post_and_a_known_name(admin_client, question_set, system):
    run = make_run(system, question_set)
    assert admin_client.get(action_address(run, "stop")).status_code == 405
    assert admin_client.post(action_address(run, "erase")).status_code == 404
    run.refresh_from_db()
    assert run.status == "running"


def test_actions_need_the_csrf_token(admin_user, question_set, system):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    run = make_run(system, question_set)
    assert strict.post(action_address(run, "stop")).status_code == 403


@pytest.mark.parametrize(("status", "code"), [("running", 200), ("queued", 200), ("finished", 286), ("paused", 286)])
def test_the_fragment_stops_polling_when_nothing_moves(admin_client, question_set, system, status, code):
    run = make_run(system, question_set, status=status)
    response = admin_client.get(progress_address(run))
    assert response.status_code == code
    assert ("hx-get" in response.content.decode()) is (code == 200)
    assert "no-store" in response["Cache-Control"]


def test_the_run_page_counts_and_links(admin_client, question_set, system):
    run = make_run(system, question_set)
    right, failed, _ = run.items.order_by("position")
    Item.objects.filter(pk=right.pk).update(status="answered", outcome="right", rule="standard@1", tokens_out=31)
    Item.objects.filter(pk=failed.pk).update(
        status="failed", outcome="error", error_code="auth", error_message="no key"
    )
    response = admin_client.get(run_page(run))
    progress = response.context["progress"]
    assert (progress.n_done, progress.n_failed, progress.tokens_out) == (2, 1, 31)
    page = response.content.decode()
    for part in ("2 of 3", "no key", reverse("admin:django_rq_dashboard_changelist")):
        assert part in " ".join(page.split())
    listed = admin_client.get({word: link for word, _, link in response.context["outcomes"]}["right"])
    assert [item.pk for item in listed.context["cl"].result_list] == [right.pk]


def test_nothing_is_inline_on_the_run_page(admin_client, question_set, system):
    page = admin_client.get(run_page(make_run(system, question_set))).content.decode()
    assert "<style" not in page
    assert "onclick" not in page
    assert all("src=" in tag for tag in page.split("<script")[1:])


def test_imported_runs_cannot_be_steered(admin_client):
    imported = reports_import(path=FIXTURES / "reports" / "demo-model", benchmark=demo_benchmark())
    (entry,) = imported.runs
    page = admin_client.get(run_page(entry.run)).content.decode()
    assert action_address(entry.run, "retry") not in page
    assert admin_client.post(action_address(entry.run, "retry")).status_code == 404


def test_an_item_shows_prompt_reply_readings_and_scores(admin_client):
    reports_import(path=FIXTURES / "reports" / "demo-model", benchmark=demo_benchmark())
    item = Item.objects.get(question_revision__question__key="laboratory-bleach_1-bleach_1")
    response = admin_client.get(reverse("admin:evaluations_item_change", args=[item.pk]))
    evidence = response.context["evidence"]
    marked = evidence.completion
    assert marked.before + marked.marked + marked.after == item.completion
    assert "B" in marked.marked
    assert [(line.letter, line.is_read) for line in evidence.options if line.is_read] == [("B", True)]
    assert [line.answer for line in evidence.readings] == ["A, B", "B"]
    assert evidence.current.outcome == "right"
    page = response.content.decode()
    for part in ("standard@1", "as-published@1", evidence.current.reason, "triggered_refusal", "<mark>"):
        assert part in page


def test_a_persons_corrected_reading_is_the_one_marked(admin_client, admin_user, question_set, system):
    run = make_run(system, question_set)
    item = run.items.first()
    Item.objects.filter(pk=item.pk).update(
        status="answered", completion="first second", outcome="right", rule="standard@1"
    )
    corrected = ItemReading.objects.create(
        answer=item, reader="person", status="read", span_start=6, span_end=12, corrected_by=admin_user
    )
    first = ItemReading.objects.create(answer=item, reader="standard@1", status="read", span_start=0, span_end=5)
    for reading, outcome in ((corrected, "right"), (first, "wrong")):
        ItemScore.objects.create(answer=item, reading=reading, rule="standard@1", outcome=outcome, credit=0)
    response = admin_client.get(reverse("admin:evaluations_item_change", args=[item.pk]))
    assert response.context["evidence"].completion.marked == "second"


def test_nothing_a_model_or_a_question_wrote_can_run(admin_client, question_set):
    system = System.objects.create(
        slug="s", name=ATTACK, provider="random", facts={"a": ATTACK}, parameters={"a": ATTACK}
    )
    run = make_run(system, question_set, error_message=ATTACK, frozen={"a": ATTACK})
    item = run.items.first()
    Item.objects.filter(pk=item.pk).update(
        status="failed",
        prompt=ATTACK,
        completion=ATTACK,
        reasoning=ATTACK,
        error_message=ATTACK,
        options_shown=[["A", item.question_revision.options.first().option_key, ATTACK]],
        source_flags={"a": ATTACK},
    )
    for name, key in (("item", item.pk), ("run", run.pk), ("system", system.pk)):
        page = admin_client.get(reverse(f"admin:evaluations_{name}_change", args=[key])).content.decode()
        assert "&lt;script&gt;alert" in page
        assert ATTACK not in page
    for name in ("item", "run", "system"):
        assert ATTACK not in admin_client.get(reverse(f"admin:evaluations_{name}_changelist")).content.decode()


@pytest.mark.parametrize("name", ["run", "item"])
def test_evidence_is_neither_added_nor_deleted(admin_client, question_set, system, name):
    run = make_run(system, question_set)
    key = run.pk if name == "run" else run.items.first().pk
    assert admin_client.get(reverse(f"admin:evaluations_{name}_add")).status_code == 403
    assert (
        admin_client.post(reverse(f"admin:evaluations_{name}_delete", args=[key]), {"post": "yes"}).status_code == 403
    )
    assert admin_client.post(reverse(f"admin:evaluations_{name}_change", args=[key]), {}).status_code == 403


@pytest.mark.parametrize(("words", "found"), [("q1", 1), ("saponification", 1), ("no such words", 0)])
def test_items_are_found_by_key_and_by_words_of_the_reply(admin_client, question_set, system, words, found):
    run = make_run(system, question_set)
    item = run.items.get(question_revision__question__key="q2")
    Item.objects.filter(pk=item.pk).update(completion="It is saponification.")
    response = admin_client.get(reverse("admin:evaluations_item_changelist"), {"q": words})
    assert response.context["cl"].result_count == found


def test_lists_take_as_many_queries_for_many_rows_as_for_few(
    admin_client, question_set, system, django_assert_max_num_queries
):
    for status in ("running", "finished", "incomplete"):
        make_run(system, question_set, status=status)
    for name in ("system", "run", "item"):
        with django_assert_max_num_queries(14):
            assert admin_client.get(reverse(f"admin:evaluations_{name}_changelist")).status_code == 200


def test_frozen_facts_are_shown_as_json(admin_client, question_set, system):
    run = make_run(system, question_set, frozen={"model_id": "m-1"})
    page = admin_client.get(run_page(run)).content.decode()
    assert json.dumps({"model_id": "m-1"}, indent=2).replace('"', "&quot;") in page
