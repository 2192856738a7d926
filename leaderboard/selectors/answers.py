"""What systems answered and what the keys are, for exports that staff ask for on purpose. Nothing of people."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from corpus.models import QuestionSetRevision
from evaluations.models import Item

_CHUNK = 500


class Key(NamedTuple):
    """A question of a set revision with its answer key."""

    question_key: str
    question_revision: int
    kind: str
    target: str
    tolerance: str
    unit: str
    options: list[dict[str, Any]]


class Reply(NamedTuple):
    """What a system said to one question once, with the options as it saw them: [letter, option key, text]."""

    slug: str
    is_demo: bool
    question_key: str
    question_revision: int
    repeat: int
    outcome: str
    finish_reason: str
    options_shown: list[Any]
    completion: str


class Asked(NamedTuple):
    """A question of a set revision: what names it, and the root its answers are known by."""

    question_key: str
    question_revision: int
    root_id: int


def asked_of(*, set_revision: QuestionSetRevision) -> list[Asked]:
    """Return the questions of a set revision in its order."""
    members = set_revision.members.order_by("position").select_related("question_revision__question")
    revisions = (member.question_revision for member in members)
    return [Asked(revision.question.key, revision.number, revision.root_id) for revision in revisions]


def keys_of(*, set_revision: QuestionSetRevision) -> list[Key]:
    """Return the answer keys of a set revision in its order."""
    members = set_revision.members.order_by("position").select_related("question_revision__question")
    members = members.prefetch_related("question_revision__options")
    return [
        Key(
            question_key=revision.question.key,
            question_revision=revision.number,
            kind=revision.kind,
            target=revision.target,
            tolerance=revision.tolerance,
            unit=revision.unit,
            options=[{"text": option.text, "credit": float(option.credit)} for option in revision.options.all()],
        )
        for revision in (member.question_revision for member in members)
    ]


def replies_of(
    *, run_ids: Collection[str], asked: Collection[Asked], outcomes: dict[tuple[str, int, int], str]
) -> Iterator[Reply]:
    """Yield what these runs answered to these questions, by system, place in the run and repeat.

    `outcomes` are the verdicts by run, root of the question and repeat; a reply without one is left out.
    """
    names = {each.root_id: each for each in asked}
    items = (
        Item.objects.filter(run_id__in=run_ids, status=Item.Status.ANSWERED)
        .select_related("run__system", "question_revision", "key_revision")
        .only(
            "run__system__slug",
            "run__system__is_demo",
            "question_revision__comparison_root",
            "key_revision__comparison_root",
            "repeat",
            "finish_reason",
            "options_shown",
            "completion",
        )
        .order_by("run__system__slug", "position", "repeat", "pk")
    )
    for item in items.iterator(chunk_size=_CHUNK):
        root_id = (item.key_revision or item.question_revision).root_id
        outcome = outcomes.get((str(item.run_id), root_id, item.repeat), "")
        if outcome:
            yield Reply(
                slug=item.run.system.slug,
                is_demo=item.run.system.is_demo,
                question_key=names[root_id].question_key,
                question_revision=names[root_id].question_revision,
                repeat=item.repeat,
                outcome=outcome,
                finish_reason=item.finish_reason,
                options_shown=item.options_shown,
                completion=item.completion,
            )
