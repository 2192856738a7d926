"""Turn imported questions into rows: new questions, new revisions of known ones, nothing for unchanged ones."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from corpus.importers.types import ImportedQuestion
from corpus.markup.molecules import MoleculeFacts, describe_molecules
from corpus.models import Benchmark, Molecule, Option, Question, QuestionRevision, Source
from corpus.scoring.plain import plain_text
from corpus.selectors.questions import questions_by_key
from corpus.services.questions import content_hash, normalised_option_text

Change = QuestionRevision.Change
BATCH = 500


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of an imported question: its row and the kind of change ("" when nothing changed)."""

    question: Question
    imported: ImportedQuestion
    change: str


class Said(NamedTuple):
    """What a revision asks, and its answer key, apart from markup and white space."""

    asks: tuple[str, str, tuple[str, ...], str]
    key: tuple[tuple[tuple[str, Decimal], ...], Decimal | str, Decimal | str]


def said_by(question: ImportedQuestion | QuestionRevision) -> Said:
    """Return the comparable form of an imported question or a stored revision."""
    if isinstance(question, QuestionRevision):
        options = [(option.text, option.credit) for option in question.options.all()]
    else:
        options = [(option.text, option.credit) for option in question.options]
    credits = tuple(sorted((_plain(text), credit) for text, credit in options))
    asks = (str(question.kind), _plain(question.stem), tuple(text for text, _ in credits), question.unit)
    return Said(asks, (credits, _value(question.target), _value(question.tolerance)))


def change_between(old: Said, new: Said) -> str:
    """Name the change from one revision to the next.

    `content`: the kind, the stem, an option or the unit differs in more than markup and white space. `key`: what is
    asked is the same; the credits, the target or the tolerance differ. `cosmetic`: both are the same.
    """
    if old.asks != new.asks:
        return Change.CONTENT.value
    return Change.COSMETIC.value if old.key == new.key else Change.KEY.value


def comparison_root(earlier: Iterable[QuestionRevision], new: Said) -> int | None:
    """Return the root of the newest earlier revision that differs cosmetically at most, or None.

    A changed key starts a root of its own: verdicts under the old key say nothing about the new one until the
    stored answers have been scored again.
    """
    for revision in sorted(earlier, key=lambda row: -row.number):
        if change_between(said_by(revision), new) == Change.COSMETIC:
            return revision.root_id
    return None


def imported_hash(question: ImportedQuestion) -> str:
    """Return the content hash of a question as its file gives it."""
    return content_hash(
        kind=question.kind.value,
        stem=question.stem,
        options=[(option.text, option.credit) for option in question.options],
        target=question.target,
        tolerance=question.tolerance,
        unit=question.unit,
        other=[
            question.name,
            question.uuid,
            question.description,
            list(question.keywords),
            question.metadata,
        ],
    )


def questions_store(
    *, benchmark: Benchmark, imported: Sequence[ImportedQuestion], sources: Mapping[str, Source]
) -> list[Stored]:
    """Store imported questions of one benchmark in the caller's transaction; return what became of each.

    Questions are found by key. `sources` (by source path) are given to new questions; a known one keeps its own.
    """
    known = questions_by_key(benchmark.pk)
    hashes = {question.key: imported_hash(question) for question in imported}
    changed_ids = [
        known[question.key].pk
        for question in imported
        if question.key in known and not _is_current(known[question.key], hashes[question.key])
    ]
    earlier = _revisions_of(changed_ids)
    created = _create_questions(benchmark, [q for q in imported if q.key not in known], sources)
    stored, revisions = [], []
    for question in imported:
        row = created.get(question.key) or known[question.key]
        revision = None
        if row.pk in earlier or question.key in created:
            revision = _next_revision(row, question, hashes[question.key], earlier.get(row.pk, []))
            revisions.append((revision, question))
        stored.append(Stored(row, question, revision.change if revision else ""))
    _create_revisions(benchmark, revisions)
    return stored


def _is_current(question: Question, hash_: str) -> bool:
    return question.current_revision is not None and question.current_revision.content_hash == hash_


def _revisions_of(question_ids: Sequence[int]) -> dict[int, list[QuestionRevision]]:
    found: dict[int, list[QuestionRevision]] = defaultdict(list)
    for start in range(0, len(question_ids), BATCH):
        rows = QuestionRevision.objects.filter(question_id__in=question_ids[start : start + BATCH])
        for revision in rows.defer("original").prefetch_related("options"):
            found[revision.question_id].append(revision)
    return found


def _create_questions(
    benchmark: Benchmark, imported: Iterable[ImportedQuestion], sources: Mapping[str, Source]
) -> dict[str, Question]:
    rows = Question.objects.bulk_create(
        [
            Question(benchmark=benchmark, key=question.key, source=sources.get(question.source_path))
            for question in imported
        ],
        batch_size=BATCH,
    )
    return {row.key: row for row in rows}


def _next_revision(
    row: Question, question: ImportedQuestion, hash_: str, earlier: Sequence[QuestionRevision]
) -> QuestionRevision:
    new = said_by(question)
    last = max(earlier, key=lambda revision: revision.number, default=None)
    return QuestionRevision(
        question=row,
        number=last.number + 1 if last else 1,
        change=change_between(said_by(last), new) if last else Change.INITIAL.value,
        comparison_root_id=comparison_root(earlier, new),
        kind=question.kind.value,
        name=question.name,
        uuid=question.uuid,
        stem=question.stem,
        target=question.target,
        tolerance=question.tolerance,
        unit=question.unit,
        description=question.description,
        keywords=list(question.keywords),
        metadata=question.metadata,
        source_path=question.source_path,
        original=question.original,
        content_hash=hash_,
    )


def _create_revisions(benchmark: Benchmark, pairs: Sequence[tuple[QuestionRevision, ImportedQuestion]]) -> None:
    if not pairs:
        return
    QuestionRevision.objects.bulk_create([revision for revision, _ in pairs], batch_size=BATCH)
    Option.objects.bulk_create(
        [
            Option(revision=revision, option_key=option.key, position=position, text=option.text, credit=option.credit)
            for revision, question in pairs
            for position, option in enumerate(question.options)
        ],
        batch_size=BATCH,
    )
    # Many options are molecules that other questions show too; each text is described once a run.
    describe = lru_cache(maxsize=None)(describe_molecules)
    Molecule.objects.bulk_create(
        [molecule for revision, question in pairs for molecule in _molecules(revision, question, describe)],
        batch_size=BATCH,
    )
    newest = QuestionRevision.objects.filter(question=OuterRef("pk")).order_by("-number").values("pk")[:1]
    Question.objects.filter(benchmark=benchmark).update(current_revision=Subquery(newest))


def _molecules(
    revision: QuestionRevision, question: ImportedQuestion, describe: Callable[[str], tuple[MoleculeFacts, ...]]
) -> list[Molecule]:
    texts = [("stem", question.stem), *(("option", option.text) for option in question.options)]
    return [
        Molecule(
            revision=revision,
            place=place,
            smiles=facts.smiles,
            heavy_atoms=facts.heavy_atoms,
            rings=facts.rings,
            bertz=facts.bertz,
        )
        for place, text in texts
        for facts in describe(text)
    ]


def _plain(text: str) -> str:
    return plain_text(normalised_option_text(text))


def _value(text: str) -> Decimal | str:
    """Return a number as its value, so that `3.0` and `3.00` are the same key; any other text as it is."""
    return Decimal(text) if text else ""
