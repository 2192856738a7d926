"""The scale that people and systems share: who is on it, who may see it, and what it never tells."""

import csv
import io

import numpy as np
import pytest
from django.contrib.auth.models import Permission, User

from corpus.models import QuestionSet
from corpus.services.results import results_changed
from evaluations.models import System
from leaderboard import scale as scale_module
from leaderboard.statistics import fit_item_response
from tests.corpus.factories import make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/wide/scale/"
QUESTIONS = "/leaderboard/wide/questions/"
N = 40
RIGHTS = (36, 30, 24, 18, 12)


def letters(n_right: int) -> str:
    """Right on the first so many questions: the later ones are the harder ones."""
    return "+" * n_right + "-" * (N - n_right)


@pytest.fixture
def wide_set(db) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    made = make_set(benchmark, "wide", make_questions(benchmark, [{}] * N), name="Wide set", policy="open")
    for number, n_right in enumerate(RIGHTS):
        make_run(make_system(slug=f"s{number}", name=f"System {number}"), made, letters(n_right))
    return made


def lines(client, status: int = 200, **query: str) -> dict[str, dict[str, str]]:
    response = client.get(f"{PAGE}scale.csv", query)
    assert response.status_code == status
    return {line["slug"]: line for line in csv.DictReader(io.StringIO(response.content.decode()))}


def test_systems_stand_with_their_ability_and_its_error(client, wide_set) -> None:
    values = np.array([[letter == "+" for letter in letters(n_right)] for n_right in RIGHTS], dtype=float)
    model = fit_item_response(values)
    found = lines(client)
    assert [float(found[f"s{number}"]["ability"]) for number in range(5)] == pytest.approx(model.ability, abs=1e-4)
    assert float(found["s1"]["ability_error"]) == pytest.approx(model.ability_error[1], abs=1e-4)
    assert float(found["s1"]["expected_share"]) == pytest.approx(model.expected_score[1], abs=1e-4)
    assert {line["makes_the_scale"] for line in found.values()} == {"yes"}
    html = " ".join(client.get(PAGE).content.decode().split())
    assert "comes from the 5 systems that answered every question" in html
    assert f"{model.expected_score[1] * 100:.1f}%" in html


def test_who_answered_a_part_is_placed_marked_and_plays_no_part_in_the_scale(client, wide_set) -> None:
    before = lines(client)
    make_run(make_system(slug="stopped"), wide_set, letters(24)[:32] + " " * 8, status="stopped")
    make_run(make_system(slug="hardly"), wide_set, "+" * 29 + " " * 11, status="stopped")
    make_run(make_system(slug="chance", kind="baseline"), wide_set, letters(4))
    make_run(make_system(slug="unseen", is_hidden=True), wide_set, letters(4))
    after = lines(client)
    assert {slug: after[slug] for slug in before} == before
    assert set(after) - set(before) == {"stopped", "chance"}
    assert (after["stopped"]["n_answered"], after["stopped"]["accuracy"], after["stopped"]["status"]) == (
        "32",
        "",
        "incomplete",
    )
    assert after["stopped"]["makes_the_scale"] == after["chance"]["makes_the_scale"] == "no"
    # Right on the 24 easy questions of 32: as able as the one that is right on those of 40.
    assert float(after["stopped"]["ability"]) == pytest.approx(float(after["s2"]["ability"]), abs=0.35)


def test_people_are_one_group_in_rounded_figures_and_change_nothing_else(client, wide_set) -> None:
    before, questions = lines(client), client.get(f"{QUESTIONS}questions.csv").content
    make_people(wide_set, [letters(16 + number) for number in range(6)])
    found = lines(client)
    people = found.pop("human-experts")
    assert found == before
    assert client.get(f"{QUESTIONS}questions.csv").content == questions
    assert people["n_people"] == "6"
    for name, digits in (("ability", 1), ("ability_error", 1), ("expected_share", 2), ("expected_low", 2)):
        assert float(people[name]) == round(float(people[name]), digits)
    assert float(before["s3"]["ability"]) - 0.2 < float(people["ability"]) < float(before["s2"]["ability"])
    assert float(people["expected_low"]) <= float(people["expected_share"]) <= float(people["expected_high"])
    assert float(people["expected_low"]) < float(people["expected_high"])


def test_people_asked_a_part_stand_beside_systems_that_answered_all(client, wide_set) -> None:
    whole = letters(18)
    make_people(
        wide_set,
        ["".join(letter if (place + turn) % 2 else "." for place, letter in enumerate(whole)) for turn in range(10)],
        questions_per_person=20,
    )
    people = lines(client)["human-experts-in-part"]
    assert (people["n_people"], people["n_answered"]) == ("10", "20.0")
    assert float(people["expected_share"]) == pytest.approx(18 / N, abs=0.04)


def test_too_few_people_are_in_nothing(client, wide_set) -> None:
    make_people(wide_set, [letters(20)] * 4)
    assert not [slug for slug in lines(client) if slug.startswith("human")]


def test_people_are_there_under_the_benchmarks_own_rule_only(client, wide_set) -> None:
    make_people(wide_set, [letters(20)] * 6)
    assert "human-experts" in lines(client)
    assert "human-experts" not in lines(client, rule="as-published")


def test_with_few_systems_there_is_no_scale_and_the_page_says_so(client, wide_set) -> None:
    System.objects.filter(slug="s0").update(is_hidden=True)
    assert lines(client) == {}
    assert "There is no scale yet: it takes 5 systems" in client.get(PAGE).content.decode()
    assert "On the scale" not in client.get(QUESTIONS).content.decode()


def test_on_a_set_that_is_not_open_it_is_for_staff_who_may_see_verdicts(client, wide_set) -> None:
    QuestionSet.objects.update(policy="closed")
    for url in (PAGE, f"{PAGE}scale.csv", f"{QUESTIONS}questions.csv"):
        assert client.get(url).status_code == 403
    said = " ".join(client.get(PAGE).content.decode().split())
    assert "<title> One scale ·" in said
    assert "The scale of " in said
    assert "<title> Questions ·" in " ".join(client.get("/leaderboard/wide/questions/").content.decode().split())
    assert 'href="/leaderboard/wide/scale/' not in client.get("/leaderboard/wide/").content.decode()
    user = User.objects.create_user("staff", password="x", is_staff=True)
    client.force_login(user)
    assert client.get(PAGE).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_questionrevision"))
    client.force_login(User.objects.get(pk=user.pk))
    response = client.get(PAGE)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert "Do not pass this page on" in response.content.decode()


def test_the_list_of_questions_says_where_each_stands(client, wide_set) -> None:
    text = client.get(f"{QUESTIONS}questions.csv").content.decode()
    found = list(csv.DictReader(io.StringIO(text)))
    assert len(found) == N
    levels = [float(line["difficulty"]) for line in found]
    assert levels == sorted(levels), "the systems are right on the first so many"
    assert all(float(line["difficulty_error"]) > 0 for line in found)
    assert {line["n_systems"] for line in found} == {"5"}
    html = " ".join(client.get(QUESTIONS).content.decode().split())
    assert 'data-of="On the scale">' in html
    single = client.get(f"{QUESTIONS}{found[0]['question']}/").content.decode()
    assert "<dt>On the scale</dt>" in single


def test_questions_that_no_system_has_right_can_be_listed(client, wide_set) -> None:
    text = client.get(f"{QUESTIONS}questions.csv", {"missed": "missed"}).content.decode()
    assert [line["number"] for line in csv.DictReader(io.StringIO(text))] == [str(n) for n in range(37, 41)]
    assert client.get(QUESTIONS, {"missed": "x"}).status_code == 400
    html = client.get(QUESTIONS, {"missed": "missed"}).content.decode()
    assert html.count('data-of="Right"') == 4


def test_it_is_fitted_once_for_each_state_of_the_results(client, wide_set, monkeypatch) -> None:
    calls = []
    real = scale_module.statistics.fit_item_response
    monkeypatch.setattr(scale_module.statistics, "fit_item_response", lambda given: calls.append(1) or real(given))
    for url in (PAGE, QUESTIONS, f"{PAGE}scale.csv", PAGE):
        client.get(url)
    assert len(calls) == 1
    first = lines(client)["s0"]["ability"]
    make_run(make_system(slug="late"), wide_set, letters(38))
    assert lines(client)["s0"]["ability"] != first
    assert len(calls) == 2
    results_changed(benchmark_id=wide_set.benchmark_id)
    lines(client)
    assert len(calls) == 3


def test_the_chart_shows_what_the_table_says_people_first(client, wide_set) -> None:
    make_people(wide_set, [letters(16 + number) for number in range(6)])
    make_run(make_system(slug="stopped", name="Stopped <b>"), wide_set, letters(24)[:32] + " " * 8, status="stopped")
    table, figure = lines(client), client.get(f"{PAGE}chart.json").json()
    people, models = figure["data"]
    assert figure["layout"]["yaxis"]["categoryarray"][-1] == people["y"][0] == table["human-experts"]["name"]
    assert people["x"] == [float(table["human-experts"]["ability"])]
    assert models["y"] == [*(f"System {number}" for number in range(5)), "Stopped &lt;b&gt;"]
    for slug, x, half, symbol in zip(
        [*(f"s{number}" for number in range(5)), "stopped"],
        models["x"],
        models["error_x"]["array"],
        models["marker"]["symbol"],
        strict=True,
    ):
        assert x == pytest.approx(float(table[slug]["ability"]), abs=1e-3)
        assert half == pytest.approx(1.96 * float(table[slug]["ability_error"]), abs=1e-3)
        assert symbol == ("circle-open" if slug == "stopped" else "circle")
    page = client.get(PAGE, {"rule": "standard"}).content.decode()
    assert 'data-figure="/leaderboard/wide/scale/chart.json?rule=standard"' in page
    assert page.index("</table>") < page.index("data-figure")
    assert f"min-height: {figure['layout']['height']}px" in page


def test_the_chart_is_for_who_may_read_the_page(client, wide_set) -> None:
    assert client.get(f"{PAGE}chart.json").status_code == 200
    QuestionSet.objects.update(policy="closed")
    assert client.get(f"{PAGE}chart.json").status_code == client.get(PAGE).status_code == 403


def test_the_api_says_what_the_table_does_and_nothing_of_sets_that_are_not_open(client, wide_set) -> None:
    make_people(wide_set, [letters(16 + number) for number in range(6)])
    table = lines(client)
    answer = client.get("/api/v1/leaderboard/wide/scale/")
    found = answer.json()
    assert (found["n_systems"], found["withheld"], found["rule"]) == (5, None, "standard@1")
    assert [each["slug"] for each in found["entrants"]] == list(table)
    for each in found["entrants"]:
        line = table[each["slug"]]
        assert (each["kind"], each["status"], each["makes_the_scale"]) == (
            line["kind"],
            line["status"],
            line["makes_the_scale"] == "yes",
        )
        for name in ("accuracy", "ability", "ability_error", "expected_share", "expected_low", "expected_high"):
            assert each[name] == pytest.approx(float(line[name]), abs=1e-4)
    same = {"If-None-Match": answer["ETag"]}
    assert client.get("/api/v1/leaderboard/wide/scale/", headers=same).status_code == 304
    QuestionSet.objects.update(policy="closed")
    closed = client.get("/api/v1/leaderboard/wide/scale/", headers=same)
    assert (closed.status_code, closed.json()["entrants"], closed.json()["n_systems"]) == (200, [], None)
    assert "not open" in closed.json()["withheld"]
