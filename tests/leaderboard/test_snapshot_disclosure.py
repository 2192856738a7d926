"""What snapshots keep public is counted when boards are shown later: no single verdict follows from both together."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from corpus.models import Label, Question, QuestionSet
from corpus.services.results import results_changed
from leaderboard.selectors.snapshots import disclosed
from leaderboard.services.snapshots import snapshot_publish
from tests.corpus.factories import make_set_revision
from tests.leaderboard.factories import make_people, make_run, make_system

ORGANIC, PHYSICAL = "Organic Chemistry", "Physical Chemistry"


@pytest.fixture
def one_system(small_set) -> QuestionSet:
    make_run(make_system(slug="model"), small_set, "+++-++-+-+")
    return small_set


def moved(question_set: QuestionSet, key: str, name: str) -> None:
    """Put a question under another topic."""
    Question.objects.get(key=key).labels.set(Label.objects.filter(name=name))
    results_changed(benchmark_id=question_set.benchmark_id)


def topics_shown(client) -> dict[str, float | None]:
    (row,) = client.get("/api/v1/leaderboard/small/").json()["rows"]
    return {name: topic["accuracy"] for name, topic in row["topics"].items()}


def warnings() -> list[str]:
    out = StringIO()
    call_command("rebuild_leaderboard", "--json", stdout=out)
    return json.loads(out.getvalue())["warnings"]


def test_without_a_snapshot_a_question_may_change_its_topic(client, one_system) -> None:
    assert topics_shown(client) == {ORGANIC: 5 / 6, PHYSICAL: 0.5}
    moved(one_system, "q5", PHYSICAL)
    assert topics_shown(client) == {ORGANIC: 0.8, PHYSICAL: 0.6}


def test_the_difference_to_a_snapshot_tells_no_verdict(client, one_system) -> None:
    snapshot_publish(question_set=one_system)
    assert topics_shown(client) == {ORGANIC: 5 / 6, PHYSICAL: 0.5}
    # Five of six right in the snapshot and four of five now would tell the verdict on the sixth.
    moved(one_system, "q5", PHYSICAL)
    assert topics_shown(client) == {ORGANIC: None, PHYSICAL: None}
    assert warnings() == []


def test_two_questions_may_be_told_together(client, one_system) -> None:
    snapshot_publish(question_set=one_system)
    moved(one_system, "q5", PHYSICAL)
    moved(one_system, "q4", PHYSICAL)
    assert topics_shown(client) == {ORGANIC: 0.75, PHYSICAL: pytest.approx(4 / 6)}


def test_on_an_open_set_verdicts_are_public_anyway(client, one_system) -> None:
    QuestionSet.objects.update(policy="open")
    snapshot_publish(question_set=one_system)
    moved(one_system, "q5", PHYSICAL)
    assert topics_shown(client) == {ORGANIC: 0.8, PHYSICAL: 0.6}


def test_a_set_that_lost_one_question_since_a_snapshot_is_warned_of(one_system) -> None:
    snapshot_publish(question_set=one_system)
    assert warnings() == []
    make_set_revision(one_system, list(Question.objects.order_by("pk")[:9]))
    results_changed(benchmark_id=one_system.benchmark_id)
    (warning,) = warnings()
    assert "snapshots" in warning
    assert "of systems on fewer than 2 questions (1)" in warning


def test_only_people_who_are_in_it_are_kept_with_it(one_system) -> None:
    snapshot_publish(question_set=one_system)
    people = make_people(one_system, ["++++++----"] * 6)
    snapshot_publish(question_set=one_system)
    without, with_people = disclosed(benchmark_id=one_system.benchmark_id)
    assert without.participant_ids == frozenset()
    assert with_people.participant_ids == {person.pk for person in people}
    assert [len(group) for group in with_people.groups] == [6, 4]
