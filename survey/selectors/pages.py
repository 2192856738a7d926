"""What a question page may show: never a target, a credit or the order of the bank."""

from dataclasses import dataclass

from django.core import signing
from django.utils.safestring import SafeString

from corpus.markup.html import render_html
from corpus.scoring.types import Kind
from corpus.selectors.targets import asked_of
from survey.models import Assignment

PAGE_SALT = "survey.question-page"
PAGE_HOURS = 24


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """An option on the page. Its letter is its place there and all that the form sends."""

    letter: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """A question as one person sees it. With its `token` the answer to it can be stored when the session has ended."""

    assignment_id: int
    position: int
    is_choice: bool
    stem: SafeString
    unit: str
    choices: tuple[ShownChoice, ...]
    option_keys: dict[str, str]
    block_title: str
    rules: str
    tools_allowed: bool
    asks_confidence: bool
    offers_do_not_know: bool
    token: str


def question_page(assignment: Assignment, *, token: str = "") -> QuestionPage:
    """Return the page of an assignment, its options in the stored order; with a new token unless one is given."""
    revision = assignment.question_revision
    study = assignment.block.study
    asked = asked_of(revision, assignment.option_order)
    return QuestionPage(
        assignment_id=assignment.pk,
        position=assignment.position,
        is_choice=asked.kind is Kind.CHOICE,
        stem=render_html(revision.stem, place="stem"),
        unit=asked.unit,
        choices=tuple(
            ShownChoice(shown.letter, render_html(shown.text, place=f"option-{shown.letter}", inline=True))
            for shown in asked.shown
        ),
        option_keys={shown.letter: shown.key for shown in asked.shown},
        block_title=assignment.block.title,
        rules=assignment.block.rules,
        tools_allowed=assignment.block.tools_allowed,
        asks_confidence=study.asks_confidence,
        offers_do_not_know=study.offers_do_not_know,
        token=token or page_token(assignment),
    )


def page_token(assignment: Assignment) -> str:
    """Return a signed note that lets whoever has it answer this one question, for a day. It lets nobody in."""
    return signing.dumps([assignment.participant_id, assignment.pk], salt=PAGE_SALT)


def assignment_of_token(token: str, study_slug: str) -> Assignment | None:
    """Return the assignment a page token was made for, or None for a forged, old or foreign one."""
    try:
        participant_id, assignment_id = signing.loads(token, salt=PAGE_SALT, max_age=PAGE_HOURS * 3600)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return (
        Assignment.objects.select_related("participant__study", "block__study", "question_revision")
        .filter(pk=assignment_id, participant_id=participant_id, participant__study__slug=study_slug)
        .first()
    )
