"""Limits of an endpoint over all workers: requests and tokens a minute, and the pauses it asks for.

What was granted is counted in the queue's server, in buckets of a quarter of a second by that server's clock; one
script looks and takes, so that no two workers take the same place. A bucket counts until everything in it is older
than 61.75 seconds: a call may be that much longer on its way than another, and the endpoint still never sees more than
the limit in any minute, while 97 % of it can be used. Libraries for this count calls only: they neither correct tokens
afterwards nor hold an endpoint.

A server that lost its memory is told by every worker what that worker was granted in the last minute, before anyone is
granted more. While there is no server, each process goes on at its share of the limit. When the server's clock is set
back, what it noted at times that are still to come counts as noted now.
"""

import hashlib
import logging
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from evaluations.models import Run, System
from evaluations.providers.base import LONGEST_WAIT_SECONDS
from evaluations.services.key_frozen import key_variable_of
from evaluations.services.rate_limit_scripts import ADD, HOLD, TAKE

logger = logging.getLogger(__name__)

BUCKET_MS = 250
# A minute, the time by which calls may be late, and the bucket that is not over yet.
WINDOW_BUCKETS = (60_000 + 1_750) // BUCKET_MS + 1
# Within five seconds at most a tenth of a minute's worth: no endpoint gets all of it at once.
BURST_BUCKETS = 5_000 // BUCKET_MS
BURST_PART = 10
# A server without memory grants nothing for so long, and workers ask at least as often.
SETTLING_MS = 1_500
LONGEST_LOOK_SECONDS = 1.0
# Shares of the limit while the queue's server was never seen; later the number of workers that it knew.
SHARES_WITHOUT_SERVER = 10
_SERVER_SECONDS = 2.0
_UNLIMITED_LOOK_SECONDS = 15.0
_REMEMBERED_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Taken:
    """The calls, from the first on, that may go out now, and when to ask for the next.

    `counted` holds the tokens that were counted for each of them; these and the `bucket` are for `correct`.
    """

    counted: tuple[int, ...]
    wait_seconds: float
    bucket: int = 0

    @property
    def n_granted(self) -> int:
        """Return how many may go out."""
        return len(self.counted)


@dataclass(slots=True)
class Granted:
    """What this process was granted within one bucket."""

    n_requests: int = 0
    n_tokens: int = 0


def endpoint_name(*, provider: str, base_url: str, model_id: str, key_variable: str) -> str:
    """Return the name under which calls count together: the same address, model and key, whatever the system."""
    parts = "\n".join((base_url.rstrip("/") or provider, model_id, key_variable))
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def endpoint_limits(*, run_id: UUID) -> "EndpointLimits":
    """Return the limits of the endpoint that a run asks; see `frozen_limits`."""
    run = Run.objects.select_related("system").get(pk=run_id)
    return frozen_limits(facts=run.frozen, system=run.system)


def frozen_limits(*, facts: Mapping[str, Any], system: System) -> "EndpointLimits":
    """Return the limits of a frozen endpoint: as many a minute as the system has now, counted where calls are sent.

    Raises CannotBeAskedError where the key's variable cannot be told; see `key_variable_of`.
    """
    return EndpointLimits(
        name=endpoint_name(
            provider=facts["provider"],
            base_url=facts["base_url"],
            model_id=facts["model_id"],
            key_variable=key_variable_of(facts=facts, system=system),
        ),
        requests_per_minute=system.requests_per_minute,
        tokens_per_minute=system.tokens_per_minute,
        server_url=settings.RQ_QUEUES["evaluations"]["URL"],
    )


class EndpointLimits:
    """One process's view of what all of them share. Use it on one event loop; `aclose` it there."""

    def __init__(
        self, *, name: str, requests_per_minute: int | None, tokens_per_minute: int | None, server_url: str
    ) -> None:
        self._limits = (requests_per_minute or 0, tokens_per_minute or 0)
        prefix = f"chembench:limit:{{{name}}}"
        self._keys = [f"{prefix}:{part}" for part in ("requests", "tokens", "hold", "memory")]
        self._server: redis.asyncio.Redis = redis.asyncio.Redis.from_url(
            server_url,
            socket_timeout=_SERVER_SECONDS,
            socket_connect_timeout=_SERVER_SECONDS,
            retry=Retry(NoBackoff(), retries=0),
        )
        self._take = self._server.register_script(TAKE)
        self._add = self._server.register_script(ADD)
        self._hold = self._server.register_script(HOLD)
        self._memory = ""
        self._own: dict[int, Granted] = {}
        self._n_workers = SHARES_WITHOUT_SERVER
        self._held_until = 0.0
        self._next_look = 0.0
        self._is_away = False
        self._next_alone = 0.0

    @property
    def counts_tokens(self) -> bool:
        """Say whether estimates of tokens matter."""
        return bool(self._limits[1])

    @property
    def is_held(self) -> bool:
        """Say whether this process knows of a pause that the endpoint asked for and that is not over."""
        return time.monotonic() < self._held_until

    async def take(self, tokens: Sequence[int]) -> Taken:
        """Ask for places for calls of about so many tokens each; the first `n_granted` of them may go out.

        A call that is larger than a minute's tokens counts as so many: it is granted when nothing else was.
        """
        if self.counts_tokens:
            tokens = [min(each, self._limits[1]) for each in tokens]
        now = time.monotonic()
        if now < self._held_until:
            return Taken((), min(self._held_until - now, LONGEST_LOOK_SECONDS))
        if not any(self._limits) and now < self._next_look:
            return Taken(tuple(tokens), 0.0)
        if self._is_away and now < self._next_look:
            return self._taken_alone(tokens)
        try:
            taken = await self._taken_together(tokens)
        except (RedisError, OSError) as error:
            self._note_away(error)
            return self._taken_alone(tokens)
        if self._is_away:
            logger.warning("the queue's server is back; limits are shared again")
        self._is_away = False
        return taken

    async def correct(self, *, bucket: int, n_tokens: int) -> None:
        """Add what a call took beyond what was counted for it, or take off (below zero) what it did not need."""
        if not self.counts_tokens or not n_tokens or bucket not in self._own:
            return
        self._own[bucket].n_tokens += n_tokens
        if self._is_away:
            return
        try:
            await self._add(keys=self._keys[:2], args=[bucket, 0, n_tokens])
        except (RedisError, OSError) as error:
            self._note_away(error)

    async def hold(self, seconds: float) -> None:
        """Let nobody call the endpoint for so long, at most `LONGEST_WAIT_SECONDS`."""
        seconds = min(seconds, LONGEST_WAIT_SECONDS)
        self._held_until = max(self._held_until, time.monotonic() + seconds)
        try:
            await self._hold(keys=[self._keys[2]], args=[max(1, math.ceil(seconds * 1000))])
        except (RedisError, OSError) as error:
            self._note_away(error)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._server.aclose()

    async def _taken_together(self, tokens: Sequence[int]) -> Taken:
        answer = await self._asked(tokens)
        while answer[0] == -1:
            await self._tell_what_was_granted(answer)
            answer = await self._asked(tokens)
        n_granted, wait_ms, bucket, n_workers = (int(value) for value in answer[:4])
        self._n_workers = max(1, n_workers)
        self._next_look = time.monotonic() + LONGEST_LOOK_SECONDS
        self._note_own(bucket, n_granted, sum(tokens[:n_granted]))
        if not any(self._limits) and not n_granted:
            self._held_until = time.monotonic() + wait_ms / 1000
        # Not all workers at the same instant.
        wait_seconds = min(wait_ms / 1000, LONGEST_LOOK_SECONDS) + 0.05 * random.random()  # noqa: S311
        return Taken(tuple(tokens[:n_granted]), wait_seconds, bucket)

    async def _asked(self, tokens: Sequence[int]) -> list[Any]:
        settling = SETTLING_MS if any(self._limits) else 0
        shape = (BUCKET_MS, WINDOW_BUCKETS, BURST_BUCKETS, BURST_PART, settling, _REMEMBERED_SECONDS)
        answer: list[Any] = await self._take(
            keys=[*self._keys, "rq:workers"], args=[self._memory, *self._limits, *shape, *tokens]
        )
        return answer

    async def _tell_what_was_granted(self, answer: Sequence[Any]) -> None:
        """Tell a server that does not know this process what it was granted within the last minute."""
        oldest = int(answer[2]) - WINDOW_BUCKETS
        own = [
            (bucket, granted.n_requests, granted.n_tokens) for bucket, granted in self._own.items() if bucket > oldest
        ]
        if own:
            await self._add(keys=self._keys[:2], args=[value for each in own for value in each])
        self._memory = answer[4].decode() if isinstance(answer[4], bytes) else str(answer[4])

    def _note_own(self, bucket: int, n_requests: int, n_tokens: int) -> None:
        if not n_requests or not any(self._limits):
            return
        granted = self._own.setdefault(bucket, Granted())
        granted.n_requests += n_requests
        granted.n_tokens += n_tokens
        for old in [each for each in self._own if abs(bucket - each) >= WINDOW_BUCKETS]:
            del self._own[old]

    def _note_away(self, error: Exception) -> None:
        if not self._is_away and any(self._limits):
            logger.warning(
                "the queue's server is away (%s); this process keeps to 1/%d of the limits",
                type(error).__name__,
                self._n_workers,
            )
        self._is_away = True
        # Looking may take until it times out; without limits there is little to see.
        self._next_look = time.monotonic() + (LONGEST_LOOK_SECONDS if any(self._limits) else _UNLIMITED_LOOK_SECONDS)

    def _taken_alone(self, tokens: Sequence[int]) -> Taken:
        """Grant one call at a time, as far apart as this process's share of the limits asks for."""
        if not any(self._limits):
            return Taken(tuple(tokens), 0.0)
        now = time.monotonic()
        if not tokens or now < self._next_alone:
            return Taken((), min(max(self._next_alone - now, 0.05), LONGEST_LOOK_SECONDS))
        window = WINDOW_BUCKETS * BUCKET_MS / 1000 * self._n_workers
        shares = [amount / limit for amount, limit in zip((1, tokens[0]), self._limits, strict=True) if limit]
        self._next_alone = now + window * max(shares)
        return Taken(tuple(tokens[:1]), 0.0)
