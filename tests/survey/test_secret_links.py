"""Personal links are keys: neither a list in the admin nor a line of the log gives them away."""

import logging

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from chembench_site.secret_links import SERVER_LOGGERS, SecretLinkFilter
from survey.services import study_close
from survey.services.links import UNKNOWN_LINKS_A_MINUTE
from tests.survey.factories import answer_next, make_participant, make_study, staff_client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        ("participant", "link_secret__startswith"),
        ("participant", "link_secret__regex"),
        ("participant", "consent_page_key__startswith"),
        ("response", "assignment__participant__link_secret__startswith"),
        ("questioncomment", "participant__link_secret__startswith"),
        ("study", "participants__link_secret__startswith"),
    ],
)
def test_staff_cannot_search_links(model: str, lookup: str) -> None:
    answer_next(make_participant(make_study(), link_secret="Zq" + "x" * 41))
    client = staff_client("view_participant", "view_response", "view_questioncomment", "view_study")
    page = reverse(f"admin:survey_{model}_changelist")
    assert client.get(page).status_code == 200
    assert [client.get(page, {lookup: value}).status_code for value in ("Zq", "Zr")] == [400, 400]


@pytest.mark.parametrize("is_closed", [True, False])
def test_personal_link_is_not_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, is_closed: bool
) -> None:
    # Links are counted by the minute: none may end between them.
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    study = make_study()
    person = make_participant(study)
    if is_closed:
        study_close(study=study)
    for number in range(0 if is_closed else UNKNOWN_LINKS_A_MINUTE + 1):
        Client().get(reverse("survey:resume", args=[f"wrong{number}"]))
    caplog.clear()
    answer = Client().get(reverse("survey:resume", args=[person.link_secret]))
    assert answer.status_code == (403 if is_closed else 429)
    assert "/survey/resume/[link]/" in caplog.text
    assert person.link_secret not in caplog.text
    assert all(person.link_secret not in record.request.path for record in caplog.records)


@pytest.mark.parametrize("name", SERVER_LOGGERS)
def test_the_servers_own_logs_are_cleaned(name: str) -> None:
    kept = [each for each in logging.getLogger(name).filters if isinstance(each, SecretLinkFilter)]
    assert len(kept) == 1


@pytest.mark.parametrize(
    ("message", "args"),
    [
        ('"%s" %s', ("GET /survey/resume/Zq7/?a=1 HTTP/1.1", 200)),
        ("%(r)s %(f)s", ({"r": "GET /survey/reminders/stop/Zq7/", "f": "https://example.org/survey/resume/Zq7/"},)),
        ("Not Found: /survey/resume/Zq7", ()),
    ],
)
def test_every_part_of_a_record_is_cleaned(message: str, args: tuple[object, ...]) -> None:
    record = logging.LogRecord("any", logging.INFO, "", 0, message, args, None)
    request: HttpRequest = RequestFactory().get("/survey/resume/Zq7/")
    record.request = request
    assert SecretLinkFilter().filter(record)
    assert "[link]" in record.getMessage()
    assert "Zq7" not in record.getMessage()
    assert "Zq7" not in record.request.build_absolute_uri() + str(record.request.META)
    assert request.path == "/survey/resume/Zq7/", "what is being answered stays as it is"
