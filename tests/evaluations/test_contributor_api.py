"""Contributors over HTTP: prompts out, completions in, and what they never see."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from corpus.models import ActionLog, QuestionSetRevision
from evaluations.importers.completion_lines import MOST_PROBLEMS
from evaluations.models import ContributorToken, Run, Submission, System
from evaluations.services import contributors
from evaluations.services.contributors import token_create, token_of, token_revoke
from evaluations.services.prompt_export import export_lines
from evaluations.services.submissions import submission_accept, submission_reject
from tests.corpus.factories import make_question, make_set_revision
from tests.evaluations.completions import (
    RIGHT,
    STYLE,
    file_of,
    header_of,
    lines_of,
    make_outside_set,
    make_outside_system,
    make_submission,
)

pytestmark = pytest.mark.one_database

PROMPTS = "/api/v1/contributor/prompts/"
SUBMISSIONS = "/api/v1/contributor/submissions/"


class Contributor:
    """A client that sends its token."""

    def __init__(self, bank: QuestionSetRevision, slug: str = "agent") -> None:
        self.system = make_outside_system(slug)
        self.token, self.secret = token_create(
            name="A group", system=self.system, question_set=bank.question_set, style_name=STYLE
        )
        self.client = Client(headers={"authorization": f"Bearer {self.secret}"}, raise_request_exception=False)

    def send(self, content: bytes, content_type: str = "application/x-ndjson") -> Any:
        return self.client.post(SUBMISSIONS, content, content_type=content_type)


@pytest.fixture
def contributor(bank: QuestionSetRevision) -> Contributor:
    return Contributor(bank)


def good_file(bank: QuestionSetRevision, **header: Any) -> bytes:
    return file_of(header_of(bank, **header), *lines_of(RIGHT))


@pytest.mark.parametrize("address", [PROMPTS, SUBMISSIONS, f"{SUBMISSIONS}1/"])
@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer cbs_wrong",
        "Basic {secret}",
        "{secret}",
        "Bearer {secret}x",
        "Bearer \xff",
    ],
)
def test_without_a_good_token_nothing_is_shown(contributor, address: str, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header.replace("{secret}", contributor.secret)}
    response = Client(headers=headers).get(address)
    assert response.status_code == 401
    assert response.json()["code"] == "no-token"
    assert "Authorization: Bearer" in response.json()["detail"]
    assert contributor.secret.encode() not in response.content


@pytest.mark.parametrize("repeats", ["abc", "", "1.5", "\u0663x", "\0"])
def test_repeats_that_are_no_number_are_refused_in_a_sentence(contributor, repeats: str) -> None:
    response = contributor.client.get(PROMPTS, {"repeats": repeats})
    assert response.status_code == 422
    assert response.json()["code"] == "bad-parameter"
    assert response.json()["detail"].startswith("`repeats`: ")


def test_only_the_hash_of_a_token_is_kept(contributor) -> None:
    assert contributor.token.token_hash == hashlib.sha256(contributor.secret.encode()).hexdigest()
    stored = [str(row) for row in ContributorToken.objects.values()] + [str(row) for row in ActionLog.objects.values()]
    assert len(stored) >= 2
    assert not [text for text in stored if contributor.secret in text]


def test_a_revoked_token_opens_nothing(contributor) -> None:
    assert token_of(contributor.secret) == contributor.token
    token_revoke(token_id=contributor.token.pk)
    assert contributor.client.get(PROMPTS).status_code == 401
    with pytest.raises(contributors.TokenStateError):
        token_revoke(token_id=contributor.token.pk)
    assert ActionLog.objects.filter(code="contributor.token-revoked").count() == 1


def test_the_prompts_are_those_of_the_export(contributor, bank) -> None:
    response = contributor.client.get(PROMPTS, {"repeats": 2})
    assert response["Content-Type"] == "application/x-ndjson"
    assert response["Cache-Control"] == "private, no-store"
    assert response.streaming
    assert response.getvalue().decode().splitlines() == list(
        export_lines(set_revision=bank, style_name=STYLE, system=contributor.system, repeats=2)
    )
    assert ContributorToken.objects.get().last_used_at is not None


def test_completions_wait_for_a_review(contributor, bank) -> None:
    response = contributor.send(good_file(bank))
    assert response.status_code == 201
    said = response.json()
    assert (said["status"], said["is_new"], said["n_questions"], said["n_covered"]) == ("waiting", True, 3, 3)
    assert (said["missing"], said["board"]) == ([], None)
    assert Submission.objects.get().token == contributor.token
    assert not Run.objects.exists()
    again = contributor.send(good_file(bank))
    assert (again.status_code, again.json()["id"], again.json()["is_new"]) == (200, said["id"], False)


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/x-www-form-urlencoded"])
def test_one_json_document_is_taken_too(contributor, bank, content_type: str) -> None:
    document = json.dumps(header_of(bank) | {"completions": lines_of(RIGHT)}, indent=1).encode()
    assert contributor.send(document, content_type).json()["n_completions"] == 3


def test_the_state_says_what_became_of_it(contributor, bank) -> None:
    first = contributor.send(good_file(bank)).json()["id"]
    second = contributor.send(good_file(bank, facts={"note": "once more"})).json()["id"]
    submission_accept(submission_id=first)
    submission_reject(submission_id=second, reason="The same again.")
    listed = contributor.client.get(SUBMISSIONS).json()["submissions"]
    assert [(each["id"], each["status"], each["reason"]) for each in listed] == [
        (second, "rejected", "The same again."),
        (first, "accepted", ""),
    ]
    one = contributor.client.get(f"{SUBMISSIONS}{first}/").json()
    assert one == listed[1]
    assert one["board"].endswith("/leaderboard/outside/")
    assert (one["repeats"], one["n_covered"]) == (1, 3)


@pytest.mark.parametrize("policy", ["closed", "open"])
@pytest.mark.parametrize("decision", ["none", "accepted", "rejected"])
def test_no_answer_tells_a_verdict_or_a_key(db, policy: str, decision: str) -> None:
    """The same bytes come back for right and wrong completions, numbers and times apart."""

    def told(slug: str, replies: dict[str, str]) -> str:
        bank = make_outside_set(slug, policy=policy)
        contributor = Contributor(bank, slug)
        texts = [contributor.client.get(PROMPTS), contributor.send(file_of(header_of(bank), *lines_of(replies)))]
        pk = texts[1].json()["id"]
        if decision == "accepted":
            submission_accept(submission_id=pk)
        if decision == "rejected":
            submission_reject(submission_id=pk, reason="No.")
        texts += [contributor.client.get(SUBMISSIONS), contributor.client.get(f"{SUBMISSIONS}{pk}/")]
        assert [response.status_code for response in texts] == [200, 201, 200, 200]
        whole = "\n".join(response.content.decode() for response in texts[1:])
        whole = whole.replace(f'"id": {pk},', '"id": -,').replace(f'"{slug}"', "-").replace(f"/{slug}/", "/-/")
        state = texts[2].json()["submissions"][0]
        for name in ("received_at", "reviewed_at"):
            whole = whole.replace(f'"{state[name]}"', "-")
        return whole

    wrong = {"q-choice": "[ANSWER]B[/ANSWER]", "q-number": "[ANSWER]41[/ANSWER]", "q-other": "I cannot say."}
    right_told, wrong_told = told("first", RIGHT), told("other", wrong)
    assert right_told == wrong_told
    assert not [word for word in ("outcome", "right", "credit", "target", "unparsed") if word in right_told]


def test_refusals_name_lines_and_store_nothing(contributor, bank) -> None:
    response = contributor.send(file_of(header_of(bank), *lines_of({"q-choice": "A", "q-x": "A"})) + b"\n{")
    assert response.status_code == 422
    said = response.json()
    assert (said["code"], said["n_problems"]) == ("completions-refused", 2)
    assert [(each["line"], each["code"]) for each in said["problems"]] == [(3, "unknown-key"), (4, "not-json")]
    assert not Submission.objects.exists()


def test_the_revision_must_be_stated_and_be_the_current_one(contributor, bank) -> None:
    unstated = contributor.send(file_of(*lines_of(RIGHT)))
    assert (unstated.status_code, unstated.json()["problems"][0]["code"]) == (422, "no-revision")
    content = good_file(bank)
    make_set_revision(bank.question_set, [make_question(bank.question_set.benchmark, key="q-new")])
    outdated = contributor.send(content)
    assert (outdated.status_code, outdated.json()["problems"][0]["code"]) == (422, "wrong-revision")


@pytest.mark.parametrize("stated", ["\ud800", "\x00", ["\ud800"], {"a": 1}, 10**4000, "A" * 64, True])
@pytest.mark.parametrize("field", ["set_hash", "set_revision", "set", "prompt_style", "prompts_hash"])
def test_a_first_line_that_states_anything_is_told(contributor, bank, field: str, stated: Any) -> None:
    response = contributor.send(good_file(bank, **{field: stated}))
    if field == "set_revision" and stated is True:
        assert response.status_code == 201  # true is 1, and this is revision 1
        return
    assert response.status_code == 422
    assert response.json()["problems"][0]["code"].startswith("wrong-")


@pytest.mark.parametrize(("before", "after"), [("", "Be brief."), ("Be brief.", "Be long."), ("Be brief.", "")])
def test_prompts_fetched_with_another_system_prompt_are_told(contributor, bank, before: str, after: str) -> None:
    """What is kept with the answers is what was given out, not what the system's prompt is when they come."""
    System.objects.update(system_prompt=before)
    first = contributor.client.get(PROMPTS).getvalue().splitlines()[0]
    content = first + b"\n" + file_of(*lines_of(RIGHT))
    System.objects.update(system_prompt=after)
    refused = contributor.send(content)
    assert (refused.status_code, refused.json()["problems"][0]["code"]) == (422, "wrong-system-prompt")
    System.objects.update(system_prompt=before)
    assert contributor.send(content).status_code == 201
    assert Submission.objects.get().frozen["system_prompt"] == before


def test_no_more_faults_are_gathered_than_are_read(contributor, bank) -> None:
    lines = ({"key": f"x{number}", "completion": ""} for number in range(MOST_PROBLEMS + 500))
    response = contributor.send(file_of(header_of(bank), *lines))
    assert (response.status_code, response.json()["n_problems"]) == (422, MOST_PROBLEMS)


def test_a_body_that_is_too_large_is_refused_with_the_limit(contributor, bank, settings) -> None:
    content = good_file(bank)
    settings.CONTRIBUTOR_UPLOAD_BYTES = len(content) - 1
    response = contributor.send(content)
    assert (response.status_code, response.json()["code"]) == (413, "too-large")
    assert f"{len(content) - 1:,} bytes" in response.json()["detail"]
    settings.CONTRIBUTOR_UPLOAD_BYTES = len(content)
    assert contributor.send(content).status_code == 201


def test_more_than_django_keeps_in_memory_of_a_form_is_taken(contributor, bank, settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    assert contributor.send(good_file(bank)).status_code == 201


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[" * 50_000, b'{"completions": 7}', b"null"])
def test_any_bytes_get_a_clear_answer(contributor, content: bytes) -> None:
    response = contributor.send(content)
    assert response.status_code == 422
    assert response.json()["problems"]


@pytest.mark.parametrize(("address", "code"), [(PROMPTS, "fetched"), (SUBMISSIONS, "uploaded")])
def test_too_many_requests_are_told_when_to_come_back(contributor, monkeypatch, address: str, code: str) -> None:
    call = contributor.client.get if code == "fetched" else contributor.client.post
    monkeypatch.setitem(contributors._MOST_AN_HOUR, f"contributor.{code}", 2)
    assert [call(address).status_code == 429 for _ in range(3)] == [False, False, True]
    refused = call(address)
    assert 0 < int(refused["Retry-After"]) <= 3601
    assert refused.json()["code"] == "too-many-requests"
    # Another contributor is not held up, and neither is this one an hour later.
    ActionLog.objects.update(created_at=timezone.now() - timedelta(hours=1, seconds=1))
    assert call(address).status_code != 429


def test_so_many_may_wait(contributor, bank, monkeypatch) -> None:
    monkeypatch.setattr(contributors, "MOST_WAITING", 1)
    assert contributor.send(good_file(bank)).status_code == 201
    refused = contributor.send(good_file(bank, facts={"note": "another"}))
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-waiting")
    # A client that did not hear the answer sends the same again, and is told that it is here.
    assert contributor.send(good_file(bank)).status_code == 200


def test_what_others_sent_is_not_shown(contributor, bank) -> None:
    other = Contributor(bank, "another")
    pk = other.send(good_file(bank)).json()["id"]
    assert contributor.client.get(f"{SUBMISSIONS}{pk}/").status_code == 404
    assert contributor.client.get(SUBMISSIONS).json() == {"submissions": []}
    # The same completions of the same system, imported by a maintainer before.
    imported = make_submission(bank, contributor.system)
    again = contributor.send(good_file(bank))
    assert again.status_code == 404
    assert f"{imported.pk}" not in again.json()["detail"]


def test_the_schema_is_there_for_everyone(client, db) -> None:
    paths = client.get("/api/v1/contributor/openapi.json").json()["paths"]
    assert set(paths) == {PROMPTS, SUBMISSIONS, f"{SUBMISSIONS}{{submission_id}}/"}


def test_a_cookie_is_no_token(contributor, admin_client) -> None:
    assert admin_client.get(PROMPTS).status_code == 401
