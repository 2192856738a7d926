"""A small HTTP server that speaks OpenAI's chat or responses, Anthropic's messages or an interface of its own.

What it says to a prompt is fixed beforehand (`answer`), what goes wrong may depend on how often the prompt came
(`fault`) and on what else was sent (`refuses`). Every call is kept, so that a test can say how often a question was
really asked.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, cast

Shape = Literal["openai", "responses", "anthropic", "plain"]


@dataclass(frozen=True)
class Said:
    """A reply of the model; `finish` in OpenAI's words. `text` None is a reply without content, `tool` one it calls.

    `counts` are the tokens it reports, in and out.
    """

    text: str | None
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str = ""
    has_usage: bool = True
    counts: tuple[int, int] = (11, 7)
    n_cached: int | None = None
    n_reasoning: int | None = None
    log_probabilities: Sequence[tuple[str, float]] | None = None
    tool: str = ""


@dataclass(frozen=True)
class Fault:
    """Something else than a reply: a status with a body, a connection that is dropped, or one that hangs.

    `cuts` ends the connection after the body although more was announced: `chunked` or by its `length`.
    """

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False
    hangs_seconds: float = 0
    stalls_after_headers: bool = False
    cuts: Literal["", "chunked", "length"] = ""


@dataclass(frozen=True)
class Call:
    """A request as it came; names of headers in small letters."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at: float

    @property
    def prompt(self) -> str:
        messages = self.body.get("messages") or self.body.get("input")
        if isinstance(messages, str):
            return messages
        return str(messages[-1]["content"] if messages else self.body.get("prompt", ""))


def error_fault(status: int, message: str = "", headers: Mapping[str, str] | None = None, **fields: Any) -> Fault:
    """Return an error as providers send it: a JSON object with the message, a code or type, the parameter."""
    return Fault(status, json.dumps({"error": {"message": message, **fields}}), headers or {})


class FakeServer:
    """Use with `with`; `base_url` is what a system's endpoint has to be."""

    def __init__(
        self,
        shape: Shape = "openai",
        *,
        answer: Callable[[str], Said] = lambda prompt: Said("[ANSWER]A[/ANSWER]"),
        fault: Callable[[str, int], Fault | None] = lambda prompt, nth: None,
        refuses: Callable[[Mapping[str, Any]], Fault | None] = lambda body: None,
        latency_seconds: float = 0.0,
    ) -> None:
        self.shape = shape
        self.answer = answer
        self.fault = fault
        self.refuses = refuses
        self.latency_seconds = latency_seconds
        self.calls: list[Call] = []
        self.asked: Counter[str] = Counter()
        self.in_flight = 0
        self.most_in_flight = 0
        self.lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        root = f"http://127.0.0.1:{self._server.server_address[1]}"
        return f"{root}/v1" if self.shape in {"openai", "responses"} else root

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def note(self, call: Call) -> int:
        """Keep a call; return how often its prompt came so far, this time included."""
        with self.lock:
            self.calls.append(call)
            self.asked[call.prompt] += 1
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            return self.asked[call.prompt]

    def done(self) -> None:
        with self.lock:
            self.in_flight -= 1

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the end of the test."""
        self._closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, fake: FakeServer) -> None:
        self.fake = fake
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def fake(self) -> FakeServer:
        return cast(_Server, self.server).fake

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.path, headers, json.loads(self.rfile.read(length)), time.monotonic())
        nth = self.fake.note(call)
        try:
            self._respond(call, nth)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.fake.done()

    def _respond(self, call: Call, nth: int) -> None:
        self.fake.sleep(self.fake.latency_seconds)
        fault = self.fake.refuses(call.body) or self.fake.fault(call.prompt, nth)
        if fault is None:
            reply = _REPLIES[self.fake.shape](self.fake.answer(call.prompt), str(call.body.get("model", "agent")))
            self._send(200, json.dumps(reply), {})
        elif fault.drops:
            self.close_connection = True
            self.connection.close()
        else:
            self._send_fault(fault)

    def _send_fault(self, fault: Fault) -> None:
        if fault.stalls_after_headers:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.flush()
        if fault.hangs_seconds:
            self.fake.sleep(fault.hangs_seconds)
            self.close_connection = True
            return
        if fault.cuts:
            self._send_cut(fault)
        else:
            self._send(fault.status, fault.body, fault.headers)

    def _send_cut(self, fault: Fault) -> None:
        raw = fault.body.encode()
        self.send_response(fault.status)
        self.send_header("Content-Type", "application/json")
        if fault.cuts == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            raw = b"%x\r\n%s\r\n" % (len(raw), raw)
        else:
            self.send_header("Content-Length", str(len(raw) + 100))
        self.end_headers()
        self.wfile.write(raw)
        self.close_connection = True

    def _send(self, status: int, body: str, headers: Mapping[str, str]) -> None:
        raw = body.encode()
        self.send_response(status)
        kind = "text/html" if body.startswith("<") else "application/json"
        for name, value in {"Content-Type": kind, **headers, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        return None


def _openai_reply(said: Said, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    if said.tool:
        message["tool_calls"] = [{"id": "1", "type": "function", "function": {"name": said.tool, "arguments": "{}"}}]
    n_in, n_out = said.counts
    usage: dict[str, Any] = {"prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out}
    if said.n_cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": said.n_cached}
    if said.n_reasoning is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": said.n_reasoning}
    logprobs = None if said.log_probabilities is None else {"content": _tokens(said)}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{model}-2026",
        "choices": [{"index": 0, "finish_reason": said.finish, "message": message, "logprobs": logprobs}],
        "usage": usage if said.has_usage else None,
    }


def _responses_reply(said: Said, model: str) -> dict[str, Any]:
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(said.finish)
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": said.reasoning}]}
    call = {"id": "fc_1", "call_id": "1", "type": "function_call", "name": said.tool, "arguments": "{}"}
    text = {"type": "output_text", "text": said.text, "annotations": [], "logprobs": _tokens(said)}
    refusal = {"type": "refusal", "refusal": said.refusal}
    parts = ([text] if said.text is not None else []) + ([refusal] if said.refusal else [])
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": parts}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": f"{model}-2026",
        "status": "incomplete" if why else "completed",
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "output": [
            *([reasoning] if said.reasoning else []),
            *([call] if said.tool else []),
            *([message] if parts else []),
        ],
        "usage": _responses_usage(said) if said.has_usage else None,
    }


def _responses_usage(said: Said) -> dict[str, Any]:
    n_in, n_out = said.counts
    usage: dict[str, Any] = {"input_tokens": n_in, "output_tokens": n_out, "total_tokens": n_in + n_out}
    if said.n_cached is not None:
        usage["input_tokens_details"] = {"cached_tokens": said.n_cached}
    if said.n_reasoning is not None:
        usage["output_tokens_details"] = {"reasoning_tokens": said.n_reasoning}
    return usage


def _tokens(said: Said) -> list[dict[str, Any]]:
    return [{"token": token, "logprob": value, "bytes": []} for token, value in said.log_probabilities or ()]


_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}


def _anthropic_reply(said: Said, model: str) -> dict[str, Any]:
    thinking = [{"type": "thinking", "thinking": said.reasoning, "signature": "s"}] if said.reasoning else []
    tool = [{"type": "tool_use", "id": "1", "name": said.tool, "input": {}}] if said.tool else []
    text = [{"type": "text", "text": said.text}] if said.text else []
    n_in, n_out = said.counts
    usage: dict[str, Any] = {"input_tokens": n_in - (said.n_cached or 0), "output_tokens": n_out}
    if said.n_cached is not None:
        usage["cache_read_input_tokens"] = said.n_cached
    if said.n_reasoning is not None:
        usage["output_tokens_details"] = {"thinking_tokens": said.n_reasoning}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": f"{model}-2026",
        "content": [*thinking, *tool, *text],
        "stop_reason": _STOP_REASONS[said.finish],
        "stop_sequence": None,
        "usage": usage if said.has_usage else None,
    }


def _plain_reply(said: Said, model: str) -> dict[str, Any]:
    return {
        "agent": {"version": f"{model}-2026", "thoughts": said.reasoning},
        "outputs": [{"text": said.text, "why_ended": said.finish}],
        "used": {"read": said.counts[0], "written": said.counts[1]} if said.has_usage else None,
        "steps": [{"tool": "search", "input": "benzene"}],
    }


_REPLIES: dict[str, Callable[[Said, str], dict[str, Any]]] = {
    "openai": _openai_reply,
    "responses": _responses_reply,
    "anthropic": _anthropic_reply,
    "plain": _plain_reply,
}
