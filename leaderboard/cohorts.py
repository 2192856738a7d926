"""Which people count on a set, and how: with every question of it, or each with some. Pure.

The reasons are in docs/decisions/0008-who-counts-where.md: any two public figures about people are about whole cohorts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from leaderboard.matrix import COMPLETE, PARTIAL
from survey.inclusion_rules import Completion, Reason
from survey.selectors.board import BoardAnswer
from survey.selectors.inclusion import BlockDesign, Inclusion, Inclusions

# Neither a verdict: never judged under the rule, or not to be judged.
NO_VERDICT = ("", "error")


@dataclass(frozen=True)
class SetAnswers:
    """The answers to the questions of one set under one rule, and who of the people counts.

    `pools` are the blocks whose people answer different questions, and all of whose questions are the set's.
    """

    answers: Sequence[BoardAnswer]
    found: Inclusions
    n_questions: int
    pools: Collection[int]

    def counted(self) -> dict[int, str]:
        """Return the participants who count on the set, each with how: `COMPLETE` or `PARTIAL`."""
        by_study: dict[int, list[BoardAnswer]] = defaultdict(list)
        for answer in self.answers:
            if self.is_included(answer):
                by_study[self.found.people[answer.participant_id].study_id].append(answer)
        counted: dict[int, str] = {}
        for study_id, answers in by_study.items():
            complete = self._complete(study_id, [a for a in answers if not self._design(a).is_partial])
            partial = complete or self._partial([a for a in answers if a.block_id in self.pools])
            counted.update(dict.fromkeys(partial, COMPLETE if complete else PARTIAL))
        return counted

    def is_included(self, answer: BoardAnswer) -> bool:
        """Say whether an answer counts by its study's rule, whatever set it is looked at for."""
        person = self.found.people.get(answer.participant_id)
        return person is not None and answer.is_judged and answer.block_id in person.block_ids

    def reason(self, participant_id: int) -> Reason:
        """Return why somebody with an answer here does not count here, as far as it is their own matter."""
        person: Inclusion | None = self.found.people.get(participant_id)
        if person is None or (person.counts and not person.block_ids & self._blocks):
            return Reason.NOT_FINISHED
        return person.reason

    def kept(self, how: Mapping[int, str]) -> Iterator[BoardAnswer]:
        """Return the answers that belong in a matrix: all but those of another block beside a pool's."""
        for answer in self.answers:
            if how.get(answer.participant_id) != PARTIAL or (
                answer.block_id in self.pools and self.is_included(answer)
            ):
                yield answer

    @cached_property
    def _blocks(self) -> frozenset[int]:
        return frozenset(answer.block_id for answer in self.answers)

    def _design(self, answer: BoardAnswer) -> BlockDesign:
        return self.found.blocks[answer.block_id]

    def _complete(self, study_id: int, answers: Sequence[BoardAnswer]) -> set[int]:
        """Return everybody of a study if all of them have an answer to every question of the set, nobody otherwise."""
        cohorts = {self._cohort(study_id, block_id) for block_id in {answer.block_id for answer in answers}}
        if len(cohorts) != 1:
            return set()
        (cohort,) = cohorts
        answered = _roots_by_person(answer for answer in answers if answer.outcome not in NO_VERDICT)
        return set(cohort) if all(len(answered[person]) == self.n_questions for person in cohort) else set()

    def _cohort(self, study_id: int, block_id: int) -> frozenset[int]:
        """Return who counts on a block: by block where the study counts by block, else everybody who finished it."""
        by_block = self.found.rules[study_id].completion == Completion.BLOCK
        return frozenset(
            person.participant_id
            for person in self.found.people.values()
            if person.study_id == study_id and person.counts and (not by_block or block_id in person.block_ids)
        )

    def _partial(self, answers: Sequence[BoardAnswer]) -> set[int]:
        """Return everybody with an answer; nobody where an answer that counts has no verdict under this rule."""
        if any(answer.outcome in NO_VERDICT for answer in answers):
            return set()
        return {answer.participant_id for answer in answers}


def _roots_by_person(answers: Iterable[BoardAnswer]) -> dict[int, set[int]]:
    roots: dict[int, set[int]] = defaultdict(set)
    for answer in answers:
        roots[answer.participant_id].add(answer.root_id)
    return roots
