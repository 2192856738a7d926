"""How well a fallback reader reads, measured on replies that people have labelled."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from corpus.scoring.letters import option_letter
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption
from evaluations.models import System
from evaluations.services.fallback import Unparsed, endpoint_of, extract
from evaluations.services.fallback_frozen import fallback_facts


class LabelError(ValueError):
    """A line of the labelled file cannot be used; the message says which and why."""


class Labelled(NamedTuple):
    """A reply with what people say it states: letters, a number, or None where it states no answer."""

    line: int
    completion: str
    asked: Asked
    letters: frozenset[str]
    number: Decimal | None
    has_answer: bool


@dataclass(frozen=True, slots=True)
class FallbackAccuracy:
    """What a fallback reader made of labelled replies; only those our reader leaves unparsed are put to it.

    `n_rightly` were read as labelled and `n_falsely` otherwise, a label of no answer included; `n_rightly_unread` state
    no answer and stayed unparsed, `n_missed` state one and stayed unparsed. `n_failed` could not be asked.
    """

    reader: str
    n_labelled: int
    n_put_to_it: int
    n_rightly: int
    n_falsely: int
    n_rightly_unread: int
    n_missed: int
    n_failed: int
    false_lines: tuple[int, ...]

    @property
    def accuracy(self) -> float | None:
        """The share of answered calls that ended as labelled; None where there was none."""
        n = self.n_rightly + self.n_falsely + self.n_rightly_unread + self.n_missed
        return (self.n_rightly + self.n_rightly_unread) / n if n else None


def fallback_accuracy(*, system: System, labelled: Sequence[Labelled]) -> FallbackAccuracy:
    """Put the labelled replies our reader cannot read to `system` and compare. Nothing is stored.

    Raises CannotBeAskedError for a system that cannot read.
    """
    facts = fallback_facts(system)
    sent = {each.line: each for each in labelled if _is_unparsed(each)}
    replies = [Unparsed(each.line, each.completion, each.asked) for each in sent.values()]
    readings = extract(facts=facts, endpoint=endpoint_of(facts), replies=replies).readings if replies else {}
    verdicts = {line: _verdict(sent[line], reading) for line, reading in readings.items()}
    counted = list(verdicts.values())
    return FallbackAccuracy(
        reader=facts["reader"],
        n_labelled=len(labelled),
        n_put_to_it=len(sent),
        n_rightly=counted.count("rightly"),
        n_falsely=counted.count("falsely"),
        n_rightly_unread=counted.count("rightly unread"),
        n_missed=counted.count("missed"),
        n_failed=len(sent) - len(readings),
        false_lines=tuple(sorted(line for line, verdict in verdicts.items() if verdict == "falsely")),
    )


def read_labelled(path: Path) -> list[Labelled]:
    """Read a file of JSON lines: `completion`, `kind` (choice or number), `options` (texts in the order shown, for a
    choice), `label` (letters such as "A" or "A, C", a number as text, or null for no answer). Raises LabelError.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LabelError(f"{path} cannot be read: {error}") from error
    return list(_labelled((number, line) for number, line in enumerate(lines, start=1) if line.strip()))


def _labelled(lines: Iterable[tuple[int, str]]) -> Iterator[Labelled]:
    for number, line in lines:
        try:
            yield _one(number, json.loads(line))
        except (KeyError, TypeError, ValueError, InvalidOperation) as error:
            raise LabelError(f"Line {number} is no labelled reply ({type(error).__name__}: {error}).") from error


def _one(line: int, said: dict[str, Any]) -> Labelled:
    kind = Kind(said["kind"])
    options = said.get("options") or []
    shown = tuple(ShownOption(option_letter(index), option_letter(index), text) for index, text in enumerate(options))
    label = said["label"]
    is_choice = kind is Kind.CHOICE
    letters = frozenset(str(label).replace(",", " ").split()) if is_choice and label is not None else frozenset()
    if not letters.issubset(option.letter for option in shown):
        raise ValueError(f"the label {label!r} names no option")
    number = Decimal(str(label)) if not is_choice and label is not None else None
    return Labelled(line, str(said["completion"]), Asked(kind, shown), letters, number, label is not None)


def _is_unparsed(each: Labelled) -> bool:
    return read_answer(text=each.completion, asked=each.asked).status is ReadStatus.UNPARSED


def _verdict(each: Labelled, reading: Reading) -> str:
    if reading.status is not ReadStatus.READ:
        return "missed" if each.has_answer else "rightly unread"
    is_as_labelled = (
        each.has_answer and frozenset(reading.option_keys) == each.letters and reading.number == each.number
    )
    return "rightly" if is_as_labelled else "falsely"
