"""What the front page shows: the top of each board by benchmark, and the studies one can join."""

from dataclasses import dataclass

from corpus.models import Benchmark, QuestionSet
from leaderboard.boards import Row
from leaderboard.queries import Board, load_board, parse_query
from leaderboard.selectors.boards import public_sets
from survey.models import Study

TOP = 5


@dataclass(frozen=True, slots=True)
class BoardSummary:
    """The top of one board."""

    question_set: QuestionSet
    n_questions: int
    board: Board

    @property
    def top(self) -> list[Row]:
        """The best few that have a rank."""
        return [row for row in self.board.rows if row.rank is not None][:TOP]


@dataclass(frozen=True, slots=True)
class BenchmarkBoards:
    """A benchmark and its boards, the largest set first."""

    benchmark: Benchmark
    boards: tuple[BoardSummary, ...]


def benchmark_boards() -> list[BenchmarkBoards]:
    """Return the boards of every benchmark, demo ones last."""
    grouped: dict[int, list[QuestionSet]] = {}
    for question_set in public_sets():
        grouped.setdefault(question_set.benchmark_id, []).append(question_set)
    return [
        BenchmarkBoards(sets[0].benchmark, tuple(_summary(question_set) for question_set in sets))
        for sets in grouped.values()
    ]


def _summary(question_set: QuestionSet) -> BoardSummary:
    board = load_board(question_set=question_set, query=parse_query({}, question_set=question_set))
    return BoardSummary(question_set, board.n_questions, board)


def open_studies() -> list[Study]:
    """Return the studies that can be joined now, real ones first."""
    return list(Study.objects.filter(status=Study.Status.OPEN).order_by("is_demo", "title"))
