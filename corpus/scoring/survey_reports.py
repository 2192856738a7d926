"""What is needed to read the published human survey together with the reports made of it.

The survey recorded what was ticked by place in the order it showed; the reports looked these places up in another
order. Numbers were typed once and read by the reports. So choices come from the survey, numbers from the reports.
"""

from dataclasses import replace

from corpus.scoring.types import Kind, Reading

READER = "survey-option-text@1"
KEPT_AS_REPORTED = "kept-as-reported"


def reading_from_survey(*, kind: Kind, ticked: Reading, reported: Reading | None, is_same_text: bool) -> Reading | None:
    """Return the reading of an imported survey answer, or None where it would have to come from a missing report.

    `ticked` is what the person ticked, by identity, `reported` what the report of this answer stored. A choice counts
    as ticked when the survey's question has the text of ours (`is_same_text`); every other answer is kept as reported
    and carries the note `kept-as-reported`.
    """
    if kind is Kind.CHOICE and is_same_text:
        return replace(ticked, reader=READER)
    if reported is None:
        return None
    return replace(reported, reader=READER, notes=(*reported.notes, KEPT_AS_REPORTED))
