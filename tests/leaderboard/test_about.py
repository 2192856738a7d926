"""The page about the site: what is set is said, what is not set is said to be missing."""

import pytest

from leaderboard.about_views import contact_address, web_address
from leaderboard.papers import PAPERS
from leaderboard.services.snapshots import snapshot_publish
from tests.corpus.factories import make_benchmark
from tests.leaderboard.factories import make_run, make_system

pytestmark = pytest.mark.one_database

PAGE = "/about/"


def get(client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.django_db
def test_what_is_set_is_said(client, settings) -> None:
    settings.SITE_OPERATOR = "The <Chemistry> group"
    settings.SITE_CONTACT = "help@chemistry.example"
    settings.RESULTS_LICENCE = "CC BY 4.0"
    settings.RESULTS_LICENCE_URL = "https://licence.example/by"
    make_benchmark(slug="one", name="One bench", version="2", licence="MIT", citation="Somebody 2024", canary="GUID 99")
    html = get(client)
    assert "run by The &lt;Chemistry&gt; group" in html
    assert '<a href="mailto:help@chemistry.example">' in html
    assert '<a href="https://licence.example/by" rel="license">CC BY 4.0</a>' in html
    assert "One bench 2" in html
    assert "Somebody 2024" in html
    assert "<code>GUID 99</code>" in html


@pytest.mark.django_db
def test_what_is_not_set_is_said_to_be_missing(client, settings) -> None:
    settings.SITE_OPERATOR = settings.SITE_CONTACT = settings.RESULTS_LICENCE = ""
    make_benchmark(slug="one", name="One bench")
    html = get(client)
    assert "have not said under which licence" in html
    assert "have not said how to reach them" in html
    assert "Licence not said." in html
    assert "None is published yet." in html


@pytest.mark.django_db
def test_it_names_the_papers_and_the_newest_snapshot_of_each_set(client, small_set) -> None:
    make_run(make_system(slug="one"), small_set, "+++-------")
    snapshot_publish(question_set=small_set, rule="", note="")
    make_run(make_system(slug="two"), small_set, "++++------")
    small_set.benchmark.refresh_from_db()
    snapshot_publish(question_set=small_set, rule="", note="")
    html = get(client)
    for paper in PAPERS:
        assert paper.title in html
        assert f'href="{paper.address}"' in html
    assert '/snapshots/2/#cite">Snapshot 2</a>' in html
    assert "Snapshot 1</a>" not in html


@pytest.mark.django_db
def test_every_page_links_to_it(client) -> None:
    assert f'href="{PAGE}"' in client.get("/").content.decode().partition("<footer")[2]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("a@b.example", "mailto:a@b.example"),
        ("https://b.example/contact", "https://b.example/contact"),
        ("javascript:alert(1)", ""),
        ("javascript:alert('a@b')//x", ""),
        ("the office, room 3", ""),
        ("", ""),
    ],
)
def test_a_contact_leads_only_to_mail_or_the_web(text, address) -> None:
    assert contact_address(text) == address


def test_a_licence_leads_only_to_the_web() -> None:
    assert web_address("javascript:alert(1)") == ""
    assert web_address("https://licence.example/") == "https://licence.example/"


@pytest.mark.django_db
def test_a_board_links_to_its_newest_snapshot_under_its_rule_and_to_how_to_cite(client, small_set) -> None:
    make_run(make_system(slug="one"), small_set, "+++-------", origin="imported", published="+++-------")

    def board(**query: str) -> str:
        return client.get("/leaderboard/small/", query).content.decode()

    assert "/about/#cite" in board()
    assert "/snapshots/1/" not in board()
    snapshot_publish(question_set=small_set, rule="", note="")
    assert "/snapshots/1/#cite" in board()
    assert "/snapshots/1/#cite" not in board(rule="as-published")
