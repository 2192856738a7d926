"""The methods page, generated from the rules and statistics themselves."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from corpus.scoring.rules import rule_definition, rule_names
from leaderboard import people, ranking, statistics


class Section(NamedTuple):
    """A heading and the paragraphs below it."""

    slug: str
    heading: str
    paragraphs: tuple[str, ...]


STATISTICS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("Interval of a system asked once", statistics.wilson_interval),
    ("Interval of a system asked several times", statistics.repeated_interval),
    ("Spread of a system asked several times", statistics.repeat_spread),
    ("Mean of people", people.people_estimate),
    ("Interval of the mean of people", statistics.people_interval),
    ("Mean of people who answered different questions", people.partial_estimate),
    ("Interval of that mean", statistics.balanced_estimate),
    ("Ranks and ties", ranking.shared_ranks),
    ("Ranks an interval allows", ranking.rank_bounds),
    ("Groups that cannot be told apart", ranking.groups),
)


def rule_sections() -> list[Section]:
    """Return every registered rule with its definition."""
    return [Section(name.replace("@", "-"), name, (rule_definition(name),)) for name in rule_names()]


def statistic_sections() -> list[Section]:
    """Return every statistic of a board with what its code promises."""
    return [
        Section(function.__name__.replace("_", "-"), heading, _paragraphs(function)) for heading, function in STATISTICS
    ]


def _paragraphs(function: Callable[..., Any]) -> tuple[str, ...]:
    text = inspect.getdoc(function) or ""
    return tuple(" ".join(part.split()) for part in text.replace("`", "").split("\n\n") if part.strip())
