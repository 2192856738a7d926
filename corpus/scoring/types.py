"""The values that pass between reading an answer and judging it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum


class Outcome(StrEnum):
    """How an answer ended. `error` is only ever our own infrastructure."""

    RIGHT = "right"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    GAVE_UP = "gave_up"
    DO_NOT_KNOW = "do_not_know"
    ERROR = "error"


class ReadStatus(StrEnum):
    """What the reader found. Every word but `read` is also an `Outcome`."""

    READ = "read"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    GAVE_UP = "gave_up"
    DO_NOT_KNOW = "do_not_know"


class Kind(StrEnum):
    """What sort of answer a question asks for."""

    CHOICE = "choice"
    NUMBER = "number"
    MOLECULE = "molecule"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question: `key` is its identity, `text` its markup, `credit` 0 to 1."""

    key: str
    text: str
    credit: Decimal


@dataclass(frozen=True, slots=True)
class Target:
    """The answer key. `tolerance` is relative (absolute when `number` is 0); None leaves it to the rule."""

    kind: Kind
    options: tuple[Option, ...] = ()
    number: Decimal | None = None
    tolerance: Decimal | None = None
    unit: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ShownOption:
    """An option as it was put to the answerer: its letter there, its identity, its text as sent."""

    letter: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What was put to the answerer. `unit` is the unit the question asks for ("" when it names none).

    `protocols` names the places where the prompt asked for the answer (`protocols.py`); () reads all there are.
    `said_first` is what stood or may have stood right before the prompt, a system prompt with the blank line behind
    it; it is no part of `prompt`, and "" for nothing.
    """

    kind: Kind
    shown: tuple[ShownOption, ...] = ()
    prompt: str = ""
    unit: str = ""
    protocols: tuple[str, ...] = ()
    said_first: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, by which reader, from where.

    `option_keys` follow the order of `Asked.shown` without repeats; `span` counts characters of the raw text;
    `notes` are stable words that can be counted; `reason` is a sentence for a person. `text` holds the words at
    `span`, for a question of kind text alone; a stored reading leaves them where they are, in the answer.
    """

    status: ReadStatus
    option_keys: tuple[str, ...] = ()
    number: Decimal | None = None
    unit: str = ""
    span: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()
    reader: str = "standard@1"
    reason: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judged reading. `credit` is 0 to 1.

    `metrics` holds precision, recall, f1 and hamming of a choice, and meteor_exact_stem of a text (`text_metrics`);
    None stands for a metric that is not available.
    """

    outcome: Outcome
    credit: Decimal
    rule: str
    reason: str
    metrics: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a text could not be read, in a sentence, with a stable word (`note`) where one is counted."""

    reason: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One answer under two rules: the raw text, what was asked, the key, and a reading and verdict under each.

    `published` is what a report stored (reader and rule `as-published@1` or `survey-option-text@1`), `standard` is
    ours. `is_persons`: the text is what a person typed, "" for options ticked, and no reply of a model.
    """

    text: str
    asked: Asked
    target: Target
    published: Reading
    published_verdict: Verdict
    standard: Reading
    standard_verdict: Verdict
    is_persons: bool = False
