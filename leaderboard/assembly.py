"""The rows of a board: systems and people, with what of each is shown to the public."""

import numpy as np

from leaderboard.boards import FEW_QUESTIONS, OTHER_GROUPING, Columns, Row, SystemFacts, Topic, system_rows
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE, Answered, shown_groups
from leaderboard.matrix import PARTIAL, Matrix
from leaderboard.people import Cohort, people_row
from leaderboard.selectors.boards import people_rule

# The one grouping in which people who were asked a part of a set are shown.
DEFAULT_GROUPING = "topic"


def board_rows(
    matrix: Matrix,
    cohorts: list[Cohort],
    *,
    systems: dict[int, SystemFacts],
    topic: Topic | None,
    topics: list[Topic],
    shown_topics: list[Topic],
    smallest_group: int,
    grouping: str,
) -> list[Row]:
    """Return the rows of a set, in no order: on the questions of `topic`, with estimates on `shown_topics`.

    `topics` are all the groups of the grouping asked for: which of them are shown depends on the others.
    """
    n = len(matrix.root_ids)
    columns: Columns = topic.columns if topic else np.arange(n)
    looked_at = topics if topic or shown_topics else []
    hidden = _hidden(looked_at, n=n, minimum=smallest_group)
    people = [
        _people_row(
            cohort,
            columns=columns,
            topic=topic,
            shown_topics=shown_topics,
            looked_at=looked_at,
            minimum=smallest_group,
            grouping=grouping,
        )
        for cohort in cohorts
    ]
    rows = system_rows(
        matrix,
        systems=systems,
        columns=columns,
        topics=shown_topics,
        is_shown=topic.slug not in hidden if topic else n >= smallest_group,
        hidden=hidden,
    )
    return [*rows, *filter(None, people)]


def _people_row(
    cohort: Cohort,
    *,
    columns: Columns,
    topic: Topic | None,
    shown_topics: list[Topic],
    looked_at: list[Topic],
    minimum: int,
    grouping: str,
) -> Row | None:
    """Return the row of a cohort, with what is hidden of people: more than of systems, also on open sets."""
    n = cohort.codes.shape[1]
    # Groups of two groupings that differ by a question would show the few people who were asked it.
    is_other = cohort.how == PARTIAL and grouping != DEFAULT_GROUPING
    rule = people_rule()
    answered = Answered(cohort.answered, rule.minimum_for_mean) if cohort.how == PARTIAL else None
    hidden = _hidden(looked_at, n=n, minimum=max(minimum, SMALLEST_GROUP_OF_PEOPLE), answered=answered)
    if is_other:
        hidden = frozenset(topic.slug for topic in looked_at)
    return people_row(
        cohort,
        rule=rule,
        columns=columns,
        topics=shown_topics,
        filtered=topic is not None,
        is_shown=topic.slug not in hidden if topic else n >= minimum,
        hidden=hidden,
        why_hidden=OTHER_GROUPING if is_other else FEW_QUESTIONS,
    )


def _hidden(topics: list[Topic], *, n: int, minimum: int, answered: Answered | None = None) -> frozenset[str]:
    shown = shown_groups([topic.columns for topic in topics], n=n, minimum=minimum, answered=answered)
    return frozenset(topic.slug for topic, is_shown in zip(topics, shown, strict=True) if not is_shown)
