"""The public pages in a real browser: charts under the content policy, accessibility, phones, no script."""

import os
from pathlib import Path

import pytest
from PIL import Image

from corpus.models import QuestionSet
from leaderboard.selectors.assets import chart_script_url
from leaderboard.services.snapshots import snapshot_publish
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system
from tests.leaderboard.stated import state, state_people

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
LAYOUT = Path(__file__).with_name("layout.js")
# Of rows and ticks made of the same elements, classes and attributes, more than two would tell nothing new.
REPEATED = """[...document.querySelectorAll("main tbody tr, .chart .xtick, .chart .ytick")].filter(function (part) {
  const made = (each) => [each.tagName, each.getAttribute("class"), ...each.getAttributeNames()].join(" ");
  const key = [part, ...part.querySelectorAll("*")].map(made).join(">");
  const seen = (this.get(part.parentElement) ?? this.set(part.parentElement, {}).get(part.parentElement));
  seen[key] = (seen[key] ?? 0) + 1;
  return seen[key] > 2;
}, new Map())"""
# Preloaded sheets and media serve rules that are off, or about sound: there is none on these pages.
AXE_RUN = """exclude => axe.run(
  { include: [document], exclude }, { resultTypes: ["violations"], preload: false, elementRef: false })"""
# A folder for pictures of all pages, for somebody to look at.
PICTURES = os.environ.get("PICTURES", "")
BOARD = "/leaderboard/bench/"
ROWS = ".ranking tbody tr"
COMPARE = f"{BOARD}compare/?entrant=model-0&entrant=model-9&entrant=long&entrant=human-experts&entrant=model-20"
FACTORS = f"{BOARD}factors/?x=size"
CONFIDENCE = f"{BOARD}confidence/"
BY_TOPIC = f"{BOARD}topics/?entrant=model-0&entrant=model-9&entrant=long&entrant=model-20&entrant=model-33"
QUESTIONS = "/leaderboard/open/questions/"
WITH_CHART = (BOARD, BY_TOPIC, COMPARE, FACTORS, CONFIDENCE)
LONGEST_DRAWING_MS = 120_000
PAGES = (
    "/",
    BOARD,
    BY_TOPIC,
    "/methods/",
    "/systems/model-3/",
    COMPARE,
    f"{BOARD}humans/",
    f"{BOARD}outcomes/?outcome=wrong",
    FACTORS,
    CONFIDENCE,
    QUESTIONS,
    f"{BOARD}questions/",
    f"{BOARD}robustness/",
    "/leaderboard/open/scale/",
    "/about/",
    "/snapshots/",
    "/snapshots/1/",
    "/api/v1/docs/",
)
# The colour scheme, the width in pixels, and whether axe looks, too: it sees each scheme once.
SCREENS = (("dark", 360, True), ("light", 1440, True), ("light", 768, False))
TOPICS = (
    "Analytical Chemistry",
    "Chemical Preference",
    "General Chemistry",
    "Inorganic Chemistry",
    "Materials Science",
    "Organic Chemistry",
    "Physical Chemistry",
    "Technical Chemistry",
    "Toxicity/Safety",
)
LONG_NAME = "<b>A model with a long name</b> and-a-part-that-nothing-breaks-" + "x" * 40


@pytest.fixture
def site(browser, live_server):
    """A served site with a board of 40 systems, ten people, one incomplete result, and nine topics."""
    benchmark = make_benchmark(slug="bench", name="Bench")
    questions = make_questions(benchmark, [{}] * 45)
    label_questions(questions, [TOPICS[number % len(TOPICS)] for number in range(45)])
    bench = make_set(benchmark, "bench", questions, name="Bench")
    for number in range(40):
        right = 44 - number
        facts = {"kind": ("model", "agent")[number % 2], "parameter_count": (number + 1) * 10**9}
        system = make_system(slug=f"model-{number}", name=f"Model number {number}", **facts)
        run = make_run(system, bench, "+" * right + "-" * (45 - right))
        if number < 8:
            state(run, ("5" * (9 + number) + "4" * 14 + "3" * 12 + "2" * 14)[:45])
    make_run(make_system(slug="long", name=LONG_NAME, kind="baseline"), bench, "+-" * 22 + "-")
    make_run(make_system(slug="stopped", name="Stopped"), bench, "+" * 20 + " " * 25)
    make_set(benchmark, "open", questions[:27], name="Open set", policy="open")
    make_people(bench, ["+" * (15 + number) + "-" * (30 - number) for number in range(10)])
    state_people(bench, ["5" * 15 + "4" * 15 + "1" * 15] * 10)
    return live_server.url


class Reader:
    """A page with what its console said."""

    def __init__(self, browser, **options) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *args: object) -> None:
        self.context.close()

    def see_chart(self) -> None:
        """Scroll to each chart of the whole page and wait until it is drawn."""
        # A click that leads to a page returns before all of it is there, and `all` does not wait.
        self.page.wait_for_load_state("load")
        charts = self.page.locator(".chart").all()
        for chart in charts:
            chart.scroll_into_view_if_needed()
        for chart in charts:
            sync_api.expect(chart).to_have_attribute("data-drawn", "true", timeout=LONGEST_DRAWING_MS)

    def open(self, address: str) -> None:
        """Open a page as a reader who looks at all of it."""
        response = self.page.goto(address)
        assert response.status in (200, 403), address
        if chart_script_url():
            self.see_chart()

    def barriers(self) -> list[tuple[str, list[str]]]:
        """Return what axe finds on the page, looking at two of the parts that are made alike."""
        found = self.page.evaluate(f"({AXE_RUN})({REPEATED})")["violations"]
        return [(entry["id"], [node["html"][:150] for node in entry["nodes"]][:3]) for entry in found]

    def keep_picture(self, name: str) -> None:
        if PICTURES:
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def needs_chart_library() -> None:
    if not chart_script_url():
        pytest.skip("Plotly is not there: run `make setup`")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chart_is_drawn_under_the_content_policy(browser, site, scheme) -> None:
    needs_chart_library()
    with Reader(browser, color_scheme=scheme) as reader:
        response = reader.page.goto(site + BOARD)
        assert "'unsafe-inline'" not in response.headers["content-security-policy"].split("style-src-attr")[0]
        assert "Plotly" not in reader.page.evaluate("Object.keys(window)"), "the library must wait for the chart"
        reader.see_chart()
        assert reader.page.locator(".chart .bars .point").count() == 40
        reader.page.locator(".chart .bars .point path").first.hover(force=True)
        reader.page.wait_for_selector(".chart .hoverlayer .hovertext")
        cursor = "getComputedStyle(document.querySelector('.chart .main-svg')).pointerEvents"
        assert reader.page.evaluate(cursor) == "none", "Plotly's own rules must apply"
        assert reader.page.locator("head style").count() == 0
        assert reader.said == []


def test_the_chart_takes_the_colours_of_the_theme_when_it_changes(browser, site) -> None:
    needs_chart_library()
    with Reader(browser, color_scheme="light") as reader:
        reader.page.goto(site + BOARD)
        reader.see_chart()
        bar = reader.page.locator(".chart .bars .point path").first
        light = bar.evaluate("element => getComputedStyle(element).fill")
        reader.page.emulate_media(color_scheme="dark")
        sync_api.expect(bar).not_to_have_css("fill", light)
        assert reader.said == []


def test_a_filter_swaps_the_board_and_keeps_its_address(browser, site) -> None:
    with Reader(browser) as reader:
        page = reader.page
        page.goto(site + BOARD)
        page.select_option("#filter-kind", "human")
        page.wait_for_url("**kind=human**")
        sync_api.expect(page.locator(ROWS)).to_have_count(1)
        page.reload()
        assert page.locator(ROWS).count() == 1
        page.select_option("#filter-rule", "as-published@1")
        carried = page.locator("nav.set-links a[href*='topics/?rule=as-published']")
        sync_api.expect(carried).to_have_count(1)
        page.go_back()
        page.go_back()
        sync_api.expect(page.locator(ROWS)).to_have_count(43)
        assert reader.said == []


def test_without_script_every_control_works_and_the_table_is_there(browser, site) -> None:
    with Reader(browser, java_script_enabled=False) as reader:
        page = reader.page
        page.goto(site + BOARD)
        assert page.locator(ROWS).count() == 43
        page.select_option("#filter-kind", "agent")
        page.get_by_role("button", name="Show").click()
        assert "kind=agent" in page.url
        assert page.locator(ROWS).count() == 20
        page.get_by_role("link", name="Accuracy").click()
        assert "direction=ascending" in page.url
        assert "Model number 39" in page.locator(ROWS).first.inner_text()


@pytest.fixture
def full_site(site):
    """The same with a tie, and a snapshot of its board."""
    bench = QuestionSet.objects.get(slug="bench")
    for slug in ("tied", "tied-too"):
        make_run(make_system(slug=slug, name="Tied"), bench, "+" * 41 + "-" * 4)
    snapshot_publish(question_set=bench)
    return site


@pytest.mark.parametrize(("scheme", "width", "with_axe"), SCREENS)
def test_pages_are_accessible_and_nothing_is_cut_off_or_over_another(
    browser, full_site, scheme, width, with_axe
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: run `npm ci`")
    axe, layout = AXE.read_text(encoding="utf-8"), LAYOUT.read_text(encoding="utf-8")
    viewport = {"width": width, "height": 900}
    with Reader(browser, color_scheme=scheme, viewport=viewport, reduced_motion="reduce") as reader:
        for number, address in enumerate(PAGES):
            reader.open(full_site + address)
            reader.keep_picture(f"{number:02}-{width}-{scheme}")
            assert reader.page.evaluate(layout) == [], address
            if with_axe:
                reader.page.evaluate(axe)
                assert reader.barriers() == [], address


def test_a_barrier_is_seen_in_a_row_made_unlike_the_others(browser) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: run `npm ci`")
    alike = "<tr><td>one</td></tr>" * 4
    with Reader(browser) as reader:
        for row, expected in (("", []), ('<tr><td style="color: #ddd">pale</td></tr>', ["color-contrast"])):
            table = f"<table><tbody>{alike}{row}</tbody></table>"
            html = f"<!doctype html><html lang=en><title>T</title><body><main><h1>T</h1>{table}</main>"
            reader.page.set_content(html)
            reader.page.evaluate(AXE.read_text(encoding="utf-8"))
            assert reader.page.evaluate(f"({REPEATED}).length") == 2
            assert [rule for rule, _ in reader.barriers()] == expected


def test_what_goes_wrong_with_a_layout_is_seen(browser) -> None:
    faults = {
        "": "<p>one <b>two</b></p>",
        "wider": '<p style="width: 120vw">wide</p>',
        "beside": '<p style="position: fixed; left: 95vw; white-space: nowrap">far out to the right</p>',
        "cut off": '<p style="width: 5em; overflow: hidden; white-space: nowrap">a label that is too long</p>',
        "over": '<p>under</p><p style="margin-top: -2em">upper</p>',
        "does not fit": '<button style="width: 3em; white-space: nowrap">A long label</button>',
    }
    with Reader(browser, viewport={"width": 360, "height": 800}) as reader:
        for fault, html in faults.items():
            reader.page.set_content(f"<!doctype html><body>{html}</body>")
            found = reader.page.evaluate(LAYOUT.read_text(encoding="utf-8"))
            assert (fault in " ".join(found)) if fault else (found == []), (fault, found)


def test_every_page_is_usable_without_script(browser, full_site) -> None:
    with Reader(browser, java_script_enabled=False, viewport={"width": 360, "height": 800}) as reader:
        for address in PAGES:
            reader.page.goto(full_site + address)
            main = reader.page.locator("main")
            assert main.locator("h1").is_visible(), address
            for form in main.locator("form").all():
                assert form.get_by_role("button").first.is_visible(), address
            if address in WITH_CHART:
                assert main.locator("table tbody tr").first.is_visible(), address
                assert main.locator(".chart").first.inner_text().strip(), address


def test_a_comparison_is_chosen_without_script(browser, site) -> None:
    with Reader(browser, java_script_enabled=False) as reader:
        page = reader.page
        page.goto(site + BOARD)
        page.get_by_role("link", name="Compare", exact=True).click()
        page.select_option("#entrant-1", "model-2")
        page.select_option("#entrant-2", "model-30")
        page.get_by_role("button", name="Compare").click()
        assert "entrant=model-2&entrant=model-30" in page.url
        assert page.locator("table.pairs").first.locator("tbody tr").count() == 1
        page.select_option("#entrant-2", "model-2")
        page.get_by_role("button", name="Compare").click()
        sync_api.expect(page.get_by_role("alert")).to_contain_text("chosen twice")


def test_a_comparison_draws_its_chart_under_the_content_policy(browser, site) -> None:
    needs_chart_library()
    with Reader(browser, viewport={"width": 360, "height": 800}) as reader:
        reader.page.goto(site + COMPARE)
        reader.see_chart()
        assert reader.page.locator(".chart .scatterlayer .trace").count() == 4
        assert reader.page.locator("head style").count() == 0
        assert reader.said == []


@pytest.mark.parametrize("width", [360, 1280])
def test_scores_are_drawn_against_what_is_chosen(browser, site, width) -> None:
    needs_chart_library()
    with Reader(browser, viewport={"width": width, "height": 800}) as reader:
        reader.page.goto(f"{site}{BOARD}factors/")
        reader.page.select_option("#filter-x", "size")
        reader.page.get_by_role("button", name="Show").click()
        assert "x=size" in reader.page.url
        reader.see_chart()
        assert reader.page.locator(".chart .scatterlayer .point").count() == 40
        assert reader.said == []


def test_a_label_on_a_phone_keeps_the_tag_of_made_up_data(browser, site) -> None:
    needs_chart_library()
    bench = QuestionSet.objects.get(slug="bench")
    make_run(make_system(slug="made-up", name="Structure baseline", is_demo=True), bench, "+" * 45)
    with Reader(browser, viewport={"width": 360, "height": 800}) as reader:
        reader.page.goto(site + BOARD)
        reader.see_chart()
        labels = reader.page.locator(".chart .ytick").all_text_contents()
        assert "Structure… (demo)" in labels
        assert max(map(len, labels)) <= 18


def test_a_radar_of_five_systems_is_drawn_under_the_content_policy(browser, site) -> None:
    needs_chart_library()
    with Reader(browser, viewport={"width": 360, "height": 800}) as reader:
        reader.page.goto(site + BY_TOPIC)
        reader.see_chart()
        assert reader.page.locator(".chart .scatterlayer .trace").count() == 6
        box = reader.page.locator(".chart .plot-container").bounding_box()
        for label in reader.page.locator(".chart .annotation-text").all():
            place = label.bounding_box()
            assert place["x"] >= box["x"] - 1, label.inner_text()
            assert place["x"] + place["width"] <= box["x"] + box["width"] + 1, label.inner_text()
        assert reader.page.locator("head style").count() == 0
        assert reader.said == []


def test_a_chart_is_saved_as_pictures_by_keyboard(browser, site, tmp_path) -> None:
    needs_chart_library()
    with Reader(browser, color_scheme="dark") as reader:
        page = reader.page
        page.goto(site + BY_TOPIC)
        reader.see_chart()
        for form in ("SVG", "PNG"):
            button = page.get_by_role("button", name=f"Save as {form}")
            button.focus()
            with page.expect_download() as download:
                page.keyboard.press("Enter")
            assert download.value.suggested_filename == f"bench-topics-chart.{form.lower()}"
            download.value.save_as(tmp_path / form)
        assert "Model number 33" in (tmp_path / "SVG").read_text("utf-8")
        assert "var(--" not in (tmp_path / "SVG").read_text("utf-8")
        with Image.open(tmp_path / "PNG") as picture:
            assert picture.size == (1920, 2 * 560)
            # On the ground of the dark page, not on nothing.
            assert picture.convert("RGBA").getpixel((2, 2)) == (20, 23, 26, 255)
        assert reader.said == []


def test_a_question_is_found_and_read_without_script(browser, site) -> None:
    with Reader(browser, java_script_enabled=False) as reader:
        page = reader.page
        page.goto(site + QUESTIONS)
        page.select_option("#filter-order", "hardest")
        page.get_by_role("button", name="Show").click()
        assert "order=hardest" in page.url
        page.locator("table.pairs tbody a").first.click()
        sync_api.expect(page.locator(".question-shown .choice")).to_have_count(4)
        assert page.locator(".question-shown input").count() == 0


def test_a_page_without_its_chart_is_light(browser, site) -> None:
    with Reader(browser) as reader:
        sizes: dict[str, int] = {}
        reader.page.on("response", lambda response: sizes.__setitem__(response.url, len(response.body())))
        reader.page.goto(f"{site}{BOARD}topics/")
        reader.page.wait_for_load_state("networkidle")
        assert sizes
        assert not [url for url in sizes if not url.startswith(site)], "nothing may come from elsewhere"
        assert not [url for url in sizes if "plotly-cartesian" in url]


def test_a_name_with_tags_is_text(browser, site) -> None:
    with Reader(browser) as reader:
        reader.page.goto(site + BOARD)
        assert reader.page.get_by_text("<b>A model with a long name</b>").count() >= 1
        assert reader.page.locator("main b").count() == 0
