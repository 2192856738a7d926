"""A small benchmark for the tests of boards."""

import pytest

from corpus.models import QuestionSet
from tests.corpus.factories import label_question, make_benchmark, make_question, make_set

TOPICS = ("Organic Chemistry", "Physical Chemistry")


@pytest.fixture
def small_set(db) -> QuestionSet:
    """Ten questions of benchmark `small`: the first six organic, the rest physical."""
    benchmark = make_benchmark(slug="small", name="Small bench")
    questions = [make_question(benchmark, key=f"q{number}") for number in range(10)]
    for number, question in enumerate(questions):
        label_question(question, name=TOPICS[number >= 6])
    return make_set(benchmark, "small", questions, name="Small set")
