"""The transport under the SDKs' clients says what httpx2's own would say."""

import asyncio
import gzip
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress

import httpx2
import pytest

from corpus.scoring.types import Asked, Kind
from evaluations.providers import Ask, Endpoint, NeverRetryError, RetryLaterError, Scope, open_provider
from evaluations.providers.incoming import LARGEST_ANSWER_BYTES
from evaluations.providers.transport import AiohttpTransport
from tests.fake_servers.server import FakeServer, Fault, Shape

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"
Talk = Callable[[httpx2.AsyncClient, str], Awaitable[object]]


async def talk_to(answers: list[bytes], talk: Talk, *, stays: bool = False, is_away: bool = False) -> list[int]:
    """Let `talk` speak to a server that gives raw answers, one a request; return the requests of each connection."""
    heard: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = len(heard)
        heard.append(0)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
                writer.write(answers[sum(heard) % len(answers)])
                heard[own] += 1
                await writer.drain()
                if not stays:
                    break
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    if is_away:
        server.close()
    transport = AiohttpTransport(socket_factory=None, trusts=ssl.create_default_context())
    async with httpx2.AsyncClient(transport=transport, timeout=0.3) as client:
        await talk(client, f"http://127.0.0.1:{port}/")
    server.close()
    return heard


async def ask(client: httpx2.AsyncClient, url: str) -> httpx2.Response:
    return await client.post(url, json={"prompt": "p"})


@pytest.mark.parametrize(
    ("answer", "stays", "error"),
    [
        (b"", False, httpx2.RemoteProtocolError),
        (b"no http at all\r\n\r\n", False, httpx2.RemoteProtocolError),
        (HEAD + b"content-length: 100\r\n\r\ncut", False, httpx2.RemoteProtocolError),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n5\r\ncut", False, httpx2.RemoteProtocolError),
        (HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n", False, httpx2.RemoteProtocolError),
        (b"", True, httpx2.ReadTimeout),
        (HEAD + b"content-length: 100\r\n\r\nslow", True, httpx2.ReadTimeout),
        (HEAD + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone", False, httpx2.DecodingError),
    ],
)
def test_a_broken_answer_is_named_and_never_asked_for_again(answer: bytes, stays: bool, error: type[Exception]) -> None:
    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        with pytest.raises(error):
            await ask(client, url)

    assert asyncio.run(talk_to([answer], talk, stays=stays)) == [1]


def test_a_server_that_is_away_is_a_failed_connection() -> None:
    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        with pytest.raises(httpx2.ConnectError):
            await ask(client, url)

    assert asyncio.run(talk_to([b""], talk, is_away=True)) == []


def test_answers_come_whole_and_redirects_and_cookies_are_left_to_the_client() -> None:
    body = "Größe".encode()
    plain = HEAD + b"set-cookie: a=b\r\nx-name: M\xfcller\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    away = b"HTTP/1.1 302 Found\r\nlocation: http://other.example/\r\ncontent-length: 0\r\n\r\n"

    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        first, second = await ask(client, url), await ask(client, url)
        assert (first.status_code, first.content, first.headers["x-name"]) == (200, body, "Müller")
        assert (second.status_code, second.headers["location"]) == (302, "http://other.example/")
        assert second.request.headers["cookie"] == "a=b"

    assert asyncio.run(talk_to([plain, away], talk, stays=True)) == [2]


@pytest.mark.parametrize("status", [200, 503])
def test_a_reason_in_any_encoding_costs_no_answer(status: int) -> None:
    odd = b"HTTP/1.1 %d Tr\xe8s \xfc\r\ncontent-length: 2\r\n\r\nok" % status

    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        answer = await ask(client, url)
        assert (answer.status_code, answer.content) == (status, b"ok")
        assert answer.extensions["reason_phrase"] == b"Tr\xe8s \xfc"
        assert (await ask(client, url)).content == b"ok"

    assert asyncio.run(talk_to([odd], talk, stays=True)) == [2]


def test_an_answer_may_have_as_many_headers_as_a_chain_of_proxies_adds() -> None:
    many = HEAD + b"".join(b"x-%d: y\r\n" % n for n in range(500)) + b"content-length: 2\r\n\r\nok"

    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        assert (await ask(client, url)).headers["x-499"] == "y"

    assert asyncio.run(talk_to([many], talk)) == [1]


def test_a_connection_is_used_again_but_not_after_a_long_answer_that_was_left_unread() -> None:
    short = HEAD + b"content-length: 2\r\n\r\nok"
    long = HEAD + b"content-length: 4000000\r\n\r\n" + bytes(4_000_000)

    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        for is_read in (True, True, False, True):
            async with client.stream("POST", url, json={}) as response:
                if is_read:
                    assert await response.aread() == b"ok"

    assert asyncio.run(talk_to([short, short, long], talk, stays=True)) == [3, 1]


@pytest.mark.parametrize(("provider", "shape"), [("openai_chat", "openai"), ("openai_responses", "responses")])
def test_a_call_carries_the_key_of_its_system_and_no_other(
    provider: str, shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-another-system")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "of-the-administration")

    async def asked(endpoint: Endpoint) -> None:
        async with open_provider(provider, endpoint) as opened:
            await opened.ask(Ask(prompt="Why?", asked=Asked(kind=Kind.TEXT), parameters={"temperature": 0}))

    for key, sent in (("of-this-system", "Bearer of-this-system"), ("", "Bearer none")):
        with FakeServer(shape) as server:
            asyncio.run(asked(Endpoint(model_id="m", base_url=server.base_url, api_key=key)))
        assert server.calls[0].headers["authorization"] == sent
        assert server.calls[0].body["temperature"] == 0


@pytest.mark.parametrize(
    ("provider", "shape"),
    [
        ("openai_chat", "openai"),
        ("openai_responses", "responses"),
        ("anthropic_messages", "anthropic"),
        ("plain_http", "plain"),
    ],
)
def test_no_cookie_ties_one_question_to_the_next(provider: str, shape: Shape) -> None:
    cookies = {"Set-Cookie": "session=abc; Path=/"}

    def fault(prompt: str, nth: int) -> Fault | None:
        return Fault(429, "{}", cookies) if nth == 1 else None

    async def asked(endpoint: Endpoint) -> None:
        ask = Ask(prompt="Why?", asked=Asked(kind=Kind.TEXT), parameters={"max_tokens": 5})
        async with open_provider(provider, endpoint) as opened:
            with pytest.raises(RetryLaterError):
                await opened.ask(ask)
            await opened.ask(ask)

    with FakeServer(shape, fault=fault) as server:
        asyncio.run(asked(Endpoint(model_id="m", base_url=server.base_url)))
    assert [call.headers.get("cookie") for call in server.calls] == [None, None]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "anthropic_messages"])
@pytest.mark.parametrize("status", [200, 503])
def test_an_answer_that_unpacks_to_more_than_is_read_is_cut_off_and_not_asked_for_again(
    provider: str, status: int
) -> None:
    packed = gzip.compress(b" " * (LARGEST_ANSWER_BYTES + 1))
    head = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n" % status
    bomb = head + b"content-length: %d\r\n\r\n" % len(packed) + packed

    async def talk(client: httpx2.AsyncClient, url: str) -> None:
        asked = Ask(prompt="Why?", asked=Asked(kind=Kind.TEXT), parameters={"max_tokens": 5})
        async with open_provider(provider, Endpoint(model_id="m", base_url=url)) as opened:
            with pytest.raises(NeverRetryError) as caught:
                await opened.ask(asked)
        assert (caught.value.code, caught.value.scope) == ("too_large", Scope.QUESTION)

    assert asyncio.run(talk_to([bomb], talk)) == [1]
