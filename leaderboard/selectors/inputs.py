"""The answers a matrix is built from: models' from `evaluations`, people's from `survey`."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from corpus.models import QuestionSetMember, QuestionSetRevision
from corpus.selectors.changes import Changes
from corpus.selectors.later_keys import keys_in_force
from evaluations.models import Run
from evaluations.selectors import BoardCodes, board_codes
from leaderboard.cohorts import SetAnswers
from leaderboard.matrix import CODE_OF, PERSON, SYSTEM, Answer, Entrant, Matrix, build_matrix, matrix_of
from survey.selectors.board import BoardAnswer, board_answers, other_answers
from survey.selectors.inclusion import Inclusions, inclusions


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


def read_matrix(*, set_revision: QuestionSetRevision, rule: str) -> Matrix:
    """Build the matrix of a set revision under `rule` (`name@version`) from the stored verdicts."""
    columns = columns_of(set_revision=set_revision)
    systems = board_codes(root_ids=_roots(columns), rule=rule, codes=CODE_OF)
    people = _read_people(set_revision, rule, columns)
    return build_matrix(
        columns=columns,
        entrants=[*_systems(systems), *people.entrants],
        answers=people.answers,
        system_codes=systems.pieces,
        unanswered=_unanswered(systems),
        study_rules=people.study_rules,
    )


def read_changes(*, known: Matrix, changes: Changes, set_revision: QuestionSetRevision, rule: str) -> Matrix:
    """Return the matrix that `read_matrix` would build, from an earlier one and what changed since, which is not all.

    Only the systems that changed are read again, and people where anything of them changed.
    """
    columns = [Column(*pair) for pair in zip(known.root_ids, known.question_ids, strict=True)]
    systems = board_codes(root_ids=_roots(columns), rule=rule, codes=CODE_OF, system_ids=changes.system_ids)
    people = _read_people(set_revision, rule, columns) if changes.of_people else _People([], [], known.study_rules)
    read = build_matrix(
        columns=columns,
        entrants=[*_systems(systems), *people.entrants],
        answers=people.answers,
        system_codes=systems.pieces,
        unanswered=_unanswered(systems),
    )
    kept = [
        block
        for block in known.blocks()
        if (not changes.of_people if block[0].type == PERSON else block[0].id not in changes.system_ids)
    ]
    return matrix_of(
        [*kept, *read.blocks()],
        root_ids=known.root_ids,
        question_ids=known.question_ids,
        study_rules=people.study_rules,
    )


def _unanswered(board: BoardCodes) -> set[tuple[str, int]]:
    # Whose answers are there but not judged under this rule is not on its board: nothing of them is missing.
    return {(SYSTEM, run.system_id) for run in board.runs if not run.n_answered}


def _roots(columns: Sequence[Column]) -> list[int]:
    return [column.root_id for column in columns]


class _People(NamedTuple):
    """The people of a matrix, their answers, and the rules of their studies in words."""

    entrants: Sequence[Entrant]
    answers: Iterable[Answer]
    study_rules: Mapping[int, str]


def _read_people(set_revision: QuestionSetRevision, rule: str, columns: Sequence[Column]) -> _People:
    # Who counts is read first: an answer in between can only add, and the next reader builds again. The answers leave
    # out who is under way; whoever came to their end between the two is left to that reader as well.
    found = inclusions(benchmark_id=set_revision.question_set.benchmark_id)
    under_way = {person.participant_id for person in found.people.values() if person.is_under_way}
    answers = board_answers(root_ids=_roots(columns), rule=rule, with_unjudged=True)
    people = SetAnswers(
        answers=[answer for answer in answers if answer.participant_id not in under_way],
        found=found,
        n_questions=len(columns),
        pools=_pools(found, set_revision=set_revision, columns=columns),
    )
    counted = people.counted()
    return _People(
        entrants=list(_people(people, counted)),
        answers=_person_answers(people.kept(counted)),
        study_rules={study_id: study_rule.words for study_id, study_rule in found.rules.items()},
    )


def _systems(board: BoardCodes) -> Iterator[Entrant]:
    for run in board.runs:
        yield Entrant(
            type=SYSTEM,
            id=run.system_id,
            repeats=run.repeats,
            run_id=str(run.run_id),
            is_imported=run.origin == Run.Origin.IMPORTED,
            is_submitted=run.origin == Run.Origin.SUBMITTED,
            is_demo=run.is_demo,
        )


def _people(here: SetAnswers, counted: Mapping[int, str]) -> Iterator[Entrant]:
    demo = {answer.participant_id: answer.is_demo for answer in here.answers}
    for participant_id, is_demo in demo.items():
        person = here.found.people.get(participant_id)
        reason = here.reason(participant_id)
        yield Entrant(
            type=PERSON,
            id=participant_id,
            is_demo=is_demo,
            study_id=person.study_id if person else 0,
            has_finished=not reason,
            counted=counted.get(participant_id, ""),
            reason=reason.value,
        )


def _person_answers(answers: Iterable[BoardAnswer]) -> Iterator[Answer]:
    for answer in answers:
        yield Answer(PERSON, answer.participant_id, 0, answer.root_id, answer.outcome)


def _pools(found: Inclusions, *, set_revision: QuestionSetRevision, columns: Sequence[Column]) -> set[int]:
    """Return the blocks given in part whose questions are those of the set, all of them and no others.

    Where the key of a question was corrected, a block is one once every answer that counts is judged by the new key.
    """
    partial = [design for design in found.blocks.values() if design.is_partial]
    others = {design.set_revision_id for design in partial} - {set_revision.pk}
    same = {set_revision.pk} | (_revisions_of(others, columns) if others else set())
    blocks = {design.block_id for design in partial if design.set_revision_id in same}
    return blocks - _awaiting_key(blocks, found, {column.root_id for column in columns}) if blocks else blocks


def _revisions_of(set_revision_ids: Collection[int], columns: Sequence[Column]) -> set[int]:
    """Return those of the set revisions that hold exactly these questions, a corrected one by its key in force."""
    wanted, question_ids = {column.root_id for column in columns}, {column.question_id for column in columns}
    rows = QuestionSetMember.objects.filter(set_revision__in=set_revision_ids).values_list(
        "set_revision_id",
        "question_revision_id",
        "question_revision__comparison_root_id",
        "question_revision__question_id",
    )
    members = [
        (set_id, revision_id, root_id or revision_id, question) for set_id, revision_id, root_id, question in rows
    ]
    earlier = {pk for _, pk, root_id, question_id in members if root_id not in wanted and question_id in question_ids}
    in_force = keys_in_force(earlier) if earlier else {}
    roots: dict[int, set[int]] = defaultdict(set)
    for set_revision_id, revision_id, root_id, _ in members:
        roots[set_revision_id].add(in_force[revision_id].root_id if revision_id in in_force else root_id)
    return {set_revision_id for set_revision_id, found in roots.items() if found == wanted}


def _awaiting_key(block_ids: Collection[int], found: Inclusions, root_ids: Collection[int]) -> set[int]:
    """Return the blocks with an answer that counts and is not judged by the corrected key of its question yet."""
    others = [
        answer
        for answer in other_answers(block_ids=block_ids, root_ids=root_ids)
        if answer.participant_id in found.people and answer.block_id in found.people[answer.participant_id].block_ids
    ]
    in_force = keys_in_force({answer.revision_id for answer in others}) if others else {}
    return {answer.block_id for answer in others if in_force[answer.revision_id].root_id in root_ids}
