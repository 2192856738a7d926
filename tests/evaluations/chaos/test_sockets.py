"""A request that nobody acknowledges is given up, whichever provider sends it."""

import asyncio
import socket
from typing import Any

import pytest
from django.utils.module_loading import import_string

from evaluations.providers import provider_entry, sockets
from evaluations.providers.base import Endpoint
from evaluations.providers.sockets import UNHEARD_SECONDS, prompt_socket, prompt_transports
from tests.fake_servers.server import FakeServer


def http_client(provider: str, base_url: str) -> Any:
    endpoint = Endpoint(model_id="m", base_url=base_url, api_key="k", timeout_seconds=5)
    # By name: the SDKs take seconds to import, which every process would spend that looks for tests.
    client = import_string(provider_entry(provider).path)(endpoint)._client
    return client if provider == "plain_http" else client._client


async def unheard_milliseconds(client: Any, url: str, made: list[socket.socket]) -> list[int]:
    """Return what the kernel was told about the connections of a call."""
    async with client, client.stream("POST", url, json={"prompt": "p"}):
        return [each.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) for each in made]


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no TCP_USER_TIMEOUT")
@pytest.mark.parametrize("provider", ["openai_chat", "anthropic_messages", "plain_http"])
def test_every_client_gives_up_what_is_not_acknowledged(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[socket.socket] = []

    def noted(address: Any) -> socket.socket:
        made.append(prompt_socket(address))
        return made[-1]

    monkeypatch.setattr(sockets, "prompt_socket", noted)
    with FakeServer("plain") as server:
        client = http_client(provider, server.base_url)
        assert asyncio.run(unheard_milliseconds(client, server.base_url, made)) == [UNHEARD_SECONDS * 1000]


def test_a_proxy_for_everything_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    assert prompt_transports() == {}
