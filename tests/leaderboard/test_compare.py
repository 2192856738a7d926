"""Two to five entrants side by side: differences, what a bad address is told, and who sees single verdicts."""

import csv
import io
import re

import numpy as np
import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import Option, Question, QuestionSet
from leaderboard import compare as comparing
from leaderboard.boards import Estimate, Row, Topic
from leaderboard.comparison import Compared, pairs_of
from leaderboard.matrix import OUTCOMES
from leaderboard.statistics import mcnemar_p_value
from tests.corpus.factories import label_question, label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/wide/compare/"
CSV = f"{PAGE}differences.csv"
QUESTIONS = f"{PAGE}questions/"
BEST, NEAR, LOW = "+" * 30 + "-" * 10, "+" * 20 + "-" * 8 + "+" * 8 + "-" * 4, "-" * 30 + "+" * 10


@pytest.fixture
def results(db) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    questions = make_questions(benchmark, [{"key": f"folder-file-{number}"} for number in range(40)])
    label_questions(questions, ["Organic Chemistry"] * 24 + ["Physical Chemistry"] * 11 + ["Rare"] * 5)
    wide = make_set(benchmark, "wide", questions, name="Wide set")
    make_run(make_system(slug="best", name="Best"), wide, BEST)
    make_run(make_system(slug="near", name="Near"), wide, NEAR)
    make_run(make_system(slug="low", name="Low"), wide, LOW)
    make_run(make_system(slug="stopped", name="Stopped"), wide, "+" * 20 + " " * 20)
    make_people(wide, ["+" * (15 + number) + "-" * (25 - number) for number in range(6)])
    return wide


def opened() -> None:
    QuestionSet.objects.update(policy="open")


def page(client, *entrants: str, status: int = 200, **query: str) -> str:
    response = client.get(PAGE, {"entrant": entrants, **query})
    assert response.status_code == status, response.content
    return " ".join(response.content.decode().split())


def lines(client, *entrants: str) -> dict[tuple[str, str, str], dict[str, str]]:
    response = client.get(CSV, {"entrant": entrants})
    assert response.status_code == 200, response.content
    found = csv.DictReader(io.StringIO(response.content.decode()))
    return {(line["first"], line["second"], line["topic"]): line for line in found}


def test_differences_are_those_of_common_questions(client, results) -> None:
    opened()
    line = lines(client, "near", "best")["best", "near", ""]
    # Best alone is right on 10 questions (20 to 29 less two), Near alone on 6.
    better = sum(a == "+" != b for a, b in zip(BEST, NEAR, strict=True))
    worse = sum(b == "+" != a for a, b in zip(BEST, NEAR, strict=True))
    assert (line["first_better"], line["second_better"]) == (str(better), str(worse))
    assert float(line["difference"]) == pytest.approx((better - worse) / 40)
    assert float(line["p_holm"]) == pytest.approx(mcnemar_p_value(better, worse))
    assert float(line["ci_low"]) < float(line["difference"]) < float(line["ci_high"])
    assert line["compared"] == "by question"


def test_holm_corrects_for_all_pairs_on_the_page(client, results) -> None:
    opened()
    alone = float(lines(client, "best", "low")["best", "low", ""]["p_holm"])
    among = float(lines(client, "best", "low", "near")["best", "low", ""]["p_holm"])
    assert alone < among <= 3 * alone + 1e-12
    assert {key[:2] for key in lines(client, "low", "near", "best")} == {
        ("best", "near"),
        ("best", "low"),
        ("near", "low"),
    }


def test_topics_have_their_own_differences_with_n(client, results) -> None:
    found = lines(client, "best", "low")
    assert found["best", "low", "Organic Chemistry"]["n_questions"] == "24"
    assert float(found["best", "low", "Organic Chemistry"]["difference"]) == 1.0
    assert float(found["best", "low", "Physical Chemistry"]["difference"]) == pytest.approx(6 / 11 - 5 / 11)
    html = page(client, "best", "low")
    assert re.search(r'class="small-n"> <th[^>]*>Rare</th> <td[^>]*>5</td>', html)


def test_people_stand_beside_systems_as_their_mean_and_without_a_test(client, results) -> None:
    line = lines(client, "best", "human-experts")["best", "human-experts", ""]
    assert (line["ci_low"], line["p_holm"], line["first_better"], line["compared"]) == ("", "", "", "by interval")
    assert float(line["second_accuracy"]) == pytest.approx(17.5 / 40)
    html = page(client, "best", "human-experts")
    assert "Human experts (mean of 6)" in html
    assert "where the systems disagree" not in html.lower()


def test_on_a_closed_set_no_counts_are_told_and_the_test_is_of_a_coarse_pair(client, results) -> None:
    closed = lines(client, "best", "near")["best", "near", ""]
    assert (closed["first_better"], closed["second_better"]) == ("", "")
    assert "better on" not in page(client, "best", "near")
    assert "a verdict on a single question could be worked out" in page(client, "best", "near")
    opened()
    exact = lines(client, "best", "near")["best", "near", ""]
    assert exact["difference"] == closed["difference"]
    assert float(exact["p_holm"]) < float(closed["p_holm"])
    assert "better on" in page(client, "best", "near")


def test_whoever_knows_a_result_by_heart_learns_no_verdict_of_another_on_a_closed_set(client, results) -> None:
    # Two states of a set that differ in one verdict of `other` only, compensated elsewhere: the same page.
    make_run(make_system(slug="known"), results, "+" + "-" * 39)
    told = []
    for number, letters in enumerate(("+" * 15 + "-" * 25, "-" + "+" * 15 + "-" * 24)):
        make_run(make_system(slug=f"other-{number}"), results, letters)
        line = lines(client, "known", f"other-{number}")[f"other-{number}", "known", ""]
        told.append([line[name] for name in ("difference", "ci_low", "ci_high", "p_holm")])
    assert told[0] == told[1]
    opened()
    exact = [
        lines(client, "known", f"other-{number}")[f"other-{number}", "known", ""]["second_better"] for number in (0, 1)
    ]
    assert exact == ["0", "1"]


def test_what_was_sent_in_has_no_test_on_a_closed_set(client, results) -> None:
    make_run(make_system(slug="sent"), results, LOW, origin="submitted")
    assert lines(client, "best", "sent")["best", "sent", ""]["compared"] == "by interval"
    opened()
    assert lines(client, "best", "sent")["best", "sent", ""]["compared"] == "by question"


@pytest.mark.parametrize(
    ("entrants", "message", "status"),
    [
        ((), "Choose 2 to 5 to compare", 200),
        (("best",), "Choose one more to compare with", 200),
        (("best", "nobody"), "There is nobody called “nobody”", 400),
        (("best", "<script>"), "There is nobody called “&lt;script&gt;”", 400),
        (("best", "best"), "“Best” is chosen twice", 400),
        (("best", "stopped"), "“Stopped” has no accuracy on this set (incomplete)", 400),
        (("best", "near", "low", "human-experts", "s1", "s2"), "6 are chosen. Choose 5 at most", 400),
    ],
)
def test_a_bad_choice_is_told_what_to_do_and_keeps_the_good_ones(client, results, entrants, message, status) -> None:
    for slug in ("s1", "s2"):
        make_run(make_system(slug=slug), results, LOW)
    html = page(client, *entrants, status=status)
    assert message in html
    assert html.count("<select") == 6
    assert 'class="pairs"' not in html
    if entrants:
        assert '<option value="best" selected>' in html
    for other in (CSV, f"{PAGE}chart.json"):
        response = client.get(other, {"entrant": entrants})
        assert response.status_code == 400
        assert message in response.content.decode()


def test_lists_left_empty_name_nobody_and_an_unknown_rule_is_refused(client, results) -> None:
    assert "Told apart" in page(client, "best", "", "low", "", "")
    assert "standard@1, as-published@1" in page(client, "best", "low", status=400, rule="nonsense")
    assert client.get("/leaderboard/none/compare/").status_code == 404
    assert client.post(PAGE).status_code == 405


def test_hidden_systems_cannot_be_compared(client, results) -> None:
    make_run(make_system(slug="secret", name="Secret", is_hidden=True), results, BEST)
    assert "nobody called “secret”" in page(client, "best", "secret", status=400)
    assert "Secret" not in page(client)


def test_a_comparison_is_worked_out_once(client, results, monkeypatch) -> None:
    calls = []
    real = comparing.pairs_of
    monkeypatch.setattr(comparing, "pairs_of", lambda *args, **options: calls.append(1) or real(*args, **options))
    for url in (PAGE, CSV, f"{PAGE}chart.json", PAGE):
        client.get(url, {"entrant": ["best", "near"]})
    assert calls == [1]
    with CaptureQueriesContext(connection) as queries:
        client.get(PAGE, {"entrant": ["best", "near"]})
    assert len(queries) <= 6
    make_run(make_system(slug="late"), results, BEST)
    page(client, "best", "near")
    assert calls == [1, 1]


def test_the_chart_shows_the_differences_to_the_first_chosen(client, results) -> None:
    figure = client.get(f"{PAGE}chart.json", {"entrant": ["low", "best", "human-experts"]}).json()
    traces = {trace["name"]: trace for trace in figure["data"]}
    assert list(traces) == ["Best", "Human experts (mean of 6)"]
    assert traces["Best"]["y"][0] == "All questions"
    assert traces["Best"]["x"][0] == pytest.approx(50.0)
    assert min(traces["Best"]["error_x"]["array"]) >= 0
    assert set(traces["Human experts (mean of 6)"]["error_x"]["array"]) == {0}
    assert figure["layout"]["yaxis"]["categoryarray"][-1] == "All questions"
    assert "data-figure" in page(client, "low", "best")


def staff_with(permission: str = "") -> User:
    user = User.objects.create_user("reader", password="a-long-password", is_staff=True)
    if permission:
        user.user_permissions.add(Permission.objects.get(codename=permission))
    return user


def test_single_verdicts_of_a_closed_set_are_for_staff_who_may_see_keys(client, results) -> None:
    address = f"{QUESTIONS}?entrant=best&entrant=near"
    response = client.get(address)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
    assert "no-store" in response["Cache-Control"]
    client.force_login(staff_with())
    refused = client.get(address)
    assert refused.status_code == 403
    assert "folder-file" not in refused.content.decode()
    assert "corpus.view_questionrevision" in refused.content.decode()
    User.objects.get().user_permissions.add(Permission.objects.get(codename="view_questionrevision"))
    allowed = client.get(address)
    assert "folder-file-20" in allowed.content.decode()
    assert "no-store" in allowed["Cache-Control"]


def test_of_an_open_set_everybody_sees_where_systems_disagree_but_no_key_and_no_person(client, results) -> None:
    opened()
    response = client.get(QUESTIONS, {"entrant": ["best", "near", "human-experts"]})
    html = response.content.decode()
    differ = [number for number in range(40) if BEST[number] != NEAR[number]]
    assert re.findall(r">folder-file-(\d+)<", html) == [str(number) for number in differ]
    assert "Human experts" not in html.split("<table")[1]
    assert "People are left out" in html
    assert not [text for text in Option.objects.values_list("text", flat=True) if text in html]
    assert 'content="noindex"' in html


def test_where_nobody_disagrees_the_page_says_so(client, results) -> None:
    opened()
    make_run(make_system(slug="same"), results, BEST)
    assert (
        "no question on which these systems differ"
        in client.get(QUESTIONS, {"entrant": ["best", "same"]}).content.decode()
    )


def test_no_question_is_named_on_the_public_pages(client, results) -> None:
    keys = [f">{key}<" for key in Question.objects.values_list("key", flat=True)]
    for url in (PAGE, CSV, f"{PAGE}chart.json"):
        text = client.get(url, {"entrant": ["best", "near"]}).content.decode()
        assert not [key for key in keys if key in text or key[1:-1] in text]


def test_names_are_text_and_safe_in_spreadsheets(client, results) -> None:
    make_run(make_system(slug="odd", name='=1<img src=x onerror="alert(1)">'), results, LOW)
    assert "<img" not in page(client, "best", "odd")
    figure = client.get(f"{PAGE}chart.json", {"entrant": ["best", "odd"]})
    assert "<img" not in str(figure.json())
    label_question(Question.objects.first(), name="=Formula")
    for question in Question.objects.all()[:12]:
        label_question(question, name="=Formula")
    make_run(make_system(slug="late"), results, LOW)
    assert ("best", "low", "'=Formula") in lines(client, "best", "low")


def test_board_and_system_pages_lead_here(client, results) -> None:
    assert f'href="{PAGE}' in client.get("/leaderboard/wide/").content.decode()
    assert f'href="{PAGE}?entrant=best"' in client.get("/systems/best/").content.decode()
    assert "entrant=" not in client.get("/systems/stopped/").content.decode()


def test_repeats_are_compared_by_the_means_of_questions() -> None:
    right, wrong = OUTCOMES.index("right"), OUTCOMES.index("wrong")
    codes = np.full((3, 20), wrong, dtype=np.int8)
    codes[0, :15], codes[1:, :12] = right, right
    once = np.full((1, 20), wrong, dtype=np.int8)
    once[0, :4] = right

    def row(slug: str, repeats: int, share: float) -> Row:
        estimate = Estimate(20, 20, {}, accuracy=share)
        return Row(slug, slug, "", "model", False, False, False, repeats, estimate, {"t": estimate})

    compared = [Compared(row("a", 3, 0.65), codes), Compared(row("b", 1, 0.2), once)]
    (pair,) = pairs_of(compared, [Topic("t", "T", np.arange(20))], is_open=True)
    assert (pair.whole.better, pair.whole.worse) == (11, 0)
    assert pair.is_apart
    assert pair.topics["t"].difference == pytest.approx(0.45)
    (coarse,) = pairs_of(compared, [], is_open=False)
    assert coarse.whole.p >= pair.whole.p
    assert coarse.topics == {}
