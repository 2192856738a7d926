"""A fake provider of chat completions as a process of its own; it keeps a line for every call it ever got.

`python -m bin.chaos_run.provider --log FILE [--seed N] [--latency SECONDS] [--faults]` prints its port. A line of
the log is written when a call arrives: prompt (fingerprint), how often it came, whose key it bore, when, its fault.
"""

import argparse
import asyncio
import json
import socket
import struct
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from bin.chaos_run.provider_plan import (
    RETRY_AFTER_SECONDS,
    completion,
    fault_for,
    fingerprint,
    latency_for,
    reply_for,
)

_HANG_SECONDS = 3600.0
_REASONS = {200: "OK", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}


class Behaviour(NamedTuple):
    """How the provider behaves."""

    seed: int
    latency_seconds: float
    has_faults: bool


class Provider:
    """Answers calls; `asked` counts them by prompt for as long as the process lives."""

    def __init__(self, behaviour: Behaviour, log: Path) -> None:
        self._behaviour = behaviour
        self._asked: Counter[str] = Counter()
        self._log = log.open("a", buffering=1)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take calls from one connection, one after the other, until it closes."""
        try:
            while await self._one_call(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            pass
        finally:
            writer.close()

    async def _one_call(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))))
        prompt = body["messages"][-1]["content"]
        self._asked[prompt] += 1
        nth = self._asked[prompt]
        fault = fault_for(prompt, nth, self._behaviour.seed) if self._behaviour.has_faults else ""
        worker = headers.get("authorization", "").removeprefix("bearer ")
        line = {"prompt": fingerprint(prompt), "nth": nth, "worker": worker, "at": time.time(), "fault": fault}
        self._log.write(json.dumps(line) + "\n")
        await asyncio.sleep(latency_for(prompt, nth, self._behaviour.seed, self._behaviour.latency_seconds))
        return await self._respond(writer, fault, nth, completion(reply_for(prompt), body.get("model", "")))

    async def _respond(self, writer: asyncio.StreamWriter, fault: str, nth: int, reply: bytes) -> bool:
        """Send the reply or the fault; return whether the connection stays open."""
        if fault == "reset":
            _reset(writer)
            return False
        if fault == "hang":
            await asyncio.sleep(_HANG_SECONDS)
            return False
        if fault == "rate_limit":
            return await _send(writer, 429, _error("slow down"), f"retry-after: {RETRY_AFTER_SECONDS}\r\n")
        if fault == "server_error":
            return await _send(writer, (500, 503)[nth % 2], _error("something broke"))
        return await _send(writer, 200, reply[: len(reply) // 2] if fault == "malformed" else reply)


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes, more: str = "") -> bool:
    head = f"HTTP/1.1 {status} {_REASONS[status]}\r\ncontent-type: application/json\r\n{more}"
    writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    return True


def _reset(writer: asyncio.StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "server_error"}}).encode()


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--faults", action="store_true")
    chosen = parser.parse_args()
    provider = Provider(Behaviour(chosen.seed, chosen.latency, chosen.faults), chosen.log)
    server = await asyncio.start_server(provider.serve, chosen.host, 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
