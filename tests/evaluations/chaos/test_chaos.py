"""A small run while workers are killed and the queue's server is restarted: what `bin/chaos` does at full size."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from bin.chaos_run.bank import made_up_bank
from bin.chaos_run.one_run import Plan, chaos_run, undisturbed_verdicts
from bin.chaos_run.servers import Valkey
from tests.evaluations.real_parts import database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]

N_ITEMS = 120
PLAN = Plan(
    seed=20261130,
    latency_seconds=0.5,
    concurrency=4,
    kill_every_seconds=1.5,
    # On a busy machine a worker takes longer to start than the next kill takes to come; it gets its turn in the end.
    most_kills=5,
    valkey_restarts=(0.3,),
    postgres_restarts=(),
    lease_seconds=4,
    call_seconds=2.0,
    sweep_seconds=1,
    at_most_seconds=90.0,
)


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop()


def test_a_run_outlives_its_workers_and_its_queue(tmp_path: Path, valkey: Valkey) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: set DATABASE_URL")
    environment = PLAN.worker_environment(database_url=database_url(), redis_url=valkey.url, data_dir=tmp_path / "data")
    set_revision = made_up_bank(N_ITEMS)
    undisturbed = undisturbed_verdicts(set_revision, tmp_path, PLAN)
    outcome = chaos_run(
        plan=PLAN,
        set_revision=set_revision,
        undisturbed=undisturbed,
        folder=tmp_path / "chaos",
        environment=environment,
        valkey=valkey,
        postgres=None,
    )
    said = (tmp_path / "chaos" / "workers.log").read_text(errors="replace")[-4000:]
    assert outcome.violations == [], said
    found = outcome.findings
    assert (outcome.status, found.n_items, found.n_asked_after_stored) == ("finished", N_ITEMS, 0)
    assert found.n_extra_calls <= found.n_in_flight_at_losses
    assert found.n_faults > 0
    assert outcome.kills.total() >= 2
    assert len(outcome.restarts) == 1
