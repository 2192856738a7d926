"""`self-critique`: the question as in `instruction`, then the reply is sent back to be checked."""

from evaluations.prompts.instruction import WORDING
from evaluations.prompts.styles import Family

FAMILY = Family(
    name="self-critique",
    version=1,
    summary="As instruction, then a second turn: the reply is sent back to be checked, and the answer asked for again.",
    wording=WORDING,
    # It names the tags without writing them: a reply that repeats it must not look like an answer.
    follow_up="""\
Now check the reply you just gave as if somebody else had written it. Look for slips in the reasoning, in structures, \
arithmetic and units, and for options that were passed over, and say what you find. Then state your final answer \
again, changed or not, once, between the same tags and in the same form as asked for before.""",
    # A check goes over many candidates: the weaker places hold those.
    protocols=("tag", "boxed", "final-answer", "heading", "announced"),
)
