"""What the public API answers about confidence, robustness and abilities, described field by field."""

from ninja import Schema
from pydantic import Field

from leaderboard.api_schemas import Share


class ConfidenceLevel(Schema):
    """A level from 1 (a guess) to 5 (certain), or neighbouring levels that are told together."""

    levels: list[int]
    n: int = Field(description="Answers of which it was stated.")
    portion: Share = Field(description="Of all answers with a level.")
    right: int | None = Field(description="How many of them are right; null where it would tell single verdicts.")
    share_right: Share
    ci_low: Share
    ci_high: Share


class AgainstProbability(Schema):
    """The levels a system stated beside the probabilities its answers' tokens had."""

    n: int = Field(description="Answers that have both.")
    rank_correlation: float | None = Field(description="Spearman's, null where all are alike.")
    n_by_level: list[int] = Field(description="From level 1 to 5.")
    mean_probability_by_level: list[float | None]
    probability_calibration_error: Share = Field(description="Of the probabilities; only of open sets.")
    probability_auroc: Share = Field(description="Of the probabilities; only of open sets.")


class ConfidenceEntrant(Schema):
    """How sure an entrant says it is, and whether that holds."""

    slug: str
    name: str
    kind: str = Field(description="`model`, `agent`, `baseline` or `human`; people are together.")
    is_demo: bool
    repeats: int
    n_answers: int = Field(description="All answers, with a level or without.")
    n_stated: int = Field(description="Answers with a level.")
    mean_level: float | None = Field(description="Null where levels are told together.")
    share_right: Share
    expected_calibration_error: Share
    auroc: Share = Field(description="Whether the levels tell right answers from others: 0.5 is not at all.")
    auroc_low: Share
    auroc_high: Share
    levels: list[ConfidenceLevel]
    against_probability: AgainstProbability | None


class ConfidenceOut(Schema):
    """The confidence of the entrants of a board, in its order."""

    set: str
    set_revision: int | None
    benchmark: str
    results_version: int
    rule: str
    is_demo: bool = Field(description="Whether any row of the board, or all of it, is made up.")
    n_questions: int
    people_on: str | None = Field(description="The set on whose page people are, where that is another one.")
    entrants: list[ConfidenceEntrant]


class SourceError(Schema):
    """The error of a system's accuracy, with its questions taken by source and alone."""

    slug: str
    name: str
    is_demo: bool
    accuracy: Share
    standard_error: float = Field(description="Of questions taken as not alike.")
    standard_error_by_source: float | None = Field(
        description="Cluster-robust; null with a single source. No interval then, nor where all is right."
    )
    ci_low_by_source: Share
    ci_high_by_source: Share


class OnBothSets(Schema):
    """A system that has an accuracy on both sets; `rest` is the full set without the small one."""

    slug: str
    name: str
    is_demo: bool
    small: Share
    full: Share
    rest: Share
    small_rank: int = Field(description="Among the systems on both.")
    full_rank: int = Field(description="Among the systems on both.")


class Agreed(Schema):
    """How alike two sets order and score systems."""

    n_systems: int
    spearman: float | None
    kendall: float | None
    mean_absolute_difference: Share
    largest_difference: Share


class SetPair(Schema):
    """A small set beside a full one of the same benchmark."""

    small: str
    full: str
    n_small: int
    n_full: int
    n_rest: int | None = Field(description="Of the full set beside the small one, null where that is no part.")
    whole: Agreed = Field(description="Beside the full set.")
    rest: Agreed | None = Field(description="Beside the rest of it, which shares no question.")
    systems: list[OnBothSets]


class RobustnessOut(Schema):
    """How far the results of a set depend on where its questions come from, and on how many they are."""

    set: str
    set_revision: int | None
    benchmark: str
    results_version: int
    rule: str
    is_demo: bool = Field(description="Whether any row of the board, or all of it, is made up.")
    n_questions: int
    n_sources: int
    n_without_source: int
    largest_source: int = Field(description="Questions of the largest source.")
    by_source: list[SourceError] = Field(description="Of sets that are open.")
    by_source_withheld: str | None = Field(description="Why there is none.")
    sets: list[SetPair]


class OnScale(Schema):
    """An entrant on the scale of a set, whatever part of it was answered; of people as a group in rounded figures."""

    slug: str
    name: str
    kind: str = Field(description="`model`, `agent`, `baseline` or `human`; people are together.")
    is_demo: bool
    status: str = Field(description="`complete` or `incomplete`.")
    n_people: int | None = Field(description="Null of systems.")
    n_answered: float = Field(description="Questions; of people the median of a person.")
    accuracy: Share
    ability: float
    ability_error: float = Field(description="Standard error.")
    expected_share: Share = Field(description="Right, of the whole set, by this ability.")
    expected_low: Share
    expected_high: Share
    makes_the_scale: bool = Field(description="Whether the difficulty of questions comes from it, among others.")


class ScaleOut(Schema):
    """The entrants of a set on one scale of ability, in the order of the board."""

    set: str
    set_revision: int | None
    benchmark: str
    results_version: int
    rule: str
    is_demo: bool = Field(description="Whether any row of the board, or all of it, is made up.")
    n_questions: int
    n_systems: int | None = Field(description="Systems that the scale comes from; null where there is none.")
    withheld: str | None = Field(description="Why there is none.")
    entrants: list[OnScale]
