"""The demo site: our own bank, made-up people, a made-up report, an admin login, and a run through the queue."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model

from corpus.models import Benchmark, QuestionSetRevision
from corpus.selectors.sets import set_by_slug
from corpus.services.imports import BenchmarkNaming, ImportReport, corpus_import
from evaluations.models import Run, System
from evaluations.services.reports import reports_import
from evaluations.services.runs import run_create
from evaluations.services.system_edits import system_save
from evaluations.services.systems import ensure_random_system, ensure_structure_system
from evaluations.tasks import wake_run
from survey.services.demo import demo_study_create, load_demo_people

BANK = BenchmarkNaming(
    slug="demo",
    name="Demo bank",
    licence="MIT",
    citation="Written for this project; not a published benchmark.",
    is_demo=True,
)
ADMIN_NAME = "admin"


@dataclass(frozen=True, slots=True)
class DemoLoaded:
    """What the demo site holds after loading; `people_added` is 0 when it was loaded before."""

    n_questions: int
    people_added: int
    study_slug: str


def demo_bank_load(*, fixtures: Path) -> ImportReport:
    """Load the questions and their sets from `fixtures`; what is there already stays as it is."""
    tools, no_tools = fixtures / "sets" / "demo-tools.txt", fixtures / "sets" / "demo-no-tools.txt"
    return corpus_import(
        source=fixtures / "bank",
        naming=BANK,
        topics=fixtures / "topics.csv",
        sets={"demo-tools": [tools], "demo-no-tools": [no_tools], "demo-mini": [tools, no_tools]},
    )


def demo_load(*, fixtures: Path) -> DemoLoaded:
    """Load bank, study, people and report from `fixtures`; what is there already stays as it is."""
    report = demo_bank_load(fixtures=fixtures)
    study = demo_study_create()
    people_added = load_demo_people(study=study, people_json=fixtures / "demo_people.json")
    pack = reports_import(path=fixtures / "reports" / "demo-model", benchmark=Benchmark.objects.get(slug=BANK.slug))
    mark_as_demo(pack.system)
    return DemoLoaded(n_questions=sum(report.by_kind.values()), people_added=people_added, study_slug=study.slug)


def mark_as_demo(system: System) -> None:
    """Say of a system that its results are made up, and tell the boards that show them; once."""
    if not system.is_demo:
        system.is_demo = True
        system_save(system=system, changed=("is_demo",))


def admin_ensure() -> tuple[str, str]:
    """Return name and password of the demo's admin, made on first use; the password is kept in the data folder."""
    kept = Path(settings.DATA_DIR) / "admin_password"
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(9))
    password = kept.read_text().strip()
    users = get_user_model()._default_manager
    user = users.filter(username=ADMIN_NAME).first() or users.create_superuser(ADMIN_NAME)
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    return ADMIN_NAME, password


def random_run_ensure() -> UUID:
    """Return the random baseline's run over the whole bank, queueing one if there is none."""
    return _run_ensure(ensure_random_system(is_demo=True))


def structure_run_ensure() -> UUID:
    """Return the same of the baseline that computes its answers from structures."""
    return _run_ensure(ensure_structure_system(is_demo=True))


def _run_ensure(system: System) -> UUID:
    revision = _current_revision(BANK.slug)
    run = Run.objects.filter(system=system, set_revision=revision).exclude(status=Run.Status.STOPPED).first()
    if run is None:
        return run_create(system=system, set_revision=revision, seed=1).pk
    if run.status in Run.ACTIVE:
        # A demo that was killed may have left a run whose wake-up calls are gone.
        wake_run(run_id=run.pk)
    return run.pk


def keep_private(data_dir: Path) -> None:
    """Let nobody but the owner read what the demo keeps, now and from here on: its database holds people's links."""
    os.umask(0o077)
    data_dir.chmod(0o700)
    for kept in data_dir.glob("*.sqlite3*"):
        kept.chmod(0o600)


def _current_revision(slug: str) -> QuestionSetRevision:
    revision = set_by_slug(slug).current_revision
    if revision is None:
        raise LookupError(f"The question set {slug} has no revision.")
    return revision
