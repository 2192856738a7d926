"""What robots are asked to leave alone, read as a robot reads it."""

from urllib.robotparser import RobotFileParser

import pytest

PUBLIC = ("/", "/leaderboard/demo/topics/", "/methods/", "/about/", "/snapshots/1/", "/api/v1/docs/")
# Question pages are fetched, so that their own word is read: to keep nothing of them.
CLOSED = ("/admin/", "/survey/demo/", "/survey/demo/staff/", "/survey/resume/abc/", "/api/v1/contributor/prompts")


@pytest.fixture
def rules(client) -> RobotFileParser:
    response = client.get("/robots.txt")
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain")
    parser = RobotFileParser()
    parser.parse(response.content.decode().splitlines())
    return parser


@pytest.mark.parametrize(("address", "may"), [*((each, True) for each in PUBLIC), *((each, False) for each in CLOSED)])
def test_public_pages_may_be_read_and_no_others(rules, address, may) -> None:
    assert rules.can_fetch("*", address) is may
