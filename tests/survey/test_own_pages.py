"""A person's own pages: withdrawing by one button, at any time; their data, without verdicts and keys."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog, Benchmark, Option, QuestionSet
from survey.models import (
    Absence,
    Assignment,
    Draft,
    Participant,
    ParticipantFlag,
    QuestionComment,
    ReminderAddress,
    Response,
    Study,
    StudyBlock,
)
from survey.selectors.own_data import own_data
from survey.services import (
    BlockPlan,
    comment_record,
    participant_withdraw,
    profile_record,
    study_close,
    study_create,
    study_open,
)
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.survey.factories import (
    answer_next,
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
EMAIL = "chemist@university.example"


def someone(*, answers: int = 2, n_choice: int = 3) -> Participant:
    """Make a person who left a row in every table that knows people."""
    person = make_participant(make_study(n_choice=n_choice, n_number=0, n_tools=0), practised=False)
    profile_record(participant=person, education="doctorate", years_experience=9, specialties=["glass blowing"])
    person = Participant.objects.select_related("study").get(pk=person.pk)
    client_of(person).post(reverse("survey:practice", args=[person.study.slug]), {"typed_text": "4", "read_back": "4"})
    person.refresh_from_db()
    for _ in range(answers):
        answer_next(person)
    assignment = Assignment.objects.filter(participant=person, served_at__isnull=False).last()
    assignment = assignment or go_to_question(person)
    now = timezone.now()
    Absence.objects.create(assignment=assignment, kind="pause", began_at=now, ended_at=now)
    Draft.objects.get_or_create(assignment=assignment, defaults={"content": {"choice": ["B"]}, "saved_at": now})
    ParticipantFlag.objects.create(participant=person, code="too_fast", detail="2 of 3 under 5 s", found_at=now)
    ReminderAddress.objects.create(participant=person, email=EMAIL, opted_in_at=now)
    comment_record(participant=person, assignment_id=assignment.pk, kind="error", text="Two options are alike.")
    person.refresh_from_db()
    return person


def url(person: Participant, name: str) -> str:
    return reverse(f"survey:{name}", args=[person.study.slug])


# Withdrawing


def test_the_page_says_what_goes_and_what_stays_before_anything_happens() -> None:
    person = someone()
    page = " ".join(client_of(person).get(url(person, "withdraw")).content.decode().split())
    assert "2 answers" in page
    assert "1 comment about questions" in page
    assert "cannot be undone" in page
    assert person.pseudonym in page
    assert Participant.objects.get().withdrawn_at is None


def test_one_button_withdraws_at_once_and_a_second_click_is_harmless() -> None:
    person = someone()
    client, link = client_of(person), person.link_secret
    versions = dict(Benchmark.objects.values_list("pk", "results_version"))
    data = {"participant": person.pk}
    pages = [client.post(url(person, "withdraw"), data, follow=True) for _ in range(2)]
    for page in pages:
        assert page.status_code == 200
        assert "You have withdrawn" in page.content.decode()
    tombstone = Participant.objects.get()
    assert (tombstone.pseudonym, tombstone.education, tombstone.years_experience) == (person.pseudonym, "", None)
    assert tombstone.link_secret != link
    assert tombstone.consent_text is not None
    for model in (Assignment, Response, Absence, Draft, ParticipantFlag, ReminderAddress):
        assert not model.objects.exists(), model
    assert QuestionComment.objects.get().participant is None
    assert all(Benchmark.objects.get(pk=pk).results_version > version for pk, version in versions.items())
    assert ActionLog.objects.filter(code="participant.withdrawn", actor=None).count() == 1


@pytest.mark.parametrize("answers", [0, 1, 3])
def test_it_works_before_while_and_after_answering(answers: int) -> None:
    person = someone(answers=answers)
    assert (person.finished_at is not None) == (answers == 3)
    client_of(person).post(url(person, "withdraw"), {"participant": person.pk})
    assert Participant.objects.get().withdrawn_at is not None
    assert not Response.objects.exists()


def test_it_works_once_the_study_is_closed() -> None:
    person = someone(answers=1)
    Study.objects.update(status="closed")
    client = client_of(person)
    assert url(person, "withdraw") in client.get(url(person, "continue")).content.decode()
    client.post(url(person, "withdraw"), {"participant": person.pk})
    assert not Response.objects.exists()


def test_a_form_opened_as_somebody_else_withdraws_nobody() -> None:
    person = someone()
    other = make_participant(person.study)
    client_of(person).post(url(person, "withdraw"), {"participant": other.pk})
    client_of(person).post(url(person, "withdraw"), {})
    assert not Participant.objects.filter(withdrawn_at__isnull=False).exists()


def test_it_takes_the_person_and_the_token_of_the_form() -> None:
    person = someone()
    Client().post(url(person, "withdraw"), {"participant": person.pk})
    strict = client_of(person, enforce_csrf_checks=True)
    assert strict.post(url(person, "withdraw"), {"participant": person.pk}).status_code == 403
    client_of(person).get(url(person, "withdraw"))
    assert Participant.objects.get().withdrawn_at is None


def test_an_answer_sent_after_that_is_not_stored() -> None:
    person = someone(answers=1)
    client, assignment = client_of(person), go_to_question(person)
    client.post(url(person, "withdraw"), {"participant": person.pk})
    page = client.post(question_url(assignment), post_data(assignment), follow=True)
    assert page.status_code in (403, 409)
    assert not Response.objects.exists()


def test_pages_lead_to_what_is_the_persons_own() -> None:
    going_on, finished = someone(answers=1), someone(answers=3)
    for person, page, has_result in ((going_on, "link", False), (finished, "finish", True)):
        text = client_of(person).get(url(person, page)).content.decode()
        for name in ("withdraw", "my-data"):
            assert url(person, name) in text
        assert (reverse("leaderboard:own-result", args=[person.study.slug]) in text) == has_result


# The data


def download(person: Participant) -> dict[str, Any]:
    response = client_of(person).get(url(person, "my-data"))
    assert response["Content-Type"] == "application/json"
    assert "attachment" in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    return json.loads(response.content)


def test_data_holds_everything_stored_about_the_person() -> None:
    person = someone()
    data = download(person)
    assert data["pseudonym"] == person.pseudonym
    assert (data["consent"]["version"], data["consent"]["text"]) == (1, person.consent_text.text)
    assert data["consent"]["said_beside_it"] in Client().get(reverse("survey:consent", args=[person.study.slug])).text
    assert data["profile"] == {"education": "doctorate", "years_experience": 9, "specialties": ["glass blowing"]}
    assert data["reminders"]["email"] == EMAIL
    assert [comment["text"] for comment in data["comments"]] == ["Two options are alike."]
    assert [flag["finding"] for flag in data["findings_about_your_answers"]] == [ParticipantFlag.Code.TOO_FAST.label]
    first, second = data["questions"]
    assert (first["number"], second["number"], data["questions_not_shown_yet"]) == (1, 2, 1)
    assert [absence["kind"] for absence in second["away"]] == ["paused"]
    assert second["not_sent_yet"]["fields"] == {"choice": ["B"]}
    response = Response.objects.get(assignment__position=1)
    (chosen,) = first["answer"]["chosen"]
    text = Option.objects.get(
        revision=response.assignment.question_revision, option_key=response.chosen_option_keys[0]
    ).text
    assert chosen.endswith(f". {text}")
    assert chosen in first["options_in_the_order_shown"]
    assert first["answer"]["confidence"] == 3
    assert first["answer"]["answered_at"].endswith("+00:00")


def test_every_column_about_people_is_in_the_data_or_left_out_on_purpose() -> None:
    """A new column does not go missing unseen."""
    left_out = {
        Participant: {"id", "link_secret", "is_demo", "consent_page_key"},
        Assignment: {"id", "participant", "is_attention_check"},
        Response: {"id", "assignment", "outcome", "credit", "rule", "key_revision", "imported_record"},
        ParticipantFlag: {"id", "participant", "review_reason", "reviewed_at", "reviewed_by"},
        ReminderAddress: {"id", "participant"},
        Absence: {"id", "assignment"},
        Draft: {"id", "assignment"},
        QuestionComment: {"id", "participant", "resolution", "resolved_at", "resolved_by"},
    }
    told = {
        Participant: {
            *("study", "pseudonym", "consent_text", "consented_at", "education", "years_experience", "specialties"),
            *("profile_answered_at", "practised_at", "started_at", "finished_at", "withdrawn_at", "source_name"),
            *("counts_since", "reminders_sent"),
        },
        Assignment: {"block", "question_revision", "position", "option_order", "served_at"},
        Response: {
            *("chosen_option_keys", "typed_text", "do_not_know", "tools_used", "confidence", "answered_at"),
            *("seconds", "away_seconds"),
        },
        ParticipantFlag: {"code", "detail", "found_at", "is_left_out"},
        ReminderAddress: {"email", "opted_in_at", "last_sent_at", "n_sent"},
        Absence: {"kind", "began_at", "ended_at"},
        Draft: {"content", "saved_at"},
        QuestionComment: {"question_revision", "kind", "text", "created_at"},
    }
    for model, names in told.items():
        assert {field.name for field in model._meta.fields} == names | left_out[model], model


@pytest.mark.parametrize(
    ("status", "policy", "is_told"),
    [("open", "open", False), ("closed", "closed", False), ("closed", "open", True)],
)
def test_verdicts_are_in_the_data_only_where_they_are_public(status: str, policy: str, is_told: bool) -> None:
    person = someone()
    QuestionSet.objects.update(policy=policy)
    Study.objects.update(status=status)
    Response.objects.update(imported_record={"score": "right"})
    text = json.dumps(download(person))
    assert ('"verdict": "right"' in text) == is_told
    assert ("2 of 3 under 5 s" in text) == (status == "closed")
    assert ('"score"' in text) == is_told
    for never in (person.link_secret, "target", "credit", "option_key"):
        assert never not in text


def study_of(question_set: QuestionSet, **fields: Any) -> Study:
    block = BlockPlan("part", "Part", "Rules.", False, question_set.current_revision)
    study = study_create(slug="of-sets", title="Of sets", consent_text="Yes?", blocks=[block], **fields)
    study_open(study=study)
    return study


def verdicts_told(study: Study) -> dict[bool, set[str | None]]:
    """Return the verdicts told to somebody who has answered everything, of attention checks and of the others."""
    person = make_participant(study)
    for _ in range(person.assignments.count()):
        answer_next(person)
    study.refresh_from_db()
    study_close(study=study)
    person = Participant.objects.select_related("study").get(pk=person.pk)
    told: dict[bool, set[str | None]] = {}
    for question in own_data(person)["questions"]:
        is_check = person.assignments.get(position=question["number"]).is_attention_check
        told.setdefault(is_check, set()).add(question["answer"].get("verdict"))
    return told


def two_sets() -> tuple[QuestionSet, QuestionSet]:
    benchmark = make_benchmark()
    first, second = ([make_question(benchmark) for _ in range(3)] for _ in range(2))
    return make_set(benchmark, revisions=first, policy="open"), make_set(benchmark, revisions=second, policy="closed")


def test_verdicts_of_attention_checks_are_never_in_the_data() -> None:
    asked, checks = two_sets()
    told = verdicts_told(study_of(asked, attention_set=checks.current_revision, attention_every=2))
    assert told == {True: {None}, False: {"right"}}


def test_a_question_that_is_in_a_closed_set_as_well_tells_no_verdict() -> None:
    asked, _ = two_sets()
    study = study_of(asked)
    revisions = [member.question_revision for member in asked.current_revision.members.all()]
    make_set(asked.benchmark, revisions=revisions[:1], policy="closed")
    assert verdicts_told(study) == {False: {None}}


def test_a_block_given_an_open_set_later_tells_no_verdict_of_a_closed_one() -> None:
    later, asked = two_sets()
    study = study_of(asked)
    person = make_participant(study)
    for _ in range(3):
        answer_next(person)
    StudyBlock.objects.update(set_revision=later.current_revision)
    study.refresh_from_db()
    study_close(study=study)
    told = own_data(Participant.objects.select_related("study").get(pk=person.pk))["questions"]
    assert [question["answer"].get("verdict") for question in told] == [None] * 3


def test_data_carries_the_canaries_of_its_questions() -> None:
    person = someone()
    Benchmark.objects.update(canary="canary GUID 1234")
    assert download(person)["canaries"] == ["canary GUID 1234"]


def test_data_is_only_for_the_person_and_after_withdrawing_a_tombstone() -> None:
    person = someone()
    assert Client().get(url(person, "my-data")).status_code == 302
    participant_withdraw(participant=person)
    data = own_data(Participant.objects.select_related("study").get())
    assert data["questions"] == data["comments"] == data["parts_begun"] == []
    assert (data["reminders"], data["profile"]["education"]) == (None, "")


def test_anyone_can_read_what_is_stored(settings: Any) -> None:
    settings.PEOPLE_MINIMUM_FOR_MEAN = 7
    page = Client().get(reverse("survey:privacy"))
    assert page.status_code == 200
    assert "averages of 7 people or more" in " ".join(page.content.decode().split())
    study = make_study()
    assert reverse("survey:privacy") in Client().get(reverse("survey:consent", args=[study.slug])).content.decode()


def test_what_is_stored_leads_back_to_the_study_and_to_the_site() -> None:
    person = someone()
    back = reverse("survey:continue", args=[person.study.slug])
    page = Client().get(reverse("survey:privacy")).content.decode()
    assert f'href="{reverse("leaderboard:home")}"' in page
    assert back not in page
    browser = Client()
    browser.get(reverse("survey:resume", args=[person.link_secret]))
    assert f'href="{back}"' in browser.get(reverse("survey:privacy")).content.decode()


def test_missed_attention_checks_are_told_once_the_study_is_closed() -> None:
    person = someone()
    without = own_data(person)["not_included"]
    ParticipantFlag.objects.create(
        participant=person, code="attention", detail="2 of 2 attention checks missed", found_at=timezone.now()
    )
    data = own_data(person)
    assert "attention" not in json.dumps(data)
    assert data["not_included"] == without
    study_close(study=person.study)
    assert [flag["detail"] for flag in own_data(person)["findings_about_your_answers"]] == [
        "2 of 2 attention checks missed",
        "2 of 3 under 5 s",
    ]
