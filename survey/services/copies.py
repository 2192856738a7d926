"""Use a study as a template for another."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction

from corpus.services.results import action_log
from survey.errors import StudyNotReadyError
from survey.models import ConsentText, Study, StudyBlock
from survey.services.studies import RESERVED_SLUGS

# What belongs to the one study, and to the people who took part in it.
NOT_COPIED = frozenset(
    {"id", "slug", "title", "status", "n_draws", "closed_at", "created_at", "is_demo", "joins_while_open"}
)

NAMES = ("slug", "title")


def study_copy(*, study: Study, slug: str, title: str, actor: AbstractBaseUser | None = None) -> Study:
    """Return a new draft with the design, the rules, the parts and the newest consent text of a study; no people.

    A copy of a demo study is no demo. Raises ValidationError for names that cannot be or are taken, and
    StudyNotReadyError for a reserved slug.
    """
    if slug in RESERVED_SLUGS:
        raise StudyNotReadyError(f"A study cannot be called {slug!r}: personal links live at that address.")
    fields = [field.attname for field in Study._meta.concrete_fields if field.name not in NOT_COPIED]
    copy = Study(slug=slug, title=title, **{name: getattr(study, name) for name in fields})
    _names_check(copy)
    try:
        with transaction.atomic():
            copy.save()
            _parts_copy(study, copy)
            action_log(code="study.copied", target=copy, actor=actor, detail={"from": study.slug})
    except IntegrityError:
        # Another press of the button was faster.
        _names_check(copy)
        raise
    return copy


def _names_check(copy: Study) -> None:
    """Check the names; the rest was checked once, and cannot be mended where a copy is made."""
    copy.full_clean(exclude=[field.name for field in Study._meta.concrete_fields if field.name not in NAMES])


def _parts_copy(study: Study, copy: Study) -> None:
    StudyBlock.objects.bulk_create(_block_copy(block, copy) for block in study.blocks.all())
    consent = study.consent_texts.order_by("-version").first()
    if consent:
        ConsentText.objects.create(study=copy, version=1, text=consent.text)


def _block_copy(block: StudyBlock, study: Study) -> StudyBlock:
    names = [field.attname for field in StudyBlock._meta.concrete_fields if field.name not in ("id", "study")]
    return StudyBlock(study=study, **{name: getattr(block, name) for name in names})
