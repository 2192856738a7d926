"""Every process of the site looks for cyclic garbage less often than Python's default."""

import subprocess
import sys
from pathlib import Path

from chembench_site.cyclic_garbage import ALLOCATIONS

STARTED = "import django, gc; django.setup(); print(gc.get_threshold()[0], gc.get_freeze_count() > 0)"


def test_a_started_site_collects_less_often_and_leaves_its_start_out() -> None:
    # In a process of its own: libraries of the tests set the same.
    started = subprocess.run(
        [sys.executable, "-c", STARTED], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert started.stdout.split() == [str(ALLOCATIONS), "True"]
