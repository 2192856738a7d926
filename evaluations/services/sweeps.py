"""Sweeps: several runs of one system over one set queued as one action, each with other settings."""

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
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
_NO_LINE = f"Write each line of a sweep as a name and its values, such as {_EXAMPLE}."
_SPACE = re.compile(r"\s*")
# Where a word begins or ends so, it is JSON that was not written to its end, or with other quotes.
_BROKEN_JSON = re.compile(r"""^["'\[{]|["'\]}]$""")

Dimensions = Mapping[str, tuple[Any, ...]]


def parse_dimensions(lines: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """Return what is varied from lines such as `temperature=0,0.5,1` or `prompt_style=a@1,b@1`.

    A name is `prompt_style`, `seed` or a parameter of the provider; a value is JSON (a number, true, null for a
    parameter left out), in which a comma ends nothing, or else a word. Raises CannotBeAskedError for what is no such
    line, says a name twice, or repeats a value.
    """
    dimensions: dict[str, tuple[Any, ...]] = {}
    for line in filter(None, (line.strip() for line in lines)):
        name, _, listed = line.partition("=")
        name = name.strip()
        if not name:
            raise CannotBeAskedError(_NO_LINE)
        if name in dimensions:
            raise CannotBeAskedError(f"The sweep names {name} twice; give all its values in one line.")
        dimensions[name] = _checked_values(name, tuple(_values(name, listed)))
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


def _checked_values(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if name in _NOT_VARIED:
        raise CannotBeAskedError(f"A sweep does not vary {name}; set it once for all its runs.")
    if len({_sameness(value) for value in values}) < len(values):
        raise CannotBeAskedError(f"The sweep gives a value of {name} twice.")
    if name == PROMPT_STYLE:
        return tuple(prompt_style(value).name for value in values)
    if problem := json_problem(list(values)):
        raise CannotBeAskedError(f"A value of {name} cannot be sent: {problem}")
    if name == SEED and not all(type(value) is int and value >= 0 for value in values):
        raise CannotBeAskedError("A seed is a whole number from 0.")
    return values


def _values(name: str, listed: str) -> Iterator[Any]:
    """Give the values of a line: JSON up to the comma behind it, else the word up to the next comma."""
    at = 0
    while at <= len(listed):
        value, at = _value_at(name, listed, at)
        yield value
        at += 1


def _value_at(name: str, listed: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at `at`, and where the comma behind it stands, or the line ends."""
    comma = listed.find(",", at)
    end = len(listed) if comma < 0 else comma
    word = listed[at:end].strip()
    if not word:
        raise CannotBeAskedError(_NO_LINE)
    if name == PROMPT_STYLE:
        return word, end
    try:
        value, behind = json.JSONDecoder().raw_decode(listed, _behind_space(listed, at))
    except RecursionError as error:
        raise CannotBeAskedError(f"A value of {name} is nested too deeply to be sent.") from error
    except ValueError:
        return _word(name, word), end
    behind = _behind_space(listed, behind)
    is_whole = listed[behind : behind + 1] in {"", ","}
    return (value, behind) if is_whole else (_word(name, word), end)


def _behind_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _word(name: str, word: str) -> str:
    if _BROKEN_JSON.search(word):
        raise CannotBeAskedError(
            f"A value of {name} is neither JSON nor a word: {word[:60]}. Write lists, objects and texts with a comma "
            'as JSON, with double quotes: ["a","b"].'
        )
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
