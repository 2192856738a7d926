"""A desk whose rows are in the database: claims, replies and failures of what is asked apart about a run's answers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from evaluations.models import Item, Run
from evaluations.providers import ProviderError, Reply
from evaluations.services.apart_rows import (
    Apart,
    ApartClaim,
    claim_apart,
    give_back_apart,
    has_replies,
    renew_apart,
    seconds_until_due,
    store_cut_off,
    store_failure,
    store_reply,
    tries_of,
)
from evaluations.services.asking_apart import ApartTally, Failures
from evaluations.services.call_results import is_failure, reply_of
from evaluations.services.costs import Prices
from evaluations.services.failures import CutOffCall
from evaluations.services.questions import Question
from evaluations.services.sending import Heard


class RowDesk(ABC):
    """What is asked apart about `items`; who inherits says how it is put, and what a reply comes to."""

    def __init__(self, *, apart: Apart, run: Run, items: Callable[[], QuerySet[Item]], prices: Prices) -> None:
        self._apart = apart
        self._run = run
        self._items = items
        self._prices = prices
        self._failures = Failures()

    @abstractmethod
    def questions(self, claims: Sequence[ApartClaim]) -> list[Question]:
        """Return what was claimed as it is put, in the run's order."""

    def row_fields(self) -> Mapping[str, Any]:
        """Return what every row holds from the claim on."""
        return {}

    def reply_fields(self, reply: Reply) -> Mapping[str, Any]:
        """Return what a row holds besides the reply."""
        return {}

    @abstractmethod
    def kept(self, replies: Sequence[tuple[Question, Reply]]) -> int:
        """Act on replies that were kept, in the same transaction; return how many say what they were asked for."""

    def has_replies(self) -> bool:
        """See `Desk`."""
        return has_replies(apart=self._apart, run=self._run)

    def claim(self, *, limit: int, only_first: bool) -> Sequence[Question]:
        """See `Desk`."""
        claims = claim_apart(
            apart=self._apart,
            items=self._items(),
            limit=limit,
            only_first=only_first,
            prices=self._prices,
            fields=self.row_fields(),
        )
        return self.questions(claims) if claims else []

    def renew(self, questions: Sequence[Question]) -> None:
        """See `Desk`."""
        renew_apart(apart=self._apart, claims=[_claim(each) for each in questions])

    def take(self, heard: Sequence[Heard]) -> ApartTally:
        """See `Desk`."""
        with transaction.atomic():
            kept = [(each.question, reply) for each in heard if (reply := self._kept(each)) is not None]
            n_read = self.kept(kept) if kept else 0
            had_replies = bool(kept) or self.has_replies()
            tally = ApartTally(len(kept), n_read)
            for each in heard:
                if is_failure(each.result):
                    tally = tally.plus(self._failed(each.question, each.result, had_replies))
        if kept:
            self._failures.replied()
        return tally

    def give_back(self, questions: Sequence[Question]) -> None:
        """See `Desk`."""
        give_back_apart(apart=self._apart, claims=[_claim(each) for each in questions])

    def cut_off(self, calls: Sequence[CutOffCall]) -> None:
        """See `Desk`."""
        with transaction.atomic():
            for question, error in calls:
                store_cut_off(apart=self._apart, claim=_claim(question), error=error, prices=self._prices)

    def seconds_until_due(self) -> float | None:
        """See `Desk`."""
        return seconds_until_due(apart=self._apart, items=self._items(), only_first=not self.has_replies())

    def _kept(self, heard: Heard) -> Reply | None:
        reply = reply_of(heard.result)
        if reply is None:
            return None
        is_kept = store_reply(
            apart=self._apart,
            claim=_claim(heard.question),
            reply=reply,
            prices=self._prices,
            fields=self.reply_fields(reply),
        )
        return reply if is_kept else None

    def _failed(self, question: Question, error: ProviderError, had_replies: bool) -> ApartTally:
        claim = _claim(question)
        ending = self._failures.ending(error, tries=tries_of(apart=self._apart, claim=claim), has_replies=had_replies)
        is_given_up = store_failure(
            apart=self._apart, claim=claim, error=error, prices=self._prices, delay_seconds=ending.delay_seconds
        )
        return ApartTally(int(is_given_up), n_failed=int(is_given_up), hopeless=ending.hopeless)


def _claim(question: Question) -> ApartClaim:
    return ApartClaim(question.item.pk, question.token)
