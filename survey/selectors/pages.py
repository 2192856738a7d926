"""What a question page may show: never a target, a credit or the order of the bank."""

from dataclasses import dataclass

from django.core import signing
from django.template.loader import render_to_string
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.safestring import SafeString, mark_safe

from corpus.markup.html import render_html
from corpus.scoring.types import Kind
from corpus.selectors.targets import asked_of
from survey.models import Assignment, Participant
from survey.selectors.steps import with_turn

PAGE_SALT = "survey.question-page"
PAGE_HOURS = 24
MARK_LENGTH = 32
DRAWING = "molecule-drawing"
FIGURE_END = "</figcaption>"


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """An option on the page. Its letter is its place there and all that the form sends."""

    letter: str
    html: SafeString

    @property
    def has_drawing(self) -> bool:
        """Whether there is a structure to enlarge."""
        return DRAWING in self.html


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

    @property
    def has_drawings(self) -> bool:
        """Whether there is a structure to enlarge anywhere on the page."""
        return DRAWING in self.stem or any(choice.has_drawing for choice in self.choices)


def question_page(assignment: Assignment, *, token: str = "") -> QuestionPage:
    """Return the page of an assignment, its options in the stored order; with a new token unless one is given."""
    revision = assignment.question_revision
    study = assignment.block.study
    asked = asked_of(revision, assignment.option_order)
    return QuestionPage(
        assignment_id=assignment.pk,
        position=assignment.position,
        is_choice=asked.kind is Kind.CHOICE,
        stem=_with_structure_tools(render_html(revision.stem, place="stem")),
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


def _with_structure_tools(html: SafeString) -> SafeString:
    """Put the buttons to enlarge a structure and to copy its SMILES under each drawing of a stem."""
    if DRAWING not in html:
        return html
    tools = render_to_string("survey/_structure_tools.html").strip()
    return mark_safe(html.replace(FIGURE_END, tools + FIGURE_END))  # noqa: S308 - both parts are ours, and escaped


def page_token(assignment: Assignment) -> str:
    """Return a signed note that lets whoever has it answer this one question. It lets nobody in.

    It ends after a day, and when the person makes a new personal link.
    """
    return signing.dumps([assignment.pk, _link_mark(assignment.participant)], salt=PAGE_SALT)


def assignment_of_token(token: str, study_slug: str) -> Assignment | None:
    """Return the assignment a page token was made for, or None for a forged, old or foreign one."""
    assignment_id = _signed_of_token(token)[0]
    named = Assignment.objects.filter(pk=assignment_id, participant__study__slug=study_slug)
    assignment = with_turn(named).first() if assignment_id else None
    return assignment if assignment and is_token_of(token, assignment) else None


def is_token_of(token: str, assignment: Assignment) -> bool:
    """Say whether a page token holds and was made for an assignment, by the personal link of now."""
    assignment_id, mark = _signed_of_token(token)
    return assignment_id == assignment.pk and constant_time_compare(mark, _link_mark(assignment.participant))


def _link_mark(participant: Participant) -> str:
    return salted_hmac(PAGE_SALT, participant.link_secret, algorithm="sha256").hexdigest()[:MARK_LENGTH]


def _signed_of_token(token: str) -> tuple[int, str]:
    """Return the id of the question and the mark of the link that a token was made with; (0, "") for none."""
    try:
        assignment_id, mark = signing.loads(token, salt=PAGE_SALT, max_age=PAGE_HOURS * 3600)
    except (signing.BadSignature, ValueError, TypeError):
        return 0, ""
    return assignment_id, str(mark)
