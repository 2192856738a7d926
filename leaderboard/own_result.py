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
    """A person's answers in one part of their study, beside the rows of the board of its set, where there is one."""

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

    Attention checks and answers without a verdict are not in it. How answers are divided follows what the person was
    given, so that a set that loses a question later does not tell its verdict by what changes here.
    """
    answers = own_answers(participant)
    is_exact = verdicts_are_public(participant.study)
    sets = {found.pk: found for found in public_sets().filter(pk__in={answer.set_id for answer in answers})}
    return OwnResult(
        sections=tuple(_section(sets.get(part[0].set_id), part, is_exact=is_exact) for part in _by_block(answers)),
        n_unjudged=sum(answer.outcome in NO_VERDICT for answer in answers),
        is_exact=is_exact,
        verdicts=tuple(_verdict(answer) for answer in answers) if is_exact else (),
    )


def _verdict(answer: OwnAnswer) -> OwnVerdict:
    return OwnVerdict(answer.position, render_plain(answer.stem), (answer.outcome or "not judged").replace("_", " "))


def _by_block(answers: Sequence[OwnAnswer]) -> list[list[OwnAnswer]]:
    """Divide answers by the parts of the study they were given in, in the person's order."""
    parts: dict[int, list[OwnAnswer]] = {}
    for answer in answers:
        parts.setdefault(answer.block_id, []).append(answer)
    return list(parts.values())


def _section(question_set: QuestionSet | None, answers: Sequence[OwnAnswer], *, is_exact: bool) -> OwnSection:
    groups = [
        OwnGroup(topic.slug, topic.name, topic.columns)
        for topic in topics_of(
            benchmark_id=answers[0].benchmark_id,
            grouping=GROUPING,
            question_ids=[answer.question_id for answer in answers],
        )
    ]
    shares = _shares(answers, groups, is_exact=is_exact)
    rows = _others(_board(question_set)) if question_set else ()
    ordered = sorted(shares.groups, key=lambda group: (group.slug not in _slugs(groups), group.name.casefold()))
    return OwnSection(
        question_set=question_set,
        n_answers=sum(answer.outcome not in NO_VERDICT for answer in answers),
        lines=tuple(_line(group, rows) for group in ordered),
        total=_total(shares, rows),
        others=rows,
    )


def _shares(answers: Sequence[OwnAnswer], groups: Sequence[OwnGroup], *, is_exact: bool) -> OwnShares:
    is_right = np.array([answer.outcome == Outcome.RIGHT for answer in answers], dtype=np.bool_)
    is_judged = np.array([answer.outcome not in NO_VERDICT for answer in answers], dtype=np.bool_)
    if not is_exact:
        return protected_shares(is_right, groups, is_judged=is_judged)
    place = np.cumsum(is_judged) - 1
    kept = [OwnGroup(group.slug, group.name, place[group.columns[is_judged[group.columns]]]) for group in groups]
    return exact_shares(is_right[is_judged], kept)


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
