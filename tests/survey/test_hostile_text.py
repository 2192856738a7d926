"""NUL and lone surrogates: refused or replaced at the door, never an error of the database."""

import pytest
from django.test import Client
from django.urls import reverse

from survey.models import Participant, Response
from survey.selectors.pages import page_token
from tests.survey.factories import client_of, go_to_question, make_participant, make_study, post_data, question_url

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NUL = "4\x00"
# In UTF-7 a lone surrogate can be sent; browsers do not, but anybody can.
SURROGATE = "4+2AA-"


def post(client: Client, url: str, data: dict[str, object], hostile: str) -> object:
    """Post as a form would, or in UTF-7 where the text needs it."""
    if hostile == NUL:
        return client.post(url, data)
    lines = []
    for name, values in data.items():
        for value in values if isinstance(values, list) else [values]:
            lines += ["--b", f'Content-Disposition: form-data; name="{name}"', "", str(value)]
    body = "\r\n".join([*lines, "--b--", ""]).encode("ascii")
    return client.post(url, body, content_type="multipart/form-data; boundary=b; charset=utf-7")


@pytest.mark.parametrize("secret", ["%00", "a%00b", "%ED%A0%80", "x" * 5000])
def test_hostile_personal_link_is_unknown_like_any_other(client: Client, secret: str) -> None:
    unknown = client.get("/survey/resume/nonsense/")
    page = client.get(f"/survey/resume/{secret}/")
    assert page.status_code == unknown.status_code == 404
    assert page.content == unknown.content


@pytest.mark.parametrize("address", ["/survey/%00/", "/survey/a%00b/consent/", "/survey/%ED%A0%80/question/1/"])
def test_hostile_study_is_not_found(address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.get(address).status_code == 404
    assert client.post(address, {"token": "x"}).status_code in (403, 404)


@pytest.mark.parametrize("hostile", [NUL, SURROGATE])
@pytest.mark.parametrize(
    "field",
    ["typed_text", "read_back", "tools_other", "tools", "choice", "confidence", "do_not_know", "assignment", "token"],
)
@pytest.mark.parametrize("known", [True, False])
def test_hostile_answer_is_never_an_error(hostile: str, field: str, known: bool) -> None:
    kind = "n_tools" if field in ("tools", "tools_other", "choice") else "n_number"
    counts = {"n_choice": 0, "n_number": 0, "n_tools": 0, kind: 1}
    assignment = go_to_question(make_participant(make_study(**counts, asks_confidence=True)))
    client = client_of(assignment.participant) if known else Client()
    data = post_data(assignment, token=page_token(assignment), confidence="3", given_back="1") | {field: hostile}
    response = post(client, question_url(assignment), data, hostile)
    assert response.status_code < 500
    stored = Response.objects.first()
    for text in [stored.typed_text, *stored.tools_used] if stored else []:
        assert text.isprintable()


def test_hostile_typed_number_is_refused_with_a_message() -> None:
    assignment = go_to_question(make_participant(make_study(n_choice=0, n_number=1, n_tools=0)))
    for hostile in (NUL, SURROGATE):
        page = post(
            client_of(assignment.participant),
            question_url(assignment),
            post_data(assignment, typed_text=hostile),
            hostile,
        )
        assert page.status_code == 422
        assert "Not stored yet" in page.content.decode()
    assert not Response.objects.exists()


@pytest.mark.parametrize("hostile", [NUL, SURROGATE])
@pytest.mark.parametrize("field", ["other_specialty", "specialties", "education", "years_experience"])
def test_hostile_profile_is_never_an_error(hostile: str, field: str) -> None:
    person = make_participant(make_study(), practised=False)
    url = reverse("survey:profile", args=[person.study.slug])
    response = post(client_of(person), url, {field: hostile}, hostile)
    assert response.status_code in (302, 422)
    assert all(text.isprintable() for text in Participant.objects.get().specialties)


@pytest.mark.parametrize("hostile", [NUL, SURROGATE])
def test_hostile_practice_and_consent_are_never_an_error(client: Client, hostile: str) -> None:
    person = make_participant(make_study())
    Participant.objects.update(practised_at=None)
    practice = reverse("survey:practice", args=[person.study.slug])
    known = client_of(person)
    assert post(known, practice, {"typed_text": hostile}, hostile).status_code == 422
    assert post(known, practice, {"typed_text": hostile, "change": "1"}, hostile).status_code == 200
    consent = reverse("survey:consent", args=[person.study.slug])
    assert post(client, consent, {"page": hostile, "agree": hostile}, hostile).status_code == 302
