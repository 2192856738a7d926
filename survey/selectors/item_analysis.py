"""What the answers of people say about each question of a study. For staff: it names keys."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from corpus.markup.text import render_plain
from corpus.models import Option, Question, QuestionRevision
from corpus.scoring.letters import option_letter
from corpus.scoring.types import Kind, Target
from corpus.selectors.later_keys import KeyInForce, keys_in_force
from survey.keys_in_doubt import AnswerCount, Doubt, doubts_of
from survey.models import Study, StudyBlock
from survey.reading_back import shown_number
from survey.selectors.export import Cell, safe_text
from survey.selectors.study_answers import StudyAnswer, answer_values, study_answers
from survey.statistics import Floats, corrected_discrimination

CSV_COLUMNS = (
    "study",
    "question_key",
    "kind",
    "blocks",
    "attention_check",
    "answers",
    "right",
    "share_right",
    "discrimination",
    "do_not_know",
    "unjudged",
    "median_net_seconds",
    "answers_given",
    "doubts",
)


@dataclass(frozen=True, slots=True)
class OptionCount:
    """An option by its letter in the bank (not by where anybody saw it), and how many people chose it."""

    letter: str
    text: str
    is_right: bool
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class Item:
    """One question. `share_right` and `discrimination` are None where nothing can be said.

    The share counts "I do not know" against the question, as boards do; answers without a verdict are left out of it.
    """

    question_id: int
    root_id: int
    question_key: str
    kind: str
    block_ids: tuple[int, ...]
    blocks: str
    is_attention_check: bool
    n_answers: int
    n_right: int
    n_do_not_know: int
    n_unjudged: int
    share_right: float | None
    discrimination: float | None
    median_seconds: float | None
    options: tuple[OptionCount, ...]
    counts: tuple[AnswerCount, ...]
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class ItemAnalysis:
    """The questions of a study with an answer, by key; attention checks apart."""

    items: tuple[Item, ...]
    attention: tuple[Item, ...]
    n_people: int

    @property
    def in_doubt(self) -> list[Item]:
        """The questions whose key the answers put in doubt, the least likely by chance first."""
        doubted = [item for item in self.items if item.doubts]
        return sorted(doubted, key=lambda item: (-len(item.doubts), min(doubt.chance for doubt in item.doubts)))


def item_analysis(study: Study) -> ItemAnalysis:
    """Return the item analysis of a study, from the current verdicts. The number of queries does not grow."""
    answers = study_answers(study)
    counted = [answer for answer in answers if not answer.is_attention_check]
    attention = [answer for answer in answers if answer.is_attention_check]
    bank = _bank(study, {answer.revision_id for answer in answers})
    return ItemAnalysis(
        items=_items(counted, bank),
        attention=_items(attention, bank),
        n_people=len({answer.participant_id for answer in counted}),
    )


def item_rows(study: Study) -> Iterator[list[Cell]]:
    """Yield the header, then a row for every question with an answer, safe to open in a spreadsheet."""
    yield list(CSV_COLUMNS)
    analysis = item_analysis(study)
    for item in (*analysis.items, *analysis.attention):
        given = " | ".join(f"{count.label}: {count.n}{' (key)' if count.is_key else ''}" for count in item.counts)
        yield [
            safe_text(study.slug),
            safe_text(item.question_key),
            item.kind,
            safe_text(item.blocks),
            int(item.is_attention_check),
            item.n_answers,
            item.n_right,
            _rounded(item.share_right, 4),
            _rounded(item.discrimination, 4),
            item.n_do_not_know,
            item.n_unjudged,
            _rounded(item.median_seconds, 1),
            safe_text(given),
            safe_text(" ".join(doubt.text for doubt in item.doubts)),
        ]


@dataclass(frozen=True, slots=True)
class _Bank:
    """What the question bank says of the questions answered."""

    keys: Mapping[int, str]
    blocks: Mapping[int, str]
    options: Mapping[int, Sequence[Option]]
    in_force: Mapping[int, KeyInForce]

    def target(self, revision_id: int) -> Target:
        return self.in_force[revision_id].target


def _bank(study: Study, revision_ids: set[int]) -> _Bank:
    revisions = QuestionRevision.objects.filter(pk__in=revision_ids)
    options: dict[int, list[Option]] = {}
    for option in Option.objects.filter(revision__in=revision_ids).order_by("revision", "position"):
        options.setdefault(option.revision_id, []).append(option)
    return _Bank(
        keys=dict(Question.objects.filter(revisions__in=revisions).values_list("pk", "key")),
        blocks=dict(StudyBlock.objects.filter(study=study).values_list("pk", "title")),
        options=options,
        in_force=keys_in_force(revision_ids),
    )


def _items(answers: Sequence[StudyAnswer], bank: _Bank) -> tuple[Item, ...]:
    by_root: dict[int, list[StudyAnswer]] = {}
    for answer in answers:
        by_root.setdefault(answer.root_id, []).append(answer)
    verdicts = _Verdicts(answers, list(by_root))
    values = answer_values(answers)
    found = [_item(root_id, given, bank, verdicts, values) for root_id, given in by_root.items()]
    return tuple(sorted(found, key=lambda item: item.question_key))


class _Verdicts:
    """Verdicts as a matrix of people and questions, with what follows from it."""

    def __init__(self, answers: Sequence[StudyAnswer], root_ids: Sequence[int]) -> None:
        people = {person: row for row, person in enumerate(dict.fromkeys(a.participant_id for a in answers))}
        self._column = {root_id: column for column, root_id in enumerate(root_ids)}
        matrix: Floats = np.full((len(people), len(root_ids)), np.nan)
        for answer in answers:
            if answer.is_judged:
                matrix[people[answer.participant_id], self._column[answer.root_id]] = float(answer.is_right)
        self._discrimination = corrected_discrimination(matrix)
        self._n_judged = (~np.isnan(matrix)).sum(axis=1)
        self._n_right = np.nansum(matrix, axis=1)
        self._row = people

    def discrimination(self, root_id: int) -> float:
        return float(self._discrimination[self._column[root_id]])

    def share_elsewhere(self, answers: Sequence[StudyAnswer]) -> float | None:
        """Return the mean share right of these people in their other questions."""
        shares = []
        for answer in answers:
            row = self._row[answer.participant_id]
            others = self._n_judged[row] - answer.is_judged
            if others:
                shares.append((self._n_right[row] - (answer.is_judged and answer.is_right)) / others)
        return float(np.mean(shares)) if shares else None


def _item(
    root_id: int, given: Sequence[StudyAnswer], bank: _Bank, verdicts: _Verdicts, values: Mapping[int, object]
) -> Item:
    first = given[0]
    judged = [answer for answer in given if answer.is_judged]
    n_right = sum(answer.is_right for answer in judged)
    discrimination = verdicts.discrimination(root_id)
    options = _option_counts(given, bank)
    counts = _answer_counts(given, options, bank, verdicts, values)
    block_ids = tuple(sorted({answer.block_id for answer in given}))
    seconds = [answer.seconds for answer in given if answer.seconds is not None]
    doubts = doubts_of(
        is_number=first.kind == Kind.NUMBER, counts=counts, discrimination=discrimination, n_answers=len(judged)
    )
    return Item(
        question_id=first.question_id,
        root_id=root_id,
        question_key=bank.keys[first.question_id],
        kind=first.kind,
        block_ids=block_ids,
        blocks=" | ".join(bank.blocks.get(block_id, "") for block_id in block_ids),
        is_attention_check=first.is_attention_check,
        n_answers=len(given),
        n_right=n_right,
        n_do_not_know=sum(answer.is_do_not_know for answer in given),
        n_unjudged=len(given) - len(judged),
        share_right=n_right / len(judged) if judged else None,
        discrimination=None if np.isnan(discrimination) else discrimination,
        median_seconds=float(np.median(seconds)) if seconds else None,
        options=options,
        counts=counts,
        doubts=() if first.is_attention_check else doubts,
    )


def _option_counts(given: Sequence[StudyAnswer], bank: _Bank) -> tuple[OptionCount, ...]:
    revision_id = given[0].revision_id
    chosen = Counter(key for answer in given for key in answer.option_keys)
    credits = {option.key: option.credit for option in bank.target(revision_id).options}
    return tuple(
        OptionCount(
            letter=option_letter(place),
            text=render_plain(option.text),
            is_right=credits.get(option.option_key) == 1,
            n=chosen[option.option_key],
            share=chosen[option.option_key] / len(given),
        )
        for place, option in enumerate(bank.options.get(revision_id, ()))
    )


def _answer_counts(
    given: Sequence[StudyAnswer],
    options: Sequence[OptionCount],
    bank: _Bank,
    verdicts: _Verdicts,
    values: Mapping[int, object],
) -> tuple[AnswerCount, ...]:
    """Return the whole answers given, the key first, then the most frequent."""
    groups: dict[object, list[StudyAnswer]] = {}
    for answer in given:
        if answer.answer_id in values:
            groups.setdefault("key" if answer.is_right else values[answer.answer_id], []).append(answer)
    labels = _Labels(bank, given[0], options)
    counts = [
        AnswerCount(
            label=labels.of_key() if value == "key" else labels.of_answer(members),
            is_key=value == "key",
            n=len(members),
            share_elsewhere=verdicts.share_elsewhere(members),
        )
        for value, members in groups.items()
    ]
    if "key" not in groups:
        counts.append(AnswerCount(labels.of_key(), is_key=True, n=0))
    return tuple(sorted(counts, key=lambda count: (not count.is_key, -count.n, count.label)))


class _Labels:
    """Names a whole answer: its letters in the bank, or the number that people agree on."""

    def __init__(self, bank: _Bank, first: StudyAnswer, options: Sequence[OptionCount]) -> None:
        self._target = bank.target(first.revision_id)
        rows = bank.options.get(first.revision_id, ())
        self._letters = {row.option_key: option.letter for row, option in zip(rows, options, strict=True)}
        self._key = " + ".join(option.letter for option in options if option.is_right)

    def of_key(self) -> str:
        number = self._target.number
        return self._key if number is None else number_text(number)

    def of_answer(self, members: Sequence[StudyAnswer]) -> str:
        if self._target.number is not None:
            return number_text(_middle(members))
        return " + ".join(sorted(self._letters.get(key, "?") for key in members[0].option_keys))


def _middle(members: Sequence[StudyAnswer]) -> Decimal:
    numbers = sorted(answer.number for answer in members if answer.number is not None)
    return numbers[len(numbers) // 2]


def number_text(number: Decimal) -> str:
    """Return a number for a table as participants see it, without trailing zeros; no digit is rounded away."""
    text = f"{number:E}"
    mantissa, _, power = text.partition("E")
    plain = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return shown_number(Decimal(f"{plain}E{power or 0}")) if number else "0"


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
