"""A base URL never leads to where a cloud tells a machine its secrets; one's own servers are fine."""

import socket
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from corpus.models import QuestionSetRevision
from evaluations.addresses import address_problem
from evaluations.models import Run, System, endpoint_address
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create

REFUSED = [
    "http://169.254.169.254/latest",
    "http://169.254.0.1:8000/v1",
    "http://[fe80::1]/v1",
    "http://[fe80::1%25eth0]/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://[2002:a9fe:a9fe::]/v1",
    "http://[fd00:ec2::254]/v1",
    "http://2852039166/v1",
    "http://0xa9fea9fe/v1",
    "http://0251.0376.0251.0376/v1",
    "http://169.254.43518/v1",
    "http://100.100.100.200/v1",
    "http://METADATA.google.internal./computeMetadata/v1",
    "http://instance-data/latest",
]
FINE = [
    "http://127.0.0.1:8000/v1",
    "http://localhost:11434/v1",
    "http://10.0.0.7/v1",
    "http://192.168.1.4:8000/v1",
    "http://172.16.3.3/v1",
    "http://[::1]:8000/v1",
    "http://[fd12::7]/v1",
    "http://gpu01:8000/v1",
    "https://metadata.chemistry.example/v1",
    "",
]


@pytest.mark.parametrize("address", REFUSED)
def test_metadata_services_are_refused_when_typed(address: str) -> None:
    with pytest.raises(ValidationError) as refused:
        endpoint_address(address)
    assert "private network are fine" in refused.value.message


@pytest.mark.parametrize("address", FINE)
def test_servers_of_ones_own_are_fine(address: str) -> None:
    assert address_problem(address) == ""


@pytest.mark.parametrize(
    ("leads_to", "is_refused"), [("169.254.169.254", True), ("fe80::5%eth0", True), ("10.0.0.7", False)]
)
def test_names_are_judged_by_what_they_lead_to(
    leads_to: str, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def getaddrinfo(host: str, *rest: Any, **more: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (leads_to, 0))]

    monkeypatch.setattr("evaluations.addresses.socket.getaddrinfo", getaddrinfo)
    assert bool(address_problem("http://models.example/v1", resolve=True)) is is_refused
    assert address_problem("http://models.example/v1") == ""


def test_a_stored_address_is_refused_before_the_first_call(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    run = run_create(system=make_system("http://169.254.169.254/v1", "openai_chat"), set_revision=twenty)
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.PAUSED
    assert "metadata" in run.error_message
