"""Erasing one person on request, and what a study keeps of people once its time is up."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog, Benchmark
from survey.models import (
    Absence,
    Draft,
    Participant,
    QuestionComment,
    ReminderAddress,
    Response,
    Study,
    UnknownLinkCount,
)
from survey.profile_words import coarse_specialties, coarse_years
from survey.selectors.inclusion import inclusions
from survey.services import (
    participant_withdraw,
    practice_record,
    profile_record,
    retention_apply,
    study_close,
    study_open,
)
from survey.services import retention as retention_module
from survey.services.links import address_key
from tests.survey.factories import answer_next, make_participant, make_study
from tests.survey.test_inclusion import admin_form
from tests.survey.test_own_pages import someone

pytestmark = pytest.mark.django_db
LATER = timedelta(days=31)


@pytest.fixture
def person() -> Participant:
    """Somebody of a study that was closed just now and keeps links for thirty days."""
    found = someone()
    Study.objects.update(retention_days=30)
    found.study.refresh_from_db()
    study_close(study=found.study)
    return found


def run(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(("arguments", "kept"), [([], 1), (["--dry-run"], 2)])
def test_hashes_of_network_addresses_go_though_no_unknown_link_is_opened_again(arguments: list[str], kept: int) -> None:
    now = timezone.now()
    for minutes in (61, 10):
        minute = now - timedelta(minutes=minutes)
        UnknownLinkCount.objects.create(address_key=address_key("192.0.2.1"), minute=minute, n=1)
    run("apply_retention", *arguments)
    assert UnknownLinkCount.objects.count() == kept


# When


def test_closing_notes_when_and_opening_forgets_it() -> None:
    study = someone().study
    study_close(study=study)
    first = Study.objects.get().closed_at
    study_close(study=study)
    assert Study.objects.get().closed_at == first
    study_open(study=study)
    assert Study.objects.get().closed_at is None


def test_closing_once_more_from_a_page_read_before_moves_nothing() -> None:
    study = someone().study
    read_before = Study.objects.get()
    study_close(study=study)
    first = Study.objects.get().closed_at
    study_close(study=read_before)
    assert Study.objects.get().closed_at == first
    assert (read_before.status, read_before.closed_at) == (Study.Status.CLOSED, first)


@pytest.mark.parametrize(
    ("days", "changes", "is_due"),
    [
        pytest.param(31, {}, True, id="over"),
        pytest.param(29, {}, False, id="not over yet"),
        pytest.param(31, {"retention_days": None}, False, id="kept for ever"),
        pytest.param(31, {"status": "open"}, False, id="open again"),
        pytest.param(0, {"retention_days": 0}, True, id="at once"),
        pytest.param(30, {}, True, id="to the day"),
        pytest.param(31, {"retention_days": 9_999_999}, False, id="past the last date"),
        pytest.param(31, {"retention_days": 2_147_483_647}, False, id="past any span of time"),
    ],
)
def test_retention_is_due_some_days_after_the_end(
    person: Participant, days: int, changes: dict[str, Any], is_due: bool
) -> None:
    Study.objects.update(**changes)
    done = retention_apply(now=timezone.now() + timedelta(days=days))
    assert [study.study for study in done] == [person.study.slug] * is_due


def another_closed() -> Study:
    study = make_study(slug="another")
    study_close(study=study)
    Study.objects.filter(pk=study.pk).update(retention_days=30)
    return study


def test_a_study_kept_for_ever_does_not_keep_others_from_being_erased(person: Participant) -> None:
    Study.objects.update(retention_days=9_999_999)
    another_closed()
    assert [study.study for study in retention_apply(now=timezone.now() + LATER)] == ["another"]


def test_a_study_that_fails_is_named_and_stops_no_other(person: Participant, monkeypatch: pytest.MonkeyPatch) -> None:
    another = another_closed()
    Study.objects.update(closed_at=timezone.now() - LATER)
    found = retention_module._found

    def failing(study: Study) -> retention_module.Retained:
        if study.pk == person.study_id:
            raise OverflowError
        return found(study)

    monkeypatch.setattr(retention_module, "_found", failing)
    with pytest.raises(CommandError, match=f"retention of {person.study.slug} could not be applied"):
        run("apply_retention")
    (log,) = ActionLog.objects.filter(code="study.retention_applied")
    assert log.object_id == str(another.pk)


@pytest.mark.parametrize(("days", "is_taken"), [("36500", True), ("36501", False), ("9999999", False)])
def test_the_form_takes_no_retention_of_more_than_a_hundred_years(
    admin_client: Client, days: str, is_taken: bool
) -> None:
    study = make_study(slug="long")
    url = reverse("admin:survey_study_change", args=[study.pk])
    response = admin_client.post(url, admin_form(study, retention_days=days))
    assert (response.status_code == 302) is is_taken
    assert ("Write at most 36500 days" in response.content.decode()) is not is_taken
    study.refresh_from_db()
    assert study.retention_days == (int(days) if is_taken else None)


# What


def test_links_addresses_drafts_absences_and_authors_go_and_answers_stay(person: Participant) -> None:
    link = person.link_secret
    Response.objects.update(away_seconds=12.5)
    (done,) = retention_apply(now=timezone.now() + LATER)
    assert (done.links, done.addresses, done.drafts, done.absences, done.authors, done.profiles) == (1, 1, 1, 1, 1, 1)
    assert Client().get(reverse("survey:resume", args=[link])).status_code == 404
    for model in (ReminderAddress, Draft, Absence):
        assert not model.objects.exists(), model
    assert QuestionComment.objects.get().participant is None
    kept = Participant.objects.get()
    assert (kept.education, kept.years_experience, kept.specialties) == ("doctorate", 5, [])
    assert {response.away_seconds for response in Response.objects.all()} == {12.5}
    assert Response.objects.count() == 2


def test_it_is_done_once_for_each_closing(person: Participant) -> None:
    later = timezone.now() + LATER
    assert len(retention_apply(now=later)) == 1
    secret = Participant.objects.get().link_secret
    assert retention_apply(now=later) == []
    assert Participant.objects.get().link_secret == secret
    study_open(study=person.study)
    study_close(study=person.study)
    assert len(retention_apply(now=later)) == 1


def test_a_dry_run_erases_nothing(person: Participant) -> None:
    (found,) = retention_apply(now=timezone.now() + LATER, dry_run=True)
    assert found.addresses == 1
    assert ReminderAddress.objects.count() == Draft.objects.count() == 1
    assert Participant.objects.get().link_secret == person.link_secret
    assert not ActionLog.objects.filter(code="study.retention_applied").exists()


def test_nobody_who_withdrew_comes_back(person: Participant) -> None:
    participant_withdraw(participant=person)
    (done,) = retention_apply(now=timezone.now() + LATER)
    assert (done.links, done.profiles) == (0, 0)
    assert Participant.objects.get().education == ""


@pytest.mark.parametrize(
    ("years", "coarse"), [(None, None), (0, 0), (1, 1), (2, 2), (4, 3), (9, 5), (10, 10), (19, 10), (60, 20)]
)
def test_years_are_rounded_down(years: int | None, coarse: int | None) -> None:
    assert coarse_years(years) == coarse


@pytest.mark.parametrize(("years", "coarse"), [(3, 3), (4, 4), (5, 5), (6, 5), (60, 20), (None, None)])
def test_the_minimum_of_a_study_is_a_step(years: int | None, coarse: int | None) -> None:
    assert coarse_years(years, minimum=4) == coarse


@pytest.mark.parametrize("minimum", [1, 4, 7, 25])
def test_who_counts_is_the_same_before_and_after(minimum: int) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    for years in (0, 1, 3, 4, 6, 7, 9, 24, 25, 60):
        person = make_participant(study, practised=False)
        profile_record(participant=person, years_experience=years)
        practice_record(participant=person)
        answer_next(person)
    Study.objects.update(minimum_years=minimum, retention_days=0)
    study_close(study=Study.objects.get())
    before = {pk: person.counts for pk, person in inclusions(study=study).people.items()}
    assert len(set(before.values())) == 2
    version = Benchmark.objects.get().results_version
    (dry,) = retention_apply(dry_run=True)
    assert Benchmark.objects.get().results_version == version
    assert retention_apply() == [dry]
    assert dry.years > 0
    assert Benchmark.objects.get().results_version > version
    assert {pk: person.counts for pk, person in inclusions(study=study).people.items()} == before


def test_the_admin_warns_that_years_are_coarse(person: Participant, admin_client: Client) -> None:
    address = reverse("admin:survey_study_change", args=[person.study.pk])
    assert admin_client.post(address, admin_form(Study.objects.get(), minimum_years=3)).status_code == 302
    retention_apply(now=timezone.now() + LATER)
    response = admin_client.post(address, admin_form(Study.objects.get(), minimum_years=4))
    assert "rounded the years of experience" in response.content.decode()
    assert Study.objects.get().minimum_years == 3
    sure = admin_form(Study.objects.get(), minimum_years=4, moves_few_people="on")
    assert admin_client.post(address, sure).status_code == 302
    assert Study.objects.get().minimum_years == 4


def test_specialties_in_somebodys_own_words_go() -> None:
    assert coarse_specialties(["organic chemistry", "the synthesis of X at Y"]) == ["organic chemistry"]


def test_command_reports_what_it_erases(person: Participant) -> None:
    Study.objects.update(closed_at=timezone.now() - LATER)
    report = json.loads(run("apply_retention", "--dry-run", "--json"))
    assert report["dry_run"] is True
    assert [(row["study"], row["links"]) for row in report["studies"]] == [(person.study.slug, 1)]
    assert "1 links, 1 addresses" in run("apply_retention")
    assert run("apply_retention").strip() == "0 studies were changed."


# One person


def test_erasing_leaves_a_tombstone_only(person: Participant) -> None:
    report = json.loads(
        run("erase_participant", "--study", person.study.slug, "--pseudonym", person.pseudonym, "--yes", "--json")
    )
    assert (report["answers"], report["comments"], report["had_withdrawn"]) == (2, 1, False)
    tombstone = Participant.objects.get()
    kept = {
        field.name
        for field in Participant._meta.fields
        if getattr(tombstone, field.attname) not in (None, "", [], False)
    }
    assert kept == {"id", "study", "pseudonym", "link_secret", "started_at", "withdrawn_at"}
    assert tombstone.link_secret != person.link_secret
    assert not QuestionComment.objects.exists()
    assert not Response.objects.exists()
    assert "0 answers, 0 comments" in run(
        "erase_participant", "--study", person.study.slug, "--pseudonym", person.pseudonym, "--yes"
    )


def test_erasing_asks_for_the_name(person: Participant, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("erase_participant", "--study", person.study.slug, "--pseudonym", person.pseudonym)
    monkeypatch.setattr("builtins.input", lambda: "yes")
    with pytest.raises(CommandError, match="nothing was erased"):
        run(*arguments)
    assert Response.objects.count() == 2
    monkeypatch.setattr("builtins.input", lambda: person.pseudonym)
    assert "is erased" in run(*arguments)


@pytest.mark.parametrize(("study", "words"), [("nowhere", "There is no study"), ("{}", "Nobody in the study")])
def test_erasing_nobody_is_refused(person: Participant, study: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        run("erase_participant", "--study", study.format(person.study.slug), "--pseudonym", "nobody", "--yes")
    assert Response.objects.count() == 2
