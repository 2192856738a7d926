"""While a study is open, people come into public results only after their end, in whole groups."""

import random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from corpus.models import Benchmark
from leaderboard.matrix import Matrix
from leaderboard.selectors.inputs import read_matrix
from survey.inclusion_rules import InclusionRule, PersonFacts, Reason, decide, inclusion_text, whole_groups
from survey.models import Participant, ParticipantFlag, Study
from survey.selectors.inclusion import inclusions, study_inclusion_text
from survey.selectors.own_answers import may_see_result
from survey.services import (
    Given,
    inclusion_preview,
    inclusion_rule_set,
    participant_withdraw,
    response_record,
    responses,
    study_close,
    study_open,
)
from survey.services.flags import flag_review
from survey.services.inclusion import people_join, study_results_changed
from survey.services.participants import participant_finish
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study, right_given
from tests.survey.test_inclusion import FULL, HALF, admin_form

# Races of joining are tried on PostgreSQL in test_joining_races.
pytestmark = pytest.mark.one_database

RULES = tuple(Study.Completion)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"blocks": FULL, "has_joined": True}, Reason.NONE),
        ({"blocks": FULL}, Reason.WAITING),
        ({"blocks": FULL, "has_finished": False}, Reason.NOT_FINISHED),
        ({"blocks": HALF, "n_open": 2}, Reason.NOT_FINISHED),
        ({"blocks": HALF, "n_open": 2, "has_joined": True}, Reason.NOT_FINISHED),
        ({"blocks": FULL, "years": 1}, Reason.TOO_LITTLE_EXPERIENCE),
        ({"blocks": FULL, "has_joined": True, "has_flag_not_reviewed": True}, Reason.FLAGGED_NOT_REVIEWED),
    ],
)
def test_while_the_study_runs_the_rule_does_not_let_anybody_in_early(rule, facts, reason) -> None:
    assert decide(PersonFacts(is_running=True, **facts), InclusionRule(rule, 2)).reason is reason


@pytest.mark.parametrize(("n", "expected"), [(0, 0), (4, 0), (5, 5), (9, 5), (13, 10)])
def test_groups_are_whole(n: int, expected: int) -> None:
    assert list(whole_groups(range(n), size=5)) == list(range(expected))


@pytest.mark.parametrize(
    ("n", "end"),
    [
        (3, "; 3 waiting, since the study is still running."),
        (1, "; 1 for another reason."),
    ],
)
def test_who_waits_is_said_but_never_of_one_person(n: int, end: str) -> None:
    text = inclusion_text(words="answered", n_counted=10, n_people=10 + n, left_out={"waiting": n})
    assert text == f"10 of {10 + n} people count: answered{end}"


# From the database


def study_of(rule: str = "study", **fields: Any) -> Study:
    study = make_study(n_choice=2, n_number=0, n_tools=0, **fields)
    Study.objects.filter(pk=study.pk).update(completion_rule=rule)
    study.refresh_from_db()
    return study


def finished(study: Study, n: int = 1, **fields: Any) -> list[Participant]:
    people = [make_participant(study, **fields) for _ in range(n)]
    for person in people:
        answer_next(person)
        answer_next(person)
    return people


def counting(study: Study) -> set[int]:
    return {person.participant_id for person in inclusions(study=study).people.values() if person.counts}


def ids(people: list[Participant]) -> set[int]:
    return {person.pk for person in people}


@pytest.mark.django_db
@pytest.mark.parametrize("rule", RULES)
def test_of_thirteen_ten_count_and_all_once_the_study_is_closed(rule: str) -> None:
    study = study_of(rule)
    people = finished(study, 13)
    under_way = make_participant(study)
    answer_next(under_way)
    assert counting(study) == ids(people[:10])
    assert "3 waiting, since the study is still running" in study_inclusion_text(study=study)
    version = Benchmark.objects.get().results_version
    study_close(study=study)
    assert counting(study) == ids(people) | ({under_way.pk} if rule == "any" else set())
    assert Benchmark.objects.get().results_version > version
    # Whoever ended goes on counting when it is opened again.
    study_open(study=study)
    assert counting(study) == ids(people)


@pytest.mark.django_db
@pytest.mark.parametrize("rule", RULES)
def test_no_answer_changes_who_counts_or_with_what_before_a_group_is_full(rule: str) -> None:
    study = study_of(rule)
    finished(study, 5)
    before = {person.participant_id: person.block_ids for person in inclusions(study=study).people.values()}
    for _ in range(4):
        person = make_participant(study)
        for _ in range(2):
            answer_next(person)
            now = inclusions(study=study).people
            assert {pk: now[pk].block_ids for pk in before} == before
            assert not now[person.pk].counts
    fifth = finished(study)
    assert len(counting(study)) == 10
    assert ids(fifth) <= counting(study)


@pytest.mark.django_db
def test_nobody_moves_up_when_somebody_withdraws() -> None:
    study = study_of()
    people = finished(study, 8)
    participant_withdraw(participant=people[1])
    study_results_changed(study_id=study.pk)
    assert counting(study) == ids([people[0], *people[2:5]])
    # Nor does somebody who withdraws while waiting keep a place: the next group is five people.
    participant_withdraw(participant=people[6])
    finished(study, 2)
    assert len(counting(study)) == 4
    finished(study)
    assert len(counting(study)) == 9


@pytest.mark.django_db
def test_groups_are_formed_of_those_who_would_count() -> None:
    study = study_of()
    Study.objects.update(minimum_years=3)
    people = finished(study, 6)
    Participant.objects.update(counts_since=None)
    Participant.objects.filter(pk=people[0].pk).update(years_experience=2)
    ParticipantFlag.objects.create(participant=people[1], code="too_fast", detail="", found_at=timezone.now())
    people_join(study_id=study.pk)
    assert counting(study) == set()
    people += finished(study)
    assert counting(study) == ids(people[2:])


@pytest.mark.django_db
def test_a_flag_found_late_takes_only_its_person_out_and_a_review_lets_nobody_else_move() -> None:
    study = study_of()
    people = finished(study, 8)
    flag = ParticipantFlag.objects.create(participant=people[0], code="too_fast", detail="", found_at=timezone.now())
    study_results_changed(study_id=study.pk)
    assert counting(study) == ids(people[1:5])
    flag_review(flag=flag, is_left_out=False, reason="Read it all.", actor=None)
    assert counting(study) == ids(people[:5])


@pytest.mark.django_db
def test_a_flag_reviewed_in_favour_waits_for_a_group_like_everybody() -> None:
    study = study_of()
    people = finished(study, 4)
    flag = ParticipantFlag.objects.create(participant=people[0], code="too_fast", detail="", found_at=timezone.now())
    people += finished(study, 4)
    assert counting(study) == ids(people[1:6])
    flag_review(flag=flag, is_left_out=False, reason="Read it all.", actor=None)
    assert counting(study) == ids(people[1:6])


@pytest.mark.django_db
def test_made_up_people_of_a_demo_study_do_not_wait() -> None:
    study = study_of(is_demo=True)
    made_up = finished(study, 2, is_demo=True)
    real = finished(study, 2)
    assert counting(study) == ids(made_up)
    Study.objects.update(is_demo=False)
    assert counting(study) == set()
    assert real


@pytest.mark.django_db
def test_a_preview_says_which_groups_a_rule_would_let_in() -> None:
    study = study_of()
    Study.objects.update(minimum_years=3, counts_unknown_experience=False)
    finished(study, 7)
    assert inclusion_preview(study=study, rule=InclusionRule()) == (5, 5, 0)
    assert inclusion_rule_set(study=study, rule=InclusionRule()) == (5, 5, 0)
    assert len(counting(study)) == 5


@pytest.mark.django_db
def test_the_public_board_tells_no_verdict_of_who_has_not_joined(client) -> None:
    study = study_of("any")
    question_set = study.blocks.get().set_revision.question_set
    generator = random.Random(1)
    finished(study, 6)

    def rows() -> list[Any]:
        found = client.get(f"/api/v1/leaderboard/{question_set.slug}/").json()["rows"]
        return [
            {name: value for name, value in row.items() if name != "inclusion"}
            for row in found
            if row["kind"] == "human"
        ]

    before = rows()
    assert before[0]["people"]["n"] == 5
    person = make_participant(study)
    for _ in range(2):
        assignment = go_to_question(person)
        wrong = assignment.question_revision.options.filter(credit=0).first()
        given = right_given(assignment) if generator.random() < 0.5 else Given(option_keys=(wrong.option_key,))
        answer_next(person, given)
        assert rows() == before


@pytest.mark.django_db
@pytest.mark.parametrize("rule", RULES)
def test_a_made_up_group_learns_no_key_from_the_boards_of_an_open_study(client, rule: str) -> None:
    """Five sessions of one reader: four know nothing, the fifth tries one answer."""
    study = study_of(rule, joins_while_open=False, offers_do_not_know=True)
    slug = study.blocks.get().set_revision.question_set.slug
    people = [make_participant(study) for _ in range(5)]

    def shown() -> list[Any]:
        found = client.get(f"/api/v1/leaderboard/{slug}/").json()
        return [found["n_people"], *(row for row in found["rows"] if row["kind"] == "human")]

    before = shown()
    for number, person in enumerate(people):
        for _ in range(2):
            answer_next(person, right_given(go_to_question(person)) if not number else Given(do_not_know=True))
    assert [row for row in shown() if isinstance(row, dict)] == before[1:] == []
    study_close(study=Study.objects.get())
    assert len(shown()) == 2


@pytest.mark.django_db
def test_a_new_study_lets_nobody_in_before_it_closes_unless_staff_say_so(client) -> None:
    study = study_of(joins_while_open=False)
    people = finished(study, 7)
    assert Study._meta.get_field("joins_while_open").default is False
    assert counting(study) == set()
    assert inclusion_preview(study=study, rule=InclusionRule("any")) == (0, 0, 0)
    client.force_login(User.objects.create_superuser("root"))
    client.post(f"/admin/survey/study/{study.pk}/change/", admin_form(study, joins_while_open="on"))
    assert counting(study) == ids(people[:5])


# What an answer tells the boards


def benchmark_version() -> int:
    return Benchmark.objects.get().results_version


@pytest.mark.django_db
@pytest.mark.parametrize("rule", RULES)
def test_answers_of_who_is_under_way_change_no_board_until_the_end(rule: str) -> None:
    study = study_of(rule)
    set_revision = study.blocks.get().set_revision
    finished(study, 5)
    before, version = read_matrix(set_revision=set_revision, rule="standard@1"), benchmark_version()
    person = make_participant(study)
    answer_next(person)
    assert benchmark_version() == version
    assert len(list(read_matrix(set_revision=set_revision, rule="standard@1").blocks())) == len(list(before.blocks()))
    answer_next(person)
    assert benchmark_version() > version
    assert len(list(read_matrix(set_revision=set_revision, rule="standard@1").blocks())) == 1 + len(
        list(before.blocks())
    )


@pytest.mark.django_db
@pytest.mark.parametrize("rule", RULES)
def test_an_answer_given_after_the_closing_is_kept_and_on_no_board(rule: str) -> None:
    study = study_of(rule)
    finished(study, 5)
    person = make_participant(study)
    answer_next(person)
    shown = go_to_question(person)
    study_close(study=study)
    set_revision = study.blocks.get().set_revision
    before = read_matrix(set_revision=set_revision, rule="standard@1")
    counted = counting(study)
    person.refresh_from_db()
    assert not may_see_result(person)
    response_record(participant=person, assignment_id=shown.pk, given=right_given(shown))
    person.refresh_from_db()
    assert may_see_result(person)
    assert counting(study) == counted
    assert counts_of_matrix(read_matrix(set_revision=set_revision, rule="standard@1")) == counts_of_matrix(before)
    # Opened again, the answer is one like any other.
    study_open(study=study)
    finished(study, 4)
    assert person.pk in counting(study)


def counts_of_matrix(matrix: Matrix) -> list[tuple[int, list[int]]]:
    return [(entrant.id, codes.ravel().tolist()) for entrant, codes in matrix.blocks()]


@pytest.mark.django_db
@pytest.mark.parametrize(("is_demo", "closes"), [(False, True), (True, False)])
def test_answers_that_boards_may_show_raise_the_version(is_demo: bool, closes: bool) -> None:
    study = study_of("any", is_demo=is_demo)
    person = make_participant(study, is_demo=is_demo)
    go_to_question(person)
    if closes:
        study_close(study=study)
    version = benchmark_version()
    answer_next(person)
    assert benchmark_version() == version + 1


@pytest.mark.django_db
def test_an_answer_whose_study_closes_meanwhile_is_told_of(monkeypatch) -> None:
    study = study_of("any")
    person = make_participant(study)
    go_to_question(person)

    def close(**arguments: Any) -> bool:
        study_close(study=study)
        return participant_finish(**arguments)

    monkeypatch.setattr(responses, "participant_finish", close)
    version = benchmark_version()
    answer_next(person)
    # Once for the closing, once for the answer that was stored after it.
    assert benchmark_version() == version + 2
