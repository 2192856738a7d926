"""The demo study and its made-up people, whose answers go through the same services as everyone's."""

import json
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import transaction

from corpus.models import Question, QuestionRevision, QuestionSet, QuestionSetRevision
from corpus.scoring.confidence_levels import HIGHEST, LOWEST
from corpus.scoring.types import Kind
from corpus.selectors.targets import target_of
from survey.errors import StudyNotReadyError
from survey.models import Assignment, Participant, Study
from survey.selectors.steps import StepKind, current_step
from survey.selectors.studies import current_consent
from survey.services.assignments import assignment_serve, block_begin
from survey.services.participants import participant_begin, practice_record, profile_record
from survey.services.responses import NO_TOOLS, Given, response_record
from survey.services.studies import BlockPlan, study_create, study_open

DEMO_SLUG = "demo"
TOPIC_GROUPING = "topic"
DEMO_START = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)
DEMO_DAYS = 26
WORKING_MINUTES = 8 * 60
SECONDS_PER_ANSWER = (20, 180)
DEMO_TOOLS = ("calculator", "web search", "database", "book")
WRONG_FACTORS = (Decimal("0.1"), Decimal("0.5"), Decimal("1.3"), Decimal(2), Decimal(10), Decimal(1000))
DO_NOT_KNOW_CHANCE = 0.1

INTRODUCTION = (
    "Twenty short questions from three fields of chemistry, so that you can see how a study here works and how people "
    "compare with language models on the same questions."
)
CONSENT = """This is a demonstration of a study. Taking part is voluntary; you can stop at any time.

What is stored: your answers, when each question was shown and answered and how long you were away from its page (by \
the clock of this server), the tools you say you used, how sure you were, and what you choose to tell about your \
experience. You are known by a made-up name; no name, e-mail address or network address is stored with your answers.

What for: to compare people with language models on the same questions. The public sees averages over several people, \
never your single answers.

Whoever holds your personal link can continue as you. You can withdraw at any time with one button, beside your link: \
your answers are deleted then."""
RULES_WITHOUT_TOOLS = (
    "Answer from what you know. Paper, pencil and a plain calculator are fine; search engines, books, tables and "
    "chemistry software are not."
)
RULES_WITH_TOOLS = (
    "Now you may use what you would use at work: search engines, books, databases, drawing programs, code. Look "
    "things up as long as you like."
)


def demo_study_create() -> Study:
    """Return the open demo study, making it when it is not there.

    Raises StudyNotReadyError when the sets `demo-no-tools` and `demo-tools` have not been imported.
    """
    existing = Study.objects.filter(slug=DEMO_SLUG).first()
    if existing:
        return existing
    blocks = [
        BlockPlan("no-tools", "Without tools", RULES_WITHOUT_TOOLS, False, _current("demo-no-tools")),
        BlockPlan("tools", "With tools", RULES_WITH_TOOLS, True, _current("demo-tools")),
    ]
    with transaction.atomic():
        study = study_create(
            slug=DEMO_SLUG,
            title="Demo study: how much chemistry do you know?",
            introduction=INTRODUCTION,
            consent_text=CONSENT,
            blocks=blocks,
            asks_confidence=True,
            offers_do_not_know=True,
            is_demo=True,
        )
        # Its made-up people took part in the past, so it was there.
        Study.objects.filter(pk=study.pk).update(created_at=DEMO_START)
        study_open(study=study)
    return study


def _current(slug: str) -> QuestionSetRevision:
    question_set = QuestionSet.objects.select_related("current_revision").filter(slug=slug).first()
    if question_set is None or question_set.current_revision is None:
        raise StudyNotReadyError(f"The question set {slug!r} is not there. Import the demo bank first.")
    return question_set.current_revision


def load_demo_people(*, study: Study, people_json: Path) -> int:
    """Make the people of the file and their answers in the study; return how many were made.

    A person's seed decides the order of their questions and every answer, so that each load gives the same. Who is
    there already is left alone.
    """
    described = json.loads(people_json.read_text(encoding="utf-8"))["people"]
    known = set(study.participants.values_list("pseudonym", flat=True))
    missing = [person for person in described if person["label"] not in known]
    topics = _topics_by_question(study) if missing else {}
    for person in missing:
        with transaction.atomic():
            _person_load(study, person, topics)
    return len(missing)


def _topics_by_question(study: Study) -> dict[int, list[str]]:
    topics: dict[int, list[str]] = {}
    pairs = Question.objects.filter(
        revisions__set_revisions__study_blocks__study=study, labels__grouping__slug=TOPIC_GROUPING
    ).values_list("pk", "labels__name")
    for question_id, name in pairs.distinct():
        topics.setdefault(question_id, []).append(name)
    return topics


def _person_load(study: Study, person: Mapping[str, Any], topics: Mapping[int, list[str]]) -> None:
    # Not a secret: the same seed must give the same made-up person.
    generator = random.Random(person["seed"])  # noqa: S311
    now = _begun_at(person["seed"])
    consent = current_consent(study)
    participant = participant_begin(
        study=study,
        consent_text_id=consent.pk if consent else 0,
        link_secret=f"demo-{random.SystemRandom().getrandbits(192):048x}",
        now=now,
        pseudonym=person["label"],
        is_demo=True,
    )
    profile_record(
        participant=participant,
        education=person["education"],
        years_experience=person["years_experience"],
        specialties=person["specialties"],
        now=now,
    )
    practice_record(participant=participant, now=now, generator=generator)
    Participant.objects.filter(pk=participant.pk).update(started_at=now)
    _answers_give(participant, person, topics, generator, now)


def _begun_at(seed: int) -> datetime:
    """Return when a made-up person began: on a day of the weeks after the start of the demo, between nine and five."""
    return DEMO_START + timedelta(days=seed * 5 % DEMO_DAYS, minutes=seed * 89 % WORKING_MINUTES)


def _answers_give(
    participant: Participant,
    person: Mapping[str, Any],
    topics: Mapping[int, list[str]],
    generator: random.Random,
    now: datetime,
) -> None:
    """Answer in order until the person's number of answers in the block is reached."""
    left = dict(person["answered"])
    while (step := current_step(participant)).kind in (StepKind.RULES, StepKind.QUESTION):
        block = step.block
        if block is None or not left.get(block.slug, 0):
            return
        if step.assignment is None:
            block_begin(participant=participant, block_id=block.pk, now=now)
            continue
        assignment_serve(assignment=step.assignment, now=now)
        now += timedelta(seconds=generator.uniform(*SECONDS_PER_ANSWER))
        chance = _chance(person, topics.get(step.assignment.question_revision.question_id, []))
        given = _given(step.assignment, chance, generator)
        response_record(participant=participant, assignment_id=step.assignment.pk, given=given, now=now)
        left[block.slug] -= 1
        participant.refresh_from_db()


def _chance(person: Mapping[str, Any], names: list[str]) -> float:
    chances: dict[str, float] = person["probability_right"]
    known = [chances[name] for name in names if name in chances]
    return sum(known) / len(known) if known else sum(chances.values()) / len(chances)


def _given(assignment: Assignment, chance: float, generator: random.Random) -> Given:
    is_right = generator.random() < chance
    do_not_know = not is_right and generator.random() < DO_NOT_KNOW_CHANCE
    tools = (generator.choice((NO_TOOLS, *DEMO_TOOLS)),) if assignment.block.tools_allowed else ()
    confidence = min(HIGHEST, max(LOWEST, generator.randint(LOWEST, HIGHEST - 1) + is_right))
    if do_not_know:
        return Given(do_not_know=True, tools_used=tools)
    revision = assignment.question_revision
    if revision.kind == Kind.CHOICE:
        chosen = _choice(revision, is_right, generator)
        return Given(option_keys=chosen, tools_used=tools, confidence=confidence)
    typed = _number(revision, is_right, generator)
    return Given(typed_text=typed, tools_used=tools, confidence=confidence)


def _choice(revision: QuestionRevision, is_right: bool, generator: random.Random) -> tuple[str, ...]:
    options = sorted(target_of(revision).options, key=lambda option: option.key)
    right = tuple(option.key for option in options if option.credit == 1)
    if is_right:
        return right
    wrong = [option.key for option in options if option.credit != 1]
    return (generator.choice(wrong),) if wrong else right[:1]


def _number(revision: QuestionRevision, is_right: bool, generator: random.Random) -> str:
    number = target_of(revision).number or Decimal(0)
    if is_right:
        return _written(number, generator)
    if not number:
        return generator.choice(("1", "-1", "10"))
    return _written(number * generator.choice(WRONG_FACTORS), generator)


def _written(number: Decimal, generator: random.Random) -> str:
    """Write a number in one of the ways people do."""
    plain = str(number)
    exponent = number.adjusted()
    mantissa = format(number.scaleb(-exponent), "f")
    scientific = (plain, f"{mantissa} × 10^{exponent}", f"{mantissa}*10^{exponent}", f"{mantissa}e{exponent}")
    return generator.choice(scientific) if abs(exponent) > 3 else plain
