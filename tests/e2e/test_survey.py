"""People in a real browser: a whole study, twice the same answer, two tabs, another device."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest, HttpResponse
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from corpus.services.imports import BenchmarkNaming, corpus_import
from survey.models import Assignment, Participant, Study
from survey.models import Response as StoredResponse
from survey.services.demo import demo_study_create

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MOST_PAGES = 80


@pytest.fixture
def study() -> Study:
    """The demo study over the demo bank."""
    corpus_import(
        source=FIXTURES / "bank",
        naming=BenchmarkNaming(slug="demo", name="Demo bank", is_demo=True),
        topics=FIXTURES / "topics.csv",
        sets={slug: [FIXTURES / "sets" / f"{slug}.txt"] for slug in ("demo-no-tools", "demo-tools")},
    )
    return demo_study_create()


@dataclass
class Seen:
    """A response as it left the site, and how many answers were stored by then."""

    path: str
    body: str
    n_stored: int


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    """Keep every response that the site sends, redirects, errors and refused posts included."""
    kept: list[Seen] = []
    send = BaseHandler.get_response

    def keep(handler: BaseHandler, request: HttpRequest) -> HttpResponse:
        response = send(handler, request)
        if not response.streaming:
            body = f"{response.headers}\n{response.content.decode(errors='replace')}"
            kept.append(Seen(request.path, body, StoredResponse.objects.count()))
        return response

    monkeypatch.setattr(BaseHandler, "get_response", keep)
    return kept


@dataclass
class Person:
    """Somebody at a browser; what the console says is kept."""

    page: Page
    base: str
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)

    def press(self, name: str | re.Pattern[str]) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=name).click()

    def begin(self) -> None:
        """Go from the start page to the practice question."""
        self.page.goto(f"{self.base}/survey/demo/")
        self.page.get_by_role("link", name="Begin").click()
        self.page.get_by_label("I have read this").check()
        self.press("Agree and go on")
        self.page.get_by_label("Years of experience").fill("6")
        self.page.get_by_label("Organic chemistry", exact=True).check()
        self.press("Go on")
        self.page.get_by_role("link", name="Go on").click()

    def practise(self) -> None:
        self.page.get_by_label("Your answer").fill("6.02 × 10^23")
        self.press("Go on")
        expect(self.page.get_by_text("6.02 × 10²³")).to_be_visible()
        self.press("Yes, store it")

    def go_to_first_question(self) -> None:
        self.begin()
        self.practise()
        self.press("I keep to these rules: begin")

    def answer(self) -> None:
        """Answer the question on the page, reading the number back where there is one."""
        self.fill_in()
        if self.page.get_by_label("Your answer").count():
            self.page.get_by_label("Your answer").fill("12,5")
            self.press("Go on")
            expect(self.page.get_by_text("We read 12.5")).to_be_visible()
            self.press("Yes, store it")
        else:
            self.page.locator("input[name=choice]").first.check()
            self.press("Store answer")

    def fill_in(self) -> None:
        tools = self.page.locator("input[name=tools][value=none]")
        if tools.count():
            tools.check()
        self.page.get_by_label("3", exact=True).check()

    @property
    def position(self) -> int:
        match = re.search(r"/question/(\d+)/", self.page.url)
        return int(match.group(1)) if match else 0


@pytest.fixture(params=[True, False], ids=["with-javascript", "without-javascript"])
def person(request: pytest.FixtureRequest, browser: Browser, live_server: LiveServer) -> Iterator[Person]:
    context = browser.new_context(java_script_enabled=request.param)
    yield Person(context.new_page(), live_server.url)
    context.close()


def new_person(browser: Browser, live_server: LiveServer) -> tuple[BrowserContext, Person]:
    context = browser.new_context()
    return context, Person(context.new_page(), live_server.url)


def test_person_completes_the_demo_study_and_no_key_is_seen_before_the_answer(
    study: Study, person: Person, seen: list[Seen]
) -> None:
    person.begin()
    person.practise()
    headings, read_back = [], 0
    for _ in range(MOST_PAGES):
        if person.page.url.endswith("/finish/"):
            break
        if person.page.url.endswith("/rules/"):
            headings.append(person.page.get_by_role("heading", level=1).inner_text())
            expect(person.page.get_by_text("No language models")).to_be_visible()
            person.press("I keep to these rules: begin")
        else:
            read_back += person.page.get_by_label("Your answer").count()
            person.answer()
    participant = Participant.objects.get()
    stored = StoredResponse.objects.all()
    assert headings == ["Without tools", "With tools"]
    assert participant.finished_at is not None
    assert stored.count() == participant.assignments.count() == 20
    assert read_back == stored.filter(typed_text="12,5").count() > 0
    assert not stored.filter(outcome="").exists()
    assert_no_key_before_the_answer(seen)
    assert person.errors == []


def assert_no_key_before_the_answer(seen: list[Seen]) -> None:
    assignments = Assignment.objects.prefetch_related("question_revision__options")
    assert sum("/question/" in page.path for page in seen) >= len(assignments)
    for assignment in assignments:
        keys = [option.option_key for option in assignment.question_revision.options.all()]
        target = assignment.question_revision.target
        # A target of one or two digits is also a page number; a longer one is nowhere else.
        looked_for = keys + ([target] if len(target) > 3 else [])
        pattern = re.compile("|".join(rf"(?<![\d.]){re.escape(text)}(?!\d)" for text in looked_for) or "(?!)")
        for page in seen:
            assert page.n_stored >= assignment.position or not pattern.search(without_drawings(page.body)), page.path
    for page in seen:
        assert not re.search(r"credit|outcome|target_score|option_key|tolerance", page.body), page.path


def without_drawings(body: str) -> str:
    """Leave out drawn molecules, whose coordinates are numbers of every kind."""
    return re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL)


def test_double_click_stores_one_answer_and_jumps_over_nothing(study: Study, person: Person) -> None:
    person.go_to_first_question()
    person.fill_in()
    while person.page.get_by_label("Your answer").count():
        person.answer()
        person.fill_in()
    before = person.position
    person.page.locator("input[name=choice]").first.check()
    person.page.get_by_role("button", name="Store answer").dblclick()
    person.page.wait_for_url(f"**/question/{before + 1}/")
    assert StoredResponse.objects.count() == before


def test_same_form_posted_twice_stores_one_answer(study: Study, browser: Browser, live_server: LiveServer) -> None:
    context, person = new_person(browser, live_server)
    person.go_to_first_question()
    form = {
        field.get_attribute("name"): field.get_attribute("value")
        for field in person.page.locator("input[type=hidden]").all()
    }
    form |= {"choice": "A"} if person.page.locator("input[name=choice]").count() else {"do_not_know": "1"}
    form["confidence"] = "2"
    replies = [context.request.post(person.page.url, form=form) for _ in range(2)]
    assert [re.search(r"/question/(\d+)/", reply.url).group(1) for reply in replies] == ["2", "2"]
    assert "already has your answer" in replies[1].text()
    assert StoredResponse.objects.count() == 1
    context.close()


def test_second_tab_is_told_that_the_answer_is_stored(study: Study, browser: Browser, live_server: LiveServer) -> None:
    context, person = new_person(browser, live_server)
    person.go_to_first_question()
    other = Person(context.new_page(), live_server.url)
    other.page.goto(person.page.url)
    person.page.get_by_role("button", name="I do not know").click()
    person.page.wait_for_url("**/question/2/")
    other.page.get_by_role("button", name="I do not know").click()
    other.page.wait_for_url("**/question/2/")
    expect(other.page.get_by_text("already has your answer")).to_be_visible()
    assert StoredResponse.objects.count() == 1
    other.page.go_back()
    expect(other.page).to_have_url(re.compile(r"/question/2/$"))
    context.close()


def test_personal_link_continues_in_another_browser(study: Study, browser: Browser, live_server: LiveServer) -> None:
    context, person = new_person(browser, live_server)
    person.go_to_first_question()
    person.answer()
    here = person.page.locator("form.question-form").inner_text()
    person.page.get_by_role("button", name="Pause").click()
    link = person.page.get_by_label("Your personal link").input_value()
    elsewhere = browser.new_context(viewport={"width": 360, "height": 740})
    phone = elsewhere.new_page()
    phone.goto(link)
    # Opening a link ends no pause: a mail program may open it too.
    phone.get_by_role("button", name="Go on").click()
    phone.wait_for_url("**/survey/demo/question/2/")
    assert phone.locator("form.question-form").inner_text() == here
    elsewhere.close()
    context.close()


def test_letters_pick_and_enter_confirms(study: Study, browser: Browser, live_server: LiveServer) -> None:
    context, person = new_person(browser, live_server)
    person.go_to_first_question()
    while person.page.get_by_label("Your answer").count():
        person.answer()
    before = person.position
    person.page.get_by_label("4", exact=True).check()
    person.page.keyboard.press("b")
    person.page.keyboard.press("Enter")
    person.page.wait_for_url(f"**/question/{before + 1}/")
    assignment = Assignment.objects.get(position=before)
    assert assignment.response.chosen_option_keys == [assignment.option_order[1]]
    context.close()


def test_answer_after_the_session_ended_is_given_back(study: Study, browser: Browser, live_server: LiveServer) -> None:
    context, person = new_person(browser, live_server)
    person.go_to_first_question()
    while person.page.get_by_label("Your answer").count():
        person.answer()
    before = person.position
    person.fill_in()
    person.page.locator("input[name=choice]").last.check()
    context.clear_cookies()
    person.press("Store answer")
    expect(person.page.get_by_text("Your session had ended")).to_be_visible()
    assert StoredResponse.objects.count() == before - 1
    expect(person.page.locator("input[name=choice]").last).to_be_checked()
    person.press("Store answer")
    expect(person.page.get_by_role("heading", name="Your answer is stored")).to_be_visible()
    assert StoredResponse.objects.count() == before
    context.close()
