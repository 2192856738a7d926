"""A system's results on every set it was asked."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from corpus.models import QuestionSet
from evaluations.models import BASE_MODEL
from leaderboard.boards import Row, SystemFacts, Topic
from leaderboard.queries import load_board, whole_query
from leaderboard.selectors.boards import public_sets, visible_systems


class SetResult(NamedTuple):
    """A system's row on the board of one set."""

    question_set: QuestionSet
    rule: str
    row: Row
    n_ranked: int
    topics: tuple[Topic, ...]
    fallback: str = "on"


def results_by_set(*, system_slug: str, rule: str = "", fallback: str = "") -> list[SetResult]:
    """Return the system's row on each board that has one, largest set first; each under its default rule or `rule`."""
    results = []
    for question_set in public_sets():
        query = whole_query(question_set=question_set, rule=rule, fallback=fallback)
        board = load_board(question_set=question_set, query=query, with_topics=True)
        n_ranked = sum(row.rank is not None for row in board.rows)
        results += [
            SetResult(question_set, query.rule, row, n_ranked, board.topics, query.fallback)
            for row in board.rows
            if row.slug == system_slug and row.people is None
        ]
    return results


def base_model_of(facts: Mapping[str, Any]) -> SystemFacts | None:
    """Return the system that another with these facts is built on, None where none is named or it is hidden."""
    named = facts.get(BASE_MODEL)
    return next((system for system in visible_systems().values() if system.slug == named), None)


# Facts that have a line of their own on a system's page.
SHOWN_APART = {"model_name", "open_weights", "date_published", BASE_MODEL}


def public_facts(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a system's other published facts as pairs of words; nested ones are left to its source."""
    return [
        (name.replace("_", " ").capitalize(), ("no", "yes")[value] if isinstance(value, bool) else str(value))
        for name, value in facts.items()
        if name not in SHOWN_APART and isinstance(value, str | int | float) and str(value).strip()
    ]
