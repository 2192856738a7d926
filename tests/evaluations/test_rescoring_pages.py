"""Maintainers correct readings and decide about rescorings in the admin; whoever may not, cannot."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from corpus.scoring import reading as reading_module
from corpus.scoring.types import Reading, ReadStatus
from evaluations.models import Item, ItemReading, ItemRescoring, RescoredItem, Run
from evaluations.services.reports import reports_import
from evaluations.services.rescoring import item_reading_correct, run_rescore
from tests.corpus.factories import make_revision
from tests.evaluations.banks import FIXTURES, demo_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ATTACK = "<script>alert('x')</script>"


@pytest.fixture
def run() -> Run:
    reports_import(path=FIXTURES / "reports" / "demo-model", benchmark=demo_benchmark())
    return Run.objects.get()


@pytest.fixture
def looker(client: Client) -> Client:
    """A client of a person who may look at everything and change nothing."""
    person = User.objects.create_user("looker", is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__startswith="view_"))
    client.force_login(person)
    return client


@pytest.fixture
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> str:
    """A version 2 of the reader that reads nothing at all."""
    unread = Reading(ReadStatus.UNPARSED, reader="standard@2")
    monkeypatch.setitem(reading_module._READERS, "standard@2", lambda *args: unread)
    return "standard@2"


def answered(kind: str, outcome: str) -> Item:
    return Item.objects.filter(question_revision__kind=kind, outcome=outcome, status="answered").order_by("pk")[0]


def page_of(item: Item) -> str:
    return reverse("admin:evaluations_item_change", args=[item.pk])


def correct_address(item: Item) -> str:
    return reverse("admin:evaluations_item_correct", args=[item.pk])


def said(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


# Corrections


def test_a_choice_is_corrected_by_letters_as_they_were_sent(admin_client: Client, run: Run) -> None:
    item = answered("choice", "wrong")
    right = {option.option_key for option in item.question_revision.options.all() if option.credit == 1}
    letters = [letter for letter, key, _ in item.options_shown if key in right]
    form = {"status": "read", "options": letters, "quote": "", "reason": "The tag was misread."}
    response = admin_client.post(correct_address(item), form, follow=True)
    assert response.redirect_chain[-1][0] == page_of(item)
    assert "right under standard@1" in said(response)
    item.refresh_from_db()
    assert item.outcome == "right"
    reading = ItemReading.objects.get(corrected_by__isnull=False)
    assert set(reading.option_keys) == right
    text = response.content.decode()
    assert "corrected by admin" in text
    assert "The tag was misread." in text


def test_a_number_is_corrected_with_the_passage_that_says_so(admin_client: Client, run: Run) -> None:
    item = answered("number", "wrong")
    Item.objects.filter(pk=item.pk).update(completion=f"First 1.\nThen {ATTACK}\nfinally twelve")
    form = {"status": "read", "number": item.question_revision.target, "quote": f"{ATTACK}\r\nfinally", "reason": "x"}
    page = admin_client.post(correct_address(item), form, follow=True)
    assert page.context["evidence"].completion.marked == f"{ATTACK}\nfinally"
    assert ATTACK not in page.content.decode()
    item.refresh_from_db()
    assert item.outcome == "right"


def test_a_reply_without_an_answer_can_be_named(admin_client: Client, run: Run) -> None:
    item = answered("choice", "wrong")
    admin_client.post(correct_address(item), {"status": "refused", "reason": "It declines."})
    item.refresh_from_db()
    assert item.outcome == "refused"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"status": "read", "number": "12", "reason": ""}, "Say why the reading is wrong"),
        ({"status": "read", "number": "", "reason": "x"}, "Say what the answer is."),
        ({"status": "read", "number": "a few", "reason": "x"}, "no number that can be read"),
        ({"status": "refused", "number": "12", "reason": "x"}, "An answer is given below"),
        ({"status": "read", "number": "12", "quote": "nowhere", "reason": "x"}, "The answer does not say this"),
    ],
)
def test_what_cannot_be_stored_is_said_and_nothing_typed_is_lost(
    admin_client: Client, run: Run, fields: dict[str, str], message: str
) -> None:
    item = answered("number", "wrong")
    response = admin_client.post(correct_address(item), fields)
    text = response.content.decode()
    assert response.status_code == 200
    assert message in text
    assert all(value in text for value in fields.values() if value)
    assert not ItemReading.objects.filter(corrected_by__isnull=False).exists()


def test_whoever_may_only_look_can_neither_see_nor_send_the_form(looker: Client, run: Run) -> None:
    item = answered("number", "wrong")
    assert correct_address(item) not in looker.get(page_of(item)).content.decode()
    assert looker.get(correct_address(item)).status_code == 403
    form = {"status": "refused", "reason": "x"}
    assert looker.post(correct_address(item), form).status_code == 403
    item.refresh_from_db()
    assert item.outcome == "wrong"


def test_the_page_says_when_the_key_was_corrected_later(admin_client: Client, run: Run) -> None:
    item = answered("number", "right")
    assert "Rescore the run" not in admin_client.get(page_of(item)).content.decode()
    make_revision(item.question_revision.question, kind="number", target="-77", change="key")
    text = admin_client.get(page_of(item)).content.decode()
    assert "corrected since it was asked" in text
    assert "<code>-77</code>" in text
    assert "Rescore the run" in text


# Rescorings


def propose_address(run: Run) -> str:
    return f"{reverse('admin:evaluations_itemrescoring_propose')}?run={run.pk}"


def decide(client: Client, decision: str, **fields: Any) -> Any:
    address = reverse("admin:evaluations_itemrescoring_decide", args=[ItemRescoring.objects.get().pk])
    return client.post(address, {"decision": decision, **fields}, follow=True)


def propose(client: Client, run: Run, reader: str) -> Any:
    return client.post(propose_address(run), {"rule": "standard@1", "reader": reader}, follow=True)


def test_from_the_list_of_runs_to_an_accepted_rescoring(admin_client: Client, run: Run, nothing_read: str) -> None:
    action = {"action": "rescore", "_selected_action": [str(run.pk)]}
    response = admin_client.post(reverse("admin:evaluations_run_changelist"), action)
    assert response["Location"] == propose_address(run)
    assert "No model is asked" in admin_client.get(propose_address(run)).content.decode()
    before = list(Item.objects.order_by("pk").values_list("outcome", flat=True))
    page = propose(admin_client, run, nothing_read)
    n = run.items.exclude(outcome="unparsed").count()
    assert f"{n} verdicts would change" in said(page)
    assert len(page.context["differences"]) == n
    assert list(Item.objects.order_by("pk").values_list("outcome", flat=True)) == before
    run_page = admin_client.get(reverse("admin:evaluations_run_change", args=[run.pk]))
    listed = admin_client.get(run_page.context["rescorings_address"])
    assert list(listed.context["cl"].queryset) == [ItemRescoring.objects.get()]
    assert run_page.context["rescore_address"] == propose_address(run)
    accepted = decide(admin_client, "accept")
    assert "is accepted" in said(accepted)
    assert not accepted.context["may_decide"]
    assert set(Item.objects.values_list("outcome", flat=True)) == {"unparsed"}
    assert "accepted already" in said(decide(admin_client, "accept"))


def test_discarded_on_the_page(admin_client: Client, run: Run, nothing_read: str) -> None:
    before = list(Item.objects.order_by("pk").values_list("outcome", flat=True))
    propose(admin_client, run, nothing_read)
    assert "every verdict is as it was" in said(decide(admin_client, "discard"))
    assert "discarded already" in said(decide(admin_client, "accept"))
    assert list(Item.objects.order_by("pk").values_list("outcome", flat=True)) == before


def test_nothing_to_change_is_said(admin_client: Client, run: Run) -> None:
    page = propose(admin_client, run, "standard@1")
    assert "nothing would change or be added" in said(page)
    assert not ItemRescoring.objects.exists()


def test_a_rule_and_a_reader_that_do_not_belong_together(admin_client: Client, run: Run) -> None:
    form = {"rule": "as-published@1", "reader": "standard@1"}
    page = admin_client.post(propose_address(run), form)
    assert "stored parses" in said(page)
    assert page.status_code == 200


def test_a_correction_is_replaced_only_when_ticked(admin_client: Client, run: Run, nothing_read: str) -> None:
    other = User.objects.create_user("other")
    items = list(run.items.filter(outcome="right").order_by("pk")[:2])
    for item in items:
        reading = Reading(ReadStatus.REFUSED)
        item_reading_correct(item=item, reading=reading, reason="Declines.", actor=other)
    page = propose(admin_client, run, nothing_read)
    _, second = [line["row"] for line in page.context["opposed"]]
    assert "refused (other)" in page.content.decode()
    decide(admin_client, "accept", replace=[second.pk])
    for item in items:
        item.refresh_from_db()
    assert [item.outcome for item in items] == ["refused", "unparsed"]
    assert list(RescoredItem.objects.filter(role="machine").order_by("pk").values_list("decision", flat=True)) == [
        "kept",
        "replaced",
    ]


@pytest.mark.parametrize("query", ["", "?run=nonsense", "?run=00000000-0000-0000-0000-000000000000"])
def test_proposing_without_a_run_goes_back_to_the_list(admin_client: Client, query: str) -> None:
    page = admin_client.get(reverse("admin:evaluations_itemrescoring_propose") + query, follow=True)
    assert "Choose from 1 to 10 runs" in said(page)


def test_whoever_may_only_look_cannot_propose_or_decide(looker: Client, run: Run, nothing_read: str) -> None:
    assert looker.get(propose_address(run)).status_code == 403

    rescoring = run_rescore(run=run).rescoring
    page = looker.get(reverse("admin:evaluations_itemrescoring_change", args=[rescoring.pk]))
    assert (page.status_code, page.context["may_decide"]) == (200, False)
    decide_address = reverse("admin:evaluations_itemrescoring_decide", args=[rescoring.pk])
    assert looker.post(decide_address, {"decision": "accept"}).status_code == 403
    assert looker.get(decide_address).status_code == 405
    rescoring.refresh_from_db()
    assert rescoring.status == "proposed"


# Without the permission to see keys


@pytest.fixture
def keyless(client: Client) -> Client:
    """A client of a person who may do everything with evaluations, and may not see keys."""
    person = User.objects.create_user("keyless", is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(content_type__app_label="evaluations"))
    client.force_login(person)
    return client


@pytest.mark.parametrize("kind", ["choice", "number"])
def test_an_item_shows_no_verdict_and_no_key(keyless: Client, admin_client: Client, run: Run, kind: str) -> None:
    item = answered(kind, "wrong")
    telling = ("Credit", "Answer key", "Wrong", "wrong", "Stated by an imported report", correct_address(item))
    told = admin_client.get(page_of(item)).content.decode()
    assert sum(word in told for word in telling) >= 4
    page = keyless.get(page_of(item)).content.decode()
    assert item.completion.split()[0] in page
    assert not [word for word in telling if word in page]
    assert keyless.get(correct_address(item)).status_code == 403


@pytest.mark.parametrize(
    "lookup",
    [
        {"outcome": "wrong"},
        {"outcome__exact": "wrong"},
        {"credit__gte": "1"},
        {"scores__outcome": "wrong"},
        {"key_revision__isnull": "1"},
        {"question_revision__target": "42"},
        {"question_revision__options__credit": "1"},
    ],
)
def test_items_are_not_found_by_verdict_or_key(keyless: Client, run: Run, lookup: dict[str, str]) -> None:
    listing = reverse("admin:evaluations_item_changelist")
    page = keyless.get(listing, {"run__id__exact": str(run.pk), "question_revision__kind__exact": "choice"})
    assert page.status_code == 200
    assert "outcome" not in page.content.decode()
    assert keyless.get(listing, lookup).status_code == 400
    runs = reverse("admin:evaluations_run_changelist")
    assert keyless.get(runs, {"items__outcome": "wrong"}).status_code == 400


def test_a_run_tells_no_verdict_as_it_comes_in(keyless: Client, admin_client: Client, run: Run) -> None:
    page, listing = reverse("admin:evaluations_run_change", args=[run.pk]), reverse("admin:evaluations_run_changelist")
    link, heading = "outcome__exact", "Outcomes under the current rule"
    for status in Run.Status.values:
        Run.objects.update(status=status)
        content, listed = (keyless.get(address).content.decode() for address in (page, listing))
        is_counted = status == "finished"
        assert (heading in content) is is_counted, status
        assert bool(re.search(r'field-n_right">\d', listed)) is is_counted, status
        assert link not in content + listed
    assert link in admin_client.get(page).content.decode()
    assert link in admin_client.get(listing).content.decode()


def test_a_rescoring_shows_no_single_verdict_and_is_not_decided(keyless: Client, run: Run, nothing_read: str) -> None:
    page = propose(keyless, run, nothing_read)
    assert "verdicts would change" in said(page)
    assert not page.context["differences"]
    assert not page.context["moves"]
    content = page.content.decode()
    assert "those who may view question revisions" in content
    assert 'value="accept"' not in content
    rescoring = ItemRescoring.objects.get()
    decide_address = reverse("admin:evaluations_itemrescoring_decide", args=[rescoring.pk])
    assert keyless.post(decide_address, {"decision": "accept"}).status_code == 403
    listing = reverse("admin:evaluations_itemrescoring_changelist")
    assert keyless.get(listing).status_code == 200
    assert keyless.get(listing, {"rows__new_outcome": "unparsed"}).status_code == 400
