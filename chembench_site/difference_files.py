"""The difference report as a table for people (Markdown) and for programs (CSV). Neither holds a word of a reply."""

import csv
from collections.abc import Sequence
from io import StringIO

from corpus.scoring.differences import CAUSES
from corpus.services.rescoring.differences import DifferenceLine, DifferenceReport
from survey.selectors.export import safe_text

UNEXPLAINED = "(unexplained)"
MOST_LINES = 200


def as_csv(report: DifferenceReport) -> str:
    """Return one line for each difference; what was read is a model's words, which no spreadsheet may run."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(DifferenceLine._fields)
    for line in report.lines:
        writer.writerow([_safe(cell) for cell in line._replace(cause=line.cause or UNEXPLAINED)])
    return out.getvalue()


def _safe(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    try:
        float(cell)
    except ValueError:
        return safe_text(cell)
    return cell


def as_markdown(report: DifferenceReport) -> str:
    """Return totals by system and by cause, every difference that no predicate explains, and every one if few."""
    parts = [
        f"# `{report.rule}` against `{report.against}`",
        f"Reader `{report.reader}`. A difference is another outcome, not only another verdict.",
        "## Systems",
        _systems(report),
        "## Causes",
        _causes(report),
    ]
    if report.unexplained:
        parts += ["## Not explained by any predicate", _unexplained(report)]
    if 0 < len(report.lines) <= MOST_LINES:
        parts += ["## Every difference", _lines(report)]
    return "\n\n".join(parts) + "\n"


def _systems(report: DifferenceReport) -> str:
    rows = [
        (
            slug,
            compared.n,
            compared.n_right_published,
            compared.n_right,
            f"{(compared.n_right - compared.n_right_published) / compared.n:+.4f}",
        )
        for slug, compared in sorted(report.systems.items())
        if compared.n
    ]
    return _table(
        ("system", "answers", f"right, {report.against}", f"right, {report.rule}", "change of accuracy"), rows
    )


def _causes(report: DifferenceReport) -> str:
    totals, shifts = report.totals(), report.shifts()
    slugs = sorted(report.systems)
    head = ("cause", "what it is", *slugs, "all", "became right", "no longer right")
    rows = [
        (
            cause or UNEXPLAINED,
            CAUSES.get(cause, ""),
            *(by_system.get(slug, 0) for slug in slugs),
            sum(by_system.values()),
            *shifts[cause],
        )
        for cause, by_system in sorted(totals.items(), key=lambda entry: -sum(entry[1].values()))
    ]
    return _table(head, rows)


def _unexplained(report: DifferenceReport) -> str:
    fields = ("system", "key", "published_outcome", "outcome", "published_read", "read")
    return _table(fields, [tuple(getattr(line, name) for name in fields) for line in report.unexplained])


def _lines(report: DifferenceReport) -> str:
    fields = ("system", "key", "published_outcome", "outcome", "published_read", "read", "cause")
    rows = [line._replace(cause=line.cause or UNEXPLAINED) for line in report.lines]
    return _table(fields, [tuple(getattr(line, name) for name in fields) for line in rows])


def _table(head: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
