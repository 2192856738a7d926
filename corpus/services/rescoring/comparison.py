"""What one answer would be under a rule and a reader, beside what it is. No query, nothing written."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from corpus.models import AbstractAnswer, AbstractRescored
from corpus.scoring.rules import NotJudgedError, judge
from corpus.scoring.types import Reading, ReadStatus, Verdict
from corpus.services.rescoring.types import Counts, Reread
from corpus.services.verdicts import reading_fields

Role = AbstractRescored.Role
Change = AbstractRescored.Change


class StoredScore(NamedTuple):
    """A stored score, without its words."""

    id: int
    answer_id: int
    reading_id: int
    rule: str
    key_revision_id: int | None
    outcome: str
    credit: Decimal


class StoredReading(NamedTuple):
    """A stored reading as far as a rule needs it; tens of thousands of these are cheaper than model instances."""

    pk: int
    answer_id: int
    reader: str
    status: str
    option_keys: Sequence[str]
    number: str
    unit: str
    notes: Sequence[str]
    reason: str
    corrected_by_id: int | None

    def as_reading(self) -> Reading:
        """Return the reading as the scoring package knows it, without its place in the text."""
        return Reading(
            status=ReadStatus(self.status),
            option_keys=tuple(self.option_keys),
            number=Decimal(self.number) if self.number else None,
            unit=self.unit,
            notes=tuple(self.notes),
            reader=self.reader,
            reason=self.reason,
        )


@dataclass(frozen=True, slots=True)
class History:
    """What is stored about one answer, oldest first."""

    readings: Sequence[StoredReading] = ()
    scores: Sequence[StoredScore] = ()

    def reading_by(self, reader: str) -> StoredReading | None:
        """Return what a reader read; no person's correction."""
        return next((row for row in self.readings if row.reader == reader and row.corrected_by_id is None), None)

    @property
    def correction(self) -> StoredReading | None:
        """The newest correction by a person, which counts before any reader."""
        return next((row for row in reversed(self.readings) if row.corrected_by_id is not None), None)

    def in_force(self, rule: str, current: AbstractAnswer | None = None) -> StoredScore | None:
        """Return the score that counts under a rule: of a person's correction if there is one, else the newest.

        With `current`, a score that says what the answer row says comes before a newer one that does not.
        """
        corrected = {row.pk for row in self.readings if row.corrected_by_id is not None}
        on_row = None if current is None else (current.outcome, current.credit, current.key_revision_id)

        def rank(score: StoredScore) -> tuple[bool, bool, int]:
            says = (score.outcome, score.credit, score.key_revision_id)
            return score.reading_id in corrected, says == on_row, score.id

        return max((score for score in self.scores if score.rule == rule), key=rank, default=None)

    def has_score(self, reading: StoredReading, rule: str, key_revision_id: int | None) -> bool:
        """Say whether this reading has been judged in this way already."""
        wanted = (reading.pk, rule, key_revision_id)
        return any((score.reading_id, score.rule, score.key_revision_id) == wanted for score in self.scores)


class Before(NamedTuple):
    """The verdict in force before a rescoring, and the reading it was made from."""

    outcome: str
    credit: Decimal | None
    rule: str
    reading: StoredReading | None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a rescoring, not yet stored."""

    answer: AbstractAnswer
    role: str
    change: str
    before: Before
    reading: StoredReading
    verdict: Verdict
    key_revision_id: int | None


@dataclass(slots=True)
class Comparison:
    """Compares answers one by one, and counts.

    `decided` holds, by answer, the readings against which a person's correction has been upheld before.
    """

    rule: str
    makes_current: bool
    counts: Counts = field(default_factory=Counts)
    decided: Collection[tuple[int, int]] = frozenset()

    def rows_of(self, entry: Reread, history: History, machine: StoredReading | None) -> Iterator[Row]:
        """Yield the rows of one answer: none where nothing would be added or changed."""
        self.counts.n_answers += 1
        self.counts.n_keys_unmatched += entry.key.is_unmatched
        correction = history.correction
        fallback = _fallback_of(entry, history, machine)
        reading = correction or fallback or machine
        if reading is None:
            self.counts.n_skipped += 1
            return
        try:
            verdict = self._judged(reading, entry)
        except NotJudgedError:
            self.counts.n_not_judged += 1
            return
        before = self._before(entry.answer, history)
        change = _change(before, reading, verdict)
        self._count(before, verdict, change)
        # Rows become scores in this order, and of two scores the newer one counts: the strict one comes first.
        yield from self._rows_beside(entry, history, before, machine)
        if change or self._is_wanting(entry, history, reading):
            yield Row(entry.answer, Role.CURRENT, change, before, reading, verdict, entry.key.revision_id)

    def _rows_beside(
        self, entry: Reread, history: History, before: Before, machine: StoredReading | None
    ) -> Iterator[Row]:
        """Yield the row of the reader's own reading where a fallback's or a person's counts in its place."""
        if machine is None:
            return
        correction = history.correction
        if correction is not None:
            if self._is_news(entry.answer, history, correction, machine):
                self.counts.n_decisions += 1
                yield self._row(Role.MACHINE, entry, before, machine)
        elif _fallback_of(entry, history, machine) is not None and not history.has_score(
            machine, self.rule, entry.key.revision_id
        ):
            yield self._row(Role.STRICT, entry, before, machine)

    def _row(self, role: str, entry: Reread, before: Before, reading: StoredReading) -> Row:
        verdict = self._judged(reading, entry)
        change = _change(before, reading, verdict) if role == Role.MACHINE else Change.NONE
        return Row(entry.answer, role, change, before, reading, verdict, entry.key.revision_id)

    def _judged(self, reading: StoredReading, entry: Reread) -> Verdict:
        return judge(reading=reading.as_reading(), target=entry.key.target, rule=self.rule)

    def _before(self, answer: AbstractAnswer, history: History) -> Before:
        """Return the verdict in force under the rule, or, where there is none yet, the one on the answer row."""
        score = history.in_force(self.rule)
        if self.makes_current or score is None:
            on_row = history.in_force(answer.rule, current=answer)
            return Before(answer.outcome, answer.credit, answer.rule, _reading_of(on_row, history))
        return Before(score.outcome, score.credit, score.rule, _reading_of(score, history))

    def _is_wanting(self, entry: Reread, history: History, reading: StoredReading) -> bool:
        """Say whether a score, or what the answer row says of rule and key, is still missing."""
        answer, key_revision_id = entry.answer, entry.key.revision_id
        if not history.has_score(reading, self.rule, key_revision_id):
            return True
        return self.makes_current and (answer.rule, answer.key_revision_id) != (self.rule, key_revision_id)

    def _is_news(
        self, answer: AbstractAnswer, history: History, correction: StoredReading, machine: StoredReading
    ) -> bool:
        """Say whether a reading is something that whoever made the correction has not seen and not been asked about."""
        seen = [row for row in history.readings if row.pk < correction.pk] + [correction]
        if any(said(row) == said(machine) for row in seen):
            return False
        return (answer.pk, machine.pk) not in self.decided

    def _count(self, before: Before, verdict: Verdict, change: str) -> None:
        self.counts.n_verdicts += change == Change.VERDICT
        self.counts.n_readings += change == Change.READING
        for counts, outcome in ((self.counts.old, before.outcome or "not judged"), (self.counts.new, verdict.outcome)):
            counts[str(outcome)] = counts.get(str(outcome), 0) + 1


def said(reading: StoredReading | Reading) -> tuple[object, ...]:
    """Return what was read, without where and why: two readings that say the same are the same answer."""
    if isinstance(reading, StoredReading):
        return reading.status, tuple(reading.option_keys), reading.number, reading.unit
    fields = reading_fields(reading)
    return fields["status"], tuple(fields["option_keys"]), fields["number"], fields["unit"]


def histories(readings: Iterable[StoredReading], scores: Iterable[StoredScore]) -> dict[int, History]:
    """Return what is stored, by answer."""
    readings_of: dict[int, list[StoredReading]] = defaultdict(list)
    scores_of: dict[int, list[StoredScore]] = defaultdict(list)
    for reading in readings:
        readings_of[reading.answer_id].append(reading)
    for score in scores:
        scores_of[score.answer_id].append(score)
    return {pk: History(rows, scores_of.get(pk, ())) for pk, rows in readings_of.items()}


def _change(before: Before, reading: StoredReading, verdict: Verdict) -> str:
    if (before.outcome, before.credit) != (verdict.outcome.value, verdict.credit):
        return Change.VERDICT
    if before.reading is not None and said(before.reading) != said(reading):
        return Change.READING
    return Change.NONE


def _reading_of(score: StoredScore | None, history: History) -> StoredReading | None:
    return next((row for row in history.readings if score is not None and row.pk == score.reading_id), None)


def _fallback_of(entry: Reread, history: History, machine: StoredReading | None) -> StoredReading | None:
    """Return what a fallback found, where it may count: the reader found nothing and the fallback something."""
    if not entry.fallback or machine is None or machine.status != ReadStatus.UNPARSED:
        return None
    found = history.reading_by(entry.fallback)
    return found if found is not None and found.status == ReadStatus.READ else None
