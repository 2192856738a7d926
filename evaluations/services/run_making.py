"""Making a run: what it is asked with, its row and its items."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from corpus.models import QuestionSetMember
from evaluations.errors import CannotBeAskedError, NothingToAskError, RunAlreadyActiveError
from evaluations.json_fields import json_problem
from evaluations.models import Item, Run, System
from evaluations.providers import parameter_problems, provider_entry
from evaluations.redaction import looks_like_key

_ITEMS_AT_ONCE = 1000
# PostgreSQL names the constraint, SQLite the columns of its index.
_SECOND_ACTIVE = (
    "run_active_once",
    ", ".join(f"{Run._meta.db_table}.{column}" for column in ("system_id", "set_revision_id")),
)


def checked_parameters(system: System, parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return `parameters` over the system's own over the provider's defaults. Raises CannotBeAskedError."""
    entry = provider_entry(system.provider)
    if entry.needs_model and not system.model_id:
        raise CannotBeAskedError(f"The system {system.slug} names no model; fill in its model id first.")
    if "@" in system.base_url or looks_like_key(system.base_url):
        raise CannotBeAskedError(
            "The address of the endpoint must not hold a user name, password or key; name an environment variable "
            "for the key instead."
        )
    merged = {**entry.defaults, **system.parameters, **(parameters or {})}
    if entry.needs_address and not system.base_url:
        raise CannotBeAskedError(f"The system {system.slug} has no address; fill in its base URL first.")
    if problem := json_problem(merged):
        raise CannotBeAskedError(f"The parameters cannot be sent: {problem}")
    problems = [*parameter_problems(merged), *entry.problems(merged)]
    if problems:
        raise CannotBeAskedError(" ".join(problems))
    return merged


def run_insert(run: Run) -> None:
    """Save a new run; the database's rule against two active ones of a kind has the last word.

    Raises CannotBeAskedError for a value that no column takes, RunAlreadyActiveError for a second active run.
    """
    active = f"{run.system.name} is already being asked this set; wait until that run ends, or stop it first."
    try:
        run.full_clean(validate_constraints=False)
    except ValidationError as error:
        raise CannotBeAskedError(" ".join(error.messages)) from error
    try:
        with transaction.atomic():
            run.save(force_insert=True)
    except IntegrityError as error:
        if not is_second_active(error):
            raise
        raise RunAlreadyActiveError(active) from error


def is_second_active(error: IntegrityError) -> bool:
    """Say whether the database refused a second active run of a system over a set, and not something else."""
    return any(named in str(error) for named in _SECOND_ACTIVE)


def items_create(run: Run) -> int:
    """Make the items of a new run; return how many. Raises NothingToAskError for a set without questions."""
    members = QuestionSetMember.objects.filter(set_revision=run.set_revision_id).order_by("position")
    items = [
        Item(run=run, question_revision_id=revision_id, position=position, repeat=repeat)
        for revision_id, position in members.values_list("question_revision_id", "position")
        for repeat in range(run.repeats)
    ]
    if not items:
        raise NothingToAskError(f"The set {run.set_revision} has no questions.")
    Item.objects.bulk_create(items, batch_size=_ITEMS_AT_ONCE)
    return len(items)
