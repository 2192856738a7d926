"""Read and judge stored answers again, of systems and of people; no model is called."""

import json
from argparse import ArgumentParser
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from chembench_site.difference_files import as_csv, as_markdown
from corpus.models import AbstractRescoring, QuestionSet
from corpus.scoring.rules import UnknownRuleError, resolve_rule
from corpus.scoring.types import Outcome
from corpus.services.rescoring import Proposed, RescoringError, default_reader, resolve_reader
from corpus.services.rescoring.differences import DifferenceReport
from evaluations.models import Run, System
from evaluations.selectors.entrants import entrant_counts
from evaluations.services.published_differences import published_differences
from evaluations.services.rescoring import run_rescore, run_rescoring_accept, runs_selected
from survey.models import Study
from survey.selectors.entrants import people_counts
from survey.services.reported_differences import study_differences
from survey.services.rescoring import study_rescore, study_rescoring_accept

PUBLISHED = "as-published"
SURVEY = "survey-option-text"


class Command(BaseCommand):
    help = (
        "Read and judge stored answers again under a rule and a reader. What would change is stored as a rescoring to "
        "accept or discard in the admin; --accept accepts at once. Without --system, --run or --study: everything."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--system", nargs="+", default=[], metavar="SLUG", help="runs of these systems")
        parser.add_argument("--run", nargs="+", default=[], type=UUID, metavar="ID", help="these runs")
        parser.add_argument("--study", nargs="+", default=[], metavar="SLUG", help="people's answers in these studies")
        parser.add_argument("--set", dest="set_slug", default="", metavar="SLUG", help="only questions of this set")
        parser.add_argument("--rule", default="standard", help="rule, or rule@version (default: standard, newest)")
        parser.add_argument("--reader", default="", help="reader, or reader@version (default: the rule's own)")
        parser.add_argument("--accept", action="store_true", help="make the new verdicts count at once")
        parser.add_argument(
            "--against",
            choices=[PUBLISHED, SURVEY],
            help=f"compare with published verdicts instead, people's with --study or {SURVEY}; nothing is stored",
        )
        parser.add_argument(
            "--report",
            nargs="?",
            const="-",
            metavar="FILE",
            help="with --against: each difference and its cause; .csv for one line each, else Markdown",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        question_set = _question_set(options["set_slug"])
        try:
            rule = resolve_rule(options["rule"])
            reader = resolve_reader(options["reader"]) if options["reader"] else default_reader(rule)
            if options["against"]:
                self._compare(options, rule, reader, question_set)
            elif options["report"]:
                raise CommandError("--report belongs to --against.")
            else:
                self._rescore(options, rule, reader, question_set)
        except (UnknownRuleError, RescoringError) as error:
            raise CommandError(str(error)) from error

    # Rescoring

    def _rescore(self, options: dict[str, Any], rule: str, reader: str, question_set: QuestionSet | None) -> None:
        runs, studies = _selected(options)
        question_ids = _question_ids(question_set)
        lines, newest = [], {}
        for run in runs:
            proposed = run_rescore(run=run, rule=rule, reader=reader, question_ids=question_ids)
            lines.append(self._decide(proposed, run_rescoring_accept, options, run=str(run.pk), of=run.system.slug))
            newest[run.system_id] = (run, proposed)
        for study in studies:
            for proposed in study_rescore(study=study, rule=rule, reader=reader, question_ids=question_ids):
                lines.append(self._decide(proposed, study_rescoring_accept, options, study=study.slug, of=study.slug))
        if options["json"]:
            rules = _rules_to_show(rule)
            entrants = [
                *_systems(list(newest.values()), question_set, rule, rules),
                *_people(studies, question_set, rules),
            ]
            report = {"rule": rule, "reader": reader, "rescorings": lines, "entrants": entrants}
            self.stdout.write(json.dumps(report, indent=1))

    def _decide(self, proposed: Proposed, accept: Any, options: dict[str, Any], **whose: str) -> dict[str, Any]:
        rescoring, counts = proposed.rescoring, proposed.counts
        line: dict[str, Any] = {**whose, "rescoring": rescoring and rescoring.pk, **counts.as_dict()}
        line["status"] = "nothing to do" if rescoring is None else rescoring.status
        if rescoring is not None and options["accept"]:
            done = accept(rescoring_id=rescoring.pk)
            line |= {"status": done.rescoring.status, **done.as_detail()}
        if counts.n_drifted:
            self.stderr.write(
                f"{whose['of']}: {counts.n_drifted} answers are read otherwise now than they once were under the same "
                "name of the reader. What is stored counts; give the changed reader a new version."
            )
        if not options["json"]:
            self.stdout.write(_in_words(line))
        return line

    # Comparing

    def _compare(self, options: dict[str, Any], rule: str, reader: str, question_set: QuestionSet | None) -> None:
        report = _compared(options, rule, reader, _question_ids(question_set))
        self._write_report(report, options)
        if report.unexplained:
            raise CommandError(
                f"{len(report.unexplained)} of {len(report.lines)} differences are explained by no predicate."
            )

    def _write_report(self, report: DifferenceReport, options: dict[str, Any]) -> None:
        target = options["report"]
        if target and target != "-":
            path = Path(target)
            path.write_text(as_csv(report) if path.suffix == ".csv" else as_markdown(report), "utf-8")
            self.stderr.write(f"{len(report.lines)} differences written to {path}")
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(report), indent=1))
        elif not target or target == "-":
            self.stdout.write(as_markdown(report))


def _compared(options: dict[str, Any], rule: str, reader: str, question_ids: frozenset[int] | None) -> DifferenceReport:
    """Compare imported runs, or the answers of imported studies where these or the survey's own rule are asked for."""
    runs, studies = _selected(options)
    against = options["against"]
    if against == SURVEY or (studies and options["study"] and not (options["system"] or options["run"])):
        report = study_differences(
            studies=studies, rule=rule, reader=reader, against=against, question_ids=question_ids
        )
        if not report.systems:
            raise CommandError("There is no imported answer among those chosen; only these have published verdicts.")
        return report
    imported = [run for run in runs if run.origin == Run.Origin.IMPORTED]
    if not imported:
        raise CommandError("There is no imported run among those chosen; only these have published verdicts.")
    return published_differences(runs=imported, rule=rule, reader=reader, question_ids=question_ids)


def _selected(options: dict[str, Any]) -> tuple[list[Run], list[Study]]:
    """Return the runs and studies asked for; all of both where nothing is named."""
    systems, runs, studies = options["system"], options["run"], options["study"]
    _refuse_unknown("system", systems, System.objects.values_list("slug", flat=True))
    _refuse_unknown("study", studies, Study.objects.values_list("slug", flat=True))
    _refuse_unknown("run", runs, Run.objects.values_list("pk", flat=True))
    is_all = not (systems or runs or studies)
    chosen_runs = list(runs_selected(system_slugs=systems, run_ids=runs)) if systems or runs or is_all else []
    chosen_studies = Study.objects.all() if is_all else Study.objects.filter(slug__in=studies)
    return chosen_runs, list(chosen_studies)


def _refuse_unknown(what: str, wanted: Sequence[Any], known: Iterable[Any]) -> None:
    there = set(known)
    missing = [str(name) for name in wanted if name not in there]
    if missing:
        names = ", ".join(sorted(str(name) for name in there)) or "none yet"
        raise CommandError(f"There is no {what} {', '.join(missing)}. There are: {names}.")


def _question_set(slug: str) -> QuestionSet | None:
    if not slug:
        return None
    question_set = QuestionSet.objects.filter(slug=slug, current_revision__isnull=False).first()
    if question_set is None:
        known = ", ".join(QuestionSet.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no question set {slug} with questions in it. There are: {known}.")
    return question_set


def _question_ids(question_set: QuestionSet | None) -> frozenset[int] | None:
    if question_set is None or question_set.current_revision is None:
        return None
    return frozenset(question_set.current_revision.question_revisions.values_list("question_id", flat=True))


def _roots(set_revision: Any) -> frozenset[int]:
    return frozenset(
        root or pk for pk, root in set_revision.question_revisions.order_by().values_list("pk", "comparison_root_id")
    )


def _rules_to_show(rule: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("standard", PUBLISHED, rule.partition("@")[0])))


def _systems(
    chosen: list[tuple[Run, Proposed]], question_set: QuestionSet | None, rule: str, rules: Sequence[str]
) -> list[dict[str, Any]]:
    """Return each system once, by its newest run; the rescored rule's counts are those proposed or accepted."""
    entrants = []
    for run, proposed in chosen:
        revision = question_set.current_revision if question_set else run.set_revision.question_set.current_revision
        (entrant,) = entrant_counts(systems=[run.system], root_ids=_roots(revision), rules=rules)
        name = rule.partition("@")[0]
        if proposed.rescoring is not None:
            failed = entrant["rules"].get(name, {}).get(Outcome.ERROR.value, 0)
            counts = {outcome.value: proposed.counts.new.get(outcome.value, 0) for outcome in Outcome}
            entrant["rules"][name] = counts | {Outcome.ERROR.value: failed}
        entrants.append(entrant)
    return entrants


def _people(studies: Collection[Study], question_set: QuestionSet | None, rules: Sequence[str]) -> list[dict[str, Any]]:
    people = []
    for study in studies:
        blocks = study.blocks.select_related("set_revision")
        revisions = [question_set.current_revision] if question_set else [block.set_revision for block in blocks]
        roots = frozenset(root for revision in revisions for root in _roots(revision))
        people += people_counts(study=study, root_ids=roots, rules=rules)
    return people


def _in_words(line: dict[str, Any]) -> str:
    told = (
        f"{line['of']} {line.get('run') or ''}: {line['status']}, {line['n_answers']} answers, "
        f"{line['n_verdicts']} verdicts change, {line['n_readings']} are read otherwise with the same verdict, "
        f"{line['n_decisions']} against a person's correction, {line['n_skipped']} without a reading"
    ).replace(" :", ":")
    if line["status"] != AbstractRescoring.Status.PROPOSED:
        return told
    return (
        f"{told}.\n  Rescoring {line['rescoring']} holds {line['n_rows']} scores to add, those of the rule, the "
        "reader or the key in force that are not stored yet. Look at them in the admin, or accept them with --accept."
    )


def _as_json(report: DifferenceReport) -> dict[str, Any]:
    return {
        "rule": report.rule,
        "reader": report.reader,
        "against": report.against,
        "systems": {
            slug: {"n": counts.n, "right_published": counts.n_right_published, "right": counts.n_right}
            for slug, counts in report.systems.items()
        },
        "n_differences": len(report.lines),
        "n_unexplained": len(report.unexplained),
        "causes": report.totals(),
        "unexplained": [line._asdict() for line in report.unexplained],
    }
