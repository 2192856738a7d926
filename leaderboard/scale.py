"""Systems and people on one scale of ability, though not all of them answered the same questions."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.core.cache import cache

from corpus.models import QuestionSet
from corpus.scoring.rules import resolve_rule
from evaluations.models import System
from leaderboard import statistics
from leaderboard.boards import HUMAN, Row, SystemFacts
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE
from leaderboard.fallback import chosen_matrix
from leaderboard.matrix import COMPLETE, ERROR, MISSING, PARTIAL, PERSON, RIGHT, Codes, Entrant, Matrix, is_complete
from leaderboard.people import PEOPLE_SLUG, cohort_of
from leaderboard.queries import Board, load_board, whole_query
from leaderboard.selectors.boards import people_rule, visible_systems
from leaderboard.selectors.shown import shown_groups_of
from leaderboard.statistics import Floats, GroupAbility, ItemResponseModel

# With fewer systems a question's figures are hardly more than what was assumed of it.
FEWEST_SYSTEMS = 5
# Who answered fewer questions is on the scale by what was assumed, and hardly by the answers.
FEWEST_ANSWERS = 30
# Of people: abilities to one decimal, shares in whole percent, so that nothing follows of single answers.
DECIMALS_OF_ABILITY, DECIMALS_OF_SHARE = 1, 2
# The normal quantile of a 95% interval.
Z = 1.959964
_KEEP_SECONDS = 86_400
# Raised when what is worked out changes, so that nothing kept by older code is shown.
_FORMAT = 3


class Scale(NamedTuple):
    """How hard the questions of a set are, and how sharply they part the able from others, found from `n_systems`."""

    model: ItemResponseModel
    n_systems: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A system on the scale; `n_answered` of the questions are answered in every repeat, `helps` to make the scale."""

    row: Row
    n_answered: int
    ability: float
    ability_error: float
    expected: float
    expected_error: float
    helps: bool

    @property
    def expected_bounds(self) -> tuple[float, float]:
        """The 95% interval of the share expected."""
        half = Z * self.expected_error
        return max(self.expected - half, 0.0), min(self.expected + half, 1.0)


@dataclass(frozen=True, slots=True)
class PlacedPeople:
    """People on the scale as a group, in rounded figures; `n_asked` is the median number of questions of a person."""

    row: Row
    n_asked: float
    found: GroupAbility


@dataclass(frozen=True, slots=True)
class Placement:
    """Who stands where; nobody without a scale."""

    board: Board
    scale: Scale | None
    systems: tuple[Placed, ...]
    people: tuple[PlacedPeople, ...]


def counted_systems(matrix: Matrix, systems: Mapping[int, SystemFacts]) -> list[tuple[Entrant, Codes]]:
    """Return the systems that questions are described by: those that answered the whole set, baselines apart."""
    return [
        (entrant, codes)
        for entrant, codes in matrix.blocks()
        if entrant.type != PERSON
        and entrant.id in systems
        and systems[entrant.id].kind != System.Kind.BASELINE
        and is_complete(codes)
    ]


def scale_of(*, question_set: QuestionSet, rule: str, fallback: str = "on") -> Scale | None:
    """Return the scale of a set, worked out once for each state of the results and of the systems shown."""
    systems = visible_systems()
    made_from = (
        _FORMAT,
        question_set.current_revision_id,
        question_set.benchmark.results_version,
        rule,
        fallback,
        sorted((pk, facts.kind) for pk, facts in systems.items()),
    )
    key = f"scale:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    # None is an answer as well: too few systems.
    found: tuple[Scale | None] | None = cache.get(key)
    if found is None:
        found = (fitted_scale(chosen_matrix(question_set=question_set, rule=rule, fallback=fallback), systems),)
        cache.set(key, found, _KEEP_SECONDS)
    return found[0]


def fitted_scale(matrix: Matrix, systems: Mapping[int, SystemFacts]) -> Scale | None:
    """Return difficulty and discrimination of each question, found by `fit_item_response` from systems alone.

    Systems count that answered the whole set, baselines and hidden ones do not; with fewer than five of them there is
    no scale. People are not in it: what follows for a single question tells nothing of them. The scale takes
    the abilities of these systems to be normal, of mean 0 and standard deviation 1, so it moves when a system comes;
    the mean and deviation of the abilities found need not be exactly these.
    """
    counted = counted_systems(matrix, systems)
    if len(counted) < FEWEST_SYSTEMS:
        return None
    values = np.array([(codes == RIGHT).mean(axis=0) for _, codes in counted])
    return Scale(statistics.fit_item_response(values), len(counted))


def placement_of(*, question_set: QuestionSet, rule: str, fallback: str = "") -> Placement:
    """Return where the entrants of a set stand on its scale. Raise `BadQueryError` for an unknown rule.

    Only for readers who may see single verdicts: abilities are no sums over questions.
    """
    query = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    board = load_board(question_set=question_set, query=query)
    scale = scale_of(question_set=question_set, rule=query.rule, fallback=query.fallback)
    if scale is None:
        return Placement(board, None, (), ())
    made_from = (
        _FORMAT,
        question_set.pk,
        question_set.current_revision_id,
        question_set.policy,
        question_set.benchmark.results_version,
        query.rule,
        query.fallback,
        people_rule(),
        [(row.slug, row.run_id, row.kind, row.estimate.accuracy) for row in board.rows],
    )
    key = f"placement:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: tuple[dict[str, Placed], dict[str, PlacedPeople]] | None = cache.get(key)
    if found is None:
        found = placed_systems(board, scale), placed_people(board, scale)
        cache.set(key, found, _KEEP_SECONDS)
    systems, people = found
    return Placement(
        board,
        scale,
        tuple(systems[row.slug] for row in board.rows if row.slug in systems),
        tuple(people[row.slug] for row in board.rows if row.slug in people),
    )


def placed_systems(board: Board, scale: Scale) -> dict[str, Placed]:
    """Return each system's ability on the scale (`known_abilities`), by slug.

    Its expected share is that of all questions of the set. Systems that answered only some of them are placed from
    thirty on, and marked: where a run stopped may depend on what it found hard. Nobody is ranked by ability.
    """
    rows = {row.run_id: row for row in board.rows if row.run_id}
    blocks = [(rows[entrant.run_id], codes) for entrant, codes in board.matrix.blocks() if entrant.run_id in rows]
    usable = [((codes != MISSING) & (codes != ERROR)).all(axis=0) for _, codes in blocks]
    enough = [index for index, is_there in enumerate(usable) if is_there.sum() >= min(FEWEST_ANSWERS, is_there.size)]
    if not enough:
        return {}
    values = np.array([np.where(usable[index], (blocks[index][1] == RIGHT).mean(axis=0), np.nan) for index in enough])
    found = statistics.known_abilities(values, scale.model.difficulty, scale.model.discrimination)
    placed = {}
    for place, index in enumerate(enough):
        row = blocks[index][0]
        placed[row.slug] = Placed(
            row=row,
            n_answered=int(usable[index].sum()),
            ability=float(found.ability[place]),
            ability_error=float(found.ability_error[place]),
            expected=float(found.expected_score[place]),
            expected_error=float(found.expected_score_error[place]),
            helps=row.is_complete and row.kind != System.Kind.BASELINE,
        )
    return placed


def placed_people(board: Board, scale: Scale) -> dict[str, PlacedPeople]:
    """Return the ability of people as groups (`group_ability`), by the slug of their row; of nobody alone.

    A group is that of a row of the board with an accuracy, under the benchmark's own rule; none where the totals of two
    sets tell the result of a few questions, nor of fewer questions than a mean of people needs, nor at the end of the
    scale. Abilities are given to one decimal and shares in whole percent.
    """
    question_set = board.question_set
    rule = resolve_rule(question_set.benchmark.default_rule)
    is_given_away = shown_groups_of(question_set=question_set).given_away_of_people
    if board.query.rule != rule or is_given_away or board.n_questions < SMALLEST_GROUP_OF_PEOPLE:
        return {}
    found = {}
    for row in board.rows:
        if row.kind != HUMAN or not row.has_accuracy:
            continue
        how = COMPLETE if row.slug == PEOPLE_SLUG else PARTIAL
        cohort = cohort_of(board.matrix, minimum=people_rule().minimum_for_mean, how=how)
        values: Floats = np.where(cohort.answered, cohort.codes == RIGHT, np.nan)
        ability = statistics.group_ability(values, scale.model.difficulty, scale.model.discrimination)
        if np.isnan(ability.mean):
            continue
        asked = float(np.median(cohort.answered.sum(axis=1)))
        found[row.slug] = PlacedPeople(row, asked, _rounded(ability))
    return found


def _rounded(found: GroupAbility) -> GroupAbility:
    low, high = found.interval
    return found._replace(
        mean=round(found.mean, DECIMALS_OF_ABILITY),
        standard_error=round(found.standard_error, DECIMALS_OF_ABILITY),
        deviation=float("nan"),
        expected_score=round(found.expected_score, DECIMALS_OF_SHARE),
        interval=statistics.Interval(float(np.floor(low * 100 + 1e-9) / 100), float(np.ceil(high * 100 - 1e-9) / 100)),
    )
