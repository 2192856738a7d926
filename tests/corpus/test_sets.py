"""Reading sets: order, options, roots, labels, and the number of queries."""

import pytest

from corpus.models import QuestionSet
from corpus.selectors.questions import current_revisions, label_names
from corpus.selectors.sets import labels_of_set, root_ids_of_set, set_by_slug, set_members
from tests.corpus.factories import (
    label_question,
    make_benchmark,
    make_question,
    make_revision,
    make_set,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def benchmark():
    return make_benchmark(slug="bench")


@pytest.fixture
def questions(benchmark):
    return [make_question(benchmark, key=key) for key in ("c", "a", "b")]


def test_members_come_in_the_order_of_the_set(benchmark, questions):
    question_set = make_set(benchmark, "s", questions)
    members = set_members(question_set.current_revision_id)
    assert [member.question.key for member in members] == ["c", "a", "b"]


def test_members_and_options_cost_two_queries(benchmark, questions, django_assert_num_queries):
    question_set = make_set(benchmark, "s", questions)
    with django_assert_num_queries(2):
        texts = [
            [member.question.key, *(option.text for option in member.options.all())]
            for member in set_members(question_set.current_revision_id)
        ]
    assert texts[0] == ["c", "benzene", "toluene", "aniline", "phenol"]


def test_set_by_slug(benchmark, questions):
    made = make_set(benchmark, "s", questions)
    found = set_by_slug("s")
    assert (found, found.current_revision, found.benchmark) == (made, made.current_revision, benchmark)
    with pytest.raises(QuestionSet.DoesNotExist):
        set_by_slug("another")


def test_roots_name_the_earliest_comparable_revision(benchmark, questions):
    first = questions[0].current_revision
    later = make_revision(questions[0], comparison_root=first, change="cosmetic")
    question_set = make_set(benchmark, "s", [questions[1], later])
    assert root_ids_of_set(question_set.current_revision_id) == [questions[1].current_revision_id, first.pk]


def test_labels_are_found_under_the_root(benchmark, questions):
    first = questions[0].current_revision
    later = make_revision(questions[0], comparison_root=first, change="cosmetic")
    label_question(questions[0], name="Organic Chemistry")
    label_question(questions[0], grouping="skill", name="Reasoning")
    label_question(questions[1], grouping="skill", name="Reasoning")
    label_question(questions[1], grouping="skill", name="Knowledge")
    question_set = make_set(benchmark, "s", [later, questions[1]])
    pk = question_set.current_revision_id
    assert labels_of_set(pk, "topic") == {first.pk: ["Organic Chemistry"]}
    assert labels_of_set(pk, "skill") == {
        first.pk: ["Reasoning"],
        questions[1].current_revision_id: ["Knowledge", "Reasoning"],
    }
    assert label_names(benchmark.pk, "topic") == {questions[0].pk: ["Organic Chemistry"]}


def test_current_revisions_leave_earlier_ones_out(benchmark, questions):
    later = make_revision(questions[1], stem="Corrected?", change="content")
    found = list(current_revisions(benchmark.pk))
    assert [revision.question.key for revision in found] == ["a", "b", "c"]
    assert found[0] == later
