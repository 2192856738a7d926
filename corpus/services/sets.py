"""Freeze question sets: a new set revision only when the members, their revisions or their order change."""

from collections.abc import Mapping, Sequence

from corpus.models import (
    Benchmark,
    Question,
    QuestionSet,
    QuestionSetMember,
    QuestionSetRevision,
)
from corpus.services.questions import members_hash
from corpus.services.revisions import BATCH


class SetError(ValueError):
    """A set cannot be made; the message says what to do."""


def sets_refresh(*, benchmark: Benchmark, keys_by_slug: Mapping[str, Sequence[str]]) -> dict[str, bool]:
    """Bring the sets of a benchmark up to date; return {slug: whether it has a new revision}.

    The set named like the benchmark holds every question, by key. `keys_by_slug` says what is in the sets it names
    (keys the bank does not know are left out). Other sets keep their questions and follow their current revisions.
    """
    current = dict(Question.objects.filter(benchmark=benchmark).values_list("key", "current_revision_id"))
    wanted: dict[str, list[int | None]] = {benchmark.slug: [current[key] for key in sorted(current)]}
    for slug, keys in keys_by_slug.items():
        wanted[slug] = [current[key] for key in keys if key in current]
        if not wanted[slug]:
            raise SetError(f"The set {slug} would be empty: the bank knows none of its {len(keys)} keys.")
    for question_set in QuestionSet.objects.filter(benchmark=benchmark).exclude(slug__in=wanted):
        wanted[question_set.slug] = _members_now(question_set)
    return {slug: _set_freeze(benchmark, slug, revision_ids) for slug, revision_ids in wanted.items()}


def set_name(benchmark: Benchmark, slug: str) -> str:
    """Return a name for a new set: `chembench-mini-tools` of ChemBench is `ChemBench mini tools`."""
    if slug == benchmark.slug:
        return benchmark.name
    rest = slug.removeprefix(f"{benchmark.slug}-")
    words = rest.replace("-", " ").replace("no tools", "no-tools")
    return f"{benchmark.name} {words}"[:200] if rest != slug else words[:1].upper() + words[1:]


def _members_now(question_set: QuestionSet) -> list[int | None]:
    members = QuestionSetMember.objects.filter(set_revision_id=question_set.current_revision_id)
    return list(members.order_by("position").values_list("question_revision__question__current_revision_id", flat=True))


def _set_freeze(benchmark: Benchmark, slug: str, revision_ids: Sequence[int | None]) -> bool:
    question_set, _ = QuestionSet.objects.select_related("current_revision").get_or_create(
        slug=slug, defaults={"benchmark": benchmark, "name": set_name(benchmark, slug)}
    )
    if question_set.benchmark_id != benchmark.pk:
        raise SetError(f"The set {slug} belongs to another benchmark. Choose another name.")
    ids = [pk for pk in revision_ids if pk is not None]
    last = question_set.current_revision
    content = members_hash(ids)
    if last is not None and last.content_hash == content:
        return False
    revision = QuestionSetRevision.objects.create(
        question_set=question_set, number=question_set.revisions.count() + 1, content_hash=content
    )
    QuestionSetMember.objects.bulk_create(
        [
            QuestionSetMember(set_revision=revision, question_revision_id=pk, position=position)
            for position, pk in enumerate(ids)
        ],
        batch_size=BATCH,
    )
    question_set.current_revision = revision
    question_set.save(update_fields=["current_revision"])
    return True
