"""Who of a study counts: the decision, what it is decided from, and how it is said."""

import pytest
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog, Benchmark
from survey.admin.study_forms import StudyForm
from survey.inclusion_rules import (
    BlockCounts,
    Completion,
    InclusionRule,
    PersonFacts,
    Reason,
    decide,
    inclusion_text,
)
from survey.models import Assignment, Participant, ParticipantFlag, Response, Study
from survey.selectors.board import board_answers
from survey.selectors.inclusion import inclusions, study_inclusion_text
from survey.services import inclusion_preview, inclusion_rule_set, participant_withdraw, study_close, study_open
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.survey.factories import answer_next, make_participant, make_study

STUDY, BLOCK, ANY = Completion.STUDY, Completion.BLOCK, Completion.ANY


def blocks(*counts: tuple[int, ...]) -> tuple[BlockCounts, ...]:
    return tuple(BlockCounts(number, *row) for number, row in enumerate(counts, start=1))


FULL = blocks((5, 5), (3, 3))
HALF = blocks((5, 5), (3, 1))
ONE = blocks((5, 1), (3, 0))
NOTHING = blocks((5, 0), (3, 0))


@pytest.mark.parametrize(
    ("rule", "counts", "n_open", "reason", "block_ids"),
    [
        (STUDY, FULL, 0, Reason.NONE, {1, 2}),
        (STUDY, FULL, 1, Reason.NOT_FINISHED, set()),  # an attention check is still open
        (STUDY, HALF, 2, Reason.NOT_FINISHED, set()),
        (STUDY, ONE, 7, Reason.NOT_FINISHED, set()),
        (STUDY, (), 0, Reason.NOT_FINISHED, set()),
        (STUDY, blocks((5, 5, 1), (3, 3)), 0, Reason.UNJUDGED, set()),
        (BLOCK, FULL, 0, Reason.NONE, {1, 2}),
        (BLOCK, FULL, 1, Reason.NONE, {1, 2}),
        (BLOCK, HALF, 2, Reason.NONE, {1}),
        (BLOCK, ONE, 7, Reason.NOT_FINISHED, set()),
        (BLOCK, blocks((5, 5, 1), (3, 3)), 0, Reason.NONE, {2}),
        (BLOCK, blocks((5, 5, 1), (3, 1)), 2, Reason.UNJUDGED, set()),
        (BLOCK, (), 0, Reason.NOT_FINISHED, set()),
        (ANY, FULL, 0, Reason.NONE, {1, 2}),
        (ANY, HALF, 2, Reason.NONE, {1, 2}),
        (ANY, ONE, 7, Reason.NONE, {1}),
        (ANY, NOTHING, 8, Reason.NOT_FINISHED, set()),
        (ANY, blocks((5, 2, 1)), 3, Reason.NONE, {1}),
        (ANY, blocks((5, 2, 2)), 3, Reason.UNJUDGED, set()),
    ],
)
def test_what_must_be_answered_is_the_rules_to_say(rule, counts, n_open, reason, block_ids) -> None:
    decision = decide(PersonFacts(blocks=counts, n_open=n_open), InclusionRule(rule))
    assert (decision.reason, decision.block_ids, decision.counts) == (reason, block_ids, not reason)


@pytest.mark.parametrize(
    ("minimum", "counts_unknown", "years", "reason"),
    [
        (None, True, None, Reason.NONE),
        (None, False, None, Reason.NONE),
        (0, False, None, Reason.NONE),
        (None, True, 0, Reason.NONE),
        (2, True, 1, Reason.TOO_LITTLE_EXPERIENCE),
        (2, True, 2, Reason.NONE),
        (2, True, None, Reason.NONE),
        (2, False, None, Reason.UNKNOWN_EXPERIENCE),
        (2, False, 30, Reason.NONE),
    ],
)
def test_experience(minimum, counts_unknown, years, reason) -> None:
    rule = InclusionRule(STUDY, minimum, counts_unknown)
    assert decide(PersonFacts(blocks=FULL, years=years), rule).reason is reason


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"has_withdrawn": True, "has_consented": False}, Reason.WITHDRAWN),
        ({"has_consented": False, "has_flag_left_out": True}, Reason.NO_CONSENT),
        ({"has_flag_left_out": True, "has_flag_not_reviewed": True}, Reason.FLAGGED_LEFT_OUT),
        ({"has_flag_not_reviewed": True}, Reason.FLAGGED_NOT_REVIEWED),
    ],
)
@pytest.mark.parametrize("rule", [STUDY, BLOCK, ANY])
def test_other_reasons_hold_under_every_rule(rule, facts, reason) -> None:
    assert decide(PersonFacts(blocks=FULL, **facts), InclusionRule(rule)).reason is reason


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (InclusionRule(), "all questions answered"),
        (InclusionRule(BLOCK, 1), "at least 1 year of experience or not said, a whole part answered, of which"),
        (InclusionRule(ANY, 2, False), "at least 2 years of experience, counted with whatever they answered"),
    ],
)
def test_the_rule_in_words(rule, words) -> None:
    assert rule.words.startswith(words)


WORDS = InclusionRule(STUDY, 2, False).words


@pytest.mark.parametrize(
    ("left_out", "end"),
    [
        (None, "answered."),
        ({}, "answered."),
        ({"not_finished": 5, "too_little_experience": 2}, "answered; 5 not finished, 2 too little experience."),
        # One person is not singled out, whatever it was.
        ({"not_finished": 6, "flagged_left_out": 1}, "answered; 6 not finished, 1 for another reason."),
        ({"unjudged": 1, "flagged_left_out": 1}, "answered; 2 for other reasons."),
        ({"": 3}, "answered."),
    ],
)
def test_the_sentence_names_no_reason_of_one_person(left_out, end) -> None:
    text = inclusion_text(words=WORDS, n_counted=12, n_people=19, left_out=left_out)
    assert text == f"12 of 19 people count: at least 2 years of experience, all questions {end}"


# From the database


@pytest.fixture
def people(db) -> list[Participant]:
    """Three people of a study with two parts of two questions: all answered, one part answered, one answer."""
    study = make_study(n_choice=2, n_number=0, n_tools=2)
    found = [make_participant(study) for _ in range(3)]
    for person, n_answers in zip(found, (4, 2, 1), strict=True):
        for _ in range(n_answers):
            answer_next(person)
    # While it is open, people wait for a whole group: tests/survey/test_joining.py.
    Study.objects.update(status="closed")
    return found


def reasons(people) -> list[str]:
    found = inclusions(study=Study.objects.get()).people
    return [found[person.pk].reason.value for person in people]


def set_rule(**fields) -> None:
    Study.objects.update(**fields)


@pytest.mark.parametrize(
    ("rule", "expected", "n_blocks"),
    [
        (STUDY, ["", "not_finished", "not_finished"], [2, 0, 0]),
        (BLOCK, ["", "", "not_finished"], [2, 1, 0]),
        (ANY, ["", "", ""], [2, 1, 1]),
    ],
)
def test_full_half_and_one_answer_under_each_rule(people, rule, expected, n_blocks) -> None:
    set_rule(completion_rule=rule)
    assert reasons(people) == expected
    found = inclusions(study=Study.objects.get()).people
    assert [len(found[person.pk].block_ids) for person in people] == n_blocks
    assert [found[person.pk].n_answered for person in people] == [4, 2, 1]


def test_who_counts_costs_two_queries(people, django_assert_num_queries) -> None:
    study, benchmark = Study.objects.get(), Benchmark.objects.get()
    with django_assert_num_queries(2):
        inclusions(study=study)
    with django_assert_num_queries(2):
        assert len(inclusions(benchmark_id=benchmark.pk).people) == 3


def test_only_studies_that_ask_the_benchmark_are_looked_at(people) -> None:
    assert inclusions(benchmark_id=make_benchmark().pk).people == {}


def test_flags_count_against_until_reviewed_in_favour(people) -> None:
    flag = ParticipantFlag.objects.create(
        participant=people[0], code="too_fast", detail="seen", found_at=timezone.now()
    )
    for is_left_out, reason in ((None, "flagged_not_reviewed"), (True, "flagged_left_out"), (False, "")):
        ParticipantFlag.objects.filter(pk=flag.pk).update(is_left_out=is_left_out)
        assert reasons(people)[0] == reason


def test_an_unjudged_answer_counts_against_on_its_benchmark_only(people) -> None:
    response = Response.objects.filter(assignment__participant=people[0]).first()
    Response.objects.filter(pk=response.pk).update(outcome="", rule="", credit=None)
    assert reasons(people)[0] == "unjudged"
    other = make_question(make_benchmark()).current_revision
    Assignment.objects.filter(pk=response.assignment_id).update(question_revision=other)
    benchmark_id = Study.objects.get().blocks.first().set_revision.question_set.benchmark_id
    assert inclusions(benchmark_id=benchmark_id).people[people[0].pk].counts


def test_attention_checks_never_count_and_must_be_answered(people) -> None:
    person = people[0]
    check = person.assignments.order_by("position").first()
    Assignment.objects.filter(pk=check.pk).update(is_attention_check=True)
    found = inclusions(study=Study.objects.get()).people[person.pk]
    assert (found.counts, found.n_answered) == (True, 3)
    roots = [check.question_revision.root_id]
    assert person.pk not in {answer.participant_id for answer in board_answers(root_ids=roots, rule="standard@1")}
    Response.objects.filter(assignment=check).delete()
    assert reasons(people)[0] == "not_finished"
    set_rule(completion_rule=BLOCK)
    assert reasons(people)[0] == ""


def test_the_sentence_for_staff_counts_who_gave_an_answer(people) -> None:
    study = Study.objects.get()
    study_open(study=study)
    make_participant(study)
    study_close(study=study)
    participant_withdraw(participant=people[2])
    set_rule(minimum_years=3, counts_unknown_experience=False)
    Participant.objects.filter(pk=people[0].pk).update(years_experience=3)
    assert study_inclusion_text(study=Study.objects.get()) == (
        "1 of 2 people counts: at least 3 years of experience, all questions answered; 1 for another reason."
    )


def test_a_changed_rule_touches_no_answer_and_tells_the_boards(people) -> None:
    study, benchmark = Study.objects.get(), Benchmark.objects.get()
    before = list(Response.objects.order_by("pk").values())
    change = inclusion_rule_set(study=study, rule=InclusionRule(BLOCK))
    assert change == (2, 1, 0)
    assert study.completion_rule == BLOCK
    assert list(Response.objects.order_by("pk").values()) == before
    assert Benchmark.objects.get().results_version == benchmark.results_version + 1
    log = ActionLog.objects.get(code="study.inclusion_changed")
    assert (log.detail["n_joined"], log.detail["before"]) == (1, "all questions answered")


def test_a_preview_changes_nothing(people) -> None:
    study = Study.objects.get()
    version = Benchmark.objects.get().results_version
    assert inclusion_preview(study=study, rule=InclusionRule(STUDY, 2, False)) == (0, 0, 1)
    assert inclusion_preview(study=study, rule=InclusionRule(ANY)) == (3, 2, 0)
    assert Study.objects.get().completion_rule == STUDY
    assert Benchmark.objects.get().results_version == version


def test_the_last_answer_tells_every_benchmark_of_the_study(db) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    other = make_benchmark()
    person = make_participant(study)
    block = study.blocks.first()
    second = make_set(other, "second", [make_question(other)])
    study.blocks.create(position=2, slug="second", title="Second", rules="None.", set_revision=second.current_revision)
    answer_next(person)
    assert person.finished_at is not None
    other.refresh_from_db()
    assert other.results_version > 0
    assert block.set_revision.question_set.benchmark_id != other.pk


# In the admin


def admin_form(study: Study, **fields: object) -> dict[str, object]:
    """Return what the admin's page of a study sends, its parts and consent texts as they are."""
    form = StudyForm(instance=study)
    data = {name: form[name].value() for name in form.fields}
    data = {name: value for name, value in data.items() if value is not None and value is not False}
    data |= {f"{part}-{n}_FORMS": 0 for part in ("consent_texts", "blocks") for n in ("TOTAL", "INITIAL")}
    return data | fields


def test_the_admin_asks_again_before_few_people_are_moved(people, admin_client) -> None:
    study = Study.objects.get()
    url = reverse("admin:survey_study_change", args=[study.pk])
    counted = study_inclusion_text(study=study)
    response = admin_client.post(url, admin_form(study, completion_rule="block"))
    assert "1 more would count and 0 no longer, 2 in all" in response.content.decode()
    assert counted in response.content.decode()
    assert Study.objects.get().completion_rule == STUDY
    version = Benchmark.objects.get().results_version
    response = admin_client.post(url, admin_form(study, completion_rule="block", moves_few_people="on"))
    assert response.status_code == 302
    assert Study.objects.get().completion_rule == BLOCK
    assert Benchmark.objects.get().results_version > version
    assert ActionLog.objects.filter(code="study.inclusion_changed").count() == 1


def test_the_admin_changes_a_rule_that_moves_nobody_or_many(people, admin_client, settings) -> None:
    study = Study.objects.get()
    url = reverse("admin:survey_study_change", args=[study.pk])
    assert admin_client.post(url, admin_form(study, minimum_years=2)).status_code == 302
    assert Study.objects.get().minimum_years == 2
    settings.PEOPLE_MINIMUM_FOR_MEAN = 1
    assert admin_client.post(url, admin_form(Study.objects.get(), completion_rule="any")).status_code == 302
    assert Study.objects.get().completion_rule == ANY
