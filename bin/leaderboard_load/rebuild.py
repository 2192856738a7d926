"""In a process of its own: build the matrix of the board from nothing, or bring it up to date; print what it took."""

import argparse
import cProfile
import hashlib
import json
import os
import pstats
import resource
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
_MOST_LINES = 12


def main() -> None:
    """Run the action named, print seconds, peak memory in MB and a hash of the matrix as JSON; a profile if asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["rebuild", "update"])
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bin.survey_load.settings")
    import django

    django.setup()
    action = {"rebuild": _rebuild, "update": _update}[arguments.action]
    profile = cProfile.Profile() if arguments.profile else None
    started, processor = time.perf_counter(), time.process_time()
    if profile:
        profile.runcall(action)
    else:
        action()
    told = {
        "seconds": time.perf_counter() - started,
        "processor": time.process_time() - processor,
        "of_database": _processor_of_database(),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **_stored(),
    }
    print(json.dumps(told))
    if profile:
        pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(_MOST_LINES)


def _rebuild() -> None:
    from leaderboard.services import rebuild_leaderboard

    rebuild_leaderboard(rules=["standard@1"])


def _update() -> None:
    from leaderboard.selectors.boards import public_sets
    from leaderboard.services import current_matrix

    for question_set in public_sets():
        current_matrix(question_set=question_set, rule="standard@1")


def _processor_of_database() -> float:
    """Return the processor time of the process of PostgreSQL that served this one, where it is on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process_id,) = cursor.fetchone()
    path = Path(f"/proc/{process_id}/stat")
    if not path.exists():
        return 0.0
    times = path.read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _stored() -> dict[str, Any]:
    from leaderboard.models import ScoreMatrix

    (row,) = ScoreMatrix.objects.all()
    digest = hashlib.sha256(json.dumps([row.entrants, row.inputs], sort_keys=True).encode() + bytes(row.verdicts))
    return {"hash": digest.hexdigest(), "entrants": len(row.entrants), "stored_kb": len(row.verdicts) / 1024}


if __name__ == "__main__":
    main()
