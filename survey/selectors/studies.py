"""Studies and whether people can take part in them."""

from django.db.models import Count, Q

from corpus.scoring.types import Kind
from survey.models import ConsentText, Study

ANSWERABLE_KINDS = (Kind.CHOICE.value, Kind.NUMBER.value)


def study_by_slug(slug: str) -> Study | None:
    """Return the study, or None when there is none of that name."""
    return Study.objects.filter(slug=slug).first()


def current_consent(study: Study) -> ConsentText | None:
    """Return the consent text to be agreed to now: the newest version."""
    return study.consent_texts.order_by("-version").first()


def study_problems(study: Study) -> list[str]:
    """Return what keeps a study from being opened, as sentences; empty when nothing does."""
    problems = []
    if current_consent(study) is None:
        problems.append("There is no consent text.")
    members = "set_revision__members"
    unanswerable = ~Q(**{f"{members}__question_revision__kind__in": ANSWERABLE_KINDS})
    blocks = study.blocks.annotate(
        n_questions=Count(members, distinct=True),
        n_unanswerable=Count(members, filter=unanswerable, distinct=True),
    )
    if not blocks:
        problems.append("There is no block of questions.")
    for block in blocks:
        if not block.n_questions:
            problems.append(f"The block “{block.title}” has no questions.")
        elif block.n_unanswerable:
            problems.append(
                f"The block “{block.title}” has {block.n_unanswerable} questions that are neither choice nor number."
            )
    return problems
