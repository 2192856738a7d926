"""How well a fallback reader reads, measured on replies that people have labelled."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from corpus.scoring.letters import option_letter
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption
from corpus.services.results import action_log
from evaluations.models import Item, System
from evaluations.providers import ProviderError
from evaluations.selectors.fallback_accuracy import MEASURED, reader_digest
from evaluations.services.asking_apart import ApartPace, ApartTally, Failures
from evaluations.services.call_results import reply_of
from evaluations.services.failures import CutOffCall
from evaluations.services.fallback import FallbackReader, ask_reader, fallback_reader, question_about, reading_of
from evaluations.services.fallback_frozen import fallback_facts
from evaluations.services.questions import Question
from evaluations.services.sending import Heard


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
    no answer and stayed unparsed, `n_missed` state one and stayed unparsed. `n_made_up` of those read falsely state no
    answer. `n_failed` could not be asked.
    """

    reader: str
    n_labelled: int
    n_put_to_it: int
    n_rightly: int
    n_falsely: int
    n_made_up: int
    n_rightly_unread: int
    n_missed: int
    n_failed: int
    false_lines: tuple[int, ...]

    @property
    def accuracy(self) -> float | None:
        """The share of answered calls that ended as labelled; None where there was none."""
        n = self.n_rightly + self.n_falsely + self.n_rightly_unread + self.n_missed
        return (self.n_rightly + self.n_rightly_unread) / n if n else None


def fallback_measure(*, system: System, labelled: Sequence[Labelled]) -> FallbackAccuracy:
    """Measure as `fallback_accuracy` does, and keep the result with the system; not where a reply could not be asked.

    Kept are counts alone, in the log of actions, for the reader as the system makes it now.
    """
    facts = fallback_facts(system)
    measured = fallback_accuracy(system=system, labelled=labelled)
    if not measured.n_failed:
        counts = {name: value for name, value in asdict(measured).items() if name != "false_lines"}
        action_log(code=MEASURED, target=system, detail={**counts, "digest": reader_digest(facts)})
    return measured


def fallback_accuracy(*, system: System, labelled: Sequence[Labelled]) -> FallbackAccuracy:
    """Put the labelled replies our reader cannot read to `system` and compare. Nothing is stored.

    Raises CannotBeAskedError for a system that cannot read.
    """
    reader = fallback_reader(fallback_facts(system))
    sent = {each.line: each for each in labelled if _is_unparsed(each)}
    desk = _LabelledDesk(reader, sent.values())
    if sent:
        ask_reader(reader=reader, desk=desk, pace=ApartPace())
    readings = desk.readings
    verdicts = {line: _verdict(sent[line], reading) for line, reading in readings.items()}
    counted = list(verdicts.values())
    return FallbackAccuracy(
        reader=reader.name,
        n_labelled=len(labelled),
        n_put_to_it=len(sent),
        n_rightly=counted.count("rightly"),
        n_falsely=counted.count("misread") + counted.count("made up"),
        n_made_up=counted.count("made up"),
        n_rightly_unread=counted.count("rightly unread"),
        n_missed=counted.count("missed"),
        n_failed=len(sent) - len(readings),
        false_lines=tuple(sorted(line for line, verdict in verdicts.items() if verdict in ("misread", "made up"))),
    )


def read_labelled(path: Path) -> list[Labelled]:
    """Read a file of JSON lines: `completion`, `kind` (choice or number), `options` (texts in the order shown, for a
    choice), `label` (letters such as "A" or "A, C", a number as text, or null for no answer). Lines of collected cases
    (`completion_last_400`, `type`, `options_in_prompt_order`, `right_parse`) are read as well. Raises LabelError.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LabelError(f"{path} cannot be read: {error}") from error
    return list(_labelled((number, line) for number, line in enumerate(lines, start=1) if line.strip()))


class _LabelledDesk:
    """Labelled replies, each claimed by nobody else; nothing of it is stored."""

    def __init__(self, reader: FallbackReader, labelled: Iterable[Labelled]) -> None:
        self._reader = reader
        self._failures = Failures()
        self._tries: Counter[int] = Counter()
        self.readings: dict[int, Reading] = {}
        # By the time (monotonic seconds) from which they are to be asked.
        self._waiting: list[tuple[float, Question]] = [(0.0, _question(each)) for each in labelled]

    def has_replies(self) -> bool:
        return bool(self.readings)

    def claim(self, *, limit: int, only_first: bool) -> Sequence[Question]:
        now = time.monotonic()
        due = [each for each in self._waiting[: 1 if only_first else None] if each[0] <= now][:limit]
        for each in due:
            self._waiting.remove(each)
        return [question for _, question in due]

    def renew(self, questions: Sequence[Question]) -> None:
        return

    def take(self, heard: Sequence[Heard]) -> ApartTally:
        tally = ApartTally()
        for each in heard:
            if (reply := reply_of(each.result)) is not None:
                self._failures.replied()
                self.readings[each.question.item.pk] = reading_of(
                    reader=self._reader, question=each.question, reply=reply
                )
            elif isinstance(each.result, ProviderError):
                tally = tally.plus(self._failed(each.question, each.result))
        return tally

    def give_back(self, questions: Sequence[Question]) -> None:
        return

    def cut_off(self, calls: Sequence[CutOffCall]) -> None:
        return

    def seconds_until_due(self) -> float | None:
        times = [at for at, _ in self._waiting[: None if self.readings else 1]]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _failed(self, question: Question, error: ProviderError) -> ApartTally:
        line = question.item.pk
        ending = self._failures.ending(error, tries=self._tries[line], has_replies=self.has_replies())
        self._tries[line] += 1
        if ending.delay_seconds is not None:
            self._waiting.insert(0, (time.monotonic() + ending.delay_seconds, question))
        return ApartTally(hopeless=ending.hopeless)


def _question(each: Labelled) -> Question:
    return question_about(item=Item(pk=each.line, completion=each.completion), token=UUID(int=0), asked=each.asked)


def _labelled(lines: Iterable[tuple[int, str]]) -> Iterator[Labelled]:
    for number, line in lines:
        try:
            yield _one(number, json.loads(line))
        except (KeyError, TypeError, ValueError, InvalidOperation) as error:
            raise LabelError(f"Line {number} is no labelled reply ({type(error).__name__}: {error}).") from error


def _as_collected(said: dict[str, Any]) -> dict[str, Any]:
    """Return the line of a collected case as one of ours."""
    label = said["right_parse"]
    return {
        "completion": said["completion_last_400"],
        "kind": {"mcq": "choice", "numeric": "number"}[said["type"]],
        "options": list((said.get("options_in_prompt_order") or {}).values()),
        "label": ", ".join(label) if isinstance(label, list) else label,
    }


def _one(line: int, said: dict[str, Any]) -> Labelled:
    said = _as_collected(said) if "completion_last_400" in said else said
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
    if not each.has_answer:
        return "made up"
    is_as_labelled = frozenset(reading.option_keys) == each.letters and reading.number == each.number
    return "rightly" if is_as_labelled else "misread"
