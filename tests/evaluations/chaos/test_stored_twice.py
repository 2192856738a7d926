"""A database that breaks off after it stored a reply, before it could say so: the reply comes once more, in vain."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from corpus.models import QuestionSetRevision
from evaluations.models import ItemAttempt, System
from evaluations.providers import FinishReason, Reply
from evaluations.services.answers import Arrived, Stored, store_answers
from evaluations.services.claims import claim_items
from evaluations.services.questions import Question, make_ready, run_context
from evaluations.services.runs import run_create, run_start

REPLY = Reply("[ANSWER]A[/ANSWER]", FinishReason.STOP, tokens_in=3, tokens_out=2, latency_ms=5)


@pytest.mark.parametrize(
    ("second", "stored"),
    [
        pytest.param(REPLY, Stored(1, 0), id="the same reply"),
        pytest.param(replace(REPLY, latency_ms=6), Stored(0, 1), id="the same words from another call"),
        pytest.param(replace(REPLY, text="[ANSWER]B[/ANSWER]"), Stored(0, 1), id="other words"),
    ],
)
def test_the_same_reply_is_no_late_one(
    twenty: QuestionSetRevision, make_system: Callable[..., System], second: Reply, stored: Stored
) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    run_start(run_id=run.pk)
    context = run_context(run_id=run.pk)
    tokens = {claim.item_id: claim.token for claim in claim_items(run_id=run.pk, limit=1)}
    (question,) = make_ready(context=context, tokens=tokens)
    assert isinstance(question, Question)
    assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(1, 0)
    assert store_answers(context=context, arrived=[Arrived(question, second)]) == stored
    assert ItemAttempt.objects.count() == stored.n_late
    item = run.items.get(status="answered")
    assert item.readings.count() == item.scores.count() == 1
