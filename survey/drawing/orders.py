"""Orders that are drawn: of options, and the places of attention checks. Pure."""

import random
import re
from collections.abc import Sequence

# Options that speak of the others read oddly anywhere but at the end, whether they are right or not.
LAST_OPTION = re.compile(r"\s*(none|all|any) of (the|these)\b.*|\s*none\s*\.?\s*", re.IGNORECASE | re.DOTALL)


def option_order_draw(options: Sequence[tuple[str, str]], generator: random.Random) -> list[str]:
    """Return the option keys of (key, text) pairs, shuffled; "none of the above" stays last."""
    shuffled = sorted(options)
    generator.shuffle(shuffled)
    shuffled.sort(key=lambda option: LAST_OPTION.fullmatch(option[1]) is not None)
    return [key for key, _ in shuffled]


def attention_places_draw(*, n_questions: int, every: int, generator: random.Random) -> list[int]:
    """Return after which questions (numbered from 1) an attention check comes: one in each full stretch of `every`.

    The place within a stretch is random, so that nobody can count on it; the first question of all is never a check.
    """
    return [start + generator.randint(1, every) for start in range(0, n_questions - every + 1, every)]
