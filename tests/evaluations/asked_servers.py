"""What tests of the asking loop say of a run and of the server that was asked."""

from collections import Counter
from collections.abc import Callable

from evaluations.models import Run
from tests.fake_servers.server import FakeServer

START = Callable[..., Run]


def number_of(prompt: str) -> int:
    return int(prompt.split("Question ")[1].split(":")[0])


def asked(server: FakeServer) -> dict[int, int]:
    return {number_of(prompt): count for prompt, count in server.asked.items()}


def outcomes(run: Run) -> Counter[str]:
    return Counter(run.items.values_list("outcome", flat=True))
