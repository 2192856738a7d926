"""What the commands print about a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from corpus.scoring.types import Outcome
from evaluations.database_clock import database_now
from evaluations.models import Run
from evaluations.selectors import run_progress
from evaluations.selectors.costs import Spent
from evaluations.selectors.missing_usage import EstimatedCost, estimated_cost


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run's figures. `asked` counts every time a question was sent; `seconds` is the time since the run began.

    `estimated` is what answers without token counts may have cost; it is no part of what is `spent`.
    """

    run: UUID
    status: str
    status_label: str
    reason: str
    n_items: int
    outcomes: Mapping[str, int]
    asked: int
    seconds: float
    tokens_in: int | None
    tokens_out: int | None
    spent: Spent
    estimated: EstimatedCost | None

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "run": str(self.run),
            "status": self.status,
            "reason": self.reason,
            "n_items": self.n_items,
            "outcomes": dict(self.outcomes),
            "asked": self.asked,
            "seconds": round(self.seconds, 3),
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "spent": self.spent.as_dict(),
            "estimated": self.estimated.as_dict() if self.estimated else None,
        }

    def as_text(self) -> str:
        """Return one line for a person."""
        counts = ", ".join(f"{count} {name}" for name, count in self.outcomes.items() if count)
        of_which = f", {self.estimated.n_answers} without token counts {self.estimated.text}" if self.estimated else ""
        return (
            f"run {self.run}: {self.status_label}, {self.n_items} questions, asked {self.asked} times, "
            f"{counts or 'no answer yet'}, {self.seconds:.1f} s, cost {self.spent.text}{of_which}"
        )


def run_report(run_id: UUID) -> RunReport:
    """Return the figures of a run as they are now; every outcome is named, those that did not occur with 0."""
    run = Run.objects.get(pk=run_id)
    progress = run_progress(run=run)
    ended = run.finished_at or database_now()
    return RunReport(
        run=run.pk,
        status=run.status,
        status_label=run.get_status_display(),
        reason=run.error_message,
        n_items=progress.n_items,
        outcomes={outcome.value: progress.outcomes.get(outcome.value, 0) for outcome in Outcome},
        asked=progress.n_sent,
        seconds=(ended - run.started_at).total_seconds() if run.started_at else 0.0,
        tokens_in=progress.tokens_in,
        tokens_out=progress.tokens_out,
        spent=progress.spent,
        estimated=estimated_cost(run=run),
    )
