"""People's answers are judged again like models', and what was read from them can be corrected."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from corpus.models import ActionLog
from corpus.scoring.types import Reading, ReadStatus
from corpus.services.corrections import CorrectionError
from corpus.services.rescoring import RescoringError
from survey.models import RescoredResponse, Response, ResponseReading, ResponseRescoring, ResponseScore, Study
from survey.selectors.board import board_answers
from survey.selectors.item_analysis import item_analysis
from survey.services import Given
from survey.services.rescoring import response_reading_correct, study_rescore, study_rescoring_accept
from tests.corpus.factories import make_revision
from tests.survey.factories import answer_next, make_participant, make_study

pytestmark = pytest.mark.django_db


def answered_study(*given: Given, **fields: Any) -> Study:
    """A study with one person, who has answered its first questions."""
    study = make_study(**({"n_choice": 0, "n_number": len(given), "n_tools": 0} | fields))
    participant = make_participant(study)
    for answer in given:
        answer_next(participant, answer)
    return study


def outcomes() -> list[str]:
    return list(Response.objects.order_by("pk").values_list("outcome", flat=True))


def revision_of(response: Response) -> Any:
    return response.assignment.question_revision


@pytest.mark.parametrize(
    "given",
    [
        Given(typed_text="4.15e-21"),
        Given(typed_text="1,234", typed_first="1.234"),
        Given(do_not_know=True),
    ],
)
def test_answers_are_read_as_they_were_when_they_were_given(given: Given) -> None:
    study = answered_study(given, offers_do_not_know=True)
    (proposed,) = study_rescore(study=study)
    assert (proposed.rescoring, proposed.counts.n_answers, proposed.counts.n_drifted) == (None, 1, 0)


def test_ticked_options_are_read_in_the_order_the_person_saw() -> None:
    study = answered_study(n_choice=3, n_number=0)
    participant = study.participants.get()
    for _ in range(3):
        answer_next(participant)
    (proposed,) = study_rescore(study=study)
    assert (proposed.rescoring, proposed.counts.new) == (None, {"right": 3})


def test_a_corrected_key_counts_once_accepted() -> None:
    study = answered_study(Given(typed_text="7"))
    response = Response.objects.get()
    new = make_revision(revision_of(response).question, kind="number", target="7", change="key")
    (proposed,) = study_rescore(study=study)
    assert outcomes() == ["wrong"]
    study_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    assert outcomes() == ["right"]
    (answer,) = board_answers(root_ids=[new.root_id], rule="standard@1")
    assert answer.outcome == "right"
    assert board_answers(root_ids=[revision_of(response).root_id], rule="standard@1") == []


def test_another_rule_is_shown_beside_the_default_one() -> None:
    study = answered_study(Given(typed_text="4.3e-21"))
    (proposed,) = study_rescore(study=study, rule="chempro-tolerance")
    study_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    root = revision_of(Response.objects.get()).root_id
    verdicts = {
        rule: board_answers(root_ids=[root], rule=rule)[0].outcome for rule in ("standard@1", "chempro-tolerance@1")
    }
    assert verdicts == {"standard@1": "wrong", "chempro-tolerance@1": "right"}


def test_an_answer_that_could_not_be_judged_is_judged() -> None:
    study = answered_study(Given(typed_text="4.15e-21"))
    ResponseScore.objects.all().delete()
    ResponseReading.objects.all().delete()
    Response.objects.update(outcome="", credit=None, rule="")
    (proposed,) = study_rescore(study=study)
    study_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    assert outcomes() == ["right"]


def test_people_have_no_published_readings() -> None:
    study = answered_study(Given(typed_text="7"))
    with pytest.raises(RescoringError, match="stored parses"):
        study_rescore(study=study, rule="as-published", reader="standard")
    (proposed,) = study_rescore(study=study, rule="as-published")
    assert (proposed.rescoring, proposed.counts.n_skipped) == (None, 1)


def test_whoever_withdraws_takes_the_rows_of_a_rescoring_along() -> None:
    study = answered_study(Given(typed_text="7"))
    study_rescore(study=study, rule="chempro-exact")
    assert RescoredResponse.objects.count() == 1
    Response.objects.all().delete()
    assert RescoredResponse.objects.count() == 0
    done = study_rescoring_accept(rescoring_id=ResponseRescoring.objects.get().pk)
    assert done.n_scores == 0


def test_a_correction_by_a_maintainer_counts_and_is_logged() -> None:
    answered_study(Given(typed_text="7"))
    maintainer = User.objects.create_user("maintainer")
    reading = Reading(ReadStatus.READ, number=Decimal("4.15E-21"))
    corrected = response_reading_correct(
        response=Response.objects.get(), reading=reading, reason="Written in words.", actor=maintainer
    )
    assert corrected.is_new
    assert outcomes() == ["right"]
    assert ResponseReading.objects.count() == 2
    log = ActionLog.objects.get(code="response.reading_corrected", actor=maintainer)
    assert log.detail == {"reading": corrected.reading.pk, "rule": "standard@1", "reason": "Written in words."}


def test_an_answer_that_was_withdrawn_in_the_meantime_is_not_corrected() -> None:
    answered_study(Given(typed_text="7"))
    response = Response.objects.select_related("assignment__block").get()
    Response.objects.all().delete()
    with pytest.raises(CorrectionError, match="has withdrawn"):
        response_reading_correct(
            response=response, reading=Reading(ReadStatus.REFUSED), reason="-", actor=User.objects.create_user("m")
        )
    assert not ResponseReading.objects.exists()


# Pages


@pytest.fixture
def root(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


def test_the_page_shows_what_was_typed_and_what_was_read_and_corrects_it(root: Client) -> None:
    answered_study(Given(typed_text=" 7 g "))
    response = Response.objects.get()
    page = root.get(reverse("admin:survey_response_change", args=[response.pk]))
    text = page.content.decode()
    assert "<mark>7 g</mark>" in text
    assert "Outside 0.01" in text
    correct = reverse("admin:survey_response_correct", args=[response.pk])
    assert correct in text
    form = {"status": "read", "number": "4.15E-21", "quote": "7", "reason": "A slip in the form."}
    page = root.post(correct, form, follow=True)
    assert outcomes() == ["right"]
    assert "<mark>7</mark>" in page.content.decode()


def test_ticked_options_are_shown_by_the_letters_the_person_saw(root: Client) -> None:
    study = answered_study(n_choice=1, n_number=0)
    response = answer_next(study.participants.get()).response
    page = root.get(reverse("admin:survey_response_change", args=[response.pk]))
    order = response.assignment.option_order
    read = [line.letter for line in page.context["evidence"].options if line.is_read]
    assert read == ["ABCD"[order.index(response.chosen_option_keys[0])]]


def test_from_the_list_of_studies_to_an_accepted_rescoring(root: Client) -> None:
    study = answered_study(Given(typed_text="4.3e-21"))
    action = {"action": "rescore", "_selected_action": [str(study.pk)]}
    address = root.post(reverse("admin:survey_study_changelist"), action)["Location"]
    page = root.post(address, {"rule": "chempro-tolerance@1", "reader": "standard@1"}, follow=True)
    assert [(line["old"], line["new"]) for line in page.context["differences"]] == [("4.3E-21", "4.3E-21")]
    decide = reverse("admin:survey_responserescoring_decide", args=[ResponseRescoring.objects.get().pk])
    page = root.post(decide, {"decision": "accept"}, follow=True)
    assert "is accepted: 1 scores added" in " ".join(str(message) for message in page.context["messages"])
    assert outcomes() == ["wrong"]


def test_an_answer_given_after_a_corrected_key_is_judged_by_it() -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    people = [make_participant(study) for _ in range(4)]
    asked = people[0].assignments.get().question_revision
    corrected = make_revision(asked.question, kind="number", stem="How much?", target="7", change="key")
    for person in people:
        answer_next(person, Given(typed_text="7", confidence=3))
    assert set(Response.objects.values_list("outcome", "key_revision")) == {("right", corrected.pk)}
    assert set(ResponseScore.objects.values_list("outcome", "key_revision")) == {("right", corrected.pk)}
    assert item_analysis(study).items[0].doubts == ()
