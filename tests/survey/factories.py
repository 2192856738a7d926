"""Studies, participants and answers for tests; each is made through the real services."""

from itertools import count
from typing import Any

from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from corpus.models import Benchmark
from survey.models import Assignment, Participant, Study
from survey.selectors.steps import StepKind, current_step
from survey.selectors.studies import current_consent
from survey.services import (
    BlockPlan,
    Given,
    Recorded,
    assignment_serve,
    block_begin,
    participant_begin,
    practice_record,
    profile_record,
    response_record,
    study_create,
    study_open,
)
from tests.corpus.factories import make_benchmark, make_questions, make_set

_numbers = count(1)
CHOICE: dict[str, Any] = {
    "stem": "Which one is meant?",
    "options": [("first wrong one", 0), ("the keyed one", 1), ("second wrong one", 0), ("None of the above", 0)],
}
WITH_NUMBER: dict[str, Any] = {"kind": "number", "stem": "How much?", "target": "4.15E-21"}


def make_study(*, n_choice: int = 3, n_number: int = 1, n_tools: int = 1, opened: bool = True, **fields: Any) -> Study:
    """Make a study with a block without tools and one with tools; a block without questions is left out.

    Unlike a new study, it lets groups of people into public results while it is open.
    """
    benchmark = make_benchmark()
    number = next(_numbers)
    without = make_questions(benchmark, [CHOICE] * n_choice + [WITH_NUMBER] * n_number)
    plans = []
    if without:
        plans.append(_plan(benchmark, "no-tools", without, tools_allowed=False))
    if n_tools:
        plans.append(_plan(benchmark, "tools", make_questions(benchmark, [CHOICE] * n_tools), tools_allowed=True))
    lets_in = fields.pop("joins_while_open", True)
    study = study_create(
        slug=fields.pop("slug", f"study-{number}"),
        title=f"Study {number}",
        consent_text="You may stop at any time.",
        blocks=plans,
        **fields,
    )
    study.joins_while_open = lets_in
    study.save(update_fields=["joins_while_open"])
    if opened:
        study_open(study=study)
    return study


def _plan(benchmark: Benchmark, slug: str, questions: list[Any], *, tools_allowed: bool) -> BlockPlan:
    question_set = make_set(benchmark, revisions=questions)
    return BlockPlan(slug, slug.title(), f"Rules of {slug}.", tools_allowed, question_set.current_revision)


def make_participant(study: Study, *, practised: bool = True, **fields: Any) -> Participant:
    """Make someone who agreed and, unless told otherwise, has done the profile and the practice."""
    consent = current_consent(study)
    secret = fields.pop("link_secret", f"secret-{next(_numbers)}")
    participant = participant_begin(study=study, consent_text_id=consent.pk, link_secret=secret, **fields)
    if practised:
        profile_record(participant=participant)
        practice_record(participant=participant)
    return participant


def go_to_question(participant: Participant) -> Assignment:
    """Accept rules where they come next, and return the question the person is at, served."""
    step = current_step(participant)
    if step.kind is StepKind.RULES:
        block_begin(participant=participant, block_id=step.block.pk)
        step = current_step(participant)
    assignment_serve(assignment=step.assignment)
    return step.assignment


def right_given(assignment: Assignment) -> Given:
    """Return the right answer to a question of these factories."""
    revision = assignment.question_revision
    tools = ("none",) if assignment.block.tools_allowed else ()
    if revision.kind == "number":
        return Given(typed_text="4.15 × 10^-21", tools_used=tools, confidence=3)
    right = [option.option_key for option in revision.options.all() if option.credit == 1]
    return Given(option_keys=tuple(right), tools_used=tools, confidence=3)


def answer_next(participant: Participant, given: Given | None = None) -> Recorded:
    """Answer the question a person is at; rightly, unless told otherwise."""
    assignment = go_to_question(participant)
    given = given or right_given(assignment)
    recorded = response_record(participant=participant, assignment_id=assignment.pk, given=given)
    participant.refresh_from_db()
    return recorded


def client_of(participant: Participant, **options: Any) -> Client:
    """Return a browser that has opened the person's personal link."""
    client = Client(**options)
    client.get(reverse("survey:resume", args=[participant.link_secret]))
    return client


def staff_client(*permissions: str) -> Client:
    """Return a browser in which a staff member with these permissions of the survey has signed in."""
    user = User.objects.create_user(f"staff-{next(_numbers)}", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="survey", codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def question_url(assignment: Assignment) -> str:
    """Return the address of a question page."""
    return reverse("survey:question", args=[assignment.participant.study.slug, assignment.position])


def post_data(assignment: Assignment, **fields: Any) -> dict[str, Any]:
    """Return what a browser sends from a question page: the first option, or a number that was confirmed."""
    data: dict[str, Any] = {"assignment": str(assignment.pk)}
    if assignment.question_revision.kind == "number":
        data |= {"typed_text": "4.15e-21", "read_back": "4.15E-21"}
    else:
        data["choice"] = ["A"]
    if assignment.block.tools_allowed:
        data["tools"] = ["none"]
    return data | fields
