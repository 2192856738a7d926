"""People on a board: a row for those who answered the whole set, one for those who answered parts of it. Pure."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from leaderboard import statistics
from leaderboard.boards import (
    FEW_QUESTIONS,
    HUMAN,
    INCOMPLETE,
    Columns,
    Estimate,
    PeopleFacts,
    PeopleRule,
    Row,
    Topic,
    counts_of,
    withheld_estimate,
)
from leaderboard.disclosure import has_enough_people
from leaderboard.matrix import COMPLETE, MISSING, PARTIAL, PERSON, RIGHT, Codes, Entrant, Matrix, is_complete
from survey.inclusion_rules import inclusion_text

PEOPLE_SLUG = "human-experts"
PEOPLE_IN_PART_SLUG = "human-experts-in-part"

# A question answered by one person would show that person; two are also what the interval needs.
FEWEST_ANSWERS = 2


@dataclass(frozen=True, slots=True)
class Cohort:
    """The people who count on a set in one way: codes of shape (people, questions), and how many others there are.

    `n_people` answered any of it; `n_finished` count by the rules of their studies; `inclusion` says so in a sentence.
    `participant_ids` are the people's own numbers, in the order of `codes`; they are never shown.
    """

    codes: Codes
    is_demo: bool
    n_people: int
    n_finished: int
    how: str = COMPLETE
    inclusion: str = ""
    participant_ids: tuple[int, ...] = ()

    @property
    def answered(self) -> npt.NDArray[np.bool_]:
        """Return who has answered what, of shape (people, questions)."""
        return np.asarray(self.codes != MISSING)


def cohort_of(matrix: Matrix, *, minimum: int, how: str = COMPLETE) -> Cohort:
    """Return the people who count on this set, with every question of it (`COMPLETE`) or each with some (`PARTIAL`).

    They are everybody whom their study's rule counts, and the same people on every set the study feeds: a study with
    fewer than `minimum` of them does not count at all. Real and made-up people are never counted together.
    """
    people = _of_one_kind(matrix, minimum=minimum)
    studies = _studies(people, minimum=minimum, how=how)
    counted = [(entrant, codes) for entrant, codes in people if _counts(entrant, codes, how=how)]
    counted = [(entrant, codes) for entrant, codes in counted if entrant.study_id in studies]
    empty = np.empty((0, len(matrix.root_ids)), dtype=np.int8)
    return Cohort(
        codes=np.concatenate([empty, *(codes for _, codes in counted)]),
        is_demo=any(entrant.is_demo for entrant, _ in counted),
        n_people=len(people),
        n_finished=sum(entrant.has_finished for entrant, _ in people),
        how=how,
        inclusion=_inclusion(matrix, [entrant for entrant, _ in people if entrant.study_id in studies], how),
        participant_ids=tuple(entrant.id for entrant, _ in counted),
    )


def _of_one_kind(matrix: Matrix, *, minimum: int) -> list[tuple[Entrant, Codes]]:
    """Return the real people, or the made-up ones of a demo where these alone are enough to count."""
    people = [(entrant, codes) for entrant, codes in matrix.blocks() if entrant.type == PERSON]
    real = [(entrant, codes) for entrant, codes in people if not entrant.is_demo]
    made_up = [(entrant, codes) for entrant, codes in people if entrant.is_demo]

    def are_enough(some: list[tuple[Entrant, Codes]]) -> bool:
        return any(_studies(some, minimum=minimum, how=how) for how in (COMPLETE, PARTIAL))

    is_demo = not real or (are_enough(made_up) and not are_enough(real))
    return made_up if is_demo else real


def _studies(people: Iterable[tuple[Entrant, Codes]], *, minimum: int, how: str) -> set[int]:
    """Return the studies of which at least `minimum` people count."""
    sizes = Counter(entrant.study_id for entrant, codes in people if _counts(entrant, codes, how=how))
    return {study_id for study_id, size in sizes.items() if size >= minimum}


def _counts(entrant: Entrant, codes: Codes, *, how: str) -> bool:
    return entrant.counted == how and (how == PARTIAL or is_complete(codes))


def _inclusion(matrix: Matrix, people: Iterable[Entrant], how: str) -> str:
    """Return a sentence for each rule by which people of these studies count, the studies of one rule together."""
    by_rule: dict[str, list[Entrant]] = {}
    for entrant in people:
        by_rule.setdefault(matrix.study_rules.get(entrant.study_id, ""), []).append(entrant)
    return " ".join(
        inclusion_text(
            words=words,
            n_counted=sum(entrant.counted == how for entrant in entrants),
            n_people=len(entrants),
            left_out=Counter(entrant.reason for entrant in entrants if entrant.counted != how),
        )
        for words, entrants in by_rule.items()
    )


def outwards(estimate: Estimate) -> Estimate:
    """Return an estimate of people on a part, or of some of them, with its interval rounded outwards to whole percent.

    Mean and exact interval are the sum and the sum of squares over people, from which best and worst can follow.
    """
    if estimate.bounds is None:
        return estimate
    low, high = estimate.bounds
    return replace(estimate, interval=statistics.Interval(math.floor(low * 100) / 100, math.ceil(high * 100) / 100))


def people_estimate(codes: Codes) -> Estimate:
    """Estimate the mean of people: each person's share of right answers first, then the mean of these over people.

    `codes` has the shape (people, questions); every one of them answered every question.
    """
    people, n = codes.shape
    is_right = codes == RIGHT
    return Estimate(
        n_questions=n,
        n_scored=n,
        outcomes=counts_of(codes),
        accuracy=Fraction(int(np.count_nonzero(is_right)), n * people) if codes.size else None,
        interval=statistics.people_interval(is_right.mean(axis=1)) if codes.size else statistics.NO_INTERVAL,
    )


def partial_estimate(codes: Codes) -> Estimate:
    """Estimate the mean of people who answered different questions: the mean over questions of the mean over people.

    `codes` has the shape (people, questions). Each question counts the same, however many people were asked it. There
    is no accuracy unless every question has answers of two people.
    """
    answered = codes != MISSING
    counts = np.count_nonzero(answered, axis=0)
    estimate = Estimate(codes.shape[1], int(np.count_nonzero(counts)), {}, withheld=INCOMPLETE)
    if not counts.size or counts.min() < FEWEST_ANSWERS:
        return estimate
    rights = np.count_nonzero(codes == RIGHT, axis=0)
    shares = [Fraction(int(right), int(count)) for right, count in zip(rights, counts, strict=True)]
    found = statistics.balanced_estimate(np.where(answered, codes == RIGHT, np.nan))
    return Estimate(
        n_questions=codes.shape[1],
        n_scored=codes.shape[1],
        outcomes=counts_of(codes),
        accuracy=sum(shares, Fraction(0)) / len(shares),
        interval=found.interval,
    )


def people_row(
    cohort: Cohort,
    *,
    rule: PeopleRule,
    columns: Columns,
    topics: Sequence[Topic],
    filtered: bool,
    is_shown: bool = True,
    hidden: Collection[str] = (),
    why_hidden: str = FEW_QUESTIONS,
) -> Row | None:
    """Return the row of people, or None when too few count.

    Best and worst are left out under any filter, for fewer people than the rule asks for, and where people answered
    different questions; on topics and under a filter intervals are rounded (`outwards`). Without `is_shown` there is no
    accuracy, and none on the topics `hidden` (slugs).
    """
    n = len(cohort.codes)
    if n < max(1, rule.minimum_for_mean) or not columns.size:
        return None
    if cohort.how == PARTIAL:
        if not has_enough_people(cohort.answered, minimum=rule.minimum_for_mean):
            return None
        shown = _Shown(is_filtered=filtered, is_shown=is_shown, hidden=hidden, why_hidden=why_hidden)
        return _partial_row(cohort, columns=columns, topics=topics, shown=shown)
    facts = PeopleFacts(n, inclusion=cohort.inclusion)
    if n >= rule.minimum_for_extremes and is_shown and not filtered:
        rights = np.count_nonzero(cohort.codes == RIGHT, axis=1)
        width = cohort.codes.shape[1]
        best, worst = Fraction(int(rights.max()), width), Fraction(int(rights.min()), width)
        facts = PeopleFacts(n, best, worst, inclusion=cohort.inclusion)

    def estimate(part: Columns, part_is_shown: bool) -> Estimate:
        codes = cohort.codes[:, part]
        return people_estimate(codes) if part_is_shown else withheld_estimate(codes, why_hidden)

    whole = estimate(columns, is_shown)

    return Row(
        slug=PEOPLE_SLUG,
        name=f"Human experts (mean of {n})",
        source_name="",
        kind=HUMAN,
        is_demo=cohort.is_demo,
        is_imported=False,
        is_submitted=False,
        repeats=1,
        estimate=outwards(whole) if filtered else whole,
        topics={topic.slug: outwards(estimate(topic.columns, topic.slug not in hidden)) for topic in topics},
        people=facts,
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """What of a row is shown: under a filter, its own accuracy, and topics but the hidden ones."""

    is_filtered: bool
    is_shown: bool
    hidden: Collection[str]
    why_hidden: str


def _partial_row(cohort: Cohort, *, columns: Columns, topics: Sequence[Topic], shown: _Shown) -> Row:
    whole = partial_estimate(cohort.codes)
    is_whole = whole.accuracy is not None

    def estimate(part: Columns, part_is_shown: bool) -> Estimate:
        if is_whole and part_is_shown:
            # Counts beside a mean of means are two sums over few answers: together they could tell one of them.
            return outwards(replace(partial_estimate(cohort.codes[:, part]), outcomes={}))
        n_scored = int(np.count_nonzero(cohort.answered[:, part].any(axis=0)))
        return Estimate(len(part), n_scored, {}, withheld=shown.why_hidden if is_whole else INCOMPLETE)

    n = len(cohort.codes)
    per_question = float(np.median(np.count_nonzero(cohort.answered[:, columns], axis=0)))
    return Row(
        slug=PEOPLE_IN_PART_SLUG,
        name=f"Human experts ({n}, each asked a part)",
        source_name="",
        kind=HUMAN,
        is_demo=cohort.is_demo,
        is_imported=False,
        is_submitted=False,
        repeats=1,
        estimate=estimate(columns, shown.is_shown) if shown.is_filtered or not shown.is_shown else whole,
        topics={topic.slug: estimate(topic.columns, topic.slug not in shown.hidden) for topic in topics},
        people=PeopleFacts(n, inclusion=cohort.inclusion, answers_per_question=per_question),
        is_complete=is_whole,
    )
