"""A board with and without what only a fallback reader could read."""

from typing import Any

import pytest
from django.test import Client

from evaluations.models import Item, ItemReading
from leaderboard.models import ScoreMatrix
from tests.leaderboard.factories import make_run, make_system

pytestmark = pytest.mark.django_db
BOARD = "/api/v1/leaderboard/small/"


@pytest.fixture
def results(small_set: Any) -> None:
    """A system with eight right answers, two of which only a fallback reader could read, and one without fallback."""
    run = make_run(make_system(slug="helped"), small_set, "++++++++--")
    make_run(make_system(slug="strict"), small_set, "+++++++---")
    for item in Item.objects.filter(run=run).order_by("pk")[:2]:
        ItemReading.objects.create(answer=item, reader="standard@1", status="unparsed")
        ItemReading.objects.create(answer=item, reader="fallback@1:other", status="read")


def outcomes(client: Client, **query: str) -> dict[str, tuple[int, int]]:
    answer = client.get(BOARD, query).json()
    return {row["slug"]: (row["outcomes"]["right"], row["outcomes"]["unparsed"]) for row in answer["rows"]}


@pytest.mark.usefixtures("results")
def test_fallback_off_shows_the_strict_counts(client: Client) -> None:
    assert outcomes(client) == outcomes(client, fallback="on") == {"helped": (8, 0), "strict": (7, 0)}
    assert outcomes(client, fallback="off") == {"strict": (7, 0), "helped": (6, 2)}
    assert list(outcomes(client, fallback="off")) == ["strict", "helped"]
    assert outcomes(client) == {"helped": (8, 0), "strict": (7, 0)}
    assert ScoreMatrix.objects.count() == 1


@pytest.mark.usefixtures("results")
def test_another_value_is_answered_with_what_there_is(client: Client) -> None:
    answer = client.get(BOARD, {"fallback": "maybe"})
    assert answer.status_code == 400
    assert "There are: on, off." in answer.content.decode()


@pytest.mark.usefixtures("results")
def test_both_views_have_tags_of_their_own(client: Client) -> None:
    assert client.get(BOARD)["ETag"] != client.get(BOARD, {"fallback": "off"})["ETag"]
