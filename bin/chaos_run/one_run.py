"""One run of a set under disturbance, and what came of it."""

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bin.chaos_run.checks import Findings, Loss, Verdict, findings
from bin.chaos_run.records import asked_items, logged_calls, n_calls, verdicts_of
from bin.chaos_run.servers import FakeProvider, Postgres, Valkey, fake_provider
from bin.chaos_run.supervisor import KEY_VARIABLE, Supervisor

if TYPE_CHECKING:
    from corpus.models import QuestionSetRevision
    from evaluations.models import Run

_LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Plan:
    """What is done to a run. Restarts come when so large a share of the questions has been asked."""

    seed: int
    latency_seconds: float = 0.6
    n_workers: int = 3
    concurrency: int = 8
    kill_every_seconds: float = 5.0
    most_kills: int = 10_000
    valkey_restarts: tuple[float, ...] = (0.25, 0.7)
    postgres_restarts: tuple[float, ...] = (0.45,)
    lease_seconds: int = 10
    call_seconds: float = 4.0
    sweep_seconds: int = 5
    at_most_seconds: float = 900.0

    def worker_environment(self, *, database_url: str, redis_url: str, data_dir: Path) -> dict[str, str]:
        """Return the environment of the workers; all that is not said here is as in production."""
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "chembench_site.settings.test",
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "DATA_DIR": str(data_dir),
            "EVALUATION_LEASE_SECONDS": str(self.lease_seconds),
            "EVALUATION_SWEEP_SECONDS": str(self.sweep_seconds),
            "EVALUATION_CALL_SECONDS": str(self.call_seconds),
            "EVALUATION_CONCURRENCY": str(self.concurrency),
            "EVALUATION_RETRY_SECONDS": "0.2",
        }


class Restart(NamedTuple):
    """A server that was taken down, and for how long."""

    server: str
    at: float
    seconds: float


@dataclass
class Outcome:
    """What was done to a run, how long it took, and the findings; `violations` include those of its processes."""

    status: str
    seconds: float
    kills: Counter[str]
    restarts: Sequence[Restart]
    n_started: int
    exits: Counter[int]
    findings: Findings
    violations: list[str] = field(default_factory=list)


@dataclass
class Disturbance:
    """Kills workers at fixed times and restarts servers as the run goes on, until it is over."""

    plan: Plan
    supervisor: Supervisor
    provider: FakeProvider
    n_items: int
    valkey: Valkey
    postgres: Postgres | None
    restarts: list[Restart] = field(default_factory=list)
    _next_kill: float = 0.0

    def __post_init__(self) -> None:
        self._chance = random.Random(self.plan.seed)  # noqa: S311 - the seed makes it repeatable
        # Whether the queue comes back with what was in it: once so and once so, which first is by chance.
        loses = self._chance.random() < 0.5
        due: list[tuple[float, str, Callable[[], None]]] = []
        for share in self.plan.valkey_restarts:
            due.append((share, "Valkey, all lost" if loses else "Valkey, data kept", self._valkey_restart(loses)))
            loses = not loses
        due += [(share, "PostgreSQL", self._postgres_restart) for share in self.plan.postgres_restarts]
        self._due = sorted(due, key=lambda each: each[0])
        self._at_work: list[threading.Thread] = []

    def step(self) -> None:
        """Do what is due now. Restarts take their time beside the kills."""
        n_asked = n_calls(self.provider.log)
        if n_asked and not self._next_kill:
            self._next_kill = time.monotonic() + self.plan.kill_every_seconds
        is_due = self._next_kill and time.monotonic() >= self._next_kill
        if is_due and len(self.supervisor.kills) < self.plan.most_kills:
            self._next_kill += self.plan.kill_every_seconds
            self.supervisor.kill_one(self._chance)
        if self._due and n_asked >= self._due[0][0] * self.n_items:
            _, server, restart = self._due.pop(0)
            self._at_work.append(threading.Thread(target=self._restart, args=(server, restart)))
            self._at_work[-1].start()

    def end(self) -> list[str]:
        """Wait for servers on their way back; return what was planned but never came about."""
        for thread in self._at_work:
            thread.join()
        return [f"{server} was never restarted: the run was over before" for _, server, _ in self._due]

    def _restart(self, server: str, restart: Callable[[], None]) -> None:
        began, at = time.monotonic(), time.time()
        restart()
        self.restarts.append(Restart(server, at, time.monotonic() - began))

    def _valkey_restart(self, loses: bool) -> Callable[[], None]:
        pause = 0.5 + 2 * self._chance.random()

        def restart() -> None:
            self.valkey.crash(loses=loses)
            time.sleep(pause)
            self.valkey.start()

        return restart

    def _postgres_restart(self) -> None:
        assert self.postgres is not None
        self.postgres.crash()
        time.sleep(1.0)
        self.postgres.start()


def undisturbed_verdicts(set_revision: "QuestionSetRevision", folder: Path, plan: Plan) -> dict[str, Verdict]:
    """Ask every question in this process with nothing going wrong; return the verdicts."""
    from evaluations.services.asking import ask_until_done

    os.environ[KEY_VARIABLE] = "undisturbed"
    with fake_provider(folder / "undisturbed.log") as provider:
        run = make_run(set_revision, slug="undisturbed", base_url=provider.base_url, plan=plan, wake=False)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "finished", f"the undisturbed run is {run.status}: {run.error_message}"
    return verdicts_of(run)


def chaos_run(
    *,
    plan: Plan,
    set_revision: "QuestionSetRevision",
    undisturbed: Mapping[str, Verdict],
    folder: Path,
    environment: Mapping[str, str],
    valkey: Valkey,
    postgres: Postgres | None,
) -> Outcome:
    """Ask every question while things break; return what came of it. `folder` gets the logs."""
    folder.mkdir()
    provider_at = fake_provider(
        folder / "calls.log", seed=plan.seed, latency_seconds=plan.latency_seconds, has_faults=True
    )
    workers = Supervisor(environment, folder / "workers.log", prefixes=((),) * plan.n_workers)
    with provider_at as provider, workers as supervisor:
        run = make_run(set_revision, slug=f"chaos-{plan.seed}", base_url=provider.base_url, plan=plan)
        disturbance = Disturbance(plan, supervisor, provider, len(undisturbed), valkey, postgres)
        seconds = watched(run, plan, disturbance.step)
        missing = disturbance.end()
    run.refresh_from_db()
    return _outcome(run, seconds, disturbance, undisturbed, missing)


def make_run(set_revision: "QuestionSetRevision", *, slug: str, base_url: str, plan: Plan, wake: bool = True) -> "Run":
    """Queue a run of a new system over the set."""
    from evaluations.models import System
    from evaluations.services.runs import run_create

    system = System.objects.create(
        slug=slug,
        name=slug,
        provider="openai_chat",
        model_id="chaos-1",
        base_url=base_url,
        api_key_variable=KEY_VARIABLE,
        concurrency=plan.concurrency,
    )
    return run_create(system=system, set_revision=set_revision, wake=wake)


def watched(run: "Run", plan: Plan, step: Callable[[], None]) -> float:
    """Call `step` again and again while the run goes on; return for how many seconds it did."""
    began = time.monotonic()
    while is_active(run) and time.monotonic() - began < plan.at_most_seconds:
        step()
        time.sleep(_LOOK_SECONDS)
    return time.monotonic() - began


def is_active(run: "Run") -> bool:
    """Say whether a run goes on; while the database is away it does."""
    from django.db import InterfaceError, OperationalError, connection

    try:
        run.refresh_from_db(fields=["status"])
    except (InterfaceError, OperationalError):
        connection.close()
    return run.status in ("queued", "running")


def unfinished(run: "Run") -> list[str]:
    """Return what is wrong with a run that was to be finished by now."""
    return [f"the run is {run.status} ({run.error_message})"] if run.status != "finished" else []


def _outcome(
    run: "Run", seconds: float, disturbance: Disturbance, undisturbed: Mapping[str, Verdict], missing: list[str]
) -> Outcome:
    supervisor = disturbance.supervisor
    losses = [Loss(kill.worker, kill.at) for kill in supervisor.kills if kill.mode != "parent"]
    calls = logged_calls(disturbance.provider.log)
    found = findings(items=asked_items(run), calls=calls, losses=losses, undisturbed=undisturbed)
    exits = Counter(ended.code for ended in supervisor.ended)
    in_vain = [f"{exits[0]} workers ended by themselves with exit code 0"] if exits[0] else []
    return Outcome(
        status=run.status,
        seconds=seconds,
        kills=Counter(kill.mode for kill in supervisor.kills),
        restarts=disturbance.restarts,
        n_started=supervisor.n_started,
        exits=exits,
        findings=found,
        violations=[*unfinished(run), *missing, *in_vain, *found.violations],
    )
