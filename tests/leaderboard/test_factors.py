"""What goes with a score: facts and means with their n, the front of prices, base models, fallback, temperature."""

import csv
import io
import re
from datetime import date
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import QuestionSet
from corpus.services.results import action_log
from evaluations.models import Item, ItemReading, Run, System
from evaluations.selectors.fallback_accuracy import MEASURED, reader_digest
from leaderboard import factors
from leaderboard.statistics import mcnemar_p_value
from leaderboard.templatetags.leaderboard_numbers import figures, large
from tests.corpus.factories import make_benchmark, make_question, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

PAGE = "/leaderboard/wide/factors/"
CHART = f"{PAGE}chart.json"


@pytest.fixture
def wide(db) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    return make_set(benchmark, "wide", make_questions(benchmark, [{}] * 20), name="Wide set")


def made(wide: QuestionSet, slug: str, right: int, *, took: dict | None = None, currency: str = "USD", **fields) -> Run:
    """Save a system with so many right answers, each of which took this."""
    run = make_run(make_system(slug=slug, name=slug.title(), **fields), wide, "+" * right + "-" * (20 - right))
    run.frozen = {"prices": {"currency": currency}}
    run.save(update_fields=["frozen"])
    Item.objects.filter(run=run).update(**(took or {}))
    return run


def price(text: str) -> dict:
    return {"cost": Decimal(text)}


def page(client, status: int = 200, **query: str) -> str:
    response = client.get(PAGE, query)
    assert response.status_code == status, response.content
    return " ".join(response.content.decode().split())


def records(client, name: str = "factors", **query: str) -> list[dict[str, str]]:
    response = client.get(f"{PAGE}{name}.csv", query)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def by_slug(client, **query: str) -> dict[str, dict[str, str]]:
    return {line["slug"]: line for line in records(client, **query)}


def cells(html: str, heading: str, name: str) -> list[str]:
    """Return the cells of the line of a name in the section of a heading, as text."""
    section = html.split(f'id="{heading}"')[1].split("</tbody>")[0].split("<tbody")[1]
    (line,) = [line for line in section.split("</tr>")[:-1] if text(line.split("</th>")[0]).split()[-1] == name]
    return [text(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).replace('role="rowgroup">', "").split())


def test_facts_and_means_stand_beside_the_score(client, wide) -> None:
    took = {"cost": Decimal("0.00123"), "tokens_in": 210, "tokens_out": 12, "latency_ms": 1500}
    made(wide, "known", 15, took=took, parameter_count=8_030_000_000, released_on=date(2024, 7, 23))
    found = cells(page(client), "systems-heading", "Known")
    assert found[0].startswith("75.0%")
    assert found[1:] == ["8.03 billion", "2024-07-23", "0.00123 USD best for the price", "210", "12", "1.5"]
    line = by_slug(client)["known"]
    assert (line["accuracy"], line["n_questions"], line["n_answers"]) == ("0.75", "20", "20")
    assert (line["price_per_question"], line["currency"], line["n_price"]) == ("0.00123", "USD", "20")


def test_what_is_not_known_is_unknown_and_never_zero(client, wide) -> None:
    made(wide, "unknown", 15)
    made(wide, "free", 14, took={**price("0"), "latency_ms": 0})
    html = page(client)
    assert cells(html, "systems-heading", "Unknown")[1:] == ["unknown"] * 6
    assert cells(html, "systems-heading", "Free")[3] == "0 USD best for the price"
    line = by_slug(client)["unknown"]
    assert {
        line[name] for name in ("parameter_count", "released_on", "price_per_question", "currency", "on_front")
    } == {""}
    assert by_slug(client)["free"]["price_per_question"] == "0.0"


def test_a_mean_of_some_answers_says_of_how_many_and_is_not_drawn(client, wide) -> None:
    run = made(wide, "some", 15, took=price("0.02"))
    Item.objects.filter(run=run, position__lt=5).update(cost=None)
    made(wide, "all", 10, took=price("0.03"))
    html = page(client, x="price")
    assert cells(html, "systems-heading", "Some")[3] == "0.02 USD known of 15 of 20"
    assert cells(html, "systems-heading", "All")[3] == "0.03 USD best for the price"
    assert "1 of 2 systems" in html
    (trace, _) = client.get(CHART, {"x": "price"}).json()["data"]
    assert trace["text"] == ["All"]


def test_means_are_told_to_three_figures(client, wide) -> None:
    run = made(wide, "long", 15, took={"tokens_out": 1000})
    Item.objects.filter(run=run, position=0).update(tokens_out=1047)
    assert by_slug(client)["long"]["tokens_out_per_question"] == "1000.0"


def test_the_front_is_whoever_nobody_beats_for_the_price(client, wide) -> None:
    for slug, right, cost in (("dear", 18, "0.09"), ("worse", 16, "0.1"), ("cheap", 9, "0.01"), ("twin", 9, "0.01")):
        made(wide, slug, right, took=price(cost))
    made(wide, "middle", 12, took=price("0.05"))
    made(wide, "dominated", 12, took=price("0.06"))
    made(wide, "other", 5, took=price("0.2"), currency="EUR")
    found = {slug: line["on_front"] for slug, line in by_slug(client).items()}
    assert found == {
        "dear": "true",
        "worse": "false",
        "cheap": "true",
        "twin": "true",
        "middle": "true",
        "dominated": "false",
        "other": "true",
    }


def test_the_chart_shows_what_is_known_in_one_currency(client, wide) -> None:
    made(wide, "a", 18, took=price("0.09"), parameter_count=10**10)
    made(wide, "b", 12, took=price("0.01"))
    made(wide, "c", 9, took=price("0.01"), currency="EUR", kind="agent", released_on=date(2024, 1, 2))
    make_people(wide, ["+" * 10 + "-" * 10] * 5)
    chart = client.get(CHART, {"x": "price"}).json()
    dots, front, people = chart["data"]
    assert (dots["text"], dots["x"], dots["y"]) == (["A", "B"], [0.09, 0.01], [90, 60])
    assert (front["x"], front["y"]) == ([0.01, 0.09], [60, 90])
    assert chart["layout"]["xaxis"]["type"] == "log"
    assert chart["layout"]["xaxis"]["title"]["text"] == "USD per question"
    assert (people["name"], chart["layout"]["shapes"][0]["y0"]) == ("Human mean 50.0%", 50)
    assert "not in USD" in page(client, x="price")
    assert client.get(CHART, {"x": "size"}).json()["data"][0]["x"] == [10**10]
    released = client.get(CHART).json()
    assert (released["data"][0]["x"], released["layout"]["xaxis"]["type"]) == (["2024-01-02"], "date")
    made(wide, "free", 3, took=price("0"))
    assert client.get(CHART, {"x": "price"}).json()["layout"]["xaxis"]["type"] == "linear"


def test_the_x_of_the_address_is_chosen_and_drawn(client, wide) -> None:
    made(wide, "a", 18, took={"tokens_out": 100})
    html = page(client, x="tokens")
    assert '<option value="tokens" selected>' in html
    assert "Right answers against tokens written per question" in html
    assert "Of no system here is it known" in page(client, x="size")
    assert "released, size, price, tokens, seconds" in page(client, status=400, x="nonsense")


def test_incomplete_and_hidden_results_are_left_out(client, wide) -> None:
    made(wide, "shown", 10)
    make_run(make_system(slug="stopped", name="Stopped"), wide, "+" * 10 + " " * 10)
    made(wide, "secret", 10, is_hidden=True)
    html = page(client)
    assert "1 result without an accuracy is left out" in html
    assert "Stopped" not in html
    assert "Secret" not in html
    assert set(by_slug(client)) == {"shown"}


def test_an_agent_stands_beside_the_base_model_of_its_facts(client, wide) -> None:
    QuestionSet.objects.update(policy="open")
    make_run(make_system(slug="base", name="Base"), wide, "+" * 6 + "-" * 14)
    facts = {"base_model": "base"}
    make_run(make_system(slug="agent", name="Agent", kind="agent", facts=facts), wide, "+" * 18 + "-" * 2)
    found = cells(page(client), "base-heading", "Agent")
    assert (found[1], found[3].split()[0], found[4]) == ("Base", "+60.0", "yes Compare Agent and Base")
    assert mcnemar_p_value(12, 0) < 0.05
    assert by_slug(client)["agent"]["base_model"] == "base"
    System.objects.update(facts={"base_model": "agent"})
    html = page(client)
    found = cells(html, "base-heading", "Base")
    assert (found[1], found[3].split()[0]) == ("Agent", "−60.0")
    assert html.split('id="base-heading"')[1].split("</table>")[0].count('role="rowheader"') == 1


@pytest.mark.parametrize("facts", [{"base_model": "gone"}, {"base_model": 7}, {"base_model": "secret"}])
def test_a_base_model_that_is_not_on_the_board_is_not_named(client, wide, facts) -> None:
    made(wide, "secret", 10, is_hidden=True)
    made(wide, "agent", 10, facts=facts)
    found = cells(page(client), "base-heading", "Agent")
    assert found[1:] == ["has no accuracy on this board", *["– not given"] * 3]
    assert "secret" not in page(client)
    assert "secret" not in client.get("/systems/agent/").content.decode()


def test_the_page_of_a_system_names_what_it_is_built_on(client, wide) -> None:
    make_system(slug="base", name="The base")
    make_system(slug="agent", facts={"base_model": "base"})
    html = " ".join(client.get("/systems/agent/").content.decode().split())
    assert '<dt>Built on</dt> <dd> <a href="/systems/base/">The base</a>' in html


def test_strict_stands_beside_with_fallback(client, wide) -> None:
    run = made(wide, "helped", 15)
    run.frozen = {"fallback": {"reader": "fallback@1:other"}}
    run.save(update_fields=["frozen"])
    for item in Item.objects.filter(run=run).order_by("pk")[:3]:
        ItemReading.objects.create(answer=item, reader="standard@1", status="unparsed")
        ItemReading.objects.create(answer=item, reader="fallback@1:other", status="read")
    made(wide, "plain", 10)
    html = page(client)
    found = cells(html, "strict-heading", "Helped")
    assert [cell.split()[0] for cell in found[:3]] == ["60.0%", "75.0%", "3"]
    assert found[3] == "Not tried against labelled cases yet"
    detail = {"n_labelled": 33, "n_rightly": 30, "n_falsely": 1, "n_made_up": 0, "n_rightly_unread": 0, "n_missed": 2}
    action_log(code=MEASURED, target=run.system, detail={**detail, "digest": reader_digest(run.frozen["fallback"])})
    measured = cells(page(client), "strict-heading", "Helped")[3]
    assert measured == "Right on 30 of 33 labelled cases, 1 misread, 2 missed, none made up"
    assert cells(page(client, fallback="off"), "strict-heading", "Helped") == [*found[:3], measured]
    assert "Plain" not in html.split('id="strict-heading"')[1]
    line = by_slug(client)["helped"]
    assert (line["accuracy_without_fallback"], line["n_by_fallback"]) == ("0.6", "3")
    assert by_slug(client)["plain"]["accuracy_without_fallback"] == ""


def asked(system: System, wide: QuestionSet, outcomes, **fields) -> Run:
    run = make_run(system, wide, outcomes)
    Run.objects.filter(pk=run.pk).update(**fields)
    return run


def test_runs_of_one_system_stand_beside_each_other_by_temperature(client, wide) -> None:
    system = make_system(slug="warm", name="Warm")
    asked(system, wide, "+" * 12 + "-" * 8, parameters={"temperature": 1})
    asked(system, wide, ["+" * 14 + "-" * 6, "+" * 10 + "-" * 10], parameters={"temperature": 0})
    asked(system, wide, "+" * 3 + "-" * 17, parameters={"temperature": 0.5}, prompt_style="another@1")
    found = [(line["temperature"], line["repeats"], line["accuracy"]) for line in records(client, "runs")]
    assert found == [("0.0", "2", "0.6"), ("1.0", "1", "0.6")]
    first = records(client, "runs")[0]
    assert (float(first["repeat_low"]), float(first["repeat_high"])) == (0.5, 0.7)
    section = page(client).split('id="temperature-heading"')[1]
    assert "50.0% to 70.0%" in section
    assert "another@1" not in section


def test_a_set_too_small_to_be_shown_shows_no_other_runs(client, db) -> None:
    benchmark = make_benchmark(slug="wide")
    tiny = make_set(benchmark, "wide", [make_question(benchmark)])
    system = make_system(slug="warm")
    for temperature in (0, 1):
        asked(system, tiny, "+", parameters={"temperature": temperature})
    assert "warm" not in page(client)
    assert records(client, "runs") == records(client) == []
    QuestionSet.objects.update(policy="open")
    assert len(records(client, "runs")) == 2


def test_what_is_worked_out_is_kept_until_the_results_change(client, wide, monkeypatch) -> None:
    made(wide, "a", 10, took={"tokens_out": 10})
    calls = []
    real = factors.usage_by_run
    monkeypatch.setattr(factors, "usage_by_run", lambda **options: calls.append(1) or real(**options))
    tag = client.get(PAGE)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        assert client.get(PAGE, headers={"If-None-Match": tag}).status_code == 304
    assert calls == [1]
    assert len(queries) <= 9
    System.objects.update(parameter_count=5_000_000)
    assert cells(page(client), "systems-heading", "A")[1] == "5 million"
    made(wide, "b", 12, took={"tokens_out": 20})
    assert cells(page(client), "systems-heading", "B")[5] == "20"
    assert calls == [1, 1]


def test_people_are_on_the_page_by_the_mean_of_the_board_only(client, wide) -> None:
    make_people(wide, ["+" * 10 + "-" * 10] * 5)
    assert "No system has an accuracy" in page(client)
    assert records(client) == []
    assert client.get(CHART).json()["data"] == []


def test_the_board_leads_here(client, wide) -> None:
    made(wide, "a", 10)
    assert f'href="{PAGE}' in client.get("/leaderboard/wide/").content.decode()
    assert client.get("/leaderboard/none/factors/").status_code == 404


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (None, ""),
        (260_000, "260,000"),
        (999_600, "1 million"),
        (7_000_000_000, "7 billion"),
        (8_030_261_248, "8.03 billion"),
        (999_700_000_000, "1 trillion"),
        (1_760_000_000_000, "1.76 trillion"),
    ],
)
def test_large_counts_are_written_in_words(count, words) -> None:
    assert large(count) == words


@pytest.mark.parametrize(
    ("value", "written"), [(None, ""), (0.0, "0"), (1230.0, "1,230"), (1.23e-06, "0.00000123"), (12.0, "12")]
)
def test_figures_have_no_exponent(value, written) -> None:
    assert figures(value) == written
