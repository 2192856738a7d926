"""`headings`: question and final answer under headings of their own, as in ChemPro; in our words."""

from evaluations.prompts.styles import Family
from evaluations.prompts.wording import Wording

FAMILY = Family(
    name="headings",
    version=1,
    summary="For models that follow instructions: the answer under a heading “Final Answer”, as in ChemPro.",
    wording=Wording(
        template="""\
## Question
{stem}
{options}
## What to do
Answer the question. You may work it out first. Close your reply with the heading "## Final Answer" and put the answer \
alone on the line below that heading.
{instruction}""",
        choice="""\
The answer is the letter of every right option, one or more, separated by commas; the first line under the heading \
might read: {example}""",
        number="The answer is one number{unit}; very large and very small ones are written like 1.5e-7.",
        molecule="The answer is the SMILES of one molecule.",
        text="The answer is as short as it can be.",
        in_unit=", given in {unit} without writing the unit",
        no_unit=", without a unit",
    ),
    # Tags are unmistakable where nobody asked for them, and the baselines answer between them in every style.
    protocols=("tag", "heading", "final-answer", "announced", "bare"),
)
