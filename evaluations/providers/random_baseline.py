"""The random baseline: what a guesser who reads no question scores. The same seed gives the same guesses."""

import random
from types import TracebackType
from typing import Self

from corpus.scoring.types import Kind
from evaluations.providers.base import Ask, Endpoint, FinishReason, Reply

_MOLECULES = ("C", "CC", "CCO", "C=O", "CC(C)=O", "CC(=O)O", "C1CCCCC1", "c1ccccc1", "Cc1ccccc1", "O=C=O")
_SMALL_NUMBERS = range(11)


class RandomBaseline:
    """Guesses by itself, without any call; its replies go through the same reader as everyone's."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._model_id = endpoint.model_id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def ask(self, ask: Ask) -> Reply:
        """Guess; a guess depends on nothing but the run's seed, the question's key and the repeat."""
        dice = random.Random(f"{ask.seed}|{ask.question_key}|{ask.repeat}")  # noqa: S311 -- no secret is made of it
        return Reply(
            text=f"[ANSWER]{_guess(ask, dice)}[/ANSWER]",
            finish_reason=FinishReason.STOP,
            model_reported=self._model_id,
        )


def _guess(ask: Ask, dice: random.Random) -> str:
    """Return one option of a choice; half the time a small whole number, else one of any size from 1e-3 to 1e3."""
    if ask.asked.kind is Kind.CHOICE:
        return dice.choice(sorted(ask.asked.shown, key=lambda option: option.key)).letter
    if ask.asked.kind is Kind.NUMBER:
        small = dice.random() < 0.5
        return str(dice.choice(_SMALL_NUMBERS)) if small else f"{10 ** dice.uniform(-3, 3):.3g}"
    return dice.choice(_MOLECULES) if ask.asked.kind is Kind.MOLECULE else dice.choice(("yes", "no"))
