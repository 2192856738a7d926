"""What published snapshots told of the people who are still there, for whoever tells more of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from corpus.scoring.types import Outcome
from leaderboard.models import Snapshot
from leaderboard.people import PEOPLE_SLUG
from leaderboard.people_steps import Told, step_told, telling
from leaderboard.people_together import Telling
from leaderboard.selectors.snapshots import content_of
from survey.selectors.board import board_answers

_NO_VERDICT = ("", Outcome.ERROR.value)
Rights = Mapping[int, int]


class _Looked(NamedTuple):
    """Questions (roots) and a rule, by which answers are looked up once."""

    root_ids: frozenset[int]
    rule: str


def people_told(*, benchmark_id: int, rule: str, participant_ids: Collection[int]) -> list[Telling]:
    """Return what the snapshots of a benchmark told of these people, in right answers by `rule`.

    Of people who answered every question. Left out is a snapshot whose words do not follow any more from the answers
    there are: somebody of it withdrew, so that no board tells the others' sum, or verdicts changed. Under another rule
    the same answers were judged; how these verdicts differ is taken as known.
    """
    known: dict[_Looked, Rights] = {}
    found = []
    for snapshot in Snapshot.objects.filter(set_revision__question_set__benchmark=benchmark_id).order_by("number"):
        people, row = set(snapshot.basis["participant_ids"]), _people_row(content_of(snapshot))
        if row is None or people.isdisjoint(participant_ids):
            continue
        root_ids = frozenset(snapshot.basis["root_ids"])
        for looked in (_Looked(root_ids, snapshot.rule), _Looked(root_ids, rule)):
            if looked not in known:
                known[looked] = _rights(looked)
        judged = known[_Looked(root_ids, snapshot.rule)]
        theirs = {person: right for person, right in judged.items() if person in people}
        if len(theirs) != row["people"]["n"]:
            continue
        step = step_told(list(theirs.values()), len(root_ids), _said(row))
        if step is not None:
            told = telling(theirs, root_ids=root_ids, step=step)
            found.append(_by_rule(told, theirs, known[_Looked(root_ids, rule)]))
    return found


def _people_row(content: dict[str, Any]) -> dict[str, Any] | None:
    """Return the row of people who answered everything, None where a snapshot tells no mean of them."""
    rows: Iterable[dict[str, Any]] = content["board"]["rows"]
    return next((row for row in rows if row["slug"] == PEOPLE_SLUG and row["accuracy"] is not None), None)


def _said(row: dict[str, Any]) -> Told:
    mean, *bounds = (row[name] for name in ("accuracy", "ci_low", "ci_high"))
    return Told(round(mean * 100), *(None if bound is None else round(bound * 100) for bound in bounds))


def _by_rule(told: Telling, theirs: Rights, now: Rights) -> Telling:
    """Return a telling in right answers by another rule."""
    moved = {person: now.get(person, right) - right for person, right in theirs.items()}
    return told._replace(
        possible={person: (low + moved[person], high + moved[person]) for person, (low, high) in told.possible.items()}
    )


def _rights(looked: _Looked) -> dict[int, int]:
    """Return the right answers of everybody who has a verdict on every question."""
    answers = board_answers(root_ids=looked.root_ids, rule=looked.rule)
    outcomes: dict[int, dict[int, str]] = {}
    for answer in answers:
        outcomes.setdefault(answer.participant_id, {})[answer.root_id] = answer.outcome
    return dict(_complete(outcomes, len(looked.root_ids)))


def _complete(outcomes: Mapping[int, Mapping[int, str]], n_questions: int) -> Iterator[tuple[int, int]]:
    for person, by_root in outcomes.items():
        verdicts = [outcome for outcome in by_root.values() if outcome not in _NO_VERDICT]
        if len(verdicts) == n_questions:
            yield person, verdicts.count(Outcome.RIGHT.value)
