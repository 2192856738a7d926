"""Building a matrix and what it is stored as."""

import numpy as np
import pytest

from corpus.scoring.types import Outcome
from leaderboard.matrix import (
    MISSING,
    OUTCOMES,
    PERSON,
    SYSTEM,
    Answer,
    Entrant,
    build_matrix,
    pack,
    unpack,
    without_people,
)

COLUMNS = [(11, 1), (12, 2), (13, 3)]
CODE = {outcome.value: code for code, outcome in enumerate(OUTCOMES)}


def example():
    return build_matrix(
        columns=COLUMNS,
        entrants=[Entrant(SYSTEM, 5, repeats=2, run_id="r"), Entrant(PERSON, 9), Entrant(SYSTEM, 6)],
        answers=[
            Answer(SYSTEM, 5, 1, 12, "wrong"),
            Answer(SYSTEM, 5, 0, 11, "right"),
            Answer(SYSTEM, 5, 0, 13, ""),
            Answer(PERSON, 9, 0, 13, "do_not_know"),
        ],
    )


def test_each_answer_is_at_its_entrant_repeat_and_question() -> None:
    matrix = example()
    person, system = matrix.blocks()
    assert person[1].tolist() == [[MISSING, MISSING, CODE["do_not_know"]]]
    assert system[1].tolist() == [[CODE["right"], MISSING, MISSING], [MISSING, CODE["wrong"], MISSING]]


def test_an_entrant_without_a_verdict_has_no_row() -> None:
    assert [entrant.id for entrant in example().entrants] == [9, 5]


def test_stored_and_read_again_it_is_the_same() -> None:
    matrix = example()
    again = unpack(*pack(matrix))
    assert (again.entrants, again.root_ids, again.question_ids) == (
        matrix.entrants,
        matrix.root_ids,
        matrix.question_ids,
    )
    assert np.array_equal(again.codes, matrix.codes)


def test_a_matrix_without_entrants_or_questions_can_be_stored() -> None:
    for columns in (COLUMNS, []):
        matrix = build_matrix(columns=columns, entrants=[], answers=[])
        assert unpack(*pack(matrix)).codes.shape == (0, len(columns))


def test_codes_of_other_outcomes_are_not_read_as_ours() -> None:
    entrants, verdicts, inputs = pack(example())
    inputs["outcomes"] = [outcome.value for outcome in Outcome][::-1]
    with pytest.raises(ValueError, match="build it again"):
        unpack(entrants, verdicts, inputs)


def test_entrants_stored_with_other_facts_are_not_read_as_ours() -> None:
    entrants, verdicts, inputs = pack(example())
    del entrants[0]["has_finished"]
    with pytest.raises(ValueError, match="build it again"):
        unpack(entrants, verdicts, inputs)


def test_codes_of_systems_are_placed_by_root_and_repeat_and_the_later_counts() -> None:
    matrix = build_matrix(
        columns=[(12, 1), (11, 2), (13, 3)],
        entrants=[Entrant(SYSTEM, 6), Entrant(SYSTEM, 5, repeats=2), Entrant(PERSON, 5)],
        answers=[Answer(PERSON, 5, 0, 13, "wrong")],
        system_codes=[[(5, 11, 1, 0), (6, 12, 0, 1)], [(5, 11, 1, 2)], []],
    )
    assert [(entrant.type, entrant.id) for entrant in matrix.entrants] == [(PERSON, 5), (SYSTEM, 5), (SYSTEM, 6)]
    assert matrix.codes.tolist() == [
        [MISSING, MISSING, CODE["wrong"]],
        [MISSING] * 3,
        [MISSING, 2, MISSING],
        [1, MISSING, MISSING],
    ]


@pytest.mark.parametrize("stray", [(5, 11, 2, 0), (5, 11, -1, 0), (8, 11, 0, 0), (5, 14, 0, 0), (5, 10, 0, 0)])
def test_a_code_without_a_place_is_refused(stray) -> None:
    with pytest.raises(KeyError):
        build_matrix(
            columns=COLUMNS, entrants=[Entrant(SYSTEM, 5, repeats=2), Entrant(SYSTEM, 6)], system_codes=[[stray]]
        )


def test_without_people_their_rows_and_rules_are_gone() -> None:
    matrix = build_matrix(
        columns=COLUMNS,
        entrants=[Entrant(SYSTEM, 6), Entrant(PERSON, 9, study_id=3)],
        answers=[Answer(SYSTEM, 6, 0, 11, "right"), Answer(PERSON, 9, 0, 13, "wrong")],
        study_rules={3: "whoever", 4: "nobody here"},
    )
    assert matrix.study_rules == {3: "whoever"}
    left = without_people(matrix)
    assert ([entrant.id for entrant in left.entrants], left.codes.tolist(), left.study_rules) == (
        [6],
        [[CODE["right"], MISSING, MISSING]],
        {},
    )
