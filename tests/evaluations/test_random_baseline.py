"""The random baseline: repeatable, spread evenly, read like every other system."""

import asyncio
from collections import Counter

import pytest

from corpus.models import QuestionSetRevision
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption
from evaluations.models import Run
from evaluations.providers import Ask, Endpoint, open_provider
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from evaluations.services.systems import ensure_random_system
from tests.evaluations.conftest import make_bank

OPTIONS = tuple(ShownOption(letter, f"key-{letter}", letter.lower()) for letter in "ABCD")


def guesses(asked: Asked, n: int, seed: int = 0) -> list[str]:
    async def go() -> list[str]:
        async with open_provider("random", Endpoint("random@1")) as provider:
            asks = [Ask("", asked, {}, question_key=f"q{number}", seed=seed) for number in range(n)]
            return [(await provider.ask(ask)).text for ask in asks]

    return asyncio.run(go())


def test_the_same_seed_guesses_the_same_and_another_differs() -> None:
    asked = Asked(Kind.CHOICE, OPTIONS)
    assert guesses(asked, 50) == guesses(asked, 50)
    assert guesses(asked, 50) != guesses(asked, 50, seed=1)


def test_a_guess_names_the_same_option_in_another_order() -> None:
    turned = tuple(
        ShownOption(letter, option.key, option.text) for letter, option in zip("ABCD", reversed(OPTIONS), strict=True)
    )
    pairs = zip(guesses(Asked(Kind.CHOICE, OPTIONS), 30), guesses(Asked(Kind.CHOICE, turned), 30), strict=True)
    for first, second in pairs:
        keys = [
            read_answer(text=text, asked=Asked(Kind.CHOICE, shown), finish_reason="stop").option_keys
            for text, shown in ((first, OPTIONS), (second, turned))
        ]
        assert keys[0] == keys[1]


def test_every_option_is_as_likely() -> None:
    counts = Counter(guesses(Asked(Kind.CHOICE, OPTIONS), 4000))
    assert len(counts) == 4
    # Four standard deviations around a thousand.
    assert all(abs(count - 1000) < 110 for count in counts.values())


@pytest.mark.parametrize("kind", list(Kind))
def test_every_guess_can_be_read(kind: Kind) -> None:
    asked = Asked(kind, OPTIONS if kind is Kind.CHOICE else ())
    for text in guesses(asked, 200):
        assert text.startswith("[ANSWER]")
        if kind in {Kind.CHOICE, Kind.NUMBER}:
            assert read_answer(text=text, asked=asked, finish_reason="stop").status.value == "read", text


def test_a_run_with_the_same_seed_repeats_and_repeats_within_a_run_differ(twenty: QuestionSetRevision) -> None:
    system, revision = ensure_random_system(), make_bank(30)
    texts = []
    for seed in (5, 5, 6):
        run = run_create(system=system, set_revision=revision, seed=seed, repeats=2)
        ask_until_done(run_id=run.pk)
        assert Run.objects.get(pk=run.pk).status == Run.Status.FINISHED
        texts.append(list(run.items.order_by("position", "repeat").values_list("completion", flat=True)))
    assert texts[0] == texts[1] != texts[2]
    assert texts[0][0::2] != texts[0][1::2]
