"""Two hosts with a worker each join one run on a third; one of them is cut off for a while: `bin/two_hosts`.

The hosts are network namespaces. The third has PostgreSQL, Valkey and the fake provider; the cut takes all
of them away.
Exits with 1 when anything that was promised does not hold, with 0 and a reason where namespaces are not allowed.
"""

import argparse
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bin.chaos_run.bank import made_up_bank
from bin.chaos_run.checks import Call, Findings, Loss, findings
from bin.chaos_run.main import end_in_order, print_violations, set_up_django, with_logs
from bin.chaos_run.network import TRUSTED, Host, Network, network, why_not
from bin.chaos_run.one_run import Plan, make_run, undisturbed_verdicts, unfinished, watched
from bin.chaos_run.records import asked_items, logged_calls, n_calls
from bin.chaos_run.servers import FakeProvider, Postgres, Valkey, fake_provider, postgres_folder
from bin.chaos_run.supervisor import Supervisor

if TYPE_CHECKING:
    from corpus.models import QuestionSetRevision

_CUT_AT_SHARE = 0.25


@dataclass(frozen=True)
class Cut:
    """When a worker's host was cut off and came back."""

    worker: str
    began: float
    ended: float


def main() -> None:
    """Do the run, print what was seen, say by the exit code whether all held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=900)
    parser.add_argument("--cut", type=float, default=30.0, help="seconds")
    parser.add_argument("--latency", type=float, default=1.5, help="seconds of a call, mean")
    parser.add_argument("--keep", action="store_true", help="keep the logs")
    chosen = parser.parse_args()
    if reason := why_not() or ("" if postgres_folder() else "PostgreSQL's server is missing"):
        print(f"Skipped: {reason}.")
        return
    end_in_order()

    def run(folder: Path) -> list[str]:
        with network(2) as hosts:
            return _run(chosen, folder, hosts)

    with_logs("hosts-", run, keep=chosen.keep)


def _run(chosen: argparse.Namespace, folder: Path, hosts: Network) -> list[str]:
    # A call outlives the cut: its reply comes when another worker has long stored one.
    plan = Plan(seed=0, latency_seconds=chosen.latency, call_seconds=chosen.cut + 60)
    with ExitStack() as ends:
        postgres = Postgres(folder / "postgres", hosts.hub.address, hosts.hub.inside)
        ends.callback(postgres.stop)
        postgres.make(trusted=TRUSTED)
        valkey = Valkey(folder / "valkey", hosts.hub.address, hosts.hub.inside)
        ends.callback(valkey.stop)
        valkey.start()
        data = folder / "data"
        here = plan.worker_environment(database_url=postgres.local_url, redis_url=valkey.local_url, data_dir=data)
        there = plan.worker_environment(database_url=postgres.url, redis_url=valkey.url, data_dir=data)
        set_up_django(here)
        set_revision = made_up_bank(chosen.items)
        undisturbed = undisturbed_verdicts(set_revision, folder, plan)
        provider = ends.enter_context(
            fake_provider(
                folder / "calls.log",
                latency_seconds=plan.latency_seconds,
                host=hosts.hub.address,
                inside=hosts.hub.inside,
            )
        )
        prefixes = tuple(host.inside for host in hosts.others)
        supervisor = ends.enter_context(Supervisor(there, folder / "workers.log", prefixes))
        return _watched(chosen, plan, hosts, set_revision, undisturbed, provider, supervisor)


def _watched(
    chosen: argparse.Namespace,
    plan: Plan,
    hosts: Network,
    set_revision: "QuestionSetRevision",
    undisturbed: dict[str, tuple[object, ...]],
    provider: FakeProvider,
    supervisor: Supervisor,
) -> list[str]:
    run = make_run(set_revision, slug="two-hosts", base_url=provider.base_url, plan=plan)
    cuts: list[Cut] = []

    def cut_once() -> None:
        if not cuts and n_calls(provider.log) >= _CUT_AT_SHARE * chosen.items:
            cuts.append(_cut(hosts, hosts.others[1], supervisor.worker_in(1), chosen.cut))

    seconds = watched(run, plan, cut_once)
    run.refresh_from_db()
    calls = logged_calls(provider.log)
    losses = [Loss(cut.worker, cut.began) for cut in cuts]
    found = findings(items=asked_items(run), calls=calls, losses=losses, undisturbed=undisturbed)
    print(f"{found.n_items} questions, lease {plan.lease_seconds} s, {seconds:.0f} s in all: {run.status}")
    _print(found)
    never = _print_cut(cuts[0], calls, supervisor) if cuts else ["no worker was cut off: the run was over before"]
    violations = [*unfinished(run), *never, *found.violations]
    print_violations(violations)
    return violations


def _cut(hosts: Network, host: Host, worker: str, seconds: float) -> Cut:
    began = time.time()
    hosts.cut(host)
    time.sleep(seconds)
    hosts.mend(host)
    return Cut(worker, began, time.time())


def _print(found: Findings) -> None:
    print(f"  calls {found.n_calls}, in flight at the cut {found.n_in_flight_at_losses}, extra {found.n_extra_calls}")
    print(f"  asked again after being stored {found.n_asked_after_stored}, late replies kept {found.n_late}")


def _print_cut(cut: Cut, calls: list[Call], supervisor: Supervisor) -> list[str]:
    """Print what the worker that was cut off did; return what is wrong with it."""
    by_place = {"before": 0, "during": 0, "after": 0}
    others = {f"chaos-worker-{n}" for n in range(1, supervisor.n_started + 1)} - {"chaos-worker-1"}
    back = [call.at for call in calls if call.worker in others and call.at > cut.ended]
    for call in calls:
        if call.worker in others:
            place = "before" if call.at < cut.began else "after" if call.at > cut.ended else "during"
            by_place[place] += 1
    print(f"  cut off for {cut.ended - cut.began:.0f} s; its calls before, during, after: {tuple(by_place.values())}")
    for ended in supervisor.ended:
        print(f"  {ended.worker} ended by itself with code {ended.code}, {ended.at - cut.began:.0f} s after the cut")
    if not back:
        return ["the worker that was cut off never asked again"]
    print(f"  it asked again {min(back) - cut.ended:.1f} s after its link was back")
    return []


if __name__ == "__main__":
    main()
