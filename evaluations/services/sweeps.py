"""Sweeps: several runs of one system over one set queued as one action, each with other settings."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product
from math import prod
from typing import Any
from uuid import uuid4

from django.db import transaction

from corpus.models import QuestionSetRevision
from evaluations.errors import CannotBeAskedError
from evaluations.json_fields import json_problem
from evaluations.models import Run, System
from evaluations.prompts import prompt_style
from evaluations.services.runs import run_create
from evaluations.services.sweep_turns import SweepPlace

MOST_RUNS = 50
PROMPT_STYLE = "prompt_style"
SEED = "seed"
# Settings of a run that are no parameters of its provider.
_NOT_VARIED = frozenset({"repeats", "budget", "fallback", "permutes_options", "asks_confidence"})
_EXAMPLE = "temperature=0,0.5,1"

Dimensions = Mapping[str, tuple[Any, ...]]


def parse_dimensions(lines: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """Return what is varied from lines such as `temperature=0,0.5,1` or `prompt_style=a@1,b@1`.

    A name is `prompt_style`, `seed` or a parameter of the provider; a value is JSON (a number, true, null for a
    parameter left out) or else a word. Raises CannotBeAskedError for what is no such line, says a name twice, or
    repeats a value.
    """
    dimensions: dict[str, tuple[Any, ...]] = {}
    for line in filter(None, (line.strip() for line in lines)):
        name, _, listed = line.partition("=")
        name, words = name.strip(), [word.strip() for word in listed.split(",")]
        if not name or not all(words):
            raise CannotBeAskedError(f"Write each line of a sweep as a name and its values, such as {_EXAMPLE}.")
        if name in dimensions:
            raise CannotBeAskedError(f"The sweep names {name} twice; give all its values in one line.")
        dimensions[name] = _checked_values(name, words)
    return dimensions


def n_variants(dimensions: Dimensions) -> int:
    """Return how many runs a sweep is of."""
    return prod(len(values) for values in dimensions.values()) if dimensions else 0


def sweep_create(
    *, system: System, set_revision: QuestionSetRevision, dimensions: Dimensions, **settings: Any
) -> list[Run]:
    """Make a run for every combination of values, all or none; the first is queued and each queues the next as it ends.

    `settings` are those of `run_create`; a dimension goes over the setting of its name. Raises what `run_create`
    raises, and CannotBeAskedError for fewer than two runs or more than `MOST_RUNS`.
    """
    variants = variants_of(dimensions)
    sweep = uuid4()
    common: dict[str, Any] = dict(settings)
    with transaction.atomic():
        return [
            run_create(
                system=system,
                set_revision=set_revision,
                sweep=SweepPlace(sweep, position, len(variants), values),
                **with_variant(common, values),
            )
            for position, values in enumerate(variants)
        ]


def check_size(dimensions: Dimensions) -> None:
    """Raise CannotBeAskedError for a sweep of fewer than two runs or of more than `MOST_RUNS`."""
    n_runs = n_variants(dimensions)
    if n_runs < 2:
        raise CannotBeAskedError(f"A sweep needs at least two values of something, such as {_EXAMPLE}.")
    if n_runs > MOST_RUNS:
        raise CannotBeAskedError(f"This sweep would be of {n_runs} runs; at most {MOST_RUNS} are queued as one.")


def variants_of(dimensions: Dimensions) -> list[dict[str, Any]]:
    """Return every combination of values. Raises CannotBeAskedError for fewer than two, or more than `MOST_RUNS`."""
    check_size(dimensions)
    return [dict(zip(dimensions, values, strict=True)) for values in product(*dimensions.values())]


def with_variant(common: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of one run: what it varies over what all have in common."""
    own = {name: value for name, value in values.items() if name in {PROMPT_STYLE, SEED}}
    parameters = {name: value for name, value in values.items() if name not in own}
    return {**common, **own, "parameters": {**(common.get("parameters") or {}), **parameters}}


def _checked_values(name: str, words: Sequence[str]) -> tuple[Any, ...]:
    if name in _NOT_VARIED:
        raise CannotBeAskedError(f"A sweep does not vary {name}; set it once for all its runs.")
    values = tuple(_value(name, word) for word in words)
    if len({_sameness(value) for value in values}) < len(values):
        raise CannotBeAskedError(f"The sweep gives a value of {name} twice.")
    if name == PROMPT_STYLE:
        return tuple(prompt_style(value).name for value in values)
    if problem := json_problem(list(values)):
        raise CannotBeAskedError(f"A value of {name} cannot be sent: {problem}")
    if name == SEED and not all(type(value) is int and value >= 0 for value in values):
        raise CannotBeAskedError("A seed is a whole number from 0.")
    return values


def _value(name: str, word: str) -> Any:
    if name == PROMPT_STYLE:
        return word
    try:
        return json.loads(word)
    except RecursionError as error:
        raise CannotBeAskedError(f"A value of {name} is nested too deeply to be sent.") from error
    except ValueError:
        return word


def _sameness(value: Any) -> Hashable:
    """Return what two values have in common that are one setting: 1, 1.0 and 01 are the same number."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            return json.dumps(value)
        return number if number.is_finite() else json.dumps(value)
    return json.dumps(value)
