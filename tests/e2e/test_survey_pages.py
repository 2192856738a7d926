"""The question page in a real browser: keyboard, touch, no script, drafts, time away, structures, accessibility."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from survey.models import Absence, Draft, Participant, Response, Study
from survey.services import BlockPlan, study_create, study_open
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.e2e.visitor import Visitor

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
IBUPROFEN = "CC(C)Cc1ccc(cc1)C(C)C(=O)O"
OPTIONS = (
    (f"[START_SMILES]{IBUPROFEN}[END_SMILES]", 1),
    ("[START_SMILES]CC(=O)Oc1ccccc1C(=O)O[END_SMILES]", 0),
    (r"The sum formula is \ce{C9H8O4}", 0),
    ("None of the above", 0),
)
STRUCTURE = "Which of these is an isomer of [START_SMILES]CC(C)Cc1ccc(cc1)C(C)OC=O[END_SMILES] with an acid group?"
MOST_PAGES = 40
# Counts what moves after it was painted; a move within half a second of a key or press is not counted by browsers.
SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver(list => list.getEntries().forEach(entry => { window.shifted += entry.value; }))
    .observe({type: "layout-shift", buffered: true});
"""


@pytest.fixture
def study() -> Study:
    """A short study: structures and a number without tools, a choice with tools, a break after two questions."""
    benchmark = make_benchmark()
    without = [
        make_question(benchmark, stem=STRUCTURE, options=list(OPTIONS)),
        make_question(benchmark, kind="number", stem=r"How many \pu{mol} are \pu{36 g} of \ce{H2O}?", target="2"),
    ]
    with_tools = [make_question(benchmark, stem="Which one is meant?", options=[("this", 1), ("that", 0)])]
    plans = [
        BlockPlan(slug, title, rules, allowed, make_set(benchmark, revisions=questions).current_revision)
        for slug, title, rules, allowed, questions in (
            ("no-tools", "Without tools", "From what you know.", False, without),
            ("tools", "With tools", "Look up what you like.", True, with_tools),
        )
    ]
    made = study_create(
        slug="short",
        title="A short study",
        consent_text="You may stop at any time.",
        blocks=plans,
        asks_confidence=True,
        offers_do_not_know=True,
    )
    Study.objects.filter(pk=made.pk).update(break_every=2)
    made.refresh_from_db()
    study_open(study=made)
    return made


# A whole study


class Keyboard:
    """Somebody without a mouse: every step is keys."""

    def __init__(self, visitor: Visitor) -> None:
        self.page = visitor.page

    def tab_to(self, name: str) -> None:
        """Press Tab until the control of this name, link or button, has the focus."""
        for _ in range(60):
            self.page.keyboard.press("Tab")
            if name in self.page.evaluate(
                "document.activeElement.closest('label, a, button, summary')?.innerText || ''"
            ):
                return
        raise AssertionError(f"{name!r} cannot be reached by Tab on {self.page.url}")

    def press(self, key: str) -> None:
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    def go(self) -> None:
        """Do what the page asks for."""
        address = self.page.url
        if "/consent/" in address:
            self.tab_to("I have read this")
            self.page.keyboard.press("Space")
            self.tab_to("Agree")
            self.press("Enter")
        elif "/practice/" in address and self.page.get_by_text("We read").count():
            self.press("Enter")
        elif "/practice/" in address:
            self.page.keyboard.press("Tab")
            self.page.keyboard.press("Tab")
            self.page.keyboard.type("6.02e23")
            self.press("Enter")
        elif "/question/" in address:
            self.answer()
        else:
            names = {"/profile/": "Go on", "/link/": "Go on", "/rules/": "I keep to these", "/break/": "Go on"}
            self.tab_to(next(name for part, name in names.items() if part in address))
            self.press("Enter")

    def answer(self) -> None:
        if self.page.get_by_text("We read").count():
            self.press("Enter")
            return
        self.page.keyboard.press("3")
        if self.page.locator("#field-typed_text").count():
            self.page.locator("#field-typed_text").focus()
            self.page.keyboard.type("2")
        else:
            if self.page.locator("#field-tools").count():
                self.tab_to("None")
                self.page.keyboard.press("Space")
            self.page.keyboard.press("a")
        self.press("Enter")


def test_a_whole_study_by_keyboard(study: Study, browser: Browser, live_server: LiveServer) -> None:
    with Visitor(browser, live_server) as visitor:
        person = Keyboard(visitor)
        visitor.page.goto(f"{live_server.url}/survey/short/")
        person.tab_to("Begin")
        person.press("Enter")
        seen = []
        for _ in range(MOST_PAGES):
            seen.append(visitor.page.url.rstrip("/").split("/")[-1])
            if seen[-1] == "finish":
                break
            person.go()
        assert seen[-1] == "finish"
        assert "break" in seen
        assert visitor.said == []
    stored = Response.objects.all()
    assert sorted(stored.values_list("confidence", flat=True)) == [3, 3, 3]
    assert Participant.objects.get().finished_at is not None
    chosen = [response for response in stored if response.chosen_option_keys]
    assert all(response.chosen_option_keys == response.assignment.option_order[:1] for response in chosen)


@pytest.mark.parametrize("script", [True, False], ids=["with-javascript", "without-javascript"])
def test_a_whole_study_by_touch_on_a_small_phone(
    study: Study, browser: Browser, live_server: LiveServer, script: bool
) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with Visitor(browser, live_server, java_script_enabled=script, **phone) as visitor:
        page = visitor.page
        page.goto(f"{live_server.url}/survey/short/")
        with page.expect_navigation():
            page.get_by_role("link", name="Begin").tap()
        for _ in range(MOST_PAGES):
            if page.url.endswith("/finish/"):
                break
            fits_the_phone(page)
            tap_through(page)
        assert page.url.endswith("/finish/")
        assert visitor.said == []
    assert Response.objects.count() == 3
    assert not Draft.objects.exists()


def tap_through(page: Page) -> None:
    """Fill in the page by touch and press its main button."""
    if page.get_by_label("I have read this").count():
        page.get_by_label("I have read this").tap()
    if page.locator("#field-typed_text").count():
        page.locator("#field-typed_text").fill("2")
    for control in ("label[for=choice-B]", "#field-tools label", "#field-confidence label:nth-of-type(4)"):
        if page.locator(control).count():
            page.locator(control).first.tap()
    main = page.locator("main .button-primary:visible").first
    with page.expect_navigation():
        main.tap()


def fits_the_phone(page: Page) -> None:
    """No sideways scrolling, and nothing to press that is smaller than WCAG's 24 pixels."""
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url
    pressed = "main button:visible:not([aria-hidden]), main a.button:visible, main label.choice:visible"
    for control in page.locator(pressed).all():
        box = control.bounding_box()
        assert box["height"] >= 24, control.inner_text()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 360, control.inner_text()


# Structures


def test_structure_question_reads_well_without_eyes(study: Study, browser: Browser, live_server: LiveServer) -> None:
    with Visitor(browser, live_server) as visitor:
        participant = visitor.at_question(study)
        order = participant.assignments.get(position=1).option_order
        tree = visitor.page.locator("main").aria_snapshot()
        assert '- heading "Question 1 of 3" [level=1]' in tree
        assert 'img "Structure CC(C)Cc1ccc(cc1)C(C)OC=O"' in tree
        assert "code: CC(C)Cc1ccc(cc1)C(C)OC=O" in tree
        assert re.search(r'group "Choose every option that is right', tree)
        boxes = visitor.page.get_by_role("checkbox")
        assert boxes.count() == len(order) == 4
        for name in (IBUPROFEN, "CC(=O)Oc1ccccc1C(=O)O", "None of the above"):
            assert visitor.page.get_by_role("checkbox", name=name).count() == 1, tree
        assert visitor.page.get_by_role("button", name="Copy SMILES").count() == 3
        assert not re.search(r'checkbox "[^"]*(Copy|Enlarge)', tree)
        assert visitor.page.get_by_role("progressbar", name="1 of 3").count() == 1


def test_enlarged_structure_opens_and_closes_by_keyboard_and_touch(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server, has_touch=True, viewport={"width": 360, "height": 740}) as visitor:
        visitor.at_question(study)
        page = visitor.page
        dialog = page.get_by_role("dialog")
        button = page.locator(".stem").get_by_role("button", name="Enlarge")
        small = page.locator(".stem .molecule-drawing").bounding_box()
        button.press("Enter")
        expect(dialog).to_be_visible()
        large = dialog.locator("svg").bounding_box()
        assert large["width"] > small["width"] * 1.2
        assert large["width"] / large["height"] == pytest.approx(small["width"] / small["height"], rel=0.05)
        page.keyboard.press("b")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(button).to_be_focused()
        assert page.locator("input[name=choice]:checked").count() == 0, "keys are for the dialog while it is open"
        page.locator(".stem .molecule-drawing").tap()
        expect(dialog).to_be_visible()
        dialog.get_by_role("button", name="Close").tap()
        expect(dialog).to_be_hidden()
        page.locator("li").filter(has_text=IBUPROFEN).get_by_role("button", name="Enlarge").tap()
        expect(dialog.get_by_text(IBUPROFEN)).to_be_visible()
        assert page.locator("input[name=choice]:checked").count() == 0, "enlarging an option is not choosing it"
        ids = page.evaluate("Array.from(document.querySelectorAll('[id]'), element => element.id)")
        assert len(ids) == len(set(ids))
        assert visitor.said == []


@pytest.mark.parametrize("has_clipboard", [True, False])
def test_smiles_goes_to_the_clipboard_by_touch_and_by_key(
    study: Study, browser: Browser, live_server: LiveServer, has_clipboard: bool
) -> None:
    with Visitor(browser, live_server, has_touch=True, permissions=["clipboard-read", "clipboard-write"]) as visitor:
        if not has_clipboard:
            hide = "const kept = navigator.clipboard; window.kept = kept;"
            hide += "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
            visitor.page.add_init_script(hide)
        visitor.at_question(study)
        read = "(window.kept || navigator.clipboard).readText()"
        option = visitor.page.locator("li").filter(has_text=IBUPROFEN).locator("[data-copy-smiles]")
        option.tap()
        expect(option).to_have_text("Copied")
        assert visitor.page.evaluate(read) == IBUPROFEN
        stem = visitor.page.locator(".stem").get_by_role("button", name="Copy SMILES")
        stem.press("Enter")
        expect(visitor.page.locator(".stem")).to_contain_text("Copied")
        assert visitor.page.evaluate(read) == "CC(C)Cc1ccc(cc1)C(C)OC=O"
        assert Response.objects.count() == 0


def test_without_script_structures_become_larger_and_nothing_is_lost(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server, java_script_enabled=False) as visitor:
        visitor.at_question(study)
        page = visitor.page
        before = page.locator(".stem .molecule-drawing").bounding_box()
        page.locator("label[for=choice-C]").click()
        assert page.locator(".structure-tools:visible").count() == 0
        page.get_by_role("button", name="Larger structures").click()
        after = page.locator(".stem .molecule-drawing").bounding_box()
        assert after["width"] > before["width"] * 1.5
        expect(page.locator("#choice-C")).to_be_checked()
        page.get_by_role("button", name="Structures as before").click()
        assert page.locator(".stem .molecule-drawing").bounding_box()["width"] == pytest.approx(before["width"])


# Drafts, time away


def test_draft_is_back_after_the_tab_was_closed_and_on_another_device(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server) as visitor:
        participant = visitor.at_question(study, kind="number")
        page = visitor.page
        page.get_by_label("Your answer").fill("2.00")
        visitor.posted("/draft/", lambda: page.get_by_label("4", exact=True).check())
        page.close()
        again = visitor.new_page()
        again.goto(f"{live_server.url}/survey/short/continue/")
        expect(again.get_by_label("Your answer")).to_have_value("2.00")
        expect(again.get_by_label("4", exact=True)).to_be_checked()
        expect(again.get_by_text("Restored what you had filled in at")).to_be_visible()
        with Visitor(browser, live_server) as elsewhere:
            elsewhere.page.goto(f"{live_server.url}/survey/resume/{participant.link_secret}/")
            expect(elsewhere.page.get_by_label("Your answer")).to_have_value("2.00")
        again.get_by_role("button", name="Go on").click()
        again.get_by_role("button", name="Yes, store it").click()
        again.wait_for_url("**/question/2/")
        assert visitor.said == []
    assert not Draft.objects.exists()


def test_draft_that_cannot_be_saved_says_so_and_is_tried_again(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server) as visitor:
        visitor.at_question(study)
        visitor.page.route("**/draft/", lambda route: route.abort())
        visitor.page.locator("label[for=choice-A]").click()
        expect(visitor.page.get_by_text("Not saved yet")).to_be_visible()
        visitor.page.unroute("**/draft/")
        visitor.posted("/draft/", lambda: visitor.page.locator("label[for=choice-B]").click())
        expect(visitor.page.get_by_text("Not saved yet")).to_be_hidden()
    assert Draft.objects.get().content == {"choice": ["A", "B"]}


def test_draft_on_its_way_is_called_back_when_the_answer_is_sent(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server) as visitor:
        visitor.at_question(study)
        page, drafts = visitor.page, []
        # Neither the draft nor the answer arrives: the page stays, and waits for both.
        page.route("**/draft/", lambda route: drafts.append(route))
        page.route("**/question/1/", lambda _: None)
        with page.expect_request("**/draft/"):
            page.locator("label[for=choice-A]").click()
        with page.expect_event("requestfailed", lambda request: request.url.endswith("/draft/"), timeout=3000):
            page.get_by_role("button", name="Store answer").click(no_wait_after=True)
        page.wait_for_timeout(1000)
        assert len(drafts) == 1
    assert not Draft.objects.exists()


def hide(page: Page, state: str) -> None:
    """Let the page believe that it is hidden or seen: the browser of the test shows every page."""
    page.evaluate(
        """state => {
          Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_time_away_is_counted_and_going_on_is_not_being_away(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server) as visitor:
        visitor.at_question(study)
        page = visitor.page
        visitor.posted("/away/", lambda: hide(page, "hidden"))
        page.wait_for_timeout(1200)
        visitor.posted("/away/", lambda: hide(page, "visible"))
        page.get_by_role("button", name="I do not know").click()
        page.wait_for_url("**/question/2/")
        page.wait_for_timeout(500)
    response = Response.objects.get()
    assert 1.0 < response.away_seconds < response.seconds
    absences = Absence.objects.filter(assignment=response.assignment)
    assert absences.count() == 1, "sending the answer hides the page, but nobody went away"


def test_closed_tab_counts_as_away_until_the_question_is_seen_again(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server) as visitor:
        visitor.at_question(study)
        other = visitor.new_page()
        visitor.page.close(run_before_unload=False)
        other.wait_for_timeout(700)
        assert Absence.objects.get().ended_at is None
        other.goto(f"{live_server.url}/survey/short/continue/")
        assert Absence.objects.get().ended_at is not None


def test_pause_button_works_without_script_and_enter_does_not_press_it(
    study: Study, browser: Browser, live_server: LiveServer
) -> None:
    with Visitor(browser, live_server, java_script_enabled=False) as visitor:
        visitor.at_question(study, kind="number")
        page = visitor.page
        page.get_by_label("Your answer").fill("2")
        page.get_by_label("5", exact=True).check()
        page.get_by_label("Your answer").press("Enter")
        expect(page.get_by_text("We read 2.")).to_be_visible()
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("heading", name="Paused")).to_be_visible()
        assert Absence.objects.get().kind == Absence.Kind.PAUSE
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_label("Your answer")).to_have_value("2")
        expect(page.get_by_label("5", exact=True)).to_be_checked()
        assert Absence.objects.get().ended_at is not None


# What everybody gets


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_pages_around_an_answer_are_accessible(
    study: Study, browser: Browser, live_server: LiveServer, scheme: str, width: int
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: run `npm ci`")
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"}
    with Visitor(browser, live_server, **options) as visitor:
        page = visitor.page
        visitor.at_question(study)
        page.locator("label[for=choice-A]").click()
        assert_accessible(page, width)
        page.locator(".stem").get_by_role("button", name="Enlarge").click()
        assert_accessible(page, width)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Store answer").click()
        expect(page.get_by_role("alert")).to_be_visible()
        assert_accessible(page, width)
        page.get_by_role("button", name="Pause").click()
        for summary in page.locator("summary").all():
            summary.click()
        assert_accessible(page, width)
        for name in ("", "link/", "consent/?new=1"):
            page.goto(f"{live_server.url}/survey/short/{name}")
            assert_accessible(page, width)
        assert visitor.said == [line for line in visitor.said if "422" in line]


def assert_accessible(page: Page, width: int) -> None:
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    violations = [(entry["id"], [node["html"][:150] for node in entry["nodes"]][:3]) for entry in found["violations"]]
    assert violations == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_moves_while_a_question_loads(
    study: Study, browser: Browser, live_server: LiveServer, width: int
) -> None:
    with Visitor(browser, live_server, viewport={"width": width, "height": 800}) as visitor:
        visitor.page.add_init_script(SHIFTS)
        for kind in ("choice", "number"):
            visitor.at_question(study, kind=kind)
            for _ in range(2):
                visitor.page.wait_for_load_state("networkidle")
                visitor.page.wait_for_timeout(300)
                assert visitor.page.evaluate("window.shifted") < 0.01
                visitor.page.reload()
