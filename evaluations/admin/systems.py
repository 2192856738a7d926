"""Systems under test, and the page that queues runs of them."""

import os
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from corpus.save_again import SaveAgainMixin
from evaluations.admin.estimates import estimates_of, total_of
from evaluations.admin.prompts import prompts_view
from evaluations.errors import EvaluationError, RunAlreadyActiveError
from evaluations.forms import QueueRunForm, SystemForm
from evaluations.models import PRICES, Run, System
from evaluations.selectors import active_run
from evaluations.services.learning import forget_learned, learned_list, learned_of
from evaluations.services.runs import run_create
from evaluations.services.sweeps import sweep_create
from evaluations.services.system_edits import system_save
from evaluations.tasks import QUEUE_AWAY, queue_can_be_reached

_RUN_SETTINGS = (
    "prompt_style",
    "repeats",
    "fallback",
    "seed",
    "budget",
    "permutes_options",
    "asks_confidence",
)
# More than these do not fit the database's keys.
_MOST_DIGITS = 18


@admin.register(System)
class SystemAdmin(SaveAgainMixin):
    """Add and change systems; queue runs of them."""

    form = SystemForm
    list_display = ["name", "kind", "provider", "model_id", "n_runs", "latest_run", "is_hidden"]
    list_filter = ["kind", "provider", "is_hidden", "is_demo", "open_weights"]
    search_fields = ["name", "slug", "model_id", "source_name"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["key_state"]
    actions = ["queue_run"]
    fieldsets = [
        (None, {"fields": ["name", "slug", "kind", "is_hidden", "is_demo"]}),
        (
            "How it is asked",
            {
                "fields": [
                    "provider",
                    "model_id",
                    "base_url",
                    "api_key_variable",
                    "key_state",
                    "parameters",
                    "system_prompt",
                    "folds_system_prompt",
                ]
            },
        ),
        (
            "Limits",
            {
                "fields": ["concurrency", "requests_per_minute", "tokens_per_minute"],
                "description": "Concurrency is the calls that each worker has under way at once; the limits a minute "
                "hold over all workers together.",
            },
        ),
        (
            "Prices",
            {
                "fields": [*PRICES, "price_currency", "price_source"],
                "description": "Per million tokens. Empty is unknown, 0 is free of charge. A run keeps the prices it "
                "was queued with.",
            },
        ),
        (
            "What is known of it",
            {
                "fields": [
                    "released_on",
                    "parameter_count",
                    "open_weights",
                    "base_model",
                    "tools",
                    "source_name",
                    "facts",
                ]
            },
        ),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[System]:
        """Add the number of runs and the newest one."""
        newest = Run.objects.filter(system=OuterRef("pk")).order_by("-queued_at")
        systems: QuerySet[System] = super().get_queryset(request)
        return systems.annotate(
            run_count=Count("runs"),
            newest_run=Subquery(newest.values("pk")[:1]),
            newest_status=Subquery(newest.values("status")[:1]),
        )

    @admin.display(description="runs", ordering="run_count")
    def n_runs(self, system: Any) -> str:
        """Return how many runs there are, linked to their list."""
        address = f"{reverse('admin:evaluations_run_changelist')}?{urlencode({'system__id__exact': system.pk})}"
        return format_html('<a href="{}">{}</a>', address, system.run_count) if system.run_count else "0"

    @admin.display(description="latest run", ordering="newest_status")
    def latest_run(self, system: Any) -> str:
        """Return the status of the newest run, linked to its page."""
        if system.newest_run is None:
            return "none yet"
        return format_html(
            '<a href="{}">{}</a>', run_address(system.newest_run), Run.Status(system.newest_status).label
        )

    @admin.display(description="key")
    def key_state(self, system: System) -> str:
        """Say whether the named variable is set here; never its value."""
        if not system.api_key_variable:
            return "No variable is named; the system is asked without a key."
        if os.environ.get(system.api_key_variable):
            return f"{system.api_key_variable} is set where this page is served; the worker needs it as well."
        return f"{system.api_key_variable} is not set where this page is served. The worker needs it to ask."

    def save_model(self, request: HttpRequest, obj: System, form: Any, change: bool) -> None:
        """Save through the service, which tells the boards."""
        system_save(system=obj, actor=request.user, changed=tuple(form.changed_data))  # type: ignore[arg-type]

    def has_queue_run_permission(self, request: HttpRequest) -> bool:
        """Say who may queue a run."""
        return request.user.has_perm("evaluations.add_run")

    @admin.action(description="Queue a run", permissions=["queue_run"])
    def queue_run(self, request: HttpRequest, queryset: QuerySet[System]) -> HttpResponse:
        """Go to the page that asks which set."""
        ids = [("system", str(pk)) for pk in queryset.order_by("name").values_list("pk", flat=True)]
        return HttpResponseRedirect(f"{reverse('admin:evaluations_system_queue_run')}?{urlencode(ids)}")

    def get_urls(self) -> list[Any]:
        """Add the page that queues runs."""
        wrap = self.admin_site.admin_view
        return [
            path("queue-run/", wrap(self.queue_run_view), name="evaluations_system_queue_run"),
            path("prompts/", wrap(prompts_view), name="evaluations_system_prompts"),
            path("queue-run/estimate/", wrap(self.estimate_view), name="evaluations_system_estimate"),
            path("<int:system_id>/forget/", wrap(self.forget_view), name="evaluations_system_forget"),
            *super().get_urls(),
        ]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add what was learned of the endpoint."""
        system = kwargs.get("obj") or context.get("original")
        if system is not None:
            context["learned"] = learned_list(learned_of(system))
            context["may_forget"] = bool(system.learned) and self.has_change_permission(request, system)
        return super().render_change_form(request, context, *args, **kwargs)

    def forget_view(self, request: HttpRequest, system_id: int) -> HttpResponse:
        """Forget what was learned of a system's endpoint; by POST only, for those who may change systems."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        system = get_object_or_404(System, pk=system_id)
        if not self.has_change_permission(request, system):
            raise PermissionDenied
        forget_learned(system=system, actor=request.user)  # type: ignore[arg-type]
        messages.success(request, f"The next run of {system.name} finds out anew what its endpoint takes.")
        return HttpResponseRedirect(reverse("admin:evaluations_system_change", args=[system.pk]))

    def estimate_view(self, request: HttpRequest) -> HttpResponse:
        """Return what the runs chosen so far would cost, for the page that queues them."""
        if not self.has_queue_run_permission(request):
            raise PermissionDenied
        form, systems = QueueRunForm(request.POST), _systems_named(request)
        estimates = estimates_of(form, systems)
        context = {"estimates": estimates, "estimate_total": total_of(estimates)}
        return TemplateResponse(request, "admin/evaluations/system/_estimates.html", context)

    def queue_run_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for set, style, repeats and seed of the systems named in the address, and queue their runs."""
        if not self.has_queue_run_permission(request):
            raise PermissionDenied
        systems = _systems_named(request)
        if not systems:
            messages.warning(request, "Choose the systems to ask first, then the action Queue a run.")
            return HttpResponseRedirect(reverse("admin:evaluations_system_changelist"))
        form = QueueRunForm(request.POST or None, initial=_chosen_in_address(request))
        if request.method == "POST" and form.is_valid() and "estimate" not in request.POST:
            queued = [run for system in systems for run in self._queue(request, system, form.cleaned_data)]
            if queued:
                if not queue_can_be_reached():
                    messages.warning(request, QUEUE_AWAY)
                return HttpResponseRedirect(_after_queueing(queued))
        estimates = estimates_of(form, systems)
        context = {
            **self.admin_site.each_context(request),
            "title": "Queue a run",
            "opts": self.opts,
            "form": form,
            "systems": systems,
            "estimates": estimates,
            "estimate_total": total_of(estimates),
        }
        return TemplateResponse(request, "admin/evaluations/system/queue_run.html", context)

    def _queue(self, request: HttpRequest, system: System, chosen: dict[str, Any]) -> list[Run]:
        """Queue one run, or those of a sweep, and say so; say what stands in the way where it cannot be."""
        set_revision = chosen["question_set"].current_revision
        settings = {name: chosen[name] for name in _RUN_SETTINGS} | {"requested_by": request.user}
        try:
            runs = (
                sweep_create(system=system, set_revision=set_revision, dimensions=chosen["sweep"], **settings)
                if chosen["sweep"]
                else [run_create(system=system, set_revision=set_revision, **settings)]
            )
        except RunAlreadyActiveError as error:
            active = active_run(system_id=system.pk, set_revision_id=set_revision.pk)
            messages.warning(request, _with_run_link(str(error), active))
            return []
        except EvaluationError as error:
            messages.error(request, str(error))
            return []
        number = "" if len(runs) == 1 else f" {len(runs)} runs of"
        said = f"Queued{number} {system.name} on {chosen['question_set'].name}."
        messages.success(request, _with_run_link(said, runs[0].pk))
        return runs


def _systems_named(request: HttpRequest) -> list[System]:
    wanted = [pk for pk in request.GET.getlist("system") if pk.isdecimal() and len(pk) <= _MOST_DIGITS]
    return list(System.objects.filter(pk__in=wanted))


def _chosen_in_address(request: HttpRequest) -> dict[str, str]:
    """Return the choices that a link to the page begins with; whoever follows it can change them."""
    return {name: request.GET[name] for name in ("question_set", "prompt_style", "sweep") if name in request.GET}


def run_address(run_id: UUID) -> str:
    """Return the address of a run's page."""
    return reverse("admin:evaluations_run_change", args=[run_id])


def _with_run_link(text: str, run_id: UUID | None) -> str:
    if run_id is None:
        return text
    return format_html('{} <a href="{}">See the run.</a>', text, run_address(run_id))


def _after_queueing(runs: list[Run]) -> str:
    if len(runs) == 1:
        return run_address(runs[0].pk)
    sweeps = {run.sweep for run in runs}
    return sweep_address(sweeps.pop()) if len(sweeps) == 1 else reverse("admin:evaluations_run_changelist")


def sweep_address(sweep: UUID | None) -> str:
    """Return the address of the list of a sweep's runs; of all runs without one."""
    query = f"?{urlencode({'sweep__exact': str(sweep)})}" if sweep else ""
    return f"{reverse('admin:evaluations_run_changelist')}{query}"
