"""Lint questions from their rows, and keep what was found until the next time."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.db import transaction

from corpus.importers.keywords import mistyped_keywords
from corpus.markup.lint import MarkupFinding, lint_markup
from corpus.models import Benchmark, Finding, Grouping, Question, QuestionRevision
from corpus.selectors.questions import current_revisions, label_names
from corpus.services.revisions import BATCH


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: where (file, question key), a stable code, a message for the author."""

    file: str
    key: str
    code: str
    message: str


def questions_lint(*, benchmark: Benchmark, keys: Collection[str] | None = None) -> list[Found]:
    """Return the findings of the current revisions, of all questions or of those named; nothing is stored."""
    revisions = list(current_revisions(benchmark.pk).defer("original"))
    # Questions repeat each other's options; a text is linted once a run, and anew in the next.
    lint = lru_cache(maxsize=None)(lint_markup)
    findings = [
        found
        for revision in revisions
        if keys is None or revision.question.key in keys
        for found in _revision_findings(revision, lint)
    ]
    across = [*_repeated_uuids(revisions), *_without_topic(benchmark, revisions)]
    findings += [found for found in across if keys is None or found.key in keys]
    return sorted(findings, key=lambda found: (found.file, found.key))


def findings_store(*, benchmark: Benchmark, findings: Iterable[Found], replace: Collection[str] | None = None) -> None:
    """Keep findings in place of the earlier ones: of every question, or of the questions `replace` names.

    Findings without a question (refused files, lines of tables) belong to the last import; only an import, which
    passes `replace`, replaces them.
    """
    with transaction.atomic():
        known = dict(Question.objects.filter(benchmark=benchmark).values_list("key", "pk"))
        earlier = Finding.objects.filter(benchmark=benchmark)
        if replace is None:
            earlier.filter(question__isnull=False).delete()
        else:
            earlier.filter(question__isnull=True).delete()
            ids = [known[key] for key in replace if key in known]
            for start in range(0, len(ids), BATCH):
                earlier.filter(question_id__in=ids[start : start + BATCH]).delete()
        Finding.objects.bulk_create(
            [
                Finding(
                    benchmark=benchmark,
                    question_id=known.get(found.key),
                    file=found.file[:500],
                    code=found.code,
                    message=found.message,
                )
                for found in findings
            ],
            batch_size=BATCH,
        )


def _revision_findings(revision: QuestionRevision, lint: Callable[[str], tuple[MarkupFinding, ...]]) -> Iterator[Found]:
    for place, text in _texts(revision):
        for finding in lint(text):
            yield _found(revision, finding.code, f"{place}: {finding.message}: {finding.excerpt}")
    for keyword, meant in mistyped_keywords(revision.keywords).items():
        yield _found(revision, "keyword-mistyped", f'The keyword "{keyword}" was probably meant to be "{meant}".')
    if revision.kind == QuestionRevision.KindChoices.CHOICE and not any(
        option.credit == 1 for option in revision.options.all()
    ):
        yield _found(revision, "no-right-option", "No option has full credit, so nobody can be right.")


def _texts(revision: QuestionRevision) -> Iterator[tuple[str, str]]:
    yield "Stem", revision.stem
    for option in revision.options.all():
        yield f"Option {option.position + 1}", option.text


def _repeated_uuids(revisions: Iterable[QuestionRevision]) -> Iterator[Found]:
    by_uuid: dict[str, list[QuestionRevision]] = defaultdict(list)
    for revision in revisions:
        by_uuid[revision.uuid].append(revision)
    for uuid, sharing in by_uuid.items():
        if uuid and len(sharing) > 1:
            files = " and ".join(revision.source_path for revision in sharing)
            message = f"The uuid {uuid} is used by {files}. Every question is kept; its key identifies it."
            yield from (_found(revision, "uuid-duplicate", message) for revision in sharing)


def _without_topic(benchmark: Benchmark, revisions: Iterable[QuestionRevision]) -> Iterator[Found]:
    if not Grouping.objects.filter(benchmark=benchmark, slug="topic").exists():
        return
    labelled = label_names(benchmark.pk, "topic")
    for revision in revisions:
        if revision.question_id not in labelled:
            yield _found(revision, "topic-missing", "The topics table has no line for this question.")


def _found(revision: QuestionRevision, code: str, message: str) -> Found:
    return Found(revision.source_path, revision.question.key, code, message)
