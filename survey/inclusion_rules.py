"""Who of a study counts and why others do not, decided from counts; and how that is said. Pure.

This is the one place where it is decided. `survey.selectors.inclusion` reads what it is decided from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from survey.models.studies import Study

Completion = Study.Completion

# A reason that only this many people or fewer have is not named in public: it would be said of one person.
SINGLED_OUT = 1


class Reason(StrEnum):
    """Why somebody does not count; `NONE` for those who do."""

    NONE = ""
    WITHDRAWN = "withdrawn"
    NO_CONSENT = "no_consent"
    NOT_FINISHED = "not_finished"
    TOO_LITTLE_EXPERIENCE = "too_little_experience"
    UNKNOWN_EXPERIENCE = "unknown_experience"
    FLAGGED_LEFT_OUT = "flagged_left_out"
    FLAGGED_NOT_REVIEWED = "flagged_not_reviewed"
    UNJUDGED = "unjudged"
    WAITING = "waiting"


REASON_WORDS: Mapping[Reason, str] = {
    Reason.WITHDRAWN: "withdrawn",
    Reason.NO_CONSENT: "without consent",
    Reason.NOT_FINISHED: "not finished",
    Reason.TOO_LITTLE_EXPERIENCE: "too little experience",
    Reason.UNKNOWN_EXPERIENCE: "experience not said",
    Reason.FLAGGED_LEFT_OUT: "left out after review",
    Reason.FLAGGED_NOT_REVIEWED: "waiting for review",
    Reason.UNJUDGED: "with an answer that is not judged yet",
    Reason.WAITING: "waiting, since the study is still running",
}

COMPLETION_WORDS: Mapping[str, str] = {
    Completion.STUDY: "all questions answered",
    Completion.BLOCK: "a whole part answered, of which only that part counts",
    Completion.ANY: "counted with whatever they answered",
}


@dataclass(frozen=True, slots=True)
class InclusionRule:
    """What a study asks of the people who count; `minimum_years` None for everybody."""

    completion: str = Completion.STUDY
    minimum_years: int | None = None
    counts_unknown_experience: bool = True

    @property
    def words(self) -> str:
        """The rule in words, without a full stop."""
        completion = COMPLETION_WORDS[self.completion]
        if not self.minimum_years:
            return completion
        years = f"at least {self.minimum_years} year{'' if self.minimum_years == 1 else 's'} of experience"
        return f"{years}{' or not said' if self.counts_unknown_experience else ''}, {completion}"


# The fields of a study that hold its rule.
RULE_FIELDS = ("completion_rule", "minimum_years", "counts_unknown_experience")


def rule_of(study: Study) -> InclusionRule:
    """Return the rule a study declares."""
    return InclusionRule(study.completion_rule, study.minimum_years, study.counts_unknown_experience)


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """A person's questions of one block, attention checks apart: given, answered, and answered but not judged."""

    block_id: int
    n_given: int
    n_answered: int
    n_unjudged: int = 0


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """What is looked at to say whether somebody counts.

    `n_open` counts everything given to them that has no answer, attention checks included. `is_running` where the study
    is open and they are a real person in it; `has_finished` where their end was noted; `has_joined` where they came
    into public results with a whole group.
    """

    blocks: tuple[BlockCounts, ...] = ()
    n_open: int = 0
    has_consented: bool = True
    has_withdrawn: bool = False
    years: int | None = None
    has_flag_left_out: bool = False
    has_flag_not_reviewed: bool = False
    is_running: bool = False
    has_finished: bool = True
    has_joined: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether everything given to them has an answer, and their end was noted."""
        return self.has_finished and not self.n_open


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether somebody counts, and the blocks whose answers do."""

    reason: Reason
    block_ids: frozenset[int] = frozenset()

    @property
    def counts(self) -> bool:
        """Whether there is no reason against it."""
        return self.reason is Reason.NONE


def decide(person: PersonFacts, rule: InclusionRule) -> Decision:
    """Say whether a person counts under a rule; where several reasons hold, the first in the order of `Reason`.

    While the study runs, nobody counts before their end whatever the rule, and nobody until they joined with a group:
    otherwise a board before and after would tell single answers, or the result of one person.
    """
    answered = _answered_blocks(person, rule.completion)
    judged = frozenset(block.block_id for block in answered if _is_judged(block, rule.completion))
    if rule.completion == Completion.STUDY and len(judged) < len(answered):
        judged = frozenset()
    found = (
        (person.has_withdrawn, Reason.WITHDRAWN),
        (not person.has_consented, Reason.NO_CONSENT),
        (not answered or (person.is_running and not person.has_ended), Reason.NOT_FINISHED),
        *_experience(person.years, rule),
        (person.has_flag_left_out, Reason.FLAGGED_LEFT_OUT),
        (person.has_flag_not_reviewed, Reason.FLAGGED_NOT_REVIEWED),
        (not judged, Reason.UNJUDGED),
        (person.is_running and not person.has_joined, Reason.WAITING),
    )
    reason = next((reason for holds, reason in found if holds), Reason.NONE)
    return Decision(reason, judged if reason is Reason.NONE else frozenset())


def whole_groups(waiting: Sequence[int], *, size: int) -> Sequence[int]:
    """Return those of the waiting, in their order, who fill groups of `size`; the others go on waiting."""
    return waiting[: len(waiting) // size * size]


def _answered_blocks(person: PersonFacts, completion: str) -> list[BlockCounts]:
    """Return the blocks that are answered as the rule asks; none where it asks for all and one is not."""
    given = [block for block in person.blocks if block.n_given]
    if completion == Completion.ANY:
        return [block for block in given if block.n_answered]
    if completion == Completion.STUDY and person.n_open:
        return []
    return [block for block in given if block.n_answered == block.n_given]


def _is_judged(block: BlockCounts, completion: str) -> bool:
    return block.n_unjudged < block.n_answered if completion == Completion.ANY else not block.n_unjudged


def _experience(years: int | None, rule: InclusionRule) -> tuple[tuple[bool, Reason], tuple[bool, Reason]]:
    minimum = rule.minimum_years or 0
    return (
        (years is not None and years < minimum, Reason.TOO_LITTLE_EXPERIENCE),
        (years is None and minimum > 0 and not rule.counts_unknown_experience, Reason.UNKNOWN_EXPERIENCE),
    )


def inclusion_text(*, words: str, n_counted: int, n_people: int, left_out: Mapping[str, int] | None = None) -> str:
    """Return one sentence: how many of how many count, by which rule, and why the others do not.

    It may be shown in public: a reason that only one person has is not named, and `left_out` (people by `Reason`) is
    to be given only where the mean of those who count is shown as well. Without it no reason is named.
    """
    people = "person" if n_people == 1 else "people"
    text = f"{n_counted} of {n_people} {people} count{'s' if n_counted == 1 else ''}: {words}"
    reasons = _reasons(left_out or {})
    return f"{text}; {', '.join(reasons)}." if reasons else f"{text}."


def _reasons(left_out: Mapping[str, int]) -> list[str]:
    named = [(n, REASON_WORDS[Reason(code)]) for code, n in left_out.items() if code and n > SINGLED_OUT]
    others = sum(n for code, n in left_out.items() if code and n <= SINGLED_OUT)
    texts = [f"{n} {words}" for n, words in sorted(named, key=lambda pair: (-pair[0], pair[1]))]
    if others:
        texts.append(f"{others} for {'another reason' if others == 1 else 'other reasons'}")
    return texts
