"""Every read of systems, runs and items that joins or depends on who asks."""

from evaluations.selectors.board import BoardItem, BoardItems, BoardRun, board_items, outcome_counts
from evaluations.selectors.board_codes import BoardCodes, board_codes
from evaluations.selectors.items import ItemEvidence, item_evidence
from evaluations.selectors.runs import (
    LastError,
    RunProgress,
    RunSummary,
    active_run,
    last_errors,
    run_progress,
    run_summaries,
)
from evaluations.selectors.systems import SystemPage, public_system, public_systems

__all__ = [
    "BoardCodes",
    "BoardItem",
    "BoardItems",
    "BoardRun",
    "ItemEvidence",
    "LastError",
    "RunProgress",
    "RunSummary",
    "SystemPage",
    "active_run",
    "board_codes",
    "board_items",
    "item_evidence",
    "last_errors",
    "outcome_counts",
    "public_system",
    "public_systems",
    "run_progress",
    "run_summaries",
]
