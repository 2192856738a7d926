"""Pages that are sent again as they were, and never once anything they say has changed."""

import gzip

import pytest
from django.core.cache import cache, caches
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from corpus.models import Benchmark, QuestionSet
from leaderboard import libraries, views
from leaderboard.api import code_version
from leaderboard.libraries import figure_libraries
from leaderboard.models import BoardStatistics, KeptPage
from leaderboard.queries import load_board, whole_query
from leaderboard.selectors import page_stamp
from leaderboard.selectors.boards import public_sets
from leaderboard.services import kept_pages
from leaderboard.services.snapshots import snapshot_publish
from tests.leaderboard.factories import edit_system, make_people, make_run, make_system

BOARD = "/leaderboard/small/"
TOPICS = "/leaderboard/small/topics/"
GZIP = {"Accept-Encoding": "br, gzip"}


@pytest.fixture
def results(small_set):
    make_run(make_system(slug="best", name="Best model"), small_set, "++++++++--")
    make_run(make_system(slug="other", name="Other model"), small_set, "++++------")
    return small_set


@pytest.fixture
def made(monkeypatch):
    """The boards that were made for pages, by the set's slug."""
    slugs = []
    real = views.board_of
    monkeypatch.setattr(
        views, "board_of", lambda request, slug, **more: slugs.append(slug) or real(request, slug, **more)
    )
    return slugs


def text(response):
    assert response.status_code == 200
    content = response.content
    return (gzip.decompress(content) if response.headers.get("Content-Encoding") == "gzip" else content).decode()


def new_process():
    """Forget what a process keeps; what is in the database stays."""
    cache.clear()
    caches["pages"].clear()


@pytest.mark.parametrize("address", [BOARD, TOPICS, f"{BOARD}?kind=model&sort=name"])
@pytest.mark.parametrize("headers", [{}, GZIP])
def test_a_page_is_made_once_and_sent_again_with_all_its_headers(client, results, made, address, headers) -> None:
    first = client.get(address, headers=headers)
    with CaptureQueriesContext(connection) as queries:
        second = client.get(address, headers=headers)
    assert made == ["small"]
    assert len(queries) == 1
    assert text(second) == text(first)
    assert dict(second.headers) == dict(first.headers)
    assert {"ETag", "Vary", "X-Frame-Options", "Content-Security-Policy"} <= set(first.headers)


def test_compressed_and_plain_are_kept_apart(client, results) -> None:
    packed, plain = client.get(BOARD, headers=GZIP), client.get(BOARD)
    assert (packed.headers["Content-Encoding"], plain.headers.get("Content-Encoding")) == ("gzip", None)
    assert text(packed) == text(plain)
    assert text(client.get(BOARD)) == text(plain)


def test_who_has_the_page_already_is_told_so(client, results, made) -> None:
    tag = client.get(BOARD, headers=GZIP).headers["ETag"]
    again = client.get(BOARD, headers={**GZIP, "If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert len(made) == 1
    assert client.get(BOARD, headers={**GZIP, "If-None-Match": '"another"'}).status_code == 200


def test_a_new_process_finds_the_page_of_a_whole_board(client, results, made) -> None:
    before = text(client.get(BOARD, headers=GZIP))
    new_process()
    assert text(client.get(BOARD, headers=GZIP)) == before
    assert len(made) == 1
    client.get(f"{BOARD}?kind=model", headers=GZIP)
    client.get(TOPICS, headers=GZIP)
    assert KeptPage.objects.count() == 1


CHANGES = {
    "a run": lambda results: make_run(make_system(slug="late", name="Late model"), results, "+" * 10),
    "people": lambda results: make_people(results, ["+++++-----"] * 5),
    "a name": lambda results: edit_system("best", name="Renamed"),
    "a hidden system": lambda results: edit_system("best", is_hidden=True),
    "the name of the set": lambda results: QuestionSet.objects.update(name="Another set"),
    "the policy": lambda results: QuestionSet.objects.update(policy="open"),
    "demo": lambda results: Benchmark.objects.update(is_demo=True),
    "a rule": lambda results: Benchmark.objects.update(default_rule="chempro-exact@1"),
    "a snapshot": lambda results: snapshot_publish(question_set=results),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_new_process", [False, True])
def test_a_change_shows_at_once(client, results, change, is_new_process) -> None:
    before = text(client.get(BOARD, headers=GZIP))
    CHANGES[change](results)
    if is_new_process:
        new_process()
    after = text(client.get(BOARD, headers=GZIP))
    assert after != before
    caches["pages"].clear()
    KeptPage.objects.all().delete()
    assert text(client.get(BOARD, headers=GZIP)) == after


def test_a_setting_and_another_program_show_at_once(client, results, made, settings, monkeypatch) -> None:
    client.get(BOARD, headers=GZIP)
    settings.SITE_NAME = "Another name"
    assert "Another name" in text(client.get(BOARD, headers=GZIP))
    monkeypatch.setattr(page_stamp, "program_stamp", lambda: "newer")
    client.get(BOARD, headers=GZIP)
    assert len(made) == 3


def test_another_release_of_a_library_is_another_program_and_other_statistics(results, monkeypatch) -> None:
    def names() -> tuple[str, str, str]:
        for kept in (figure_libraries, page_stamp.program_stamp, code_version):
            kept.cache_clear()
        cache.clear()
        load_board(question_set=results, query=whole_query(question_set=results, rule="", fallback="on"))
        return BoardStatistics.objects.get().made_from, page_stamp.program_stamp(), code_version()

    results = public_sets().get(pk=results.pk)
    before = names()
    assert names() == before
    with monkeypatch.context() as patched:
        patched.setattr(libraries, "version", lambda name: "99" if name == "scipy" else "1")
        assert not set(names()) & set(before)
    assert names() == before


def test_pages_of_somebody_are_made_for_them(client, admin_client, results, made) -> None:
    for _ in range(2):
        admin_client.get(BOARD)
        client.get(BOARD, headers={"Cookie": "messages=x"})
        client.get(BOARD, headers={"HX-Request": "true"})
        client.head(BOARD)
    assert len(made) == 8
    assert not KeptPage.objects.exists()


def test_mistakes_are_not_kept(client, results, made) -> None:
    for _ in range(2):
        assert client.get(f"{BOARD}?kind=fish").status_code == 400
    assert client.get("/leaderboard/none/").status_code == 404
    assert len(made) == 3


def test_a_database_that_cannot_be_written_keeps_nobody_from_reading(client, results, made, monkeypatch) -> None:
    def fail(**_):
        raise OperationalError("database is locked")

    monkeypatch.setattr(kept_pages.KeptPage.objects, "update_or_create", fail)
    assert text(client.get(BOARD, headers=GZIP)) == text(client.get(BOARD, headers=GZIP))
    assert len(made) == 1


def test_while_the_program_is_worked_on_nothing_is_kept(client, results, made, settings) -> None:
    settings.DEBUG = True
    client.get(BOARD)
    client.get(BOARD)
    assert len(made) == 2
