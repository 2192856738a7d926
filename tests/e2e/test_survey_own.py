"""A person's own pages in a real browser: a remark beside the answer, the result, withdrawing."""

from collections.abc import Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from survey.models import Participant, QuestionComment, Response, Study
from survey.services import study_results_changed
from tests.corpus.factories import label_question, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system
from tests.survey.factories import go_to_question, make_participant, make_study

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
PHONE = {"width": 360, "height": 740}


@pytest.fixture(params=[True, False], ids=["with-javascript", "without-javascript"])
def has_script(request: pytest.FixtureRequest) -> bool:
    """Whether pages run scripts."""
    return bool(request.param)


@pytest.fixture
def context(browser: Browser, has_script: bool) -> Iterator[BrowserContext]:
    context = browser.new_context(java_script_enabled=has_script, viewport=PHONE)
    yield context
    context.close()


def test_a_remark_leaves_the_answer_as_it_is_and_one_button_withdraws(
    context: BrowserContext, live_server: LiveServer, has_script: bool
) -> None:
    person = make_participant(make_study(n_choice=2, n_number=0, n_tools=0))
    go_to_question(person)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto(f"{live_server.url}/survey/resume/{person.link_secret}/")
    page.locator("input[name=choice]").nth(1).check()
    page.get_by_text("Something wrong with this question").click()
    page.get_by_label("What would you like to say?").fill("A and B are the same.")
    send = page.get_by_role("button", name="Send this remark")
    if has_script:
        send.click()
        expect(page.get_by_role("status").filter(has_text="Thank you")).to_be_visible()
    else:
        with context.expect_page() as opened:
            send.click()
        expect(opened.value.get_by_text("Your remark is stored")).to_be_visible()
        opened.value.close()
    assert QuestionComment.objects.get().text == "A and B are the same."
    expect(page.locator("input[name=choice]").nth(1)).to_be_checked()
    with page.expect_navigation():
        page.get_by_role("button", name="Store answer").click()
    assert Response.objects.count() == 1

    page.goto(f"{live_server.url}/survey/{person.study.slug}/link/")
    page.get_by_role("link", name="Withdraw").click()
    expect(page.get_by_text("cannot be undone")).to_be_visible()
    page.get_by_role("button", name="Withdraw and delete my answers").dblclick()
    expect(page.get_by_role("heading", name="You have withdrawn from this study")).to_be_visible()
    assert Participant.objects.get().withdrawn_at is not None
    assert not Response.objects.exists()
    assert errors == []


def test_a_person_sees_their_result_beside_models_and_people(context: BrowserContext, live_server: LiveServer) -> None:
    benchmark = make_benchmark(slug="bench", name="Bench")
    questions = make_questions(benchmark, [{}] * 15)
    for number, question in enumerate(questions):
        topic = ("Organic Chemistry", "Physical Chemistry", "Materials Science")[number // 7]
        label_question(question, name=topic)
    found = make_set(benchmark, "bench", questions, name="Bench set")
    for name, letters in (("A very long model name of some provider", "+" * 15), ("Model B", "+-+" * 5)):
        make_run(make_system(slug=name.lower().replace(" ", "-"), name=name), found, letters)
    people = make_people(found, ["+++-+++" + "++--+-+" + "+"] * 5, status="open")
    Participant.objects.update(finished_at=timezone.now())
    study_results_changed(study_id=people[0].study_id)
    page = context.new_page()
    page.goto(f"{live_server.url}/survey/resume/{people[0].link_secret}/")
    page.get_by_role("link", name="Your result by topic").click()
    expect(page.get_by_role("heading", name="Your result")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="All questions")
    expect(row).to_contain_text("73.3%")
    for name in ("Human experts", "A very long model name", "Model B"):
        expect(page.get_by_role("columnheader").filter(has_text=name)).to_be_visible()
    # The page itself does not scroll sideways on a phone; the table does.
    width = page.locator("html").bounding_box()
    assert width is not None
    assert width["width"] <= PHONE["width"]
    assert Study.objects.get().status == "open"
