"""In which order a question's options are shown at each repeat of a run."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count
from math import factorial


def shown_order(*, seed: int, question_key: str, repeat: int, option_keys: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a question's options in the order to show at `repeat`.

    `option_keys` is the bank's order, which repeat 0 keeps. Every other order is drawn, each as likely, from the
    seed, the question's key and the repeat alone, without any order that was shown before: only when all have been
    shown they begin again. The same on every machine: it rests on SHA-256, not on a generator of numbers.
    """
    in_bank = tuple(option_keys)
    first = repeat - repeat % factorial(len(in_bank))
    orders: list[tuple[str, ...]] = []
    for each in range(first, repeat + 1):
        drawn = iter([in_bank]) if each == 0 else _draws(f"{seed}|{question_key}|{each}", in_bank)
        orders.append(next(order for order in drawn if order not in orders))
    return orders[-1]


def _draws(source: str, option_keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield orders without end, each drawn anew from `source` and the number of the draw."""
    for draw in count():
        places = {key: hashlib.sha256(f"{source}|{draw}|{key}".encode()).digest() for key in option_keys}
        yield tuple(sorted(option_keys, key=places.__getitem__))
