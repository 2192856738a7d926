"""Estimates and their intervals. Pure and vectorised; every formula names its source."""

from leaderboard.statistics.averages import ClusteredMean, MacroAverage, clustered_mean, macro_average
from leaderboard.statistics.balanced import SetEstimate, balanced_estimate
from leaderboard.statistics.basis import (
    BOOTSTRAP_DRAWS,
    BOOTSTRAP_SEED,
    CONFIDENCE,
    NO_INTERVAL,
    Flags,
    Floats,
    Integers,
    Interval,
)
from leaderboard.statistics.calibration import (
    Discrimination,
    Level,
    discrimination,
    equal_bins,
    expected_calibration_error,
    level_probability,
    rank_correlation,
    reliability,
)
from leaderboard.statistics.chance import ChanceLevel, Guess, chance_level, question_chances
from leaderboard.statistics.comparisons import (
    BeatenBand,
    SetAgreement,
    ShareBeaten,
    beaten_band,
    set_agreement,
    share_beaten,
)
from leaderboard.statistics.intervals import bootstrap_interval, people_interval, wilson_bounds, wilson_interval
from leaderboard.statistics.item_response import Abilities, ItemResponseModel, fit_item_response, known_abilities
from leaderboard.statistics.multiple import group_letters, holm, holm_table, indistinct_groups, told_apart
from leaderboard.statistics.paired import (
    PairedComparison,
    coarse_pair,
    compare_pair,
    mcnemar_p_value,
    mcnemar_table,
    paired_bootstrap_interval,
    paired_table,
    sign_flip_p_value,
)
from leaderboard.statistics.populations import GroupAbility, group_ability
from leaderboard.statistics.rank_bootstrap import rank_intervals
from leaderboard.statistics.repeats import RepeatSpread, repeat_spread, repeated_interval, repeated_intervals

__all__ = [
    "Abilities",
    "BOOTSTRAP_DRAWS",
    "BOOTSTRAP_SEED",
    "BeatenBand",
    "CONFIDENCE",
    "ChanceLevel",
    "ClusteredMean",
    "Discrimination",
    "Flags",
    "Floats",
    "GroupAbility",
    "Guess",
    "Integers",
    "Interval",
    "ItemResponseModel",
    "Level",
    "MacroAverage",
    "NO_INTERVAL",
    "PairedComparison",
    "RepeatSpread",
    "SetAgreement",
    "SetEstimate",
    "ShareBeaten",
    "balanced_estimate",
    "beaten_band",
    "bootstrap_interval",
    "chance_level",
    "clustered_mean",
    "coarse_pair",
    "compare_pair",
    "discrimination",
    "equal_bins",
    "expected_calibration_error",
    "fit_item_response",
    "group_ability",
    "group_letters",
    "holm",
    "holm_table",
    "indistinct_groups",
    "known_abilities",
    "level_probability",
    "macro_average",
    "mcnemar_p_value",
    "mcnemar_table",
    "paired_bootstrap_interval",
    "paired_table",
    "people_interval",
    "question_chances",
    "rank_correlation",
    "rank_intervals",
    "reliability",
    "repeat_spread",
    "repeated_interval",
    "repeated_intervals",
    "set_agreement",
    "share_beaten",
    "sign_flip_p_value",
    "told_apart",
    "wilson_bounds",
    "wilson_interval",
]
