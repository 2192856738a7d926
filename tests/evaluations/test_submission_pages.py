"""The admin's pages for tokens and submissions: who may do what, what is shown once, what is decided."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from corpus.models import QuestionSetRevision
from evaluations.models import ContributorToken, Run, Submission, System
from evaluations.selectors import submissions as of_submissions
from evaluations.selectors.submissions import TOO_LONG_HERE, submission_review
from evaluations.services.contributors import token_of
from evaluations.services.submissions import submission_accept
from tests.evaluations.completions import RIGHT, STYLE, make_submission

pytestmark = pytest.mark.one_database

TOKENS = reverse("admin:evaluations_contributortoken_changelist")
MAKE = reverse("admin:evaluations_contributortoken_add")
LIST = reverse("admin:evaluations_submission_changelist")
HOSTILE = '</pre><script>alert("x")</script>'


@pytest.fixture
def submission(bank, system) -> Submission:
    return make_submission(bank, system, {"q-choice": HOSTILE, "q-number": RIGHT["q-number"]})


def page_of(submission: Submission) -> str:
    return reverse("admin:evaluations_submission_change", args=[submission.pk])


def decide(client: Client, submission: Submission, **data: str) -> Any:
    return client.post(reverse("admin:evaluations_submission_decide", args=[submission.pk]), data, follow=True)


def staff_with(*permissions: str) -> Client:
    user = User.objects.create_user(f"staff-{User.objects.count()}", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def form_for(bank: QuestionSetRevision, system: System, /, **change: Any) -> dict[str, Any]:
    return {
        "name": "A group",
        "system": system.pk,
        "question_set": bank.question_set_id,
        "prompt_style": STYLE,
    } | change


def test_a_token_is_shown_once(admin_client, bank, system) -> None:
    assert admin_client.get(MAKE).status_code == 200
    response = admin_client.post(MAKE, form_for(bank, system))
    assert "no-store" in response["Cache-Control"]
    (secret,) = re.findall(r'id="contributor-token">(cbs_[\w-]{43})<', response.content.decode())
    token = token_of(secret)
    assert token == ContributorToken.objects.get()
    assert (token.name, token.created_by.username) == ("A group", "admin")
    for address in (TOKENS, reverse("admin:evaluations_contributortoken_change", args=[token.pk]), MAKE):
        content = admin_client.get(address).content.decode()
        assert secret not in content
        assert token.token_hash not in content
    assert secret not in str(dict(admin_client.session))


@pytest.mark.parametrize("change", [{"name": ""}, {"system": 0}, {"question_set": ""}, {"prompt_style": "no-style"}])
def test_a_token_that_cannot_be_made_is_told(admin_client, bank, system, change: dict[str, Any]) -> None:
    response = admin_client.post(MAKE, form_for(bank, system, **change))
    assert "no token was made" in response.content.decode()
    assert not ContributorToken.objects.exists()


def test_revoking_is_for_those_who_may_change_tokens(admin_client, bank, system) -> None:
    admin_client.post(MAKE, form_for(bank, system))
    token = ContributorToken.objects.get()
    data = {"action": "revoke", "_selected_action": [token.pk]}
    staff_with("view_contributortoken").post(TOKENS, data)
    token.refresh_from_db()
    assert token.revoked_at is None
    assert "is revoked" in admin_client.post(TOKENS, data, follow=True).content.decode()
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert "revoked already" in admin_client.post(TOKENS, data, follow=True).content.decode()


def test_making_tokens_needs_its_permission(bank, system) -> None:
    viewer = staff_with("view_contributortoken")
    assert viewer.get(TOKENS).status_code == 200
    assert viewer.get(MAKE).status_code == 403
    assert viewer.post(MAKE, form_for(bank, system)).status_code == 403
    assert staff_with("add_contributortoken").post(MAKE, form_for(bank, system)).status_code == 200
    assert ContributorToken.objects.count() == 1


def test_the_page_shows_counts_and_escapes_what_was_sent(admin_client, submission) -> None:
    listed = admin_client.get(LIST, {"status__exact": "waiting"}).content.decode()
    assert page_of(submission) in listed
    assert "imported by a maintainer" in listed
    content = admin_client.get(page_of(submission)).content.decode()
    words = " ".join(re.sub(r"<[^>]+>", " ", content).split())
    for shown in ("Questions covered 2 of 3", "Completions 2 of 3", "Empty 0", "read 1 unparsed 1", "not complete"):
        assert shown in words
    assert HOSTILE not in content
    assert "&lt;/pre&gt;&lt;script&gt;" in content
    assert "q-other" in content


def test_a_long_completion_is_cut_and_whole_one_click_away(admin_client, bank, system) -> None:
    long, longest = "step by step " * 1_000 + "[ANSWER]A[/ANSWER]", "the answer for " * 20_000 + HOSTILE
    submission = make_submission(bank, system, {"q-choice": long, "q-number": longest, "q-other": "A"})
    review = submission_review(submission=submission)
    assert (review.n_read, review.statuses) == (2, {"read": 2, "unparsed": 0, TOO_LONG_HERE: 1})
    page = admin_client.get(page_of(submission))
    assert len(page.content) < 60_000
    assert "2 of 3" in page.content.decode()
    links = re.findall(r'href="([^"]+/completions/\d+/)"', page.content.decode())
    whole = [admin_client.get(link) for link in links]
    assert {response.content.decode() for response in whole} == {long, longest}
    for response in whole:
        assert response["Content-Type"] == "text/plain; charset=utf-8"
        assert response["X-Content-Type-Options"] == "nosniff"
    assert staff_with("view_item").get(links[0]).status_code == 403
    other = make_submission(bank, system)
    assert admin_client.get(links[0].replace(f"/{submission.pk}/", f"/{other.pk}/", 1)).status_code == 404


def test_of_very_much_text_a_part_is_read_that_is_spread_over_it(bank, system, monkeypatch) -> None:
    submission = make_submission(bank, system, RIGHT)
    monkeypatch.setattr(of_submissions, "MOST_READ_HERE", 2 * len(RIGHT["q-choice"]))
    review = submission_review(submission=submission)
    assert (review.n_read, review.n_completions) == (2, 3)
    assert sorted(line.key for line in review.sample) == ["q-choice", "q-other"]


def test_the_page_says_which_run_stands_before_a_submission(admin_client, submission, bank, system) -> None:
    before = "goes on standing on the board"
    for origin, status, is_said in (("submitted", "finished", False), ("asked", "incomplete", False)):
        Run.objects.create(system=system, set_revision=bank, origin=origin, status=status)
        assert (before in admin_client.get(page_of(submission)).content.decode()) is is_said
    run = Run.objects.create(system=system, set_revision=bank, status="finished")
    content = admin_client.get(page_of(submission)).content.decode()
    assert before in content
    assert str(run.pk) in content


def test_accepting_makes_a_run_that_is_shown_as_submitted(admin_client, client, submission) -> None:
    said = decide(admin_client, submission, decision="accept").content.decode()
    run = Run.objects.get()
    assert "Accepted" in said
    assert str(run.pk) in said
    assert 'value="accept"' not in said
    run_page = admin_client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode()
    assert "submitted" in run_page
    assert "run-action-" not in run_page
    listed = admin_client.get(reverse("admin:evaluations_run_changelist")).content.decode()
    assert '<td class="field-origin">submitted</td>' in listed
    assert (
        str(run.pk)
        in admin_client.get(f"{reverse('admin:evaluations_run_changelist')}?origin__exact=submitted").content.decode()
    )
    board = client.get("/leaderboard/outside/").content.decode()
    assert '<span class="tag">submitted</span>' in board
    system_page = client.get("/systems/agent/").content.decode()
    assert '<span class="tag">submitted</span>' in system_page
    assert "made elsewhere and sent in" in system_page
    (row,) = client.get("/api/v1/leaderboard/outside/").json()["rows"]
    assert row["is_submitted"] is True


@pytest.mark.parametrize("name", ["pause", "resume", "retry", "stop", "wake"])
def test_no_button_works_on_a_submitted_run(admin_client, submission, name: str) -> None:
    run = submission_accept(submission_id=submission.pk)
    response = admin_client.post(reverse("admin:evaluations_run_action", args=[run.pk, name]))
    assert response.status_code == 404
    run.refresh_from_db()
    assert run.status == "incomplete"


def test_rejecting_needs_a_reason(admin_client, submission) -> None:
    assert "Say why" in decide(admin_client, submission, decision="reject").content.decode()
    assert "nothing was decided" in decide(admin_client, submission, decision="perhaps").content.decode()
    submission.refresh_from_db()
    assert submission.status == "waiting"
    assert "counts nowhere" in decide(admin_client, submission, decision="reject", reason="No.").content.decode()
    submission.refresh_from_db()
    assert (submission.status, submission.review_reason) == ("rejected", "No.")
    assert "that decision stands" in decide(admin_client, submission, decision="accept").content.decode()
    assert not Run.objects.exists()


def test_deciding_needs_its_permission_and_a_post(submission) -> None:
    viewer = staff_with("view_submission")
    content = viewer.get(page_of(submission)).content.decode()
    assert 'value="accept"' not in content
    assert decide(viewer, submission, decision="accept").status_code == 403
    decider = staff_with("view_submission", "change_submission")
    assert decider.get(reverse("admin:evaluations_submission_decide", args=[submission.pk])).status_code == 405
    assert decide(Client(), submission, decision="accept").redirect_chain
    assert not Run.objects.exists()
    decide(decider, submission, decision="accept")
    assert Run.objects.count() == 1


def test_a_submission_whose_prompts_changed_says_so(admin_client, bank, submission) -> None:
    bank.question_revisions.filter(question__key="q-choice").update(stem="Another question?")
    assert "no longer those" in admin_client.get(page_of(submission)).content.decode()
