"""People of a study with their counts of outcomes under several rules, as commands report them. For staff only."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from corpus.scoring.rules import resolve_rule
from corpus.scoring.types import Outcome
from survey.models import Study
from survey.selectors.board import BoardAnswer, board_answers


def people_counts(*, study: Study, root_ids: Collection[int], rules: Sequence[str]) -> list[dict[str, Any]]:
    """Return each person of a study, by pseudonym, with their outcomes on these questions under each rule.

    Those under way are among them, as staff see everybody. `n_questions` is how many of the questions the person has
    answered. A rule nothing of theirs was judged by is left out.
    """
    answers: dict[tuple[str, str], list[BoardAnswer]] = {}
    for rule in rules:
        for answer in board_answers(root_ids=root_ids, rule=resolve_rule(rule), with_under_way=True):
            if answer.study_slug == study.slug:
                answers.setdefault((answer.pseudonym, rule), []).append(answer)
    people = sorted({pseudonym for pseudonym, _ in answers})
    return [
        {
            "slug": pseudonym,
            "name": pseudonym,
            "kind": "person",
            "study": study.slug,
            "n_questions": max(len(answers.get((pseudonym, rule), ())) for rule in rules),
            "rules": {rule: _counts(answers[pseudonym, rule]) for rule in rules if (pseudonym, rule) in answers},
        }
        for pseudonym in people
    ]


def _counts(answers: Sequence[BoardAnswer]) -> dict[str, int]:
    counts = Counter(answer.outcome for answer in answers)
    return {outcome.value: counts[outcome.value] for outcome in Outcome}
