"""Studies in the admin: their settings, and what can be done with them."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from corpus.answer_admin import propose_address
from corpus.save_again import SaveAgainMixin
from survey.admin.evidence import SecretLookupMixin
from survey.admin.study_forms import ConsentTextInline, StudyBlockInline, StudyForm
from survey.errors import ReminderRefusedError, StudyNotReadyError
from survey.inclusion_rules import RULE_FIELDS
from survey.models import ResponseRescoring, Study, StudyBlock
from survey.selectors.inclusion import study_inclusion_text
from survey.selectors.studies import study_problems
from survey.services import study_close, study_open
from survey.services.copies import study_copy
from survey.services.flags import flags_find_in_study
from survey.services.inclusion import benchmarks_asked, study_results_changed
from survey.services.reminders import reminders_send
from survey.services.studies import parts_make_room, study_edit

PAGES = (
    ("start", "start page"),
    ("staff", "people"),
    ("staff-progress", "how far they get"),
    ("staff-questions", "questions"),
    ("staff-times", "times and tools"),
)


class CopyForm(forms.ModelForm):
    """The names of a copy."""

    class Meta:
        model = Study
        fields = ("title", "slug")

    clean_slug = StudyForm.clean_slug


@admin.register(Study)
class StudyAdmin(SaveAgainMixin, SecretLookupMixin):
    form = StudyForm
    inlines = (ConsentTextInline, StudyBlockInline)
    list_display = ("title", "status", "n_participants", "n_finished", "flags", "block_order", "is_demo", "pages")
    list_filter = ("status", "is_demo")
    search_fields = ("title", "slug")
    readonly_fields = ("status", "missing", "counted", "created_at", "closed_at", "pages")
    prepopulated_fields = {"slug": ["title"]}
    change_form_template = "survey/admin/study.html"
    actions = ("open_studies", "close_studies", "copy_study", "send_reminders", "find_flags", "rescore")
    fieldsets = (
        (None, {"fields": ("title", "slug", "status", "missing", "pages", "introduction", "contact", "is_demo")}),
        (
            "Design",
            {
                "description": "What each person gets, and how they answer. Fixed once somebody has begun.",
                "fields": (
                    "block_order",
                    "balance_grouping",
                    "asks_confidence",
                    "offers_do_not_know",
                    "attention_set",
                    "attention_every",
                ),
            },
        ),
        ("Breaks", {"fields": ("break_every",)}),
        (
            "Who counts",
            {
                "description": "Can be changed at any time: answers stay as they are, boards follow.",
                "fields": (*RULE_FIELDS, "joins_while_open", "moves_few_people", "counted"),
            },
        ),
        ("Reminders and retention", {"fields": ("offers_reminders", "retention_days", "created_at", "closed_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        return (
            super()
            .get_queryset(request)
            .annotate(
                n_people=Count("participants", distinct=True),
                n_ended=Count("participants", filter=Q(participants__finished_at__isnull=False), distinct=True),
                n_flags=Count(
                    "participants__flags", filter=Q(participants__flags__is_left_out__isnull=True), distinct=True
                ),
            )
        )

    def get_urls(self) -> list[URLPattern]:
        copy = path("<int:pk>/copy/", self.admin_site.admin_view(self.copy_view), name="survey_study_copy")
        return [copy, *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Save a new study, or what was changed of a known one, and say whom that moved."""
        if not change:
            super().save_model(request, obj, form, change)
            return
        moved = study_edit(study=obj, changed=form.changed_data, actor=_actor(request))
        if moved is None:
            return
        said = f"{moved.n_counted} people count now: {moved.n_joined} more than before, {moved.n_left} no longer."
        self.message_user(request, said)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save parts that exchange places or slugs, or take those of a part that goes: first that one is deleted."""
        if formset.model is StudyBlock:
            gone = {part.instance.pk for part in formset.deleted_forms if part.instance.pk}
            form.instance.blocks.filter(pk__in=gone).delete()
            kept = [part for part in formset.initial_forms if part.instance.pk not in gone]
            parts_make_room(
                study_id=form.instance.pk,
                part_ids=[part.instance.pk for part in kept if {"position", "slug"} & set(part.changed_data)],
                wanted={part.instance.position for part in formset.forms if part.instance.position is not None},
            )
        super().save_formset(request, form, formset, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Parts say how a study's people are counted: boards are built again, also those a part has left."""
        before = benchmarks_asked(study_id=form.instance.pk)
        super().save_related(request, form, formsets, change)
        study_results_changed(study_id=form.instance.pk, also=before)

    @admin.display(description="participants", ordering="n_people")
    def n_participants(self, study: Study) -> int:
        return int(study.n_people)  # type: ignore[attr-defined]

    @admin.display(description="finished", ordering="n_ended")
    def n_finished(self, study: Study) -> int:
        return int(study.n_ended)  # type: ignore[attr-defined]

    @admin.display(description="flags to review", ordering="n_flags")
    def flags(self, study: Study) -> SafeString | str:
        waiting = study.n_flags  # type: ignore[attr-defined]
        return format_html('<a href="{}#flags">{}</a>', reverse("survey:staff", args=[study.slug]), waiting or "0")

    @admin.display(description="pages")
    def pages(self, study: Study) -> SafeString | str:
        if not study.pk:
            return "Save the study first."
        links = [(reverse(f"survey:{name}", args=[study.slug]), text) for name, text in PAGES]
        return format_html_join(", ", '<a href="{}">{}</a>', links)

    @admin.display(description="missing")
    def missing(self, study: Study) -> SafeString | str:
        """Say what keeps the study from being opened."""
        if not study.pk:
            return "Save the study first."
        problems = study_problems(study)
        if not problems:
            return "Nothing: it can be opened."
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", [(text,) for text in problems]))

    @admin.display(description="counting now")
    def counted(self, study: Study) -> str:
        # A form that was refused has changed the object at hand: what counts is what is stored.
        return study_inclusion_text(study=Study.objects.get(pk=study.pk)) if study.pk else "Nobody yet."

    @admin.action(description="Open: let people take part", permissions=["change"])
    def open_studies(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        opened = 0
        for study in queryset.exclude(status=Study.Status.OPEN):
            try:
                study_open(study=study, actor=_actor(request))
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
            study_close(study=study, actor=_actor(request))
        skipped = queryset.count() - len(studies)
        self.message_user(request, f"{len(studies)} closed, {skipped} left as they were.")

    @admin.action(description="Copy: a new draft with the same design, without people", permissions=["add"])
    def copy_study(self, request: HttpRequest, queryset: QuerySet[Study]) -> HttpResponse | None:
        chosen = list(queryset.values_list("pk", flat=True)[:2])
        if len(chosen) != 1:
            self.message_user(request, "Choose one study to copy.", messages.WARNING)
            return None
        return HttpResponseRedirect(reverse("admin:survey_study_copy", args=chosen))

    def copy_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for the names of a copy, and make it."""
        study = get_object_or_404(Study, pk=pk)
        if not self.has_add_permission(request):
            raise PermissionDenied
        first = {"title": f"Copy of {study.title}"[:200], "slug": f"{study.slug[:45]}-copy"}
        form = CopyForm(request.POST or None, initial=first)
        if request.method == "POST" and form.is_valid():
            try:
                copy = study_copy(study=study, actor=_actor(request), **form.cleaned_data)
            except ValidationError as error:
                form.add_error(None, error)
            else:
                self.message_user(request, f"“{copy.title}” is a draft now. Look it over, then open it.")
                return HttpResponseRedirect(reverse("admin:survey_study_change", args=[copy.pk]))
        context = {**self.admin_site.each_context(request), "title": f"Copy “{study.title}”", "opts": self.opts}
        return TemplateResponse(request, "survey/admin/copy.html", {**context, "form": form, "study": study})

    @admin.action(description="Send reminders to those who asked for them", permissions=["change"])
    def send_reminders(self, request: HttpRequest, queryset: QuerySet[Study]) -> HttpResponse | None:
        """Say first how many people would get one; then send."""
        studies = list(queryset)
        if request.POST.get("confirm") != "yes":
            due = [(study, len(reminders_send(study=study, dry_run=True).due)) for study in studies]
            context = {
                **self.admin_site.each_context(request),
                "title": "Send reminders",
                "opts": self.opts,
                "due": due,
            }
            selected = {"n_due": sum(n for _, n in due), "checkbox_name": ACTION_CHECKBOX_NAME}
            return TemplateResponse(request, "survey/admin/reminders.html", {**context, **selected})
        for study in studies:
            try:
                sent = reminders_send(study=study)
            except ReminderRefusedError as error:
                self.message_user(request, f"{study.title}: {error}", messages.ERROR)
            else:
                level = messages.WARNING if sent.failed else messages.SUCCESS
                self.message_user(request, f"{study.title}: {sent.sent} sent, {sent.failed} failed.", level)
        return None

    @admin.action(description="Look again for answers that nobody may have read", permissions=["change"])
    def find_flags(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        for study in queryset:
            changed = flags_find_in_study(study=study)
            said = f"{study.title}: {changed.found} new flags, {changed.dropped} dropped that no longer hold."
            self.message_user(request, said)

    def has_rescore_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("survey.add_responserescoring")

    @admin.action(description="Rescore: judge the stored answers again", permissions=["rescore"])
    def rescore(self, request: HttpRequest, queryset: QuerySet[Study]) -> HttpResponse:
        return HttpResponseRedirect(propose_address(ResponseRescoring, "study", queryset.values_list("pk", flat=True)))


def _actor(request: HttpRequest) -> Any:
    return request.user if request.user.is_authenticated else None
