"""Confidence, robustness and abilities as plain data for the API: what the pages tell, and no more."""

import math
from typing import Any

from leaderboard.boards import Row
from leaderboard.calibration import Cell
from leaderboard.confidence import Confidence, Stated
from leaderboard.queries import Board
from leaderboard.robustness import Agreement, BySource, Robustness
from leaderboard.scale import Placed, PlacedPeople, Placement
from leaderboard.stated import Against
from leaderboard.statistics import SetAgreement


def confidence_payload(found: Confidence) -> dict[str, Any]:
    """Return what entrants say of their answers."""
    against = {row.slug: each for row, each in found.against}
    return {
        **_about(found.board),
        "people_on": found.elsewhere or None,
        "entrants": [_entrant(entrant, against.get(entrant.row.slug)) for entrant in found.entrants],
    }


def robustness_payload(found: Robustness) -> dict[str, Any]:
    """Return errors by source, and how sets of the benchmark agree."""
    return {
        **_about(found.board),
        "n_sources": found.sources.n_sources,
        "n_without_source": found.sources.n_without,
        "largest_source": found.sources.largest,
        "by_source": [_by_source(each) for each in found.sources.systems],
        "by_source_withheld": found.sources.withheld or None,
        "sets": [_set_pair(each) for each in found.agreements],
    }


def scale_payload(found: Placement, *, withheld: str) -> dict[str, Any]:
    """Return where the entrants of a set stand on its scale; nobody, where a reason is given why not."""
    return {
        **_about(found.board),
        "n_systems": None if withheld or found.scale is None else found.scale.n_systems,
        "withheld": withheld or None,
        "entrants": [] if withheld else [*map(_placed, found.systems), *map(_placed_people, found.people)],
    }


def _placed(placed: Placed) -> dict[str, Any]:
    low, high = placed.expected_bounds
    return {
        **_who(placed.row),
        "n_people": None,
        "n_answered": placed.n_answered,
        "ability": placed.ability,
        "ability_error": placed.ability_error,
        "expected_share": placed.expected,
        "expected_low": low,
        "expected_high": high,
        "makes_the_scale": placed.helps,
    }


def _placed_people(people: PlacedPeople) -> dict[str, Any]:
    ability = people.found
    return {
        **_who(people.row),
        "n_people": ability.n_people,
        "n_answered": people.n_asked,
        "ability": ability.mean,
        "ability_error": ability.standard_error,
        "expected_share": ability.expected_score,
        "expected_low": ability.interval.low,
        "expected_high": ability.interval.high,
        "makes_the_scale": False,
    }


def _who(row: Row) -> dict[str, Any]:
    return {
        "slug": row.slug,
        "name": row.name,
        "kind": row.kind,
        "is_demo": row.is_demo,
        "status": "complete" if row.is_complete else "incomplete",
        "accuracy": None if row.estimate.accuracy is None else float(row.estimate.accuracy),
    }


def _about(board: Board) -> dict[str, Any]:
    question_set = board.question_set
    return {
        "set": question_set.slug,
        "set_revision": question_set.current_revision.number if question_set.current_revision else None,
        "benchmark": question_set.benchmark.slug,
        "results_version": question_set.benchmark.results_version,
        "rule": board.query.rule,
        "is_demo": board.has_demo,
        "n_questions": board.n_questions,
    }


def _entrant(entrant: Stated, against: Against | None) -> dict[str, Any]:
    whole = entrant.calibration
    low, high = whole.area_bounds or (None, None)
    return {
        "slug": entrant.row.slug,
        "name": entrant.row.name,
        "kind": entrant.row.kind,
        "is_demo": entrant.row.is_demo,
        "repeats": entrant.row.repeats,
        "n_answers": entrant.n_answers,
        "n_stated": whole.n,
        "mean_level": whole.mean_level,
        "share_right": whole.share,
        "expected_calibration_error": whole.error,
        "auroc": whole.area_value,
        "auroc_low": low,
        "auroc_high": high,
        "levels": [_level(cell) for cell in whole.cells],
        "against_probability": None if against is None else _against(against),
    }


def _level(cell: Cell) -> dict[str, Any]:
    low, high = cell.bounds or (None, None)
    return {
        "levels": list(cell.levels),
        "n": cell.n,
        "portion": cell.portion,
        "right": cell.right,
        "share_right": cell.share,
        "ci_low": low,
        "ci_high": high,
    }


def _against(against: Against) -> dict[str, Any]:
    quality = against.by_probability
    return {
        "n": against.n,
        "rank_correlation": against.correlation,
        "n_by_level": list(against.counts),
        "mean_probability_by_level": list(against.means),
        "probability_calibration_error": quality.error if quality else None,
        "probability_auroc": quality.area if quality else None,
    }


def _by_source(each: BySource) -> dict[str, Any]:
    low, high = each.bounds or (None, None)
    return {
        "slug": each.row.slug,
        "name": each.row.name,
        "is_demo": each.row.is_demo,
        "accuracy": each.found.mean,
        "standard_error": each.found.plain_standard_error,
        "standard_error_by_source": each.error,
        "ci_low_by_source": low,
        "ci_high_by_source": high,
    }


def _set_pair(pair: Agreement) -> dict[str, Any]:
    return {
        "small": pair.small.slug,
        "full": pair.full.slug,
        "n_small": pair.n_small,
        "n_full": pair.n_full,
        "n_rest": pair.n_rest,
        "whole": _agreed(pair.whole),
        "rest": None if pair.rest is None else _agreed(pair.rest),
        "systems": [
            {
                "slug": line.row.slug,
                "name": line.row.name,
                "is_demo": line.row.is_demo,
                "small": float(line.small),
                "full": float(line.full),
                "rest": line.rest,
                "small_rank": line.small_rank,
                "full_rank": line.full_rank,
            }
            for line in pair.systems
        ],
    }


def _agreed(found: SetAgreement) -> dict[str, Any]:
    return {name: _number(value) for name, value in found._asdict().items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
