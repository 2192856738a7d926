"""The page about confidence: what is stated, whether it holds, and no more of anyone than the boards tell."""

import csv
import json
import re

import numpy as np
import pytest

from corpus.models import QuestionSet
from corpus.services.results import results_changed
from evaluations.models import Item, ItemConfidence, ItemReading, Run
from leaderboard.calibration import calibration_of
from leaderboard.confidence import confidence_of
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.shown_levels import sets_with_levels_told
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system
from tests.leaderboard.stated import state, state_people

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/wide/confidence/"
LETTERS = "++++++++++++++++--------" + "+-------"


@pytest.fixture
def wide_set(db) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    questions = make_questions(benchmark, [{}] * 32)
    label_questions(questions, ["Organic Chemistry"] * 16 + ["Physical Chemistry"] * 16)
    return make_set(benchmark, "wide", questions, name="Wide set")


def open_up(question_set: QuestionSet) -> None:
    QuestionSet.objects.filter(pk=question_set.pk).update(policy=QuestionSet.Policy.OPEN)
    results_changed(benchmark_id=question_set.benchmark_id)


def page(client, status: int = 200, address: str = PAGE, **query: object) -> str:
    response = client.get(address, query)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def lines(client, address: str = PAGE, **query: object) -> dict[tuple[str, str], dict[str, str]]:
    response = client.get(f"{address}levels.csv", query)
    assert response.status_code == 200
    found = csv.DictReader(response.content.decode().splitlines())
    return {(line["entrant"], line["levels"]): line for line in found}


def made(slug: str, question_set: QuestionSet, letters: str, levels: str, **fields: object) -> Run:
    return state(make_run(make_system(slug=slug, name=slug), question_set, letters, **fields), levels)


def test_shares_by_level_are_those_of_the_answers(client, wide_set) -> None:
    made("sure", wide_set, LETTERS, "5" * 12 + "4" * 8 + "3" * 4 + "1" * 8)
    found = lines(client)
    counts = {level: (row["n"], row["right"]) for (_, level), row in found.items()}
    assert counts == {
        "1 to 5": ("32", "17"),
        "5": ("12", "12"),
        "4": ("8", "4"),
        "3": ("4", "0"),
        "2": ("0", "0"),
        "1": ("8", "1"),
    }
    whole = found["sure", "1 to 5"]
    by_hand = (12 * 0.1 + 8 * 0.2 + 4 * 0.5 + 8 * 0.025) / 32
    assert float(whole["expected_calibration_error"]) == pytest.approx(by_hand)
    html = page(client)
    assert f"{by_hand * 100:.1f}%" in html
    assert "1 for 10%, 2 for 30%, 3 for 50%, 4 for 70%, 5 for 90%." in html
    assert "17" not in re.findall(r"<td[^>]*>\s*(\d+)\s*<", html)
    assert "53.1%" in html
    assert "/leaderboard/wide/confidence/" in page(client, address="/leaderboard/wide/")


def test_replies_without_a_level_are_left_out_and_counted(client, wide_set) -> None:
    made("sure", wide_set, LETTERS, "5" * 12 + "4" * 8 + "...." + "1" * 8)
    assert "28 <span" in page(client)
    assert "of 32" in page(client)
    assert float(lines(client)["sure", "1 to 5"]["portion"]) == 28 / 32


def test_the_charts_hold_what_the_table_holds(client, wide_set) -> None:
    made("sure", wide_set, LETTERS, "5" * 12 + "4" * 8 + "3" * 4 + "1" * 8)
    claimed, points = json.loads(client.get(f"{PAGE}chart.json").content)["data"]
    assert claimed["y"] == [10, 30, 50, 70, 90]
    assert points["y"] == [12.5, 0, 50, 100]
    assert [row[:2] for row in points["customdata"]] == [["1", 8], ["3", 4], ["4", 8], ["5", 12]]
    (bars,) = json.loads(client.get(f"{PAGE}distribution.json").content)["data"]
    assert bars["y"] == [25, 0, 12.5, 25, 37.5]


def test_a_board_nobody_states_anything_on_says_how_to_get_there(client, wide_set) -> None:
    make_run(make_system(slug="mute", name="mute"), wide_set, LETTERS)
    html = page(client)
    assert "Nobody on this board has said how sure they are" in html
    assert "import_confidence" in html
    assert lines(client) == {}
    assert json.loads(client.get(f"{PAGE}distribution.json").content)["data"] == []


def test_what_cannot_be_shown_is_explained(client, wide_set) -> None:
    for number in range(6):
        made(f"model-{number}", wide_set, LETTERS, "5" * 16 + "3" * 16)
    for query, said in (
        ({"rule": "nonsense"}, "There is no rule"),
        ({"entrant": "nobody"}, "Nobody called “nobody”"),
        ({"without": "organic-chemistry"}, "no topic can be left out here"),
        ({"entrant": [f"model-{number}" for number in range(6)]}, "6 are chosen"),
    ):
        assert said in page(client, 400, **query)


def test_five_are_drawn_and_others_can_be_chosen(client, wide_set) -> None:
    for number in range(7):
        made(f"model-{number}", wide_set, "+" * (31 - number) + "-" * (number + 1), "5" * 16 + "3" * 16)
    names = [trace["name"] for trace in json.loads(client.get(f"{PAGE}chart.json").content)["data"]]
    assert names == ["as claimed", *(f"model-{number}" for number in range(5))]
    chosen = client.get(f"{PAGE}chart.json", {"entrant": ["model-6", "model-2"]})
    assert [trace["name"] for trace in json.loads(chosen.content)["data"]][1:] == ["model-6", "model-2"]
    assert len({slug for slug, _ in lines(client)}) == 7


def test_a_topic_can_be_left_out_on_an_open_set(client, wide_set) -> None:
    made("sure", wide_set, LETTERS, "5" * 12 + "4" * 8 + "3" * 4 + "1" * 8)
    open_up(wide_set)
    found = lines(client, without="organic-chemistry")
    assert (found["sure", "1 to 5"]["n"], found["sure", "4"]["n"], found["sure", "5"]["n"]) == ("16", "4", "0")
    assert "There is no topic “sport”" in page(client, 400, without="sport")


# What may be told of systems


def test_levels_of_one_question_are_not_told_on_a_closed_set(client, wide_set) -> None:
    made("sure", wide_set, LETTERS, "5" * 31 + "2")
    found = lines(client)
    assert (found["sure", "5"]["n"], found["sure", "2"]["n"]) == ("31", "1")
    assert {row["right"] for row in found.values()} == {""}
    assert {row["share_right"] for row in found.values()} == {""}
    assert {row["auroc"] for row in found.values()} == {""}
    html = page(client)
    assert "results of single questions" in html
    assert "53.1%" not in html.split("<main")[1]
    assert [trace["name"] for trace in json.loads(client.get(f"{PAGE}chart.json").content)["data"]] == ["as claimed"]
    open_up(wide_set)
    assert lines(client)["sure", "2"]["right"] == "0"


def test_what_one_answer_without_a_level_leaves_is_not_told_either(client, wide_set) -> None:
    made("sure", wide_set, LETTERS, "5" * 20 + "4" * 11 + " ")
    assert {row["right"] for row in lines(client).values()} == {""}


def test_levels_are_looked_at_beside_topics_and_other_sets(client, wide_set) -> None:
    # Level 5 is the topic of organic chemistry but for one question: by subtraction its verdict would follow.
    levels = "5" * 15 + "4" + "4" * 16
    made("sure", wide_set, LETTERS, levels)
    assert {row["right"] for row in lines(client).values()} == {""}
    made("fair", wide_set, LETTERS, "5" * 14 + "4" * 18)
    assert lines(client)["fair", "5"]["right"] == "14"


def test_sets_that_share_questions_are_looked_at_together(client, wide_set) -> None:
    revisions = list(wide_set.current_revision.question_revisions.order_by("set_memberships__position"))
    make_set(wide_set.benchmark, "part", revisions[:20], name="Part")
    # Of the whole set two answers are at level 2, of its part one: less the part, the other one's verdict is told.
    run = made("sure", wide_set, LETTERS, "2" + "5" * 15 + "4" * 15 + "2")
    levels = {item.question_revision.root_id: item.stated_confidence.level for item in run.items.all()}
    told = sets_with_levels_told(benchmark_id=wide_set.benchmark_id, levels=levels)
    assert told == frozenset()
    assert {row["right"] for row in lines(client).values()} == {""}
    fair = made("fair", wide_set, LETTERS, "22" + "5" * 14 + "4" * 14 + "22")
    levels = {item.question_revision.root_id: item.stated_confidence.level for item in fair.items.all()}
    assert sets_with_levels_told(benchmark_id=wide_set.benchmark_id, levels=levels) == {
        each.pk for each in public_sets()
    }
    assert lines(client, "/leaderboard/part/confidence/")["fair", "2"]["right"] == "2"


def test_of_repeats_and_of_what_was_sent_in_only_how_often_on_a_closed_set(client, wide_set) -> None:
    made("twice", wide_set, [LETTERS, LETTERS], ("5" * 16 + "4" * 16) * 2)
    made("sent", wide_set, LETTERS, "5" * 16 + "4" * 16, origin="submitted")
    found = lines(client)
    assert found["twice", "5"]["n"] == "32"
    assert {row["right"] for row in found.values()} == {""}
    open_up(wide_set)
    opened = lines(client)
    assert (opened["twice", "5"]["right"], opened["sent", "5"]["right"]) == ("32", "16")
    # Asked twice alike, 16 questions are no 32.
    assert float(opened["twice", "4"]["ci_low"]) < float(opened["sent", "4"]["ci_low"]) + 0.02
    assert float(opened["twice", "4"]["ci_high"]) > float(opened["sent", "4"]["ci_high"]) - 0.02


def test_while_a_system_is_still_asked_nothing_of_it_is_shown(client, wide_set) -> None:
    run = made("sure", wide_set, LETTERS, "5" * 16 + "4" * 16)
    assert "sure" in {slug for slug, _ in lines(client)}
    last = ItemConfidence.objects.order_by("-pk").first()
    Item.objects.filter(pk=last.item_id).update(completion="An answer")
    Run.objects.filter(pk=run.pk).update(asks_confidence=True)
    for code in ("asking", "stopped"):
        ItemConfidence.objects.filter(pk=last.pk).update(error_code=code, level=None)
        results_changed(benchmark_id=wide_set.benchmark_id)
        assert lines(client) == {}
        assert "shown when that is over: sure." in page(client)
    ItemConfidence.objects.filter(pk=last.pk).update(error_code="refused")
    results_changed(benchmark_id=wide_set.benchmark_id)
    assert lines(client)["sure", "1 to 5"]["n"] == "31"


def test_incomplete_results_are_not_shown(client, wide_set) -> None:
    made("stopped", wide_set, "+" * 16 + " " * 16, "5" * 16 + " " * 16)
    assert lines(client) == {}


# What may be told of people


def wide_people(question_set: QuestionSet, n: int = 8) -> list[str]:
    make_people(question_set, ["+" * (12 + number) + "-" * (20 - number) for number in range(n)])
    return ["5" * 12 + "4" * 10 + "3" * 10] * n


def test_people_are_shown_together_with_an_interval_over_people(client, wide_set) -> None:
    levels = wide_people(wide_set)
    state_people(wide_set, levels)
    found = lines(client)
    assert [level for _, level in found] == ["1 to 5", "1", "2", "3", "4", "5"]
    assert (found["human-experts", "5"]["n"], found["human-experts", "5"]["right"]) == ("96", "96")
    assert found["human-experts", "4"]["right"] == "28"
    right = np.array([[place < 12 + number for place in range(32)] for number in range(8)])
    stated = np.array([[int(letter) for letter in row] for row in levels])
    by_hand = calibration_of(stated.ravel(), right.ravel(), cluster_of=np.repeat(np.arange(8), 32))
    assert float(found["human-experts", "4"]["ci_low"]) == pytest.approx(by_hand.cells[3].interval.low)
    assert float(found["human-experts", "1 to 5"]["auroc"]) == pytest.approx(by_hand.area.auroc)
    assert "mean of 8" in page(client)


def test_levels_of_a_few_people_are_told_together(client, wide_set) -> None:
    levels = wide_people(wide_set)
    levels[0] = "5" * 12 + "4" * 10 + "3" * 4 + "1" * 6
    state_people(wide_set, levels)
    found = lines(client)
    assert [level for _, level in found] == ["1 to 5", "1 to 3", "4", "5"]
    assert found["human-experts", "1 to 3"]["n"] == "80"
    html = page(client)
    assert "1 to 3" in html
    assert "Mean level" in html
    bars = json.loads(client.get(f"{PAGE}distribution.json").content)["data"][0]
    assert bars["x"] == [2, 4, 5]


@pytest.mark.parametrize("case", ["four people", "one of them most", "another rule", "a part"])
def test_of_people_nothing_where_the_board_would_not(client, wide_set, case) -> None:
    if case == "four people":
        state_people(wide_set, wide_people(wide_set, 4))
    elif case == "one of them most":
        wide_people(wide_set)
        state_people(wide_set, ["5" * 32] + ["5" * 2 + "." * 30] * 7)
    elif case == "a part":
        make_people(wide_set, ["+-" * 8 + "." * 16, "." * 16 + "+-" * 8] * 6, questions_per_person=16)
        state_people(wide_set, ["5" * 16] * 12)
    else:
        state_people(wide_set, wide_people(wide_set))
    assert lines(client, rule="as-published" if case == "another rule" else "") == {}


def test_people_are_on_the_page_of_one_set_only(client, wide_set) -> None:
    # Levels told together on one set and apart on another would be told by subtraction.
    revisions = list(wide_set.current_revision.question_revisions.order_by("set_memberships__position"))
    make_set(wide_set.benchmark, "part", revisions[:20], name="Part")
    state_people(wide_set, wide_people(wide_set))
    assert {slug for slug, _ in lines(client)} == {"human-experts"}
    address = "/leaderboard/part/confidence/"
    assert client.get("/api/v1/leaderboard/part/").json()["rows"][0]["slug"] == "human-experts"
    assert lines(client, address) == {}
    assert 'href="/leaderboard/wide/confidence/"' in page(client, address=address)


def test_people_are_not_shown_without_a_topic(client, wide_set) -> None:
    state_people(wide_set, wide_people(wide_set))
    made("sure", wide_set, LETTERS, "5" * 16 + "3" * 16)
    open_up(wide_set)
    assert {slug for slug, _ in lines(client)} == {"sure", "human-experts"}
    assert {slug for slug, _ in lines(client, without="organic-chemistry")} == {"sure"}


# Log-probabilities


def test_levels_stand_against_the_probabilities_of_the_answers(client, wide_set) -> None:
    run = made("sure", wide_set, LETTERS, "5" * 16 + "3" * 16)
    for place, item in enumerate(run.items.order_by("position")):
        item.completion = "[ANSWER]B[/ANSWER]"
        value = -0.05 if place < 16 else -0.7
        item.log_probabilities = [["[ANSWER]", -0.01], ["B", value], ["[/ANSWER]", -2.0]]
        item.save()
        ItemReading.objects.create(answer=item, reader="standard@1", status="read", span_start=8, span_end=9)
    results_changed(benchmark_id=wide_set.benchmark_id)
    html = page(client)
    assert "32 answers" in html
    assert re.search(r'data-of="Rank correlation"> 1.00 <', html)
    assert "95.1%" in html
    assert "49.7%" in html
    assert "level, probability" not in html
    assert lines(client)["sure", "5"]["mean_probability"].startswith("0.951")
    open_up(wide_set)
    right, stated = np.array([letter == "+" for letter in LETTERS]), np.array([5] * 16 + [3] * 16)
    claimed = np.exp(np.where(stated == 5, -0.05, -0.7))
    error = (16 * abs(right[:16].mean() - claimed[0]) + 16 * abs(right[16:].mean() - claimed[16])) / 32
    whole = calibration_of(stated, right)
    cell = page(client).split('data-of="Calibration error">')[-1].split("</td>")[0]
    assert re.findall(r"[\d.]+%", cell) == [f"{whole.error * 100:.1f}%", f"{error * 100:.1f}%"]


def test_a_run_of_another_set_revision_counts_by_question(wide_set) -> None:
    benchmark = wide_set.benchmark
    made("sure", wide_set, LETTERS, "5" * 16 + "3" * 16)
    revisions = list(wide_set.current_revision.question_revisions.order_by("set_memberships__position"))
    part = make_set(benchmark, "part", revisions[8:24], name="Part")
    found = confidence_of(question_set=public_sets().get(pk=part.pk))
    (entrant,) = found.entrants
    assert [cell.n for cell in entrant.calibration.cells] == [0, 0, 8, 0, 8]
    assert entrant.n_answers == 16


API = "/api/v1/leaderboard/wide/confidence/"


@pytest.mark.parametrize("is_open", [True, False])
def test_the_api_tells_what_the_file_tells(client, wide_set, is_open) -> None:
    made("sure", wide_set, LETTERS, "5" * 12 + "4" * 8 + "3" * 4 + "1" * 8)
    made("single", wide_set, LETTERS, "5" * 31 + "1")
    make_people(wide_set, [LETTERS] * 6)
    state_people(wide_set, ["5" * 16 + "2" * 16] * 6)
    if is_open:
        open_up(wide_set)
    response = client.get(API)
    assert response.status_code == 200
    found, told = response.json(), lines(client)
    assert [entrant["slug"] for entrant in found["entrants"]] == list(dict.fromkeys(slug for slug, _ in told))
    for entrant in found["entrants"]:
        whole = told[entrant["slug"], "1 to 5"]
        assert str(entrant["n_stated"]) == whole["n"]
        for name in ("share_right", "expected_calibration_error", "auroc", "auroc_low"):
            assert ("" if entrant[name] is None else str(entrant[name])) == whole[name]
        for level in entrant["levels"]:
            first, last = level["levels"][0], level["levels"][-1]
            line = told[entrant["slug"], str(first) if first == last else f"{first} to {last}"]
            assert ("" if level["right"] is None else str(level["right"])) == line["right"]
            assert ("" if level["ci_low"] is None else str(level["ci_low"])) == line["ci_low"]
    single = next(entrant for entrant in found["entrants"] if entrant["slug"] == "single")
    # One question at a level: how many are right there is its verdict.
    assert (single["levels"][0]["right"] is None) is not is_open
    assert client.get(API, headers={"If-None-Match": response["ETag"]}).status_code == 304
    assert client.get(API, {"rule": "nonsense"}).status_code == 400
