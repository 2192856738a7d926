"""The closed study that an imported survey becomes, and the people in it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser

from corpus.models import ActionLog, Benchmark, QuestionSet, QuestionSetRevision
from survey.errors import SurveyError
from survey.importers.types import SurveyPerson
from survey.models import Participant, Study
from survey.profile_words import coarse_years
from survey.selectors.retention import years_are_coarse
from survey.selectors.studies import current_consent
from survey.services.studies import BlockPlan, study_close, study_create

IMPORTED = "survey.imported"
Education = Participant.Education

INTRODUCTION = """These answers were not collected on this site. They were published by the authors of a survey \
together with its questions, and were imported so that they can be read and judged like everybody's."""
CONSENT = """Nobody agreed to anything on this site for these answers. They were published by the authors of the \
survey, with the consent that the people who took part gave to them, under the names given there. The moment stored as \
consent is the moment of the import, because the published data hold none.

Whoever took part in that survey and wants their answers removed here can ask the people who run this site."""
RULES = {
    False: "Answered in the published survey without tools.",
    True: "Answered in the published survey with any tool the person wished to use.",
}
EDUCATION = {
    **dict.fromkeys(("", "none", "n/a"), Education.NONE),
    **dict.fromkeys(("school", "high school", "abitur"), Education.SCHOOL),
    **dict.fromkeys(("bsc", "ba", "bachelor"), Education.BACHELOR),
    **dict.fromkeys(("msc", "ma", "master", "diploma", "diplom"), Education.MASTER),
    **dict.fromkeys(("phd", "doctorate", "dr", "dr."), Education.DOCTORATE),
}


class SurveyImportError(SurveyError):
    """A survey cannot be imported here; the message says what to do."""


def imported_study(
    *, slug: str, benchmark: Benchmark, set_slugs: Mapping[bool, str], actor: AbstractBaseUser | None = None
) -> tuple[Study, bool]:
    """Return the closed study of that slug, and whether this call made it; `set_slugs` by whether tools were allowed.

    Raise SurveyImportError for a study that was made here, and for a set that is not there.
    """
    known = Study.objects.filter(slug=slug).first()
    if known is not None:
        if not ActionLog.objects.filter(
            code=IMPORTED, object_type=Study._meta.label_lower, object_id=known.pk
        ).exists():
            raise SurveyImportError(f"The study {slug} was made here, not imported. Choose another --study.")
        return known, False
    plans = [
        BlockPlan(
            slug="tools" if allowed else "no-tools",
            title="With tools" if allowed else "Without tools",
            rules=RULES[allowed],
            tools_allowed=allowed,
            set_revision=_current(benchmark, set_slugs[allowed]),
        )
        for allowed in (False, True)
    ]
    title = f"{benchmark.name or benchmark.slug}: published survey"
    study = study_create(slug=slug, title=title, introduction=INTRODUCTION, consent_text=CONSENT, blocks=plans)
    study_close(study=study, actor=actor)
    return study, True


def is_imported(study: Study) -> bool:
    """Tell whether a study came from an import."""
    imports = ActionLog.objects.filter(code=IMPORTED, object_type=Study._meta.label_lower)
    return imports.filter(object_id=str(study.pk)).exists()


def _current(benchmark: Benchmark, slug: str) -> QuestionSetRevision:
    question_set = QuestionSet.objects.select_related("current_revision").filter(slug=slug, benchmark=benchmark).first()
    if question_set is None or question_set.current_revision is None:
        known = ", ".join(benchmark.question_sets.values_list("slug", flat=True)) or "none"
        raise SurveyImportError(
            f"{benchmark.slug} has no question set {slug} with questions in it. There are: {known}. Import the bank "
            "with its sets first (import_corpus), or name others with --no-tools-set and --tools-set."
        )
    return question_set.current_revision


def person_import(*, study: Study, person: SurveyPerson, now: datetime) -> tuple[Participant, str]:
    """Store one person under the survey's own pseudonym; return them and what was done: new, changed, or unchanged.

    The survey says when nothing happened: the moments this site needs (consent, profile, practice) are `now`. Once
    retention has rounded years of experience, those known keep theirs and new ones are rounded as well.
    """
    fields = profile_of(person)
    is_coarse = years_are_coarse(study)
    if is_coarse:
        fields["years_experience"] = coarse_years(person.years, minimum=study.minimum_years)
    known = Participant.objects.filter(study=study, pseudonym=person.source_name).first()
    if known is None:
        made = Participant.objects.create(
            study=study,
            pseudonym=person.source_name,
            source_name=person.source_name,
            consent_text=current_consent(study),
            consented_at=now,
            profile_answered_at=now,
            practised_at=now,
            **fields,
        )
        return made, "new"
    if is_coarse:
        del fields["years_experience"]
    if known.withdrawn_at or all(getattr(known, name) == value for name, value in fields.items()):
        return known, "unchanged"
    changed = Participant.objects.filter(pk=known.pk, withdrawn_at__isnull=True).update(**fields)
    known.refresh_from_db()
    return known, "changed" if changed else "unchanged"


def profile_of(person: SurveyPerson) -> dict[str, Any]:
    """Return education and years as this site keeps them; a degree it has no word for is "other"."""
    education = EDUCATION.get(person.education.strip().casefold(), Education.OTHER)
    return {"education": education.value, "years_experience": person.years}
