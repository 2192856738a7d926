"""How far a person is, and how long the rest takes at their own pace."""

from dataclasses import dataclass
from statistics import median

from survey.models import Participant, Response

ANSWERS_FOR_A_PACE = 3
MINUTES_IN_FIVES = 10
MINUTES_AS_HOURS = 100


@dataclass(frozen=True, slots=True)
class Progress:
    """Answered questions, all questions, and the seconds left at the median pace (None: not known yet)."""

    answered: int
    total: int
    seconds_left: float | None

    @property
    def text(self) -> str:
        """Such as `37 of 121, about 50 minutes left`, counting the question on the page."""
        place = f"{min(self.answered + 1, self.total)} of {self.total}"
        return place if self.seconds_left is None else f"{place}, {time_left_text(self.seconds_left)}"


def progress_of(participant: Participant) -> Progress:
    """Return a person's progress, from the server's times of their own answers."""
    total = participant.assignments.count()
    seconds = list(Response.objects.filter(assignment__participant=participant).values_list("seconds", flat=True))
    known = [value for value in seconds if value is not None]
    if len(known) < ANSWERS_FOR_A_PACE:
        return Progress(len(seconds), total, None)
    return Progress(len(seconds), total, (total - len(seconds)) * median(known))


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
