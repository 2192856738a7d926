"""The operator's pages of the question bank. What was imported is evidence: it is shown, never edited."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus.answer_admin import may_see_keys
from corpus.markup.html import render_html
from corpus.markup.text import TextStyle, render_plain, render_text
from corpus.models import (
    ActionLog,
    Benchmark,
    Finding,
    Grouping,
    Label,
    Question,
    QuestionRevision,
    QuestionSet,
    QuestionSetRevision,
    Source,
)
from corpus.question_panels import panels_of
from corpus.services.descriptions import description_save

MEMBERS_OF = "current_revision__set_memberships__set_revision"
MODEL_STYLE: TextStyle = "tags-latex"


class EvidenceAdmin(admin.ModelAdmin):
    """Rows that are only looked at."""

    actions = None
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class EvidenceInline(admin.TabularInline):
    """Rows of another table that are only looked at."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class DescribedAdmin(EvidenceAdmin):
    """Rows whose description alone can be edited."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(admin.ModelAdmin.has_change_permission(self, request, obj))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        description_save(row=obj, fields=form.changed_data, actor=request.user)  # type: ignore[arg-type]


@admin.register(Benchmark)
class BenchmarkAdmin(DescribedAdmin):
    list_display = ("name", "slug", "version", "licence", "default_rule", "is_demo", "question_count")
    search_fields = ("name", "slug")
    fields = (
        "name",
        "slug",
        "version",
        "licence",
        "citation",
        "canary",
        "default_rule",
        "is_demo",
        "results_version",
    )
    readonly_fields = ("slug", "canary", "default_rule", "is_demo", "results_version")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Benchmark]:
        rows: QuerySet[Benchmark] = super().get_queryset(request)
        return rows.annotate(n_questions=Count("questions"))

    @admin.display(description="questions", ordering="n_questions")
    def question_count(self, benchmark: Any) -> int:
        return int(benchmark.n_questions)


class RevisionInline(EvidenceInline):
    model = QuestionRevision
    fk_name = "question"
    fields = ("number", "change", "kind", "created_at", "source_path")
    readonly_fields = fields
    ordering = ("-number",)


class FindingInline(EvidenceInline):
    model = Finding
    fields = ("code", "message", "file", "found_at")
    readonly_fields = fields
    show_change_link = False


@admin.register(Question)
class QuestionAdmin(EvidenceAdmin):
    list_display = ("key", "title", "kind", "revision_number", "source", "finding_count")
    list_filter = ("benchmark", "current_revision__kind", "current_revision__change", "findings__code")
    search_fields = ("key", "current_revision__stem", "current_revision__uuid")
    search_help_text = "Searches keys, question texts and uuids."
    list_select_related = ("current_revision", "source", "benchmark")
    fields = ("key", "benchmark", "source", "label_list", "as_shown")
    readonly_fields = ("label_list", "as_shown", "as_asked")
    inlines = (RevisionInline, FindingInline)
    change_form_template = "corpus/admin/question.html"

    class Media:
        css = {"all": ("katex/katex.min.css", "corpus/markup.css", "corpus/admin.css")}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        rows: QuerySet[Question] = super().get_queryset(request)
        rows = rows.annotate(n_findings=Count("findings", distinct=True))
        return rows.defer("current_revision__original", "current_revision__metadata")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Show what is right to those only who may see keys."""
        return self.fields if may_see_keys(request) else (*self.fields[:-1], "as_asked")

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add what other apps know of the question."""
        question = kwargs.get("obj") or context["original"]
        context["panels"] = panels_of(question, request.user)
        return super().render_change_form(request, context, *args, **kwargs)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Let a set link to its questions."""
        return lookup == MEMBERS_OF or super().lookup_allowed(lookup, value, request)

    @admin.display(description="question")
    def title(self, question: Question) -> str:
        revision = question.current_revision
        text = render_plain(revision.stem) if revision else ""
        return text if len(text) <= 90 else text[:89] + "…"

    @admin.display(description="kind", ordering="current_revision__kind")
    def kind(self, question: Question) -> str:
        return question.current_revision.kind if question.current_revision else ""

    @admin.display(description="revision", ordering="current_revision__number")
    def revision_number(self, question: Question) -> int | None:
        return question.current_revision.number if question.current_revision else None

    @admin.display(description="findings", ordering="n_findings")
    def finding_count(self, question: Any) -> int:
        return int(question.n_findings)

    @admin.display(description="labels")
    def label_list(self, question: Question) -> str:
        labels = question.labels.select_related("grouping").order_by("grouping__name", "name")
        return "; ".join(f"{label.grouping}: {label}" for label in labels) or "none"

    @admin.display(description="current revision")
    def as_shown(self, question: Question) -> str:
        return shown_revision(question.current_revision, with_keys=True) if question.current_revision else "none"

    @admin.display(description="current revision")
    def as_asked(self, question: Question) -> str:
        return shown_revision(question.current_revision, with_keys=False) if question.current_revision else "none"


@admin.register(QuestionRevision)
class QuestionRevisionAdmin(EvidenceAdmin):
    list_display = ("question", "number", "change", "kind", "source_path", "created_at")
    list_filter = ("question__benchmark", "change", "kind")
    search_fields = ("question__key", "source_path", "uuid")
    list_select_related = ("question",)
    fields = (
        ("question", "number", "change"),
        "comparison_root",
        "as_shown",
        ("target", "tolerance", "unit"),
        "keywords",
        "metadata",
        "molecule_list",
        ("source_path", "created_at"),
        "original",
    )
    readonly_fields = ("as_shown", "molecule_list")

    class Media:
        css = QuestionAdmin.Media.css

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionRevision]:
        rows: QuerySet[QuestionRevision] = super().get_queryset(request)
        match = request.resolver_match
        is_list = match is not None and (match.url_name or "").endswith("_changelist")
        return rows.defer("original", "metadata", "stem") if is_list else rows

    @admin.display(description="as shown")
    def as_shown(self, revision: QuestionRevision) -> str:
        return shown_revision(revision, with_keys=True)

    @admin.display(description="molecules")
    def molecule_list(self, revision: QuestionRevision) -> str:
        return "; ".join(
            f"{row.smiles} ({row.heavy_atoms} heavy atoms, {row.rings} rings, Bertz {row.bertz:g})"
            for row in revision.molecules.all()
        )


def shown_revision(revision: QuestionRevision, *, with_keys: bool) -> SafeString:
    """Return a question as people see it beside the text models get; credits or the target `with_keys` only."""
    options = [
        {
            "html": render_html(option.text, place=f"option-{option.pk}"),
            "text": render_text(option.text, MODEL_STYLE),
            "credit": option.credit.normalize(),
        }
        for option in revision.options.all()
    ]
    context = {
        "revision": revision,
        "stem_html": render_html(revision.stem, place=f"stem-{revision.pk}"),
        "stem_text": render_text(revision.stem, MODEL_STYLE),
        "options": options,
        "with_keys": with_keys,
    }
    return render_to_string("corpus/admin/revision.html", context)


class SetRevisionInline(EvidenceInline):
    model = QuestionSetRevision
    fk_name = "question_set"
    fields = ("number", "member_count", "created_at")
    readonly_fields = fields
    ordering = ("-number",)
    show_change_link = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionSetRevision]:
        rows: QuerySet[QuestionSetRevision] = super().get_queryset(request)
        return rows.annotate(n_members=Count("members"))

    @admin.display(description="questions")
    def member_count(self, revision: Any) -> int:
        return int(revision.n_members)


@admin.register(QuestionSet)
class QuestionSetAdmin(DescribedAdmin):
    list_display = ("name", "slug", "benchmark", "policy", "revision_number", "member_count")
    list_filter = ("benchmark", "policy")
    search_fields = ("name", "slug")
    list_select_related = ("benchmark", "current_revision")
    fields = ("name", "slug", "benchmark", "description", "policy", "question_list")
    readonly_fields = ("slug", "benchmark", "question_list")
    inlines = (SetRevisionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionSet]:
        rows: QuerySet[QuestionSet] = super().get_queryset(request)
        return rows.annotate(n_members=Count("current_revision__members"))

    @admin.display(description="revision", ordering="current_revision__number")
    def revision_number(self, question_set: QuestionSet) -> int | None:
        return question_set.current_revision.number if question_set.current_revision else None

    @admin.display(description="questions", ordering="n_members")
    def member_count(self, question_set: Any) -> int:
        return int(question_set.n_members)

    @admin.display(description="questions")
    def question_list(self, question_set: QuestionSet) -> str:
        query = f"{MEMBERS_OF}={question_set.current_revision_id}"
        address = reverse("admin:corpus_question_changelist")
        return format_html('<a href="{}?{}">Show the questions</a>', address, query)


@admin.register(Finding)
class FindingAdmin(EvidenceAdmin):
    list_display = ("code", "message", "place")
    list_filter = ("benchmark", "code")
    search_fields = ("file", "message", "question__key")
    list_select_related = ("question",)
    list_display_links = None

    @admin.display(description="question or file", ordering="file")
    def place(self, finding: Finding) -> str:
        if finding.question is None:
            return finding.file
        address = reverse("admin:corpus_question_change", args=[finding.question_id])
        return format_html('<a href="{}">{}</a>', address, finding.question.key)


@admin.register(Label)
class LabelAdmin(EvidenceAdmin):
    list_display = ("name", "grouping", "question_count")
    list_filter = ("grouping__benchmark", "grouping__slug")
    search_fields = ("name",)
    list_select_related = ("grouping",)
    exclude = ("questions",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Label]:
        rows: QuerySet[Label] = super().get_queryset(request)
        return rows.annotate(n_questions=Count("questions"))

    @admin.display(description="questions", ordering="n_questions")
    def question_count(self, label: Any) -> int:
        return int(label.n_questions)


@admin.register(Grouping)
class GroupingAdmin(EvidenceAdmin):
    list_display = ("name", "slug", "benchmark")
    list_filter = ("benchmark",)


@admin.register(Source)
class SourceAdmin(EvidenceAdmin):
    list_display = ("name", "benchmark")
    list_filter = ("benchmark",)
    search_fields = ("name",)


@admin.register(ActionLog)
class ActionLogAdmin(EvidenceAdmin):
    list_display = ("created_at", "code", "actor", "object_type", "object_id")
    list_filter = ("code", "object_type")
    search_fields = ("code", "object_id")
    list_select_related = ("actor",)
    date_hierarchy = "created_at"
