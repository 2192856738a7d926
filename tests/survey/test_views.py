"""The survey's pages for visitors, participants and staff."""

import csv
import io
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from survey.models import Participant, Response, Study
from survey.services import consent_text_add, study_close
from tests.corpus.factories import make_benchmark, make_question, make_set_revision
from tests.survey.factories import (
    answer_next,
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
    staff_client,
)
from tests.survey.test_staff import key_client

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PAGES = ("start", "consent", "profile", "link", "practice", "continue", "rules", "finish")


def text_of(response: object) -> str:
    """Return a page's words with runs of white space as one space."""
    return re.sub(r"\s+", " ", response.content.decode())


# Who may see what


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("start", "consent")])
def test_visitor_is_sent_to_the_start_page(client: Client, page: str) -> None:
    study = make_study()
    response = client.get(reverse(f"survey:{page}", args=[study.slug]))
    assert response.status_code == 302
    assert response["Location"] == reverse("survey:start", args=[study.slug])


@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_stored_by_the_browser(page: str) -> None:
    study = make_study()
    client = client_of(make_participant(study))
    response = client.get(reverse(f"survey:{page}", args=[study.slug]))
    assert "no-store" in response["Cache-Control"]


def test_staff_pages_are_for_staff_who_may_see_people_and_answers() -> None:
    study = make_study()
    participant = make_participant(study)
    answer_next(participant)
    User.objects.create_user("plain", password="x")
    plain = Client()
    plain.force_login(User.objects.get(username="plain"))
    refused = [plain, staff_client(), staff_client("view_participant"), staff_client("view_response", "view_study")]
    for name in ("staff", "responses-csv"):
        url = reverse(f"survey:{name}", args=[study.slug])
        for visitor in (Client(), client_of(participant)):
            assert visitor.get(url)["Location"] == f"{reverse('admin:login')}?next={url}"
        for who in refused:
            page = who.get(url)
            assert page.status_code == 403
            assert "may see participants and answers" in text_of(page)
            assert participant.pseudonym not in text_of(page)
        assert staff_client("view_participant", "view_response").get(url).status_code == 200


def test_staff_page_shows_pseudonyms_and_no_links() -> None:
    study = make_study()
    participant = make_participant(study)
    answer_next(participant)
    client = staff_client("view_participant", "view_response")
    text = text_of(client.get(reverse("survey:staff", args=[study.slug])))
    assert participant.pseudonym in text
    assert "1 of 5" in text
    assert participant.link_secret not in text


def test_unknown_study_and_unknown_link_are_not_found(client: Client) -> None:
    assert client.get("/survey/nothing/").status_code == 404
    response = client.get(reverse("survey:resume", args=["nonsense"]))
    assert response.status_code == 404
    assert "leads nowhere" in text_of(response)


@pytest.mark.parametrize(("status", "words"), [("draft", "has not opened yet"), ("closed", "is closed")])
def test_study_that_is_not_open_says_so(client: Client, status: str, words: str) -> None:
    study = make_study()
    participant = make_participant(study)
    go_to_question(participant)
    Study.objects.update(status=status)
    assert words in text_of(client.get(reverse("survey:start", args=[study.slug])))
    assert client.get(reverse("survey:consent", args=[study.slug])).status_code == 302
    response = client_of(participant).get(reverse("survey:continue", args=[study.slug]))
    assert response.status_code == 403
    assert "takes no answers now" in text_of(response)


def test_withdrawn_person_cannot_continue() -> None:
    participant = make_participant(make_study())
    assignment = go_to_question(participant)
    Participant.objects.update(withdrawn_at=timezone.now())
    client = client_of(participant)
    response = client.post(question_url(assignment), post_data(assignment))
    assert response.status_code == 403
    assert "You have withdrawn" in text_of(response)
    assert not Response.objects.exists()


# The whole way


def begin(client: Client, study: Study) -> object:
    url = reverse("survey:consent", args=[study.slug])
    page = client.get(url).context["page"]
    return client.post(url, {"page": page, "agree": "on"})


def test_person_goes_from_start_to_finish(client: Client) -> None:
    study = make_study(n_choice=1, n_number=1, n_tools=1)
    slug = study.slug
    assert begin(client, study)["Location"] == reverse("survey:profile", args=[slug])
    profile = {"education": "doctorate", "years_experience": "12", "specialties": ["organic chemistry"]}
    profile["other_specialty"] = "glass blowing"
    response = client.post(reverse("survey:profile", args=[slug]), profile)
    assert response["Location"] == reverse("survey:link", args=[slug])
    participant = Participant.objects.get()
    assert participant.specialties == ["organic chemistry", "glass blowing"]
    assert participant.link_secret in text_of(client.get(response["Location"]))
    practice = reverse("survey:practice", args=[slug])
    assert "6.02 × 10²³" in text_of(client.post(practice, {"typed_text": "6.02e23"}))
    response = client.post(practice, {"typed_text": "6.02e23", "read_back": "6.02E+23"})
    assert response["Location"] == reverse("survey:rules", args=[slug])
    pages = []
    for _ in range(20):
        page = client.get(reverse("survey:continue", args=[slug]), follow=True)
        pages.append(page.resolver_match.url_name)
        if pages[-1] == "finish":
            break
        answer_page(client, page)
    assert pages == ["rules", "question", "question", "rules", "question", "finish"]
    assert Response.objects.count() == 3
    participant.refresh_from_db()
    assert participant.finished_at is not None


def answer_page(client: Client, page: object) -> None:
    """Send what the page asks for."""
    if page.resolver_match.url_name == "rules":
        client.post(page.request["PATH_INFO"], {"block": page.context["part"].pk})
        return
    shown = page.context["page"]
    data = {"assignment": shown.assignment_id, "token": shown.token, "tools": []}
    if shown.is_choice:
        data["choice"] = ["A"]
    else:
        data |= {"typed_text": "12,5", "read_back": "12.5"}
    if shown.tools_allowed:
        data["tools"] = ["none"]
    client.post(page.request["PATH_INFO"], data)


def test_same_consent_page_sent_twice_is_one_person(client: Client) -> None:
    study = make_study()
    url = reverse("survey:consent", args=[study.slug])
    data = {"page": client.get(url).context["page"], "agree": "on"}
    locations = [client.post(url, data)["Location"] for _ in range(2)]
    assert locations == [reverse("survey:profile", args=[study.slug])] * 2
    assert Participant.objects.count() == 1


def test_nobody_takes_part_without_agreeing_to_the_text_of_now(client: Client) -> None:
    study = make_study()
    url = reverse("survey:consent", args=[study.slug])
    page = client.get(url).context["page"]
    response = client.post(url, {"page": page})
    assert response.status_code == 422
    assert "Tick the box" in text_of(response)
    consent_text_add(study=study, text="A newer text.")
    response = client.post(url, {"page": page, "agree": "on"}, follow=True)
    assert "The text has changed" in text_of(response)
    assert "A newer text." in text_of(response)
    client.post(url, {"page": "forged", "agree": "on"})
    assert not Participant.objects.exists()


def test_nobody_agrees_to_words_they_were_not_shown(client: Client) -> None:
    """Staff edit the same version of the text while somebody reads it."""
    study = make_study()
    url = reverse("survey:consent", args=[study.slug])
    page = client.get(url).context["page"]
    study.consent_texts.update(text="We sell everything you say.")
    again = client.post(url, {"page": page, "agree": "on"})
    assert again.status_code == 409
    assert "The text has changed" in text_of(again)
    assert "We sell everything you say." in text_of(again)
    assert not Participant.objects.exists()
    client.post(url, {"page": again.context["page"], "agree": "on"})
    assert Participant.objects.get().consent_text.text == "We sell everything you say."


def test_profile_can_be_left_empty_and_bad_years_are_explained(client: Client) -> None:
    study = make_study()
    begin(client, study)
    url = reverse("survey:profile", args=[study.slug])
    response = client.post(url, {"years_experience": "many", "other_specialty": "glass <i>"})
    assert response.status_code == 422
    assert "whole number" in text_of(response)
    assert "glass &lt;i&gt;" in text_of(response)
    assert client.post(url, {}).status_code == 302
    person = Participant.objects.get()
    assert (person.education, person.years_experience, person.specialties) == ("", None, [])


def test_browser_that_knows_someone_asks_whether_to_continue() -> None:
    study = make_study()
    participant = make_participant(study)
    client = client_of(participant)
    text = text_of(client.get(reverse("survey:start", args=[study.slug])))
    assert participant.pseudonym in text
    assert "Begin as someone new" in text
    assert client.get(reverse("survey:consent", args=[study.slug])).status_code == 302
    assert client.get(reverse("survey:consent", args=[study.slug]), {"new": 1}).status_code == 200


# SV-01, SV-02, SV-08: once


def test_sv01_the_same_answer_twice_is_one_answer_and_no_question_is_jumped_over() -> None:
    participant = make_participant(make_study(n_choice=3, n_number=0, n_tools=0))
    client = client_of(participant)
    assignment = go_to_question(participant)
    first = client.post(question_url(assignment), post_data(assignment))
    second = client.post(question_url(assignment), post_data(assignment), follow=True)
    assert first["Location"] == question_url(participant.assignments.get(position=2))
    assert second.redirect_chain == [(first["Location"], 302)]
    assert "already has your answer" in text_of(second)
    assert Response.objects.count() == 1


def test_sv02_going_back_and_answering_otherwise_keeps_the_first_answer() -> None:
    participant = make_participant(make_study(n_choice=2, n_number=0, n_tools=0))
    client = client_of(participant)
    first = go_to_question(participant)
    client.post(question_url(first), post_data(first))
    back = client.get(question_url(first), follow=True)
    assert back.request["PATH_INFO"] == question_url(participant.assignments.get(position=2))
    assert "already has your answer" in text_of(back)
    client.post(question_url(first), post_data(first, choice=["B", "C"]))
    assert Response.objects.get().chosen_option_keys == [first.option_order[0]]
    last = go_to_question(participant)
    client.post(question_url(last), post_data(last))
    for response in (
        client.post(question_url(last), post_data(last, choice=["B"]), follow=True),
        client.get(question_url(first), follow=True),
        client.post(reverse("survey:practice", args=[participant.study.slug]), {"typed_text": "1"}, follow=True),
    ):
        assert response.resolver_match.url_name == "finish"
    assert Response.objects.count() == 2


def test_sv08_a_reply_that_was_lost_is_asked_for_again() -> None:
    participant = make_participant(make_study(n_choice=0, n_number=2, n_tools=0))
    client = client_of(participant)
    assignment = go_to_question(participant)
    replies = [client.post(question_url(assignment), post_data(assignment)) for _ in range(3)]
    assert {reply["Location"] for reply in replies} == {question_url(participant.assignments.get(position=2))}
    assert "it is stored" in text_of(client.get(replies[-1]["Location"]))
    assert Response.objects.count() == 1


# Form token


def test_outdated_form_token_elsewhere_says_what_to_do() -> None:
    study = make_study()
    client = Client(enforce_csrf_checks=True)
    response = client.post(reverse("survey:consent", args=[study.slug]), {"agree": "on"})
    assert response.status_code == 403
    assert "open for too long" in text_of(response)


# SV-05, SV-07: the same question, the same order


def test_sv05_personal_link_continues_at_the_same_question_with_the_same_order() -> None:
    participant = make_participant(make_study(n_choice=6, n_number=0, n_tools=0))
    for _ in range(3):
        answer_next(participant)
    go_to_question(participant)
    laptop, phone = client_of(participant), Client()
    on_phone = phone.get(reverse("survey:resume", args=[participant.link_secret]), follow=True)
    on_laptop = laptop.get(reverse("survey:continue", args=[participant.study.slug]), follow=True)
    assert on_phone.request["PATH_INFO"] == on_laptop.request["PATH_INFO"]
    assert on_phone.context["page"].position == 4
    assert _shown(on_phone) == _shown(on_laptop)


def _shown(response: object) -> list[tuple[str, str]]:
    return [(choice.letter, re.sub(r"<[^>]+>", "", choice.html)) for choice in response.context["page"].choices]


def test_sv07_order_stays_whatever_happens_to_the_set() -> None:
    study = make_study(n_choice=4, n_number=0, n_tools=0)
    participant = make_participant(study)
    client = client_of(participant)
    url = question_url(go_to_question(participant))
    first = _shown(client.get(url))
    block = study.blocks.get()
    members = [member.question_revision for member in block.set_revision.members.all()]
    added = make_question(make_benchmark())
    block.set_revision = make_set_revision(block.set_revision.question_set, [added, *members])
    block.save()
    assert all(_shown(client.get(url)) == first for _ in range(5))
    assert client.get(url).context["progress"].total == 4


# SE-05 and the export


@pytest.fixture
def export() -> Callable[[Study], list[dict[str, str]]]:
    client = key_client()

    def fetch(study: Study) -> list[dict[str, str]]:
        response = client.get(reverse("survey:responses-csv", args=[study.slug]))
        return list(csv.DictReader(io.StringIO(response.getvalue().decode())))

    return fetch


def test_export_holds_orders_texts_readings_and_times(export: Callable[[Study], list[dict[str, str]]]) -> None:
    study = make_study(n_choice=1, n_number=1, n_tools=1)
    participant = make_participant(study)
    for _ in range(3):
        answer_next(participant)
    rows = export(study)
    assert [row["position"] for row in rows] == ["1", "2", "3"]
    number = next(row for row in rows if row["kind"] == "number")
    choice = next(row for row in rows if row["kind"] == "choice")
    assert (number["typed_text"], number["number_read"], number["outcome"]) == ("4.15 × 10^-21", "4.15E-21", "right")
    assert choice["options_chosen"] == "the keyed one"
    letter = choice["letters_chosen"]
    assert f"{letter}. the keyed one" in choice["options_shown"]
    assert choice["served_at_utc"].endswith("+00:00")
    assert float(choice["seconds"]) >= 0
    assert rows[-1]["tools_used"] == "none"
    assert participant.link_secret not in str(rows)


def test_export_has_questions_shown_but_not_answered(export: Callable[[Study], list[dict[str, str]]]) -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    go_to_question(make_participant(study))
    rows = export(study)
    assert [(row["answered_at_utc"], row["outcome"]) for row in rows] == [("", "")]


def test_study_closed_half_way_keeps_the_answer_to_the_question_that_was_shown() -> None:
    participant = make_participant(make_study(n_choice=0, n_number=3, n_tools=0))
    answer_next(participant)
    assignment = go_to_question(participant)
    study_close(study=participant.study)
    client = client_of(participant)
    asked = client.post(question_url(assignment), post_data(assignment, read_back=""))
    assert "Is that right?" in text_of(asked)
    response = client.post(question_url(assignment), post_data(assignment))
    assert response.status_code == 403
    assert "This study has closed" in text_of(response)
    assert Response.objects.get(assignment=assignment).outcome == "right"
    later = participant.assignments.get(position=3)
    client.post(question_url(later), post_data(later))
    assert client.get(question_url(later)).status_code == 403
    assert Response.objects.count() == 2
