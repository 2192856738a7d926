"""The action by which staff delete what a person said, when the person asks for it."""

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from survey.models import Participant
from survey.services import participant_withdraw


class WithdrawMixin(admin.ModelAdmin):
    """Adds an action that withdraws participants, after a page that says what will be deleted."""

    actions = ("withdraw",)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        """Say whether this person may withdraw participants: deleting is what it does."""
        return request.user.has_perm("survey.delete_participant")

    @admin.action(description="Withdraw: delete their answers, profile and link", permissions=["withdraw"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Participant]) -> HttpResponse | None:
        """Ask first; then withdraw each, and say how many there were."""
        if request.POST.get("confirm") != "yes":
            return self._confirm(request, queryset)
        actor = request.user if request.user.is_authenticated else None
        people = list(queryset)
        done = sum(participant_withdraw(participant=person, actor=actor) for person in people)
        self.message_user(request, f"{done} withdrawn, {len(people) - done} had withdrawn before.")
        return None

    def _confirm(self, request: HttpRequest, queryset: QuerySet[Participant]) -> HttpResponse:
        people = queryset.filter(withdrawn_at__isnull=True).select_related("study")
        context = {
            **self.admin_site.each_context(request),
            "title": "Withdraw participants",
            "opts": self.opts,
            "people": people.annotate(n_given=Count("assignments__response")),
            "selected": queryset.values_list("pk", flat=True),
            "checkbox_name": ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "survey/admin/withdraw.html", context)
