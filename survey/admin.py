"""Studies for staff: blocks, consent texts, participants by pseudonym, answers as evidence."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus.answer_admin import CorrectionMixin, RescoringMixin, propose_address
from corpus.models import QuestionSetRevision
from corpus.scoring.types import Asked, Reading
from corpus.selectors.evidence import AnswerEvidence
from corpus.services.corrections import Corrected
from corpus.services.rescoring import Accepted, Proposed
from survey.errors import StudyNotReadyError
from survey.models import (
    ConsentText,
    Participant,
    Response,
    ResponseReading,
    ResponseRescoring,
    Study,
    StudyBlock,
)
from survey.selectors.evidence import response_asked, response_evidence
from survey.services import study_close, study_open
from survey.services.rescoring import (
    response_reading_correct,
    study_rescore,
    study_rescoring_accept,
    study_rescoring_discard,
)
from survey.services.studies import RESERVED_SLUGS
from survey.withdrawal_admin import WithdrawMixin


class StudyForm(forms.ModelForm):
    """A study's own fields; it is opened and closed by actions."""

    class Meta:
        model = Study
        fields = (
            "title",
            "slug",
            "introduction",
            "block_order",
            "asks_confidence",
            "offers_do_not_know",
            "contact",
            "is_demo",
        )

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug in RESERVED_SLUGS:
            raise forms.ValidationError("Personal links live at that address. Please choose another slug.")
        return slug


class ConsentTextForm(forms.ModelForm):
    """A consent text; once somebody agreed to it, it can only be read."""

    class Meta:
        model = ConsentText
        fields = ("version", "text")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and self.instance.participants.exists():
            for field in self.fields.values():
                field.disabled = True
            self.fields["text"].help_text = "People agreed to this text. Add a new version to change it."


class ConsentTextInline(admin.StackedInline):
    model = ConsentText
    form = ConsentTextForm
    extra = 0
    can_delete = False


class SetRevisionField(forms.ModelChoiceField):
    """A choice of set revisions that says which set and how many questions."""

    def label_from_instance(self, revision: Any) -> str:
        return f"{revision.question_set.slug}, revision {revision.number} ({revision.n_members} questions)"


class StudyBlockForm(forms.ModelForm):
    """A block; what its answers depend on is fixed once someone has questions from it.

    Another set revision is for people who begin later: an order that was drawn stays.
    """

    FIXED_ONCE_GIVEN = ("slug", "rules", "tools_allowed")

    set_revision = SetRevisionField(
        QuestionSetRevision.objects.select_related("question_set").annotate(n_members=Count("members")),
        help_text="People who have begun keep the questions they were given.",
    )

    class Meta:
        model = StudyBlock
        fields = ("position", "title", "slug", "rules", "tools_allowed", "set_revision")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and self.instance.assignments.exists():
            for name in self.FIXED_ONCE_GIVEN:
                self.fields[name].disabled = True
                self.fields[name].help_text = "Fixed: people have been given questions of this block."


class StudyBlockInline(admin.StackedInline):
    model = StudyBlock
    form = StudyBlockForm
    extra = 0


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):
    form = StudyForm
    inlines = (ConsentTextInline, StudyBlockInline)
    list_display = ("title", "status", "n_participants", "block_order", "is_demo", "pages")
    list_filter = ("status", "is_demo")
    search_fields = ("title", "slug")
    readonly_fields = ("status", "created_at", "pages")
    prepopulated_fields = {"slug": ["title"]}
    actions = ("open_studies", "close_studies", "rescore")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        return super().get_queryset(request).annotate(n_people=Count("participants"))

    @admin.display(description="participants", ordering="n_people")
    def n_participants(self, study: Study) -> int:
        return int(study.n_people)  # type: ignore[attr-defined]

    @admin.display(description="pages")
    def pages(self, study: Study) -> SafeString | str:
        if not study.pk:
            return "Save the study first."
        return format_html(
            '<a href="{}">start page</a>, <a href="{}">participants</a>',
            reverse("survey:start", args=[study.slug]),
            reverse("survey:staff", args=[study.slug]),
        )

    @admin.action(description="Open: let people take part", permissions=["change"])
    def open_studies(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        opened = 0
        for study in queryset.exclude(status=Study.Status.OPEN):
            try:
                study_open(study=study, actor=request.user if request.user.is_authenticated else None)
            except StudyNotReadyError as error:
                self.message_user(request, f"{study.title}: {error}", messages.ERROR)
            else:
                opened += 1
        skipped = queryset.count() - opened
        self.message_user(request, f"{opened} opened, {skipped} left as they were.")

    @admin.action(description="Close: take no more answers", permissions=["change"])
    def close_studies(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        studies = list(queryset.filter(status=Study.Status.OPEN))
        for study in studies:
            study_close(study=study, actor=request.user if request.user.is_authenticated else None)
        skipped = queryset.count() - len(studies)
        self.message_user(request, f"{len(studies)} closed, {skipped} left as they were.")

    def has_rescore_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("survey.add_responserescoring")

    @admin.action(description="Rescore: judge the stored answers again", permissions=["rescore"])
    def rescore(self, request: HttpRequest, queryset: QuerySet[Study]) -> HttpResponse:
        return HttpResponseRedirect(propose_address(ResponseRescoring, "study", queryset.values_list("pk", flat=True)))


class EvidenceAdmin(admin.ModelAdmin):
    """Rows that people made: read here, never made, edited or deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Participant)
class ParticipantAdmin(WithdrawMixin, EvidenceAdmin):
    list_display = ("pseudonym", "study", "started_at", "n_answers", "finished_at", "withdrawn_at", "is_demo")
    list_filter = ("study", "is_demo", "education")
    list_select_related = ("study",)
    search_fields = ("pseudonym",)
    date_hierarchy = "started_at"
    # The personal link is the person's own key; staff have no use for it.
    exclude = ("link_secret",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Participant]:
        return super().get_queryset(request).annotate(n_stored=Count("assignments__response"))

    @admin.display(description="answers", ordering="n_stored")
    def n_answers(self, participant: Participant) -> int:
        return int(participant.n_stored)  # type: ignore[attr-defined]


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
