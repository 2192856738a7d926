"""Runs: the list, the page with live progress, and what a maintainer may do to a run."""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from corpus.answer_admin import may_see_keys, propose_address
from evaluations.admin.evidence import EvidenceAdmin, as_json_text
from evaluations.admin.run_actions import CHANGE, RUN_ACTIONS, may_raise_budget
from evaluations.admin.run_live import items_address, live_context, may_see_outcomes
from evaluations.admin.run_withdrawal import WITHDRAW, WithdrawalMixin
from evaluations.admin.systems import run_address, sweep_address
from evaluations.errors import EvaluationError
from evaluations.forms import BudgetForm
from evaluations.models import TOOLS, Item, ItemRescoring, Run
from evaluations.selectors.costs import spent_by_run
from evaluations.services.budgets import run_budget_raise
from evaluations.services.cloning import CLONE_OF, changed_since, run_clone
from evaluations.services.costs import plain_number, prices_of
from evaluations.services.sweep_turns import SWEEP_KEY
from evaluations.tasks import QUEUE_AWAY, queue_can_be_reached

# htmx stops polling when an answer has this status.
STOP_POLLING = 286


@admin.register(Run)
class RunAdmin(WithdrawalMixin, EvidenceAdmin):
    """Runs are made by `run_create` and changed by their own buttons only."""

    list_display = ["system", "question_set", "asked_as", "origin", "status", "progress", "n_right", "spent", "queued"]
    list_display_links = ["system"]
    list_filter = [
        "status",
        "origin",
        ("withdrawn_at", admin.EmptyFieldListFilter),
        ("set_revision__question_set", admin.RelatedOnlyFieldListFilter),
        "system",
    ]
    list_select_related = ["system", "set_revision__question_set"]
    list_per_page = 50
    search_fields = ["system__name", "system__slug", "source_name", "error_message"]
    change_form_template = "admin/evaluations/run/change_form.html"
    fieldsets = [
        (
            "What is asked",
            {
                "fields": [
                    "system",
                    "question_set",
                    "origin",
                    "source_name",
                    "prompt_style",
                    "tools",
                    "repeats",
                    "permutes_options",
                    "asks_confidence",
                    "seed",
                    "sweep_page",
                    "clone_page",
                    "prices",
                    "requested_by",
                    "queued_at",
                ]
            },
        ),
        ("Frozen when it was made", {"fields": ["parameters_text", "frozen_text"]}),
    ]
    readonly_fields = ["question_set", "tools", "sweep_page", "clone_page", "prices", "parameters_text", "frozen_text"]
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

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Let runs be found by single verdicts by those only who may see keys."""
        if lookup.split("__")[0] in {"items", "rescorings"} and not may_see_keys(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Add what the runs of the page cost, for all of them at once."""
        changelist = super().get_changelist_instance(request)
        runs: Any = list(changelist.result_list)
        costs = spent_by_run(runs=runs)
        for run in runs:
            run.spent_so_far = costs[run.pk]
            run.links_right = may_see_keys(request)
            run.tells_right = may_see_outcomes(request, run)
        changelist.result_list = runs
        return changelist

    @admin.display(description="set", ordering="set_revision__question_set__name")
    def question_set(self, run: Run) -> str:
        """Return the set's name and the number of its revision."""
        return f"{run.set_revision.question_set.name}, revision {run.set_revision.number}"

    @admin.display(description="asked as", ordering="prompt_style")
    def asked_as(self, run: Run) -> str:
        """Return the prompt style, and what else the run's sweep varies."""
        varied = run.frozen.get(SWEEP_KEY, {}).get("values", {})
        said = [f"{name} {value}" for name, value in varied.items() if name != "prompt_style"]
        return ", ".join(filter(None, [run.prompt_style, *said]))

    @admin.display(description="sweep")
    def sweep_page(self, run: Run) -> str:
        """Return the run's place in its sweep, linked to the list of the sweep's runs."""
        place = run.frozen.get(SWEEP_KEY)
        if run.sweep is None or not place:
            return "none"
        said = f"run {place['position'] + 1} of {place['n_runs']}"
        return format_html('<a href="{}">{}</a>', sweep_address(run.sweep), said)

    @admin.display(description="the same as")
    def clone_page(self, run: Run) -> str:
        """Return a link to the run whose settings it was queued with again."""
        original = run.frozen.get(CLONE_OF)
        return format_html('<a href="{}">{}</a>', run_address(original), original) if original else "no other run"

    @admin.display(description="done")
    def progress(self, run: Any) -> str:
        """Return how many items are answered or given up, of how many."""
        return f"{run.n_done}/{run.n_items}"

    @admin.display(description="right")
    def n_right(self, run: Any) -> str:
        """Return the right answers under the current rule, linked to the items for those who may see verdicts."""
        if not run.links_right:
            return str(run.n_right_items) if run.tells_right else ""
        address = items_address(run.pk, outcome__exact="right")
        return format_html('<a href="{}">{}</a>', address, run.n_right_items)

    @admin.display(description="queued", ordering="queued_at")
    def queued(self, run: Run) -> str:
        """Return day and time in a form that sorts by eye."""
        return date_format(timezone.localtime(run.queued_at), "Y-m-d H:i")

    @admin.display(description="spent")
    def spent(self, run: Any) -> str:
        """Return what the run cost so far, and what of it is unknown."""
        return run.spent_so_far.text

    @admin.display(description="prices")
    def prices(self, run: Run) -> str:
        """Return the prices the run goes by, in words."""
        return prices_of(run.frozen).text

    @admin.display(description="tools allowed")
    def tools(self, run: Run) -> str:
        """Return the tools that its system was allowed when the run was made, in words."""
        return str(run.frozen.get(TOOLS) or "none named")

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
        """Add the progress fragment and the addresses of the buttons."""
        wrap = self.admin_site.admin_view
        return [
            path("<uuid:run_id>/progress/", wrap(self.progress_view), name="evaluations_run_progress"),
            path("<uuid:run_id>/action/<slug:name>/", wrap(self.action_view), name="evaluations_run_action"),
            path("<uuid:run_id>/budget/", wrap(self.budget_view), name="evaluations_run_budget"),
            *super().get_urls(),
        ]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add what changes while the run is asked, and what else can be done."""
        run = kwargs.get("obj") or context["original"]
        context.update(live_context(request, run))
        context.update(title=f"{run.system.name} on {run.set_revision.question_set.name}", subtitle=None)
        if may_raise_budget(run, request):
            context["budget_form"] = BudgetForm(initial={"budget": plain_number(run.budget)})
        if self.has_rescore_permission(request):
            context["rescore_address"] = propose_address(ItemRescoring, "run", [run.pk])
        context["may_withdraw"] = request.user.has_perm(WITHDRAW)
        context["rescorings_address"] = (
            f"{reverse('admin:evaluations_itemrescoring_changelist')}?run__id__exact={run.pk}"
        )
        return super().render_change_form(request, context, *args, **kwargs)

    def progress_view(self, request: HttpRequest, run_id: UUID) -> HttpResponse:
        """Return the live part; status 286 once nothing moves any more."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        run = get_object_or_404(Run.objects.select_related("system"), pk=run_id)
        context = live_context(request, run)
        context.update(is_swapped=True, may_raise_budget=may_raise_budget(run, request))
        status = 200 if context["progress"].is_active else STOP_POLLING
        return TemplateResponse(request, "admin/evaluations/run/_progress.html", context, status=status)

    def action_view(self, request: HttpRequest, run_id: UUID, name: str) -> HttpResponse:
        """Press one of the run's buttons; by POST only, for those who may."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        action = RUN_ACTIONS.get(name)
        if not request.user.has_perm(action.permission if action else CHANGE):
            raise PermissionDenied
        run = get_object_or_404(Run, pk=run_id)
        if action is None or run.origin != Run.Origin.ASKED:
            raise Http404(f"Nothing called {name} can be done to this run.")
        try:
            changed = action.service(run_id=run.pk, actor=request.user)
        except EvaluationError as error:
            messages.warning(request, str(error))
            return HttpResponseRedirect(run_address(run.pk))
        _tell(request, action.done, wakes=action.wakes)
        if action.service is run_clone and (otherwise := changed_since(changed)):
            messages.info(request, f"Set otherwise with the system today, and not used: {', '.join(otherwise)}.")
        return HttpResponseRedirect(run_address(changed.pk))

    def budget_view(self, request: HttpRequest, run_id: UUID) -> HttpResponse:
        """Give the run a higher budget; by POST only, for those who may change runs."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.has_perm(CHANGE):
            raise PermissionDenied
        run = get_object_or_404(Run, pk=run_id)
        form = BudgetForm(request.POST)
        if not form.is_valid():
            messages.error(request, f"The budget stays as it is. {' '.join(map(str, form.errors['budget']))}")
            return HttpResponseRedirect(run_address(run.pk))
        try:
            raised = run_budget_raise(run_id=run.pk, budget=form.cleaned_data["budget"], actor=request.user)  # type: ignore[arg-type]
        except EvaluationError as error:
            messages.warning(request, str(error))
        else:
            goes_on = run.status != raised.status
            _tell(request, "The budget is raised; the run goes on." if goes_on else "The budget is raised.", goes_on)
        return HttpResponseRedirect(run_address(run.pk))


def _tell(request: HttpRequest, done: str, wakes: bool) -> None:
    """Say what was done, and that it has to wait where no worker could be woken for it."""
    messages.success(request, done)
    if wakes and not queue_can_be_reached():
        messages.warning(request, QUEUE_AWAY)
