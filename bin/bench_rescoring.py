"""Rescoring in PostgreSQL, measured in a database of its own: `bin/with-services bin/bench.py rescoring`."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from bin.bench_database import bench_database, why_no_services

N_ITEMS = 20_000
AIM_SECONDS = 20


def bench_rescoring(read_packs: Callable[[], Sequence[tuple[str, Any]]]) -> None:
    """Rescore 20,000 items by a reader they were never read by, then again with nothing left to change.

    `read_packs` gives (question name, item) pairs of public reports; made-up replies stand in where there are none.
    """
    if reason := why_no_services("rescoring"):
        print(f"  {reason}")
        return
    with bench_database():
        _measure(read_packs() or _made_up())


def _measure(pairs: Sequence[tuple[str, Any]]) -> None:
    from django.db import connection

    from corpus.scoring import reading
    from evaluations.models import ItemScore
    from evaluations.services.rescoring import run_rescore, run_rescoring_accept

    run = _stored_run(pairs)
    standard = reading._READERS[reading.READER]
    reading._READERS["standard@999"] = lambda *asked: replace(standard(*asked), reader="standard@999")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    proposed, proposing = _timed(lambda: run_rescore(run=run))
    before = ItemScore.objects.count()
    _, accepting = _timed(lambda: run_rescoring_accept(rescoring_id=proposed.rescoring.pk))
    again, looking = _timed(lambda: run_rescore(run=run))
    added = ItemScore.objects.count() - before
    print("  Seconds by the clock, which other work on the machine lengthens, and of this process's processor time.")
    print(f"  {proposed.counts.n_answers:,} answers read and judged, {proposed.counts.n_rows:,} rows: {proposing}")
    print(f"  {added:,} scores added and made current: {accepting}")
    print(f"  Together {proposing.plus(accepting)}; aim: under {AIM_SECONDS} s by the clock of an idle machine.")
    print(f"  Again, with {again.counts.n_rows} rows to change: {looking}")


class Seconds(NamedTuple):
    """Time by the clock, and processor time of this process."""

    clock: float
    processor: float

    def plus(self, other: "Seconds") -> "Seconds":
        """Return both together."""
        return Seconds(self.clock + other.clock, self.processor + other.processor)

    def __str__(self) -> str:
        return f"{self.clock:.1f} s ({self.processor:.1f} s)"


def _timed(action: Callable[[], Any]) -> tuple[Any, Seconds]:
    start, processor = time.perf_counter(), time.process_time()
    result = action()
    return result, Seconds(time.perf_counter() - start, time.process_time() - processor)


def _stored_run(pairs: Sequence[tuple[str, Any]]) -> Any:
    """Store a run of 20,000 items, read and judged by the standard reader as they are when replies arrive."""
    from corpus.models import Benchmark, Question, QuestionRevision, QuestionSet, QuestionSetRevision
    from corpus.scoring.reading import read_answer
    from corpus.services.verdicts import Judged, store_verdicts_in_bulk
    from evaluations.models import Item, ItemReading, ItemScore, Run, System

    benchmark = Benchmark.objects.create(slug="bench", name="bench")
    question_set = QuestionSet.objects.create(benchmark=benchmark, slug="bench", name="bench")
    set_revision = QuestionSetRevision.objects.create(question_set=question_set, number=1, content_hash="0")
    system = System.objects.create(slug="bench", name="bench", provider="imported")
    run = Run.objects.create(system=system, set_revision=set_revision, origin="imported", repeats=100)
    first = dict(reversed(pairs))
    questions = Question.objects.bulk_create([Question(benchmark=benchmark, key=name) for name in first])
    revisions = QuestionRevision.objects.bulk_create(
        [_revision(question, first[question.key], QuestionRevision) for question in questions]
    )
    by_name = {question.key: revision for question, revision in zip(questions, revisions, strict=True)}
    _store_options(first, by_name)
    asked_before: dict[str, int] = {}
    items, judged = [], []
    for name, pair in islice(_over_and_over(pairs), N_ITEMS):
        repeat = asked_before[name] = asked_before.get(name, -1) + 1
        item = Item(
            run=run,
            question_revision=by_name[name],
            repeat=repeat,
            status="answered",
            prompt=pair.asked.prompt,
            completion=pair.text,
            options_shown=[[option.letter, _key(option.key), option.text] for option in pair.asked.shown],
        )
        items.append(item)
        reading = read_answer(text=pair.text, asked=pair.asked)
        keys = tuple(_key(key) for key in reading.option_keys)
        target = replace(pair.target, options=tuple(replace(x, key=_key(x.key)) for x in pair.target.options))
        judged.append(Judged(item, replace(reading, option_keys=keys), target, ("standard@1",)))
    Item.objects.bulk_create(items, batch_size=1000)
    store_verdicts_in_bulk(judged=judged, reading_model=ItemReading, score_model=ItemScore)
    return run


def _revision(question: Any, item: Any, model: Any) -> Any:
    target = "" if item.target.number is None else str(item.target.number)
    return model(question=question, number=1, kind=item.asked.kind.value, stem="-", target=target, content_hash="0")


def _store_options(first: dict[str, Any], revisions: dict[str, Any]) -> None:
    from corpus.models import Option

    Option.objects.bulk_create(
        [
            Option(
                revision=revisions[name],
                option_key=_key(option.key),
                position=position,
                text=option.text,
                credit=option.credit,
            )
            for name, item in first.items()
            for position, option in enumerate(item.target.options)
        ],
        batch_size=1000,
    )


def _key(text: str) -> str:
    from corpus.services.questions import option_key

    return option_key(text)


def _over_and_over(pairs: Sequence[tuple[str, Any]]) -> Any:
    while True:
        yield from pairs


def _made_up() -> list[tuple[str, Any]]:
    bench = sys.modules["__main__"]
    asked = bench.Asked(bench.Kind.NUMBER, prompt="How much is it?")
    target = bench.Target(bench.Kind.NUMBER, number=bench.Decimal(42))
    return [(f"q{n}", bench.Item(f"We get [ANSWER]{n % 84}[/ANSWER]", asked, target)) for n in range(2000)]
