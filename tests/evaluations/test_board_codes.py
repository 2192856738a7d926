"""The verdicts of a board as numbers are those of its items."""

import random

import pytest
from django.contrib.auth.models import User

from corpus.scoring.types import Outcome
from evaluations.models import Item, ItemReading
from evaluations.selectors import board_codes, board_items
from tests.corpus.factories import make_revision
from tests.evaluations.test_selectors import add_score, make_run, make_system, questions, roots

__all__ = ["questions"]
pytestmark = pytest.mark.django_db
CODES = {outcome.value: code for code, outcome in enumerate(Outcome)}
RULES = ("standard@1", "as-published@1", "chempro-exact@1")


def by_place(*, wanted, rule, with_fallback=True):
    """Return codes by system, root and repeat, once from the items and once from the codes."""
    items = board_items(root_ids=wanted, rule=rule, with_hidden=True, with_fallback=with_fallback)
    expected = {}
    for item in items.items:
        outcome = "error" if item.status == "failed" else item.outcome
        if outcome:
            expected[item.system_id, item.root_id, item.repeat] = CODES[outcome]
    found = board_codes(root_ids=wanted, rule=rule, codes=CODES, with_fallback=with_fallback)
    assert found.runs == items.runs
    return expected, {tuple(place): code for piece in found.pieces for *place, code in piece}


def states(chance):
    return [chance.choice(["right", "wrong", "unparsed", "refused", "error", "failed", "waiting"]) for _ in range(6)]


@pytest.mark.parametrize("seed", range(4))
def test_they_are_the_same_whatever_became_of_the_items(questions, seed):
    chance = random.Random(seed)
    person = User.objects.create_user("person")
    later = make_revision(questions[0], comparison_root=questions[0].current_revision)
    for number in range(4):
        system = make_system(f"s{number}", is_hidden=number == 3)
        for _ in range(2):
            rule = chance.choice(RULES[:2])
            origin = chance.choice(["asked", "imported"])
            make_run(system, questions, states(chance), repeats=2, rule=rule, origin=origin)
    for item in Item.objects.filter(status="answered").order_by("pk"):
        if item.question_revision.question == questions[0] and chance.random() < 0.5:
            item.key_revision = later
            item.save()
        for _ in range(chance.randrange(4)):
            score = add_score(
                item,
                chance.choice(RULES),
                chance.choice(["right", "wrong", "unparsed"]),
                corrected_by=person if chance.random() < 0.3 else None,
            )
            score.key_revision = chance.choice([None, item.key_revision, later])
            score.save()
    wanted = roots(questions)[: 3 - seed % 2]
    seen = set()
    for rule in RULES:
        expected, found = by_place(wanted=wanted, rule=rule)
        assert found == expected
        seen |= set(found.values())
    assert len(seen) >= 4


def test_without_a_fallback_reader_what_only_it_could_read_is_unparsed(questions):
    run = make_run(make_system(), questions, ["right", "right", "wrong"])
    for item in run.items.order_by("pk")[:2]:
        ItemReading.objects.create(answer=item, reader="standard@1", status="unparsed")
        ItemReading.objects.create(answer=item, reader="fallback@1:s", status="read")
    for with_fallback, n_unparsed in ((True, 0), (False, 2)):
        expected, found = by_place(wanted=roots(questions), rule="standard@1", with_fallback=with_fallback)
        assert found == expected
        assert list(found.values()).count(CODES["unparsed"]) == n_unparsed


def test_only_the_systems_asked_for_are_read(questions):
    first, second = make_system("a"), make_system("b")
    for system in (first, second):
        make_run(system, questions, ["right"] * 3)
    found = board_codes(root_ids=roots(questions), rule="standard@1", codes=CODES, system_ids=[second.pk])
    assert [run.system_id for run in found.runs] == [second.pk]
    assert {row[0] for piece in found.pieces for row in piece} == {second.pk}


def test_a_board_takes_four_queries_at_most(questions, django_assert_max_num_queries):
    for number in range(3):
        run = make_run(make_system(f"s{number}"), questions, ["right"] * 3, rule=RULES[number % 2])
        add_score(run.items.first(), "standard@1", "wrong")
    with django_assert_max_num_queries(4):
        pieces = list(board_codes(root_ids=roots(questions), rule="standard@1", codes=CODES).pieces)
    assert len([row for piece in pieces for row in piece]) == 7
