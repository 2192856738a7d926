"""A small benchmark for the tests of boards."""

import pytest

from corpus.models import QuestionSet
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set

TOPICS = ("Organic Chemistry", "Physical Chemistry")


@pytest.fixture
def small_set(db) -> QuestionSet:
    """Ten questions of benchmark `small`: the first six organic, the rest physical."""
    benchmark = make_benchmark(slug="small", name="Small bench")
    questions = make_questions(benchmark, [{"key": f"q{number}"} for number in range(10)])
    label_questions(questions, [TOPICS[number >= 6] for number in range(10)])
    return make_set(benchmark, "small", questions, name="Small set")
