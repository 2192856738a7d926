"""The chart of a few systems by topic (LB-14): gaps and never zeros, bars where a radar says nothing."""

import math
import re

import pytest

from corpus.models import QuestionSet
from leaderboard.selectors import assets
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

TOPICS = ("Analytical", "Organic", "Rare/<i>", "Physical")
PAGE = "/leaderboard/wide/topics/"
FIGURE = f"{PAGE}chart.json"


def make_wide(topics: tuple[str, ...], sizes: tuple[int, ...]) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    names = [topic for topic, size in zip(topics, sizes, strict=True) for _ in range(size)]
    questions = make_questions(benchmark, [{}] * len(names))
    label_questions(questions, names)
    return make_set(benchmark, "wide", questions, name="Wide set")


@pytest.fixture
def wide_set(db) -> QuestionSet:
    # Three questions are too few for a mean of people; three have no topic, so that the others do not tell theirs.
    wide = make_wide((*TOPICS, ""), (6, 6, 3, 6, 3))
    for number in range(6):
        right = 20 - 3 * number
        make_run(make_system(slug=f"s{number}", name=f"System {number}"), wide, "+" * right + "-" * (24 - right))
    make_people(wide, ["+" * 10 + "-" * 14] * 10)
    return wide


def figure(client, **query) -> dict:
    response = client.get(FIGURE, query)
    assert response.status_code == 200, response.content
    return response.json()


def test_the_radar_shows_each_share_on_the_spoke_of_its_topic(client, wide_set) -> None:
    found = figure(client, entrant=["s1", "s3"])
    assert [trace["name"] for trace in found["data"]] == ["System 1", "System 3", "Human experts (mean of 10)"]
    line = found["data"][1]
    # Analytical 6 of 6, Organic 5 of 6, Physical and the rare one none.
    assert line["x"] == pytest.approx([0, 5 / 6, 0, 0, 0], abs=1e-5)
    assert line["y"] == pytest.approx([1, 0, 0, 0, 1], abs=1e-5)
    assert [words[0] for words in line["customdata"]][:2] == ["Analytical", "Organic"]
    assert "6 questions" in line["customdata"][0][2]
    labels = [note["text"] for note in found["layout"]["annotations"]]
    assert labels[:4] == ["25%", "50%", "75%", "100%"]
    assert set(labels[4:]) == {"Analytical", "Organic", "Physical", "Rare/<br>&lt;i&gt;"}


def test_a_topic_without_a_result_is_a_gap_and_never_zero(client, wide_set) -> None:
    """LB-14: without one topic the line has a gap there, not a zero."""
    people = figure(client, entrant=["s1", "s3"])["data"][-1]
    names = [words[0] for words in people["customdata"]]
    gaps = [name for name, x in zip(names, people["x"], strict=True) if x is None]
    assert gaps == ["Rare/&lt;i&gt;"]
    assert people["connectgaps"] is False
    assert [y is None for y in people["y"]] == [x is None for x in people["x"]]
    shares = [math.hypot(x, y) for x, y in zip(people["x"], people["y"], strict=True) if x is not None]
    assert shares == pytest.approx([1, 4 / 6, 0, 1], abs=1e-4)


@pytest.mark.parametrize("n_topics", [2, 13])
def test_too_few_or_too_many_topics_are_bars(client, db, n_topics) -> None:
    """LB-14: two topics only fall back to bars."""
    wide = make_wide(tuple(f"Topic {number:02}" for number in range(n_topics)), (6,) * n_topics)
    for slug in ("a", "b"):
        make_run(make_system(slug=slug), wide, "+" * 3 * n_topics + "-" * 3 * n_topics)
    make_people(wide, ["+-" * 3 * n_topics] * 5)
    found = figure(client, entrant=["a", "b"])
    assert [trace["type"] for trace in found["data"]] == ["bar", "bar", "scatter"]
    assert found["data"][2]["x"] == [50.0] * n_topics
    assert "annotations" not in found["layout"]
    assert found["data"][0]["x"][0] == 100.0


def test_the_best_few_are_drawn_until_somebody_is_chosen(client, wide_set) -> None:
    """LB-14: of many systems a limited selection is drawn."""
    assert [trace["name"] for trace in figure(client)["data"][:-1]] == ["System 0", "System 1", "System 2"]
    html = client.get(PAGE).content.decode()
    chosen = re.findall(r'<option value="(\w+)"\s+selected', html.partition("chart-heading")[2])
    assert chosen == ["s0", "s1", "s2"]
    chosen_page = client.get(PAGE, {"entrant": ["s4", "", "s2"]}).content.decode()
    assert re.findall(r'<option value="(\w+)"\s+selected', chosen_page.partition("chart-heading")[2]) == ["s4", "s2"]
    assert "entrant=s4&amp;entrant=&amp;entrant=s2" in chosen_page


@pytest.mark.parametrize(
    ("named", "message", "status"),
    [
        (["s1"], "Choose one more", 200),
        (["s1", "s1"], "chosen twice", 400),
        (["s1", "nobody"], "nobody called “nobody”", 400),
        (["s1", "human-experts"], "People are always drawn", 400),
        ([f"s{number}" for number in range(6)], "Choose 5 at most", 400),
    ],
)
def test_a_choice_that_cannot_be_drawn_is_explained_beside_the_lists(client, wide_set, named, message, status) -> None:
    response = client.get(PAGE, {"entrant": named})
    html = response.content.decode()
    assert response.status_code == status
    assert message in html
    assert 'class="heat"' in html, "the table stays"
    assert "data-figure" not in html
    assert client.get(FIGURE, {"entrant": named}).status_code == 400


def test_every_system_has_a_colour_a_shape_and_a_dash_of_its_own(client, wide_set) -> None:
    traces = figure(client, entrant=[f"s{number}" for number in range(5)])["data"]
    for styles in (
        [trace["marker"]["symbol"] for trace in traces],
        [trace["marker"]["color"] for trace in traces],
    ):
        assert len(set(styles)) == 6
    assert len({trace["line"]["dash"] for trace in traces[:-1]}) == 5


def test_without_the_library_the_page_says_so(client, wide_set, monkeypatch) -> None:
    monkeypatch.setattr(assets, "CHART_SCRIPT", "plotly/not-there.js")
    html = client.get(PAGE).content.decode()
    assert "make setup" in html
    assert "data-figure" not in html


def test_a_set_without_results_has_no_chart(client, db) -> None:
    make_wide(("One", "Two", "Three"), (5, 5, 5))
    html = client.get(PAGE).content.decode()
    assert "data-figure" not in html
    assert "chart-heading" not in html


def test_a_narrow_radar_has_room_for_the_longest_word_beside_it(client, db) -> None:
    def reach(*names: str) -> float:
        wide = make_wide(names, (5,) * len(names))
        for slug in ("a", "b"):
            make_run(make_system(slug=slug), wide, "+" * 5 * len(names))
        layout = figure(client, entrant=["a", "b"])["layout"]
        labels = [note["text"] for note in layout["annotations"]][4:]
        letters = max(len(word) for label in labels for word in label.split("<br>"))
        low, high = layout["meta"]["narrow"]["xaxis"]["range"]
        assert low == -high
        # In 300 pixels, what is left beside the rim holds the word.
        assert (high - 1.06) * 300 / (2 * high) >= 6.5 * letters
        return high

    assert reach("Thermochemistry of Xs", "Two", "Three") > 2
