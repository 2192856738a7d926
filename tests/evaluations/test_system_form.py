"""What may not be entered about a system: keys, in whatever place, and JSON that no database keeps."""

import json

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from evaluations.models import PRICES, SLUGS_OF_PEOPLE, System, endpoint_address
from evaluations.providers import parameter_problems
from evaluations.redaction import looks_like_key
from evaluations.services.cloning import changed_since
from evaluations.services.runs import run_create
from leaderboard.people import PEOPLE_IN_PART_SLUG, PEOPLE_SLUG
from tests.corpus.factories import make_benchmark, make_question, make_set

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
GOOD = {
    "name": "A model",
    "slug": "a-model",
    "kind": "model",
    "provider": "openai_chat",
    "model_id": "a-model-1",
    "base_url": "https://host/v1",
    "api_key_variable": "A_MODEL_API_KEY",
    "parameters": "{}",
    "concurrency": "4",
    "open_weights": "unknown",
    "facts": "{}",
}


def post(client, **changes):
    return client.post(reverse("admin:evaluations_system_add"), {**GOOD, **changes})


def test_the_slugs_of_people_are_no_systems(admin_client):
    assert set(SLUGS_OF_PEOPLE) == {PEOPLE_SLUG, PEOPLE_IN_PART_SLUG}
    for slug in SLUGS_OF_PEOPLE:
        html = post(admin_client, slug=slug).content.decode()
        assert "stands for the people on the boards" in html
        with pytest.raises(IntegrityError), transaction.atomic():
            System.objects.create(slug=slug, name="People")
    assert not System.objects.exists()


@pytest.mark.parametrize(
    "parameters",
    [
        {"api_key": "abc"},
        {"API-Key": "abc"},
        {"apiKey": "abc"},
        {"Authorization": "abc"},
        {"extra_headers": {"x": "y"}},
        {"extra_body": {"options": [{"password": "abc"}]}},
        {"token": "abc"},
        {"access_token": "abc"},
        {"client_secret": "abc"},
        {"user": "sk-abcdef0123456789"},
        {"extra_query": {"a": ["Bearer abcdef"]}},
        {"user": "Basic dXNlcjpwYXNz"},
        {"extra_body": {"proxy": "http://user:pa55@host"}},
        {"sk-abcdef0123456789": 1},
        {"mcp_servers": [{"authorization_token": "abc"}]},
        {"extra_query": {"Ocp-Apim-Subscription-Key": "abc"}},
        *[{name: "abc"} for name in ("access_key", "private_key", "github_token", "cookie")],
        *[{"user": f"{start}{'a1B2' * 6}"} for start in ("ghp_", "github_pat_", "AIza", "AKIA")],
        {"user": f"eyJ{'a1B2' * 4}.eyJ{'a1B2' * 4}.x"},
    ],
)
def test_no_key_in_the_parameters(admin_client, parameters):
    (problem,) = parameter_problems(parameters)
    assert "environment variable" in problem
    assert "sk-abcdef" not in problem
    response = post(admin_client, parameters=json.dumps(parameters))
    assert "Api key variable" in str(response.context["adminform"].form.errors["parameters"])
    assert not System.objects.exists()


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_tokens": 10, "max_completion_tokens": 10, "stop_token_ids": [1], "skip_special_tokens": True},
        {"prompt_cache_key": "chembench", "logit_bias": {"50256": -100}, "stop": ["task-based"]},
        {"response_format": {"type": "json_object"}, "reasoning": {"effort": "low"}},
    ],
)
def test_parameters_that_only_look_a_little_like_it_are_fine(parameters):
    assert parameter_problems(parameters) == []


@pytest.mark.parametrize("address", ["https://h/v1/sk-abcdef0123456789", "https://h/sk%2Dabcdef0123456789/v1"])
def test_no_key_in_the_address(admin_client, address):
    response = post(admin_client, base_url=address)
    assert "Api key variable" in str(response.context["adminform"].form.errors["base_url"])
    with pytest.raises(ValidationError):
        endpoint_address(address)


@pytest.mark.parametrize(
    "address", ["https://router.host/hf-inference/models/v1", "http://gpu01:8000/api-gateway-v1/risk-assessment"]
)
def test_addresses_of_gateways_are_fine(address):
    endpoint_address(address)
    assert not looks_like_key(address)


@pytest.mark.parametrize("field", ["parameters", "facts"])
@pytest.mark.parametrize(
    "text",
    [
        '{"temperature": NaN}',
        '{"a": 1e400}',
        '{"a": [-Infinity]}',
        '{"a": "nul \\u0000"}',
        '{"half \\ud83d": 1}',
        '{"a": ' + "9" * 5000 + "}",
        "[" * 100_000,
        '{"a": ' + "[" * 400 + "]" * 400 + "}",
    ],
)
def test_json_that_no_database_keeps_is_marked(admin_client, field, text):
    response = post(admin_client, **{field: text})
    assert response.status_code == 200
    assert field in response.context["adminform"].form.errors
    assert not System.objects.exists()


@pytest.mark.parametrize("pk", ["9" * 5000, "9" * 30, "x", "-1"])
def test_a_system_that_cannot_be_is_not_looked_for(admin_client, pk):
    response = admin_client.get(f"{reverse('admin:evaluations_system_queue_run')}?system={pk}", follow=True)
    assert response.status_code == 200
    assert "Choose the systems" in " ".join(str(message) for message in response.context["messages"])


def test_a_run_is_not_queued_with_numbers_that_cannot_be(admin_client):
    system = System.objects.create(slug="s", name="S", provider="random")
    address = f"{reverse('admin:evaluations_system_queue_run')}?system={system.pk}"
    data = {"question_set": "9" * 5000, "fallback": "9" * 30, "repeats": "9" * 5000, "seed": "9" * 30}
    response = admin_client.post(address, data)
    assert response.status_code == 200
    assert response.context["form"].errors.keys() >= {"question_set", "fallback", "repeats", "seed"}


def test_an_empty_price_is_unknown_and_a_price_of_0_is_known(admin_client):
    system = System.objects.create(slug="s", name="S", provider="random", input_price=5)
    address = reverse("admin:evaluations_system_change", args=[system.pk])
    prices = dict.fromkeys(PRICES, "") | {"price_currency": "eur", "output_price": "0"}
    admin_client.post(address, GOOD | prices)
    system.refresh_from_db()
    assert (system.input_price, system.output_price, system.price_currency) == (None, 0, "EUR")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("input_price", "-1"),
        ("reasoning_price", "cheap"),
        ("price_currency", "euro"),
        ("requests_per_minute", "-1"),
        ("tokens_per_minute", "many"),
    ],
)
def test_prices_and_limits_that_cannot_be_are_marked(admin_client, field, value):
    response = admin_client.post(reverse("admin:evaluations_system_add"), GOOD | {field: value})
    assert response.context["adminform"].form.errors.keys() == {field}
    assert not System.objects.exists()


def saved(client, system, **changes):
    """Send the form of a system as it is shown, with changes; return its facts."""
    address = reverse("admin:evaluations_system_change", args=[system.pk])
    form = client.get(address).context["adminform"].form
    shown = {
        "facts": json.dumps(form.initial["facts"]),
        **{name: form.initial.get(name, "") for name in ("base_model", "tools")},
    }
    response = client.post(address, GOOD | shown | changes)
    assert response.status_code == 302, response.context["adminform"].form.errors
    system.refresh_from_db()
    return system.facts


def test_the_base_model_is_kept_among_the_facts_and_has_a_field_of_its_own(admin_client):
    System.objects.create(slug="base", name="Base", provider="random")
    agent = System.objects.create(slug="a-model", name="Agent", provider="random", facts={"paper": "p"})
    assert saved(admin_client, agent, base_model="base") == {"paper": "p", "base_model": "base"}
    assert agent.base_model == "base"
    assert saved(admin_client, agent) == {"paper": "p", "base_model": "base"}
    assert saved(admin_client, agent, base_model="") == {"paper": "p"}


def test_tools_are_kept_among_the_facts_and_with_each_run(admin_client):
    benchmark = make_benchmark()
    agent = System.objects.create(slug="a-model", name="Agent", provider="random", facts={"paper": "p"})
    assert saved(admin_client, agent, tools="Python, web search") == {"paper": "p", "tools": "Python, web search"}
    assert saved(admin_client, agent) == {"paper": "p", "tools": "Python, web search"}
    questions = make_set(benchmark, revisions=[make_question(benchmark)])
    run = run_create(system=agent, set_revision=questions.current_revision, wake=False)
    assert saved(admin_client, agent, tools="") == {"paper": "p"}
    page = admin_client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode()
    assert "Python, web search" in page
    assert changed_since(run) == ["tools"]


@pytest.mark.parametrize("tools", [["Python"], "x" * 301])
def test_published_tools_that_do_not_fit_the_field_stay_as_they_are(admin_client, tools):
    agent = System.objects.create(slug="a-model", name="Agent", provider="random", facts={"tools": tools})
    assert saved(admin_client, agent) == {"tools": tools}


def test_a_published_base_model_that_is_no_system_stays_as_it_is(admin_client):
    agent = System.objects.create(slug="a-model", name="Agent", provider="random", facts={"base_model": "GPT-4o"})
    assert saved(admin_client, agent) == {"base_model": "GPT-4o"}


@pytest.mark.parametrize("base", ["a-model", "gone"])
def test_a_system_is_built_on_another_that_exists(admin_client, base):
    agent = System.objects.create(slug="a-model", name="Agent", provider="random")
    address = reverse("admin:evaluations_system_change", args=[agent.pk])
    response = admin_client.post(address, GOOD | {"base_model": base})
    assert response.context["adminform"].form.errors.keys() == {"base_model"}


@pytest.mark.parametrize("count", ["0", "-1", "7", "405"])
def test_a_size_in_billions_is_not_taken_for_a_number_of_parameters(admin_client, count):
    response = post(admin_client, parameter_count=count)
    assert "7000000000 for 7 billion" in str(response.context["adminform"].form.errors["parameter_count"])
    assert not System.objects.exists()
