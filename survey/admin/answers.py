"""Answers of people in the admin: evidence, with corrections of readings and rescorings."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from corpus.answer_admin import CorrectionMixin, RescoringMixin
from corpus.scoring.types import Asked, Reading
from corpus.selectors.evidence import AnswerEvidence
from corpus.services.corrections import Corrected
from corpus.services.rescoring import Accepted, Proposed
from survey.admin.evidence import EvidenceAdmin
from survey.models import Response, ResponseReading, ResponseRescoring, Study
from survey.selectors.evidence import response_asked, response_evidence
from survey.services.rescoring import (
    response_reading_correct,
    study_rescore,
    study_rescoring_accept,
    study_rescoring_discard,
)

KEY_PERMISSION = "corpus.view_questionrevision"
# What tells the key, or whether an answer was right; an imported record says what another survey made of it.
TELLING_FIELDS = ("outcome", "credit", "key_revision", "imported_record")


@admin.register(Response)
class ResponseAdmin(CorrectionMixin, EvidenceAdmin):
    reading_model = ResponseReading
    change_form_template = "survey/admin/response.html"
    list_display = ("participant", "question", "block", "typed_text", "outcome", "rule", "seconds", "answered_at")
    list_filter = ("assignment__block__study", "outcome", "rule", "do_not_know")
    list_select_related = (
        "assignment__participant",
        "assignment__question_revision__question",
        "assignment__block",
    )
    search_fields = ("assignment__participant__pseudonym", "assignment__question_revision__question__key")
    date_hierarchy = "answered_at"

    def may_see_keys(self, request: HttpRequest) -> bool:
        """Say whether this person may see keys, and verdicts, which tell them."""
        return bool(request.user.has_perm(KEY_PERMISSION))

    def may_correct(self, request: HttpRequest) -> bool:
        return self.may_see_keys(request) and super().may_correct(request)

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._told(request, super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self._told(request, super().get_list_filter(request))

    def get_fields(self, request: HttpRequest, obj: Response | None = None) -> Any:
        return self._told(request, super().get_fields(request, obj))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        is_telling = lookup.split("__")[0] in TELLING_FIELDS
        if is_telling and not self.may_see_keys(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def _told(self, request: HttpRequest, names: Any) -> Any:
        return names if self.may_see_keys(request) else [name for name in names if name not in TELLING_FIELDS]

    @admin.display(ordering="assignment__participant__pseudonym")
    def participant(self, response: Response) -> str:
        return response.assignment.participant.pseudonym

    @admin.display(ordering="assignment__question_revision__question__key")
    def question(self, response: Response) -> str:
        return response.assignment.question_revision.question.key

    @admin.display
    def block(self, response: Response) -> str:
        return response.assignment.block.title

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        response = kwargs.get("obj") or context["original"]
        context["evidence"] = self.evidence_of(response)
        context["may_see_keys"] = self.may_see_keys(request)
        if self.may_correct(request):
            context["correct_address"] = self.correct_address(response)
        return super().render_change_form(request, context, *args, **kwargs)

    def evidence_of(self, answer: Response) -> AnswerEvidence:
        return response_evidence(response=answer)

    def asked_and_text(self, answer: Response) -> tuple[Asked, str]:
        return response_asked(answer), answer.typed_text

    def correct(self, *, answer: Response, reading: Reading, reason: str, actor: Any) -> Corrected:
        return response_reading_correct(response=answer, reading=reading, reason=reason, actor=actor)


@admin.register(ResponseRescoring)
class ResponseRescoringAdmin(RescoringMixin, EvidenceAdmin):
    group_model = Study
    group_field = "study"
    rows_related = ("answer__assignment__question_revision__question", "answer__assignment__question_revision")
    list_select_related = ("study",)

    def propose(self, *, group: Study, rule: str, reader: str, actor: Any) -> Sequence[Proposed]:
        return study_rescore(study=group, rule=rule, reader=reader, actor=actor)

    def accept(self, *, rescoring_id: int, actor: Any, replace: Collection[int]) -> Accepted:
        return study_rescoring_accept(rescoring_id=rescoring_id, actor=actor, replace=replace)

    def discard(self, *, rescoring_id: int, actor: Any) -> ResponseRescoring:
        return study_rescoring_discard(rescoring_id=rescoring_id, actor=actor)

    def question_key(self, answer: Response) -> str:
        return answer.assignment.question_revision.question.key

    def letters_of(self, answer: Response) -> Mapping[str, str]:
        return {option.key: option.letter for option in response_asked(answer).shown}
