"""Every write of the survey."""

from survey.services.absences import absence_begin, absences_end
from survey.services.assignments import assignment_serve, assignments_draw, block_begin
from survey.services.comments import comment_record
from survey.services.drafts import draft_save
from survey.services.flags import flag_review, flags_find, flags_find_in_study
from survey.services.inclusion import inclusion_preview, inclusion_rule_set, study_results_changed
from survey.services.links import unknown_link_note
from survey.services.participants import (
    link_renew,
    participant_begin,
    participant_finish,
    practice_record,
    profile_record,
)
from survey.services.reminders import reminder_address_remove, reminder_address_set, reminders_send
from survey.services.responses import Given, Recorded, response_record
from survey.services.retention import participant_erase, retention_apply
from survey.services.studies import BlockPlan, consent_text_add, study_close, study_create, study_open
from survey.services.withdrawal import participant_withdraw

__all__ = [
    "BlockPlan",
    "Given",
    "Recorded",
    "absence_begin",
    "absences_end",
    "assignment_serve",
    "assignments_draw",
    "block_begin",
    "comment_record",
    "consent_text_add",
    "draft_save",
    "flag_review",
    "flags_find",
    "flags_find_in_study",
    "inclusion_preview",
    "inclusion_rule_set",
    "link_renew",
    "participant_begin",
    "participant_erase",
    "participant_finish",
    "participant_withdraw",
    "practice_record",
    "profile_record",
    "reminder_address_remove",
    "reminder_address_set",
    "reminders_send",
    "response_record",
    "retention_apply",
    "study_close",
    "study_create",
    "study_open",
    "study_results_changed",
    "unknown_link_note",
]
