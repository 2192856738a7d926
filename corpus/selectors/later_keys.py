"""The answer key a stored answer is to be judged by: its own, or the one the maintainers have corrected it to."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from corpus.models import QuestionRevision
from corpus.scoring.plain import plain_text
from corpus.scoring.types import Kind, Option, Target
from corpus.selectors.targets import target_of
from corpus.services.questions import normalised_option_text

Change = QuestionRevision.Change
_AT_ONCE = 500
# Stems and originals are long and say nothing about the key.
_NEEDED = ("question", "number", "change", "comparison_root", "kind", "target", "tolerance", "unit")


@dataclass(frozen=True, slots=True)
class KeyInForce:
    """A key in terms of the options that were asked.

    `revision_id` names the later revision it comes from, None where it is the key that was asked. `is_unmatched`
    says that there is a later key whose options cannot be told apart from those asked, so that it is not used.
    """

    revision: QuestionRevision
    target: Target
    revision_id: int | None = None
    is_unmatched: bool = False
    later_root_id: int | None = None

    @property
    def root_id(self) -> int:
        """The root by which answers are known once they are judged by this key."""
        return self.later_root_id or self.revision.root_id


def keys_in_force(revision_ids: Collection[int]) -> dict[int, KeyInForce]:
    """Return, for each question revision, the key by which its answers are to be judged now.

    That is the newest corrected key (change `key`) that follows with nothing but corrections of key or wording in
    between; a change of content ends the search, because it asks something else. Where the key has come back to what
    it was, it is the revision's own.
    """
    own = _with_options(revision_ids)
    later = _later_revisions({revision.question_id for revision in own})
    return {revision.pk: _key_of(revision, later.get(revision.question_id, ())) for revision in own}


def _with_options(revision_ids: Collection[int]) -> list[QuestionRevision]:
    ids = sorted(revision_ids)
    return [
        revision
        for start in range(0, len(ids), _AT_ONCE)
        for revision in QuestionRevision.objects.filter(pk__in=ids[start : start + _AT_ONCE])
        .only(*_NEEDED)
        .prefetch_related("options")
    ]


def _later_revisions(question_ids: Collection[int]) -> dict[int, list[QuestionRevision]]:
    """Return every revision but the first of each question, by number."""
    ids = sorted(question_ids)
    found: dict[int, list[QuestionRevision]] = defaultdict(list)
    for start in range(0, len(ids), _AT_ONCE):
        rows = QuestionRevision.objects.filter(question_id__in=ids[start : start + _AT_ONCE], number__gt=1)
        for revision in rows.only(*_NEEDED).prefetch_related("options"):
            found[revision.question_id].append(revision)
    return {question_id: sorted(rows, key=lambda row: row.number) for question_id, rows in found.items()}


def _key_of(own: QuestionRevision, later: Iterable[QuestionRevision]) -> KeyInForce:
    following = (revision for revision in later if revision.number > own.number)
    comparable = takewhile(lambda revision: revision.change in (Change.KEY, Change.COSMETIC), following)
    corrected = [revision for revision in comparable if revision.change == Change.KEY]
    if not corrected or corrected[-1].root_id == own.root_id:
        return KeyInForce(own, target_of(own))
    newest = corrected[-1]
    target = _in_terms_of(own, newest)
    if target is None:
        return KeyInForce(own, target_of(own), is_unmatched=True)
    return KeyInForce(own, target, newest.pk, later_root_id=newest.root_id)


def _in_terms_of(own: QuestionRevision, later: QuestionRevision) -> Target | None:
    """Return the later key with the identities of the options that were asked; None where they do not match up."""
    new = target_of(later)
    if new.kind is not Kind.CHOICE:
        return new
    asked = target_of(own).options
    match = matching_options(asked, new.options)
    if match is None or len(asked) != len(new.options):
        return None
    credit_of = {option.key: option.credit for option in new.options}
    options = tuple(Option(option.key, option.text, credit_of[match[option.key]]) for option in asked)
    return Target(kind=Kind.CHOICE, options=options, unit=new.unit, text=new.text)


def matching_options(asked: Sequence[Option], others: Sequence[Option]) -> dict[str, str] | None:
    """Return, by option asked, which of the others says the same apart from markup; None where they do not match up."""
    by_key = {option.key: option for option in others}
    by_text = _unique_by_text(others)
    pairs = [(option, by_key.get(option.key) or by_text.get(_plain(option.text))) for option in asked]
    match = {option.key: other.key for option, other in pairs if other}
    return match if len(set(match.values())) == len(asked) else None


def _unique_by_text(options: Sequence[Option]) -> dict[str, Option]:
    texts = [_plain(option.text) for option in options]
    return {text: option for text, option in zip(texts, options, strict=True) if texts.count(text) == 1}


def _plain(text: str) -> str:
    return plain_text(normalised_option_text(text))
