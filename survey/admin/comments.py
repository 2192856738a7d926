"""What people said about questions, in the admin: a list to work through, each resolved with a note."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from survey.admin.evidence import SecretLookupMixin
from survey.models import QuestionComment, Study
from survey.services.curation import comment_reopen, comment_resolve


class StateFilter(admin.SimpleListFilter):
    """Open or resolved."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("open", "Open"), ("resolved", "Resolved")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[QuestionComment]) -> QuerySet[QuestionComment]:
        if self.value() is None:
            return queryset
        return queryset.filter(resolved_at__isnull=self.value() == "open")


class StudyFilter(admin.SimpleListFilter):
    """The study the author takes part in; a comment whose author is erased belongs to none."""

    title = "study"
    parameter_name = "study"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        commented = Study.objects.filter(participants__comments__isnull=False).distinct()
        return [*((study.slug, study.title) for study in commented), ("-", "Author erased")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[QuestionComment]) -> QuerySet[QuestionComment]:
        if self.value() is None:
            return queryset
        if self.value() == "-":
            return queryset.filter(participant__isnull=True)
        return queryset.filter(participant__study__slug=self.value())


class ResolutionForm(forms.ModelForm):
    """What was done about a comment; empty opens it again."""

    resolution = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What was done about it, or why nothing is to be done. Empty: it is open.",
    )

    class Meta:
        model = QuestionComment
        fields = ("resolution",)


@admin.register(QuestionComment)
class QuestionCommentAdmin(SecretLookupMixin):
    form = ResolutionForm
    list_display = ("beginning", "kind", "question", "study", "created_at", "is_resolved")
    list_filter = (StateFilter, "kind", StudyFilter)
    list_select_related = ("question_revision__question", "participant__study")
    search_fields = ("text", "question_revision__question__key")
    date_hierarchy = "created_at"
    fields = (
        "question",
        "revision",
        "kind",
        "said",
        "author",
        "created_at",
        "resolution",
        "resolved_at",
        "resolved_by",
    )
    readonly_fields = (
        "question",
        "revision",
        "kind",
        "said",
        "author",
        "created_at",
        "resolved_at",
        "resolved_by",
    )
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: QuestionComment, form: Any, change: bool) -> None:
        """Resolve the comment with the note, or open it again where the note was taken out."""
        note = form.cleaned_data["resolution"].strip()
        if note:
            comment_resolve(comment=obj, resolution=note, actor=request.user)  # type: ignore[arg-type]
        else:
            comment_reopen(comment=obj, actor=request.user)  # type: ignore[arg-type]

    @admin.display(description="comment")
    def beginning(self, comment: QuestionComment) -> str:
        return comment.text if len(comment.text) <= 90 else comment.text[:89] + "…"

    @admin.display(description="question", ordering="question_revision__question__key")
    def question(self, comment: QuestionComment) -> SafeString:
        question = comment.question_revision.question
        address = reverse("admin:corpus_question_change", args=[question.pk])
        return format_html('<a href="{}">{}</a>', address, question.key)

    @admin.display(description="revision")
    def revision(self, comment: QuestionComment) -> int:
        return comment.question_revision.number

    @admin.display(description="what was said")
    def said(self, comment: QuestionComment) -> SafeString:
        return format_html("<p>{}</p>", comment.text)

    @admin.display(description="by")
    def author(self, comment: QuestionComment) -> str:
        person = comment.participant
        return f"{person.pseudonym}, {person.study}" if person else "someone whose details are erased"

    @admin.display(description="study")
    def study(self, comment: QuestionComment) -> str:
        return comment.participant.study.title if comment.participant else ""

    @admin.display(description="resolved", boolean=True)
    def is_resolved(self, comment: QuestionComment) -> bool:
        return comment.resolved_at is not None
