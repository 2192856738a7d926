"""Systems, sets and runs as the commands name them."""

from uuid import UUID

from django.core.management.base import CommandError

from corpus.models import QuestionSet, QuestionSetRevision
from evaluations.models import Run, System
from evaluations.providers import IMPORTED
from evaluations.services.systems import MADE_ON_FIRST_USE


def system_named(slug: str, *, makes_baselines: bool = False) -> System:
    """Return the system of that slug; refuse another one, saying which there are.

    With `makes_baselines` it is one to ask: a baseline is made on first use, and imported ones are not offered.
    """
    if makes_baselines and slug in MADE_ON_FIRST_USE:
        return MADE_ON_FIRST_USE[slug]()
    system = System.objects.filter(slug=slug).first()
    if system is None:
        offered = System.objects.exclude(provider=IMPORTED) if makes_baselines else System.objects.all()
        known = ", ".join(offered.values_list("slug", flat=True)[:30]) or "none yet"
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


def run_named(run_id: UUID) -> Run:
    """Return the run of that id; refuse another one."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise CommandError(f"There is no run {run_id}.")
    return run
