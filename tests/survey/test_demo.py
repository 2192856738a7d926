"""The demo study and its made-up people."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from chembench_site.demo import demo_bank_load
from corpus.models import QuestionSet
from corpus.selectors.sets import set_by_slug
from leaderboard.humans import humans_of
from leaderboard.own_result import own_result
from survey.errors import StudyNotReadyError
from survey.models import Participant, Response, Study
from survey.services.demo import demo_study_create, load_demo_people

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PEOPLE = FIXTURES / "demo_people.json"


def load_demo_study() -> Study:
    """Import the demo bank and make the demo study."""
    demo_bank_load(fixtures=FIXTURES)
    return demo_study_create()


def answers() -> list[tuple[object, ...]]:
    fields = ("assignment__participant__pseudonym", "assignment__position", "typed_text", "outcome", "seconds")
    return list(Response.objects.order_by(*fields[:2]).values_list(*fields))


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    """The demo study, answered by its people."""
    with django_db_blocker.unblock(), transaction.atomic():
        study = load_demo_study()
        assert load_demo_people(study=study, people_json=PEOPLE) >= 12
        yield study
        transaction.set_rollback(True)


def test_demo_study_needs_the_demo_bank() -> None:
    Study.objects.update(slug="another")
    QuestionSet.objects.filter(slug="demo-no-tools").update(slug="another")
    with pytest.raises(StudyNotReadyError, match="demo-no-tools"):
        demo_study_create()


def test_demo_people_are_marked_judged_and_neither_all_right_nor_all_wrong(study: Study) -> None:
    assert demo_study_create() == study
    stored = answers()
    assert load_demo_people(study=study, people_json=PEOPLE) == 0
    assert answers() == stored
    assert not Participant.objects.filter(is_demo=False).exists()
    outcomes = list(Response.objects.values_list("outcome", flat=True))
    share_right = outcomes.count("right") / len(outcomes)
    assert set(outcomes) == {"right", "wrong", "do_not_know"}
    assert 0.3 < share_right < 0.8
    assert Participant.objects.filter(finished_at__isnull=False).exists()
    assert Participant.objects.filter(finished_at__isnull=True).exists()


def test_demo_people_took_part_in_the_past_at_times_of_their_own(study: Study) -> None:
    people = list(Participant.objects.order_by("started_at"))
    assert len({person.started_at.date() for person in people}) > len(people) / 2
    assert all(9 <= person.started_at.hour < 17 for person in people)
    for person in people:
        answered = Response.objects.filter(assignment__participant=person).order_by("assignment__position")
        times = list(answered.values_list("answered_at", flat=True))
        assert Study.objects.get().created_at <= person.started_at == person.consented_at < times[0]
        assert times == sorted(times)
        assert times[-1] < timezone.now() - timedelta(days=30)
        assert times[-1] - person.started_at < timedelta(hours=2)


def test_a_demo_person_sees_a_result_of_several_rows(study: Study) -> None:
    person = Participant.objects.select_related("study").filter(finished_at__isnull=False).first()
    sections = own_result(person).sections
    assert [[line.share.n for line in section.lines] for section in sections] == [[5, 5], [5, 5]]
    assert all(section.total.share.n == 10 for section in sections)


def test_the_demo_board_shows_its_people_by_topic(study: Study) -> None:
    board = humans_of(question_set=set_by_slug("demo-mini"), rule="").board
    (people,) = board.people_rows
    assert len(people.topics) >= 3
    assert [name for name, estimate in people.topics.items() if estimate.accuracy is None] == []


def test_seed_makes_the_same_person_each_time(study: Study, tmp_path: Path) -> None:
    Participant.objects.all().delete()
    few = tmp_path / "people.json"
    few.write_text(json.dumps({"people": json.loads(PEOPLE.read_text())["people"][:2]}))
    load_demo_people(study=study, people_json=few)
    first = answers()
    Participant.objects.all().delete()
    load_demo_people(study=study, people_json=few)
    assert len(first) > 0
    assert answers() == first
