"""Items: one question asked once, with everything that led to its verdict."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from corpus.answer_admin import CorrectionMixin, may_see_keys
from corpus.scoring.types import Asked, Reading
from corpus.selectors.evidence import AnswerEvidence
from corpus.services.corrections import Corrected
from evaluations.admin.evidence import EvidenceAdmin, as_json_text
from evaluations.admin.item_filters import ErrorCodeFilter, FinishReasonFilter, run_looked_at
from evaluations.admin.systems import run_address
from evaluations.models import Item, ItemConfidence, ItemReading, Run
from evaluations.selectors import item_evidence
from evaluations.selectors.costs import money
from evaluations.selectors.items import TOOL_TRACE, item_asked, token_lines, tool_trace_of, why_no_reply
from evaluations.selectors.missing_usage import estimated_cost
from evaluations.services.costs import prices_of
from evaluations.services.rescoring import item_reading_correct

# What tells the key, or whether a reply was right; by anything else that is plain everyone may find items.
_TELLING = ("outcome", "flags_text")
_PLAIN_LOOKUPS = {"run", "status", "repeat", "position", "error_code", "finish_reason", "answered_at"}


@admin.register(Item)
class ItemAdmin(CorrectionMixin, EvidenceAdmin):
    """Look at prompts, raw replies, readings and scores; correct a reading."""

    reading_model = ItemReading
    list_display = [
        "question_key",
        "system",
        "repeat",
        "status",
        "outcome",
        "error_code",
        "cost_in_list",
        "answered_at",
    ]
    list_display_links = ["question_key"]
    list_filter = [
        "status",
        "outcome",
        "question_revision__kind",
        FinishReasonFilter,
        ErrorCodeFilter,
        "repeat",
        ("run__system", admin.RelatedOnlyFieldListFilter),
        ("run__set_revision__question_set", admin.RelatedOnlyFieldListFilter),
    ]
    list_select_related = ["run__system", "question_revision__question"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["question_revision__question__key", "completion", "error_message"]
    search_help_text = "Question key, words of the reply, or an error message."
    change_form_template = "admin/evaluations/item/change_form.html"
    readonly_fields = ["run_page", "question_key", "cost_text", "flags_text"]
    fieldsets = [
        (
            "The request",
            {
                "fields": [
                    "run_page",
                    "question_key",
                    "repeat",
                    "status",
                    "attempts",
                    "finish_reason",
                    "model_reported",
                    "tokens_in",
                    "tokens_cached",
                    "tokens_out",
                    "tokens_reasoning",
                    "cost_text",
                    "latency_ms",
                    "confidence",
                    "error_code",
                    "error_message",
                    "answered_at",
                ]
            },
        ),
        ("Stated by an imported report (never used for verdicts)", {"fields": ["flags_text"]}),
    ]

    def get_list_display(self, request: HttpRequest) -> Any:
        """Leave verdicts out for those who may not see keys."""
        return _told(request, super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Leave verdicts out for those who may not see keys."""
        return _told(request, super().get_list_filter(request))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out what a report states of the verdict for those who may not see keys."""
        fieldsets = super().get_fieldsets(request, obj)
        return [each for each in fieldsets if may_see_keys(request) or not set(_TELLING) & set(each[1]["fields"])]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Let items be found by their verdict, or by the key, by those only who may see keys."""
        is_plain = lookup.split("__")[0] in _PLAIN_LOOKUPS or lookup.startswith("question_revision__kind")
        if not is_plain and not may_see_keys(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Say of which run the items are, where the list is narrowed to one."""
        changelist = super().get_changelist_instance(request)
        run_id = run_looked_at(request)
        run = (
            Run.objects.select_related("system", "set_revision__question_set").filter(pk=run_id).first()
            if run_id
            else None
        )
        if run:
            changelist.title = f"Items of {run.system.name} on {run.set_revision.question_set.name}"
        return changelist

    @admin.display(description="question", ordering="question_revision__question__key")
    def question_key(self, item: Item) -> str:
        """Return the question's key."""
        return item.question_revision.question.key

    @admin.display(description="system", ordering="run__system__name")
    def system(self, item: Item) -> str:
        """Return the system's name."""
        return item.run.system.name

    @admin.display(description="run")
    def run_page(self, item: Item) -> str:
        """Return a link to the run."""
        run = item.run
        queued = date_format(timezone.localtime(run.queued_at), "Y-m-d H:i")
        words = f"{run.system.name} on {run.set_revision.question_set.name}, queued {queued}"
        return format_html('<a href="{}">{}</a>', run_address(run.pk), words)

    @admin.display(description="cost", ordering="cost")
    def cost_in_list(self, item: Item) -> str:
        """Return what the answer cost, `unknown` where prices or token counts are."""
        if item.status != Item.Status.ANSWERED:
            return "-"
        return "unknown" if item.cost is None else money(item.cost, prices_of(item.run.frozen).currency)

    @admin.display(description="cost")
    def cost_text(self, item: Item) -> str:
        """Return what the answer cost, `unknown` where prices or token counts are, with an estimate of these."""
        if item.status != Item.Status.ANSWERED:
            return "nothing yet"
        if item.cost is not None:
            return money(item.cost, prices_of(item.run.frozen).currency)
        estimated = estimated_cost(run=item.run, item=item)
        return f"unknown, {estimated.text}" if estimated else "unknown"

    @admin.display(description="flags")
    def flags_text(self, item: Item) -> str:
        """Return what the report stated as JSON."""
        return as_json_text({name: value for name, value in item.source_flags.items() if name != TOOL_TRACE})

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add the evidence."""
        item = kwargs.get("obj") or context["original"]
        context["evidence"] = item_evidence(item=item)
        context["may_see_keys"] = may_see_keys(request)
        context["tokens"] = token_lines(item)
        context["stated"] = ItemConfidence.objects.filter(item=item).first()
        context["tool_trace"] = tool_trace_of(item)
        context["why_no_reply"] = why_no_reply(item)
        if item.status == Item.Status.ANSWERED and self.may_correct(request):
            context["correct_address"] = self.correct_address(item)
        context.update(title=f"{item.question_revision.question.key}, {item.run.system.name}", subtitle=None)
        return super().render_change_form(request, context, *args, **kwargs)

    def evidence_of(self, answer: Item) -> AnswerEvidence:
        """Return what is stored about the item."""
        return item_evidence(item=answer).answer

    def asked_and_text(self, answer: Item) -> tuple[Asked, str]:
        """Return what was sent, and the raw reply."""
        return item_asked(answer), answer.completion

    def correct(self, *, answer: Item, reading: Reading, reason: str, actor: Any) -> Corrected:
        """Store the correction."""
        return item_reading_correct(item=answer, reading=reading, reason=reason, actor=actor)


def _told(request: HttpRequest, names: Any) -> Any:
    return names if may_see_keys(request) else [name for name in names if name not in _TELLING]
