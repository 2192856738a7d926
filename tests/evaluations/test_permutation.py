"""Options in another order at every repeat: repeatable, spread evenly, and never a change of the verdict."""

from collections import Counter
from collections.abc import Callable
from math import factorial

import pytest

from corpus.models import QuestionSetRevision
from corpus.scoring.letters import option_letter
from evaluations.models import Item, Run, System
from evaluations.services.asking import ask_until_done
from evaluations.services.permutation import shown_order
from evaluations.services.rescoring import run_rescore
from evaluations.services.runs import run_create
from evaluations.services.systems import ensure_random_system
from tests.fake_servers.server import FakeServer, Said

KEYS = ("k1", "k2", "k3", "k4")


def orders(n: int, *, seed: int = 7, question: str = "q", keys: tuple[str, ...] = KEYS) -> list[tuple[str, ...]]:
    return [shown_order(seed=seed, question_key=question, repeat=repeat, option_keys=keys) for repeat in range(n)]


def test_repeat_zero_keeps_the_banks_order_and_the_same_seed_gives_the_same_orders() -> None:
    assert orders(20)[0] == KEYS
    assert orders(20) == orders(20)
    assert orders(20)[1:] != orders(20, seed=8)[1:]
    assert orders(20)[1:] != orders(20, question="other")[1:]


@pytest.mark.parametrize("n_options", [1, 2, 3, 4])
def test_no_order_returns_before_all_were_shown(n_options: int) -> None:
    n_orders = factorial(n_options)
    found = orders(2 * n_orders, keys=KEYS[:n_options])
    assert all(sorted(order) == sorted(KEYS[:n_options]) for order in found)
    assert len(set(found[:n_orders])) == len(set(found[n_orders:])) == n_orders


def test_many_options_at_many_repeats_take_no_time() -> None:
    keys = tuple(f"k{number}" for number in range(20))
    assert len(set(orders(30, keys=keys))) == 30


def test_every_order_is_as_likely() -> None:
    drawn = Counter(
        shown_order(seed=seed, question_key="q", repeat=1, option_keys=("a", "b", "c")) for seed in range(2500)
    )
    assert ("a", "b", "c") not in drawn
    # Four standard deviations around the fifth of 2,500.
    assert len(drawn) == 5
    assert all(abs(count - 500) < 80 for count in drawn.values())


def right_letters(prompt: str) -> Said:
    """Answer with the letter that benzene, the right option, has in this very prompt."""
    line = next(line for line in prompt.splitlines() if line.endswith(". benzene"))
    return Said(f"[ANSWER]{line.partition('.')[0]}[/ANSWER]")


@pytest.mark.django_db(transaction=True)
def test_a_right_answer_is_right_in_every_order_and_stays_so_when_it_is_judged_again(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    with FakeServer(answer=right_letters) as server:
        run = run_create(
            system=make_system(server.base_url), set_revision=twenty, repeats=3, seed=11, permutes_options=True
        )
        ask_until_done(run_id=run.pk)
    items = list(run.items.order_by("position", "repeat").select_related("question_revision__question"))
    assert {item.outcome for item in items} == {"right"}
    assert len({item.completion for item in items}) == 4
    for item in items:
        in_bank = list(item.question_revision.options.order_by("position").values_list("option_key", flat=True))
        expected = shown_order(
            seed=11, question_key=item.question_revision.question.key, repeat=item.repeat, option_keys=in_bank
        )
        assert [letter for letter, _, _ in item.options_shown] == [option_letter(place) for place in range(4)]
        assert tuple(key for _, key, _ in item.options_shown) == expected
    assert run_rescore(run=run).rescoring is None or not run.rescorings.filter(rows__new_outcome="wrong").exists()


@pytest.mark.django_db(transaction=True)
def test_without_permutation_every_repeat_shows_the_banks_order(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    with FakeServer(answer=right_letters) as server:
        run = run_create(system=make_system(server.base_url), set_revision=twenty, repeats=3, seed=11)
        ask_until_done(run_id=run.pk)
    assert set(run.items.values_list("completion", flat=True)) == {"[ANSWER]A[/ANSWER]"}


def test_the_random_baseline_guesses_the_same_options_in_any_order(twenty: QuestionSetRevision) -> None:
    chosen = []
    for permutes in (False, True):
        run = run_create(
            system=ensure_random_system(), set_revision=twenty, repeats=3, seed=4, permutes_options=permutes
        )
        ask_until_done(run_id=run.pk)
        assert Run.objects.get(pk=run.pk).status == Run.Status.FINISHED
        items = Item.objects.filter(run=run).order_by("position", "repeat")
        chosen.append([item.readings.get().option_keys for item in items])
    assert chosen[0] == chosen[1]
    assert len({str(keys) for keys in chosen[0]}) > 1
