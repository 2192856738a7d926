"""What a kept page of a board depends on, read in one small query so that it can be asked for every reader."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import connection

from leaderboard.libraries import figure_libraries
from leaderboard.selectors.assets import chart_script_url

_APPS = ("chembench_site", "corpus", "survey", "evaluations", "leaderboard")
_OF_BOARD = """
SELECT s.id, s.name, s.policy, s.current_revision_id, b.id, b.slug, b.name, b.is_demo, b.default_rule,
    b.results_version,
    (SELECT max(n.number) FROM leaderboard_snapshot n JOIN corpus_questionsetrevision r ON r.id = n.set_revision_id
     WHERE r.question_set_id = s.id)
FROM corpus_questionset s JOIN corpus_benchmark b ON b.id = s.benchmark_id
WHERE s.slug = %s AND s.current_revision_id IS NOT NULL
"""


def page_stamp(*, slug: str) -> str:
    """Return a name for everything the board page of a set says beside what its address asks for; "" for no set.

    It is another one after every change of results, of the set, of the settings or of the program. An edit of a system
    is a change of the results it has (`system_save`).
    """
    with connection.cursor() as cursor:
        cursor.execute(_OF_BOARD, [slug])
        row = cursor.fetchone()
    return hashlib.sha256(repr((row, _settings(), program_stamp())).encode()).hexdigest() if row else ""


def _settings() -> tuple[Any, ...]:
    return (
        settings.SITE_NAME,
        settings.SITE_URL,
        settings.PEOPLE_MINIMUM_FOR_MEAN,
        settings.PEOPLE_MINIMUM_FOR_EXTREMES,
    )


@lru_cache(maxsize=1)
def program_stamp() -> str:
    """Return a name for the program, the libraries its figures come from and its static files.

    No page of an older one is shown.
    """
    digest = hashlib.sha256(repr((django.VERSION, figure_libraries(), _static_files())).encode())
    for app in _APPS:
        for path in sorted(Path(settings.BASE_DIR, app).rglob("*")):
            if path.suffix in {".py", ".html"}:
                digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()


def _static_files() -> Any:
    return (chart_script_url(), sorted(getattr(staticfiles_storage, "hashed_files", {}).items()), settings.STATIC_URL)
