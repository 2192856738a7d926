"""Who of a study counts, by the rules the study declares: the one selector that every page and board asks."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from corpus.scoring.types import Outcome
from survey.inclusion_rules import (
    BlockCounts,
    Decision,
    InclusionRule,
    PersonFacts,
    Reason,
    decide,
    inclusion_text,
    rule_of,
    whole_groups,
)
from survey.models import Assignment, Participant, ParticipantFlag, Study, StudyBlock

__all__ = [
    "BlockDesign",
    "Inclusion",
    "Inclusions",
    "Reason",
    "in_time",
    "inclusion_text",
    "inclusions",
    "is_running",
    "people_to_join",
    "people_under_way",
    "study_inclusion_text",
]

NOT_JUDGED = ("", Outcome.ERROR.value)


def in_time(prefix: str = "") -> Q:
    """Return the condition that an answer was given before its study closed; `prefix` leads from the row to it.

    The question shown as a study closes still takes its answer, which is kept, and counts should the study be opened
    again; on the boards of a closed study each would be told apart from what was there before.
    """
    answered, closed = f"{prefix}answered_at", f"{prefix}assignment__participant__study__closed_at"
    return Q(**{f"{closed}__isnull": True}) | Q(**{f"{answered}__isnull": True}) | Q(**{f"{answered}__lte": F(closed)})


def _is_open() -> Q:
    """Return the condition that a question given has no answer, or one given after its study closed."""
    return Q(response__isnull=True) | ~in_time("response__")


def people_under_way() -> QuerySet[Participant]:
    """Return who is under way, as `Inclusion.is_under_way` says it of each: they belong on no board, whatever the rule.

    For a selector that asks it of rows in the same query.
    """
    is_made_up = Q(is_demo=True, study__is_demo=True)
    given = Assignment.objects.filter(_is_open(), participant=OuterRef("pk"))
    return Participant.objects.filter(
        ~is_made_up, Q(finished_at__isnull=True) | Exists(given), study__status=Study.Status.OPEN
    ).order_by()


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Whether a person counts, why not, and the blocks whose answers count; `n_answered` without attention checks.

    `is_under_way` of somebody who has not come to their end while their study is open: no public page is about them.
    """

    participant_id: int
    study_id: int
    counts: bool
    reason: Reason
    block_ids: frozenset[int]
    n_answered: int
    is_under_way: bool = False


@dataclass(frozen=True, slots=True)
class BlockDesign:
    """How a block is given: `is_partial` where people who count have answered different questions of it."""

    block_id: int
    study_id: int
    set_revision_id: int
    is_partial: bool


@dataclass(frozen=True, slots=True)
class Inclusions:
    """Everybody of some studies with whether they count, the rules by study, and the blocks people were given."""

    people: dict[int, Inclusion]
    rules: dict[int, InclusionRule]
    blocks: dict[int, BlockDesign]


def inclusions(
    *, study: Study | None = None, benchmark_id: int | None = None, rule: InclusionRule | None = None
) -> Inclusions:
    """Return who counts of one study, or of every study that asks questions of a benchmark, by participant id.

    Each study's own rule is asked, or the `rule` given: who would count once it is the study's?

    The rule of scoring plays no part: whoever counts, counts under every one of them. Answers not judged yet matter
    where they are to questions of that benchmark, whose results version follows them. Two queries.
    """
    read = _read(study=study, benchmark_id=benchmark_id)
    decisions = {
        person_id: decide(person.facts, rule or read.rules[person.study_id])
        for person_id, person in read.people.items()
    }
    if rule is not None:
        decisions |= {person_id: _joined(read.people[person_id], rule) for person_id in _joining(read, decisions)}
    found = {
        person_id: Inclusion(
            participant_id=person_id,
            study_id=person.study_id,
            counts=decisions[person_id].counts,
            reason=decisions[person_id].reason,
            block_ids=decisions[person_id].block_ids,
            n_answered=sum(block.n_answered for block in person.facts.blocks),
            is_under_way=person.facts.is_running and not person.facts.has_ended,
        )
        for person_id, person in read.people.items()
    }
    return Inclusions(found, read.rules, read.designs)


def people_to_join(*, study: Study) -> list[int]:
    """Return the participants who are to be stored as part of public results, in the order of their finish.

    While a study is open, these are the whole groups among those who would count and wait, and nobody unless the study
    lets people in (`joins_while_open`): one reader can be a whole group. Of a closed study it is
    everybody who counts and has ended: should it be opened again, they go on counting.
    """
    read = _read(study=study, benchmark_id=None)
    decisions = {person_id: decide(person.facts, read.rules[study.pk]) for person_id, person in read.people.items()}
    if study.status == Study.Status.OPEN:
        return _joining(read, decisions)
    ended = {person_id: person for person_id, person in read.people.items() if person.facts.has_ended}
    return [person_id for person_id, person in ended.items() if decisions[person_id].counts and not person.has_joined]


class _Person(NamedTuple):
    """A person as read: what is decided from, where in the order of finish, whether their study lets people in."""

    study_id: int
    facts: PersonFacts
    finished_at: datetime | None
    may_join: bool

    @property
    def has_joined(self) -> bool:
        return self.facts.has_joined


class _Read(NamedTuple):
    """What is read of some studies, people by id."""

    people: dict[int, _Person]
    rules: dict[int, InclusionRule]
    designs: dict[int, BlockDesign]


def _joining(read: _Read, decisions: Mapping[int, Decision]) -> list[int]:
    """Return those who wait and fill whole groups of a study that lets them in, in the order of their finish."""
    waiting: dict[int, list[int]] = defaultdict(list)
    last = datetime.max.replace(tzinfo=UTC)
    for person_id, person in sorted(read.people.items(), key=lambda row: (row[1].finished_at or last, row[0])):
        if person.may_join and decisions[person_id].reason is Reason.WAITING:
            waiting[person.study_id].append(person_id)
    size = max(1, int(settings.PEOPLE_MINIMUM_FOR_MEAN))
    return [person_id for group in waiting.values() for person_id in whole_groups(group, size=size)]


def _joined(person: _Person, rule: InclusionRule) -> Decision:
    return decide(replace(person.facts, has_joined=True), rule)


def _read(*, study: Study | None, benchmark_id: int | None) -> _Read:
    people, rules = _people(study=study, benchmark_id=benchmark_id)
    blocks = defaultdict(list)
    n_open: Counter[int] = Counter()
    designs = {}
    for row in _block_rows(study=study, benchmark_id=benchmark_id):
        participant_id, block_id = row["participant_id"], row["block_id"]
        counts = BlockCounts(block_id, row["n_given"], row["n_answered"], row["n_unjudged"])
        blocks[participant_id].append(counts)
        n_open[participant_id] += row["n_open"]
        designs[block_id] = _design(row)
    found = {
        person_id: person._replace(
            facts=replace(person.facts, blocks=tuple(blocks[person_id]), n_open=n_open[person_id])
        )
        for person_id, person in people.items()
    }
    return _Read(found, rules, designs)


def _studies(benchmark_id: int) -> QuerySet[StudyBlock, Any]:
    return StudyBlock.objects.filter(set_revision__question_set__benchmark=benchmark_id).order_by().values("study_id")


def _people(*, study: Study | None, benchmark_id: int | None) -> tuple[dict[int, _Person], dict[int, InclusionRule]]:
    """Return people without what they answered, and the rules by study."""
    flags = ParticipantFlag.objects.filter(participant=OuterRef("pk"))
    participants = Participant.objects.select_related("study").annotate(
        has_flag_left_out=Exists(flags.filter(is_left_out=True)),
        has_flag_not_reviewed=Exists(flags.filter(is_left_out__isnull=True)),
    )
    if study is not None:
        participants = participants.filter(study=study)
    if benchmark_id is not None:
        participants = participants.filter(study__in=_studies(benchmark_id))
    people: dict[int, _Person] = {}
    rules: dict[int, InclusionRule] = {}
    for person in participants.order_by("pk"):
        rules.setdefault(person.study_id, rule_of(person.study))
        facts = PersonFacts(
            has_consented=person.consented_at is not None,
            has_withdrawn=person.withdrawn_at is not None,
            years=person.years_experience,
            has_flag_left_out=person.has_flag_left_out,
            has_flag_not_reviewed=person.has_flag_not_reviewed,
            is_running=is_running(person),
            has_finished=person.finished_at is not None,
            has_joined=person.counts_since is not None,
        )
        people[person.pk] = _Person(person.study_id, facts, person.finished_at, person.study.joins_while_open)
    return people, rules


def is_running(person: Participant) -> bool:
    """Say whether somebody is a real person in an open study; the made-up ones of a demo study are nobody."""
    is_made_up = person.is_demo and person.study.is_demo
    return person.study.status == Study.Status.OPEN and not is_made_up


def _block_rows(*, study: Study | None, benchmark_id: int | None) -> QuerySet[Assignment, Any]:
    """Return each person's counts for each of their blocks."""
    asked = Q(is_attention_check=False)
    unjudged = asked & in_time("response__") & Q(response__outcome__in=NOT_JUDGED)
    assignments = Assignment.objects.all()
    if study is not None:
        assignments = assignments.filter(participant__study=study)
    if benchmark_id is not None:
        assignments = assignments.filter(participant__study__in=_studies(benchmark_id))
        unjudged &= Q(question_revision__question__benchmark=benchmark_id)
    return (
        assignments.order_by()
        .values(
            "participant_id",
            "block_id",
            "block__study_id",
            "block__study__completion_rule",
            "block__set_revision_id",
            "block__questions_per_person",
        )
        .annotate(
            n_given=Count("pk", filter=asked),
            n_answered=Count("response", filter=asked & in_time("response__")),
            n_unjudged=Count("response", filter=unjudged),
            n_open=Count("pk", filter=_is_open()),
        )
    )


def _design(row: dict[str, Any]) -> BlockDesign:
    is_share = row["block__questions_per_person"] is not None
    return BlockDesign(
        block_id=row["block_id"],
        study_id=row["block__study_id"],
        set_revision_id=row["block__set_revision_id"],
        is_partial=is_share or row["block__study__completion_rule"] == Study.Completion.ANY,
    )


def study_inclusion_text(*, study: Study, found: Inclusions | None = None) -> str:
    """Return the sentence about a whole study for its staff pages; not for the public, which sees boards.

    Everybody who gave an answer is counted; who took their answers back, or never gave one, is not among them. What
    holds of a single person is in `inclusions`.
    """
    found = found or inclusions(study=study)
    people = [person for person in found.people.values() if person.n_answered]
    left_out = Counter(person.reason.value for person in people if not person.counts)
    return inclusion_text(
        words=rule_of(study).words,
        n_counted=sum(person.counts for person in people),
        n_people=len(people),
        left_out=left_out,
    )
