"""The answers a matrix is built from: models' from `evaluations`, people's from `survey`."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from corpus.models import QuestionSetRevision
from evaluations.models import Item, Run
from evaluations.selectors import BoardItems, board_items
from leaderboard.matrix import PERSON, SYSTEM, Answer, Entrant, Matrix, build_matrix
from survey.selectors.board import BoardAnswer, FinishedPerson, board_answers, finished_people


class Column(NamedTuple):
    """A question of a set revision: the root its answers are known by, and the question's own id."""

    root_id: int
    question_id: int


def columns_of(*, set_revision: QuestionSetRevision) -> list[Column]:
    """Return the questions of a set revision in its order."""
    members = set_revision.members.order_by("position").values_list(
        "question_revision__comparison_root_id", "question_revision_id", "question_revision__question_id"
    )
    return [Column(root_id or revision_id, question_id) for root_id, revision_id, question_id in members]


def read_matrix(*, set_revision: QuestionSetRevision, rule: str, with_fallback: bool = True) -> Matrix:
    """Build the matrix of a set revision under `rule` (`name@version`) from the stored verdicts.

    Without `with_fallback` what only a fallback reader could read is unparsed.
    """
    columns = columns_of(set_revision=set_revision)
    root_ids = [column.root_id for column in columns]
    systems = board_items(root_ids=root_ids, rule=rule, with_hidden=True, with_fallback=with_fallback)
    # Who has finished is read first: an answer in between can only add, and the next reader builds again.
    finished = finished_people(benchmark_id=set_revision.question_set.benchmark_id, rule=rule)
    people = list(board_answers(root_ids=root_ids, rule=rule))
    return build_matrix(
        columns=columns,
        entrants=[*_systems(systems), *_people(people, finished, n_questions=len(columns))],
        answers=chain(_system_answers(systems), _person_answers(people)),
    )


def _systems(board: BoardItems) -> Iterator[Entrant]:
    for run in board.runs:
        yield Entrant(
            type=SYSTEM,
            id=run.system_id,
            repeats=run.repeats,
            run_id=str(run.run_id),
            is_imported=run.origin == Run.Origin.IMPORTED,
            is_demo=run.is_demo,
        )


def _system_answers(board: BoardItems) -> Iterator[Answer]:
    for item in board.items:
        # A question that could not be asked is our failure, whatever an earlier attempt left on the row.
        outcome = "error" if item.status == Item.Status.FAILED else item.outcome
        yield Answer(SYSTEM, item.system_id, item.repeat, item.root_id, outcome)


def _people(
    answers: Sequence[BoardAnswer], finished: Sequence[FinishedPerson], *, n_questions: int
) -> Iterator[Entrant]:
    study_of = {person.participant_id: person.study_id for person in finished}
    counted = _counted_studies(answers, finished, n_questions=n_questions)
    demo = {answer.participant_id: answer.is_demo for answer in answers}
    for participant_id, is_demo in demo.items():
        study_id = study_of.get(participant_id, 0)
        yield Entrant(
            type=PERSON,
            id=participant_id,
            is_demo=is_demo,
            study_id=study_id,
            has_finished=participant_id in study_of,
            is_counted=study_id in counted,
        )


def _counted_studies(
    answers: Sequence[BoardAnswer], finished: Sequence[FinishedPerson], *, n_questions: int
) -> set[int]:
    """Return the studies of which everybody who finished has an answer to every question of the set."""
    answered: dict[int, set[int]] = defaultdict(set)
    for answer in answers:
        answered[answer.participant_id].add(answer.root_id)
    lacking = {person.study_id for person in finished if len(answered[person.participant_id]) < n_questions}
    return {person.study_id for person in finished} - lacking


def _person_answers(answers: Sequence[BoardAnswer]) -> Iterator[Answer]:
    for answer in answers:
        yield Answer(PERSON, answer.participant_id, 0, answer.root_id, answer.outcome)
