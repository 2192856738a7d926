"""The fixed words of a prompt, and how a question is put into them."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.markup.text import TextStyle, render_text
from corpus.models import Option, QuestionRevision
from corpus.scoring.letters import option_letter
from corpus.scoring.types import Kind
from corpus.selectors.targets import options_in_order
from evaluations.prompts.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Wording:
    """Every word of a style that does not come from the question, in the syntax of `str.format`.

    `template` takes {instruction}, {stem} and {options}; `options` takes {listed}, one `option` with {letter} and
    {text} for each; `choice` takes {example}; `number` takes {unit}, which is `in_unit` (with {unit}) or `no_unit`.
    """

    template: str
    choice: str
    number: str
    molecule: str
    text: str
    in_unit: str
    no_unit: str
    options: str = "\nOptions:{listed}\n"
    option: str = "\n{letter}. {text}"


def put_into_words(
    *, wording: Wording, markup: TextStyle, revision: QuestionRevision, option_keys: Sequence[str] = ()
) -> Prepared:
    """Return the prompt for a revision, its options in the order of `option_keys` (empty: the bank's order)."""
    shown = tuple(
        (option_letter(index), option.option_key, render_text(option.text, markup))
        for index, option in enumerate(_options(revision, option_keys))
    )
    listed = "".join(wording.option.format(letter=letter, text=text) for letter, _, text in shown)
    prompt = wording.template.format(
        instruction=_instruction(wording, markup, revision, n_options=len(shown)),
        stem=render_text(revision.stem, markup).strip(),
        options=wording.options.format(listed=listed) if shown else "",
    )
    return Prepared(prompt=prompt, options_shown=shown)


def _options(revision: QuestionRevision, option_keys: Sequence[str]) -> list[Option]:
    return options_in_order(revision, option_keys) if revision.kind == Kind.CHOICE.value else []


def _instruction(wording: Wording, markup: TextStyle, revision: QuestionRevision, *, n_options: int) -> str:
    kind = Kind(revision.kind)
    if kind is Kind.CHOICE:
        example = ",".join(option_letter(index) for index in (0, 2)) if n_options > 2 else "A"
        return wording.choice.format(example=example)
    if kind is Kind.NUMBER:
        in_unit = wording.in_unit.format(unit=render_text(revision.unit, markup)) if revision.unit else ""
        return wording.number.format(unit=in_unit or wording.no_unit)
    return wording.molecule if kind is Kind.MOLECULE else wording.text
