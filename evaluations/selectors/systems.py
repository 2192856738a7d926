"""Systems as the public may see them: what is known of them, their runs as counts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models.fields.json import KT

from evaluations.models import TOOLS, Run, System
from evaluations.providers import IMPORTED, SUBMITTED
from evaluations.selectors.runs import RunSummary, run_summaries


@dataclass(frozen=True, slots=True)
class SystemPage:
    """A system and its runs, newest first. Nothing in it says how the system is reached."""

    system_id: int
    slug: str
    name: str
    source_name: str
    kind: str
    is_demo: bool
    is_imported: bool
    is_submitted: bool
    model_id: str
    released_on: date | None
    parameter_count: int | None
    open_weights: bool | None
    facts: Mapping[str, Any]
    runs: tuple[RunSummary, ...]


def public_systems() -> list[SystemPage]:
    """Return every system that is not hidden, by name, each with its runs, in three queries."""
    return _pages(list(System.objects.filter(is_hidden=False).order_by("name", "slug")))


def public_system(*, slug: str) -> SystemPage | None:
    """Return one system, or None when there is none of that slug or it is hidden."""
    pages = _pages(list(System.objects.filter(slug=slug, is_hidden=False)))
    return pages[0] if pages else None


def tools_by_run(*, run_ids: Collection[str]) -> dict[str, str]:
    """Return the tools that the system of each run was allowed, in words; runs that name none are left out."""
    rows = Run.objects.filter(pk__in=run_ids).order_by().annotate(tools=KT(f"frozen__{TOOLS}"))
    return {str(pk): tools for pk, tools in rows.values_list("pk", "tools") if tools}


def _pages(systems: list[System]) -> list[SystemPage]:
    runs = run_summaries(system_ids=[system.pk for system in systems])
    return [
        SystemPage(
            system_id=system.pk,
            slug=system.slug,
            name=system.name,
            source_name=system.source_name,
            kind=system.kind,
            is_demo=system.is_demo,
            is_imported=system.provider == IMPORTED,
            is_submitted=system.provider == SUBMITTED,
            model_id=system.model_id,
            released_on=system.released_on,
            parameter_count=system.parameter_count,
            open_weights=system.open_weights,
            facts=system.facts,
            runs=tuple(run for run in runs if run.system_id == system.pk),
        )
        for system in systems
    ]
