"""What the survey stores, and what it refuses."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from corpus.models import ActionLog
from survey.errors import (
    AnswerRefusedError,
    ConsentOutdatedError,
    NotYoursError,
    NotYourTurnError,
    StudyNotOpenError,
    StudyNotReadyError,
    WithdrawnError,
)
from survey.models import Assignment, BlockVisit, Participant, Response, Study
from survey.selectors.steps import StepKind, current_step
from survey.selectors.studies import current_consent
from survey.services import (
    Given,
    assignment_serve,
    assignments_draw,
    block_begin,
    consent_text_add,
    participant_begin,
    profile_record,
    response_record,
    study_close,
    study_create,
    study_open,
)
from survey.services import responses as responses_module
from tests.corpus.factories import make_benchmark, make_question, make_set_revision
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study, right_given

pytestmark = pytest.mark.django_db


# Studies


def test_study_without_blocks_cannot_be_opened() -> None:
    study = study_create(slug="empty", title="Empty", consent_text="Yes?", blocks=[])
    with pytest.raises(StudyNotReadyError, match="no block"):
        study_open(study=study)
    assert Study.objects.get().status == Study.Status.DRAFT


def test_study_with_a_question_nobody_can_answer_here_cannot_be_opened() -> None:
    study = make_study(opened=False)
    block = study.blocks.first()
    molecule = make_question(make_benchmark(), kind="molecule", target="CCO")
    block.set_revision = make_set_revision(block.set_revision.question_set, [molecule])
    block.save()
    with pytest.raises(StudyNotReadyError, match="neither choice nor number"):
        study_open(study=study)


def test_slug_of_personal_links_is_refused_for_a_study() -> None:
    with pytest.raises(StudyNotReadyError):
        study_create(slug="resume", title="Resume", consent_text="", blocks=[])
    with pytest.raises(ValidationError):
        study_create(slug="not a slug", title="No", consent_text="", blocks=[])


def test_opening_and_closing_are_in_the_action_log() -> None:
    study = make_study()
    study_close(study=study)
    codes = ActionLog.objects.filter(object_id=str(study.pk)).values_list("code", flat=True)
    assert sorted(codes) == ["study.closed", "study.opened"]


# Participants


def test_consent_is_stored_with_the_text_that_was_agreed_to() -> None:
    study = make_study()
    participant = make_participant(study, practised=False)
    consent_text_add(study=study, text="Another text.")
    participant.refresh_from_db()
    assert participant.consent_text.version == 1
    assert participant.consented_at is not None


def test_consent_to_an_earlier_text_is_not_accepted() -> None:
    study = make_study()
    first = current_consent(study)
    consent_text_add(study=study, text="Another text.")
    with pytest.raises(ConsentOutdatedError):
        participant_begin(study=study, consent_text_id=first.pk, link_secret="s")
    assert not Participant.objects.exists()


def test_an_option_named_twice_is_chosen_once() -> None:
    person = make_participant(make_study(n_choice=1, n_number=0, n_tools=0))
    (right,) = right_given(go_to_question(person)).option_keys
    response = answer_next(person, Given(option_keys=(right, right), confidence=3)).response
    assert (response.chosen_option_keys, response.outcome) == ([right], "right")


def test_same_consent_page_twice_is_one_participant() -> None:
    study = make_study()
    assert make_participant(study, link_secret="once") == make_participant(study, link_secret="once")
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("status", [Study.Status.DRAFT, Study.Status.CLOSED])
def test_nobody_begins_a_study_that_is_not_open(status: str) -> None:
    study = make_study()
    Study.objects.update(status=status)
    study.refresh_from_db()
    with pytest.raises(StudyNotOpenError):
        make_participant(study)


def test_profile_is_stored_once() -> None:
    participant = make_participant(make_study(), practised=False)
    assert profile_record(participant=participant, education="master", years_experience=7, specialties=["x"])
    assert not profile_record(participant=participant, education="school")
    stored = Participant.objects.get()
    assert (stored.education, stored.years_experience, stored.specialties) == ("master", 7, ["x"])


# Assignments


def test_order_is_drawn_once_and_differs_between_people() -> None:
    study = make_study(n_choice=12, n_number=0, n_tools=0)
    people = [make_participant(study) for _ in range(3)]
    orders = [list(_order(person)) for person in people]
    assert len({tuple(order) for order in orders}) > 1
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert [assignments_draw(participant=person) for person in people] == [12, 12, 12]
    assert [list(_order(person)) for person in people] == orders


def _order(person: Participant) -> list[int]:
    return list(person.assignments.order_by("position").values_list("question_revision_id", flat=True))


def test_options_are_shuffled_with_none_of_the_above_last() -> None:
    study = make_study(n_choice=12, n_number=0, n_tools=0)
    assignments = make_participant(study).assignments.prefetch_related("question_revision__options")
    first_texts = set()
    for assignment in assignments:
        texts = {option.option_key: option.text for option in assignment.question_revision.options.all()}
        assert sorted(assignment.option_order) == sorted(texts)
        assert texts[assignment.option_order[-1]] == "None of the above"
        first_texts.add(texts[assignment.option_order[0]])
    assert len(first_texts) > 1


def test_question_in_two_blocks_is_given_once() -> None:
    study = make_study(n_choice=3, n_number=0, n_tools=2)
    blocks = list(study.blocks.all())
    shared_question = blocks[0].set_revision.members.first().question_revision
    own = blocks[1].set_revision.members.first().question_revision
    blocks[1].set_revision = make_set_revision(blocks[1].set_revision.question_set, [shared_question, own])
    blocks[1].save()
    given = make_participant(study).assignments.values_list("block__slug", "question_revision_id")
    assert len(given) == 4
    assert ("tools", shared_question.pk) not in given


def test_question_added_to_the_set_later_does_not_change_a_drawn_order() -> None:
    study = make_study(n_choice=3, n_number=0, n_tools=0)
    person = make_participant(study)
    before = _order(person)
    block = study.blocks.get()
    members = [member.question_revision for member in block.set_revision.members.all()]
    added = make_question(make_benchmark())
    block.set_revision = make_set_revision(block.set_revision.question_set, [*members, added])
    block.save()
    assert assignments_draw(participant=person) == 3
    assert _order(person) == before
    assert make_participant(study).assignments.count() == 4


def test_blocks_come_in_the_listed_order() -> None:
    person = make_participant(make_study(n_choice=2, n_number=1, n_tools=2))
    assignments = list(person.assignments.select_related("block"))
    assert [assignment.position for assignment in assignments] == [1, 2, 3, 4, 5]
    slugs = [assignment.block.slug for assignment in assignments]
    assert slugs == ["no-tools"] * 3 + ["tools"] * 2


def test_random_block_order_gives_both_orders() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=1, block_order=Study.BlockOrder.RANDOM)
    firsts = {make_participant(study).assignments.first().block.slug for _ in range(30)}
    assert firsts == {"no-tools", "tools"}


def test_block_begins_in_turn_and_once() -> None:
    study = make_study()
    person = make_participant(study)
    first, second = study.blocks.all()
    with pytest.raises(NotYourTurnError):
        block_begin(participant=person, block_id=second.pk)
    visit = block_begin(participant=person, block_id=first.pk)
    assert block_begin(participant=person, block_id=first.pk) == visit
    assert BlockVisit.objects.count() == 1


def test_first_showing_is_the_time_that_counts() -> None:
    assignment = go_to_question(make_participant(make_study()))
    first = assignment.served_at
    assignment_serve(assignment=assignment, now=timezone.now() + timedelta(hours=1))
    assert Assignment.objects.get(pk=assignment.pk).served_at == first


# Answers


def test_answer_is_stored_with_what_was_read_and_whether_it_is_right() -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    person = make_participant(study)
    recorded = answer_next(person, Given(typed_text=" 4.15 × 10⁻²¹ "))
    response = Response.objects.get()
    reading = response.readings.get()
    assert recorded.created
    assert response.typed_text == " 4.15 × 10⁻²¹ "
    assert Decimal(reading.number) == Decimal("4.15E-21")
    assert (response.outcome, response.credit, response.rule) == ("right", 1, "standard@1")
    assert response.scores.get().outcome == "right"


def test_choice_is_judged_by_identity_whatever_the_order() -> None:
    study = make_study(n_choice=8, n_number=0, n_tools=0)
    person = make_participant(study)
    for _ in range(8):
        answer_next(person)
    assert set(Response.objects.values_list("outcome", flat=True)) == {"right"}
    wrong = make_participant(study)
    assignment = go_to_question(wrong)
    right = right_given(assignment).option_keys
    other = next(key for key in assignment.option_order if key not in right)
    assert answer_next(wrong, Given(option_keys=(other,))).response.outcome == "wrong"


def test_second_answer_changes_nothing() -> None:
    person = make_participant(make_study(n_choice=2, n_number=0, n_tools=0))
    assignment = go_to_question(person)
    first, second = assignment.option_order[:2]
    kept = response_record(participant=person, assignment_id=assignment.pk, given=Given(option_keys=(first,)))
    again = response_record(participant=person, assignment_id=assignment.pk, given=Given(option_keys=(second,)))
    assert (kept.created, again.created) == (True, False)
    assert again.response.chosen_option_keys == [first]
    assert Response.objects.count() == 1


def test_seconds_run_from_served_to_answered_by_the_server() -> None:
    person = make_participant(make_study())
    assignment = go_to_question(person)
    answered = assignment.served_at + timedelta(seconds=83.5)
    given = right_given(assignment)
    recorded = response_record(participant=person, assignment_id=assignment.pk, given=given, now=answered)
    assert recorded.response.seconds == pytest.approx(83.5)
    assert recorded.response.answered_at == answered


def test_number_clarified_by_the_person_keeps_what_was_typed_first() -> None:
    person = make_participant(make_study(n_choice=0, n_number=1, n_tools=0))
    response = answer_next(person, Given(typed_text="1.234", typed_first="1,234")).response
    reading = response.readings.get()
    assert Decimal(reading.number) == Decimal("1.234")
    assert "clarified-by-person" in reading.notes
    assert "'1,234'" in reading.reason


@pytest.mark.parametrize("typed", ["", "   ", "asdf", "no idea", "what is meant by x?"])
def test_unreadable_number_is_refused_with_an_example(typed: str) -> None:
    person = make_participant(make_study(n_choice=0, n_number=1, n_tools=0))
    with pytest.raises(AnswerRefusedError, match="4.15e-21"):
        answer_next(person, Given(typed_text=typed))
    assert not Response.objects.exists()


@pytest.mark.parametrize("keys", [(), ("0" * 32,)])
def test_choice_of_nothing_or_of_something_not_shown_is_refused(keys: tuple[str, ...]) -> None:
    person = make_participant(make_study(n_number=0))
    with pytest.raises(AnswerRefusedError):
        answer_next(person, Given(option_keys=keys))


def test_later_question_cannot_be_answered_first() -> None:
    person = make_participant(make_study())
    go_to_question(person)
    later = person.assignments.get(position=2)
    with pytest.raises(NotYourTurnError):
        response_record(participant=person, assignment_id=later.pk, given=right_given(later))


def test_question_that_was_never_shown_cannot_be_answered() -> None:
    study = make_study()
    person = make_participant(study)
    block_begin(participant=person, block_id=study.blocks.first().pk)
    first = person.assignments.get(position=1)
    with pytest.raises(NotYourTurnError):
        response_record(participant=person, assignment_id=first.pk, given=right_given(first))


def test_question_of_someone_else_cannot_be_answered() -> None:
    study = make_study()
    mine, theirs = make_participant(study), make_participant(study)
    assignment = go_to_question(theirs)
    with pytest.raises(NotYoursError):
        response_record(participant=mine, assignment_id=assignment.pk, given=right_given(assignment))


def test_withdrawn_person_and_study_not_open_store_nothing() -> None:
    study = make_study()
    person = make_participant(study)
    assignment = go_to_question(person)
    Participant.objects.update(withdrawn_at=timezone.now())
    with pytest.raises(WithdrawnError):
        response_record(participant=person, assignment_id=assignment.pk, given=right_given(assignment))
    Participant.objects.update(withdrawn_at=None)
    Study.objects.update(status=Study.Status.DRAFT)
    with pytest.raises(StudyNotOpenError):
        response_record(participant=person, assignment_id=assignment.pk, given=right_given(assignment))
    assert not Response.objects.exists()


def test_closed_study_takes_the_answer_to_the_question_shown_before_and_no_other() -> None:
    person = make_participant(make_study(n_choice=3, n_number=0, n_tools=0))
    shown = go_to_question(person)
    study_close(study=person.study)
    assert response_record(participant=person, assignment_id=shown.pk, given=right_given(shown)).created
    later = person.assignments.get(position=2)
    with pytest.raises(StudyNotOpenError):
        response_record(participant=person, assignment_id=later.pk, given=right_given(later))
    assert Response.objects.count() == 1


def test_do_not_know_is_kept_apart_from_wrong_and_only_where_offered() -> None:
    offering = make_participant(make_study(offers_do_not_know=True))
    response = answer_next(offering, Given(do_not_know=True)).response
    assert (response.outcome, response.do_not_know) == ("do_not_know", True)
    with pytest.raises(AnswerRefusedError):
        answer_next(make_participant(make_study()), Given(do_not_know=True))


def test_confidence_is_needed_where_the_study_asks_for_it() -> None:
    person = make_participant(make_study(n_number=0, asks_confidence=True))
    keys = right_given(go_to_question(person)).option_keys
    with pytest.raises(AnswerRefusedError, match="sure"):
        answer_next(person, Given(option_keys=keys))
    assert answer_next(person, Given(option_keys=keys, confidence=4)).response.confidence == 4


def test_tools_are_stored_per_question_of_the_block_that_allows_them() -> None:
    person = make_participant(make_study(n_choice=1, n_number=0, n_tools=2))
    keys = right_given(go_to_question(person)).option_keys
    with pytest.raises(AnswerRefusedError, match="without tools"):
        answer_next(person, Given(option_keys=keys, tools_used=("RDKit",)))
    answer_next(person)
    keys = right_given(go_to_question(person)).option_keys
    with pytest.raises(AnswerRefusedError, match="tools"):
        answer_next(person, Given(option_keys=keys))
    answer_next(person, Given(option_keys=keys, tools_used=("web search", "RDKit")))
    answer_next(person)
    stored = Response.objects.order_by("assignment__position").values_list("tools_used", flat=True)
    assert list(stored) == [[], ["web search", "RDKit"], ["none"]]


def test_last_answer_finishes_the_study() -> None:
    person = make_participant(make_study(n_choice=1, n_number=1, n_tools=1))
    steps = []
    for _ in range(3):
        assert person.finished_at is None
        steps.append(current_step(person).kind)
        answer_next(person)
    assert steps == [StepKind.RULES, StepKind.QUESTION, StepKind.RULES]
    assert person.finished_at is not None
    assert current_step(person).kind is StepKind.FINISH


def test_answer_is_kept_when_it_cannot_be_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise ArithmeticError("a rule that breaks")

    person = make_participant(make_study())
    monkeypatch.setattr(responses_module, "store_verdicts_in_bulk", broken)
    response = answer_next(person).response
    assert Response.objects.get() == response
    assert (response.outcome, response.scores.count()) == ("", 0)
