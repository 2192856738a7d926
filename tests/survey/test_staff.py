"""The staff pages of a study: who may see them, what they say, how few queries they take."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from corpus.models import ActionLog
from survey.inclusion_rules import REASON_WORDS, Reason
from survey.models import Absence, Assignment, Participant, Response
from survey.selectors.inclusion import study_inclusion_text
from survey.selectors.staff import drop_off, staff_rows
from survey.selectors.times import times_and_tools
from survey.services import Given, study_close
from survey.templatetags.survey_staff import bar, duration, percent, step_area, two_decimals
from tests.survey.factories import (
    answer_next,
    go_to_question,
    make_participant,
    make_study,
    right_given,
    staff_client,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PEOPLE = ("view_participant", "view_response")
PAGES = ("staff", "staff-progress", "staff-times", "staff-agreement")
KEY_PAGES = ("staff-questions", "items-csv")


def key_client(*permissions: str) -> Client:
    """Return a browser of somebody who may see people, answers and keys."""
    client = staff_client(*PEOPLE, *permissions)
    user = User.objects.get(pk=client.session["_auth_user_id"])
    user.user_permissions.add(Permission.objects.get(codename="view_questionrevision"))
    return client


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize("name", [*PAGES, *KEY_PAGES])
def test_pages_open_before_anyone_has_begun(name: str) -> None:
    study = make_study()
    assert key_client().get(reverse(f"survey:{name}", args=[study.slug])).status_code == 200


@pytest.mark.parametrize("name", KEY_PAGES)
def test_what_is_right_is_for_those_who_may_see_keys(name: str) -> None:
    study = make_study()
    refused = staff_client(*PEOPLE).get(reverse(f"survey:{name}", args=[study.slug]))
    assert refused.status_code == 403
    assert "corpus.view_questionrevision" in text_of(refused)
    assert Client().get(reverse(f"survey:{name}", args=[study.slug])).status_code == 302


def test_page_asks_itself_for_its_live_part_only() -> None:
    study = make_study()
    person = make_participant(study)
    client = staff_client(*PEOPLE)
    for name in ("staff", "staff-progress"):
        url = reverse(f"survey:{name}", args=[study.slug])
        whole, part = text_of(client.get(url)), text_of(client.get(url, headers={"HX-Request": "true"}))
        assert f'hx-get="{url}"' in whole
        assert "<html" in whole
        assert "<html" not in part
        assert person.pseudonym in whole
        assert person.pseudonym in part


def test_people_page_says_who_is_where_and_what_does_not_count() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    finished, pausing, withdrawn = (make_participant(study) for _ in range(3))
    answer_next(finished)
    answer_next(finished)
    assignment = go_to_question(pausing)
    Absence.objects.create(assignment=assignment, kind="pause", began_at=timezone.now())
    Participant.objects.filter(pk=withdrawn.pk).update(withdrawn_at=timezone.now())
    Response.objects.update(seconds=90.0, away_seconds=30.0)
    rows = {row.pseudonym: row for row in staff_rows(study)}
    assert {name: row.state for name, row in rows.items()} == {
        finished.pseudonym: "finished",
        pausing.pseudonym: "pausing",
        withdrawn.pseudonym: "withdrawn",
    }
    assert rows[finished.pseudonym].median_seconds == 60
    assert rows[finished.pseudonym].left_out == REASON_WORDS[Reason.WAITING]
    study_close(study=study)
    rows = {row.pseudonym: row for row in staff_rows(study)}
    assert rows[finished.pseudonym].left_out == ""
    assert rows[pausing.pseudonym].left_out == "not finished"
    assert rows[pausing.pseudonym].last_seen_at == assignment.served_at
    page = text_of(staff_client(*PEOPLE).get(reverse("survey:staff", args=[study.slug])))
    assert "1 min" in page
    assert study_inclusion_text(study=study) in page


def test_drop_off_shows_where_people_stopped_and_who_is_still_there() -> None:
    study = make_study(n_choice=4, n_number=0, n_tools=0)
    for n_answers in (4, 2, 2, 0):
        person = make_participant(study)
        for _ in range(n_answers):
            answer_next(person)
    names = list(Participant.objects.order_by("pk").values_list("pseudonym", flat=True))
    Participant.objects.filter(pseudonym=names[1]).update(started_at=timezone.now() - timedelta(days=60))
    Response.objects.filter(assignment__participant__pseudonym=names[1]).update(
        answered_at=timezone.now() - timedelta(days=50)
    )
    Assignment.objects.filter(participant__pseudonym=names[1]).update(served_at=timezone.now() - timedelta(days=50))
    found = drop_off(study)
    assert found.answered == (3, 3, 1, 1)
    assert [(run.first, run.last, run.n_given, run.n_answered) for run in found.runs] == [(1, 2, 4, 3), (3, 4, 4, 1)]
    assert [person.pseudonym for person in found.runs[1].stopped] == [names[1]]
    assert [person.pseudonym for person in found.runs[1].under_way] == [names[2]]
    assert [person.pseudonym for person in found.runs[0].under_way] == [names[3]]
    stopped_at = Assignment.objects.get(participant__pseudonym=names[1], position=3).question_revision.question.key
    assert found.runs[1].stopped[0].question_key == stopped_at
    Assignment.objects.filter(participant__pseudonym=names[1]).update(served_at=None)
    assert drop_off(study).runs[1].stopped[0].question_key == "", "it was never shown"
    study_close(study=study)
    assert {person.pseudonym for person in drop_off(study).runs[1].stopped} == {names[1], names[2]}


def test_a_run_begins_where_somebody_waits() -> None:
    study = make_study(n_choice=3, n_number=0, n_tools=0)
    make_participant(study)
    answer_next(make_participant(study))
    assert [(run.first, run.last, len(run.waiting)) for run in drop_off(study).runs] == [(1, 1, 1), (2, 3, 1)]


def test_times_are_net_and_tools_are_counted_where_they_are_allowed() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=2)
    for tools in (("web search", "other: Wikipedia", "other: a friend"), ("none",)):
        person = make_participant(study)
        for _ in range(3):
            assignment = go_to_question(person)
            given = right_given(assignment)
            if assignment.block.tools_allowed:
                given = Given(option_keys=given.option_keys, tools_used=tools)
            answer_next(person, given)
    Response.objects.update(seconds=100.0, away_seconds=75.0)
    found = times_and_tools(study, with_verdicts=True)
    assert [(block.n_answers, block.quartiles) for block in found.blocks] == [
        (2, (25.0, 25.0, 25.0)),
        (4, (25.0, 25.0, 25.0)),
    ]
    assert [block.away_share for block in found.blocks] == [0.75, 0.75]
    assert [(use_bin.below, use_bin.n) for use_bin in found.blocks[1].bins if use_bin.n] == [(30, 4)]
    assert [(use.tool, use.n_answers, use.n_people, use.share, use.share_right) for use in found.tools] == [
        ("none", 2, 1, 0.5, None),
        ("other, in their own words", 2, 1, 0.5, None),
        ("web search", 2, 1, 0.5, None),
    ]
    assert [(use.tool, use.n_answers) for use in found.own_words] == [("Wikipedia", 2), ("a friend", 2)]


@pytest.mark.parametrize(
    ("minimum", "with_verdicts", "told"), [(3, True, None), (2, True, 1.0), (2, False, None), (1, False, None)]
)
def test_how_many_were_right_with_a_tool_tells_no_single_verdict(
    settings: Any, minimum: int, with_verdicts: bool, told: float | None
) -> None:
    settings.PEOPLE_MINIMUM_FOR_MEAN = minimum
    study = make_study(n_choice=0, n_number=0, n_tools=2)
    person = make_participant(study)
    for _ in range(2):
        answer_next(person)
    found = times_and_tools(study, with_verdicts=with_verdicts)
    assert [(use.n_answers, use.share_right) for use in found.tools] == [(2, told)]


def test_staff_pages_tell_what_is_right_to_those_only_who_may_see_keys(settings: Any) -> None:
    settings.PEOPLE_MINIMUM_FOR_MEAN = 1
    study = make_study(n_choice=0, n_number=0, n_tools=1)
    for _ in range(2):
        answer_next(make_participant(study))
    clients = (key_client(), staff_client(*PEOPLE))
    for name, heading, section, figures in (
        ("staff-times", "Right with it", 'id="tools"', [3, 2]),
        ("staff-agreement", "right or not", 'id="agreement"', [12, 10]),
    ):
        told, hidden = (text_of(client.get(reverse(f"survey:{name}", args=[study.slug]))) for client in clients)
        assert [heading in page for page in (told, hidden)] == [True, False]
        assert [page.split(section)[1].count('<td class="number">') for page in (told, hidden)] == figures


@pytest.mark.parametrize(
    ("name", "most"), [("staff", 14), ("staff-progress", 12), ("staff-questions", 20), ("staff-times", 10)]
)
def test_queries_do_not_grow_with_people(
    name: str, most: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    study = make_study(n_choice=4, n_number=1, n_tools=1)
    for _ in range(6):
        person = make_participant(study)
        person.flags.create(code="too_fast", detail="fast", found_at=timezone.now(), is_left_out=False)
        for _ in range(6):
            answer_next(person)
    client = key_client()
    url = reverse(f"survey:{name}", args=[study.slug])
    with django_assert_max_num_queries(most):
        assert client.get(url).status_code == 200


# Questions


def study_with_a_doubt() -> Any:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    for _ in range(6):
        person = make_participant(study)
        options = go_to_question(person).question_revision.options.all()
        answer_next(person, Given(option_keys=(options[0].option_key,)))
    return study


def test_questions_page_names_the_key_in_doubt_and_links_to_the_question() -> None:
    study = study_with_a_doubt()
    question = Response.objects.first().assignment.question_revision.question
    client = key_client("view_questioncomment")
    page = text_of(client.get(reverse("survey:staff-questions", args=[study.slug])))
    assert "6 people answered A, 0 the key." in page
    detail = reverse("survey:staff-question", args=[study.slug, question.current_revision_id])
    assert f'href="{detail}"' in page
    text = text_of(client.get(detail))
    assert reverse("admin:corpus_question_change", args=[question.pk]) in text
    assert "Which one is meant?" in text
    assert "first wrong one" in text
    assert "Nobody has said anything." in text
    assert client.get(reverse("survey:staff-question", args=[study.slug, 0])).status_code == 404


@pytest.mark.parametrize("sort", ["key", "answers", "right", "discrimination", "do-not-know", "time", "nonsense"])
def test_questions_can_be_sorted(sort: str) -> None:
    study = study_with_a_doubt()
    page = key_client().get(reverse("survey:staff-questions", args=[study.slug]), {"sort": sort})
    assert page.status_code == 200
    assert text_of(page).count("aria-sort") == 1


# Flags


def test_review_of_a_flag_is_stored_with_who_and_why() -> None:
    study = make_study()
    person = make_participant(study)
    flag = person.flags.create(code="straight_line", detail="A 40 times", found_at=timezone.now())
    url = reverse("survey:staff-flag", args=[study.slug, flag.pk])
    assert staff_client(*PEOPLE).get(url).status_code == 403
    client = staff_client(*PEOPLE, "change_participantflag")
    assert "A 40 times" in text_of(client.get(url))
    refused = client.post(url, {"decision": "keep", "reason": " "})
    assert refused.status_code == 422
    assert "Say why" in text_of(refused)
    assert client.post(url, {"reason": "Because."}).status_code == 422
    flag.refresh_from_db()
    assert flag.is_left_out is None
    page = client.post(url, {"decision": "leave_out", "reason": "<i>Always A.</i>"}, follow=True)
    flag.refresh_from_db()
    assert (flag.is_left_out, flag.review_reason) == (True, "<i>Always A.</i>")
    assert "&lt;i&gt;Always A.&lt;/i&gt;" in text_of(page)
    assert flag.reviewed_by.username in text_of(page)
    assert ActionLog.objects.filter(code="flag.reviewed").count() == 1
    other = make_study()
    assert client.get(reverse("survey:staff-flag", args=[other.slug, flag.pk])).status_code == 404


# How figures are written


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0, "0 s"),
        (59.6, "1 min"),
        (125, "2 min 5 s"),
        (3600, "1 h"),
        (22200, "6 h 10 min"),
        (3599.7, "1 h"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_figures_and_drawings() -> None:
    assert (percent(None), percent(0.481), percent(float("nan"))) == ("–", "48%", "–")
    assert (percent(0.0), percent(0.004), percent(0.0051)) == ("0%", "<1%", "1%")
    assert (two_decimals(-0.125), two_decimals(None)) == ("−0.12", "–")
    assert (bar(0.5), bar(None), bar(1.2)) == ("50.0%", "0%", "100.0%")
    assert step_area((4, 2, 0)) == "M0 100 V0.0h1 V50.0h1 V100.0h1 V100Z"
    assert step_area(()) == "M0 100 V100Z"
