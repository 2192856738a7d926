"""How far a person is, and how long the rest takes at their own pace."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from survey.models import Participant

ANSWERS_FOR_A_PACE = 3
MINUTES_IN_FIVES = 10
MINUTES_AS_HOURS = 100


@dataclass(frozen=True, slots=True)
class PartProgress:
    """Answered questions and all questions of one part; parts are numbered from 1 in the person's own order."""

    block_id: int
    number: int
    answered: int
    total: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Answered questions, all questions, the seconds left at the median pace (None: not known yet), and the parts."""

    answered: int
    total: int
    seconds_left: float | None
    parts: tuple[PartProgress, ...] = ()

    @property
    def place(self) -> str:
        """Such as `37 of 121`, counting the question on the page."""
        return f"{min(self.answered + 1, self.total)} of {self.total}"

    @property
    def text(self) -> str:
        """Such as `37 of 121, about 50 minutes left`."""
        return self.place if self.seconds_left is None else f"{self.place}, {time_left_text(self.seconds_left)}"

    @property
    def percent(self) -> int:
        """Answered questions of all, in whole percent rounded down."""
        return 100 * self.answered // self.total if self.total else 0

    @property
    def part(self) -> PartProgress | None:
        """The part that a person is in: the first with a question left, or the last one."""
        return next((part for part in self.parts if part.answered < part.total), self.parts[-1] if self.parts else None)


@dataclass(frozen=True, slots=True)
class _Given:
    """One question given to a person; `net_seconds` is None while it has no answer, or none with a time."""

    block_id: int
    is_answered: bool
    net_seconds: float | None


def progress_of(participant: Participant) -> Progress:
    """Return a person's progress, from the server's times of their own answers less the time away. One query."""
    columns = ("block_id", "response__id", "response__seconds", "response__away_seconds")
    rows = participant.assignments.order_by("position").values_list(*columns)
    given = [_Given(block, response is not None, _net(seconds, away)) for block, response, seconds, away in rows]
    answered = sum(question.is_answered for question in given)
    return Progress(answered, len(given), _seconds_left(given), _parts(given))


def _net(seconds: float | None, away_seconds: float | None) -> float | None:
    return None if seconds is None else max(0.0, seconds - (away_seconds or 0.0))


def _seconds_left(given: Sequence[_Given]) -> float | None:
    known = [question.net_seconds for question in given if question.net_seconds is not None]
    if len(known) < ANSWERS_FOR_A_PACE:
        return None
    return sum(not question.is_answered for question in given) * median(known)


def _parts(given: Sequence[_Given]) -> tuple[PartProgress, ...]:
    answers: dict[int, list[bool]] = {}
    for question in given:
        answers.setdefault(question.block_id, []).append(question.is_answered)
    return tuple(
        PartProgress(block_id, number, sum(answered), len(answered))
        for number, (block_id, answered) in enumerate(answers.items(), start=1)
    )


def time_left_text(seconds: float) -> str:
    """Return a time left in words, no more precise than it is."""
    minutes = seconds / 60
    if minutes < 1.5:
        return "about a minute left"
    if minutes >= MINUTES_AS_HOURS:
        hours = round(minutes / 30) / 2
        return f"about {hours:g} hours left"
    step = 5 if minutes >= MINUTES_IN_FIVES else 1
    return f"about {round(minutes / step) * step} minutes left"
