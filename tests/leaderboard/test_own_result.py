"""The page of a person's own result: when it is there, what it tells, and what it never tells."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from corpus.models import QuestionSet, QuestionSetRevision
from survey.models import Assignment, Participant, Response, Study, StudyBlock
from survey.services import participant_withdraw, study_results_changed
from tests.corpus.factories import label_questions, make_benchmark, make_question, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system
from tests.survey.factories import client_of

pytestmark = pytest.mark.one_database

ANSWERS = "+++++-" + "+--+++"


@pytest.fixture
def question_set(db) -> QuestionSet:
    """Twelve questions: the first six organic, the rest physical."""
    benchmark = make_benchmark(slug="bench")
    questions = make_questions(
        benchmark, [{"key": f"q{number}", "stem": f"Question {number}?"} for number in range(12)]
    )
    label_questions(questions, ["Organic Chemistry"] * 6 + ["Physical Chemistry"] * 6)
    return make_set(benchmark, "bench", questions, name="The bench set")


@pytest.fixture
def person(question_set) -> Participant:
    """Somebody who finished, five of six organic and four of six physical questions right."""
    (found,) = make_people(question_set, [ANSWERS], status="open")
    Participant.objects.filter(pk=found.pk).update(finished_at=timezone.now())
    found.refresh_from_db()
    return found


def page(person: Participant, status: int = 200) -> str:
    response = client_of(person).get(f"/survey/{person.study.slug}/result/")
    assert response.status_code == status, response
    return response.content.decode()


def lines(text: str) -> dict[str, list[str]]:
    """Return {topic: cells} of the table of shares."""
    rows = re.findall(r"<tr[^>]*>\s*<th class=\"name\"[^>]*>\s*([^<]+?)<span.*?</th>(.*?)</tr>", text, re.DOTALL)
    return {
        name: [" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in cells.split("</td>")[:-1]]
        for name, cells in rows
    }


def test_shares_by_topic_stand_beside_the_best_models(person, question_set) -> None:
    make_run(make_system(slug="weak", name="Weak"), question_set, "-" * 11 + "+")
    make_run(make_system(slug="good", name="Good"), question_set, "+" * 9 + "---")
    for number in range(3):
        make_run(make_system(slug=f"middle-{number}", name=f"Middle {number}"), question_set, "+" * 6 + "-" * 6)
    text = page(person)
    assert lines(text) == {
        "Organic Chemistry": ["at least 83.3%", "100.0%", "100.0%", "100.0%"],
        "Physical Chemistry": ["66.7%", "50.0%", "0.0%", "0.0%"],
        "All questions": ["75.0% to 83.3%", "75.0%", "50.0%", "50.0%"],
    }
    assert text.index("Good") < text.index("Middle 0") < text.index("Middle 1")
    assert "Weak" not in text
    assert "Middle 2" not in text


@pytest.mark.parametrize(("n_others", "is_shown"), [(3, False), (4, True)])
def test_other_people_are_there_from_the_public_minimum_on(person, question_set, n_others, is_shown) -> None:
    for other in make_people(question_set, ["+-" * 6] * n_others):
        Participant.objects.filter(pk=other.pk).update(study=person.study, pseudonym=f"other-{other.pk}")
    Assignment.objects.update(block=person.study.blocks.get())
    Participant.objects.update(finished_at=timezone.now())
    study_results_changed(study_id=person.study_id)
    text = page(person)
    assert ("Human experts" in text) == is_shown
    assert len(lines(text)["All questions"]) == 1 + is_shown


def test_nothing_is_told_while_somebody_answers(question_set) -> None:
    (going_on,) = make_people(question_set, ["+++++++++++ "], status="open")
    text = page(going_on, status=403)
    assert "once you have answered the last question" in text
    assert "%" not in text.split("<main")[1].split("</main>")[0]
    Study.objects.update(status="closed")
    assert lines(page(going_on))["Organic Chemistry"][0] == "at least 83.3%"


def test_page_tells_neither_verdicts_nor_keys_while_questions_are_in_use(person) -> None:
    text = page(person)
    for told in ("Question by question", "Question 3?", "benzene", "q3"):
        assert told not in text


@pytest.mark.parametrize(
    ("status", "policy", "is_told"),
    [("open", "open", False), ("closed", "closed", False), ("closed", "open", True)],
)
def test_verdicts_are_listed_once_the_study_is_closed_on_open_sets(person, status, policy, is_told) -> None:
    Study.objects.update(status=status)
    QuestionSet.objects.update(policy=policy)
    text = page(person)
    assert ("Question by question" in text) == is_told
    assert ("Question 5?" in text) == is_told
    assert lines(text)["Organic Chemistry"][0] == ("83.3%" if is_told else "at least 83.3%")
    assert "benzene" not in text


def test_verdicts_stay_hidden_while_another_open_study_asks_the_questions(person, question_set) -> None:
    Study.objects.update(status="closed")
    QuestionSet.objects.update(policy="open")
    make_people(question_set, ["+" * 12], status="open")
    assert "Question by question" not in page(person)


def test_attention_checks_and_answers_without_a_verdict_are_left_out(person) -> None:
    first, second, *_ = person.assignments.order_by("position")
    Assignment.objects.filter(pk=first.pk).update(is_attention_check=True)
    Response.objects.filter(assignment=second).update(outcome="", rule="", credit=None)
    text = page(person)
    assert "1 of your answers has no verdict yet and is left out here" in " ".join(text.split())
    # Once it is judged, the share before and after would tell it: the topic waits, and the total with it.
    assert lines(text) == {"Physical Chemistry": ["66.7%"]}
    Study.objects.update(status="closed")
    QuestionSet.objects.update(policy="open")
    # Of the ten answers with a verdict seven are right.
    assert lines(page(person)) == {
        "Organic Chemistry": ["75.0%"],
        "Physical Chemistry": ["66.7%"],
        "All questions": ["70.0%"],
    }


def test_groups_follow_what_the_person_was_given(person, question_set) -> None:
    """A set that loses a question, or a part that asks another set from now on, tells no verdict by what changes."""
    before = lines(page(person))
    revisions = [member.question_revision for member in question_set.current_revision.members.order_by("position")]
    for number, kept in enumerate((revisions[1:], revisions[:6], revisions[6:])):
        revision = QuestionSetRevision.objects.create(question_set=question_set, number=10 + number)
        for position, question_revision in enumerate(kept, start=1):
            revision.members.create(question_revision=question_revision, position=position)
        QuestionSet.objects.filter(pk=question_set.pk).update(current_revision=revision)
        assert lines(page(person)) == before
    other = make_benchmark(slug="other")
    elsewhere = make_set(other, "elsewhere", [make_question(other)])
    StudyBlock.objects.update(set_revision=elsewhere.current_revision)
    assert lines(page(person)) == before


def test_a_result_over_two_sets_has_a_part_for_each(question_set) -> None:
    benchmark = question_set.benchmark
    tools = make_set(benchmark, "tools", make_questions(benchmark, [{}] * 5), name="The tools set")
    (person,) = make_people(question_set, ["+-" * 6])
    (other,) = make_people(tools, ["+++--"])
    for number, assignment in enumerate(Assignment.objects.filter(participant=other)):
        Assignment.objects.filter(pk=assignment.pk).update(participant=person, position=100 + number)
    Participant.objects.update(finished_at=timezone.now())
    person.refresh_from_db()
    text = page(person)
    assert text.index("The bench set") < text.index("The tools set")
    assert "60.0%" in text


def test_only_the_person_sees_it_and_nobody_who_withdrew(person) -> None:
    url = f"/survey/{person.study.slug}/result/"
    assert Client().get(url)["Location"] == f"/survey/{person.study.slug}/"
    client = client_of(person)
    assert client.get(url)["Cache-Control"].count("no-store")
    participant_withdraw(participant=person)
    response = client.get(url)
    assert response.status_code == 403
    assert "You have withdrawn" in response.content.decode()
