"""How far results depend on the questions: errors by source, small sets beside full ones, on page, file and API."""

import csv
import io

import numpy as np
import pytest
from django.contrib.auth.models import Permission, User

from corpus.models import QuestionSet, Source
from evaluations.models import System
from leaderboard.statistics import clustered_mean, set_agreement
from tests.corpus.factories import make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/full/robustness/"
API = "/api/v1/leaderboard/full/robustness/"
# Right on the questions of the small set (the first ten), and on the rest.
RIGHTS = {"best": (9, 24), "good": (6, 20), "fair": (7, 12), "poor": (2, 3)}
N_SMALL, N_REST = 10, 30


def answers(small: int, rest: int) -> str:
    return "+" * small + "-" * (N_SMALL - small) + "+" * rest + "-" * (N_REST - rest)


@pytest.fixture
def sets(db) -> dict[str, QuestionSet]:
    benchmark = make_benchmark(slug="bank", name="Bank")
    questions = make_questions(benchmark, [{}] * (N_SMALL + N_REST))
    made = {
        "small": make_set(benchmark, "small", questions[:N_SMALL], name="Small set"),
        "full": make_set(benchmark, "full", questions, name="Full set"),
    }
    for slug, rights in RIGHTS.items():
        make_run(make_system(slug=slug, name=f"The {slug}"), made["full"], answers(*rights))
    make_run(make_system(slug="chance", kind="baseline"), made["full"], answers(1, 1))
    make_people(made["full"], [answers(5, 15)] * 6)
    return made


def lines(client, name: str, **query: str) -> list[dict[str, str]]:
    response = client.get(f"{PAGE}{name}.csv", query)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def give_sources(question_set: QuestionSet, sizes: tuple[int, ...]) -> list[int]:
    """Let the first questions come from sources of these sizes; return the source of each question, 0 for none."""
    revisions = [member.question_revision for member in question_set.current_revision.members.order_by("position")]
    source_of = np.repeat(np.arange(1, len(sizes) + 1), sizes).tolist()
    for number in range(1, len(sizes) + 1):
        source = Source.objects.create(
            benchmark=question_set.benchmark, slug=f"source-{number}", name=f"Source {number}"
        )
        for revision, wanted in zip(revisions, source_of, strict=False):
            if wanted == number:
                revision.question.source = source
                revision.question.save()
    return [*source_of, *([0] * (len(revisions) - len(source_of)))]


def test_errors_take_questions_of_one_source_together(client, sets) -> None:
    QuestionSet.objects.update(policy="open")
    source_of = give_sources(sets["full"], (10, 8, 12))
    clusters = np.array([source or -place for place, source in enumerate(source_of)])
    values = np.array([letter == "+" for letter in answers(*RIGHTS["good"])], dtype=float)
    expected = clustered_mean(values, clusters)
    by_slug = {line["slug"]: line for line in lines(client, "sources")}
    assert list(by_slug) == ["best", "good", "fair", "poor", "chance"]
    found = by_slug["good"]
    assert float(found["standard_error_by_source"]) == pytest.approx(expected.standard_error, abs=1e-12)
    assert float(found["standard_error"]) == pytest.approx(expected.plain_standard_error, abs=1e-12)
    assert float(found["ci_low_by_source"]) == pytest.approx(expected.interval.low, abs=1e-12)
    assert found["n_sources"] == str(3 + 10)
    html = " ".join(client.get(PAGE).content.decode().split())
    assert "come from 3 sources, the largest with 12 of them; 10 have no known source" in html
    assert "With so few sources it is still too small" in html
    assert f"{expected.standard_error * 100:.1f} points" in html
    assert client.get(API).json()["by_source_withheld"] is None


def test_on_a_closed_set_nobody_learns_the_verdict_of_a_source_with_one_question(client, sets) -> None:
    """Two systems alike but for the lone question of a source: their errors would tell which has it right."""
    QuestionSet.objects.update(policy="closed")
    give_sources(sets["full"], (39, 1))
    make_run(make_system(slug="has-it"), sets["full"], "+" * 19 + "-" * 20 + "+")
    make_run(make_system(slug="has-it-not"), sets["full"], "+" * 20 + "-" * 20)
    response = client.get(f"{PAGE}sources.csv")
    assert (response.status_code, b"has-it" in response.content) == (403, False)
    found = client.get(API).json()
    assert (found["by_source"], found["n_sources"]) == ([], 2)
    assert "not open" in found["by_source_withheld"]
    assert len(found["sets"]) == 1, "sums of large sets are still told"
    html = " ".join(client.get(PAGE).content.decode().split())
    assert "would tell verdicts on single questions" in html
    assert "Errors by source" not in html
    assert "Small set (10) and Full set (40 questions)" in html


def test_on_a_closed_set_staff_who_may_see_keys_have_the_errors(client, sets) -> None:
    QuestionSet.objects.update(policy="closed")
    give_sources(sets["full"], (39, 1))
    user = User.objects.create_user("staff", is_staff=True)
    client.force_login(user)
    assert client.get(f"{PAGE}sources.csv").status_code == 403
    assert "Errors by source" not in client.get(PAGE).content.decode()
    user.user_permissions.set(Permission.objects.filter(codename="view_questionrevision"))
    assert len(lines(client, "sources")) == 5
    response = client.get(PAGE)
    assert "Errors by source" in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert client.get(API).json()["by_source"] == [], "the API is the same for everybody"


@pytest.mark.parametrize(("sizes", "right"), [((40,), (6, 20)), ((10, 30), (10, 30)), ((10, 30), (0, 0))])
def test_with_one_source_or_all_alike_there_is_no_interval(client, sets, sizes, right) -> None:
    QuestionSet.objects.update(policy="open")
    give_sources(sets["full"], sizes)
    make_run(make_system(slug="new"), sets["full"], answers(*right))
    (line,) = [line for line in lines(client, "sources") if line["slug"] == "new"]
    assert (line["ci_low_by_source"], line["ci_high_by_source"]) == ("", "")
    assert line["standard_error_by_source"] == ("" if len(sizes) == 1 else "0.0")
    (row,) = [row for row in client.get(API).json()["by_source"] if row["slug"] == "new"]
    assert row["ci_low_by_source"] is None
    assert "nan" not in client.get(PAGE).content.decode()


def test_without_sources_the_page_says_that_the_errors_of_the_board_hold(client, sets) -> None:
    QuestionSet.objects.update(policy="open")
    assert lines(client, "sources") == []
    assert "each stands for itself and the errors of the board hold" in " ".join(
        client.get(PAGE).content.decode().split()
    )


def test_a_small_set_stands_beside_the_full_one_and_beside_the_rest(client, sets) -> None:
    small = np.array([rights[0] / N_SMALL for rights in RIGHTS.values()])
    full = np.array([sum(rights) / (N_SMALL + N_REST) for rights in RIGHTS.values()])
    rest = np.array([rights[1] / N_REST for rights in RIGHTS.values()])
    whole, of_rest = lines(client, "sets")
    for line, other, expected in ((whole, full, "full"), (of_rest, rest, "rest")):
        agreed = set_agreement(small, other)
        assert (line["small_set"], line["full_set"], line["compared_with"]) == ("small", "full", expected)
        assert (line["n_small"], line["n_systems"]) == ("10", "4")
        assert float(line["spearman"]) == pytest.approx(agreed.spearman)
        assert float(line["kendall"]) == pytest.approx(agreed.kendall)
        assert float(line["mean_absolute_difference"]) == pytest.approx(agreed.mean_absolute_difference)
    assert (whole["n_compared"], of_rest["n_compared"]) == ("40", "30")
    assert float(whole["spearman"]) == pytest.approx(0.8), "good and fair change places"
    systems = {line["slug"]: line for line in lines(client, "systems")}
    assert list(systems) == ["best", "fair", "good", "poor"], "people and baselines are in no order"
    assert (systems["fair"]["small_rank"], systems["fair"]["full_rank"]) == ("2", "3")
    assert float(systems["fair"]["rest"]) == pytest.approx(12 / 30)


def test_it_is_said_on_the_page_of_either_set_and_in_the_api(client, sets) -> None:
    full = " ".join(client.get(PAGE).content.decode().split())
    assert "Small set (10) and Full set (40 questions)" in full
    assert 'data-of="Spearman">0.80<' in full
    assert "Small set (10) and Full set (40 questions)" in " ".join(
        client.get("/leaderboard/small/robustness/").content.decode().split()
    )
    (pair,) = client.get(API).json()["sets"]
    assert (pair["small"], pair["full"], pair["n_rest"]) == ("small", "full", 30)
    assert pair["whole"]["spearman"] == pytest.approx(0.8)
    assert [system["slug"] for system in pair["systems"]] == ["best", "fair", "good", "poor"]


def test_of_two_runs_nothing_is_said_of_the_rest(client, sets) -> None:
    for slug in RIGHTS:
        system = make_system(slug=f"{slug}-two", name=slug)
        make_run(system, sets["full"], answers(*RIGHTS[slug]))
        make_run(system, sets["small"], "+" * RIGHTS[slug][0] + "-" * (N_SMALL - RIGHTS[slug][0]))
    systems = {line["slug"]: line["rest"] for line in lines(client, "systems")}
    assert {slug for slug, rest in systems.items() if not rest} == {f"{slug}-two" for slug in RIGHTS}


def test_the_rest_is_never_so_small_that_it_tells_verdicts(client, sets) -> None:
    revisions = [member.question_revision for member in sets["full"].current_revision.members.order_by("position")]
    make_set(sets["full"].benchmark, "nearly", revisions[1:], name="Nearly all")
    QuestionSet.objects.update(policy="closed")
    pairs = {(line["small_set"], line["compared_with"]) for line in lines(client, "sets")}
    assert pairs == {("small", "full"), ("small", "rest"), ("nearly", "full")}


def test_with_few_systems_two_sets_are_not_compared(client, sets) -> None:
    System.objects.filter(slug__in=["best", "good"]).update(is_hidden=True)
    assert lines(client, "sets") == lines(client, "systems") == []
    assert "Three systems or more" in client.get(PAGE).content.decode()


def test_a_new_result_shows_at_once(client, sets) -> None:
    tag = client.get(API)["ETag"]
    make_run(make_system(slug="new"), sets["full"], answers(10, 30))
    response = client.get(API, headers={"If-None-Match": tag})
    assert response.status_code == 200
    assert response.json()["sets"][0]["whole"]["n_systems"] == 5


def test_an_unknown_rule_is_refused(client, sets) -> None:
    QuestionSet.objects.update(policy="open")
    for url in (PAGE, f"{PAGE}sources.csv", f"{PAGE}sets.csv", f"{PAGE}systems.csv", API):
        assert client.get(url, {"rule": "nonsense"}).status_code == 400
    assert client.get("/leaderboard/none/robustness/").status_code == 404
