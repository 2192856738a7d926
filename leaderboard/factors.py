"""What goes with a score: size, release, price, tokens, time, temperature, base model, fallback reader."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from django.core.cache import cache

from corpus.models import QuestionSet
from corpus.scoring.types import Outcome
from evaluations.selectors.fallback_accuracy import MeasuredAccuracy, measured_by_run, words_of
from evaluations.selectors.temperatures import AskedRun, runs_by_temperature
from evaluations.selectors.usage import Known, Usage, usage_by_run
from leaderboard.boards import HUMAN, Estimate, Row, SystemFacts, estimate_of
from leaderboard.compare import board_to_compare, comparison_of
from leaderboard.fallback import all_strict
from leaderboard.matrix import is_complete
from leaderboard.queries import BadQueryError, Board
from leaderboard.selectors.boards import visible_systems
from leaderboard.selectors.factors import Stated, codes_of_runs, stated_facts, strict_codes
from leaderboard.selectors.shown import smallest_group

_KEEP_SECONDS = 86_400
# Sums over the answers to a set are told so exactly: the difference of two sets then tells little of single answers.
FIGURES = 3


class Factor(NamedTuple):
    """Something to set scores against: its name in the address, in a list, and on the axis of the chart."""

    slug: str
    label: str
    axis: str


FACTORS = {
    factor.slug: factor
    for factor in (
        Factor("released", "release date", "released"),
        Factor("size", "size (parameters)", "parameters"),
        Factor("price", "price per question", "per question"),
        Factor("tokens", "tokens written per question", "tokens written per question"),
        Factor("seconds", "seconds per question", "seconds per question"),
    )
}


class Measured(NamedTuple):
    """A mean over those `n` of `of` answers of which it is known; no value where it is known of none."""

    value: float | None
    n: int
    of: int

    @property
    def is_partial(self) -> bool:
        """Whether it is known of some answers only."""
        return 0 < self.n < self.of


@dataclass(frozen=True, slots=True)
class Line:
    """A system with its score, what is stated of it, and what its answers took, each per answer to one question."""

    row: Row
    stated: Stated
    price: Measured
    currency: str
    tokens_in: Measured
    tokens_out: Measured
    seconds: Measured
    is_on_front: bool = False

    def x(self, factor: str) -> float | date | None:
        """Return where the system stands on an axis of the chart; None where it is not known of every answer."""
        if factor == "released":
            return self.stated.released_on
        if factor == "size":
            return self.stated.parameter_count
        measured = {"price": self.price, "tokens": self.tokens_out, "seconds": self.seconds}[factor]
        return None if measured.is_partial else measured.value


class OnBase(NamedTuple):
    """A system beside the one it is built on, where that has an accuracy here; the difference is the first less it."""

    row: Row
    base: Row | None
    difference: float | None
    bounds: tuple[float, float] | None
    is_apart: bool | None


class Strict(NamedTuple):
    """A system whose run had a fallback reader: its row with it, its estimate without, how many answers rest on it.

    `accuracy_words` say how well that reader did on labelled cases.
    """

    row: Row
    estimate: Estimate
    n_by_fallback: int
    accuracy_words: str


class Heated(NamedTuple):
    """A run of a system under a temperature, to be set beside others of that system."""

    system: SystemFacts
    run: AskedRun
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Factors:
    """Everything of the page: the systems with an accuracy in rank order, and how many have none."""

    board: Board
    lines: tuple[Line, ...]
    n_without: int
    on_base: tuple[OnBase, ...]
    strict: tuple[Strict, ...]
    heated: tuple[Heated, ...]

    @property
    def currency(self) -> str:
        """The currency of most prices, the one that the chart shows; "" where no price is known."""
        counted = Counter(line.currency for line in self.lines if line.x("price") is not None)
        return min(counted, key=lambda currency: (-counted[currency], currency), default="")

    def charted(self, factor: str) -> list[Line]:
        """Return the systems that the chart shows against a factor."""
        found = [line for line in self.lines if line.x(factor) is not None]
        return [line for line in found if line.currency == self.currency] if factor == "price" else found


def parse_factor(text: str) -> str:
    """Return what scores are set against, the release date for nothing. Raise `BadQueryError` for an unknown one."""
    if text and text not in FACTORS:
        raise BadQueryError(f"There is no x “{text}”. There are: {', '.join(FACTORS)}.")
    return text or next(iter(FACTORS))


def factors_of(*, question_set: QuestionSet, rule: str, fallback: str = "") -> Factors:
    """Return what goes with the scores of a set. Raise `BadQueryError` for an unknown rule."""
    board = board_to_compare(question_set=question_set, rule=rule, fallback=fallback)
    usual = board_to_compare(question_set=question_set, rule=rule) if board.query.fallback == "off" else board
    systems = [row for row in board.rows if row.kind != HUMAN]
    rows = [row for row in systems if row.has_accuracy]
    stated, found = stated_facts(), _worked_out(board, rows)
    lines = [_line(row, stated[row.slug], found.usage.get(row.run_id)) for row in rows if row.slug in stated]
    front = price_front(lines)
    names = visible_systems()
    # Looked up each time: it is measured without any change of results.
    accuracies = measured_by_run(run_ids=list(found.strict)) if found.strict else {}
    return Factors(
        board=board,
        lines=tuple(replace(line, is_on_front=line.row.slug in front) for line in lines),
        n_without=len(systems) - len(rows),
        on_base=tuple(
            _on_base(board, line, rows) for line in lines if line.stated.base_model not in {"", line.row.slug}
        ),
        strict=tuple(
            _strict(row, found.strict[row.run_id], accuracies.get(row.run_id))
            for row in usual.rows
            if row.has_accuracy and row.run_id in found.strict
        ),
        heated=tuple(Heated(names[run.system_id], run, estimate) for run, estimate in found.heated),
    )


def price_front(lines: Sequence[Line]) -> set[str]:
    """Return the systems (slugs) on the Pareto front of price and score.

    One is on it where no other with prices in the same currency is at least as good for at most the price, and better
    in one of both. Prices are those shown; of a system whose price is not known of every answer nothing is said.
    """
    priced = [
        (line.row.slug, line.currency, float(price), line.row.estimate.accuracy or Fraction(0))
        for line in lines
        if isinstance(price := line.x("price"), float)
    ]
    return {
        slug
        for slug, currency, price, score in priced
        if not any(
            other_currency == currency
            and other_price <= price
            and other_score >= score
            and (other_price < price or other_score > score)
            for _, other_currency, other_price, other_score in priced
        )
    }


def measured(known: Known, n_answers: int, *, unit: float = 1.0) -> Measured:
    """Return the mean over the answers of which something is known, to three figures.

    Sums over few answers could be worked out from the figures of two sets, were they told more exactly.
    """
    mean = known.mean
    return Measured(None if mean is None else float(f"{mean * unit:.{FIGURES}g}"), known.n, n_answers)


def _line(row: Row, stated: Stated, usage: Usage | None) -> Line:
    usage = usage or Usage(0, Known(0, 0), "", Known(0, 0), Known(0, 0), Known(0, 0))
    n = usage.n_answers
    return Line(
        row=row,
        stated=stated,
        price=measured(usage.cost, n),
        currency=usage.currency,
        tokens_in=measured(usage.tokens_in, n),
        tokens_out=measured(usage.tokens_out, n),
        seconds=measured(usage.latency_ms, n, unit=0.001),
    )


def _on_base(board: Board, line: Line, rows: Sequence[Row]) -> OnBase:
    base = next((row for row in rows if row.slug == line.stated.base_model), None)
    if base is None:
        return OnBase(line.row, None, None, None, None)
    (pair,) = comparison_of(board, (line.row, base)).pairs
    sign = 1 if pair.first == line.row.slug else -1
    ends = sorted(sign * end for end in pair.whole.bounds or ())
    return OnBase(
        row=line.row,
        base=base,
        difference=sign * pair.whole.difference,
        bounds=(ends[0], ends[1]) if ends else None,
        is_apart=pair.is_apart,
    )


def _strict(row: Row, estimate: Estimate, accuracy: MeasuredAccuracy | None) -> Strict:
    unparsed = Outcome.UNPARSED.value
    return Strict(row, estimate, estimate.outcomes[unparsed] - row.estimate.outcomes[unparsed], words_of(accuracy))


@dataclass(frozen=True, slots=True)
class _Found:
    """What needs the answers themselves, by run where it is of the board's own runs."""

    usage: Mapping[str, Usage]
    strict: Mapping[str, Estimate]
    heated: tuple[tuple[AskedRun, Estimate], ...]


def _worked_out(board: Board, rows: Sequence[Row]) -> _Found:
    """Return what needs the answers, worked out once for each state of the results."""
    question_set = board.question_set
    made_from = (
        question_set.pk,
        question_set.current_revision_id,
        question_set.policy,
        question_set.benchmark.results_version,
        board.query.rule,
        board.query.fallback,
        [(row.slug, row.run_id) for row in board.rows],
    )
    key = f"factors:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: _Found | None = cache.get(key)
    if found is None:
        found = _found(board, rows)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _found(board: Board, rows: Sequence[Row]) -> _Found:
    root_ids, rule = board.matrix.root_ids, board.query.rule
    run_ids = [row.run_id for row in rows]
    slugs = {row.slug for row in board.rows}
    system_ids = [pk for pk, facts in visible_systems().items() if facts.slug in slugs]
    # Of a set too small to be shown a result of another run is none of the boards' either.
    is_shown = len(root_ids) >= smallest_group(board.question_set)
    runs = runs_by_temperature(root_ids=root_ids, system_ids=system_ids) if is_shown else []
    codes = codes_of_runs(root_ids=root_ids, rule=rule, runs=runs)
    if board.query.fallback == "off":
        codes = all_strict(codes, root_ids)
    strict = strict_codes(root_ids=root_ids, rule=rule, run_ids=run_ids)
    return _Found(
        usage={str(pk): usage for pk, usage in usage_by_run(root_ids=root_ids, run_ids=run_ids).items()},
        strict={str(pk): estimate_of(each) for pk, each in strict.items() if is_complete(each)},
        heated=tuple((run, estimate_of(codes[run.run_id])) for run in runs if is_complete(codes[run.run_id])),
    )
