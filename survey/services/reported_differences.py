"""Where our rule and those of an imported survey part over people's answers, and why. Nothing is stored."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from corpus.scoring.differences import Difference, cause_of
from corpus.scoring.rules import judge, resolve_rule
from corpus.scoring.types import Reading
from corpus.selectors.targets import asked_of
from corpus.services.rescoring import Reread, default_reader
from corpus.services.rescoring.differences import (
    Compared,
    DifferenceLine,
    DifferenceReport,
    counted,
    in_short,
    is_different,
)
from corpus.services.verdicts import reading_from_row
from survey.models import Response, ResponseReading, Study
from survey.services.rescoring import benchmarks_of, study_chunks


def study_differences(
    *, studies: Iterable[Study], rule: str, reader: str, against: str, question_ids: Collection[int] | None = None
) -> DifferenceReport:
    """Compare the verdicts of imported answers under a rule of their own (`against`) with those under `rule`.

    Both are judged by our own keys, those in force. An answer without a stored reading for `against` is left out.
    People are named by pseudonym.
    """
    against = resolve_rule(against)
    people: dict[str, Compared] = {}
    lines: list[DifferenceLine] = []
    for study in studies:
        for benchmark in benchmarks_of(study):
            for chunk in study_chunks(study=study, benchmark=benchmark, reader=reader, question_ids=question_ids):
                for response, pair in _both(chunk, rule, against):
                    name = response.assignment.participant.pseudonym
                    people[name] = counted(people.get(name, Compared(0, 0, 0)), [pair])
                    if is_different(pair):
                        lines.append(_line(study, name, response, pair))
    return DifferenceReport(rule, reader, against, people, tuple(lines))


def _both(chunk: Sequence[Reread], rule: str, against: str) -> list[tuple[Response, Difference]]:
    """Return every answer that has a reading of the import under both rules."""
    stored = _stored([entry.answer.pk for entry in chunk], default_reader(against))
    responses = {
        response.pk: response
        for response in Response.objects.filter(pk__in=stored).select_related(
            "assignment__participant", "assignment__question_revision__question"
        )
    }
    return [
        (responses[entry.answer.pk], _difference(entry, entry.reading, stored[entry.answer.pk], rule, against))
        for entry in chunk
        if entry.reading is not None and entry.answer.pk in stored
    ]


def _stored(response_ids: Collection[int], reader: str) -> Mapping[int, Reading]:
    rows = ResponseReading.objects.filter(answer__in=response_ids, reader=reader, corrected_by=None)
    return {row.answer_id: reading_from_row(row) for row in rows}


def _difference(entry: Reread, reading: Reading, published: Reading, rule: str, against: str) -> Difference:
    response = entry.answer
    if not isinstance(response, Response):
        raise TypeError("Only people's answers are compared here.")
    # What could not be read of a typed answer is the whole of it.
    text = response.typed_text
    tried = reading if reading.span else replace(reading, span=(0, len(text)))
    return Difference(
        text=text,
        asked=asked_of(entry.key.revision, response.assignment.option_order),
        target=entry.key.target,
        published=published,
        published_verdict=judge(reading=published, target=entry.key.target, rule=against),
        standard=tried,
        standard_verdict=judge(reading=reading, target=entry.key.target, rule=rule),
        is_persons=True,
    )


def _line(study: Study, name: str, response: Response, pair: Difference) -> DifferenceLine:
    return DifferenceLine(
        system=name,
        run=study.slug,
        key=response.assignment.question_revision.question.key,
        item=response.pk,
        cause=cause_of(pair),
        published_outcome=pair.published_verdict.outcome.value,
        outcome=pair.standard_verdict.outcome.value,
        published_read=in_short(pair.published, pair.asked),
        read=in_short(pair.standard, pair.asked),
    )
