"""`instruction@1`: one message for models that follow instructions, the answer asked for between two tags."""

from collections.abc import Sequence

from corpus.markup.text import TextStyle, render_text
from corpus.models import Option, QuestionRevision
from corpus.scoring.letters import option_letter
from corpus.scoring.types import Kind
from corpus.selectors.targets import options_in_order
from evaluations.prompts.prepared import Prepared

_STYLE: TextStyle = "plain-latex"

TEMPLATE = """\
Below is one question about chemistry. Think about it as long as you need, then state your final answer once, \
between the tags [ANSWER] and [/ANSWER].
{instruction}

Question:
{stem}
{options}"""

CHOICE_INSTRUCTION = """\
Several options are listed under the question, each with a letter. One of them may be right, or more than one. Put \
only the letters of all right options between the tags, separated by commas, for example [ANSWER]{example}[/ANSWER]."""
NUMBER_INSTRUCTION = """\
The answer is a number. Put only that one number between the tags{unit}; write very large or very small numbers \
like 1.5e-7."""
MOLECULE_INSTRUCTION = "The answer is a molecule. Put only its SMILES between the tags."
TEXT_INSTRUCTION = "Put only the answer itself, as short as it can be, between the tags."


def prepare(revision: QuestionRevision, option_keys: Sequence[str] = ()) -> Prepared:
    """Return the prompt for a revision, its options in the order of `option_keys` (empty: the bank's order)."""
    shown = tuple(
        (option_letter(index), option.option_key, render_text(option.text, _STYLE))
        for index, option in enumerate(_options(revision, option_keys))
    )
    listed = "".join(f"\n{letter}. {text}" for letter, _, text in shown)
    prompt = TEMPLATE.format(
        instruction=_instruction(revision, n_options=len(shown)),
        stem=render_text(revision.stem, _STYLE).strip(),
        options=f"\nOptions:{listed}\n" if shown else "",
    )
    return Prepared(prompt=prompt, options_shown=shown)


def _options(revision: QuestionRevision, option_keys: Sequence[str]) -> list[Option]:
    return options_in_order(revision, option_keys) if revision.kind == Kind.CHOICE.value else []


def _instruction(revision: QuestionRevision, n_options: int) -> str:
    kind = Kind(revision.kind)
    if kind is Kind.CHOICE:
        example = ",".join(option_letter(index) for index in (0, 2)) if n_options > 2 else "A"
        return CHOICE_INSTRUCTION.format(example=example)
    if kind is Kind.NUMBER:
        in_unit = f", in {render_text(revision.unit, _STYLE)} and without the unit"
        return NUMBER_INSTRUCTION.format(unit=in_unit if revision.unit else ", without a unit")
    return MOLECULE_INSTRUCTION if kind is Kind.MOLECULE else TEXT_INSTRUCTION
