"""The check of answer keys passes for sound keys, covers every protocol, and notices keys that cannot be right."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from corpus.scoring.protocols import PROTOCOLS
from corpus.scoring.types import Kind, Outcome, Reading, ReadStatus
from corpus.selectors import answer_keys
from corpus.selectors.answer_keys import CHOICE_WRITERS, NUMBER_WRITERS, answer_keys_check, option_orders
from corpus.selectors.questions import current_revisions
from tests.corpus.factories import make_benchmark, make_question

pytestmark = pytest.mark.django_db

SOUND = [
    {"options": [("water", 1), ("ethanol", 0)]},
    {"options": [("water", 1), ("ethanol", 1), ("hexane", 0), ("pentane", 0)]},
    {"options": [(r"\ce{C}", 1), (r"\ce{Nb}", 0), (r"\ce{B}", 0)]},
    {"options": [("[START_SMILES]CCO[END_SMILES]", 1), ("[START_SMILES]CCN[END_SMILES]", 0)]},
    {"options": [("both right", 1), ("and this one", 1)]},
    {"options": [("full", 1), ("half", 0.5), ("none", 0)]},
    {"options": [(f"option number {n}", int(n == 4)) for n in range(30)]},
    *({"kind": "number", "target": target} for target in ("42", "-2.5", "0", "4.15E-21", "3.33E25", "22800", "0.0097")),
    {"kind": "number", "target": "5", "tolerance": "0.2"},
]


def check(benchmark):
    return answer_keys_check(revisions=current_revisions(benchmark.pk), rule="standard@1")


@pytest.mark.parametrize("fields", SOUND, ids=[str(index) for index in range(len(SOUND))])
def test_a_sound_key_is_right_in_every_form(fields):
    benchmark = make_benchmark()
    make_question(benchmark, **fields)
    result = check(benchmark)
    assert result.failures == ()
    assert (result.checked, result.right) == (1, 1)


def test_every_protocol_of_the_reader_is_written():
    assert set(PROTOCOLS) <= set(NUMBER_WRITERS) | set(CHOICE_WRITERS)


def test_three_options_are_shown_in_more_than_three_orders():
    orders = option_orders(["a", "b", "c", "d"])
    assert len(orders) >= 4
    assert {tuple(sorted(order)) for order in orders} == {("a", "b", "c", "d")}


def test_a_key_nobody_can_hit_is_a_failure(capsys):
    benchmark = make_benchmark(slug="bad")
    make_question(benchmark, key="sound")
    make_question(benchmark, key="nothing right", options=[("a lot", 0.5), ("a little", 0)])
    with pytest.raises(CommandError, match="1 of 2 answer keys"):
        call_command("check_answer_keys", "--benchmark", "bad", "--json")
    printed = json.loads(capsys.readouterr().out)
    assert (printed["checked"], printed["right"]) == (2, 1)
    assert [(failure["key"], failure["outcome"]) for failure in printed["failures"]] == [("nothing right", "unparsed")]


def test_a_reader_that_goes_by_position_is_caught(monkeypatch):
    benchmark = make_benchmark()
    make_question(benchmark, options=[("a1", 1), ("b1", 0), ("c1", 0)])
    bank_order = [option.option_key for option in benchmark.questions.get().current_revision.options.all()]

    def by_position(*, text, asked, **_):
        shown = [option.letter for option in asked.shown]
        named = [letter for letter in shown if f"]{letter}[" in text or text == letter]
        return Reading(ReadStatus.READ, option_keys=tuple(bank_order[shown.index(letter)] for letter in named))

    monkeypatch.setattr(answer_keys, "read_answer", by_position)
    monkeypatch.setattr(answer_keys, "WRITERS", {"tag": answer_keys.WRITERS["tag"]})
    assert check(benchmark).right == 0


def test_a_rule_without_tolerance_check_is_caught(monkeypatch):
    benchmark = make_benchmark()
    make_question(benchmark, kind="number", target="100")
    real = answer_keys.judge

    def lenient(*, reading, target, rule):
        verdict = real(reading=reading, target=target, rule=rule)
        return verdict if target.kind is not Kind.NUMBER else type(verdict)(
            Outcome.RIGHT, verdict.credit, rule, verdict.reason
        )  # fmt: skip

    monkeypatch.setattr(answer_keys, "judge", lenient)
    (failure,) = check(benchmark).failures
    assert failure.outcome == "right"


def test_command_says_what_is_missing(capsys):
    with pytest.raises(CommandError, match="no benchmark chembench"):
        call_command("check_answer_keys")
    benchmark = make_benchmark(slug="empty")
    with pytest.raises(CommandError, match="has no questions"):
        call_command("check_answer_keys", "--benchmark", "empty")
    make_question(benchmark)
    with pytest.raises(CommandError, match="no rule 'nonsense'"):
        call_command("check_answer_keys", "--benchmark", "empty", "--rule", "nonsense")
    call_command("check_answer_keys", "--benchmark", "empty")
    assert "1 of 1 answer keys score right" in capsys.readouterr().out
