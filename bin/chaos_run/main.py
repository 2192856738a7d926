"""Ask 2,788 questions while workers are killed and servers restarted: `bin/chaos [--runs 5] [--seed 1]`.

Starts a scratch PostgreSQL, a scratch Valkey and a fake provider of its own. Exits with 1 when anything that was
promised does not hold.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bin.chaos_run.bank import CORPUS, made_up_bank, published_bank
from bin.chaos_run.one_run import Outcome, Plan, chaos_run, undisturbed_verdicts
from bin.chaos_run.servers import Postgres, Valkey, postgres_folder

if TYPE_CHECKING:
    from corpus.models import QuestionSetRevision

_SHOWN = 10
_HEAD = ("seed", "time", "kills", "restarts", "calls", "faults", "in flight", "extra", "again", "late", "exits", "")


def main() -> None:
    """Do the runs, print the table, say by the exit code whether all held."""
    chosen = _arguments()
    end_in_order()
    if not postgres_folder():
        sys.exit("PostgreSQL's server is missing. On Debian: apt-get install postgresql")

    def runs(folder: Path) -> list[str]:
        with scratch_servers(folder) as (postgres, valkey):
            outcomes = _runs(chosen, folder, postgres, valkey)
        return [violation for outcome in outcomes for violation in outcome.violations]

    with_logs("chaos-", runs, keep=chosen.keep)


def with_logs(prefix: str, action: Callable[[Path], Sequence[str]], *, keep: bool) -> NoReturn:
    """Do something that logs into a new folder and returns what was violated; exit with 1 where anything was.

    The folder stays with `keep`, and whenever not all held.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o755)
    violations: Sequence[str] = ["nothing was seen"]
    try:
        violations = action(folder)
    finally:
        if keep or violations:
            print(f"Logs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if violations else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next has the next")
    parser.add_argument("--items", type=int, default=2788, help="questions made up where the corpus is not used")
    parser.add_argument("--made-up", action="store_true", help="made-up questions even where ../shared is there")
    parser.add_argument("--latency", type=float, default=Plan(0).latency_seconds, help="seconds of a call, mean")
    parser.add_argument("--keep", action="store_true", help="keep the logs")
    return parser.parse_args()


def end_in_order() -> None:
    """Let SIGTERM end this process as an error would: whatever was started is ended."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


@contextmanager
def scratch_servers(folder: Path) -> Iterator[tuple[Postgres, Valkey]]:
    """Run PostgreSQL and Valkey in `folder`; both end with the block."""
    with ExitStack() as ends:
        postgres = Postgres(folder / "postgres")
        ends.callback(postgres.stop)
        postgres.make()
        valkey = Valkey(folder / "valkey")
        ends.callback(valkey.stop)
        valkey.start()
        yield postgres, valkey


def _runs(chosen: argparse.Namespace, folder: Path, postgres: Postgres, valkey: Valkey) -> list[Outcome]:
    first = Plan(seed=chosen.seed, latency_seconds=chosen.latency)
    environment = first.worker_environment(database_url=postgres.url, redis_url=valkey.url, data_dir=folder / "data")
    set_up_django(environment)
    set_revision = _bank(chosen)
    print(
        f"{set_revision.members.count():,} questions; lease {first.lease_seconds} s, calls of {first.latency_seconds} "
        f"s given up after {first.call_seconds:.0f} s; {first.n_workers} workers with {first.concurrency} calls each, "
        f"a kill every {first.kill_every_seconds:.0f} s"
    )
    began = time.monotonic()
    undisturbed = undisturbed_verdicts(set_revision, folder, first)
    print(f"undisturbed: {time.monotonic() - began:.0f} s; load of the machine {os.getloadavg()[0]:.1f}", flush=True)
    print(_row(_HEAD))
    outcomes = []
    for seed in range(chosen.seed, chosen.seed + chosen.runs):
        outcomes.append(
            chaos_run(
                plan=Plan(seed=seed, latency_seconds=chosen.latency),
                set_revision=set_revision,
                undisturbed=undisturbed,
                folder=folder / f"run-{seed}",
                environment=environment,
                valkey=valkey,
                postgres=postgres,
            )
        )
        _print(seed, outcomes[-1])
    return outcomes


def set_up_django(environment: dict[str, str]) -> None:
    """Let this process use the scratch servers, and make the tables."""
    os.environ.update(environment)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _bank(chosen: argparse.Namespace) -> "QuestionSetRevision":
    if CORPUS.is_file() and not chosen.made_up:
        return published_bank()
    return made_up_bank(chosen.items)


def _print(seed: int, outcome: Outcome) -> None:
    found = outcome.findings
    kills = "+".join(str(outcome.kills[mode]) for mode in ("all", "job", "parent"))
    exits = " ".join(f"{code}x{n}" for code, n in sorted(outcome.exits.items())) or "none"
    cells = (
        seed,
        f"{outcome.seconds:.0f} s",
        kills,
        len(outcome.restarts),
        found.n_calls,
        found.n_faults,
        found.n_in_flight_at_losses,
        found.n_extra_calls,
        found.n_asked_after_stored,
        found.n_late,
        exits,
        f"{len(outcome.violations)} violations" if outcome.violations else outcome.status,
    )
    print(_row(cells))
    for restart in outcome.restarts:
        print(f"    {restart.server}: away for {restart.seconds:.1f} s")
    print_violations(outcome.violations)
    sys.stdout.flush()


def print_violations(violations: Sequence[str]) -> None:
    """Print the first of what was promised and does not hold."""
    for violation in violations[:_SHOWN]:
        print(f"    VIOLATED: {violation}")


def _row(cells: tuple[object, ...]) -> str:
    return " ".join(f"{cell!s:>9}" for cell in cells)


if __name__ == "__main__":
    main()
