"""Entrants by questions: outcome codes as one numpy array, and the bytes it is stored as. Pure.

An entrant is a system (shown by one of its runs) or a person. Each has one row for every repeat; each column is
one question of a set revision, known by the root of its comparable revisions.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from corpus.scoring.types import Outcome

CODE_TYPE = np.int8
Codes = npt.NDArray[np.int8]
Integers = npt.NDArray[np.int64]

OUTCOMES = tuple(Outcome)
MISSING = -1
RIGHT = OUTCOMES.index(Outcome.RIGHT)
ERROR = OUTCOMES.index(Outcome.ERROR)
SYSTEM = "system"
PERSON = "person"

# How a person counts: with an answer to every question of the set, or with answers to some.
COMPLETE = "complete"
PARTIAL = "partial"

# Raised when other entrants get a row than before, so that nothing stored by older code is shown.
_FORMAT = 2
CODE_OF = {outcome.value: code for code, outcome in enumerate(OUTCOMES)}


class Answer(NamedTuple):
    """How one question ended for an entrant (`type` and `id` as in `Entrant`); `outcome` is "" without a verdict."""

    type: str
    id: int
    repeat: int
    root_id: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who a block of rows belongs to: `id` is a system's or a participant's; `run_id` is empty for people.

    A person `has_finished` where their study's rule counts them on these questions, otherwise there is a `reason`
    (`survey.inclusion_rules`). They are `counted` (`COMPLETE` or `PARTIAL`) where all of their study who count can be
    counted in that way (`leaderboard.cohorts`): then they are the same people on every set their study feeds.
    """

    type: str
    id: int
    repeats: int = 1
    run_id: str = ""
    is_imported: bool = False
    is_submitted: bool = False
    is_demo: bool = False
    study_id: int = 0
    has_finished: bool = False
    counted: str = ""
    reason: str = ""


_ENTRANT_FIELDS = {each.name for each in fields(Entrant)}


@dataclass(frozen=True, slots=True)
class Matrix:
    """Outcome codes of shape (sum of the entrants' repeats, questions).

    A code is an index into `OUTCOMES`, or `MISSING` where there is no verdict. `study_rules` says in words who counts,
    by study, of each study of which somebody is here.
    """

    entrants: tuple[Entrant, ...]
    root_ids: tuple[int, ...]
    question_ids: tuple[int, ...]
    codes: Codes
    study_rules: Mapping[int, str] = field(default_factory=dict)

    def blocks(self) -> list[tuple[Entrant, Codes]]:
        """Return each entrant with its rows, of shape (repeats, questions)."""
        repeats = np.array([entrant.repeats for entrant in self.entrants], dtype=np.intp)
        ends = np.cumsum(repeats)
        return [
            (entrant, self.codes[start:end])
            for entrant, start, end in zip(self.entrants, ends - repeats, ends, strict=True)
        ]


def is_complete(codes: Codes) -> bool:
    """Say whether every question has a verdict that is the answerer's own: nothing missing, no `error`."""
    return bool(codes.size) and not bool(np.any((codes == MISSING) | (codes == ERROR)))


def build_matrix(
    *,
    columns: Sequence[tuple[int, int]],
    entrants: Iterable[Entrant],
    answers: Iterable[Answer] = (),
    system_codes: Iterable[Sequence[tuple[int, int, int, int]]] = (),
    study_rules: Mapping[int, str] | None = None,
    unanswered: Collection[tuple[str, int]] = (),
) -> Matrix:
    """Put answers into a matrix whose columns are (root id, question id), entrants in the order of type and id.

    `system_codes` are answers of systems in pieces, each as (system id, root id, repeat, code); of two on one place the
    later counts. An entrant without a single verdict has no row, but for those named (type, id) in `unanswered`:
    systems that were asked, and of whom there is no answer yet. Raise KeyError for an answer whose entrant or question
    is not among those given, and for a repeat an entrant does not have.
    """
    ordered = sorted(entrants, key=lambda entrant: (entrant.type, entrant.id))
    places = _Places.of(ordered, columns)
    codes = np.full((sum(entrant.repeats for entrant in ordered), len(columns)), MISSING, dtype=CODE_TYPE)
    for piece in system_codes:
        numbers = np.array(piece, dtype=np.int64).reshape(-1, 4)
        codes[places.rows_of_systems(numbers[:, 0], numbers[:, 2]), places.columns_of(numbers[:, 1])] = numbers[:, 3]
    for kind, number, repeat, root_id, outcome in answers:
        if outcome:
            codes[places.row(kind, number, repeat), places.column_of[root_id]] = CODE_OF[outcome]
    rows = [codes[first : first + entrant.repeats] for entrant, first in zip(ordered, places.first, strict=True)]
    return matrix_of(
        [
            (entrant, block)
            for entrant, block in zip(ordered, rows, strict=True)
            if (entrant.type, entrant.id) in unanswered or np.any(block != MISSING)
        ],
        root_ids=[root_id for root_id, _ in columns],
        question_ids=[question_id for _, question_id in columns],
        study_rules=study_rules or {},
    )


def matrix_of(
    blocks: Iterable[tuple[Entrant, Codes]],
    *,
    root_ids: Sequence[int],
    question_ids: Sequence[int],
    study_rules: Mapping[int, str],
) -> Matrix:
    """Return the matrix of these blocks, in the order of type and id, with the rules of the studies that are in it."""
    kept = sorted(blocks, key=lambda block: (block[0].type, block[0].id))
    studies = {entrant.study_id for entrant, _ in kept if entrant.type == PERSON}
    empty = np.empty((0, len(root_ids)), dtype=CODE_TYPE)
    return Matrix(
        entrants=tuple(entrant for entrant, _ in kept),
        root_ids=tuple(root_ids),
        question_ids=tuple(question_ids),
        codes=np.concatenate([empty, *(codes for _, codes in kept)]),
        study_rules={study_id: words for study_id, words in study_rules.items() if study_id in studies},
    )


def without_people(matrix: Matrix) -> Matrix:
    """Return what a matrix holds of systems."""
    blocks = [block for block in matrix.blocks() if block[0].type != PERSON]
    return matrix_of(blocks, root_ids=matrix.root_ids, question_ids=matrix.question_ids, study_rules={})


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the answers of entrants are: the first row of each, and the columns of questions by root."""

    first: list[int]
    entrants: Mapping[tuple[str, int], tuple[int, int]]
    column_of: Mapping[int, int]

    @classmethod
    def of(cls, ordered: Sequence[Entrant], columns: Sequence[tuple[int, int]]) -> "_Places":
        repeats = [entrant.repeats for entrant in ordered]
        first = [0, *accumulate(repeats)][: len(ordered)]
        entrants = {
            (each.type, each.id): place for each, place in zip(ordered, zip(first, repeats, strict=True), strict=True)
        }
        return cls(first, entrants, {root_id: index for index, (root_id, _) in enumerate(columns)})

    def row(self, kind: str, number: int, repeat: int) -> int:
        first, repeats = self.entrants[kind, number]
        if not 0 <= repeat < repeats:
            raise KeyError((kind, number, repeat))
        return first + repeat

    def rows_of_systems(self, system_ids: Integers, repeats: Integers) -> Integers:
        known = {number: place for (kind, number), place in self.entrants.items() if kind == SYSTEM}
        index = _indexes(system_ids, known)
        first, allowed = (np.array([place[part] for place in known.values()], dtype=np.int64) for part in (0, 1))
        if np.any(repeats < 0) or np.any(repeats >= allowed[index]):
            raise KeyError("A repeat that its system does not have.")
        return np.asarray(first[index] + repeats)

    def columns_of(self, root_ids: Integers) -> Integers:
        columns = np.array(list(self.column_of.values()), dtype=np.int64)
        return np.asarray(columns[_indexes(root_ids, self.column_of)])


def _indexes(values: Integers, known: Iterable[int]) -> Integers:
    """Return the place of each value among those known. Raise KeyError for one that is not."""
    names = np.fromiter(known, dtype=np.int64)
    order = np.argsort(names)
    found = np.searchsorted(names, values, sorter=order)
    if values.size and (not names.size or found.max() >= names.size or np.any(names[order[found]] != values)):
        raise KeyError("An answer of an entrant or to a question that is not among those given.")
    return np.asarray(order[found], dtype=np.int64)


def pack(matrix: Matrix) -> tuple[list[dict[str, Any]], bytes, dict[str, Any]]:
    """Return entrants, compressed codes, and what is needed to read them again, as stored."""
    inputs = {
        "format": _FORMAT,
        "outcomes": [outcome.value for outcome in OUTCOMES],
        "root_ids": list(matrix.root_ids),
        "question_ids": list(matrix.question_ids),
        "study_rules": [[study_id, words] for study_id, words in matrix.study_rules.items()],
    }
    # Of millions of codes this level takes a tenth of the time of the usual one, for a third more bytes.
    verdicts = zlib.compress(matrix.codes.tobytes(), level=1)
    return [asdict(entrant) for entrant in matrix.entrants], verdicts, inputs


def unpack(entrants: list[dict[str, Any]], verdicts: bytes, inputs: dict[str, Any]) -> Matrix:
    """Rebuild a matrix from what `pack` returned. Raise `ValueError` when what is kept of it has changed since."""
    if inputs.get("outcomes") != [outcome.value for outcome in OUTCOMES]:
        raise ValueError("The matrix was stored with other outcome codes; build it again.")
    if inputs.get("format") != _FORMAT or any(set(entrant) != _ENTRANT_FIELDS for entrant in entrants):
        raise ValueError("The matrix was stored with other facts about its entrants; build it again.")
    root_ids = tuple(inputs["root_ids"])
    codes = np.frombuffer(zlib.decompress(verdicts), dtype=CODE_TYPE)
    return Matrix(
        entrants=tuple(Entrant(**entrant) for entrant in entrants),
        root_ids=root_ids,
        question_ids=tuple(inputs["question_ids"]),
        codes=codes.reshape(-1, len(root_ids)) if root_ids else np.empty((0, 0), dtype=CODE_TYPE),
        study_rules=dict(inputs["study_rules"]),
    )
