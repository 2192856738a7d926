"""The button that takes a run off the public pages, and the one that puts it back."""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path

from evaluations.admin.systems import run_address
from evaluations.errors import EvaluationError
from evaluations.models import Run
from evaluations.services.withdrawing import run_put_back, run_withdraw

WITHDRAW = "evaluations.withdraw_run"


class WithdrawalMixin(admin.ModelAdmin):
    """Adds the address that both buttons of a run's page post to."""

    def get_urls(self) -> list[Any]:
        """Add the address of the two buttons."""
        withdrawal = self.admin_site.admin_view(self.withdrawal_view)
        return [
            path("<uuid:run_id>/withdrawal/", withdrawal, name="evaluations_run_withdrawal"),
            *super().get_urls(),
        ]

    def withdrawal_view(self, request: HttpRequest, run_id: UUID) -> HttpResponse:
        """Withdraw a run or put it back; by POST only, for those who may."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.has_perm(WITHDRAW):
            raise PermissionDenied
        get_object_or_404(Run, pk=run_id)
        try:
            messages.success(request, _done(request, run_id))
        except EvaluationError as error:
            messages.error(request, f"Nothing was changed. {error}")
        return HttpResponseRedirect(run_address(run_id))


def _done(request: HttpRequest, run_id: UUID) -> str:
    actor: Any = request.user
    if request.POST.get("decision") == "put_back":
        run_put_back(run_id=run_id, actor=actor)
        return "The run is back on the public pages."
    run_withdraw(run_id=run_id, reason=request.POST.get("reason", ""), actor=actor)
    return "The run is on no public page any more; its answers stay, and it can be put back."
