"""Studies for staff: their settings, participants by pseudonym, answers as evidence, comments on questions."""

from survey.admin import answers, comments, people, studies
from survey.admin.study_forms import ConsentTextForm, StudyBlockForm, StudyForm

__all__ = ["ConsentTextForm", "StudyBlockForm", "StudyForm", "answers", "comments", "people", "studies"]
