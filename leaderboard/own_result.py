"""A person's own result by topic, beside the public figures of models and other people on the same sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpus.markup.text import render_plain
from corpus.models import QuestionSet
from corpus.scoring.rules import resolve_rule
from corpus.scoring.types import Outcome
from leaderboard.boards import HUMAN, Estimate, Row
from leaderboard.own_shares import GroupShare, OwnGroup, OwnShare, OwnShares, exact_shares, protected_shares
from leaderboard.queries import Board, BoardQuery, load_board
from leaderboard.selectors.boards import public_sets, topics_of
from leaderboard.selectors.inputs import columns_of
from survey.models import Participant
from survey.selectors.own_answers import OwnAnswer, own_answers
from survey.selectors.own_data import verdicts_are_public

MOST_SYSTEMS = 3
GROUPING = "topic"
NO_VERDICT = ("", Outcome.ERROR.value)


@dataclass(frozen=True, slots=True)
class OwnLine:
    """One line of the table: a topic or everything, the person's share, and the estimates of others in their order."""

    name: str
    share: OwnShare
    others: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class OwnSection:
    """A person's answers to the questions of one set, beside the rows of its board; no board where no set has them."""

    question_set: QuestionSet | None
    n_answers: int
    lines: tuple[OwnLine, ...]
    total: OwnLine | None
    others: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class OwnVerdict:
    """How one question ended for the person, where that is public."""

    position: int
    question: str
    outcome: str


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A person's result. `is_exact` where every verdict may be seen; only then there are `verdicts`."""

    sections: tuple[OwnSection, ...]
    n_unjudged: int
    is_exact: bool
    verdicts: tuple[OwnVerdict, ...]


def own_result(participant: Participant) -> OwnResult:
    """Return the result of somebody who may see it (`survey.selectors.own_answers.may_see_result`).

    Attention checks and answers without a verdict are not in it.
    """
    answers = own_answers(participant)
    judged = [answer for answer in answers if answer.outcome not in NO_VERDICT]
    is_exact = verdicts_are_public(participant.study)
    return OwnResult(
        sections=tuple(_section(found, part, is_exact=is_exact) for found, part in _by_set(judged)),
        n_unjudged=len(answers) - len(judged),
        is_exact=is_exact,
        verdicts=tuple(_verdict(answer) for answer in answers) if is_exact else (),
    )


def _verdict(answer: OwnAnswer) -> OwnVerdict:
    return OwnVerdict(answer.position, render_plain(answer.stem), (answer.outcome or "not judged").replace("_", " "))


def _by_set(answers: Sequence[OwnAnswer]) -> list[tuple[QuestionSet | None, list[OwnAnswer]]]:
    """Divide answers among as few sets as it takes, each time the set with most of those left, the smallest of such.

    Which questions somebody was given decides it, not what they answered. What no set has comes last, without one.
    """
    roots = {
        found: {column.root_id for column in columns_of(set_revision=found.current_revision)}
        for found in public_sets()
        if found.current_revision is not None
    }
    left = list(answers)
    parts: list[tuple[QuestionSet | None, list[OwnAnswer]]] = []
    while left:
        wanted = {answer.root_id for answer in left}
        best = min(roots, key=lambda found: (-len(roots[found] & wanted), len(roots[found]), found.slug), default=None)
        if best is None or not roots[best] & wanted:
            return [*parts, (None, left)]
        parts.append((best, [answer for answer in left if answer.root_id in roots[best]]))
        left = [answer for answer in left if answer.root_id not in roots[best]]
    return parts


def _section(question_set: QuestionSet | None, answers: Sequence[OwnAnswer], *, is_exact: bool) -> OwnSection:
    is_right = np.array([answer.outcome == Outcome.RIGHT for answer in answers], dtype=np.bool_)
    shares_of = exact_shares if is_exact else protected_shares
    if question_set is None:
        shares = shares_of(is_right, [])
        return OwnSection(None, len(answers), (), _total(shares, ()), ())
    groups = [
        OwnGroup(topic.slug, topic.name, topic.columns)
        for topic in topics_of(
            benchmark_id=question_set.benchmark_id,
            grouping=GROUPING,
            question_ids=[answer.question_id for answer in answers],
        )
    ]
    shares = shares_of(is_right, groups)
    rows = _others(_board(question_set))
    ordered = sorted(shares.groups, key=lambda group: (group.slug not in _slugs(groups), group.name.casefold()))
    return OwnSection(
        question_set=question_set,
        n_answers=len(answers),
        lines=tuple(_line(group, rows) for group in ordered),
        total=_total(shares, rows),
        others=rows,
    )


def _slugs(groups: Sequence[OwnGroup]) -> set[str]:
    return {group.slug for group in groups}


def _board(question_set: QuestionSet) -> Board:
    query = BoardQuery(rule=resolve_rule(question_set.benchmark.default_rule), grouping=GROUPING)
    return load_board(question_set=question_set, query=query, with_topics=True)


def _others(board: Board) -> tuple[Row, ...]:
    """Return the rows of people, where they are public, and those of the best systems."""
    people = board.people_rows
    systems = [row for row in board.rows if row.kind != HUMAN and row.rank is not None]
    return (*people, *systems[:MOST_SYSTEMS])


def _line(group: GroupShare, rows: Sequence[Row]) -> OwnLine:
    return OwnLine(group.name, group.share, tuple(row.topics.get(group.slug) for row in rows))


def _total(shares: OwnShares, rows: Sequence[Row]) -> OwnLine | None:
    if shares.total is None:
        return None
    return OwnLine("All questions", shares.total, tuple(row.estimate for row in rows))
