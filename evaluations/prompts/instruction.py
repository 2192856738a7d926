"""`instruction`: one message for models that follow instructions, the answer asked for between two tags."""

from evaluations.prompts.styles import Family
from evaluations.prompts.wording import Wording

TEMPLATE = """\
Below is one question about chemistry. Think about it as long as you need, then state your final answer once, \
between the tags [ANSWER] and [/ANSWER].
{instruction}

Question:
{stem}
{options}"""

WORDING = Wording(
    template=TEMPLATE,
    choice="""\
Several options are listed under the question, each with a letter. One of them may be right, or more than one. Put \
only the letters of all right options between the tags, separated by commas, for example [ANSWER]{example}[/ANSWER].""",
    number="""\
The answer is a number. Put only that one number between the tags{unit}; write very large or very small numbers \
like 1.5e-7.""",
    molecule="The answer is a molecule. Put only its SMILES between the tags.",
    text="Put only the answer itself, as short as it can be, between the tags.",
    in_unit=", in {unit} and without the unit",
    no_unit=", without a unit",
)

FAMILY = Family(
    name="instruction",
    version=1,
    summary="For models that follow instructions: think freely, the answer between [ANSWER] tags.",
    wording=WORDING,
)
