"""How well fallback readers did on labelled replies: what was measured, and kept, of the same reader."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.models import ActionLog
from evaluations.models import Run

MEASURED = "fallback.measured"
NOT_TRIED = "not tried against labelled cases yet"
# What a reader reads by. Its prices may change, and it is the same reader.
_READS_BY = ("reader", "system", "provider", "model_id", "base_url", "parameters", "prompts")


@dataclass(frozen=True, slots=True)
class MeasuredAccuracy:
    """What a fallback reader made of `n` labelled replies that our own reader leaves unparsed.

    `n_right` ended as labelled; `n_falsely` were read otherwise, `n_made_up` of them where no answer is stated; in
    `n_missed` an answer is stated and was not found.
    """

    n_labelled: int
    n: int
    n_right: int
    n_falsely: int
    n_made_up: int
    n_missed: int

    @property
    def words(self) -> str:
        """The result in words."""
        if not self.n:
            return f"tried, but none of {self.n_labelled} labelled cases is left unparsed by our own reader"
        misread = self.n_falsely - self.n_made_up
        parts = [f"{misread} misread"] * bool(misread) + [f"{self.n_missed} missed"] * bool(self.n_missed)
        beside = [*parts, f"{self.n_made_up or 'none'} made up"]
        return f"right on {self.n_right} of {self.n} labelled cases, {', '.join(beside)}"


def reader_digest(facts: Mapping[str, Any]) -> str:
    """Return a name for a fallback reader with everything it reads by, of the facts that are frozen with a run."""
    text = json.dumps([facts.get(name) for name in _READS_BY], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def measured_by_run(*, run_ids: Collection[Any]) -> dict[str, MeasuredAccuracy | None]:
    """Return the newest result of the very reader each run was made with, None where it was not tried.

    Runs without a fallback reader are left out. A model, parameters or prompts that have changed since are another.
    """
    rows = Run.objects.filter(pk__in=run_ids, frozen__has_key="fallback").values_list("pk", "frozen")
    digests = {str(pk): reader_digest(frozen["fallback"]) for pk, frozen in rows}
    found: dict[str, MeasuredAccuracy] = {}
    if digests:
        kept = ActionLog.objects.filter(code=MEASURED).order_by("created_at", "pk").values_list("detail", flat=True)
        found = {detail["digest"]: _measured(detail) for detail in kept}
    return {pk: found.get(digest) for pk, digest in digests.items()}


def words_of(measured: MeasuredAccuracy | None) -> str:
    """Return the result in words, or that there is none."""
    return measured.words if measured else NOT_TRIED


def _measured(detail: Mapping[str, Any]) -> MeasuredAccuracy:
    counts = {name: int(detail[name]) for name in ("n_labelled", "n_falsely", "n_made_up", "n_missed")}
    n_right = int(detail["n_rightly"]) + int(detail["n_rightly_unread"])
    return MeasuredAccuracy(**counts, n_right=n_right, n=n_right + counts["n_falsely"] + counts["n_missed"])
