"""`chain-of-thought`: the steps are asked for before the answer, which stands between two tags at the end."""

from evaluations.prompts.instruction import WORDING
from evaluations.prompts.styles import Family
from evaluations.prompts.wording import Wording

FAMILY = Family(
    name="chain-of-thought",
    version=1,
    summary="For models that follow instructions: every step written out, then the answer between [ANSWER] tags.",
    wording=Wording(
        template="""\
Below is one question about chemistry. Solve it in writing, step by step: note what is given and what is wanted, say \
at each step which rule or relation you use and what follows from it, and compare the result with the question before \
you settle on it. Only after the last step state your final answer once, between the tags [ANSWER] and [/ANSWER].
{instruction}

Question:
{stem}
{options}""",
        choice=WORDING.choice,
        number=WORDING.number,
        molecule=WORDING.molecule,
        text=WORDING.text,
        in_unit=WORDING.in_unit,
        no_unit=WORDING.no_unit,
    ),
    # In a long derivation the weaker places hold steps, not answers.
    protocols=("tag", "boxed", "final-answer", "heading", "announced"),
)
