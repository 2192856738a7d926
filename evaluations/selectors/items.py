"""One item with everything that led to its verdict, for maintainers."""

import json
from dataclasses import dataclass
from typing import NamedTuple

from django.utils import timezone

from corpus.scoring.types import Asked
from corpus.selectors.evidence import AnswerEvidence, MarkedText, OptionLine, ReadingLine, answer_evidence
from corpus.selectors.later_keys import keys_in_force
from evaluations.asked import asked_of_run
from evaluations.database_clock import database_now
from evaluations.models import Item, ItemAttempt, ItemScore

# Among what a system reports beside its answer, see `Reply.tool_trace`.
TOOL_TRACE = "tool_trace"


@dataclass(frozen=True, slots=True)
class ItemEvidence:
    """How an item's verdict came about, and what else happened to it."""

    item: Item
    answer: AnswerEvidence
    attempts: tuple[ItemAttempt, ...]

    @property
    def completion(self) -> MarkedText:
        """The raw reply, with what was read marked."""
        return self.answer.text

    @property
    def options(self) -> tuple[OptionLine, ...]:
        """The options as they were sent."""
        return self.answer.options

    @property
    def readings(self) -> tuple[ReadingLine, ...]:
        """Every reading, newest last."""
        return self.answer.readings

    @property
    def current(self) -> ItemScore | None:
        """The score that the row's outcome stands for."""
        score = self.answer.current
        return score if isinstance(score, ItemScore) else None


def item_evidence(*, item: Item) -> ItemEvidence:
    """Return everything stored about one item, newest reading last."""
    key = keys_in_force([item.question_revision_id])[item.question_revision_id]
    asked = item_asked(item)
    return ItemEvidence(
        item=item,
        answer=answer_evidence(answer=item, text=item.completion, asked=asked, key=key),
        attempts=tuple(item.other_attempts.order_by("id")),
    )


class TokenLine(NamedTuple):
    """A token of the reply with its log-probability."""

    token: str
    log_probability: float


def token_lines(item: Item) -> list[TokenLine]:
    """Return the tokens of the reply with their log-probabilities, where the endpoint gave any."""
    pairs = item.log_probabilities if isinstance(item.log_probabilities, list) else []
    return [TokenLine(str(pair[0]), pair[1]) for pair in pairs if isinstance(pair, list) and len(pair) == 2]


def tool_trace_of(item: Item) -> str:
    """Return what the system says of the tools it used, JSON on several lines; "" where it says nothing."""
    trace = str(item.source_flags.get(TOOL_TRACE) or "") if isinstance(item.source_flags, dict) else ""
    try:
        return json.dumps(json.loads(trace), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return trace


def why_no_reply(item: Item) -> str:
    """Return a sentence for an item without a reply: it waits, is in flight, failed, or the reply is empty; else ""."""
    if item.status == Item.Status.WAITING:
        if item.not_before and item.not_before > database_now():
            return f"It failed before and waits until {timezone.localtime(item.not_before):%Y-%m-%d %H:%M:%S}."
        return "It waits to be asked; there is no reply yet."
    if item.status == Item.Status.LEASED:
        return "It is being asked; there is no reply yet."
    if item.completion:
        return ""
    return "It was given up; there is no reply." if item.status == Item.Status.FAILED else "The reply is empty."


def item_asked(item: Item) -> Asked:
    """Return what was put to the system, from the rows of the item and its run."""
    return asked_of_run(item.question_revision, item.options_shown, item.prompt, frozen=item.run.frozen)
