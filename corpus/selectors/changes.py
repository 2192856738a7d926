"""Which parts of a benchmark's results changed since a results version."""

from dataclasses import dataclass

from django.db.models import Max, Q

from corpus.models import ResultsChange


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed since: `is_all` where it may be anything, else answers of these systems, or something of people."""

    is_all: bool
    of_people: bool
    system_ids: frozenset[int]


def changes_since(*, benchmark_id: int, since: int, until: int) -> Changes:
    """Return what changed after the results version `since`; `until` is the benchmark's own, as read before.

    Changes that came after `until` are among them. Where the record does not reach that version, it may be anything.
    One query.
    """
    rows = list(
        ResultsChange.objects.filter(benchmark=benchmark_id, results_version__gt=since).values_list(
            "part", "number", "results_version"
        )
    )
    parts = {part for part, _, _ in rows}
    is_recorded = max((version for _, _, version in rows), default=since) >= until
    return Changes(
        is_all=ResultsChange.Part.ALL in parts or not is_recorded,
        of_people=ResultsChange.Part.PEOPLE in parts,
        system_ids=frozenset(number for part, number, _ in rows if part == ResultsChange.Part.SYSTEM),
    )


def version_beside_systems(*, benchmark_id: int, until: int) -> int:
    """Return the results version of the last change that was not of one system alone; one query.

    `until` is the benchmark's own version, as read before: it is returned where the record does not reach it.
    """
    found = ResultsChange.objects.filter(benchmark=benchmark_id).aggregate(
        of_any=Max("results_version"), of_others=Max("results_version", filter=~Q(part=ResultsChange.Part.SYSTEM))
    )
    return until if (found["of_any"] or 0) < until else found["of_others"] or 0
