"""Synthetic results in PostgreSQL, written by the server itself: millions of answers in minutes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple

SLUG = "bench-board"
TOPICS = 9
PEOPLE = 20
_SYSTEMS_AT_ONCE = 25

# A system of number n answers question q in repeat r rightly with the chance of a one-parameter model, the draw being
# a hash of (n, q, r): the same answers each time, whatever the plan of the query.
_DRAW = "(hashint8extended({number}::bigint * 1000000 + m.position * 20 + {repeat}, 7) & 1048575) / 1048576.0"
_CHANCE = "1 / (1 + exp(2 * (((m.position * 37) %% 101) / 101.0 - 0.5) - {ability}))"

_ITEMS = f"""
INSERT INTO evaluations_item (run_id, question_revision_id, repeat, position, status, outcome, credit, rule, prompt,
    options_shown, completion, reasoning, finish_reason, model_reported, turns, attempts, error_code, error_message,
    source_flags, answered_at)
SELECT run_id, revision_id, repeat, position, 'answered', outcome, (outcome = 'right')::int, 'standard@1',
    repeat('p', %(characters)s), '[]', repeat('c', %(characters)s), '', 'stop', '', '[]', 1, '', '', '{{}}', now()
FROM (
    SELECT run_id, revision_id, repeat, position,
        CASE WHEN draw < chance THEN 'right' WHEN draw > 0.985 THEN 'unparsed' WHEN draw > 0.98 THEN 'refused'
             ELSE 'wrong' END AS outcome
    FROM (
        SELECT r.id AS run_id, m.question_revision_id AS revision_id, g AS repeat, m.position,
            {_DRAW.format(number="s.number", repeat="g")} AS draw,
            {_CHANCE.format(ability="(s.number / %(systems)s::float * 3 - 1)")} AS chance
        FROM unnest(%(run_ids)s::uuid[], %(numbers)s::int[]) AS s (run_id, number)
        JOIN evaluations_run r ON r.id = s.run_id
        CROSS JOIN corpus_questionsetmember m
        CROSS JOIN generate_series(0, %(repeats)s - 1) AS g
        WHERE m.set_revision_id = %(set_revision)s
    ) AS drawn
) AS judged
"""  # noqa: S608 - our own words

_ASSIGNMENTS = """
INSERT INTO survey_assignment (participant_id, block_id, question_revision_id, position, option_order,
    is_attention_check, served_at)
SELECT p.id, b.id, m.question_revision_id, m.position, '[]', false, now()
FROM survey_participant p, survey_studyblock b JOIN corpus_questionsetmember m ON m.set_revision_id = b.set_revision_id
WHERE p.study_id = b.study_id
"""

_RESPONSES = f"""
INSERT INTO survey_response (assignment_id, chosen_option_keys, typed_text, do_not_know, tools_used, answered_at,
    outcome, credit, rule)
SELECT m.id, '[]', '', false, '[]', m.served_at,
    CASE WHEN right_ THEN 'right' ELSE 'wrong' END, right_::int, 'standard@1'
FROM (SELECT m.*, {_DRAW.format(number="m.participant_id", repeat="19")} < {_CHANCE.format(ability="(-0.5)")} AS right_
      FROM survey_assignment m) AS m
"""  # noqa: S608 - our own words


class Loaded(NamedTuple):
    """What was stored: answers of systems, of people, and how long it took."""

    of_systems: int
    of_people: int
    seconds: float


def load_results(*, systems: int, questions: int, repeats: int, characters: int) -> Loaded:
    """Store a set, systems that answered it so many times, and people; texts have so many characters."""
    from django.db import connection

    from corpus.services.results import results_changed

    started = time.perf_counter()
    set_revision = _set_of(questions)
    runs = [run_create(number, set_revision=set_revision, repeats=repeats) for number in range(systems)]
    with _without_indexes("evaluations_item"):
        for first in range(0, systems, _SYSTEMS_AT_ONCE):
            part = list(enumerate(runs))[first : first + _SYSTEMS_AT_ONCE]
            answers_create(part, systems=systems, characters=characters)
    of_people = _people_create(set_revision)
    results_changed(benchmark_id=set_revision.question_set.benchmark_id)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return Loaded(systems * questions * repeats, of_people, time.perf_counter() - started)


def run_create(number: int, *, set_revision: Any, repeats: int) -> Any:
    """Return a run of the system of that number, which is made where it is not there."""
    from evaluations.models import Run, System

    slug = f"bench-{number}"
    system, _ = System.objects.get_or_create(slug=slug, defaults={"name": f"System {number}", "provider": "random"})
    return Run.objects.create(system=system, set_revision=set_revision, repeats=repeats, status=Run.Status.FINISHED)


def answers_create(runs: list[tuple[int, Any]], *, systems: int, characters: int) -> None:
    """Store the answers of these runs, each with its number, which says how able it is among so many systems."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            _ITEMS,
            {
                "run_ids": [run.pk for _, run in runs],
                "numbers": [number for number, _ in runs],
                "systems": systems,
                "characters": characters,
                "repeats": runs[0][1].repeats,
                "set_revision": runs[0][1].set_revision_id,
            },
        )


def _set_of(questions: int) -> Any:
    """Make a benchmark with one set of number questions, each in one of nine topics."""
    from corpus.models import (
        Benchmark,
        Grouping,
        Label,
        Question,
        QuestionRevision,
        QuestionSet,
        QuestionSetMember,
        QuestionSetRevision,
    )

    benchmark = Benchmark.objects.create(slug="bench", name="Bench")
    question_set = QuestionSet.objects.create(benchmark=benchmark, slug=SLUG, name="Bench board")
    set_revision = QuestionSetRevision.objects.create(question_set=question_set, number=1, content_hash="0")
    question_set.current_revision = set_revision
    question_set.save()
    made = Question.objects.bulk_create(Question(benchmark=benchmark, key=f"q{n}") for n in range(questions))
    revisions = QuestionRevision.objects.bulk_create(
        QuestionRevision(question=question, number=1, kind="number", stem="-", target="1", content_hash="0")
        for question in made
    )
    QuestionSetMember.objects.bulk_create(
        QuestionSetMember(set_revision=set_revision, position=position, question_revision=revision)
        for position, revision in enumerate(revisions, start=1)
    )
    grouping = Grouping.objects.create(benchmark=benchmark, slug="topic", name="Topic")
    for number in range(TOPICS):
        label = Label.objects.create(grouping=grouping, slug=f"topic-{number}", name=f"Topic {number}")
        label.questions.add(*made[number::TOPICS])
    return set_revision


def _people_create(set_revision: Any) -> int:
    """Make a closed study in which everybody answered every question; return how many answers that is."""
    from django.db import connection
    from django.utils import timezone

    from survey.models import ConsentText, Participant, Response, Study, StudyBlock

    study = Study.objects.create(slug="bench", title="Bench", status=Study.Status.CLOSED)
    consent = ConsentText.objects.create(study=study, version=1, text="Simulated people.")
    StudyBlock.objects.create(
        study=study, position=1, slug="all", title="All", rules="None.", set_revision=set_revision
    )
    agreed = timezone.now() - timedelta(days=1)
    for number in range(PEOPLE):
        Participant.objects.create(
            study=study, pseudonym=f"simulated-{number}", consent_text=consent, consented_at=agreed, finished_at=agreed
        )
    with connection.cursor() as cursor:
        cursor.execute(_ASSIGNMENTS)
        cursor.execute(_RESPONSES.replace("%%", "%"))
    return Response.objects.count()


@contextmanager
def _without_indexes(table: str) -> Iterator[None]:
    """Take a table's indexes and checks of references away, and make them again when its rows are there."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET maintenance_work_mem = '256MB'")
        cursor.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass"
            " AND contype = 'u'",
            [table],
        )
        constraints = cursor.fetchall()
        for name, _ in constraints:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s", [table])
        indexes = [(name, made_by) for name, made_by in cursor.fetchall() if not name.endswith("_pkey")]
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
    yield
    with connection.cursor() as cursor:
        for name, made_by in constraints:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {made_by}")
        for _, made_by in indexes:
            cursor.execute(made_by)
        cursor.execute("RESET session_replication_role")
