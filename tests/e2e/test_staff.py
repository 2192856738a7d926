"""The staff pages of a study in a real browser: accessible in both themes, on a phone, refreshed while looked at."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.survey.factories import answer_next, make_participant, make_study

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ("", "progress/", "questions/", "times/", "agreement/")


def open_page(browser: Any, live_server: Any, **options: Any) -> Any:
    """Return a page of a browser in which a maintainer has signed in."""
    client = Client()
    user = User.objects.filter(username="root").first() or User.objects.create_superuser("root", password="x")
    client.force_login(user)
    context = browser.new_context(**options)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    return context.new_page()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_pages_are_accessible_and_fit_the_screen(browser: Any, live_server: Any, scheme: str, width: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: run `npm ci`")
    study = make_study()
    people = [make_participant(study) for _ in range(3)]
    for person in people:
        for _ in range(3 if person is people[0] else 5):
            answer_next(person)
    flag = people[1].flags.create(code="too_fast", detail="4 of 5 answers", found_at=timezone.now())
    root_id = people[0].assignments.get(position=1).question_revision_id
    page = open_page(browser, live_server, color_scheme=scheme, viewport={"width": width, "height": 800})
    for path in (*PAGES, f"flags/{flag.pk}/", f"questions/{root_id}/"):
        page.goto(f"{live_server.url}/survey/{study.slug}/staff/{path}")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [(entry["id"], entry["nodes"][0]["html"][:150]) for entry in found] == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.context.close()


def test_list_of_people_follows_while_it_is_looked_at_and_waits_in_a_hidden_tab(browser: Any, live_server: Any) -> None:
    study = make_study()
    page = open_page(browser, live_server)
    page.clock.install()
    page.goto(f"{live_server.url}/survey/{study.slug}/staff/")
    person = make_participant(study)
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.clock.run_for(40_000)
    assert page.get_by_text(person.pseudonym).count() == 0
    page.evaluate("Object.defineProperty(document, 'hidden', {value: false, configurable: true})")
    page.clock.run_for(20_000)
    sync_api.expect(page.get_by_text(person.pseudonym).first).to_be_visible()
    page.context.close()
