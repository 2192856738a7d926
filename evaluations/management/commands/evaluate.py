"""Ask a system every question of a set: queue a run, or ask it here and now."""

import json
import time
from argparse import ArgumentParser, ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from evaluations.errors import EvaluationError
from evaluations.management.named import set_revision_named, system_named
from evaluations.management.run_reports import run_report
from evaluations.models import Run
from evaluations.prompts import DEFAULT_PROMPT_STYLE, prompt_style_names
from evaluations.selectors.estimates import run_estimate, sweep_estimate
from evaluations.selectors.workers import WORKER_COMMAND, run_workers
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from evaluations.services.stalled_runs import wake_stalled_runs
from evaluations.services.sweep_turns import SWEEP_KEY
from evaluations.services.sweeps import parse_dimensions, sweep_create, variants_of

_LOOK_SECONDS = 0.5
_REPORT_SECONDS = 15


class Command(BaseCommand):
    help = "Queue a run of a system over a question set, as the admin does; --wait waits, --inline needs no worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--system", required=True, help="its slug; `random` and `structure` are made if not there")
        parser.add_argument("--set", required=True, dest="question_set", help="slug of the question set")
        parser.add_argument("--prompt-style", default=DEFAULT_PROMPT_STYLE, choices=prompt_style_names())
        parser.add_argument("--repeats", type=int, default=1, help="how often each question is asked")
        parser.add_argument("--seed", type=int, default=0, help="seed of a baseline's guesses")
        parser.add_argument(
            "--fallback", default="", metavar="SLUG", help="system that reads the replies our reader cannot read"
        )
        parser.add_argument(
            "--budget", type=_amount, metavar="AMOUNT", help="pause when it has cost so much, in the prices' currency"
        )
        parser.add_argument(
            "--permute-options", action="store_true", help="show the options in another order at every repeat"
        )
        parser.add_argument(
            "--confidence", action="store_true", help="ask after the answers how sure the system is of each, 1 to 5"
        )
        parser.add_argument(
            "--sweep",
            action="append",
            default=[],
            metavar="NAME=VALUE,VALUE",
            help="make a run for every value, of prompt_style, seed or a parameter such as temperature; give it "
            "several times for every combination. The runs take turns",
        )
        parser.add_argument("--estimate", action="store_true", help="say what the run would cost; queue nothing")
        parser.add_argument("--wait", action="store_true", help="return when the run has ended")
        parser.add_argument("--inline", action="store_true", help="ask in this process, without queue and worker")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["estimate"]:
            self._estimate(options)
            return
        if options["sweep"]:
            self._sweep(options)
            return
        run = self._create(options)
        self.stderr.write(f"run {run.pk} is queued")
        if options["inline"]:
            ask_until_done(run_id=run.pk)
        elif options["wait"]:
            self._wait(run)
        report = run_report(run.pk)
        self.stdout.write(json.dumps(report.as_dict()) if options["json"] else report.as_text())
        if (options["wait"] or options["inline"]) and report.status != Run.Status.FINISHED:
            raise CommandError(f"The run is {report.status_label}. {report.reason}".strip())

    def _create(self, options: dict[str, Any]) -> Run:
        try:
            return run_create(**_settings(options))
        except EvaluationError as error:
            raise CommandError(str(error)) from error

    def _sweep(self, options: dict[str, Any]) -> None:
        """Queue the runs of a sweep; with --wait or --inline until the last of them has ended."""
        try:
            runs = sweep_create(dimensions=parse_dimensions(options["sweep"]), **_settings(options))
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"sweep {runs[0].sweep}: {len(runs)} runs, of which the first is queued")
        for run in runs:
            if options["inline"]:
                ask_until_done(run_id=run.pk)
            elif options["wait"]:
                self._wait(run)
        reports = [run_report(run.pk) for run in runs]
        values = [run.frozen[SWEEP_KEY]["values"] for run in runs]
        if options["json"]:
            listed = [{**report.as_dict(), "values": varied} for report, varied in zip(reports, values, strict=True)]
            self.stdout.write(json.dumps({"sweep": str(runs[0].sweep), "runs": listed}))
        else:
            self.stdout.write(
                "\n".join(f"{varied} {report.as_text()}" for varied, report in zip(values, reports, strict=True))
            )
        lacking = [report for report in reports if report.status != Run.Status.FINISHED]
        if (options["wait"] or options["inline"]) and lacking:
            raise CommandError(f"{len(lacking)} of {len(reports)} runs are not finished. {lacking[0].reason}".strip())

    def _estimate(self, options: dict[str, Any]) -> None:
        try:
            asked: dict[str, Any] = {
                "system": system_named(options["system"], makes_baselines=True),
                "set_revision": set_revision_named(options["question_set"]),
                "style_name": options["prompt_style"],
                "repeats": options["repeats"],
                "asks_confidence": options["confidence"],
            }
            estimate = (
                sweep_estimate(variants=variants_of(parse_dimensions(options["sweep"])), **asked)
                if options["sweep"]
                else run_estimate(**asked)
            )
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        received = "an unknown number of" if estimate.tokens_out is None else f"{estimate.tokens_out}"
        self.stdout.write(
            json.dumps(estimate.as_dict())
            if options["json"]
            else f"estimate: {estimate.text} for {estimate.n_items} questions, {estimate.tokens_in} tokens sent, "
            f"{received} received. {' '.join(estimate.rests_on)}"
        )

    def _wait(self, run: Run) -> None:
        next_report = time.monotonic() + _REPORT_SECONDS
        while Run.objects.filter(pk=run.pk, status__in=Run.ACTIVE).exists():
            time.sleep(_LOOK_SECONDS)
            wake_stalled_runs()
            if time.monotonic() >= next_report:
                next_report += _REPORT_SECONDS
                self.stderr.write(f"{timezone.now():%H:%M:%S} {run_report(run.pk).as_text()}")
                self._say_without_workers(run)

    def _say_without_workers(self, run: Run) -> None:
        workers = run_workers(run_id=run.pk)
        if not workers.n_alive:
            self.stderr.write(f"{workers.text} Start one in a second terminal: {WORKER_COMMAND}")


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    """Return what `run_create` is told."""
    return {
        "system": system_named(options["system"], makes_baselines=True),
        "set_revision": set_revision_named(options["question_set"]),
        "prompt_style": options["prompt_style"],
        "seed": options["seed"],
        "repeats": options["repeats"],
        "fallback": system_named(options["fallback"], makes_baselines=True) if options["fallback"] else None,
        "budget": options["budget"],
        "permutes_options": options["permute_options"],
        "asks_confidence": options["confidence"],
        "wake": not options["inline"],
    }


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount <= 0:
        raise ArgumentTypeError(f"{text!r} is no amount of money; give a number above 0, for example 2.50")
    return amount
