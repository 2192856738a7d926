"""Question revisions as the pure scoring package sees them."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from corpus.models import Option, QuestionRevision
from corpus.scoring.letters import option_letter
from corpus.scoring.types import Asked, Kind, ShownOption, Target
from corpus.scoring.types import Option as KeyOption


def target_of(revision: QuestionRevision) -> Target:
    """Return the answer key of a revision. Uses `revision.options`; prefetch them for many revisions."""
    kind = Kind(revision.kind)
    return Target(
        kind=kind,
        options=tuple(
            KeyOption(key=option.option_key, text=option.text, credit=option.credit)
            for option in revision.options.all()
        ),
        number=Decimal(revision.target) if kind is Kind.NUMBER else None,
        tolerance=Decimal(revision.tolerance) if revision.tolerance else None,
        unit=revision.unit,
        text=revision.target,
    )


def options_in_order(revision: QuestionRevision, option_keys: Sequence[str] = ()) -> list[Option]:
    """Return the options in the order of `option_keys`, or in the bank's order when it is empty.

    Raises KeyError when a key is not an option of the revision.
    """
    options = list(revision.options.all())
    if not option_keys:
        return options
    by_key = {option.option_key: option for option in options}
    return [by_key[key] for key in option_keys]


def asked_of(revision: QuestionRevision, option_keys: Sequence[str] = (), prompt: str = "") -> Asked:
    """Return what was put to an answerer: the options by letter in the order shown, and the prompt sent."""
    shown = tuple(
        ShownOption(letter=option_letter(index), key=option.option_key, text=option.text)
        for index, option in enumerate(options_in_order(revision, option_keys))
    )
    return Asked(kind=Kind(revision.kind), shown=shown, prompt=prompt, unit=revision.unit)


def asked_from_prompt(revision: QuestionRevision, options_shown: Iterable[Sequence[str]], prompt: str) -> Asked:
    """Return what was put to a model, from the stored [letter, option key, text as sent] rows."""
    shown = tuple(ShownOption(letter=letter, key=key, text=text) for letter, key, text in options_shown)
    return Asked(kind=Kind(revision.kind), shown=shown, prompt=prompt, unit=revision.unit)
