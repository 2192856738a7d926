"""The methods page, generated from the rules and statistics themselves."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from corpus.scoring.rules import rule_definition, rule_names
from evaluations.selectors.temperatures import runs_by_temperature
from leaderboard import (
    calibration,
    comparison,
    factors,
    history,
    humans,
    outcomes,
    people,
    people_bands,
    questions,
    ranking,
    robustness,
    scale,
    standing,
    statistics,
)


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
    ("People beside systems, and over questions", humans.people_statistics),
    ("Share of people a system beats", statistics.beaten_band),
    ("People by experience and by pace", people_bands.people_bands),
    ("Ranks and ties", ranking.shared_ranks),
    ("Ranks and groups on a board", standing.standings),
    ("Ranks the questions allow", statistics.rank_intervals),
    ("Two systems on the same questions", statistics.mcnemar_p_value),
    ("Two systems of which one was asked several times", statistics.sign_flip_p_value),
    ("All pairs of a board", statistics.paired_table),
    ("Many tests at once", statistics.holm),
    ("Groups that share a letter", statistics.indistinct_groups),
    ("A few entrants side by side", comparison.pairs_of),
    ("A pair from which no single verdict follows", statistics.coarse_pair),
    ("Interval of a difference", statistics.paired_bootstrap_interval),
    ("How sure answerers are, level by level", calibration.calibration_of),
    ("Levels of people that are told together", calibration.parts_of_people),
    ("Share right at a level", statistics.reliability),
    ("What a level stands for", statistics.level_probability),
    ("Expected calibration error", statistics.expected_calibration_error),
    ("Whether confidence tells right answers from others", statistics.discrimination),
    ("Mean of topics", statistics.macro_average),
    ("Chance of a question", statistics.question_chances),
    ("Chance level of a set", statistics.chance_level),
    ("Which run of a system is on a board", history.past_results),
    ("How answers ended", outcomes.outcomes_of),
    ("Price, tokens and seconds a question", factors.measured),
    ("Best for the price", factors.price_front),
    ("One system under several temperatures", runs_by_temperature),
    ("Systems that are right on a question", questions.question_shares),
    ("Ability and difficulty on one scale", statistics.fit_item_response),
    ("Questions on the scale", scale.fitted_scale),
    ("Systems on the scale", scale.placed_systems),
    ("People on the scale", scale.placed_people),
    ("Ability of a group", statistics.group_ability),
    ("Questions of one source", robustness.by_source),
    ("Error where questions go together", statistics.clustered_mean),
    ("A small set beside a full one", robustness.set_agreement_of),
    ("How alike two sets order systems", statistics.set_agreement),
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
