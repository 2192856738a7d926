"""Snapshots in the admin: published by whoever may add them, and only looked at afterwards."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus.admin import EvidenceAdmin
from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from leaderboard.models import Snapshot
from leaderboard.selectors.boards import public_sets
from leaderboard.services.snapshots import SnapshotError, snapshot_publish


class PublishForm(forms.Form):
    """Which board to publish."""

    question_set = forms.ModelChoiceField(QuestionSet.objects.none(), label="Question set")
    rule = forms.ChoiceField(required=False, label="Rule")
    note = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Note",
        help_text="For readers: why now, what to keep in mind. It cannot be changed later.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["question_set"].queryset = public_sets()  # type: ignore[attr-defined]
        rules = [("", "the benchmark's default"), *((name, name) for name in rule_names())]
        self.fields["rule"].choices = rules  # type: ignore[attr-defined]


@admin.register(Snapshot)
class SnapshotAdmin(EvidenceAdmin):
    list_display = ("__str__", "title", "published_at", "content_hash")
    list_filter = ("set_revision__question_set", "rule")
    date_hierarchy = "published_at"
    fields = ("number", "title", "page", "rule", "results_version", "published_at", "content_hash")
    readonly_fields = ("page",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(admin.ModelAdmin.has_add_permission(self, request))

    def get_queryset(self, request: HttpRequest) -> Any:
        """Leave the files out, and which people are in them: nobody needs them here."""
        return super().get_queryset(request).defer("content", "table", "basis")

    @admin.display(description="page")
    def page(self, snapshot: Snapshot) -> SafeString:
        """Link to the public page."""
        address = reverse("leaderboard:snapshot", args=[snapshot.number])
        return format_html('<a href="{}">{}</a>', address, address)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask which board, publish it, and go to its row."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = PublishForm(request.POST or None)
        if request.method == "POST" and form.is_valid() and (snapshot := self._publish(request, form)):
            return HttpResponseRedirect(reverse("admin:leaderboard_snapshot_change", args=[snapshot.pk]))
        context = {
            **self.admin_site.each_context(request),
            "title": "Publish a snapshot",
            "opts": self.opts,
            "form": form,
        }
        return TemplateResponse(request, "leaderboard/admin/publish.html", context)

    def _publish(self, request: HttpRequest, form: PublishForm) -> Snapshot | None:
        try:
            snapshot = snapshot_publish(**form.cleaned_data, actor=request.user)  # type: ignore[arg-type]
        except SnapshotError as error:
            form.add_error(None, str(error))
            return None
        messages.success(request, f"Snapshot {snapshot.number} is published; it will never change.")
        return snapshot
