"""What the survey's commands share: the study they are told to work on."""

from django.core.management.base import CommandError

from survey.models import Study


def study_named(slug: str) -> Study:
    """Return the study of that slug. Raises CommandError with those there are."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise CommandError(f"There is no study “{slug}”. There are: {known}.")
    return study
