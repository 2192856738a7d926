"""Taking a run off the public pages: for a reason, by who may, recorded, at once, and not for good."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog, QuestionSet
from evaluations.errors import ReasonMissingError, RunStateError
from evaluations.models import Item, Run, Submission
from evaluations.selectors.submissions import run_before
from evaluations.services.withdrawing import run_put_back, run_withdraw
from leaderboard.models import Snapshot
from leaderboard.services.snapshots import snapshot_publish
from tests.corpus.factories import make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_run, make_system

BOARD = "/api/v1/leaderboard/small/"


@pytest.fixture
def run(db: None) -> Run:
    benchmark = make_benchmark(slug="small")
    question_set = make_set(benchmark, "small", make_questions(benchmark, [{}] * 10), name="Small set")
    make_run(make_system(slug="other"), question_set, "+" * 5 + "-" * 5)
    return make_run(make_system(slug="wrong", name="Wrong model"), question_set, "+" * 9 + "-")


def slugs(client: Any) -> list[str]:
    return [row["slug"] for row in client.get(BOARD).json()["rows"]]


def test_it_leaves_the_board_and_comes_back_and_both_are_recorded(client: Any, run: Run, admin_user: Any) -> None:
    assert slugs(client) == ["wrong", "other"]
    run_withdraw(run_id=run.pk, reason="  Asked with\nthe wrong prompt. ", actor=admin_user)
    assert slugs(client) == ["other"]
    page = client.get("/systems/wrong/").content.decode()
    assert "Asked with the wrong prompt." in page
    assert "90.0%" not in page
    run_put_back(run_id=run.pk, actor=admin_user)
    assert slugs(client) == ["wrong", "other"]
    assert "Asked with" not in client.get("/systems/wrong/").content.decode()
    said = ActionLog.objects.filter(object_id=str(run.pk)).order_by("id").values_list("code", "actor", "detail")
    assert list(said) == [
        ("run.withdrawn", admin_user.pk, {"reason": "Asked with the wrong prompt."}),
        ("run.put_back", admin_user.pk, {"was_withdrawn_because": "Asked with the wrong prompt."}),
    ]


def test_the_page_of_a_system_says_that_its_only_run_was_withdrawn(client: Any, run: Run) -> None:
    run_withdraw(run_id=run.pk, reason="Wrong prompt.")
    page = client.get("/systems/wrong/").content.decode()
    assert "No answers are stored" not in page
    assert "what was withdrawn is below" in page


def test_a_review_is_not_told_of_a_withdrawn_run_as_standing(run: Run) -> None:
    submission = Submission(system=run.system, set_revision=run.set_revision)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.FINISHED)
    assert run_before(submission=submission) == run
    run_withdraw(run_id=run.pk, reason="Wrong prompt.")
    assert run_before(submission=submission) is None


def test_its_answers_stay(run: Run) -> None:
    before = list(Item.objects.filter(run=run).values())
    run_withdraw(run_id=run.pk, reason="Wrong.")
    assert list(Item.objects.filter(run=run).values()) == before


def test_a_published_snapshot_stays_as_it_is(client: Any, run: Run) -> None:
    snapshot = snapshot_publish(question_set=QuestionSet.objects.get(slug="small"), rule="", note="")
    run_withdraw(run_id=run.pk, reason="Wrong.")
    assert Snapshot.objects.get().content == snapshot.content
    assert '"slug":"wrong"' in client.get(f"/snapshots/{snapshot.number}.json").content.decode()
    assert slugs(client) == ["other"]


def test_an_older_run_takes_its_place(client: Any, run: Run) -> None:
    question_set = QuestionSet.objects.get(slug="small")
    newer = make_run(run.system, question_set, "-" * 10)
    accuracies = []
    for change in (run_withdraw, run_put_back):
        change(run_id=newer.pk, **({"reason": "Wrong."} if change is run_withdraw else {}))
        accuracies.append({row["slug"]: row["accuracy"] for row in client.get(BOARD).json()["rows"]}["wrong"])
    assert accuracies == [0.9, 0.0]


@pytest.mark.parametrize("reason", ["", "   ", "\n\t", "\u200b\u2060"])
def test_without_a_reason_nothing_is_done(run: Run, reason: str) -> None:
    with pytest.raises(ReasonMissingError, match="Say why"):
        run_withdraw(run_id=run.pk, reason=reason)
    run.refresh_from_db()
    assert run.withdrawn_at is None


def test_a_second_press_is_told(run: Run) -> None:
    with pytest.raises(RunStateError, match="is not withdrawn"):
        run_put_back(run_id=run.pk)
    run_withdraw(run_id=run.pk, reason="First.")
    with pytest.raises(RunStateError, match="withdrawn already"):
        run_withdraw(run_id=run.pk, reason="Second.")
    run.refresh_from_db()
    assert run.withdrawal_reason == "First."


def test_the_database_wants_a_reason(run: Run) -> None:
    for fields in ({"withdrawn_at": timezone.now()}, {"withdrawal_reason": "Why."}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Run.objects.filter(pk=run.pk).update(**fields)


def test_the_page_has_the_buttons_for_who_may(admin_client: Any, run: Run) -> None:
    page = reverse("admin:evaluations_run_change", args=[run.pk])
    address = reverse("admin:evaluations_run_withdrawal", args=[run.pk])
    assert 'id="run-withdraw"' in admin_client.get(page).content.decode()
    assert admin_client.get(address).status_code == 405
    html = admin_client.post(address, {"decision": "withdraw", "reason": ""}, follow=True).content.decode()
    assert "Nothing was changed. Say why" in html
    html = admin_client.post(address, {"decision": "withdraw", "reason": "<b>Wrong"}, follow=True).content.decode()
    assert "&lt;b&gt;Wrong" in html
    assert 'id="run-put-back"' in html
    html = admin_client.post(address, {"decision": "put_back"}, follow=True).content.decode()
    assert 'id="run-withdraw"' in html
    assert "run.put_back" in html


def test_who_may_not_is_refused(client: Any, run: Run, django_user_model: Any) -> None:
    editor = django_user_model.objects.create_user("editor", is_staff=True)
    editor.user_permissions.set(Permission.objects.filter(codename__in=["view_run", "change_run"]))
    client.force_login(editor)
    page = client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode()
    assert "run-withdraw" not in page
    address = reverse("admin:evaluations_run_withdrawal", args=[run.pk])
    assert client.post(address, {"decision": "withdraw", "reason": "Wrong."}).status_code == 403
    editor.user_permissions.add(Permission.objects.get(codename="withdraw_run"))
    client.force_login(django_user_model.objects.get(pk=editor.pk))
    assert client.post(address, {"decision": "withdraw", "reason": "Wrong."}).status_code == 302
    assert Run.objects.get(pk=run.pk).withdrawn_at is not None
