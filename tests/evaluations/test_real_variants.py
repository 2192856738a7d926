"""Second turns, orders of options, confidence and a sweep together, asked by a real worker over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from evaluations.models import Run, System
from evaluations.prompts import prompt_style
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from tests.evaluations.conftest import make_bank
from tests.evaluations.real_parts import real_parts
from tests.fake_servers.server import FakeServer, Said

FOLLOW_UP = prompt_style("self-critique@1").follow_up


def answer(prompt: str) -> Said:
    if prompt == CONFIDENCE_PROMPT:
        return Said("4")
    return Said("It stays benzene. Answer: benzene" if prompt == FOLLOW_UP else "Answer: toluene")


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_a_worker_asks_a_sweep_with_all_of_it(tmp_path: Path, make_system: Any) -> None:
    revision = make_bank(4)
    with FakeServer(answer=answer) as server, real_parts(tmp_path) as parts:
        system: System = make_system(server.base_url, concurrency=4)
        parts.start_worker()
        command = parts.start_command(
            "evaluate",
            f"--system={system.slug}",
            f"--set={revision.question_set.slug}",
            "--repeats=2",
            "--permute-options",
            "--confidence",
            "--sweep=prompt_style=instruction@1,self-critique@1",
            "--wait",
            "--json",
        )
        report = parts.report_of(command)
    assert [run["status"] for run in report["runs"]] == ["finished", "finished"]
    assert [run["outcomes"]["right"] for run in report["runs"]] == [0, 8]
    # Each of 2 x 8 items once and how sure once, and 8 second turns.
    assert len(server.calls) == 40
    for run in Run.objects.all():
        assert set(run.items.values_list("confidence", flat=True)) == {4}
        shown = list(run.items.order_by("position", "repeat").values_list("options_shown", flat=True))
        assert all(shown[place] != shown[place + 1] for place in range(0, 8, 2))
