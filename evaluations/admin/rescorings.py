"""Rescorings of runs: what would change, to accept or to discard."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.contrib import admin

from corpus.answer_admin import RescoringMixin
from corpus.services.rescoring import Accepted, Proposed
from evaluations.admin.evidence import EvidenceAdmin
from evaluations.models import Item, ItemRescoring, Run
from evaluations.services.rescoring import run_rescore, run_rescoring_accept, run_rescoring_discard


@admin.register(ItemRescoring)
class ItemRescoringAdmin(RescoringMixin, EvidenceAdmin):
    """Propose, look at and decide rescorings of runs."""

    group_model = Run
    group_field = "run"
    rows_related = ("answer__question_revision__question",)
    list_select_related = ("run__system", "run__set_revision__question_set")

    @admin.display(description="run")
    def whose(self, rescoring: Any) -> str:
        """Return the system and the set."""
        run = rescoring.run
        return f"{run.system.name} on {run.set_revision.question_set.name}, {run.pk}"

    def propose(self, *, group: Run, rule: str, reader: str, actor: Any) -> Sequence[Proposed]:
        """Propose a rescoring of one run."""
        return (run_rescore(run=group, rule=rule, reader=reader, actor=actor),)

    def accept(self, *, rescoring_id: int, actor: Any, replace: Collection[int]) -> Accepted:
        """Accept a rescoring."""
        return run_rescoring_accept(rescoring_id=rescoring_id, actor=actor, replace=replace)

    def discard(self, *, rescoring_id: int, actor: Any) -> ItemRescoring:
        """Discard a rescoring."""
        return run_rescoring_discard(rescoring_id=rescoring_id, actor=actor)

    def question_key(self, answer: Item) -> str:
        """Return the question's key."""
        return answer.question_revision.question.key

    def letters_of(self, answer: Item) -> Mapping[str, str]:
        """Return the letters as they were sent."""
        return {key: letter for letter, key, _ in answer.options_shown}
