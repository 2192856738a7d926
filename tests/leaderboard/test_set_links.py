"""The list of links that the pages of a set share."""

import re

import pytest

from corpus.models import QuestionSet
from leaderboard.services.snapshots import snapshot_publish
from leaderboard.set_links import set_links
from tests.leaderboard.factories import make_run, make_system

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

PAGES = (
    "",
    "topics/",
    "compare/",
    "humans/",
    "outcomes/",
    "factors/",
    "confidence/",
    "robustness/",
    "scale/",
    "questions/",
)


@pytest.fixture
def open_set(small_set):
    make_run(make_system(slug="best", name="Best model"), small_set, "++++++++--")
    QuestionSet.objects.filter(pk=small_set.pk).update(policy="open")
    return small_set


def links_on(client, address: str, **headers: str) -> dict[str, str]:
    """Return the links of a page's list with how each is marked."""
    found = client.get(address, headers=headers).content.decode().split('id="set-links"')[1].split("</nav>")[0]
    links = re.findall(r'<a href="([^"]*)"\s*(?:aria-current="(\w+)")?>', found)
    return dict(links)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_a_set_links_all_others_and_marks_itself(client, open_set, page) -> None:
    links = links_on(client, f"/leaderboard/small/{page}")
    assert [address for address, marked in links.items() if marked == "page"] == [f"/leaderboard/small/{page}"]
    assert set(links) >= {f"/leaderboard/small/{each}" for each in PAGES}
    assert set(links) >= {"/api/v1/leaderboard/small/", "/api/v1/leaderboard/small.csv", "/api/v1/docs/"}
    for address in links:
        assert client.get(address).status_code == 200, address


def test_a_page_below_another_marks_that_as_where_it_belongs(client, open_set) -> None:
    question = open_set.current_revision.members.first().question_revision.question_id
    links = links_on(client, f"/leaderboard/small/questions/{question}/")
    assert [address for address, marked in links.items() if marked == "true"] == ["/leaderboard/small/questions/"]


def test_questions_are_linked_where_everybody_may_read_them(client, small_set) -> None:
    links = links_on(client, "/leaderboard/small/")
    assert not {"/leaderboard/small/questions/", "/leaderboard/small/scale/"} & set(links)


def test_a_choice_goes_along_to_pages_that_know_it(client, open_set) -> None:
    links = links_on(client, "/leaderboard/small/?rule=as-published@1&fallback=off&sort=name&kind=model")
    assert "/leaderboard/small/topics/?rule=as-published%401&amp;fallback=off" in links
    assert "/leaderboard/small/humans/?rule=as-published%401&amp;fallback=off" in links
    onward = links_on(client, "/leaderboard/small/humans/?rule=as-published@1&fallback=off&grouping=topic")
    assert "/leaderboard/small/topics/?rule=as-published%401&amp;fallback=off" in onward


def test_a_swapped_board_brings_its_links_along(client, open_set) -> None:
    links = links_on(client, "/leaderboard/small/?rule=as-published@1", **{"HX-Request": "true"})
    assert links["/leaderboard/small/?rule=as-published%401"] == "page"


def test_a_snapshot_is_linked_once_there_is_one_and_marks_itself(client, open_set) -> None:
    assert "/snapshots/1/" not in links_on(client, "/leaderboard/small/")
    snapshot_publish(question_set=open_set)
    assert links_on(client, "/leaderboard/small/topics/")["/snapshots/1/"] == ""
    assert links_on(client, "/snapshots/1/")["/snapshots/1/"] == "page"


def test_an_empty_choice_is_left_out(open_set) -> None:
    links = set_links(question_set=open_set, current="board", is_below=False, chosen={"rule": "", "sort": "name"})
    assert [each.address for each in links.pages if "?" in each.address] == []
