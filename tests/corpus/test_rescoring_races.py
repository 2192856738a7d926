"""Two people decide about the same rescoring, or about the same answers, at the same moment."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from corpus.models import ActionLog
from corpus.scoring import reading as reading_module
from corpus.scoring.types import Reading, ReadStatus
from corpus.services.rescoring import RescoringStateError, decisions
from evaluations.models import Item, ItemReading, ItemRescoring, ItemScore
from evaluations.services.rescoring import (
    item_reading_correct,
    run_rescore,
    run_rescoring_accept,
    run_rescoring_discard,
)
from tests.corpus.test_rescoring import Bank, judged_bank

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """Run actions in threads of their own, each with its own connection; return results and exceptions in order."""
    barrier, results = Barrier(len(actions)), [None] * len(actions)

    def run(place: int, action: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=20)
            results[place] = action()
        except Exception as error:  # noqa: BLE001 - handed to the test, which looks at it
            results[place] = error
        finally:
            connection.close()

    threads = [Thread(target=run, args=entry) for entry in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def bank(monkeypatch: pytest.MonkeyPatch) -> Bank:
    """Five right answers, and a second reader that reads nothing in them."""
    unread = Reading(ReadStatus.UNPARSED, reader="standard@2")
    monkeypatch.setitem(reading_module._READERS, "standard@2", lambda *args: unread)
    return judged_bank("42", "42", "42", "42", "42")


def proposed(bank: Bank) -> int:
    rescoring = run_rescore(run=bank.run).rescoring
    assert rescoring is not None
    return rescoring.pk


@pytest.mark.postgres
def test_of_two_who_accept_at_once_one_does(bank: Bank) -> None:
    pk = proposed(bank)
    done = at_once(*[lambda: run_rescoring_accept(rescoring_id=pk)] * 4)
    assert sorted(result.is_new for result in done) == [False, False, False, True]
    assert ItemScore.objects.filter(reading__reader="standard@2").count() == 5
    assert bank.outcomes() == ["unparsed"] * 5
    assert ActionLog.objects.filter(code="rescoring.accepted").count() == 1


@pytest.mark.postgres
def test_of_accept_and_discard_at_once_one_wins_and_the_other_is_told(bank: Bank) -> None:
    pk = proposed(bank)
    results = at_once(lambda: run_rescoring_accept(rescoring_id=pk), lambda: run_rescoring_discard(rescoring_id=pk))
    refused = [result for result in results if isinstance(result, RescoringStateError)]
    assert len(refused) == 1
    is_accepted = ItemRescoring.objects.get().status == "accepted"
    assert bank.outcomes() == (["unparsed"] if is_accepted else ["right"]) * 5
    assert ItemScore.objects.filter(reading__reader="standard@2").count() == (5 if is_accepted else 0)


@pytest.mark.postgres
def test_the_same_rescoring_proposed_at_once_is_stored_once(bank: Bank) -> None:
    done = at_once(*[lambda: run_rescore(run=bank.run)] * 2)
    assert sorted(result.is_new for result in done) == [False, True]
    assert ItemRescoring.objects.count() == 1
    assert ItemReading.objects.filter(reader="standard@2").count() == 5


@pytest.mark.postgres
def test_a_correction_made_while_a_rescoring_is_accepted_is_not_lost(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("overlapping transactions need PostgreSQL (DATABASE_URL); SQLite lets writers in one by one")
    pk, item = proposed(bank), Item.objects.order_by("pk")[0]
    actor = get_user_model().objects.create_user("maintainer")
    both, mark_stale = Barrier(2), decisions._mark_stale

    def held(*args: Any) -> int:
        n_stale = mark_stale(*args)
        both.wait(timeout=20)
        return n_stale

    def correct() -> Any:
        both.wait(timeout=20)
        return item_reading_correct(item=item, reading=Reading(ReadStatus.REFUSED), reason="It declines.", actor=actor)

    monkeypatch.setattr(decisions, "_mark_stale", held)
    done, corrected = at_once(lambda: run_rescoring_accept(rescoring_id=pk), correct)
    assert (done.n_current, corrected.is_new) == (5, True)
    assert bank.outcomes() == ["refused"] + ["unparsed"] * 4
