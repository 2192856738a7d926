"""A study answered by 200 people at once, on gunicorn and PostgreSQL: `bin/with-services bin/bench.py survey`."""

import io
import multiprocessing
import os
import secrets
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bin.bench_database import bench_database, why_no_services
from bin.ports import free_port
from bin.survey_load.people import Person, Told

ROOT = Path(__file__).resolve().parents[1]
N_PEOPLE = int(os.environ.get("PEOPLE", "200"))
N_QUESTIONS = 40
N_CLIENT_PROCESSES = 2
AIM_RATIO = 3
# As in the Dockerfile.
SERVER = ("--workers", "2", "--threads", "4", "--reuse-port", "--log-level", "error")
SLUG = "load"


def bench_survey() -> None:
    """Let everybody answer, then compare what is stored with what each of them sent."""
    if reason := why_no_services("survey"):
        print(f"  {reason}")
        return
    with bench_database():
        from django.db import connection

        links = _people()
        connection.close()
        port = free_port()
        with _server(connection.settings_dict, port) as process_id:
            start = time.perf_counter()
            told = _answer_at_once(links, port)
            seconds = time.perf_counter() - start
            memory = _memory_mb(process_id)
        _report(told, seconds, memory)


def _people() -> list[str]:
    """Make the study, half of it without tools, and its people up to their first question; return their links."""
    from django.core.management import call_command
    from django.utils import timezone

    from corpus.models import Question, QuestionSet, QuestionSetMember, QuestionSetRevision
    from survey.models import Participant
    from survey.services import assignments_draw
    from survey.services.studies import BlockPlan, study_create, study_open

    call_command("import_corpus", str(ROOT / "fixtures" / "bank"), verbosity=0, stdout=io.StringIO())
    answerable = Question.objects.filter(revisions__kind__in=["choice", "number"]).distinct().order_by("key")
    questions = list(answerable[:N_QUESTIONS])
    plans = []
    for number, part in enumerate((questions[::2], questions[1::2])):
        slug = f"load-{number}"
        question_set = QuestionSet.objects.create(benchmark=part[0].benchmark, slug=slug, name=slug)
        revision = QuestionSetRevision.objects.create(question_set=question_set, number=1)
        QuestionSetMember.objects.bulk_create(
            QuestionSetMember(set_revision=revision, position=position, question_revision=question.revisions.last())
            for position, question in enumerate(part, start=1)
        )
        plans.append(BlockPlan(slug, slug, "Rules.", bool(number), revision))
    study = study_create(slug=SLUG, title="Load", consent_text="Simulated people.", blocks=plans)
    study_open(study=study)
    now = timezone.now()
    people = [
        Participant.objects.create(
            study=study,
            pseudonym=f"simulated-{number}",
            consent_text=study.consent_texts.first(),
            consented_at=now,
            profile_answered_at=now,
            practised_at=now,
        )
        for number in range(N_PEOPLE)
    ]
    for person in people:
        assignments_draw(participant=person)
    return [person.link_secret for person in people]


@contextmanager
def _server(database: dict[str, Any], port: int) -> Iterator[int]:
    """Serve the site from that database, as in production; yield the process id once it answers."""
    place = f"{database['HOST']}:{database['PORT']}"
    environment = {
        **os.environ,
        "DATABASE_URL": f"postgres://{database['USER']}@{place}/{database['NAME']}",
        "DJANGO_SETTINGS_MODULE": "bin.survey_load.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DEBUG": "0",
        "LOG_LEVEL": "ERROR",
    }
    command = [str(Path(sys.executable).with_name("gunicorn")), "chembench_site.wsgi", "--bind", f"127.0.0.1:{port}"]
    server = subprocess.Popen([*command, *SERVER], cwd=ROOT, env=environment)  # noqa: S603 - our own server
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}/empty/")
        yield server.pid
    finally:
        server.terminate()
        server.wait(30)


def _wait_until_it_answers(address: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(address, timeout=5).read()  # noqa: S310 - our own server
        except OSError:
            time.sleep(0.3)
        else:
            return
    raise SystemExit("The server does not answer.")


def _answer_at_once(links: Sequence[str], port: int) -> list[Told]:
    shares = [(port, list(enumerate(links))[part::N_CLIENT_PROCESSES]) for part in range(N_CLIENT_PROCESSES)]
    with multiprocessing.get_context("spawn").Pool(N_CLIENT_PROCESSES) as pool:
        return [told for share in pool.starmap(_share_answers, shares) for told in share]


def _share_answers(port: int, share: Sequence[tuple[int, str]]) -> list[Told]:
    """Let the people of one client process answer, each in a thread; seeded by their number."""
    people = [Person(port=port, slug=SLUG, secret=secret, seed=number) for number, secret in share]
    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(Person.answer_all, people))


def _memory_mb(process_id: int) -> float:
    """Return the resident memory of the server's processes together (Linux), 0 where it cannot be read."""
    children = Path(f"/proc/{process_id}/task/{process_id}/children")
    if not children.exists():
        return 0.0
    kilobytes = 0
    for each in (str(process_id), *children.read_text().split()):
        lines = Path(f"/proc/{each}/status").read_text().splitlines()
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return kilobytes / 1024


def _report(told: Sequence[Told], seconds: float, memory: float) -> None:
    problems = [each.problem for each in told if each.problem]
    mishaps = sum((each.mishaps for each in told), Counter[str]())
    timed: dict[str, list[float]] = defaultdict(list)
    for each in told:
        for kind, values in each.seconds.items():
            timed[kind] += values
    stored, wrong = _compared(told)
    n_requests = sum(map(len, timed.values()))
    print(f"  {len(told)} people, {N_QUESTIONS} questions each, {seconds:.0f} s, {n_requests / seconds:.0f} requests/s")
    print(f"  Mishaps: {', '.join(f'{name} {n}' for name, n in sorted(mishaps.items()))}")
    print(f"  Stored: {stored:,} responses of {N_PEOPLE * N_QUESTIONS:,}; other than first sent: {wrong}")
    print(f"  People who met a page they should not: {len(problems)} {problems[:3] or ''}")
    empty = _percentiles(timed["empty"])
    for kind in ("page", "post", "empty"):
        values = _percentiles(timed[kind])
        ratios = "/".join(f"{value / base:.2f}" for value, base in zip(values, empty, strict=True))
        milliseconds = "/".join(f"{value * 1000:.0f}" for value in values)
        print(f"  {kind:>5}: p50/p95/p99 {milliseconds} ms, {ratios} times the empty view ({len(timed[kind]):,} asked)")
    print(f"  Aim: page p95 at most {AIM_RATIO} times the empty view's. Server memory {memory:.0f} MB.")


def _percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    cuts = statistics.quantiles(values, n=100)
    return cuts[49], cuts[94], cuts[98]


def _compared(told: Sequence[Told]) -> tuple[int, int]:
    """Return how many responses are stored, and how many differ from what was first sent for their question."""
    from corpus.scoring.letters import option_letter
    from survey.models import Response

    sent = {assignment: dict(fields) for each in told for assignment, fields in each.sent.items()}
    responses = list(Response.objects.select_related("assignment"))
    wrong = 0
    for response in responses:
        fields = sent.get(response.assignment_id, {})
        order = response.assignment.option_order
        letters = [option_letter(order.index(key)) for key in response.chosen_option_keys]
        expected = [fields["choice"]] if "choice" in fields else []
        typed = fields.get("typed_text", "")
        wrong += letters != expected or (not expected and response.typed_text not in {typed, fields.get("read_back")})
    return len(responses), wrong
