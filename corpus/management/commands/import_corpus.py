"""Import a bank of questions from a zip, a folder or one file."""

import json
import logging
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.db import IntegrityError, OperationalError, ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

from corpus.services.imports import (
    CHEMBENCH,
    BenchmarkNaming,
    ImportReport,
    SetError,
    SourceError,
    corpus_import,
)

logger = logging.getLogger(__name__)
SHOWN_FINDINGS = 40
NOT_MIGRATED = (
    "The database is not ready: it has no tables yet, or those of an earlier version. Nothing was imported. Run "
    "`manage.py migrate` first, then this command again."
)
LONGEST_SLUG = 50
LONGEST_WORDS = 200


class Command(BaseCommand):
    help = "Import questions in the format of ChemBench. Importing again updates, and never makes copies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="a zip, a folder or one .json file")
        parser.add_argument("--benchmark", default=CHEMBENCH.slug, help="slug of the benchmark (%(default)s)")
        parser.add_argument("--name", default="", help="name of the benchmark")
        parser.add_argument("--licence", default="", help="licence of the questions")
        parser.add_argument("--demo", action="store_true", help="mark the benchmark as demo data")
        parser.add_argument("--topics", type=Path, metavar="CSV", help="table with the columns index and topic")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            dest="sets",
            metavar="NAME=FILE[,FILE]",
            help="a question set from files of keys, one a line; several files make their union; repeatable",
        )
        parser.add_argument("--dry-run", action="store_true", help="report only, store nothing")
        parser.add_argument("--json", action="store_true", help="print the whole report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        logger.info("importing %s", options["source"])
        try:
            report = corpus_import(
                source=options["source"],
                naming=naming_from(options),
                topics=options["topics"],
                sets=parsed_sets(options["sets"]),
                dry_run=options["dry_run"],
            )
        except (SourceError, SetError) as error:
            raise CommandError(str(error)) from None
        except (OperationalError, ProgrammingError):
            if is_migrated():
                raise
            raise CommandError(NOT_MIGRATED) from None
        except IntegrityError as error:
            raise CommandError(
                f"Nothing was stored: the bank changed during the import ({error}). Run it again."
            ) from error
        self.stdout.write(json.dumps(report_as_json(report), indent=1) if options["json"] else report_as_text(report))
        if report.files and report.count("refused") == len(report.files):
            raise CommandError("Every file was refused; nothing was imported.")


def is_migrated() -> bool:
    """Say whether the database has every table and column that this version needs."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def naming_from(options: dict[str, Any]) -> BenchmarkNaming:
    """Return the benchmark's naming from the options; ChemBench's own facts are known."""
    slug = checked_slug(options["benchmark"])
    known = CHEMBENCH if slug == CHEMBENCH.slug else BenchmarkNaming(slug=slug)
    return BenchmarkNaming(
        slug=slug,
        name=checked_words("--name", options["name"]) or known.name,
        licence=checked_words("--licence", options["licence"]) or known.licence,
        citation=known.citation,
        is_demo=options["demo"],
    )


def parsed_sets(texts: list[str]) -> dict[str, list[Path]]:
    """Return {slug: files} of every `--set`; a set named twice is refused."""
    sets: dict[str, list[Path]] = {}
    for slug, paths in map(parsed_set, texts):
        if slug in sets:
            raise CommandError(f"--set {slug} is given twice. Put all its files into one, separated by commas.")
        sets[slug] = paths
    return sets


def parsed_set(text: str) -> tuple[str, list[Path]]:
    """Return slug and files of one `--set NAME=FILE[,FILE]`."""
    slug, separator, files = text.partition("=")
    paths = [Path(part.strip()) for part in files.split(",") if part.strip()]
    if not separator or not paths:
        raise CommandError(f"--set {text}: write NAME=FILE or NAME=FILE,FILE.")
    return checked_slug(slug.strip()), paths


def checked_slug(slug: str) -> str:
    """Return the slug, or say what a slug is made of."""
    try:
        validate_slug(slug)
    except ValidationError:
        raise CommandError(f'"{slug}" is no slug: use letters, digits, hyphens and underscores.') from None
    if len(slug) > LONGEST_SLUG:
        raise CommandError(f'"{slug}" is longer than {LONGEST_SLUG} characters.')
    return slug


def checked_words(option: str, words: str) -> str:
    """Return what an option says of the benchmark, or say why it cannot be stored."""
    if len(words) > LONGEST_WORDS:
        raise CommandError(f"{option} is longer than {LONGEST_WORDS} characters. Shorten it.")
    if "\0" in words:
        raise CommandError(f"{option} has a NUL character in it. Remove it.")
    try:
        words.encode()
    except UnicodeEncodeError:
        raise CommandError(f"{option} is not UTF-8. Write it in UTF-8.") from None
    return words


def report_as_json(report: ImportReport) -> dict[str, Any]:
    """Return the report in the shape outside tools rely on."""
    return {
        "benchmark": report.benchmark,
        "dry_run": report.dry_run,
        "accepted": report.count("accepted", "unchanged", "changed"),
        "new": report.count("accepted"),
        "unchanged": report.count("unchanged"),
        "changed": report.count("changed"),
        "refused": report.count("refused"),
        "by_kind": dict(report.by_kind),
        "sets": dict(report.sets),
        "new_set_revisions": list(report.new_set_revisions),
        "labels_changed": report.labels_changed,
        "findings": [asdict(found) for found in report.findings],
        "files": [asdict(file) for file in report.files],
    }


def report_as_text(report: ImportReport) -> str:
    """Return a short text for a person: counts, what was changed or refused, findings."""
    statuses = {"accepted": "new", "unchanged": "unchanged", "changed": "changed", "refused": "refused"}
    counts = ", ".join(f"{report.count(status)} {word}" for status, word in statuses.items())
    lines = [f"{report.benchmark}: {counts}" + (" (dry run: nothing was stored)" if report.dry_run else "")]
    lines += [f"  {kind}: {number}" for kind, number in sorted(report.by_kind.items())]
    lines += [f"  set {slug}: {number}" for slug, number in report.sets.items()]
    lines += [
        f"  {file.status}: {file.file}: {file.reason}" for file in report.files if file.status in ("changed", "refused")
    ]
    lines.append(f"{len(report.findings)} findings")
    lines += [
        f"  {found.code}: {found.file or found.key}: {found.message}" for found in report.findings[:SHOWN_FINDINGS]
    ]
    if len(report.findings) > SHOWN_FINDINGS:
        lines.append("  ... lint_corpus --json lists all of them")
    return "\n".join(lines)
