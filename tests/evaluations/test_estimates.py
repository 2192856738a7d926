"""What a run would cost, told before it is queued: by the command and on the queue page."""

import json
from collections.abc import Callable
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from corpus.models import QuestionSetRevision
from evaluations.models import Item, ItemConfidence, Run, System
from evaluations.prompts import prompt_style
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from evaluations.selectors.costs import money
from evaluations.selectors.estimates import Estimate, run_estimate
from evaluations.services.runs import run_create

STYLE = "instruction@1"
PRICED = {"input_price": Decimal(2), "output_price": Decimal(8)}


def estimate(system: System, revision: QuestionSetRevision, **fields: Any) -> Estimate:
    return run_estimate(system=system, set_revision=revision, style_name=fields.pop("style_name", STYLE), **fields)


def prompt_tokens(revision: QuestionSetRevision, extra: int = 0) -> float:
    """Return the tokens of all prompts at four characters each; `extra` characters come with each of them."""
    members = revision.members.select_related("question_revision")
    return sum((len(prompt_style(STYLE).prepare(m.question_revision).prompt) + extra) / 4 for m in members)


def test_without_earlier_runs_prompts_are_counted_and_replies_at_their_longest(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    found = estimate(make_system(parameters={"max_tokens": 500}, **PRICED), twenty, repeats=3)
    assert (found.n_items, found.tokens_out, found.is_upper_bound) == (60, 30_000, True)
    assert found.tokens_in == pytest.approx(3 * prompt_tokens(twenty), abs=1)
    assert found.cost == (2 * Decimal(found.tokens_in) + 8 * 30_000) / 1_000_000
    assert found.text.startswith("at most about 0.")
    assert "500 tokens each" in " ".join(found.rests_on)


def test_a_system_prompt_counts_with_every_question(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    found = estimate(make_system(system_prompt="x" * 400), twenty)
    assert found.tokens_in == pytest.approx(prompt_tokens(twenty, extra=400), abs=1)


def test_a_second_turn_sends_the_first_again(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> None:
    system = make_system(parameters={"max_tokens": 100})
    once, twice = estimate(system, twenty), estimate(system, twenty, style_name="self-critique@1")
    assert twice.tokens_out == 2 * (once.tokens_out or 0)
    assert twice.tokens_in > 2 * once.tokens_in


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"parameters": {"max_tokens": 500}}, "prices of System 1 are not known"),
        (PRICED, "How long replies get is not known"),
    ],
)
def test_what_is_not_known_makes_the_cost_unknown(
    twenty: QuestionSetRevision, make_system: Callable[..., System], fields: dict[str, Any], part: str
) -> None:
    found = estimate(make_system(**fields), twenty)
    assert (found.cost, found.text) == (None, "unknown")
    assert part in " ".join(found.rests_on)


def answered(system: System, revision: QuestionSetRevision, **fields: Any) -> Run:
    run = run_create(system=system, set_revision=revision, wake=False)
    Run.objects.filter(pk=run.pk).update(status="finished")
    Item.objects.filter(run=run).update(status="answered", **fields)
    return run


def test_earlier_runs_of_the_model_tell_better(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> None:
    system = make_system(parameters={"max_tokens": 500}, reasoning_price=Decimal(10), **PRICED)
    answered(system, twenty, tokens_in=100, tokens_out=50, tokens_reasoning=20)
    found = estimate(system, twenty)
    assert (found.tokens_in, found.tokens_out, found.is_upper_bound) == (2000, 1000, False)
    # 2,000 sent at 2, 600 received at 8 and 400 of reasoning at 10 a million
    assert found.cost == Decimal("0.0128")
    assert found.text == "about 0.013 USD"
    assert "mean of 20 answers" in " ".join(found.rests_on)


def test_runs_of_another_model_style_or_without_counts_tell_nothing(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system(**PRICED)
    answered(make_system(), twenty, tokens_in=1, tokens_out=1)
    answered(system, twenty, tokens_in=None, tokens_out=1)
    old = answered(system, twenty, tokens_in=1, tokens_out=1)
    Run.objects.filter(pk=old.pk).update(frozen={**old.frozen, "model_id": "an-older-model"})
    other = answered(system, twenty, tokens_in=1, tokens_out=1)
    Run.objects.filter(pk=other.pk).update(prompt_style="completion@1")
    assert estimate(system, twenty).tokens_out is None


def test_the_question_of_how_sure_it_is_sends_all_of_it_again(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system(parameters={"max_tokens": 100}, **PRICED)
    without, found = estimate(system, twenty), estimate(system, twenty, asks_confidence=True)
    again = without.tokens_in + 20 * (100 + len(CONFIDENCE_PROMPT) / 4)
    assert found.tokens_in == pytest.approx(without.tokens_in + again, abs=2)
    assert (found.tokens_out, found.n_items, found.is_upper_bound) == (20 * 200, 20, True)
    assert found.cost == (2 * Decimal(found.tokens_in) + 8 * 4_000) / 1_000_000
    assert "sent once more" in " ".join(found.rests_on)


def test_earlier_replies_to_how_sure_it_is_tell_better(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system(**PRICED)
    run = answered(system, twenty, tokens_in=100, tokens_out=50)
    for item in run.items.all():
        ItemConfidence.objects.create(item=item, prompt="?", tokens_in=160, tokens_out=2, asked_at=run.queued_at)
    found = estimate(system, twenty, asks_confidence=True)
    assert (found.tokens_in, found.tokens_out) == (20 * 260, 20 * 52)
    assert "mean of 20 replies to that question" in " ".join(found.rests_on)


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_estimates_and_queues_nothing(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    make_system(parameters={"max_tokens": 500}, **PRICED)
    wanted = ("--system", "system-1", "--set", twenty.question_set.slug, "--estimate")
    report = json.loads(printed(*wanted, "--json"))
    assert report["is_estimate"] is True
    assert (report["n_items"], report["tokens_out"], report["currency"]) == (20, 10_000, "USD")
    assert Decimal(report["cost"]) > 0
    assert json.loads(printed(*wanted, "--confidence", "--json"))["tokens_out"] == 20_000
    assert printed(*wanted).startswith("estimate: at most about 0.")
    assert not Run.objects.exists()


def test_the_command_takes_a_budget(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> None:
    make_system(**PRICED)
    wanted = ("--system", "system-1", "--set", twenty.question_set.slug)
    report = json.loads(printed(*wanted, "--budget", "2.50", "--json"))
    assert report["spent"] == {"known": None, "currency": "USD", "n_known": 0, "n_unknown": 0}
    assert Run.objects.get().budget == Decimal("2.5")
    for amount in ("0", "much", "NaN"):
        with pytest.raises(CommandError, match="no amount of money"):
            printed(*wanted, "--budget", amount)


def queue_address(name: str, *systems: System) -> str:
    query = "&".join(f"system={system.pk}" for system in systems)
    return f"{reverse(f'admin:evaluations_system_{name}')}?{query}"


def choices(revision: QuestionSetRevision, **changes: Any) -> dict[str, Any]:
    return {"question_set": revision.question_set_id, "prompt_style": STYLE, "repeats": 1, "seed": 0, **changes}


def test_the_queue_page_shows_the_estimate_before_the_button_is_pressed(
    admin_client: Any, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    priced = make_system(parameters={"max_tokens": 500}, **PRICED)
    unpriced, imported = make_system(), make_system(provider="imported")
    page = admin_client.get(queue_address("queue_run", priced, unpriced, imported)).content.decode()
    for part in ("at most about 0.", "unknown", "prices of System 2 are not known", "no provider"):
        assert part in page


def test_an_estimate_follows_what_is_chosen_and_queues_nothing(
    admin_client: Any, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system(parameters={"max_tokens": 500}, **PRICED)
    for address, more in (
        (queue_address("estimate", system), {}),
        (queue_address("queue_run", system), {"estimate": 1}),
    ):
        response = admin_client.post(address, choices(twenty, repeats=3, **more))
        (line,) = response.context["estimates"]
        assert (response.status_code, line.estimate.n_items) == (200, 60)
    sure = admin_client.post(queue_address("estimate", system), choices(twenty, asks_confidence="on"))
    assert sure.context["estimates"][0].estimate.tokens_out == 20 * 1000
    nothing = admin_client.post(queue_address("estimate", system), choices(twenty, question_set=""))
    assert "Choose a question set" in nothing.content.decode()
    assert not Run.objects.exists()


SWEEP = "temperature=0,1\nprompt_style=instruction@1,self-critique@1\nmax_tokens=100,200"


def test_a_sweep_is_estimated_by_its_own_styles_and_limits(
    admin_client: Any, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system(parameters={"max_tokens": 500}, **PRICED)
    alone = [
        estimate(system, twenty, style_name=style, parameters={"max_tokens": limit})
        for style in ("instruction@1", "self-critique@1")
        for limit in (100, 200)
    ]
    out = StringIO()
    asked = {"system": system.slug, "question_set": twenty.question_set.slug, "sweep": SWEEP.splitlines()}
    call_command("evaluate", estimate=True, json=True, stdout=out, **asked)
    told = json.loads(out.getvalue())
    assert (told["n_items"], told["tokens_out"]) == (8 * 20, 2 * 20 * (100 + 200 + 2 * 100 + 2 * 200))
    assert Decimal(told["cost"]) == 2 * sum(each.cost or 0 for each in alone)
    (line,) = admin_client.post(queue_address("estimate", system), choices(twenty, sweep=SWEEP)).context["estimates"]
    assert line.estimate.as_dict() == told
    assert told["rests_on"][0] == "All 8 runs of the sweep together."


def test_several_systems_are_summed(
    admin_client: Any, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    one, two = (make_system(parameters={"max_tokens": 50_000}, **PRICED) for _ in range(2))
    cost = estimate(one, twenty).cost
    assert cost is not None
    response = admin_client.post(queue_address("estimate", one, two), choices(twenty))
    assert response.context["estimate_total"] == f"at most about {money(2 * cost, 'USD')}"
    assert response.context["estimate_total"] in response.content.decode()
    unknown, other = make_system(), make_system(parameters={"max_tokens": 50_000}, price_currency="EUR", **PRICED)
    mixed = admin_client.post(queue_address("estimate", one, unknown, other), choices(twenty)).context["estimate_total"]
    for part in ("USD", "EUR", "unknown for 1 of 3 systems"):
        assert part in mixed
    assert not admin_client.post(queue_address("estimate", one), choices(twenty)).context["estimate_total"]


def test_a_budget_goes_with_the_run_or_is_refused_with_the_reason(
    admin_client: Any, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    priced, unpriced = make_system(**PRICED), make_system()
    admin_client.post(queue_address("queue_run", priced), choices(twenty, budget="1.5"))
    assert Run.objects.get().budget == Decimal("1.5")
    response = admin_client.post(queue_address("queue_run", unpriced), choices(twenty, budget="1.5"))
    assert "prices of System 2 are not known" in response.content.decode()
    assert Run.objects.count() == 1
    refused = admin_client.post(queue_address("queue_run", unpriced), choices(twenty, budget="0"))
    assert "budget" in refused.context["form"].errors


def test_who_may_not_queue_sees_no_estimate(
    client: Any, django_user_model: Any, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    client.force_login(django_user_model.objects.create_user("looker", is_staff=True))
    assert client.post(queue_address("estimate", make_system()), choices(twenty)).status_code == 403
