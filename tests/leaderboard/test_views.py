"""The public pages as an anonymous reader gets them."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from corpus.models import Label, Option, Question
from corpus.scoring.rules import rule_definition, rule_names
from corpus.services.labels import size_band
from corpus.services.results import results_changed
from evaluations.models import Run, System
from leaderboard import views
from leaderboard.selectors import assets
from leaderboard.selectors.boards import topics_of
from tests.corpus.factories import (
    label_question,
    label_questions,
    make_benchmark,
    make_question,
    make_questions,
    make_set,
)
from tests.leaderboard.factories import edit_system, make_people, make_run, make_system

pytestmark = pytest.mark.one_database

BOARD = "/leaderboard/small/"
TOPICS = "/leaderboard/small/topics/"
SCRIPT = '<img src=x onerror="alert(1)">'


@pytest.fixture
def results(small_set):
    make_run(make_system(slug="best", name="Best model"), small_set, "++++++++--")
    make_run(make_system(slug="agent", name="Some agent", kind="agent"), small_set, "++++--ur--")
    make_run(make_system(slug="stopped", name="Stopped model"), small_set, "+++++++++ ")
    make_run(make_system(slug="chance", name="Chance", kind="baseline"), small_set, "++--------")
    make_people(small_set, ["+++++-----"] * 10)
    return small_set


def names_in_order(html: str) -> list[str]:
    table = html.split('<table class="ranking')[1].split("</table>")[0]
    rows = re.findall(r'<th class="name"[^>]*scope="row"[^>]*>(.*?)</th>', table, re.DOTALL)
    return [re.sub(r"<span.*", "", re.sub(r"</?a[^>]*>", "", row), flags=re.DOTALL).strip() for row in rows]


def get(client: Client, url: str, **options) -> str:
    response = client.get(url, **options)
    assert response.status_code == 200, response.content
    return response.content.decode()


PEOPLE = "Human experts (mean of 10)"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Best model", PEOPLE, "Some agent", "Chance", "Stopped model"]),
        ("?direction=ascending", ["Chance", "Some agent", PEOPLE, "Best model", "Stopped model"]),
        ("?sort=name&direction=ascending", ["Best model", "Chance", PEOPLE, "Some agent", "Stopped model"]),
        ("?sort=name", ["Some agent", PEOPLE, "Chance", "Best model", "Stopped model"]),
        ("?kind=model", ["Best model", "Stopped model"]),
        ("?kind=human", [PEOPLE]),
        ("?topic=organic-chemistry&kind=model", ["Best model", "Stopped model"]),
    ],
)
def test_rows_are_sorted_and_filtered_by_the_address(client, results, query, names) -> None:
    assert names_in_order(get(client, BOARD + query)) == names


def test_a_row_says_accuracy_interval_and_number_of_questions(client, results) -> None:
    html = " ".join(get(client, BOARD).split())
    assert 'title="80.0%, 95% interval 49.0% to 94.3%"' in html
    assert "<strong>80.0%</strong>" in html
    assert '<td class="count number" role="cell">10</td>' in html


def test_an_incomplete_result_is_marked_and_has_no_accuracy(client, results) -> None:
    html = get(client, BOARD)
    row = html.split("Stopped model")[1].split("</tr>")[0]
    assert "incomplete" in row
    assert "no accuracy" in row
    assert "%" not in row
    assert "not ranked" in html.split("Stopped model")[0].rsplit("<tr", 1)[1]


def test_the_page_says_which_rule_revision_and_people_it_shows(client, results) -> None:
    html = " ".join(get(client, BOARD).split())
    assert "revision 1 of the set" in html
    assert "standard@1</a>" in html
    assert "10 of 10 people count: all questions answered." in html
    assert "best 50.0%, worst 50.0%" in html


def test_best_and_worst_of_people_are_never_shown_under_a_filter(client, results) -> None:
    html = get(client, BOARD + "?topic=organic-chemistry")
    assert PEOPLE in html
    assert "worst" not in html


def test_printed_verdicts_exist_for_imported_results_only_and_the_page_says_so(client, results) -> None:
    imported = make_system(slug="imported", name="Imported model", provider="imported")
    make_run(imported, results, "++++++----", origin="imported", published="+++++-----")
    html = get(client, BOARD + "?rule=as-published")
    assert names_in_order(html) == ["Imported model"]
    words = " ".join(html.split())
    assert "exists for imported results only" in words
    assert "4 systems asked here are absent" in words
    assert "<strong>50.0%</strong>" in words


def test_the_fragment_is_the_part_of_the_page_it_replaces(client, results) -> None:
    page = get(client, BOARD)
    fragment = get(client, BOARD, headers={"HX-Request": "true"})
    board, _, links = fragment.partition('<nav class="set-links"')
    assert board.strip() in page
    assert board.lstrip().startswith('<div id="board"')
    # The links above keep what was chosen: they come along, and take the place of those on the page.
    assert " ".join(links.split()).startswith('id="set-links" aria-label="Small set" hx-swap-oob="true">')
    assert "HX-Request" in client.get(BOARD)["Vary"]


def test_every_control_works_without_script(client, results) -> None:
    html = get(client, BOARD)
    form = html.split('<form class="filters"')[1].split("</form>")[0]
    assert f'action="{BOARD}"' in form
    assert 'type="submit"' in form
    assert re.search(r'<a href="\?sort=name&amp;direction=ascending"', html)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?rule=nonsense", "standard@1, as-published@1"),
        ("?topic=nonsense", "organic-chemistry, physical-chemistry"),
        ("?kind=nonsense", "model, agent, baseline, human"),
        ("?sort=nonsense", "accuracy, name, questions"),
        ("?direction=up", "ascending, descending"),
        ("?grouping=nonsense", "topic"),
    ],
)
@pytest.mark.parametrize("page", [BOARD, TOPICS, "/leaderboard/small/chart.json"])
def test_what_does_not_exist_is_answered_with_what_does(client, results, query, message, page) -> None:
    response = client.get(page + query)
    assert response.status_code == 400
    assert message in response.content.decode()


@pytest.mark.parametrize(
    "url", ["/leaderboard/none/", "/leaderboard/none/topics/", "/leaderboard/none/chart.json", "/systems/none/"]
)
def test_unknown_sets_and_systems_are_not_found(client, db, url) -> None:
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("url", ["/", BOARD, TOPICS, "/methods/"])
def test_pages_only_read(client, results, url) -> None:
    assert client.post(url).status_code == 405


@pytest.mark.parametrize(("n_questions", "has_ranks"), [(9, False), (10, True)])
def test_nobody_is_ranked_on_a_set_of_few_questions(client, db, n_questions, has_ranks) -> None:
    benchmark = make_benchmark(slug="few")
    few = make_set(benchmark, "few", make_questions(benchmark, [{}] * n_questions), name="A few")
    make_run(make_system(slug="one", name="One"), few, "+" * n_questions)
    found = client.get("/api/v1/leaderboard/few/").json()["rows"]
    assert [row["rank"] for row in found] == ([1] if has_ranks else [None])
    assert [row["accuracy"] for row in found] == [1.0]
    told = "so nobody is ranked here" not in get(client, "/leaderboard/few/")
    assert told == has_ranks
    assert ("Too few questions to rank anybody." not in get(client, "/")) == has_ranks
    picture = get(client, "/leaderboard/few/").split("og:image:alt")[1].split("og:")[0]
    assert ("too few questions to rank anybody" not in picture) == has_ranks


def test_spellings_of_a_topic_go_by_the_name_of_the_oldest(results) -> None:
    label = Label.objects.get(slug="organic-chemistry")
    question = label.questions.first()
    label.questions.remove(question)
    twin = Label.objects.create(grouping=label.grouping, slug="organic-Chemistry", name="A later spelling")
    twin.questions.add(question)
    ids = list(Question.objects.values_list("pk", flat=True))
    choices = {"benchmark_id": results.benchmark_id, "grouping": "topic", "question_ids": ids}
    assert "Organic Chemistry" in [topic.name for topic in topics_of(**choices)]
    assert "A later spelling" not in [topic.name for topic in topics_of(**choices)]


@pytest.mark.parametrize("spelling", ["organic-chemistry", "Organic Chemistry", "organic_chemistry "])
def test_a_topic_is_the_same_however_it_is_spelled(client, results, spelling) -> None:
    html = " ".join(client.get(BOARD, {"topic": spelling}).content.decode().split())
    assert "6 questions in Organic Chemistry" in html


def test_labels_that_differ_in_joining_only_are_one_topic(client, results) -> None:
    question = make_question(results.benchmark, key="other")
    label = label_question(question, name="Organic Chemistry")
    twin = Label.objects.create(grouping=label.grouping, slug="organic_chemistry", name="organic_chemistry")
    twin.questions.add(results.current_revision.question_revisions.last().question)
    html = get(client, TOPICS)
    assert html.count("Organic Chemistry") + html.count("organic_chemistry") == 1


def test_the_topics_page_shows_n_and_greys_what_is_small(client, results) -> None:
    html = get(client, TOPICS)
    assert re.search(r'Organic Chemistry<span class="sub">6</span>', html)
    assert "heat-small" in html
    cell = html.split("Some agent")[1].split("</tr>")[0]
    assert "66.7" in cell
    assert "0.0" in cell


def test_an_incomplete_result_has_dashes_by_topic_and_never_zero(client, results) -> None:
    row = get(client, TOPICS).split("Stopped model")[1].split("</tr>")[0]
    assert row.count('<span class="visually-hidden">incomplete</span>') == 3
    assert "%" not in row
    assert ">0.0" not in row


def test_other_groupings_can_be_chosen(client, results) -> None:
    question = results.current_revision.question_revisions.first().question
    label_question(question, grouping="skill", name="Calculation")
    html = get(client, TOPICS + "?grouping=skill")
    assert "Calculation" in html
    assert "Organic Chemistry" not in html


def test_bands_of_molecular_size_are_shown_in_order_with_n_and_the_small_never_ranked(client, db) -> None:
    benchmark = make_benchmark(slug="sized")
    questions = make_questions(benchmark, [{}] * 24)
    bands = [size_band(size) for size in [60] * 12 + [20] * 7 + [3] * 3]
    label_questions(questions[: len(bands)], bands, grouping="molecular-size")
    make_run(make_system(slug="m"), make_set(benchmark, "sized", questions), "+" * 20 + "-" * 4)
    html = " ".join(get(client, "/leaderboard/sized/topics/?grouping=molecular-size").split())
    heads = re.findall(r'scope="col"> ([^<>]*heavy atoms)<span class="sub">(\d+)</span>', html)
    assert heads == [("0 to 10 heavy atoms", "3"), ("11 to 20 heavy atoms", "7"), ("more than 40 heavy atoms", "12")]
    assert html.count("heat-small") == 2
    ranks = []
    for topic in ("0-to-10-heavy-atoms", "11-to-20-heavy-atoms", "more-than-40-heavy-atoms"):
        asked = {"grouping": "molecular-size", "topic": topic}
        (row,) = client.get("/api/v1/leaderboard/sized/", asked).json()["rows"]
        ranks.append((row["n_questions"], row["rank"]))
    assert ranks == [(3, None), (7, None), (12, 1)]


def test_names_are_shown_as_text_everywhere(client, results) -> None:
    system = make_system(slug="script", name=SCRIPT, source_name=SCRIPT, facts={"note": SCRIPT, SCRIPT: 1})
    make_run(system, results, "+" * 10)
    for url in ("/", BOARD, TOPICS, "/systems/script/"):
        html = get(client, url)
        assert "<img" not in html
        assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;" in html
    figure = client.get("/leaderboard/small/chart.json").json()
    assert any("&lt;img" in label for trace in figure["data"] for label in trace["y"])
    assert "<img" not in str(figure)


def test_no_answer_key_and_no_question_is_on_any_page(client, results) -> None:
    texts = set(Option.objects.values_list("text", flat=True))
    assert texts
    for url in ("/", BOARD, TOPICS, "/methods/", "/systems/best/"):
        html = get(client, url)
        assert not [text for text in texts if text in html]


def test_two_systems_of_one_name_can_be_told_apart(client, results) -> None:
    for slug in ("twin-a", "twin-b"):
        make_run(make_system(slug=slug, name="Twin"), results, "+" * 10)
    html = get(client, BOARD)
    assert '<span class="sub">twin-a</span>' in html
    assert '<span class="sub">twin-b</span>' in html
    labels = client.get("/leaderboard/small/chart.json").json()["layout"]["yaxis"]["categoryarray"]
    assert {"Twin (twin-a)", "Twin (twin-b)"} <= set(labels)


def test_a_new_run_a_rename_a_hidden_and_a_deleted_one_show_at_once(client, results) -> None:
    get(client, BOARD)
    late = make_system(slug="late", name="Late model")
    run = make_run(late, results, "+" * 10)
    assert "Late model" in get(client, BOARD)
    edit_system("late", name="Renamed model")
    assert "Renamed model" in get(client, BOARD)
    edit_system("late", is_hidden=True)
    assert "Renamed model" not in get(client, BOARD)
    assert client.get("/systems/late/").status_code == 404
    edit_system("late", is_hidden=False)
    Run.objects.filter(pk=run.pk).delete()
    results_changed(benchmark_id=results.benchmark_id)
    make_run(make_system(slug="other"), results, "-" * 10)
    assert "Renamed model" not in get(client, BOARD)


def test_queries_do_not_grow_with_the_board(client, results) -> None:
    def queries(url: str) -> int:
        client.get(url)
        with CaptureQueriesContext(connection) as captured:
            client.get(url)
        return len(captured)

    urls = ("/", BOARD, TOPICS, "/leaderboard/small/chart.json", "/systems/best/")
    before = {url: queries(url) for url in urls}
    for number in range(5):
        make_run(make_system(slug=f"more-{number}"), results, "+-" * 5)
    assert {url: queries(url) for url in urls} == before
    assert before[BOARD] <= 5


def test_the_front_page_shows_the_top_and_open_studies(client, results) -> None:
    make_people(results, [], status="open")
    html = get(client, "/")
    assert "Small set" in html
    assert "Best model" in html
    assert "Stopped model" not in html
    assert re.search(r'href="/survey/study-\d+/"', html)


def test_demo_data_is_labelled(client, db) -> None:
    benchmark = make_benchmark(slug="demo", is_demo=True)
    demo = make_set(benchmark, "demo", make_questions(benchmark, [{}] * 3))
    make_people(demo, ["++-"] * 5, is_demo=True)
    for url in ("/", "/leaderboard/demo/", "/leaderboard/demo/topics/"):
        assert "Demo data." in get(client, url)
    row = get(client, "/leaderboard/demo/").split("Human experts")[1].split("</tr>")[0]
    assert '<span class="tag">demo</span>' in row


def test_real_data_is_not_called_demo(client, results) -> None:
    for url in ("/", BOARD, TOPICS):
        assert "Demo data." not in get(client, url)


def test_empty_pages_say_what_will_be_here(client, db) -> None:
    assert "No question set has been imported yet" in get(client, "/")
    benchmark = make_benchmark()
    make_set(benchmark, "empty", [make_question(benchmark)])
    assert "Nothing here yet" in get(client, "/leaderboard/empty/")
    assert "No results yet" in get(client, "/leaderboard/empty/topics/")
    assert "No complete result yet" in get(client, "/")


def test_the_methods_page_prints_every_rule_and_the_formulas(client, db) -> None:
    html = " ".join(get(client, "/methods/").replace("&#x27;", "'").split())
    for rule in rule_names():
        assert rule_definition(rule).split(".")[0].replace("<", "&lt;") in html
    assert "E. B. Wilson" in html
    assert "right answers / questions in the set" in html


def test_a_system_page_shows_facts_and_results_but_not_how_it_is_reached(client, results) -> None:
    System.objects.filter(slug="best").update(
        model_id="best-1", facts={"temperature": 0}, api_key_variable="BEST_KEY", base_url="https://inside.example"
    )
    html = get(client, "/systems/best/")
    assert "best-1" in html
    assert "Temperature" in html
    assert "80.0%" in html
    assert "BEST_KEY" not in html
    assert "inside.example" not in html


def test_without_the_chart_library_the_page_says_so(client, results, monkeypatch) -> None:
    monkeypatch.setattr(views, "chart_script_url", lambda: "")
    html = get(client, BOARD)
    assert "The chart needs Plotly" in html
    assert "data-figure" not in html


@pytest.mark.parametrize("is_there", [True, False])
def test_the_chart_library_is_named_only_where_it_is(monkeypatch, is_there: bool) -> None:
    monkeypatch.setattr(assets, "CHART_SCRIPT", "site/site.css" if is_there else "site/none.js")
    assert bool(assets.chart_script_url()) is is_there


def test_a_storage_that_refuses_unknown_names_means_no_chart(monkeypatch) -> None:
    def refuse(name: str) -> str:
        raise ValueError(f"Missing staticfiles manifest entry for {name}")

    monkeypatch.setattr(assets.staticfiles_storage, "url", refuse)
    assert assets.chart_script_url() == ""


def test_the_chart_holds_the_numbers_of_the_table_and_people_as_a_band(client, results) -> None:
    figure = client.get("/leaderboard/small/chart.json").json()
    bars = {label: x for trace in figure["data"] for label, x in zip(trace["y"], trace["x"], strict=True)}
    assert bars == {"Best model": 80.0, "Some agent": 40.0, "Chance": 20.0}
    assert figure["layout"]["yaxis"]["categoryarray"] == ["Chance", "Some agent", "Best model"]
    band, line = figure["layout"]["shapes"]
    assert (band["x0"], band["x1"], line["x0"]) == (50.0, 50.0, 50.0)
    assert "template" not in str(figure["layout"].get("template", {}).get("data", ""))


def test_a_chart_of_many_systems_is_limited(client, small_set) -> None:
    for number in range(42):
        make_run(make_system(slug=f"s{number}", name=f"System {number}"), small_set, "+-" * 5)
    figure = client.get("/leaderboard/small/chart.json").json()
    assert sum(len(trace["y"]) for trace in figure["data"]) == 40
    assert len(names_in_order(get(client, BOARD))) == 42


@pytest.mark.parametrize("url", ["/", BOARD, TOPICS, "/methods/", "/systems/best/"])
def test_an_unchanged_page_is_not_sent_again(client, results, url) -> None:
    tag = client.get(url)["ETag"]
    assert client.get(url, headers={"If-None-Match": tag}).status_code == 304
    edit_system("best", name="Renamed")
    expected = 304 if url == "/methods/" else 200
    assert client.get(url, headers={"If-None-Match": tag}).status_code == expected


@pytest.mark.parametrize("url", ["/", BOARD, TOPICS])
def test_a_page_without_its_chart_is_below_60_kilobytes(client, results, url) -> None:
    for number in range(40):
        make_run(make_system(slug=f"model-{number}", name=f"A model of number {number}"), results, "+-" * 5)
    response = client.get(url, headers={"Accept-Encoding": "gzip"})
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', gzip.decompress(response.content).decode())
    assert "site/site.css" in files
    static = sum(len(gzip.compress(Path(finders.find(file)).read_bytes())) for file in files)
    assert len(response.content) + static < 60_000


@pytest.mark.parametrize("url", ["/", BOARD, TOPICS, "/methods/", "/systems/best/"])
def test_nothing_inline_can_run(client, results, url) -> None:
    html = get(client, url)
    assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\son[a-z]+=", html)
    assert "script-src 'self'" in client.get(url)["Content-Security-Policy"]
