"""Where the questions of a set come from."""

from corpus.models import QuestionSetRevision


def sources_of(*, set_revision: QuestionSetRevision) -> list[int | None]:
    """Return the source (id) of each question of a set revision in its order, None where none is known. One query."""
    members = set_revision.members.order_by("position")
    return list(members.values_list("question_revision__question__source_id", flat=True))
