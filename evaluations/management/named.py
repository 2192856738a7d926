"""Systems and sets as the commands name them."""

from django.core.management.base import CommandError

from corpus.models import QuestionSet, QuestionSetRevision
from evaluations.models import System


def system_named(slug: str) -> System:
    """Return the system of that slug; refuse another one, saying which there are."""
    system = System.objects.filter(slug=slug).first()
    if system is None:
        known = ", ".join(System.objects.values_list("slug", flat=True)[:30]) or "none yet"
        raise CommandError(f"There is no system {slug!r}. Make it in the admin first. Known: {known}.")
    return system


def set_revision_named(slug: str, number: int | None = None) -> QuestionSetRevision:
    """Return a revision of the set of that slug, without a number its current one; refuse what is not there."""
    question_set = QuestionSet.objects.filter(slug=slug).first()
    if question_set is None or question_set.current_revision_id is None:
        known = ", ".join(QuestionSet.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no question set {slug!r} with questions in it. Known: {known}.")
    revisions = QuestionSetRevision.objects.select_related("question_set__benchmark")
    if number is None:
        return revisions.get(pk=question_set.current_revision_id)
    found = revisions.filter(question_set=question_set, number=number).first()
    if found is None:
        numbers = question_set.revisions.order_by("number").values_list("number", flat=True)
        raise CommandError(
            f"The set {slug!r} has no revision {number}. It has: {', '.join(str(each) for each in numbers)}."
        )
    return found
