"""Import the published ChemBench survey: people, what they were given, what they answered."""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, transaction

from corpus.models import Benchmark, QuestionSet
from corpus.scoring.differences import CAUSES
from corpus.scoring.rules import resolve_rule
from corpus.services.rescoring import default_reader
from corpus.services.rescoring.differences import DifferenceReport
from survey.importers.types import RefusedRow, UnreadableSurveyError
from survey.models import Study
from survey.selectors.entrants import people_counts
from survey.services.holding import done_again
from survey.services.imported_answers import PUBLISHED_RULE, STANDARD_RULE, SURVEY_RULE
from survey.services.reported_differences import study_differences
from survey.services.survey_imports import SurveyImported, SurveyImportError, survey_import

RULES = (STANDARD_RULE, PUBLISHED_RULE, SURVEY_RULE)
SHOWN_NOTES = 40


class Command(BaseCommand):
    help = (
        "Import an export of the published ChemBench survey (zip or folder: users.csv, questions.csv, responses.csv, "
        "reports/) into a closed study. Importing again updates what has changed and copies nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="ZIP_OR_FOLDER")
        parser.add_argument("--study", default="", metavar="SLUG", help="slug of the study (default: BENCHMARK-survey)")
        parser.add_argument("--benchmark", default="chembench", help="slug of the benchmark (default: chembench)")
        parser.add_argument(
            "--no-tools-set",
            default="",
            metavar="SLUG",
            help="the part without tools (default: BENCHMARK-mini-no-tools)",
        )
        parser.add_argument(
            "--tools-set", default="", metavar="SLUG", help="part with tools (default: BENCHMARK-mini-tools)"
        )
        parser.add_argument("--set", dest="set_slug", default="", metavar="SLUG", help="count the verdicts on this set")
        parser.add_argument("--dry-run", action="store_true", help="report what would be done and store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["benchmark"]
        benchmark = Benchmark.objects.filter(slug=slug).first()
        if benchmark is None:
            raise CommandError(f"There is no benchmark {slug}. Import its questions first (import_corpus).")
        try:
            report = _imported(benchmark, options)
        except (UnreadableSurveyError, SurveyImportError) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"Nothing was stored: {error}. Run it again.") from error
        self.stdout.write(json.dumps(report, indent=1) if options["json"] else _in_words(report))
        if not report["accepted"] + report["kept"]:
            raise CommandError("No answer of the export could be imported; the report says why.")


@done_again
def _imported(benchmark: Benchmark, options: Mapping[str, Any]) -> dict[str, Any]:
    """Import in a transaction that a dry run rolls back, and return what is to be said of it."""
    with transaction.atomic():
        imported = survey_import(
            path=options["path"],
            benchmark=benchmark,
            slug=options["study"] or f"{benchmark.slug}-survey",
            set_slugs={
                False: options["no_tools_set"] or f"{benchmark.slug}-mini-no-tools",
                True: options["tools_set"] or f"{benchmark.slug}-mini-tools",
            },
        )
        report = _report(imported, _counted_roots(imported.study, options["set_slug"]), options["dry_run"])
        transaction.set_rollback(options["dry_run"])
    return report


def _counted_roots(study: Study, set_slug: str) -> frozenset[int]:
    """Return the questions to count on: those of the study, or of the set that is named."""
    if set_slug:
        question_set = QuestionSet.objects.filter(slug=set_slug, current_revision__isnull=False).first()
        if question_set is None:
            raise SurveyImportError(f"There is no question set {set_slug} with questions in it.")
        revisions = [question_set.current_revision]
    else:
        revisions = [block.set_revision for block in study.blocks.select_related("set_revision")]
    pairs = [
        pair
        for revision in revisions
        if revision is not None
        for pair in revision.question_revisions.order_by().values_list("pk", "comparison_root_id")
    ]
    return frozenset(root or pk for pk, root in pairs)


def _report(imported: SurveyImported, root_ids: Collection[int], dry_run: bool) -> dict[str, Any]:
    rule = resolve_rule(STANDARD_RULE)
    differences = study_differences(
        studies=[imported.study], rule=rule, reader=default_reader(rule), against=SURVEY_RULE
    )
    answers, refused = imported.answers, imported.refused
    return {
        "study": imported.study.slug,
        "dry_run": dry_run,
        "people": {word: imported.people[word] for word in ("new", "changed", "unchanged")},
        "accepted": answers["new"] + answers["changed"] + answers["unchanged"],
        "new": answers["new"],
        "changed": answers["changed"],
        "unchanged": answers["unchanged"],
        "kept": answers["kept"],
        "refused": sum(row.what == "answer" for row in refused),
        "refused_by_code": _by_code(refused),
        "refusals": [row._asdict() for row in refused],
        "kept_as_reported": {name: number for name, number in sorted(imported.kept_as_reported.items()) if number},
        "notes": [note._asdict() for note in imported.notes],
        "differences": _differences(differences),
        "entrants": people_counts(study=imported.study, root_ids=root_ids, rules=RULES),
    }


def _by_code(refused: Iterable[RefusedRow]) -> dict[str, dict[str, int]]:
    """Return how much was refused, by what it is (answer, question, person, report) and why."""
    counts = Counter((row.what, row.code) for row in refused)
    by_code: dict[str, dict[str, int]] = {}
    for what, code in sorted(counts):
        by_code.setdefault(what, {})[code] = counts[what, code]
    return by_code


def _differences(report: DifferenceReport) -> dict[str, Any]:
    return {
        "rule": report.rule,
        "against": report.against,
        "n_unexplained": len(report.unexplained),
        "lines": [
            {
                "person": line.system,
                "key": line.key,
                "cause": line.cause,
                "reason": CAUSES.get(line.cause, ""),
                "reported": line.published_read,
                "reported_outcome": line.published_outcome,
                "read": line.read,
                "outcome": line.outcome,
            }
            for line in report.lines
        ],
    }


def _in_words(report: dict[str, Any]) -> str:
    people = ", ".join(f"{number} {word}" for word, number in report["people"].items())
    lines = [
        f"{report['study']}{' (dry run: nothing was stored)' if report['dry_run'] else ''}: people {people}; answers "
        f"{report['new']} new, {report['changed']} changed, {report['unchanged']} unchanged, {report['kept']} kept, "
        f"{report['refused']} refused"
    ]
    lines += [
        f"  refused {what}, {code}: {number}"
        for what, codes in report["refused_by_code"].items()
        for code, number in codes.items()
    ]
    lines += [
        f"  refused {row['place']}: {row['code']}: {row['reason']}"
        for row in report["refusals"]
        if (row["what"], row["code"]) != ("answer", "question-not-in-set")
    ]
    kept = sorted(set(report["kept_as_reported"].values()))
    if kept:
        lines.append(f"  kept as reported under {SURVEY_RULE}: up to {kept[-1]} answers a person")
    notes = report["notes"]
    lines += [f"  {note['person']} {note['key']}: {note['code']}: {note['message']}" for note in notes[:SHOWN_NOTES]]
    if len(notes) > SHOWN_NOTES:
        lines.append(f"  ... {len(notes) - SHOWN_NOTES} more notes; --json lists all of them")
    for person in report["entrants"]:
        rights = ", ".join(f"{rule} {counts['right']}" for rule, counts in person["rules"].items())
        lines.append(f"{person['slug']}: right of {person['n_questions']} answers: {rights}")
    found = report["differences"]
    lines.append(f"{found['rule']} against {found['against']}: {len(found['lines'])} answers differ")
    lines += [
        f"  {line['person']} {line['key']}: {line['cause'] or '(unexplained)'}: {line['reported']} was "
        f"{line['reported_outcome']}, {line['read']} is {line['outcome']}"
        for line in found["lines"]
    ]
    return "\n".join(lines)
