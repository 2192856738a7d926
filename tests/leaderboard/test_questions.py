"""The question explorer: who may read it, what it never tells, and how questions are found."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.core.cache import cache

from corpus.models import QuestionSet
from leaderboard.models import ScoreMatrix
from survey.models import Study
from tests.corpus.factories import label_questions, make_benchmark, make_question, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/bank/questions/"
CANARY = "canary GUID 1234"
OPTIONS = (("rightmost", 1), ("leftmost", 0), ("middle", 0))


def make_bank(policy: str = "open", n: int = 6) -> QuestionSet:
    benchmark = make_benchmark(slug="bank", name="Bank", canary=CANARY)
    each: list[dict[str, object]] = [
        {"key": f"folder-{number}", "stem": f"What about \\ce{{H2O}} number {number}?", "options": OPTIONS}
        for number in range(n - 1)
    ]
    each.append({"key": "typed", "kind": "number", "stem": "How much?", "target": "4711", "unit": "mol"})
    questions = make_questions(benchmark, each)
    label_questions(questions, [("Organic Chemistry", "Physical Chemistry")[number % 2] for number in range(n)])
    label_questions(questions, [("Basic", "Advanced")[number % 2] for number in range(n)], grouping="difficulty")
    return make_set(benchmark, "bank", questions, name="Bank set", policy=policy)


@pytest.fixture
def bank(db) -> QuestionSet:
    made = make_bank()
    make_run(make_system(slug="one"), made, "++++--")
    make_run(make_system(slug="two"), made, "++----")
    return made


def get(client, url: str = PAGE, status: int = 200, **query) -> str:
    response = client.get(url, query)
    assert response.status_code == status, response.content
    return " ".join(response.content.decode().split())


def links(html: str) -> list[str]:
    return re.findall(r'href="(/leaderboard/bank/questions/\d+/)', html)


def shares(html: str) -> list[str]:
    return re.findall(r'data-of="Right"> ([\d.]+%) <', html)


def staff(client, *, may_see_keys: bool) -> None:
    user = User.objects.create_user("staff", password="x", is_staff=True)
    if may_see_keys:
        user.user_permissions.add(Permission.objects.get(codename="view_questionrevision"))
    client.force_login(user)


def test_an_open_set_lists_its_questions_with_the_share_of_systems_that_are_right(client, bank) -> None:
    html = get(client)
    assert shares(html) == ["100.0%", "100.0%", "50.0%", "50.0%", "0.0%", "0.0%"]
    assert "of 2 systems" in html
    assert "2 of the questions listed are answered right by no system" in html
    assert "What about H₂O number 3?" in html or "What about H2O number 3?" in html
    assert 'data-of="Difficulty">Advanced' in html


def test_incomplete_hidden_and_baseline_systems_and_people_are_in_no_share(client, bank) -> None:
    before = shares(get(client))
    make_run(make_system(slug="incomplete"), bank, "----- ")
    make_run(make_system(slug="hidden", is_hidden=True), bank, "------")
    make_run(make_system(slug="chance", kind="baseline"), bank, "------")
    make_people(bank, ["------"] * 12)
    assert shares(get(client)) == before


def test_a_new_result_and_a_hidden_system_show_at_once(client, bank) -> None:
    assert shares(get(client))[4] == "0.0%"
    three = make_system(slug="three")
    make_run(three, bank, "++++++")
    assert shares(get(client))[4] == "33.3%"
    three.is_hidden = True
    three.save()
    assert shares(get(client))[4] == "0.0%"


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"topic": "Physical_Chemistry"}, [2, 4, 6]),
        ({"grouping": "difficulty", "topic": "basic"}, [1, 3, 5]),
        ({"q": "NUMBER 3"}, [4]),
        ({"q": "leftmost"}, [1, 2, 3, 4, 5]),
        ({"q": "typed"}, [6]),
        ({"q": "4711"}, []),
        ({"q": "much\0"}, [6]),
        ({"order": "hardest"}, [5, 6, 3, 4, 1, 2]),
        ({"order": "easiest"}, [1, 2, 3, 4, 5, 6]),
        ({"page": "99"}, [1, 2, 3, 4, 5, 6]),
        ({"page": "x"}, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_questions_are_found_by_the_address(client, bank, query, numbers) -> None:
    html = get(client, **query)
    assert [int(number) for number in re.findall(r'data-of="Number">(\d+)<', html)] == numbers
    if not numbers:
        assert "No question is found" in html


@pytest.mark.parametrize(
    ("query", "message"),
    [({"order": "x"}, "no order “x”"), ({"grouping": "x"}, "no grouping “x”"), ({"topic": "x"}, "no topic “x”")],
)
def test_what_does_not_exist_is_explained(client, bank, query, message) -> None:
    assert message in get(client, status=400, **query)


def test_a_long_list_is_paged(client, db) -> None:
    make_bank(n=30)
    first = get(client, order="set")
    assert len(links(first)) == 25
    assert "Page 1 of 2" in first
    assert "page=2" in first
    assert len(links(get(client, page=2))) == 5


def test_a_question_is_shown_as_asked_without_its_key(client, bank) -> None:
    address = links(get(client))[0]
    html = get(client, address)
    assert "Choose every option that is right" in html
    assert all(text in html for text, _ in OPTIONS)
    assert not re.search(r"checked|correct|credit|target", html)
    assert "100.0% of 2 systems" in html
    typed = get(client, links(get(client))[-1])
    assert "The answer is typed, in mol." in typed
    assert "4711" not in typed


def test_the_order_of_options_is_not_that_of_the_bank(client, db) -> None:
    # The bank has the right one first in each; by their hashes it comes first as often as any other.
    benchmark = make_benchmark(slug="bank", name="Bank")
    texts = [[f"{word} {number}" for word in ("right", "wrong", "other", "last")] for number in range(12)]
    questions = [
        make_question(benchmark, options=[(text, int(text.startswith("right"))) for text in four]) for four in texts
    ]
    make_set(benchmark, "bank", questions, policy="open")
    first = [
        re.search(r"</span> <span><span class=\"markup\">(\w+)", get(client, url)).group(1)
        for url in links(get(client))
    ]
    assert len(set(first)) > 1
    assert first.count("right") < 8


def test_no_robot_keeps_the_pages_and_the_canary_is_on_them(client, bank) -> None:
    for address in (PAGE, links(get(client))[0]):
        response = client.get(address)
        assert response["X-Robots-Tag"].startswith("noindex")
        html = response.content.decode()
        assert re.search(r'<meta name="robots" content="noindex', html)
        assert CANARY in html


@pytest.mark.parametrize("who", ["nobody", "staff"])
def test_a_set_that_is_not_open_is_for_staff_who_may_see_keys(client, db, who) -> None:
    bank = make_bank(policy="closed")
    make_run(make_system(slug="one"), bank, "+++---")
    if who == "staff":
        staff(client, may_see_keys=False)
    question_id = bank.current_revision.question_revisions.first().question_id
    for address in (PAGE, f"{PAGE}{question_id}/", f"{PAGE}999999/"):
        response = client.get(address)
        html = response.content.decode()
        assert response.status_code == 403
        assert "What about" not in html
        assert "%" not in html.partition("<main")[2].partition("</main>")[0]
        assert response["X-Robots-Tag"].startswith("noindex")
        assert "no-store" in response["Cache-Control"]
    assert PAGE not in client.get("/leaderboard/bank/").content.decode()


@pytest.mark.parametrize("query", [{"rule": "no-such-rule"}, {"rule": "-1", "fallback": "off"}, {"fallback": "x"}])
def test_whoever_may_not_read_a_set_is_told_so_whatever_the_address_asks(client, db, query) -> None:
    make_bank(policy="closed")
    for address in (PAGE, f"{PAGE}questions.csv", f"{PAGE}999999/"):
        assert client.get(address, query).status_code == 403


def test_staff_who_may_see_keys_read_a_set_that_is_not_open(client, db) -> None:
    bank = make_bank(policy="closed")
    make_run(make_system(slug="one"), bank, "+++---")
    make_people(bank, ["++++++"] * 12, status="open")
    staff(client, may_see_keys=True)
    html = get(client)
    assert shares(html) == ["100.0%"] * 3 + ["0.0%"] * 3
    assert "Do not pass this page on" in html
    assert "no-store" in client.get(PAGE)["Cache-Control"]
    assert "Do not pass this page on" in get(client, links(html)[0])


@pytest.mark.parametrize("status", ["draft", "open"])
def test_what_a_study_asks_is_left_out_until_it_is_closed(client, bank, status) -> None:
    every = links(get(client))
    part = make_set(bank.benchmark, "part", [m.question_revision for m in bank.current_revision.members.all()[:2]])
    make_people(part, ["++"], status=status)
    html = get(client)
    assert links(html) == every[2:]
    assert "2 of them are left out while a study asks them" in html
    assert get(client, every[0], status=404)
    assert "number 1?" not in get(client, q="number 1")
    Study.objects.update(status="closed")
    assert links(get(client)) == every


def test_what_people_were_given_and_attention_checks_are_left_out_too(client, bank) -> None:
    every = links(get(client))
    members = [member.question_revision for member in bank.current_revision.members.all()]
    part = make_set(bank.benchmark, "part", members[:1])
    checks = make_set(bank.benchmark, "checks", members[5:])
    make_people(part, ["+"], status="open", attention_set=checks.current_revision, attention_every=5)
    assert links(get(client)) == every[1:5]
    # The block has another set now; what people were given stays.
    study = Study.objects.get()
    study.blocks.update(set_revision=make_set(bank.benchmark, "other", members[2:3]).current_revision)
    assert links(get(client)) == [every[1], every[3], every[4]]


def test_the_board_links_to_the_questions_of_an_open_set(client, bank) -> None:
    assert PAGE in get(client, "/leaderboard/bank/")


def test_the_list_does_not_read_the_matrix_again_for_the_same_state(client, bank) -> None:
    expected = shares(get(client))
    ScoreMatrix.objects.all().delete()
    assert shares(get(client)) == expected
    assert not ScoreMatrix.objects.exists()
    cache.clear()
    assert shares(get(client)) == expected
