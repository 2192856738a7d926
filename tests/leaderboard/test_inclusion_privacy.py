"""What an anonymous reader cannot work out where studies count by part, by share, or by another rule."""

from itertools import product

import pytest

from corpus.models import QuestionSet
from survey.models import Response, ResponseReading, ResponseScore
from survey.services.withdrawal import participant_withdraw
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_people_of_parts

N = 20
ODD_TOPICS = {"many": range(14), "few": range(14, 20)}


@pytest.fixture
def sets(db) -> dict[str, QuestionSet]:
    """Twenty questions as `whole`, its halves, and all but one of them; by topic, and by a grouping almost the same."""
    benchmark = make_benchmark(slug="bench")
    questions = make_questions(benchmark, [{}] * N)
    for name, numbers in ODD_TOPICS.items():
        own = [questions[number] for number in numbers]
        label_questions(own, [name] * len(own))
        label_questions(own, ["many" if number == 14 else name for number in numbers], grouping="nearly")
    return {
        "whole": make_set(benchmark, "whole", questions),
        "first": make_set(benchmark, "first", questions[:10]),
        "second": make_set(benchmark, "second", questions[10:]),
        "less-one": make_set(benchmark, "less-one", questions[1:]),
    }


def people_of(client, slug: str, **query) -> list[dict]:
    response = client.get(f"/api/v1/leaderboard/{slug}/", query)
    assert response.status_code == 200, response.content
    return [row for row in response.json()["rows"] if row["kind"] == "human"]


def test_a_set_across_parts_is_shown_only_of_the_same_people(client, sets) -> None:
    both, one_part = ("+-" * 5, "+-" * 5), ("+" * 10, "+" + " " * 9)
    make_people_of_parts([sets["first"], sets["second"]], [*[both] * 6, one_part], completion_rule="block")
    assert [people_of(client, slug)[0]["people"]["n"] for slug in ("first", "second")] == [7, 6]
    # With the six of both parts, seven times the first less six times the whole would be the seventh.
    assert people_of(client, "whole") == []
    assert people_of(client, "less-one") == []


def test_parts_answered_by_the_same_people_are_shown_together(client, sets) -> None:
    make_people_of_parts([sets["first"], sets["second"]], [("+-" * 5, "+-" * 5)] * 6, completion_rule="block")
    assert {people_of(client, slug)[0]["people"]["n"] for slug in sets} == {6}


@pytest.mark.one_database
def test_a_withdrawal_is_seen_on_boards_of_questions_that_the_person_was_never_asked(client, db) -> None:
    benchmarks = [make_benchmark(slug=slug) for slug in ("asked", "beside")]
    asked, beside = [make_set(each, each.slug, make_questions(each, [{}] * 10)) for each in benchmarks]
    # A part that came into the study after the first had finished.
    first, *_ = make_people_of_parts([asked, beside], [("+-" * 5, "." * 10), *[("+-" * 5, "+-" * 5)] * 6])
    assert people_of(client, "beside") == [], "with one who counts and was asked none of it, nobody is shown"
    participant_withdraw(participant=first)
    assert [people_of(client, slug)[0]["people"]["n"] for slug in ("asked", "beside")] == [6, 6]


def share(person: int, *, asked: int = 10) -> str:
    """Return a person's answers where `asked` questions in a row, beginning at their number, were given to them."""
    return "".join("+-"[(person + q) % 2] if (q - person) % N < asked else "." for q in range(N))


BALANCED = [share(person) for person in range(N)]


@pytest.mark.parametrize("fields", [{"questions_per_person": 10}, {"completion_rule": "any"}])
def test_people_asked_a_part_are_on_one_set_only(client, sets, fields) -> None:
    make_people(sets["whole"], BALANCED, **fields)
    assert people_of(client, "whole")[0]["people"]["n"] == N
    # The two people asked the question that is left out would be the difference.
    assert [people_of(client, slug) for slug in ("first", "second", "less-one")] == [[], [], []]


def test_people_asked_a_part_are_shown_in_one_grouping_only(client, sets) -> None:
    make_people(sets["whole"], BALANCED, questions_per_person=10)
    (row,) = people_of(client, "whole")
    assert {name: topic["withheld"] for name, topic in row["topics"].items()} == {"many": None, "few": None}
    (other,) = people_of(client, "whole", grouping="nearly")
    assert {topic["withheld"] for topic in other["topics"].values()} == {"other_grouping"}
    (filtered,) = people_of(client, "whole", grouping="nearly", topic="few")
    assert (filtered["accuracy"], filtered["outcomes"], filtered["withheld"]) == (None, {}, "other_grouping")
    page = client.get("/leaderboard/whole/topics/?grouping=nearly").content.decode()
    assert "people asked a part are shown by topic only" in page


def test_no_topic_rests_on_the_answers_of_a_few(client, sets) -> None:
    # The six questions of one topic were answered by two people each, three people in all.
    few = ["." * 14 + answers for answers in ("++++..", "--..++", "..--++")]
    many = ["+-" * 7 + "." * 6] * 10
    make_people(sets["whole"], [*many, *few], questions_per_person=6)
    (row,) = people_of(client, "whole")
    assert row["accuracy"] is not None
    # Not the other topic either: taken from the whole it would leave this one.
    assert {topic["accuracy"] for topic in row["topics"].values()} == {None}
    for topic in ODD_TOPICS:
        (filtered,) = people_of(client, "whole", topic=topic)
        assert (filtered["accuracy"], filtered["outcomes"]) == (None, {})


@pytest.mark.parametrize("people", [BALANCED, ["+-" * 10] * 6])
def test_no_filter_changes_who_counts(client, sets, people) -> None:
    fields = {} if people[0].count(".") == 0 else {"questions_per_person": 10}
    make_people(sets["whole"], people, **fields)
    sizes = set()
    for topic, grouping, kind, rule in product(
        ("", "many", "few"), ("topic", "nearly"), ("", "human"), ("", "standard@1")
    ):
        found = people_of(client, "whole", topic=topic, grouping=grouping, kind=kind, rule=rule)
        sizes.update((row["people"]["n"], row["inclusion"]) for row in found)
    assert sizes == {(len(people), f"{len(people)} of {len(people)} people count: all questions answered.")}


def judge_under_another_rule(responses) -> None:
    readings = ResponseReading.objects.bulk_create(
        ResponseReading(answer=response, reader="other@1", status="read") for response in responses
    )
    ResponseScore.objects.bulk_create(
        ResponseScore(answer=reading.answer, reading=reading, rule="as-published@1", outcome="right", credit=1)
        for reading in readings
    )


@pytest.mark.parametrize(
    ("people", "fields"),
    [(["+-" * 10] * 6, {}), (BALANCED, {"questions_per_person": 10}), (BALANCED, {"completion_rule": "any"})],
)
def test_under_another_rule_of_scoring_the_same_people_count_or_none(client, sets, people, fields) -> None:
    make_people(sets["whole"], people, **fields)
    first, *others = Response.objects.order_by("pk")
    judge_under_another_rule(others)
    version = sets["whole"].benchmark
    assert people_of(client, "whole", rule="as-published@1") == []
    judge_under_another_rule([first])
    version.results_version = 1000
    version.save()
    (row,) = people_of(client, "whole", rule="as-published@1")
    assert row["people"]["n"] == people_of(client, "whole")[0]["people"]["n"] == len(people)
    assert row["accuracy"] == 1.0


def test_an_answer_not_judged_is_out_under_every_rule(client, sets) -> None:
    make_people(sets["whole"], [*BALANCED], completion_rule="any")
    first = Response.objects.order_by("pk").first()
    Response.objects.filter(pk=first.pk).update(outcome="error")
    judge_under_another_rule(Response.objects.all())
    for rule, n_right in (("standard@1", None), ("as-published@1", 199)):
        (row,) = people_of(client, "whole", rule=rule)
        assert sum(row["outcomes"].values()) == 199
        assert n_right in (None, row["outcomes"]["right"])
