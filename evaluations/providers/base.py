"""What passes between the asking loop and an adapter, and the three ways an adapter may fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Any, Protocol, Self

from corpus.scoring.types import Asked
from evaluations.providers.lessons import Lesson
from evaluations.storable_text import storable

# A system that asks to wait longer than this is not waited for: the run is paused and says so.
LONGEST_WAIT_SECONDS = 3600.0


class FinishReason(StrEnum):
    """Why a reply ended, in our words; empty when the system does not say or says something else."""

    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    UNKNOWN = ""


class Scope(StrEnum):
    """What an error that must not be retried is about."""

    QUESTION = "question"
    RUN = "run"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as what a system is reached. `api_key` lives in memory only and is never shown."""

    model_id: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 120.0


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as it is put to a system.

    `parameters` go out as they are (None leaves one out). `system_prompt` is said before the prompt, "" is none;
    `turns` are (role, text) pairs that follow it, `assistant` and `user` in turn, the last one of the user. `asked`
    holds the options by letter, `question_key`, `repeat` and `seed` make a baseline's answer repeatable; no adapter
    ever sees the answer key.
    """

    prompt: str
    asked: Asked
    parameters: Mapping[str, Any]
    question_key: str = ""
    repeat: int = 0
    seed: int = 0
    system_prompt: str = ""
    turns: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a system said. Token counts are None where it does not report them; time is in milliseconds.

    `tokens_cached` are part of `tokens_in`, `tokens_reasoning` part of `tokens_out`, as they are charged.
    `tool_trace` is the JSON of the tools it says it used, "" where it does not say. `log_probabilities` are the
    reply's tokens with the natural logarithm of their probability (None where it is no number), None where not given.
    `prompt_sent` is the prompt where another one was sent than was asked for, with the system prompt at its head.
    `turns` are the (role, text) pairs said between the prompt and this text, where it was asked for in several turns;
    `charged` are then the replies of all of them, each to be paid by its own counts. `note` is a sentence on what else
    the system said of it, such as an error that did not keep it from answering.
    """

    text: str
    finish_reason: FinishReason
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    model_reported: str = ""
    latency_ms: int = 0
    tool_trace: str = ""
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None
    log_probabilities: Sequence[tuple[str, float | None]] | None = None
    prompt_sent: str = ""
    turns: Sequence[tuple[str, str]] = ()
    charged: Sequence["Reply"] = ()
    note: str = ""


class ProviderError(Exception):
    """A call that gave no reply: a stable `code` and a sentence for the person who runs the evaluation.

    `earlier` is the reply of a turn before it, where the question is asked in several; it was paid all the same.
    `taken` holds what the failed call itself took, where the system had accepted it and failed only then: whatever the
    code says, that may have been paid.
    """

    earlier: Reply | None = None
    taken: Reply | None = None

    def __init__(self, code: str, message: str) -> None:
        self.code = storable(code)
        self.message = storable(message)
        super().__init__(self.message)


class RetryLaterError(ProviderError):
    """Try again: a rate limit, an overload, a time-out, a broken reply.

    `delay_seconds` is what the system asked for, no more than `LONGEST_WAIT_SECONDS`; None leaves the delay to us.
    """

    def __init__(self, code: str, message: str, delay_seconds: float | None = None) -> None:
        super().__init__(code, message)
        self.delay_seconds = delay_seconds


class NeverRetryError(ProviderError):
    """The same request would fail again. `scope` says whether that holds for one question or for the run.

    `lesson` is what the endpoint's own words say would help: a parameter to leave out or to name otherwise.
    """

    def __init__(self, code: str, message: str, scope: Scope, lesson: Lesson | None = None) -> None:
        super().__init__(code, message)
        self.scope = scope
        self.lesson = lesson


class RefusedError(ProviderError):
    """The system declined to answer with an error instead of a reply; it counts as the answer `refused`."""


class Provider(Protocol):
    """An open connection to one system. Many `ask` calls may be in flight at once."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def ask(self, ask: Ask) -> Reply:
        """Ask one question once, never retrying inside. Raise nothing but a `ProviderError`."""
        ...
