"""`completion`: for base models, which go on from a text; few words, the place of the answer at the end."""

from evaluations.prompts.styles import Family
from evaluations.prompts.wording import Wording

FAMILY = Family(
    name="completion",
    version=1,
    summary="For base models that continue a text: few words, ending in “Answer:”.",
    wording=Wording(
        template="""\
Chemistry questions, each with a short answer.

Question: {stem}
{options}{instruction}
Answer:""",
        choice="Answer with the letters of all right options, separated by commas.",
        number="Answer with one number{unit}.",
        molecule="Answer with one SMILES.",
        text="Answer in a few words.",
        in_unit=", in {unit}",
        no_unit="",
    ),
    # Tags are unmistakable where nobody asked for them, and the baselines answer between them in every style.
    protocols=("tag", "continuation", "announced", "bare", "first-line"),
)
