"""Participants in the admin, by pseudonym."""

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from survey.admin.evidence import SECRET_FIELDS, EvidenceAdmin
from survey.models import Participant
from survey.withdrawal_admin import WithdrawMixin


@admin.register(Participant)
class ParticipantAdmin(WithdrawMixin, EvidenceAdmin):
    list_display = ("pseudonym", "study", "started_at", "n_answers", "finished_at", "withdrawn_at", "is_demo")
    list_filter = ("study", "is_demo", "education")
    list_select_related = ("study",)
    search_fields = ("pseudonym",)
    date_hierarchy = "started_at"
    # The personal link is the person's own key; staff have no use for it.
    exclude = tuple(sorted(SECRET_FIELDS))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Participant]:
        return super().get_queryset(request).annotate(n_stored=Count("assignments__response"))

    @admin.display(description="answers", ordering="n_stored")
    def n_answers(self, participant: Participant) -> int:
        return int(participant.n_stored)  # type: ignore[attr-defined]
