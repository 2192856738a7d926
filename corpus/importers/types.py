"""What an importer hands over: a question, or the reason why a file is refused."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from corpus.scoring.types import Kind


class RefusedError(ValueError):
    """A file that cannot become a question; `code` is a stable word, the message says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class BankFile:
    """A file of a bank: its path there (folders included) and its bytes, or why they could not be read."""

    path: str
    content: bytes = b""
    problem: str = ""

    @property
    def folders(self) -> tuple[str, ...]:
        return tuple(self.path.split("/")[:-1])

    @property
    def stem(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".json")


@dataclass(frozen=True, slots=True)
class ImportedOption:
    """An option: trimmed text, identity, credit 0 to 1."""

    text: str
    key: str
    credit: Decimal


@dataclass(frozen=True, slots=True)
class ImportedQuestion:
    """One question as a file gives it. `metadata` is every field without a place of its own here."""

    key: str
    kind: Kind
    name: str
    uuid: str
    stem: str
    source_path: str
    original: str
    options: tuple[ImportedOption, ...] = ()
    target: str = ""
    tolerance: str = ""
    unit: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file left out of the import, with the reason and, where it could be told, the question's key."""

    path: str
    code: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A line of a topics table: the question's key and what the table says of it."""

    key: str
    topic: str
    skills: tuple[str, ...] = ()
    difficulty: str = ""
