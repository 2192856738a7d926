"""Change who of a study counts, and tell the boards."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from corpus.models import Benchmark
from corpus.services.results import action_log, results_changed
from survey.inclusion_rules import InclusionRule, rule_of
from survey.models import Participant, Study
from survey.selectors.inclusion import inclusions, people_to_join
from survey.services.holding import people_hold


class InclusionChange(NamedTuple):
    """How many people count after a change of the rule, how many came to count, and how many no longer do."""

    n_counted: int
    n_joined: int
    n_left: int


@contextmanager
def results_change(*, study_id: int, also: Q | None = None) -> Iterator[None]:
    """Change what results of a study rest on, in one transaction: hold people and the study, write, tell the boards.

    Held are those who may join public results, and people chosen by `also`: whoever's answers or flags are written.
    See `joining_hold` and `study_results_changed`.
    """
    with transaction.atomic():
        joining_hold(study_id=study_id, also=also)
        # Before a benchmark's row, which the change may write: an answer that ends a study takes them in that order.
        _study_hold(study_id)
        yield
        study_results_changed(study_id=study_id)


def study_results_changed(*, study_id: int, also: Collection[int] = ()) -> None:
    """Let people join public results, and raise the results version of every benchmark a study asks.

    `also` are ids of benchmarks that it asked before the change.
    Call it in the transaction of the change, with people held before the change was written; see `results_change`.
    """
    with transaction.atomic():
        people_join(study_id=study_id)
        study_versions_raise(study_id=study_id, also=also)


def people_join(*, study_id: int) -> int:
    """Store who comes into public results now, and return how many; see `people_to_join`.

    Whoever joined stays: nobody moves up when somebody withdraws, and a place among the groups is given once.
    """
    with transaction.atomic():
        held = joining_hold(study_id=study_id)
        # Two at one moment do not form two groups of the same.
        _study_hold(study_id)
        ids = people_to_join(study=Study.objects.get(pk=study_id))
        while not held.issuperset(ids):
            # Somebody finished between the two; who withdrew before being held is not among them when asked again.
            held |= people_hold(Participant.objects.filter(pk__in=set(ids) - held))
            ids = people_to_join(study=Study.objects.get(pk=study_id))
        return Participant.objects.filter(pk__in=ids, counts_since__isnull=True).update(counts_since=timezone.now())


def _study_hold(study_id: int) -> None:
    """Hold a study's row until the transaction ends; nothing new is written."""
    Study.objects.filter(pk=study_id).update(n_draws=F("n_draws"))


def joining_hold(*, study_id: int, also: Q | None = None) -> set[int]:
    """Hold everybody who may join public results, and people chosen by `also`, until the transaction ends.

    Return who is held. Nobody of them withdraws meanwhile, so that a group that joins is whole. Call it before the
    study's or a benchmark's row is written in the transaction: the order is people, study, benchmarks.
    """
    may_join = Q(study=study_id, finished_at__isnull=False, counts_since__isnull=True, withdrawn_at__isnull=True)
    return people_hold(Participant.objects.filter(may_join | also if also else may_join))


def study_versions_raise(*, study_id: int, also: Collection[int] = ()) -> None:
    """Raise the results version of every benchmark a study asks; call it in the transaction of the change."""
    # In one order, so that two of these never wait for each other.
    for benchmark_id in sorted(benchmarks_asked(study_id=study_id).union(also)):
        results_changed(benchmark_id=benchmark_id, of_people=True)


def benchmarks_asked(*, study_id: int) -> set[int]:
    """Return the ids of the benchmarks whose questions the parts of a study ask."""
    asked = Benchmark.objects.filter(question_sets__revisions__study_blocks__study=study_id)
    return set(asked.values_list("pk", flat=True))


def inclusion_preview(*, study: Study, rule: InclusionRule) -> InclusionChange:
    """Return what a rule would change against the stored one, groups that would join included; nothing is written."""
    before = {person.participant_id: person.block_ids for person in inclusions(study=study).people.values()}
    after = {person.participant_id: person.block_ids for person in inclusions(study=study, rule=rule).people.values()}
    return InclusionChange(
        n_counted=sum(bool(blocks) for blocks in after.values()),
        n_joined=sum(bool(blocks - before[person]) for person, blocks in after.items()),
        n_left=sum(bool(before[person] - blocks) for person, blocks in after.items()),
    )


def inclusion_rule_set(*, study: Study, rule: InclusionRule, actor: AbstractBaseUser | None = None) -> InclusionChange:
    """Store by which rule people of a study count; answers stay untouched, boards follow at once.

    Figures before and after are about different people, so that a reader who noted both can subtract: where few people
    move, this is a release decision (docs/decisions/0008-who-counts-where.md).
    """
    with results_change(study_id=study.pk):
        stored = Study.objects.get(pk=study.pk)
        change = inclusion_preview(study=stored, rule=rule)
        before = rule_of(stored).words
        Study.objects.filter(pk=study.pk).update(
            completion_rule=rule.completion,
            minimum_years=rule.minimum_years,
            counts_unknown_experience=rule.counts_unknown_experience,
        )
        detail = {"before": before, "after": rule.words, **change._asdict()}
        action_log(code="study.inclusion_changed", target=study, actor=actor, detail=detail)
    study.refresh_from_db()
    return change
