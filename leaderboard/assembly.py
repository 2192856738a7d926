"""The rows of a board: systems and people, with what of each is shown to the public."""

from dataclasses import dataclass

import numpy as np

from leaderboard.boards import FEW_QUESTIONS, OTHER_GROUPING, Columns, Row, SystemFacts, Topic, system_rows
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE, Answered, shown_groups
from leaderboard.matrix import PARTIAL, Matrix
from leaderboard.people import Cohort, people_row
from leaderboard.selectors.boards import people_rule
from leaderboard.selectors.shown import DEFAULT_GROUPING


@dataclass(frozen=True, slots=True)
class Hidden:
    """The topics (slugs) of a board's grouping that are hidden, of systems and of people, and its smallest total."""

    of_systems: frozenset[str]
    of_people: frozenset[str]
    smallest_group: int


def board_rows(
    matrix: Matrix,
    cohorts: list[Cohort],
    *,
    systems: dict[int, SystemFacts],
    topic: Topic | None,
    topics: list[Topic],
    shown_topics: list[Topic],
    hidden: Hidden,
    grouping: str,
) -> list[Row]:
    """Return the rows of a set, in no order: on the questions of `topic`, with estimates on `shown_topics`.

    `topics` are all the groups of the grouping asked for.
    """
    n = len(matrix.root_ids)
    columns: Columns = topic.columns if topic else np.arange(n)
    looked_at = topics if topic or shown_topics else []
    people = [
        _people_row(
            cohort,
            columns=columns,
            topic=topic,
            shown_topics=shown_topics,
            looked_at=looked_at,
            hidden=hidden,
            grouping=grouping,
        )
        for cohort in cohorts
    ]
    rows = system_rows(
        matrix,
        systems=systems,
        columns=columns,
        topics=shown_topics,
        is_shown=topic.slug not in hidden.of_systems if topic else n >= hidden.smallest_group,
        hidden=hidden.of_systems,
        is_closed=hidden.smallest_group > 1,
    )
    return [*rows, *filter(None, people)]


def _people_row(
    cohort: Cohort,
    *,
    columns: Columns,
    topic: Topic | None,
    shown_topics: list[Topic],
    looked_at: list[Topic],
    hidden: Hidden,
    grouping: str,
) -> Row | None:
    """Return the row of a cohort, with what is hidden of people: more than of systems, also on open sets."""
    n = cohort.codes.shape[1]
    # Groups of two groupings that differ by a question would show the few people who were asked it.
    is_other = cohort.how == PARTIAL and grouping != DEFAULT_GROUPING
    if is_other:
        unseen = frozenset(topic.slug for topic in looked_at)
    elif cohort.how == PARTIAL:
        unseen = _hidden_of_parts(cohort, looked_at, n=n)
    else:
        unseen = hidden.of_people
    return people_row(
        cohort,
        rule=people_rule(),
        columns=columns,
        topics=shown_topics,
        filtered=topic is not None,
        is_shown=topic.slug not in unseen if topic else n >= hidden.smallest_group,
        hidden=unseen,
        why_hidden=OTHER_GROUPING if is_other else FEW_QUESTIONS,
    )


def _hidden_of_parts(cohort: Cohort, topics: list[Topic], *, n: int) -> frozenset[str]:
    """Return the topics hidden of people who were asked a part: they are on this one board only, in one grouping."""
    answered = Answered(cohort.answered, people_rule().minimum_for_mean)
    columns = [topic.columns for topic in topics]
    shown = shown_groups(columns, n=n, minimum=SMALLEST_GROUP_OF_PEOPLE, answered=answered)
    return frozenset(topic.slug for topic, is_shown in zip(topics, shown, strict=True) if not is_shown)
