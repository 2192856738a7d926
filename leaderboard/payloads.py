"""Boards as plain data for the API and as rows of a CSV file. No answer key, no verdict on a single question."""

import csv
import io
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from leaderboard.boards import Estimate, Row, Topic
from leaderboard.matrix import OUTCOMES
from leaderboard.queries import Board
from leaderboard.systems import SetResult
from survey.selectors.export import safe_text

CSV_FIELDS = (
    "rank",
    "rank_low",
    "rank_high",
    "slug",
    "name",
    "source_name",
    "kind",
    "is_demo",
    "status",
    "n_questions",
    "n_scored",
    "accuracy",
    "ci_low",
    "ci_high",
    "withheld",
    "repeats",
    "repeat_low",
    "repeat_high",
    "repeat_sd",
    "groups",
    "macro_accuracy",
    "macro_low",
    "macro_high",
    "chance_level",
)


def set_payload(question_set: QuestionSet) -> dict[str, Any]:
    """Return what the API says of a set."""
    revision = question_set.current_revision
    return {
        "slug": question_set.slug,
        "name": question_set.name,
        "benchmark": question_set.benchmark.slug,
        "revision": revision.number if revision else None,
        "n_questions": question_set.n_questions,  # type: ignore[attr-defined]
        "default_rule": question_set.benchmark.default_rule,
        "is_demo": question_set.benchmark.is_demo,
    }


def board_payload(board: Board) -> dict[str, Any]:
    """Return a board with its rows in rank order and what is needed to read it."""
    names = {topic.slug: topic.name for topic in board.topics}
    return {
        "set": board.question_set.slug,
        "set_revision": board.question_set.current_revision.number if board.question_set.current_revision else None,
        "benchmark": board.question_set.benchmark.slug,
        "results_version": board.question_set.benchmark.results_version,
        "rule": board.query.rule,
        "rules": list(rule_names()),
        "grouping": board.query.grouping,
        "topic": board.query.topic or None,
        "is_demo": board.has_demo,
        "n_questions": board.n_questions,
        "n_people": board.n_people,
        "n_people_complete": board.n_people_finished,
        "n_people_counted": board.n_people_counted,
        "n_absent_under_rule": board.n_absent,
        **_chance(board),
        "rows": [row_payload(row, names) for row in board.rows],
    }


def row_payload(row: Row, topic_names: dict[str, str]) -> dict[str, Any]:
    """Return one row; shares are fractions of 1, None, with the reason under `withheld`, where none is given."""
    return {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "group": row.group,
        "letters": list(row.letters),
        "slug": row.slug,
        "name": row.name,
        "source_name": row.source_name,
        "kind": row.kind,
        "status": "complete" if row.is_complete else "incomplete",
        "is_demo": row.is_demo,
        "is_imported": row.is_imported,
        "is_submitted": row.is_submitted,
        "repeats": row.repeats,
        **_spread(row.estimate),
        **_macro(row),
        "n_scored": row.estimate.n_scored,
        "outcomes": dict(row.estimate.outcomes),
        **_estimate(row.estimate),
        "people": None
        if row.people is None
        else {"n": row.people.n, "best": _share(row.people.best), "worst": _share(row.people.worst)},
        "inclusion": row.people.inclusion if row.people else None,
        "answers_per_question": row.people.answers_per_question if row.people else None,
        **({"n_by_fallback": row.n_by_fallback} if row.n_by_fallback else {}),
        "topics": {
            topic_names[slug]: {"slug": slug, **_estimate(estimate, n="n")} for slug, estimate in row.topics.items()
        },
    }


def result_payload(result: SetResult) -> dict[str, Any]:
    """Return a system's result on one set."""
    names = {topic.slug: topic.name for topic in result.topics}
    return {"set": result.question_set.slug, "rule": result.rule, **row_payload(result.row, names)}


def _share(share: Fraction | None) -> float | None:
    return None if share is None else float(share)


def _spread(estimate: Estimate) -> dict[str, float | None]:
    """Return the accuracies of a system's worst and best repeat and their standard deviation; None for one repeat."""
    low, high, deviation = estimate.spread or (None, None, None)
    return {"repeat_low": low, "repeat_high": high, "repeat_sd": deviation}


def _macro(row: Row) -> dict[str, float | int | None]:
    """Return the mean in which each topic counts the same; None where fewer than two topics are shown."""
    if row.macro is None:
        return {"macro_accuracy": None, "macro_low": None, "macro_high": None, "macro_topics": None}
    macro = row.macro
    return {
        "macro_accuracy": macro.mean,
        "macro_low": macro.low,
        "macro_high": macro.high,
        "macro_topics": macro.n_topics,
    }


def _chance(board: Board) -> dict[str, float | None]:
    """Return the share right to be expected of a guesser, and its standard deviation; None for a part of a set."""
    level = board.chance
    return {
        "chance_level": level.mean if level else None,
        "chance_sd": level.standard_deviation if level else None,
    }


def _estimate(estimate: Estimate, n: str = "n_questions") -> dict[str, Any]:
    low, high = estimate.bounds or (None, None)
    return {
        n: estimate.n_questions,
        "accuracy": _share(estimate.accuracy),
        "ci_low": low,
        "ci_high": high,
        "withheld": estimate.withheld or None,
    }


def board_csv(board: Board) -> str:
    """Return a board as CSV: one line per row, outcomes and topics as columns of their own.

    Text that a spreadsheet would take for a formula gets a leading apostrophe; numbers stay numbers.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    outcomes = [outcome.value for outcome in OUTCOMES]
    writer.writerow([*CSV_FIELDS, *outcomes, *_topic_headings(board.topics)])
    payload = board_payload(board)
    for row in payload["rows"]:
        beside = {
            "groups": " ".join(row["letters"]),
            "is_demo": flag(row["is_demo"]),
            "chance_level": payload["chance_level"],
        }
        cells = [beside[name] if name in beside else row[name] for name in CSV_FIELDS]
        cells += [row["outcomes"].get(name) for name in outcomes]
        cells += _topic_cells(row, board.topics)
        writer.writerow([safe_cell(cell) for cell in cells])
    return text.getvalue()


def _topic_headings(topics: Iterable[Topic]) -> list[Any]:
    return [safe_cell(f"{topic.name} ({part})") for topic in topics for part in ("accuracy", "n")]


def _topic_cells(row: dict[str, Any], topics: Iterable[Topic]) -> Iterator[Any]:
    for topic in topics:
        estimate = row["topics"].get(topic.name, {})
        yield from (estimate.get("accuracy"), estimate.get("n"))


def flag(value: bool) -> str:
    """Write whether something is so as files have it."""
    return "true" if value else "false"


def safe_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet runs: text as `safe_text` makes it, all else as it was."""
    return safe_text(value) if isinstance(value, str) else value
