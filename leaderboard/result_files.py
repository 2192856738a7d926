"""The files of a results export: the board, its groups and systems; verdicts and answers only where they may be.

The same results give the same files: no time, no number of a row, every list in a fixed order. People are there as a
snapshot tells them, since a data set that was handed on stays as well.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corpus.models import QuestionSet, QuestionSetRevision
from evaluations.selectors import public_system
from leaderboard.boards import HUMAN
from leaderboard.matrix import MISSING, OUTCOMES, SYSTEM, Matrix
from leaderboard.payloads import board_csv, flag, row_payload, safe_cell
from leaderboard.queries import Board, BoardQuery, load_board
from leaderboard.result_readme import readme
from leaderboard.selectors.answers import Asked, Key, Reply, asked_of, keys_of, replies_of
from leaderboard.selectors.boards import visible_systems
from leaderboard.snapshot_contents import board_content
from leaderboard.snapshot_rows import PeopleShown, frozen_board

GROUP_FIELDS = ("grouping", "group", "group_name", "slug", "is_demo", "n", "accuracy", "ci_low", "ci_high", "withheld")
SYSTEM_FIELDS = (
    "slug",
    "name",
    "source_name",
    "kind",
    "is_demo",
    "model_id",
    "released_on",
    "parameter_count",
    "open_weights",
)
VERDICT_FIELDS = ("question_key", "question_revision", "slug", "is_demo", "repeat", "outcome")


class File(NamedTuple):
    """A file's place in the folder and its text, piece by piece."""

    path: str
    pieces: Iterable[str]


@dataclass(frozen=True, slots=True)
class Export:
    """What the files are made from."""

    board: Board
    set_revision: QuestionSetRevision
    matrix: Matrix
    people: PeopleShown
    with_answers: bool

    @property
    def canary(self) -> str:
        """The canary of the benchmark."""
        return self.board.question_set.benchmark.canary

    @property
    def has_verdicts(self) -> bool:
        """Whether verdicts on single questions are in it: where they are public, or asked for."""
        return self.with_answers or self.board.question_set.policy == QuestionSet.Policy.OPEN


def result_files(export: Export) -> Iterator[File]:
    """Yield every file of an export, the read-me first."""
    groups, systems = list(_groups(export)), list(_systems(export.board))
    yield File("README.md", [readme(export.board, export.set_revision, export.people, answers=export.with_answers)])
    yield File("results.json", [_json(_results(export, groups, systems))])
    yield File("board.csv", [board_csv(export.board)])
    yield File("groups.csv", _table(GROUP_FIELDS, ([group[name] for name in GROUP_FIELDS] for group in groups)))
    yield File("systems.csv", _table(SYSTEM_FIELDS, ([each[name] for name in SYSTEM_FIELDS] for each in systems)))
    asked = asked_of(set_revision=export.set_revision)
    if export.has_verdicts:
        yield File("verdicts.csv", _table(VERDICT_FIELDS, _verdicts(export.matrix, asked)))
    if export.with_answers:
        yield from _answers(export, asked)


def _results(export: Export, groups: list[dict[str, Any]], systems: list[dict[str, Any]]) -> dict[str, Any]:
    benchmark = export.board.question_set.benchmark
    return {
        "format": "chembench-site-results@1",
        "canary": export.canary,
        "benchmark": {name: getattr(benchmark, name) for name in ("slug", "name", "version", "licence", "citation")},
        "set_content_hash": export.set_revision.content_hash,
        "people": {"are_shown": export.people.are_shown, "why_not": export.people.why_not},
        **({"fallback": export.board.query.fallback} if export.board.n_by_fallback else {}),
        "board": board_content(export.board),
        "groups": groups,
        "systems": systems,
    }


def _groups(export: Export) -> Iterator[dict[str, Any]]:
    """Yield each system's estimate on each group of every grouping, as the boards show it; people have none."""
    question_set = export.board.question_set
    for grouping in export.board.groupings:
        query = replace(export.board.query, grouping=grouping.slug)
        board = load_board(question_set=question_set, query=query, with_topics=True)
        names = {topic.slug: topic.name for topic in board.topics}
        for row in board.rows:
            if row.kind == HUMAN:
                continue
            for name, estimate in row_payload(row, names)["topics"].items():
                group = {"grouping": grouping.slug, "group": estimate["slug"], "group_name": name}
                group |= {"slug": row.slug, "is_demo": row.is_demo}
                yield group | {field: estimate[field] for field in GROUP_FIELDS[5:]}


def _systems(board: Board) -> Iterator[dict[str, Any]]:
    slugs = sorted(row.slug for row in board.rows if row.kind != HUMAN)
    for page in filter(None, (public_system(slug=slug) for slug in slugs)):
        facts = {name: getattr(page, name) for name in SYSTEM_FIELDS}
        yield facts | {"released_on": page.released_on.isoformat() if page.released_on else None}


def _verdicts(matrix: Matrix, asked: Sequence[Asked]) -> Iterator[list[Any]]:
    """Yield how each question ended for each visible system in each repeat; nothing of people."""
    facts = visible_systems()
    blocks = [(facts[entrant.id], codes) for entrant, codes in matrix.blocks() if _is_visible(entrant, facts)]
    for system, codes in sorted(blocks, key=lambda block: block[0].slug):
        for repeat, row in enumerate(codes):
            for question, code in zip(asked, row, strict=True):
                if code != MISSING:
                    yield [*question[:2], system.slug, system.is_demo, repeat, OUTCOMES[code].value]


def _is_visible(entrant: Any, facts: Any) -> bool:
    return entrant.type == SYSTEM and entrant.id in facts


def _answers(export: Export, asked: Sequence[Asked]) -> Iterator[File]:
    keys = keys_of(set_revision=export.set_revision)
    columns = [name for name in Key._fields if name != "options"]
    table = ([*key[:-1], *_right_options(key), export.canary] for key in keys)
    yield File("answers/keys.csv", _table([*columns, "right_options", "canary"], table))
    listed = [key._asdict() for key in keys]
    yield File("answers/keys.json", [_json({"canary": export.canary, "keys": listed})])
    # Read twice rather than held: the replies of hundreds of systems do not fit into memory.
    rows = ([*_short(reply), export.canary] for reply in _replies(export, asked))
    yield File("answers/answers.csv", _table([*VERDICT_FIELDS, "finish_reason", "completion", "canary"], rows))
    lines = (_line(reply._asdict() | {"canary": export.canary}) for reply in _replies(export, asked))
    yield File("answers/answers.jsonl", lines)


def _right_options(key: Key) -> list[str]:
    return [" | ".join(option["text"] for option in key.options if option["credit"] > 0)]


def _short(reply: Reply) -> list[Any]:
    return [
        reply.question_key,
        reply.question_revision,
        reply.slug,
        reply.is_demo,
        reply.repeat,
        reply.outcome,
        reply.finish_reason,
        reply.completion,
    ]


def _replies(export: Export, asked: Sequence[Asked]) -> Iterator[Reply]:
    facts = visible_systems()
    outcomes = {
        (entrant.run_id, root_id, repeat): OUTCOMES[code].value
        for entrant, codes in export.matrix.blocks()
        if _is_visible(entrant, facts)
        for repeat, row in enumerate(codes)
        for root_id, code in zip(export.matrix.root_ids, row, strict=True)
        if code != MISSING
    }
    run_ids = sorted({run_id for run_id, _, _ in outcomes})
    return replies_of(run_ids=run_ids, asked=asked, outcomes=outcomes)


def _table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file that no spreadsheet runs anything of."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(headings)
    for row in rows:
        writer.writerow([flag(cell) if isinstance(cell, bool) else safe_cell(cell) for cell in row])
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def _json(content: Any) -> str:
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _line(content: Any) -> str:
    return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def export_of(
    *, question_set: QuestionSet, query: BoardQuery, people: PeopleShown, with_answers: bool = False
) -> Export:
    """Return what an export of a set's current revision is made from. `question_set` must have been read just now."""
    if question_set.current_revision is None:
        raise ValueError(f"The set {question_set.slug} has no questions.")
    board = load_board(question_set=question_set, query=query, with_topics=True)
    return Export(
        board=frozen_board(board, people=people),
        set_revision=question_set.current_revision,
        matrix=board.matrix,
        people=people,
        with_answers=with_answers,
    )
