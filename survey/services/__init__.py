"""Every write of the survey."""

from survey.services.assignments import assignment_serve, assignments_draw, block_begin
from survey.services.participants import (
    participant_begin,
    participant_finish,
    practice_record,
    profile_record,
)
from survey.services.responses import Given, Recorded, response_record
from survey.services.studies import BlockPlan, consent_text_add, study_close, study_create, study_open
from survey.services.withdrawal import participant_withdraw

__all__ = [
    "BlockPlan",
    "Given",
    "Recorded",
    "assignment_serve",
    "assignments_draw",
    "block_begin",
    "consent_text_add",
    "participant_begin",
    "participant_finish",
    "participant_withdraw",
    "practice_record",
    "profile_record",
    "response_record",
    "study_close",
    "study_create",
    "study_open",
]
