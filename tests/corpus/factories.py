"""Saved rows of the question bank for tests of every app. Plain functions; each returns what it saved.

`make_question` gives a `Question` whose `current_revision` is set, `make_set` a `QuestionSet` whose
`current_revision` is set.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import count
from typing import Any

from corpus.models import (
    Benchmark,
    Grouping,
    Label,
    Option,
    Question,
    QuestionRevision,
    QuestionSet,
    QuestionSetMember,
    QuestionSetRevision,
)
from corpus.services.questions import content_hash, members_hash, option_key

_numbers = count(1)
DEFAULT_OPTIONS = (("benzene", 1), ("toluene", 0), ("aniline", 0), ("phenol", 0))


def make_benchmark(*, slug: str = "", name: str = "", **fields: Any) -> Benchmark:
    """Save a benchmark; slug and name are made up where they are not given."""
    slug = slug or f"bench-{next(_numbers)}"
    return Benchmark.objects.create(slug=slug, name=name or slug, **fields)


def make_question(
    benchmark: Benchmark,
    *,
    key: str = "",
    kind: str = "choice",
    stem: str = "Which one is meant?",
    options: Sequence[tuple[str, Any]] | None = None,
    target: str = "",
    **fields: Any,
) -> Question:
    """Save a question with its first revision: four options (the first right), or the target 42, by default.

    `fields` go to the revision (tolerance, unit, keywords, ...). The saved revision is `current_revision`.
    """
    question = Question.objects.create(benchmark=benchmark, key=key or f"folder-file-q{next(_numbers)}")
    make_revision(question, kind=kind, stem=stem, options=options, target=target, **fields)
    return question


def make_questions(benchmark: Benchmark, each: Iterable[Mapping[str, Any]]) -> list[Question]:
    """Save questions as `make_question` does with these fields, in a few queries for all instead of five for each.

    `[{}] * 20` gives twenty questions like any other.
    """
    fields = [dict(own) for own in each]
    questions = Question.objects.bulk_create(
        Question(benchmark=benchmark, key=own.pop("key", "") or f"folder-file-q{next(_numbers)}") for own in fields
    )
    made = [_unsaved_revision(question, number=1, **own) for question, own in zip(questions, fields, strict=True)]
    revisions = QuestionRevision.objects.bulk_create(revision for revision, _ in made)
    Option.objects.bulk_create(option for _, options in made for option in options)
    for question, revision in zip(questions, revisions, strict=True):
        question.current_revision = revision
    Question.objects.bulk_update(questions, ["current_revision"])
    return questions


def make_revision(question: Question, **fields: Any) -> QuestionRevision:
    """Save the next revision of a question, of the fields that `make_question` takes, and make it current."""
    revision, options = _unsaved_revision(question, number=question.revisions.count() + 1, **fields)
    revision.save(force_insert=True)
    Option.objects.bulk_create(options)
    question.current_revision = revision
    question.save(update_fields=["current_revision"])
    return revision


def _unsaved_revision(
    question: Question,
    *,
    number: int,
    kind: str = "choice",
    stem: str = "Which one is meant?",
    options: Sequence[tuple[str, Any]] | None = None,
    target: str = "",
    **fields: Any,
) -> tuple[QuestionRevision, list[Option]]:
    if options is None:
        options = DEFAULT_OPTIONS if kind == "choice" else ()
    if kind == "number":
        target = target or "42"
    credits = [(text, Decimal(str(credit))) for text, credit in options]
    revision = QuestionRevision(
        question=question,
        number=number,
        kind=kind,
        stem=stem,
        target=target,
        content_hash=content_hash(kind=kind, stem=stem, options=credits, target=target),
        **fields,
    )
    return revision, [
        Option(revision=revision, option_key=option_key(text), position=position, text=text, credit=credit)
        for position, (text, credit) in enumerate(credits)
    ]


def make_set(
    benchmark: Benchmark,
    slug: str = "",
    revisions: Iterable[QuestionRevision | Question] = (),
    **fields: Any,
) -> QuestionSet:
    """Save a set with these members in this order; a question stands for its current revision."""
    slug = slug or f"set-{next(_numbers)}"
    question_set = QuestionSet.objects.create(benchmark=benchmark, slug=slug, name=fields.pop("name", slug), **fields)
    make_set_revision(question_set, revisions)
    return question_set


def make_set_revision(
    question_set: QuestionSet, revisions: Iterable[QuestionRevision | Question]
) -> QuestionSetRevision:
    """Save the next revision of a set and make it current."""
    ids = [_revision_id(member) for member in revisions]
    set_revision = QuestionSetRevision.objects.create(
        question_set=question_set, number=question_set.revisions.count() + 1, content_hash=members_hash(ids)
    )
    QuestionSetMember.objects.bulk_create(
        QuestionSetMember(set_revision=set_revision, question_revision_id=pk, position=position)
        for position, pk in enumerate(ids)
    )
    question_set.current_revision = set_revision
    question_set.save(update_fields=["current_revision"])
    return set_revision


def label_question(question: Question, *, grouping: str = "topic", name: str) -> Label:
    """Put a question under a label (for example the topic `Organic Chemistry`), making both where needed."""
    return _label([question], grouping=grouping, name=name)


def label_questions(questions: Sequence[Question], names: Sequence[str], *, grouping: str = "topic") -> None:
    """Put each question under the label of the name at its place, as `label_question` does; none where it is empty."""
    for name in filter(None, dict.fromkeys(names)):
        own = [question for question, wanted in zip(questions, names, strict=True) if wanted == name]
        _label(own, grouping=grouping, name=name)


def _label(questions: Sequence[Question], *, grouping: str, name: str) -> Label:
    group, _ = Grouping.objects.get_or_create(
        benchmark=questions[0].benchmark, slug=grouping, defaults={"name": grouping}
    )
    slug = "-".join(name.lower().replace("/", " ").split())
    label, _ = Label.objects.get_or_create(grouping=group, slug=slug, defaults={"name": name})
    label.questions.add(*questions)
    return label


def _revision_id(member: QuestionRevision | Question) -> int:
    if isinstance(member, QuestionRevision):
        return member.pk
    if member.current_revision_id is None:
        raise ValueError(f"Question {member.key} has no revision.")
    return member.current_revision_id
