"""Who of a study counts, by the rules the study declares: the one selector that every page and board asks."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from corpus.scoring.types import Outcome
from survey.inclusion_rules import (
    BlockCounts,
    InclusionRule,
    PersonFacts,
    Reason,
    decide,
    inclusion_text,
    rule_of,
)
from survey.models import Assignment, Participant, ParticipantFlag, Study, StudyBlock

__all__ = ["BlockDesign", "Inclusion", "Inclusions", "Reason", "inclusion_text", "inclusions", "study_inclusion_text"]

NOT_JUDGED = ("", Outcome.ERROR.value)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Whether a person counts, why not, and the blocks whose answers count; `n_answered` without attention checks."""

    participant_id: int
    study_id: int
    counts: bool
    reason: Reason
    block_ids: frozenset[int]
    n_answered: int


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

    Each study's own rule is asked, or the `rule` given: what would it change?

    The rule of scoring plays no part: whoever counts, counts under every one of them. Answers not judged yet matter
    where they are to questions of that benchmark, whose results version follows them. Two queries.
    """
    people, rules, facts = _people(study=study, benchmark_id=benchmark_id)
    blocks = defaultdict(list)
    n_open: Counter[int] = Counter()
    designs = {}
    for row in _block_rows(study=study, benchmark_id=benchmark_id):
        participant_id, block_id = row["participant_id"], row["block_id"]
        counts = BlockCounts(block_id, row["n_given"], row["n_answered"], row["n_unjudged"])
        blocks[participant_id].append(counts)
        n_open[participant_id] += row["n_open"]
        designs[block_id] = _design(row)
    found = {}
    for participant_id, study_id in people:
        theirs = tuple(blocks[participant_id])
        person = PersonFacts(blocks=theirs, n_open=n_open[participant_id], **facts[participant_id])
        decision = decide(person, rule or rules[study_id])
        found[participant_id] = Inclusion(
            participant_id=participant_id,
            study_id=study_id,
            counts=decision.counts,
            reason=decision.reason,
            block_ids=decision.block_ids,
            n_answered=sum(block.n_answered for block in theirs),
        )
    return Inclusions(found, rules, designs)


def _studies(benchmark_id: int) -> QuerySet[StudyBlock, Any]:
    return StudyBlock.objects.filter(set_revision__question_set__benchmark=benchmark_id).order_by().values("study_id")


def _people(
    *, study: Study | None, benchmark_id: int | None
) -> tuple[list[tuple[int, int]], dict[int, InclusionRule], dict[int, dict[str, Any]]]:
    """Return (participant id, study id) pairs, the rules by study, and each person's own facts."""
    flags = ParticipantFlag.objects.filter(participant=OuterRef("pk"))
    participants = Participant.objects.select_related("study").annotate(
        has_flag_left_out=Exists(flags.filter(is_left_out=True)),
        has_flag_not_reviewed=Exists(flags.filter(is_left_out__isnull=True)),
    )
    if study is not None:
        participants = participants.filter(study=study)
    if benchmark_id is not None:
        participants = participants.filter(study__in=_studies(benchmark_id))
    pairs: list[tuple[int, int]] = []
    rules: dict[int, InclusionRule] = {}
    facts: dict[int, dict[str, Any]] = {}
    for person in participants.order_by("pk"):
        pairs.append((person.pk, person.study_id))
        rules.setdefault(person.study_id, rule_of(person.study))
        facts[person.pk] = {
            "has_consented": person.consented_at is not None,
            "has_withdrawn": person.withdrawn_at is not None,
            "years": person.years_experience,
            "has_flag_left_out": person.has_flag_left_out,
            "has_flag_not_reviewed": person.has_flag_not_reviewed,
        }
    return pairs, rules, facts


def _block_rows(*, study: Study | None, benchmark_id: int | None) -> QuerySet[Assignment, Any]:
    """Return each person's counts for each of their blocks."""
    asked = Q(is_attention_check=False)
    unjudged = asked & Q(response__outcome__in=NOT_JUDGED)
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
            n_answered=Count("response", filter=asked),
            n_unjudged=Count("response", filter=unjudged),
            n_open=Count("pk", filter=Q(response__isnull=True)),
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
