"""What a worker needs to ask the questions of a run: the frozen facts of the run, and claimed items made ready."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings

from corpus.scoring.types import Asked, Target
from corpus.selectors.targets import target_of
from evaluations.addresses import address_problem
from evaluations.asked import PROMPT_KEY, asked_of_run
from evaluations.errors import CannotBeAskedError
from evaluations.key_names import key_name_problem
from evaluations.models import Item, Run, System
from evaluations.prompts import PROMPT_ERRORS, Prepared, PromptStyle, folded, prompt_style
from evaluations.providers import OUR_PARAMETERS, Ask, Endpoint
from evaluations.services.costs import Prices, prices_of
from evaluations.services.key_frozen import key_variable_of
from evaluations.services.learning import folds_system_prompt
from evaluations.services.permutation import shown_order

_AROUND_A_KEY = " \t\r\n\v\f\0"


@dataclass(frozen=True, slots=True)
class RunContext:
    """The frozen facts of a run and how to reach its system."""

    run_id: UUID
    benchmark_id: int
    provider: str
    endpoint: Endpoint
    style: PromptStyle
    parameters: Mapping[str, Any]
    seed: int
    reader: str
    rule: str
    concurrency: int
    prices: Prices = field(default_factory=Prices)
    system_prompt: str = ""
    folds_system_prompt: bool = False
    learned: Mapping[str, Any] = field(default_factory=dict)
    permutes_options: bool = False
    system_id: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A claimed item with everything needed to ask it and to judge the reply."""

    item: Item
    token: UUID
    prepared: Prepared
    asked: Asked
    target: Target = field(repr=False)


@dataclass(frozen=True, slots=True)
class Unready:
    """A claimed item whose prompt could not be made."""

    item: Item
    token: UUID
    reason: str


def run_context(*, run_id: UUID) -> RunContext:
    """Return what is needed to ask a run's system. Raises CannotBeAskedError without its key; see `frozen_key`."""
    run = Run.objects.select_related("system", "set_revision__question_set").get(pk=run_id)
    frozen, parameters = run.frozen, dict(run.parameters)
    timeout_seconds = float(parameters.get("timeout_seconds") or settings.EVALUATION_CALL_SECONDS)
    return RunContext(
        run_id=run.pk,
        benchmark_id=run.set_revision.question_set.benchmark_id,
        provider=frozen["provider"],
        endpoint=Endpoint(
            model_id=frozen["model_id"],
            base_url=checked_address(frozen["base_url"]),
            api_key=frozen_key(facts=frozen, system=run.system),
            timeout_seconds=timeout_seconds,
        ),
        style=_style_of(run),
        parameters={name: value for name, value in parameters.items() if name not in OUR_PARAMETERS},
        seed=run.seed,
        reader=frozen["reader"],
        rule=frozen["rule"],
        concurrency=max(1, min(run.system.concurrency, settings.EVALUATION_CONCURRENCY)),
        prices=prices_of(frozen),
        system_prompt=frozen.get("system_prompt", ""),
        folds_system_prompt=frozen.get("folds_system_prompt", False) or folds_system_prompt(run.learned),
        learned=run.learned,
        permutes_options=run.permutes_options,
        system_id=run.system_id,
    )


def _style_of(run: Run) -> PromptStyle:
    """Return the run's prompt style. Raises CannotBeAskedError where its words are no longer those the run began with.

    A style never changes; this is for code that breaks the rule, or that is older than the run.
    """
    style = prompt_style(run.prompt_style)
    frozen = run.frozen.get(PROMPT_KEY)
    if frozen is not None and frozen != style.as_frozen():
        raise CannotBeAskedError(
            f"The words of the prompt style {style.name} are not those this run was made with. Ask the rest of it with "
            "the code it was made with, or make another run."
        )
    return style


def checked_address(base_url: str) -> str:
    """Return the address unchanged. Raises CannotBeAskedError where it leads to a metadata service."""
    if problem := address_problem(base_url, resolve=True):
        raise CannotBeAskedError(problem)
    return base_url


def frozen_key(*, facts: Mapping[str, Any], system: System) -> str:
    """Return the key that goes to a frozen provider and address, "" where none does; never that of another day's.

    Raises CannotBeAskedError where that key is not to be had, or which it is cannot be told.
    """
    variable = key_variable_of(facts=facts, system=system)
    try:
        return key_from_environment(variable)
    except CannotBeAskedError as error:
        if system.api_key_variable in {variable, ""}:
            raise
        raise CannotBeAskedError(
            f"{error} What is queued keeps the variable it was queued with; to use {system.api_key_variable}, "
            "queue the same again."
        ) from error


def key_from_environment(variable: str) -> str:
    """Return the key in the named variable, "" where a system needs none.

    Raises CannotBeAskedError for a variable that is not set, or that may hold another secret than a provider's key.
    """
    if not variable:
        return ""
    if problem := key_name_problem(variable):
        raise CannotBeAskedError(problem)
    # A mounted secret often ends in a line end, which no header may hold: libraries repeat it when they say so.
    key = os.environ.get(variable, "").strip(_AROUND_A_KEY)
    if any(not character.isprintable() for character in key):
        raise CannotBeAskedError(
            f"The value of the environment variable {variable} holds a line end or another control character in its "
            "middle, so it is no key. Set it to the key alone, restart the worker and resume the run."
        )
    if not key:
        raise CannotBeAskedError(
            f"The environment variable {variable} is not set where the worker runs. Set it, restart the worker and "
            "resume the run."
        )
    return key


def make_ready(*, context: RunContext, tokens: Mapping[int, UUID]) -> list[Question | Unready]:
    """Return the claimed items (`tokens` by item id) with their prompts, in the set's order."""
    items = (
        Item.objects.filter(pk__in=tokens)
        .select_related("question_revision__question")
        .prefetch_related("question_revision__options")
        .order_by("position", "repeat")
    )
    # Once, not with every item: what is frozen into a run is long.
    run = Run.objects.get(pk=context.run_id)
    for item in items:
        item.run = run
    return [_ready(context, item, tokens[item.pk]) for item in items]


def ask_of(*, context: RunContext, question: Question) -> Ask:
    """Return what goes to the provider; never the answer key."""
    item = question.item
    return Ask(
        prompt=question.prepared.prompt,
        asked=question.asked,
        parameters=context.parameters,
        question_key=item.question_revision.question.key,
        repeat=item.repeat,
        seed=context.seed,
        system_prompt="" if context.folds_system_prompt else context.system_prompt,
    )


def _ready(context: RunContext, item: Item, token: UUID) -> Question | Unready:
    revision = item.question_revision
    try:
        said_first = context.system_prompt if context.folds_system_prompt else ""
        prepared = folded(context.style.prepare(revision, _order(context, item)), said_first)
        asked = asked_of_run(revision, prepared.options_shown, prepared.prompt, frozen=item.run.frozen)
        return Question(item, token, prepared, asked, target_of(revision))
    except PROMPT_ERRORS as error:
        return Unready(item, token, f"The prompt could not be made: {type(error).__name__}: {error}")


def _order(context: RunContext, item: Item) -> tuple[str, ...]:
    """Return the option keys in the order to show; () for the bank's order."""
    if not context.permutes_options or item.repeat == 0:
        return ()
    revision = item.question_revision
    return shown_order(
        seed=context.seed,
        question_key=revision.question.key,
        repeat=item.repeat,
        option_keys=[option.option_key for option in revision.options.all()],
    )
