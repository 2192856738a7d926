"""Identity of options and revisions, and the factories that everyone's tests stand on."""

import pytest

from corpus.services.questions import content_hash, option_key
from tests.corpus.factories import make_benchmark, make_question, make_set


@pytest.mark.parametrize("other", [" A b ", "A  b", "A\nb", "A\u00a0b"])
def test_white_space_does_not_change_an_option(other):
    assert option_key(other) == option_key("A b")


def test_composed_and_decomposed_letters_are_one_option():
    assert option_key("\u00e9") == option_key("e\u0301")


@pytest.mark.parametrize(("one", "other"), [("Co", "CO"), ("c1ccccc1", "C1CCCCC1"), ("A", "B")])
def test_case_and_text_do(one, other):
    assert option_key(one) != option_key(other)


def test_an_option_key_fits_its_column():
    assert len(option_key("x" * 5000)) == 32


def test_content_hash_sees_order_and_credit():
    hashes = {
        content_hash(kind="choice", stem="s", options=options)
        for options in ([("a", 1), ("b", 0)], [("b", 0), ("a", 1)], [("a", 0), ("b", 1)])
    }
    assert len(hashes) == 3


@pytest.mark.django_db
def test_factories_make_a_set_in_order():
    benchmark = make_benchmark(slug="demo")
    first = make_question(benchmark, key="z")
    second = make_question(benchmark, key="a", kind="number", target="-2.5")
    question_set = make_set(benchmark, "demo-set", [first, second.current_revision])
    members = question_set.current_revision.members.all()
    assert [member.question_revision.question.key for member in members] == ["z", "a"]
    assert [option.credit for option in first.current_revision.options.all()] == [1, 0, 0, 0]
    assert second.current_revision.target == "-2.5"
