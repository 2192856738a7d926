"""Runs: the list, the page with live progress, and what a maintainer may do to a run."""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.http import urlencode

from corpus.answer_admin import propose_address
from corpus.models import ActionLog
from evaluations.admin.evidence import EvidenceAdmin, as_json_text
from evaluations.admin.systems import run_address
from evaluations.errors import EvaluationError
from evaluations.models import Item, ItemRescoring, Run
from evaluations.selectors import run_progress
from evaluations.selectors.fallback import fallback_counts
from evaluations.services.runs import ACTIVE, PAUSABLE, RESUMABLE, STOPPABLE, run_pause, run_resume, run_stop
from evaluations.services.sweeping import is_silent, run_wake
from evaluations.tasks import QUEUE_AWAY, queue_can_be_reached

# htmx stops polling when an answer has this status.
STOP_POLLING = 286
LATEST_ACTIONS = 20


class RunAction(NamedTuple):
    """A button of the run page; shown only in the states in which it can be pressed."""

    name: str
    label: str
    done: str
    states: tuple[Run.Status, ...]
    service: Callable[..., Run]


RUN_ACTIONS = {
    action.name: action
    for action in (
        RunAction("pause", "Pause", "The run is paused; what is in flight is still stored.", PAUSABLE, run_pause),
        RunAction(
            "resume",
            "Resume",
            "The run is queued again; only what has no answer is asked.",
            tuple(status for status in RESUMABLE if status != Run.Status.INCOMPLETE),
            run_resume,
        ),
        RunAction(
            "retry",
            "Retry failed",
            "The failed questions are queued again; nothing answered is asked again.",
            (Run.Status.INCOMPLETE,),
            run_resume,
        ),
        RunAction("wake", "Wake workers", "A worker is called for this run.", ACTIVE, run_wake),
        RunAction("stop", "Stop", "The run is stopped; what is stored stays.", STOPPABLE, run_stop),
    )
}


def legal_actions(run: Run) -> list[RunAction]:
    """Return what can be done to a run in its state; nothing to imported results."""
    if run.origin == Run.Origin.IMPORTED:
        return []
    legal = [action for action in RUN_ACTIONS.values() if run.status in action.states]
    return [action for action in legal if action.name != "wake" or is_silent(run)]


@admin.register(Run)
class RunAdmin(EvidenceAdmin):
    """Runs are made by `run_create` and changed by their own buttons only."""

    list_display = ["system", "question_set", "status", "progress", "n_right", "queued"]
    list_display_links = ["system"]
    list_filter = ["status", "origin", ("set_revision__question_set", admin.RelatedOnlyFieldListFilter), "system"]
    list_select_related = ["system", "set_revision__question_set"]
    list_per_page = 50
    search_fields = ["system__name", "system__slug", "source_name", "error_message"]
    change_form_template = "admin/evaluations/run/change_form.html"
    fieldsets = [
        (
            "What is asked",
            {"fields": ["system", "question_set", "origin", "source_name", "prompt_style", "repeats", "seed"]},
        ),
        ("When", {"fields": ["requested_by", "queued_at", "started_at", "heartbeat_at", "finished_at"]}),
        ("Frozen when it was made", {"fields": ["parameters_text", "frozen_text"]}),
    ]
    readonly_fields = ["question_set", "parameters_text", "frozen_text"]
    actions = ["rescore"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        """Add the counts of the list."""
        is_done = Q(items__status__in=[Item.Status.ANSWERED, Item.Status.FAILED])
        runs: QuerySet[Run] = super().get_queryset(request)
        return runs.annotate(
            n_items=Count("items"),
            n_done=Count("items", filter=is_done),
            n_right_items=Count("items", filter=Q(items__outcome="right")),
        )

    @admin.display(description="set", ordering="set_revision__question_set__name")
    def question_set(self, run: Run) -> str:
        """Return the set's name and the number of its revision."""
        return f"{run.set_revision.question_set.name}, revision {run.set_revision.number}"

    @admin.display(description="done")
    def progress(self, run: Any) -> str:
        """Return how many items are answered or given up, of how many."""
        return f"{run.n_done}/{run.n_items}"

    @admin.display(description="right")
    def n_right(self, run: Any) -> str:
        """Return the right answers under the current rule, linked to the items."""
        address = items_address(run.pk, outcome__exact="right")
        return format_html('<a href="{}">{}</a>', address, run.n_right_items)

    @admin.display(description="queued", ordering="queued_at")
    def queued(self, run: Run) -> str:
        """Return day and time in a form that sorts by eye."""
        return date_format(timezone.localtime(run.queued_at), "Y-m-d H:i")

    @admin.display(description="parameters")
    def parameters_text(self, run: Run) -> str:
        """Return the parameters as JSON."""
        return as_json_text(run.parameters)

    @admin.display(description="frozen")
    def frozen_text(self, run: Run) -> str:
        """Return what was frozen as JSON."""
        return as_json_text(run.frozen)

    def has_rescore_permission(self, request: HttpRequest) -> bool:
        """Say who may propose a rescoring."""
        return request.user.has_perm("evaluations.add_itemrescoring")

    @admin.action(description="Rescore: judge the stored answers again", permissions=["rescore"])
    def rescore(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse:
        """Go to the page that asks under which rule."""
        return HttpResponseRedirect(propose_address(ItemRescoring, "run", queryset.values_list("pk", flat=True)))

    def get_urls(self) -> list[Any]:
        """Add the progress fragment and the buttons' addresses."""
        wrap = self.admin_site.admin_view
        return [
            path("<uuid:run_id>/progress/", wrap(self.progress_view), name="evaluations_run_progress"),
            path("<uuid:run_id>/action/<slug:name>/", wrap(self.action_view), name="evaluations_run_action"),
            *super().get_urls(),
        ]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add progress, buttons and the record of what was done."""
        run = kwargs.get("obj") or context["original"]
        context.update(self._live_context(request, run))
        context.update(title=f"{run.system.name} on {run.set_revision.question_set.name}", subtitle=None)
        context["actions_done"] = (
            ActionLog.objects.filter(object_type="evaluations.run", object_id=str(run.pk))
            .select_related("actor")
            .order_by("-id")[:LATEST_ACTIONS]
        )
        return super().render_change_form(request, context, *args, **kwargs)

    def _live_context(self, request: HttpRequest, run: Run) -> dict[str, Any]:
        progress = run_progress(run=run)
        return {
            "run": run,
            "progress": progress,
            "outcomes": [
                (outcome, count, items_address(run.pk, outcome__exact=outcome))
                for outcome, count in progress.outcomes.items()
            ],
            "items_address": items_address(run.pk),
            "failed_address": items_address(run.pk, status__exact="failed"),
            "run_actions": legal_actions(run) if may_act(request) else [],
            "fallback": fallback_counts(run=run),
            "rescore_address": propose_address(ItemRescoring, "run", [run.pk])
            if self.has_rescore_permission(request)
            else "",
            "rescorings_address": f"{reverse('admin:evaluations_itemrescoring_changelist')}?run__id__exact={run.pk}",
        }

    def progress_view(self, request: HttpRequest, run_id: UUID) -> HttpResponse:
        """Return the progress fragment; status 286 once nothing moves any more."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        run = get_object_or_404(Run.objects.select_related("system"), pk=run_id)
        context = self._live_context(request, run)
        status = 200 if context["progress"].is_active else STOP_POLLING
        return TemplateResponse(request, "admin/evaluations/run/_progress.html", context, status=status)

    def action_view(self, request: HttpRequest, run_id: UUID, name: str) -> HttpResponse:
        """Pause, resume, retry or stop; by POST only, for those who may change runs."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not may_act(request):
            raise PermissionDenied
        action = RUN_ACTIONS.get(name)
        run = get_object_or_404(Run, pk=run_id)
        if action is None or run.origin == Run.Origin.IMPORTED:
            raise Http404(f"Nothing called {name} can be done to this run.")
        try:
            action.service(run_id=run.pk, actor=request.user)
        except EvaluationError as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, action.done)
            if action.service is run_resume and not queue_can_be_reached():
                messages.warning(request, QUEUE_AWAY)
        return HttpResponseRedirect(run_address(run.pk))


def may_act(request: HttpRequest) -> bool:
    """Say whether this person may pause, resume and stop runs."""
    return request.user.has_perm("evaluations.change_run")


def items_address(run_id: UUID, **lookups: str) -> str:
    """Return the address of a run's items in the list, narrowed by `lookups`."""
    query = urlencode({"run__id__exact": str(run_id), **lookups})
    return f"{reverse('admin:evaluations_item_changelist')}?{query}"
