"""The whole path: command, queue, worker process, provider over HTTP, database, verdicts.

On PostgreSQL the set is the published Mini set where `../shared` is there, else 236 made-up questions.
"""

import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from corpus.models import QuestionRevision, QuestionSet
from corpus.services.imports import corpus_import
from evaluations.errors import RunAlreadyActiveError
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.services.runs import run_create
from evaluations.services.stalled_runs import is_silent
from tests.conftest import SHARED
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.evaluations.conftest import make_bank
from tests.evaluations.real_parts import LEASE_SECONDS, RealParts, real_parts, wait_until
from tests.fake_servers.noise import Noise, noise_for
from tests.fake_servers.server import FakeServer, Shape

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.workers]

MINI = 236
SEED = 20261130
CONCURRENCY = 8


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[RealParts]:
    with real_parts(tmp_path) as started:
        yield started


@pytest.fixture
def mini(tmp_path: Path) -> QuestionSet:
    """The set of 236 questions on PostgreSQL."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: set DATABASE_URL")
    return published_mini(tmp_path) if SHARED.is_dir() else made_up_mini()


def published_mini(folder: Path) -> QuestionSet:
    """Import the questions of the Mini set, and only those, from the published corpus."""
    data = SHARED / "data" / "chembench"
    lists = [data / "mini_tool.txt", data / "mini_notool.txt"]
    wanted = {line.strip() for path in lists for line in path.read_text("utf-8").splitlines() if line.strip()}
    bank = folder / "bank"
    with zipfile.ZipFile(data / "corpus.zip") as archive:
        for name in archive.namelist():
            path = Path(name)
            if path.suffix == ".json" and any(key.startswith(f"{path.parent.name}-{path.stem}-") for key in wanted):
                target = bank / path.parent.name / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    corpus_import(source=bank, sets={"mini": lists})
    return QuestionSet.objects.get(slug="mini")


def made_up_mini() -> QuestionSet:
    benchmark = make_benchmark()
    questions = [
        make_question(benchmark, kind="number", stem=f"Question {n}: how many moles are {n} g?", target=f"{n / 18:.4g}")
        if n % 5 == 0
        else make_question(benchmark, stem=f"Question {n}: which one?")
        for n in range(1, MINI + 1)
    ]
    return make_set(benchmark, "mini", questions)


def revisions_of(question_set: QuestionSet) -> list[QuestionRevision]:
    revision = question_set.current_revision
    assert revision is not None
    return list(revision.question_revisions.prefetch_related("options"))


def system_at(server: FakeServer) -> System:
    provider = {"openai": "openai_chat", "anthropic": "anthropic_messages"}[server.shape]
    return System.objects.create(
        slug="noisy",
        name="Noisy",
        provider=provider,
        model_id="noisy-1",
        base_url=server.base_url,
        concurrency=CONCURRENCY,
    )


def noisy_server(noise: Noise, shape: Shape, latency_seconds: float) -> FakeServer:
    return FakeServer(shape, answer=noise.replies.__getitem__, latency_seconds=latency_seconds)


def nonzero(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


@pytest.mark.postgres
@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_the_mini_set_is_asked_once_each_and_comes_out_as_expected(
    mini: QuestionSet, parts: RealParts, shape: Any
) -> None:
    noise = noise_for(revisions_of(mini), seed=SEED)
    assert noise.prompts.total() == MINI
    with noisy_server(noise, shape, 0.02) as server:
        system_at(server)
        parts.start_worker()
        report = parts.report_of(
            parts.start_command("evaluate", "--system", "noisy", "--set", "mini", "--wait", "--json")
        )
    assert report["status"] == "finished"
    assert (report["n_items"], report["asked"]) == (MINI, MINI)
    assert nonzero(report["outcomes"]) == dict(noise.outcomes)
    assert (report["tokens_in"], report["tokens_out"]) == (11 * MINI, 7 * MINI)
    assert server.asked == noise.prompts
    assert set(Item.objects.values_list("status", "attempts")) == {("answered", 1)}
    assert not ItemAttempt.objects.exists()


@pytest.mark.postgres
def test_a_worker_killed_half_way_costs_at_most_one_more_call_for_what_was_in_flight(
    mini: QuestionSet, parts: RealParts
) -> None:
    noise = noise_for(revisions_of(mini), seed=SEED)
    with noisy_server(noise, "openai", 0.15) as server:
        system_at(server)
        first = parts.start_worker()
        command = parts.start_command("evaluate", "--system", "noisy", "--set", "mini", "--wait", "--json")
        wait_until(lambda: n_answered() >= MINI // 2, what="half of the answers")
        first.kill()
        stored = set(Item.objects.filter(status="answered").values_list("pk", flat=True))
        in_flight = set(Item.objects.filter(status="leased").values_list("pk", flat=True))
        assert MINI // 2 <= len(stored) < MINI
        # As many as are on their way, and those whose replies wait to be stored: some more on a busy machine.
        assert len(in_flight) <= 4 * CONCURRENCY
        parts.start_worker()
        report = parts.report_of(command)
    assert (report["status"], report["n_items"]) == ("finished", MINI)
    assert nonzero(report["outcomes"]) == dict(noise.outcomes)
    assert set(Item.objects.filter(pk__in=stored).values_list("attempts", flat=True)) == {1}
    assert asked_too_often(server, noise) <= len(in_flight)
    attempts = dict(Item.objects.values_list("pk", "attempts"))
    assert {pk for pk, n in attempts.items() if n > 1} <= in_flight
    assert max(attempts.values()) <= 2
    assert report["asked"] == sum(attempts.values())
    assert ItemAttempt.objects.filter(error_code="worker_lost").count() == len(in_flight)
    assert only_once(server, noise, stored)


def n_answered() -> int:
    return Item.objects.filter(status="answered").count()


def asked_too_often(server: FakeServer, noise: Noise) -> int:
    assert set(server.asked) == set(noise.prompts)
    return sum(max(0, count - noise.prompts[prompt]) for prompt, count in server.asked.items())


def only_once(server: FakeServer, noise: Noise, stored: set[int]) -> bool:
    """Say whether no prompt came again whose every question was stored before the kill."""
    before = Counter(Item.objects.filter(pk__in=stored).values_list("prompt", flat=True))
    return all(server.asked[p] == n for p, n in before.items() if n == noise.prompts[p])


@pytest.mark.workers(sqlite=True)
def test_rq_01_a_killed_worker_is_replaced_by_another(parts: RealParts, admin_client: Any, settings: Any) -> None:
    """RQ-01: twenty questions, SIGKILL after five; the run shows `Interrupted`, another worker goes on at the sixth."""
    settings.EVALUATION_LEASE_SECONDS = LEASE_SECONDS
    make_set_named("twenty", 20)
    with FakeServer(latency_seconds=0.25) as server:
        system_at(server)
        System.objects.update(concurrency=2)
        first = parts.start_worker()
        command = parts.start_command("evaluate", "--system", "noisy", "--set", "twenty", "--wait", "--json")
        wait_until(lambda: n_answered() >= 5, what="five answers")
        first.kill()
        stored = set(Item.objects.filter(status="answered").values_list("prompt", flat=True))
        in_flight = Item.objects.filter(status="leased").count()
        run = Run.objects.get()
        assert run.status == Run.Status.RUNNING
        wait_until(lambda: is_silent(Run.objects.get()), what="a lease without a sign of life")
        page = admin_client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode()
        assert "Interrupted: no worker has given a sign of life" in page
        parts.start_worker()
        report = parts.report_of(command)
    assert (report["status"], nonzero(report["outcomes"])) == ("finished", {"right": 20})
    assert {server.asked[prompt] for prompt in stored} == {1}
    assert report["asked"] == 20 + in_flight
    assert sum(server.asked.values()) <= 20 + in_flight


def test_rq_05_two_workers_share_a_run_and_a_second_press_says_so(parts: RealParts) -> None:
    """RQ-05: two workers, one run: each question once; a second run of the same is refused."""
    make_set_named("forty", 40)
    with FakeServer(latency_seconds=0.2) as server:
        system_at(server)
        System.objects.update(concurrency=2)
        for _ in range(2):
            parts.start_worker()
        command = parts.start_command("evaluate", "--system", "noisy", "--set", "forty", "--wait", "--json")
        wait_until(Run.objects.exists, what="the run")
        run = Run.objects.select_related("system", "set_revision__question_set__benchmark").get()
        with pytest.raises(RunAlreadyActiveError, match="already being asked this set"):
            run_create(system=run.system, set_revision=run.set_revision)
        report = parts.report_of(command)
    assert Run.objects.count() == 1
    assert (report["status"], report["asked"]) == ("finished", 40)
    assert set(server.asked.values()) == {1}
    assert server.most_in_flight > 2, "the second worker joined"


def test_a_worker_that_is_asked_to_end_gives_its_questions_back(parts: RealParts) -> None:
    make_set_named("twenty", 20)
    with FakeServer(latency_seconds=0.3) as server:
        system_at(server)
        System.objects.update(concurrency=2)
        worker = parts.start_worker()
        command = parts.start_command("evaluate", "--system", "noisy", "--set", "twenty", "--wait", "--json")
        wait_until(lambda: n_answered() >= 3, what="three answers")
        assert worker.end() == 0
        assert Item.objects.filter(status="leased").count() == 0
        assert n_answered() < 20
        parts.start_worker()
        report = parts.report_of(command)
    assert (report["status"], report["asked"]) == ("finished", 20)
    assert set(server.asked.values()) == {1}


@pytest.mark.workers(sqlite=True)
def test_random_runs_through_the_queue(parts: RealParts) -> None:
    make_set_named("twenty", 20)
    parts.start_worker()
    report = parts.report_of(
        parts.start_command("evaluate", "--system", "random", "--set", "twenty", "--seed", "7", "--wait", "--json")
    )
    assert (report["status"], report["asked"]) == ("finished", 20)
    assert set(nonzero(report["outcomes"])) <= {"right", "wrong"}


def make_set_named(slug: str, size: int) -> None:
    revision = make_bank(size)
    QuestionSet.objects.filter(pk=revision.question_set_id).update(slug=slug)
