"""A key in the environment is found nowhere after real evaluations whose servers repeat it wherever they can.

Looked through are every table, every value of the queue's server, the logs of worker and site, the pages of the admin
and of the queue, the public pages, and every export: for the key, for its halves, and for other spellings of them.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from redis import Redis

from corpus.models import QuestionSetRevision
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.services.runs import run_create
from tests.evaluations.asked_servers import number_of
from tests.evaluations.broken_jobs import ask_for_a_table_that_is_not_there
from tests.evaluations.real_parts import RealParts, real_parts, wait_until
from tests.fake_servers.server import FakeServer, Fault, Said, Shape, error_fault

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.workers]

MakeSystem = Callable[..., System]
VARIABLE = "CANARY_API_KEY"
KEY = "cAnAry+7Qw9/Zx2Kd8mV5tR4yB3nH6pL"
HALVES = (KEY[: len(KEY) // 2], KEY[len(KEY) // 2 :])
NEEDLES = sorted(
    {
        spelling.lower()
        for part in (KEY, *HALVES)
        for spelling in (part, quote(part, safe=""), json.dumps(part)[1:-1], base64.b64encode(part.encode()).decode())
    }
)
PROVIDERS: dict[Shape, str] = {
    "openai": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "plain": "plain_http",
}
SENT = {"temperature": 0, "max_tokens": 50}
PARAMETERS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("openai", "responses", "anthropic"), SENT),
    "plain": {"text_path": "outputs.0.text", "reasoning_path": "agent.thoughts", "trace_path": "steps"},
}
WITH_URL = f"POST https://user:{KEY}@host.example/v1?key={quote(KEY, safe='')} failed"
RIGHT = Said("[ANSWER]A[/ANSWER]")
# By number of the question: what is answered the first time. Every one of these calls is made again.
AT_FIRST: dict[int, Fault] = {
    1: error_fault(500, f"no such key: {KEY}", code=KEY, type=KEY, param=KEY),
    2: error_fault(503, WITH_URL),
    3: error_fault(429, f"key {HALVES[0]}... to ...{HALVES[1]}", {"retry-after-ms": "10"}),
    4: Fault(500, f"a text with {KEY.upper()}", {"Content-Type": "text/plain"}),
    5: Fault(502, f"<html><body>{KEY}</body></html>"),
    6: Fault(200, f'{{"id": "{KEY}", "choi'),
    7: Fault(200, f"<!doctype html><html><body>{KEY}</body></html>"),
    8: error_fault(500, "see the headers", {"x-request-id": KEY, "www-authenticate": f"Bearer {KEY}"}),
    9: error_fault(408, f"Authorization: Basic {base64.b64encode(f'user:{KEY}'.encode()).decode()}"),
    10: Fault(200, f'{{"id": "{KEY}", "choices": [', cuts="chunked"),
    11: Fault(200, json.dumps({"error": {"message": f"overloaded, {KEY}", "code": 503}})),
    12: Fault(drops=True),
}
ALWAYS: dict[int, Fault] = {
    13: error_fault(400, f"This model's maximum context length is 8 tokens ({KEY}, {HALVES[1]})"),
    14: error_fault(400, f"filtered for {KEY}", code="content_filter"),
}
SAID: dict[int, Said] = {
    15: Said(f"Your key is {KEY}. [ANSWER]A[/ANSWER]", reasoning=f"The header says {KEY}"),
    16: Said(None, "tool_calls", tool=KEY),
    17: Said("[ANSWER]A[/ANSWER]", log_probabilities=[(KEY[:9], -1.0), (KEY[9:], -1.0)]),
}
# What pauses a run at its first question.
FATAL: dict[str, Fault] = {
    "key": error_fault(401, f"Incorrect API key provided: {KEY} ({HALVES[0]}***)"),
    "address": Fault(302, "", {"Location": f"https://other.example/?key={quote(KEY, safe='')}"}),
    "model": error_fault(404, f"{KEY} may not use this model", code="model_not_found", param=KEY),
    "parameter": error_fault(400, f"parameter {KEY}", code="unknown_parameter", param=KEY),
    "unclear": error_fault(400, WITH_URL),
}


def fault(prompt: str, nth: int) -> Fault | None:
    if "Question " not in prompt:
        return error_fault(500, f"asked how sure, {KEY}") if nth <= 2 else None
    number = number_of(prompt)
    return ALWAYS.get(number) or (AT_FIRST.get(number) if nth == 1 else None)


def refuses(body: Mapping[str, Any]) -> Fault | None:
    """Teach that no temperature is taken, in words that repeat the key."""
    words = f"Unsupported parameter: 'temperature' is not supported with {KEY}."
    return error_fault(400, words, param="temperature") if "temperature" in body else None


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[RealParts]:
    with real_parts(tmp_path, EVALUATION_TRIES="3", **{VARIABLE: KEY}) as started, started.reached_from_here():
        yield started


@pytest.fixture
def servers() -> Iterator[dict[str, FakeServer]]:
    """A server for each provider, and one for each fault that pauses a run."""
    shapes: dict[str, FakeServer] = {
        shape: FakeServer(shape, fault=fault, refuses=refuses, answer=lambda prompt: SAID.get(_number(prompt), RIGHT))
        for shape in PROVIDERS
    }
    fatal = {name: FakeServer(fault=lambda prompt, nth, fault=fault: fault) for name, fault in FATAL.items()}
    started = {**shapes, **fatal}
    for server in started.values():
        server.__enter__()
    yield started
    for server in started.values():
        server.__exit__(None, None, None)


def _number(prompt: str) -> int:
    return number_of(prompt) if "Question " in prompt else 0


def test_a_key_is_found_nowhere(
    twenty: QuestionSetRevision,
    make_system: MakeSystem,
    parts: RealParts,
    servers: dict[str, FakeServer],
    admin_user: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    evaluate(twenty, make_system, parts, servers)
    for shape in PROVIDERS:
        sent = " ".join(value for call in servers[shape].calls for value in call.headers.values())
        assert KEY in sent, "the key went out, so there was something to repeat"
    assert {Run.objects.get(system__name=name).status for name in FATAL} == {"paused"}
    assert ItemAttempt.objects.count() > 4 * len(AT_FIRST) - 4

    site_log = tmp_path / "site.log"
    pages = pages_of(parts.start_site(site_log), admin_user, parts.queue().connection)
    places = {
        **{f"table {name}": text for name, text in tables()},
        **{f"queue {name}": text for name, text in queue_values(parts.queue().connection)},
        **pages,
        **exports(twenty, admin_user, tmp_path, capsys),
        "the worker's log": parts.log.read_text(errors="replace"),
        "the site's log": site_log.read_text(errors="replace"),
    }
    assert_something_was_looked_through(places)
    assert found_in(places) == {}


def evaluate(
    revision: QuestionSetRevision, make_system: MakeSystem, parts: RealParts, servers: Mapping[str, FakeServer]
) -> None:
    """Ask every server, and let one job fail; return when all runs have ended or paused."""
    for name, server in servers.items():
        system = make_system(
            server.base_url,
            PROVIDERS[server.shape],
            api_key_variable=VARIABLE,
            parameters=PARAMETERS.get(server.shape, {}) if name in PROVIDERS else {},
        )
        System.objects.filter(pk=system.pk).update(name=name)
        run_create(system=system, set_revision=revision, asks_confidence=name == "openai", wake=False)
    parts.queue().enqueue(ask_for_a_table_that_is_not_there)
    for run in Run.objects.all():
        parts.queue().enqueue("evaluations.tasks.run_ask_job", str(run.pk), job_timeout=600)
    parts.start_worker()
    wait_until(
        lambda: not Run.objects.filter(status__in=Run.ACTIVE).exists() and not parts.queue().count,
        seconds=400,
        what=f"the end of all runs\n{parts.log_text()}",
    )


def tables() -> Iterator[tuple[str, str]]:
    """Every row of every table as text."""
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            table = connection.ops.quote_name(name)
            cursor.execute(f"SELECT row_to_json(t)::text FROM {table} t")  # noqa: S608 -- a name from the database
            yield name, "\n".join(row for (row,) in cursor.fetchall())


def queue_values(redis: Redis) -> Iterator[tuple[str, str]]:
    """Every value of the queue's server as text, also where rq packs it."""
    readers: dict[bytes, Callable[[bytes], Any]] = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1, withscores=True),
        b"stream": redis.xrange,
    }
    for key in redis.scan_iter():
        kind = redis.type(key)
        yield key.decode(), f"{key!r} " + " ".join(_unpacked(readers[kind](key)))


def _unpacked(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set):
        for each in value:
            yield from _unpacked(each)
        return
    raw = value if isinstance(value, bytes) else str(value).encode()
    yield raw.decode(errors="replace")
    for unpack in (zlib.decompress, lambda packed: zlib.decompress(base64.b64decode(packed))):
        try:
            yield unpack(raw).decode(errors="replace")
        except (zlib.error, binascii.Error):
            continue


def pages_of(site: str, user: Any, redis: Redis) -> dict[str, str]:
    """Every page that shows something of the runs, from the site's own process, for who may see everything."""
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    return {f"page {path}": _page(f"{site}{path}", cookie) for path in _paths(redis)}


def _paths(redis: Redis) -> Iterator[str]:
    for model in ("run", "item", "system", "itemrescoring", "submission"):
        yield reverse(f"admin:evaluations_{model}_changelist")
    yield reverse("admin:corpus_actionlog_changelist")
    yield reverse("admin:index")
    for run in Run.objects.all():
        for name in ("run_change", "run_progress", "run_history"):
            yield reverse(f"admin:evaluations_{name}", args=[run.pk])
    for system in System.objects.filter(name__in=PROVIDERS):
        yield reverse("admin:evaluations_system_change", args=[system.pk])
        yield reverse("admin:evaluations_system_history", args=[system.pk])
        yield reverse("leaderboard:system", args=[system.slug])
        yield f"/api/v1/systems/{system.slug}/"
        yield f"{reverse('admin:evaluations_system_queue_run')}?system={system.pk}"
    for pk in Item.objects.filter(run__system__name="openai").values_list("pk", flat=True):
        yield reverse("admin:evaluations_item_change", args=[pk])
    question_set = Run.objects.all()[0].set_revision.question_set
    for name in ("board", "outcomes", "outcomes-csv", "factors", "factors-csv", "factors-runs", "confidence"):
        yield reverse(f"leaderboard:{name}", args=[question_set.slug])
    yield f"/api/v1/leaderboard/{question_set.slug}/"
    yield f"/api/v1/leaderboard/{question_set.slug}.csv"
    dashboard = reverse("admin:django_rq_dashboard_changelist")
    yield dashboard
    for name in ("", "finished/", "failed/", "started/"):
        yield f"{dashboard}queues/1/{name}"
    yield f"{dashboard}workers/1/"
    for key in redis.scan_iter(match="rq:job:*"):
        yield f"{dashboard}queues/1/{quote(key.decode().removeprefix('rq:job:'))}/"


def _page(address: str, cookie: str) -> str:
    request = Request(address, headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}"})
    try:
        with urlopen(request, timeout=120) as response:
            return f"{response.status} {response.headers} {response.read().decode(errors='replace')}"
    except HTTPError as error:
        return f"{error.code} {error.headers} {error.read().decode(errors='replace')}"


def exports(
    revision: QuestionSetRevision, user: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> dict[str, str]:
    """What the commands write and print, with answers too."""
    slug = revision.question_set.slug
    call_command("export_results", str(folder / "public"), "--set", slug)
    call_command("export_results", str(folder / "full"), "--set", slug, "--with-answers", "--by", user.username)
    system = System.objects.get(name="openai")
    call_command("export_prompts", "--set", slug, "--system", system.slug, "--output", str(folder / "prompts.jsonl"))
    call_command("evaluate", "--system", system.slug, "--set", slug, "--estimate", "--json")
    files = [path for name in ("public", "full") for path in (folder / name).rglob("*") if path.is_file()]
    printed = capsys.readouterr()
    return {
        **{f"export {path.name}": path.read_text(errors="replace") for path in (*files, folder / "prompts.jsonl")},
        "what commands print": printed.out + printed.err,
    }


def found_in(places: Mapping[str, str]) -> dict[str, list[str]]:
    """Return where which part of the key is found, with some words around it."""
    found = {}
    for place, text in places.items():
        plain = f"{text}\n{unescape(text)}".lower()
        around = [f"...{plain[max(0, plain.find(each) - 60) :][:150]}..." for each in NEEDLES if each in plain]
        if around:
            found[place] = around
    return found


def assert_something_was_looked_through(places: Mapping[str, str]) -> None:
    """Fail where the search itself would find nothing, or has nothing to search."""
    planted = {"table": f"x{KEY[16:].upper()}", "page": f"&quot;{quote(KEY, safe='')}", "log": KEY}
    assert found_in(planted).keys() == planted.keys()
    assert "[key removed]" in places["table evaluations_itemattempt"]
    assert "[key removed]" in places["table evaluations_run"]
    assert "there_is_no_such_table" in " ".join(text for name, text in places.items() if name.startswith("queue "))
    assert "there_is_no_such_table" in places["the worker's log"]
    assert "/admin/" in places["the site's log"]
    pages = {name: text for name, text in places.items() if name.startswith("page ")}
    assert {name: text[:3] for name, text in pages.items() if not re.match("200|286", text)} == {}
    assert sum("[key removed]" in text for text in pages.values()) > len(FATAL)
    assert "[key removed]" in " ".join(text for name, text in places.items() if name.startswith("export "))
