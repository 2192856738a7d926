"""What providers do to a run, each case over HTTP with the real SDKs, a real worker, Valkey and PostgreSQL.

One worker asks all runs, each of a system with a server and faults of its own; then each case is looked at by itself.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.test import override_settings
from django.urls import reverse

from corpus.models import QuestionSetRevision
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.selectors.costs import spent
from evaluations.services.runs import run_create, run_resume
from evaluations.tasks import wake_run
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.evaluations.asked_servers import asked, number_of
from tests.evaluations.real_parts import RealParts, real_parts, wait_until
from tests.fake_servers.server import FakeServer, Fault, Said, Shape, error_fault

pytestmark = [pytest.mark.django_db, pytest.mark.workers]

TRIES = 4
PROVIDERS: dict[Shape, str] = {
    "openai": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic_messages",
}
# The SDKs of two vendors.
BOTH: tuple[Shape, ...] = ("openai", "anthropic")
RIGHT = Said("[ANSWER]A[/ANSWER]")
PRICED = {"input_price": Decimal(2), "output_price": Decimal(8)}
CALL_SECONDS = 4
HANG_SECONDS = 60
MALFORMED = Fault(200, '{"id": "x", "choi')
TOO_LONG = error_fault(400, "This model's maximum context length is 8192 tokens")


def by_number(said: Mapping[int, Said]) -> Callable[[str], Said]:
    return lambda prompt: said.get(number_of(prompt), RIGHT)


def faults(of: Mapping[int, Fault], *, only_first: bool = False) -> Callable[[str, int], Fault | None]:
    return lambda prompt, nth: of.get(number_of(prompt)) if nth == 1 or not only_first else None


def refuses(name: str, message: str, **fields: Any) -> Callable[[Mapping[str, Any]], Fault | None]:
    return lambda body: error_fault(400, message, **fields) if name in body else None


def slowed_down(prompt: str, nth: int) -> Fault | None:
    """Ask to wait: twice by seconds, once by a date, once by milliseconds."""
    two_seconds_on = format_datetime(datetime.now(tz=UTC) + timedelta(seconds=2), usegmt=True)
    headers = {
        (1, 1): {"Retry-After": "1"},
        (1, 2): {"Retry-After": "1"},
        (2, 1): {"Retry-After": two_seconds_on},
        (3, 1): {"retry-after-ms": "700"},
    }.get((number_of(prompt), nth))
    return error_fault(429, "slow down", headers) if headers else None


@dataclass(frozen=True)
class Case:
    """A server, and what the system that is asked there is set to."""

    shape: Shape = "openai"
    server: Mapping[str, Any] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    size: int = 3


def for_both(name: str, server: Mapping[str, Any], **system: Any) -> dict[str, Case]:
    return {f"{name}, {shape}": Case(shape, server, system) for shape in BOTH}


FILTERED = by_number({1: Said(None, "content_filter"), 2: Said("I cannot help with that.", "content_filter")})
HANGS = faults(
    {2: Fault(hangs_seconds=HANG_SECONDS), 3: Fault(stalls_after_headers=True, hangs_seconds=HANG_SECONDS)},
    only_first=True,
)
NO_TEMPERATURE = refuses(
    "temperature",
    "Unsupported value: 'temperature' does not support 0 with this model.",
    code="unsupported_value",
    param="temperature",
)
NO_MAX_TOKENS = refuses(
    "max_tokens",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code="unsupported_parameter",
    param="max_tokens",
)
NO_MAX_COMPLETION_TOKENS = refuses(
    "max_completion_tokens",
    "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]",
)
FATAL: dict[str, tuple[Shape, Fault, str, str]] = {
    "rejected parameter": (
        "openai",
        error_fault(400, "Unsupported parameter: 'n'.", code="unsupported_parameter", param="n"),
        "bad_parameter",
        "rejects a parameter",
    ),
    "rejected key": (
        "anthropic",
        error_fault(401, "Incorrect API key provided."),
        "bad_key",
        "does not accept the key",
    ),
    "unknown model": (
        "responses",
        error_fault(404, "The model does not exist", code="model_not_found"),
        "not_found",
        "does not know this model",
    ),
}
CASES: dict[str, Case] = {
    "slowed down": Case(server={"fault": slowed_down}, system={"concurrency": 1, **PRICED}),
    "always 503": Case(server={"fault": lambda prompt, nth: error_fault(503, "overloaded")}),
    "long pause": Case(
        server={"fault": lambda prompt, nth: error_fault(503, "overloaded", {"Retry-After": "600"})},
    ),
    **{
        name: Case(shape, {"fault": faults(dict.fromkeys((1, 2, 3), fault))})
        for name, (shape, fault, _, _) in FATAL.items()
    },
    **{f"filtered, {shape}": Case(shape, {"answer": FILTERED}) for shape in PROVIDERS},
    "refusal": Case(server={"answer": by_number({2: Said(None, refusal="I cannot help with that.")})}),
    **for_both("no temperature", {"refuses": NO_TEMPERATURE}, parameters={"temperature": 0}),
    "only max_completion_tokens": Case(server={"refuses": NO_MAX_TOKENS}, system={"parameters": {"max_tokens": 50}}),
    "only max_tokens": Case(
        server={"refuses": NO_MAX_COMPLETION_TOKENS}, system={"parameters": {"max_completion_tokens": 50}}
    ),
    **for_both(
        "thinks on",
        {"answer": by_number({2: Said(None, "length", reasoning="on and on " * 50)})},
        parameters={"max_tokens": 50},
    ),
    **for_both("too long", {"fault": faults({2: TOO_LONG})}),
    "priced": Case(server={"answer": lambda prompt: Said(RIGHT.text, counts=(1000, 500))}, system=PRICED),
    "without a price": Case(server={"answer": lambda prompt: Said(RIGHT.text, counts=(1000, 500))}),
    "without usage": Case(server={"answer": lambda prompt: Said(RIGHT.text, has_usage=False)}, system=PRICED),
    **for_both("hangs", {"fault": HANGS}, parameters={"timeout_seconds": CALL_SECONDS}),
    "one malformed": Case(server={"fault": faults({7: MALFORMED})}, size=20),
}
# Its run waits when everything else is over.
NEVER_OVER = "long pause"


@dataclass
class Played:
    """A case that was played: the server that was asked, and the run."""

    server: FakeServer
    run_id: UUID

    @property
    def run(self) -> Run:
        return Run.objects.select_related("system").get(pk=self.run_id)

    @property
    def items(self) -> dict[int, Item]:
        return {item.position + 1: item for item in self.run.items.all()}

    @property
    def outcomes(self) -> dict[int, str]:
        return {number: item.outcome for number, item in self.items.items()}

    @property
    def attempts(self) -> list[ItemAttempt]:
        return list(ItemAttempt.objects.filter(item__run=self.run_id).order_by("id"))

    def times_of(self, number: int) -> list[float]:
        return [call.at for call in self.server.calls if number_of(call.prompt) == number]


@dataclass
class World:
    """Every case as it was played, by name, and the worker that asked."""

    played: dict[str, Played]
    parts: RealParts
    # Of the run with one malformed reply, before it was resumed.
    before_resuming: tuple[str, Counter[str], dict[int, int], dict[int, str]]

    def __getitem__(self, name: str) -> Played:
        return self.played[name]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Play every case with one worker, in rows that are really committed; take them away afterwards."""
    folder = tmp_path_factory.mktemp("cases")
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        stack.callback(call_command, "flush", verbosity=0, interactive=False)
        parts = stack.enter_context(real_parts(folder, EVALUATION_TRIES=str(TRIES)))
        stack.enter_context(parts.reached_from_here())
        stack.enter_context(override_settings(EVALUATION_TRIES=TRIES))
        sets = make_sets()
        played = {}
        for number, (name, case) in enumerate(CASES.items()):
            server = stack.enter_context(FakeServer(case.shape, **case.server))
            played[name] = Played(server, make_run(number, name, case, server, sets[case.size]))
        parts.start_worker()
        wait_until(lambda: all_over(played), seconds=400, what=f"the end of all runs\n{parts.log_text()}")
        yield World(played, parts, resume_without_fault(played["one malformed"], parts))


def make_sets() -> dict[int, QuestionSetRevision]:
    benchmark = make_benchmark()
    questions = [make_question(benchmark, stem=f"Question {number}: which one?") for number in range(1, 21)]
    revisions = {size: make_set(benchmark, f"first-{size}", questions[:size]).current_revision for size in (3, 20)}
    return {size: revision for size, revision in revisions.items() if revision}


def make_run(number: int, name: str, case: Case, server: FakeServer, revision: QuestionSetRevision) -> UUID:
    system = System.objects.create(
        slug=f"case-{number}",
        name=name,
        provider=PROVIDERS[case.shape],
        model_id="model-x",
        base_url=server.base_url,
        **case.system,
    )
    run_id = run_create(system=system, set_revision=revision, wake=False).pk
    assert wake_run(run_id=run_id, jobs=1)
    return run_id


def all_over(played: Mapping[str, Played]) -> bool:
    waits = played[NEVER_OVER]
    return waits.attempts != [] and not Run.objects.filter(status__in=Run.ACTIVE).exclude(pk=waits.run_id).exists()


def resume_without_fault(case: Played, parts: RealParts) -> tuple[str, Counter[str], dict[int, int], dict[int, str]]:
    seen = (case.run.status, Counter(case.outcomes.values()), asked(case.server), error_messages(case))
    case.server.fault = lambda prompt, nth: None
    run_resume(run_id=case.run_id)
    wait_until(lambda: case.run.status == "finished", what=f"the end of the resumed run\n{parts.log_text()}")
    return seen


def error_messages(case: Played) -> dict[int, str]:
    return {number: item.error_message for number, item in case.items.items() if item.error_message}


def page_of(client: Any, case: Played) -> str:
    address = reverse("admin:evaluations_run_change", args=[case.run_id])
    return " ".join(client.get(address).content.decode().split())


def test_a_provider_that_asks_to_slow_down_is_given_the_time(world: World) -> None:
    """PV-01: 429 with Retry-After in seconds, as a date, in milliseconds: waited that long, recorded, one paid call."""
    case = world["slowed down"]
    assert (case.run.status, set(case.outcomes.values())) == ("finished", {"right"})
    assert asked(case.server) == {1: 3, 2: 2, 3: 2}
    first, second, third = (case.times_of(number) for number in (1, 2, 3))
    assert first[1] - first[0] >= 1
    assert first[2] - first[1] >= 1
    assert second[1] - second[0] >= 1, "a date has whole seconds"
    assert third[1] - third[0] >= 0.7
    assert Counter(attempt.error_code for attempt in case.attempts) == {"rate_limit": 4}
    assert all("slow down" in attempt.error_message and attempt.cost == 0 for attempt in case.attempts)
    total = spent(run=case.run)
    assert (total.n_known, total.n_unknown) == (3, 0)
    assert total.known == 3 * (11 * Decimal(2) + 7 * Decimal(8)) / 1_000_000


def test_a_provider_that_is_down_is_asked_a_bounded_number_of_times(world: World, admin_client: Any) -> None:
    """PV-02: always 503: so many tries of the first question, then the run is paused with the reason on its page."""
    case = world["always 503"]
    assert asked(case.server) == {1: TRIES}
    assert (case.run.status, case.run.error_code) == ("paused", "overload")
    page = page_of(admin_client, case)
    assert "HTTP 503: overloaded" in page
    assert f"after {TRIES} tries" in page


def test_a_retry_is_shown_with_its_number_and_time(world: World, admin_client: Any) -> None:
    """PV-02: while the next try waits, the page says which of how many it is, and when."""
    case = world[NEVER_OVER]
    page = page_of(admin_client, case)
    before, said, after = page.partition(f"retry 2 of {TRIES}, next in ")
    assert said
    assert 0 < int(after.split()[0]) <= 750
    assert "HTTP 503: overloaded" in page
    assert len(case.server.calls) == 1


@pytest.mark.parametrize("name", FATAL)
def test_what_cannot_succeed_is_not_tried_again(world: World, admin_client: Any, name: str) -> None:
    """PV-04: 400 for a parameter, 401, 404 of the model: one call, and the run stops at it with a plain message."""
    case, (_, _, code, words) = world[name], FATAL[name]
    assert asked(case.server) == {1: 1}
    assert (case.run.status, case.run.error_code) == ("paused", code)
    assert words in case.run.error_message
    assert words in page_of(admin_client, case)
    assert set(case.outcomes.values()) == {""}


@pytest.mark.parametrize("shape", PROVIDERS)
def test_filtered_replies_are_refusals(world: World, shape: Shape) -> None:
    """PV-05: no content, or words of refusal, behind a content filter: `refused`, no exception."""
    case = world[f"filtered, {shape}"]
    assert case.run.status == "finished"
    assert case.outcomes == {1: "refused", 2: "refused", 3: "right"}
    assert set(asked(case.server).values()) == {1}
    assert case.attempts == []


def test_a_refusal_apart_from_the_content_is_a_refusal(world: World) -> None:
    """PV-05: content null with the text in `refusal`: `refused`, and the text is kept as the reply."""
    case = world["refusal"]
    assert case.outcomes == {1: "right", 2: "refused", 3: "right"}
    assert case.items[2].completion == "I cannot help with that."


@pytest.mark.parametrize("shape", BOTH)
def test_a_model_that_takes_no_temperature_is_asked_without(world: World, admin_client: Any, shape: Shape) -> None:
    """PV-06: a 400 for `temperature`: left out from then on, learned once, shown on the run's page."""
    case = world[f"no temperature, {shape}"]
    assert (case.run.status, set(case.outcomes.values())) == ("finished", {"right"})
    assert asked(case.server) == {1: 2, 2: 1, 3: 1}
    assert ["temperature" in call.body for call in case.server.calls] == [True, False, False, False]
    page = page_of(admin_client, case)
    assert "<code>temperature</code>" in page
    assert "left out" in page
    assert "&#x27;temperature&#x27; does not support 0" in page


@pytest.mark.parametrize(
    ("taken", "set_as"), [("max_completion_tokens", "max_tokens"), ("max_tokens", "max_completion_tokens")]
)
def test_either_name_of_the_token_limit_works(world: World, taken: str, set_as: str) -> None:
    """PV-07: a server that takes only `max_completion_tokens`, and one that takes only `max_tokens`: both work."""
    case = world[f"only {taken}"]
    assert (case.run.status, set(case.outcomes.values())) == ("finished", {"right"})
    assert [call.body.get(taken) for call in case.server.calls] == [None, 50, 50, 50]
    assert [call.body.get(set_as) for call in case.server.calls] == [50, None, None, None]


@pytest.mark.parametrize("shape", BOTH)
def test_reasoning_that_uses_up_the_limit_is_truncated(world: World, admin_client: Any, shape: Shape) -> None:
    """PV-09: no content, reason `length`, long reasoning: `truncated`, with a hint to raise the limit."""
    case = world[f"thinks on, {shape}"]
    assert case.run.status == "finished"
    assert case.outcomes == {1: "right", 2: "truncated", 3: "right"}
    item = case.items[2]
    assert (item.completion, item.finish_reason) == ("", "length")
    assert item.reasoning.startswith("on and on")
    assert "used up by reasoning" in item.error_message
    assert "raise max_tokens (now 50)" in item.error_message
    assert "Ask again with a larger limit" in page_of(admin_client, case)


@pytest.mark.parametrize("shape", BOTH)
def test_a_question_that_does_not_fit_costs_only_itself(world: World, shape: Shape) -> None:
    """PV-11: 400 "maximum context length": that question is `error` with the reason, the others go on."""
    case = world[f"too long, {shape}"]
    assert case.run.status == "incomplete"
    assert case.outcomes == {1: "right", 2: "error", 3: "right"}
    assert (case.items[2].status, case.items[2].error_code) == ("failed", "too_long")
    assert "maximum context length is 8192" in case.items[2].error_message
    assert asked(case.server) == {1: 1, 2: 1, 3: 1}


def test_what_a_priced_run_cost_is_the_sum_of_its_tokens(world: World, admin_client: Any) -> None:
    """PV-13: 1,000 tokens in at 2 and 500 out at 8 a million, three times: 0.018."""
    case = world["priced"]
    assert spent(run=case.run).known == Decimal("0.018")
    assert "0.018 USD" in page_of(admin_client, case)


def test_what_a_run_without_prices_cost_is_unknown(world: World, admin_client: Any) -> None:
    """PV-13: no price: unknown, never 0, and nothing to estimate with."""
    case = world["without a price"]
    assert {item.cost for item in case.items.values()} == {None}
    assert spent(run=case.run).as_dict()["known"] is None
    page = page_of(admin_client, case)
    assert "<dt>Spent</dt> <dd> unknown </dd>" in page
    assert "(estimate)" not in page


def test_what_answers_without_usage_cost_is_unknown_beside_an_estimate(world: World, admin_client: Any) -> None:
    """PV-13: usage missing: the cost stays unknown; beside it stands an estimate that says so."""
    case = world["without usage"]
    assert {(item.cost, item.tokens_in) for item in case.items.values()} == {(None, None)}
    page = page_of(admin_client, case)
    assert "<dt>Spent</dt> <dd> unknown </dd>" in page
    assert "<dt>Of 3 without token counts</dt> <dd> about 0.00" in page
    assert "USD (estimate)" in page


@pytest.mark.parametrize("shape", BOTH)
def test_a_hang_ends_in_time_and_is_tried_again(world: World, shape: Shape) -> None:
    """PV-14: a server that never answers, and one that stalls after its headers: given up in time, tried again."""
    case = world[f"hangs, {shape}"]
    assert (case.run.status, set(case.outcomes.values())) == ("finished", {"right"})
    for number in (2, 3):
        times = case.times_of(number)
        assert len(times) >= 2
        assert CALL_SECONDS - 0.5 <= times[1] - times[0] < HANG_SECONDS
    assert {attempt.error_code for attempt in case.attempts} == {"timeout"}
    assert world.parts.workers[0].process.poll() is None, "the worker went on with the other runs"


def test_one_broken_reply_costs_only_its_own_question(world: World) -> None:
    """PV-15: the 7th of 20 is malformed: 19 stored, the 7th tried to its limit, then `error`; resuming asks only it."""
    status, outcomes, n_asked, said = world.before_resuming
    assert (status, outcomes) == ("incomplete", {"right": 19, "error": 1})
    assert n_asked == {number: TRIES if number == 7 else 1 for number in range(1, 21)}
    assert list(said) == [7]
    assert "not valid JSON" in said[7]
    case = world["one malformed"]
    assert (case.run.status, set(case.outcomes.values())) == ("finished", {"right"})
    assert asked(case.server) == {number: TRIES + 1 if number == 7 else 1 for number in range(1, 21)}
