"""A server of chat completions that answers everything alike after a fixed time, as cheaply as asyncio can.

`python mock_server.py LATENCY_MS` prints its port. `GET /arrivals` gives the times at which calls came, in seconds, and
forgets them.
"""

import asyncio
import json
import sys
import time

REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "mock-1",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": "Each option in turn, then the one that fits. " * 8 + "[ANSWER]A[/ANSWER]",
            },
        }
    ],
    "usage": {"prompt_tokens": 150, "completion_tokens": 120, "total_tokens": 270},
}


def _response(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


ANSWER = _response(json.dumps(REPLY).encode())


class Connection(asyncio.Protocol):
    """One client's connection, one request at a time."""

    def __init__(self, latency_seconds: float, arrivals: list[float]) -> None:
        self._latency_seconds = latency_seconds
        self._arrivals = arrivals
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer later, once the whole request is here."""
        self._heard += data
        head, end, body = self._heard.partition(b"\r\n\r\n")
        if not end or len(body) < _length(head):
            return
        self._heard = b""
        if head.startswith(b"GET"):
            times = json.dumps(self._arrivals).encode()
            self._arrivals.clear()
            self._transport.write(_response(times))
            return
        self._arrivals.append(time.monotonic())
        asyncio.get_running_loop().call_later(self._latency_seconds, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(ANSWER)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


async def _serve(latency_seconds: float) -> None:
    arrivals: list[float] = []
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(latency_seconds, arrivals), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]) / 1000))
