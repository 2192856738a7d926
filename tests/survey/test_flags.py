"""Answers given without reading: what is seen in them, and what a review decides."""

import io
import json
import random
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from corpus.models import ActionLog, Benchmark
from survey.errors import FlagRefusedError
from survey.flagging import Choice, Timed, attention_missed, straight_line, too_fast, upper_tail
from survey.models import Assignment, Participant, ParticipantFlag, Response, Study
from survey.selectors.inclusion import inclusions
from survey.services import flag_review, flags_find, participant_withdraw, study_close
from survey.services.flags import readable_characters
from survey.services.responses import Given, response_record
from tests.survey.factories import go_to_question, make_participant, make_study


@pytest.mark.parametrize(
    ("chances", "count", "expected"),
    [
        ([0.5, 0.5], 0, 1.0),
        ([0.5, 0.5], 1, 0.75),
        ([0.5, 0.5], 2, 0.25),
        ([0.25] * 4, 4, 0.25**4),
        ([0.2, 0.5], 1, 1 - 0.8 * 0.5),
        ([], 0, 1.0),
    ],
)
def test_the_upper_tail_of_a_sum_of_draws(chances, count, expected) -> None:
    assert upper_tail(chances, count) == pytest.approx(expected)


def choices(*places: int, n_options: int = 4) -> list[Choice]:
    return [Choice(place, n_options) for place in places]


@pytest.mark.parametrize(
    ("given", "is_flagged"),
    [
        (choices(*[0] * 10), True),
        (choices(*[3] * 10), True),
        (choices(*[0] * 9), False),  # too few to say
        (choices(*[0] * 7, 1, 2, 3), False),  # by chance in more than one person in 1,000
        (choices(*[0] * 9, 1), True),
        (choices(*[0, 1, 2, 3] * 20), False),
        (choices(*[0] * 90, *[1, 2, 3] * 35), False),  # beyond chance, but less than half
        (choices(*[0] * 9, 1, n_options=2), False),
        (choices(*[0] * 20, n_options=2), True),
        (choices(*[0] * 40, n_options=1), False),  # nothing to choose
        (choices(*[2] * 20) + choices(*[0] * 5, n_options=2), True),
    ],
)
def test_the_same_place_again_and_again(given, is_flagged) -> None:
    assert (straight_line(given) is not None) is is_flagged


def test_few_who_choose_by_content_are_flagged() -> None:
    generator = random.Random(20)
    people = [choices(*[generator.randrange(4) for _ in range(n)]) for n in (10, 12, 20, 40) for _ in range(1000)]
    assert sum(straight_line(person) is not None for person in people) <= 8


def test_what_was_seen_is_said() -> None:
    assert straight_line(choices(*[1] * 30)) == (
        "place 2 chosen in 30 of 30 choices; by chance less than once in a million people"
    )


@pytest.mark.parametrize(
    ("answers", "is_flagged"),
    [
        ([Timed(60, 300)] * 20, False),
        ([Timed(1, 20)] * 9, False),  # too few to say
        ([Timed(1, 20)] * 10, True),
        ([Timed(1, 20)] * 5 + [Timed(60, 300)] * 15, False),  # a quarter is not more than a quarter
        ([Timed(1, 20)] * 6 + [Timed(60, 300)] * 14, True),
        ([Timed(5, 300)] * 11 + [Timed(60, 300)] * 9, True),  # 60 characters a second in more than half
        ([Timed(5, 300)] * 9 + [Timed(60, 300)] * 11, False),
        ([Timed(6, 300)] * 20, False),
        ([Timed(0, 300)] * 20, True),
    ],
)
def test_faster_than_can_be_read(answers, is_flagged) -> None:
    assert (too_fast(answers) is not None) is is_flagged


@pytest.mark.parametrize(
    ("n_missed", "n_checks", "is_flagged"),
    [(0, 0, False), (0, 5, False), (1, 1, True), (1, 2, True), (1, 3, False), (1, 10, False), (2, 10, True)],
)
def test_attention_checks_missed(n_missed, n_checks, is_flagged) -> None:
    assert (attention_missed(n_missed, n_checks) is not None) is is_flagged


def test_a_drawn_structure_is_not_read_letter_by_letter() -> None:
    assert readable_characters("Name [START_SMILES]CC(C)CCCC(C)CCC[END_SMILES] now") == len("Name  now")


# With stored answers

N = 12


def answer_all(person: Participant, *, place: int | None = None, seconds: float = 60) -> None:
    for number in range(N):
        assignment = go_to_question(person)
        key = assignment.option_order[number % 3 if place is None else place]
        given = Given(option_keys=(key,))
        # Shown in the past: an answer of the future would come after any closing.
        now = timezone.now()
        Assignment.objects.filter(pk=assignment.pk).update(served_at=now - timedelta(seconds=seconds))
        response_record(participant=person, assignment_id=assignment.pk, given=given, now=now)
        person.refresh_from_db()


@pytest.fixture
def study(db) -> Study:
    return make_study(n_choice=N, n_number=0, n_tools=0)


def codes(person: Participant) -> list[str]:
    return list(person.flags.values_list("code", flat=True))


@pytest.mark.parametrize(
    ("how", "expected"),
    [({}, []), ({"place": 1}, ["straight_line"]), ({"seconds": 1}, ["too_fast"])],
)
def test_flags_are_there_at_the_finish_and_leave_the_person_out(study, how, expected) -> None:
    person = make_participant(study)
    answer_all(person, **how)
    assert person.finished_at is not None
    assert codes(person) == expected
    assert Response.objects.count() == N
    study_close(study=study)
    assert inclusions(study=study).people[person.pk].counts is (not expected)


def test_none_of_the_above_is_always_last_and_says_nothing(study) -> None:
    person = make_participant(study)
    answer_all(person, place=3)
    assert codes(person) == []


def test_time_away_is_taken_off(study) -> None:
    person = make_participant(study)
    answer_all(person, seconds=100)
    Response.objects.update(away_seconds=99)
    flags_find(participant=person)
    assert codes(person) == ["too_fast"]


def test_not_to_know_takes_no_time_and_has_no_place(study) -> None:
    Study.objects.update(offers_do_not_know=True)
    person = make_participant(study)
    answer_all(person, seconds=1, place=0)
    assert codes(person) == ["straight_line", "too_fast"]
    Response.objects.update(do_not_know=True, chosen_option_keys=[])
    flags_find(participant=person)
    assert codes(person) == []


def test_attention_checks_are_looked_at_apart(study) -> None:
    person = make_participant(study)
    answer_all(person)
    Assignment.objects.filter(participant=person, position__lte=3).update(is_attention_check=True)
    Response.objects.filter(assignment__position__lte=2).update(outcome="wrong")
    Response.objects.filter(assignment__position=3).update(outcome="right")
    flags_find(participant=person)
    flag = person.flags.get()
    assert (flag.code, flag.detail) == ("attention", "2 of 3 attention checks missed")


@pytest.mark.parametrize("is_left_out", [True, False])
def test_looking_again_never_undoes_a_review(study, is_left_out) -> None:
    person = make_participant(study)
    answer_all(person, place=0)
    (flag,) = person.flags.all()
    user = User.objects.create_user("reviewer")
    flag_review(flag=flag, is_left_out=is_left_out, reason=" Talked to them. ", actor=user)
    before = ParticipantFlag.objects.values().get()
    assert flags_find(participant=person) == (0, 0)
    Response.objects.update(chosen_option_keys=[])
    assert flags_find(participant=person) == (0, 0)
    assert ParticipantFlag.objects.values().get() == before
    assert (before["review_reason"], before["reviewed_by_id"]) == ("Talked to them.", user.pk)
    study_close(study=study)
    assert inclusions(study=study).people[person.pk].counts is not is_left_out


def test_a_review_is_recorded_and_boards_follow(study) -> None:
    person = make_participant(study)
    answer_all(person, place=0)
    (flag,) = person.flags.all()
    version = Benchmark.objects.get().results_version
    flag_review(flag=flag, is_left_out=True, reason="Always the first.", actor=None)
    flag_review(flag=flag, is_left_out=False, reason="No, they were right.", actor=None)
    assert Benchmark.objects.get().results_version == version + 2
    details = [log.detail for log in ActionLog.objects.filter(code="flag.reviewed").order_by("pk")]
    assert [detail["was_left_out"] for detail in details] == [None, True]


@pytest.mark.parametrize("reason", ["", "   ", "x" * 301])
def test_a_review_needs_a_reason(study, reason) -> None:
    person = make_participant(study)
    answer_all(person, place=0)
    with pytest.raises(FlagRefusedError, match="reason"):
        flag_review(flag=person.flags.get(), is_left_out=True, reason=reason, actor=None)
    assert person.flags.get().is_left_out is None


def test_a_flag_of_somebody_who_withdrew_meanwhile_is_not_reviewed(study) -> None:
    person = make_participant(study)
    flag = ParticipantFlag.objects.create(participant=person, code="too_fast", detail="", found_at=timezone.now())
    participant_withdraw(participant=person)
    with pytest.raises(FlagRefusedError, match="This flag is gone"):
        flag_review(flag=flag, is_left_out=True, reason="Too fast.", actor=None)
    assert not ActionLog.objects.filter(code="flag.reviewed").exists()


def test_an_answer_is_stored_though_flags_fail(study, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("not this time")

    monkeypatch.setattr("survey.services.flags.straight_line", fail)
    person = make_participant(study)
    answer_all(person, place=0)
    assert person.finished_at is not None
    assert Response.objects.count() == N
    assert codes(person) == []


def test_the_command_looks_at_everybody_again(study) -> None:
    straight, fine, gone = [make_participant(study) for _ in range(3)]
    answer_all(straight, place=0)
    answer_all(fine)
    answer_all(gone, place=0)
    participant_withdraw(participant=gone)
    ParticipantFlag.objects.all().delete()
    ParticipantFlag.objects.create(participant=fine, code="attention", detail="old", found_at=fine.finished_at)
    out = io.StringIO()
    call_command("flag_answers", "--study", study.slug, "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert (report["found"], report["dropped"]) == (1, 1)
    assert [(flag["pseudonym"], flag["code"]) for flag in report["flags"]] == [(straight.pseudonym, "straight_line")]
    again = io.StringIO()
    call_command("flag_answers", "--study", study.slug, stdout=again)
    assert "0 new, 0 dropped, 1 in all." in again.getvalue()


def test_the_command_says_which_studies_there_are(study) -> None:
    with pytest.raises(CommandError, match=study.slug):
        call_command("flag_answers", "--study", "none")
