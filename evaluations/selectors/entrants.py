"""Systems with their counts of outcomes under several rules, as commands report them."""

from collections.abc import Collection, Sequence
from typing import Any

from evaluations.models import System
from evaluations.selectors.board import board_items, outcome_counts


def entrant_counts(
    *, systems: Sequence[System], root_ids: Collection[int], rules: Sequence[str]
) -> list[dict[str, Any]]:
    """Return each system with its outcomes on these questions under each rule, from the same selector as a board.

    A rule that a system is not on the board of, as `as-published` for systems asked here, is left out.
    """
    ids = [system.pk for system in systems]
    boards = {rule: board_items(root_ids=root_ids, rule=rule, system_ids=ids, with_hidden=True) for rule in rules}
    there = {rule: {run.system_id for run in board.runs} for rule, board in boards.items()}
    return [
        {
            "slug": system.slug,
            "source_name": system.source_name,
            "name": system.name,
            "kind": system.kind,
            "n_questions": len(root_ids),
            "rules": {
                rule: outcome_counts(board=boards[rule], system_id=system.pk)
                for rule in rules
                if system.pk in there[rule]
            },
        }
        for system in systems
    ]
