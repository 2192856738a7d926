"""Find the bank's question, and its options, for what another survey asked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpus.importers.report_options import match_our_options
from corpus.models import QuestionRevision
from corpus.scoring.published import UnmatchedOptionsError
from corpus.scoring.types import Kind, Target
from corpus.selectors.targets import target_of
from corpus.services.questions import normalised_option_text, option_key
from survey.importers.types import RefusedRow, SurveyQuestion
from survey.models import StudyBlock


@dataclass(frozen=True, slots=True)
class MatchedQuestion:
    """A question of the bank and its block; `is_same_text` tells whether the survey worded it in the same way."""

    block: StudyBlock
    revision: QuestionRevision
    target: Target
    is_same_text: bool

    @property
    def key(self) -> str:
        """The question's key in the bank."""
        return self.revision.question.key


class Matches(NamedTuple):
    """What was found, by the survey's own number of the question, and what was not."""

    found: Mapping[str, MatchedQuestion]
    refused: tuple[RefusedRow, ...]


@dataclass(slots=True)
class _Known:
    """The questions of one block, by uuid and by text. A uuid can be there twice, and so can a text."""

    block: StudyBlock
    by_uuid: dict[str, list[QuestionRevision]] = field(default_factory=lambda: defaultdict(list))
    by_text: dict[str, list[QuestionRevision]] = field(default_factory=lambda: defaultdict(list))

    def candidates(self, question: SurveyQuestion) -> list[QuestionRevision]:
        """Return what may be meant: the same uuid, among several of these the same text; else the same text."""
        alike = self.by_text.get(normalised_option_text(question.stem), [])
        of_uuid = self.by_uuid.get(question.uuid, []) if question.uuid else []
        if len(of_uuid) == 1:
            return of_uuid
        both = [revision for revision in of_uuid if revision in alike]
        return both or of_uuid or alike


def match_questions(*, questions: Iterable[SurveyQuestion], blocks: Sequence[StudyBlock]) -> Matches:
    """Find each question in the block of its tool rule: by uuid first, then by text. What is ambiguous is refused.

    Option texts are settled later, in the order each answer showed them.
    """
    known = {block.tools_allowed: _known(block) for block in blocks}
    found: dict[str, MatchedQuestion] = {}
    refused: list[RefusedRow] = []
    taken: dict[int, str] = {}
    for question in questions:
        problem, matched = _match(question, known)
        if matched is not None and matched.revision.pk in taken:
            first = taken[matched.revision.pk]
            problem, matched = ("question-repeated", f"The survey's question {first} is the same one."), None
        if matched is None:
            code, reason = problem
            refused.append(
                RefusedRow("question", f"question {question.source_id}", code, reason, question=question.source_id)
            )
            continue
        taken[matched.revision.pk] = question.source_id
        found[question.source_id] = matched
    return Matches(found, tuple(refused))


def _known(block: StudyBlock) -> _Known:
    known = _Known(block)
    members = block.set_revision.members.select_related("question_revision__question__benchmark")
    for member in members.prefetch_related("question_revision__options").order_by("position"):
        revision = member.question_revision
        known.by_uuid[revision.uuid].append(revision)
        known.by_text[normalised_option_text(revision.stem)].append(revision)
    return known


def _match(question: SurveyQuestion, known: Mapping[bool, _Known]) -> tuple[tuple[str, str], MatchedQuestion | None]:
    """Return the match, or the code and reason of there being none."""
    place = known.get(question.tools_allowed)
    candidates = place.candidates(question) if place else []
    kind = Kind.CHOICE if question.options else Kind.NUMBER
    if not candidates or place is None:
        return _unknown(question, known), None
    if len(candidates) > 1:
        return ("question-ambiguous", f"{len(candidates)} questions of the set have this uuid or text."), None
    (revision,) = candidates
    if revision.kind != kind:
        return ("kind-differs", f"The bank's question {revision.question.key} asks for a {revision.kind}."), None
    is_same_text = normalised_option_text(question.stem) == normalised_option_text(revision.stem)
    return ("", ""), MatchedQuestion(place.block, revision, target_of(revision), is_same_text)


def _unknown(question: SurveyQuestion, known: Mapping[bool, _Known]) -> tuple[str, str]:
    other = known.get(not question.tools_allowed)
    if other is not None and other.candidates(question):
        return "block-differs", f"The bank has this question in {other.block.set_revision.question_set.slug}."
    return "question-not-in-set", "No question of the set has this uuid or this text."


def option_keys_of(*, texts: Sequence[str], target: Target) -> dict[str, str]:
    """Return the identity of each option text shown, one to one. Raise `UnmatchedOptionsError` where one is open."""
    by_key = {option.key for option in target.options}
    keys = {text: option_key(text) for text in texts}
    if len(keys) == len(texts) and set(keys.values()) == by_key and len(by_key) == len(texts):
        return keys
    matched = match_our_options(list(texts), target.options)
    if len(matched) != len(texts):
        raise UnmatchedOptionsError("An option text is there twice.")
    return {text: option.key for text, option in matched.items()}
