"""The checks after a disturbed run see what they are there for."""

from dataclasses import replace
from typing import Any

import pytest

from bin.chaos_run.checks import Asked, Call, Findings, Loss, findings
from bin.chaos_run.provider_plan import FAULT_SHARES, fault_for, latency_for, reply_for

ITEM = Asked("q/0", "p", "answered", 100.0, ("right",), 1, 1, (), 0)


def seen(calls: list[Call], losses: list[Loss] | None = None, **changes: Any) -> Findings:
    items = [replace(ITEM, **changes)]
    return findings(items=items, calls=calls, losses=losses or [], undisturbed={"q/0": ("right",)})


def call(at: float, worker: str = "w1", fault: str = "", prompt: str = "p") -> Call:
    return Call(prompt, worker, at, fault)


@pytest.mark.parametrize(
    ("calls", "losses", "changes"),
    [
        pytest.param([call(99)], [], {}, id="asked once"),
        pytest.param(
            [call(90, fault="reset"), call(99)], [], {"errors": ((91.0, "connection"),)}, id="an error stored"
        ),
        pytest.param([call(90), call(99, "w2")], [Loss("w1", 91.0)], {}, id="in flight at a kill"),
        pytest.param(
            [call(90), call(99, "w2")], [Loss("w1", 89.9)], {}, id="sent before the kill, read a moment after it"
        ),
        pytest.param(
            [call(80), call(90, "w2"), call(99, "w3")],
            [Loss("w1", 81.0), Loss("w2", 91.0)],
            {"errors": ((85.0, "worker_lost"), (95.0, "worker_lost"))},
            id="in flight at two kills",
        ),
        pytest.param([call(90), call(95, "w2")], [Loss("w1", 91.0)], {"n_late": 1}, id="its reply came late"),
    ],
)
def test_what_was_promised_is_no_violation(calls: list[Call], losses: list[Loss], changes: dict[str, Any]) -> None:
    assert seen(calls, losses, **changes).violations == ()


@pytest.mark.parametrize(
    ("calls", "losses", "changes", "word"),
    [
        pytest.param([call(99), call(101)], [], {}, "after its answer was stored", id="again after stored"),
        pytest.param([call(90), call(99)], [], {}, "1 extra calls", id="twice without a reason"),
        pytest.param([call(90), call(99)], [Loss("w2", 91.0)], {}, "1 extra calls", id="another worker was killed"),
        pytest.param([call(90), call(91), call(99)], [Loss("w1", 92.0)], {}, "2 extra calls", id="two for one kill"),
        pytest.param(
            [call(90, fault="reset"), call(99), call(99.5)],
            [Loss("w1", 95.0)],
            {"errors": ((91.0, "connection"),)},
            "1 extra calls",
            id="its error was stored before the kill",
        ),
        pytest.param([call(99)], [], {"status": "failed"}, "failed", id="no answer"),
        pytest.param([call(99)], [], {"n_scores": 2}, "2 scores", id="two verdicts"),
        pytest.param([call(99)], [], {"verdict": ("wrong",)}, "another verdict", id="another verdict"),
        pytest.param([call(99)], [], {"n_late": 1}, "more late replies", id="one call, two replies"),
        pytest.param([], [], {}, "without a call", id="never asked"),
        pytest.param([call(99), call(99, prompt="x")], [], {}, "no question", id="a prompt of nobody"),
    ],
)
def test_what_was_not_promised_is_seen(
    calls: list[Call], losses: list[Loss], changes: dict[str, Any], word: str
) -> None:
    assert any(word in violation for violation in seen(calls, losses, **changes).violations)


def test_a_question_without_an_item_is_seen() -> None:
    found = findings(items=[ITEM], calls=[call(99)], losses=[], undisturbed={"q/0": ("right",), "r/0": ("right",)})
    assert found.violations == ("1 questions have no item",)


def test_faults_depend_on_the_attempt_and_come_in_their_shares() -> None:
    kinds = [fault_for(f"prompt {n}", 1, seed=1) for n in range(20_000)]
    assert all(abs(kinds.count(name) / 200 - share) < 0.4 for name, share in FAULT_SHARES)
    assert {fault_for(f"prompt {n}", 1, seed=1) == fault_for(f"prompt {n}", 2, seed=1) for n in range(500)} == {
        True,
        False,
    }


def test_replies_depend_on_the_question_alone() -> None:
    prompts = [f"Which one? ({n})\nA. this\nB. that\n" for n in range(300)]
    replies = [reply_for(prompt) for prompt in prompts]
    assert replies == [reply_for(prompt) for prompt in prompts]
    assert {said.finish for said in replies} == {"stop", "length", "content_filter"}
    assert {said.text for said in replies} > {None, "", "It follows from what is given.\n[ANSWER]B[/ANSWER]"}


def test_latencies_lie_around_their_mean() -> None:
    seconds = [latency_for(f"prompt {n}", 1, 0, 0.6) for n in range(1000)]
    assert min(seconds) >= 0.3
    assert max(seconds) <= 0.9
    assert 0.57 < sum(seconds) / 1000 < 0.63
