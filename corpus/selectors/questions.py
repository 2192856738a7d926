"""Questions as the bank holds them now, and their labels."""

from collections import defaultdict

from django.db.models import Prefetch, QuerySet

from corpus.models import Benchmark, Label, Option, Question, QuestionRevision


def benchmark_by_slug(slug: str) -> Benchmark | None:
    """Return the benchmark, or None where there is none of that slug."""
    return Benchmark.objects.filter(slug=slug).first()


def no_benchmark(slug: str) -> str:
    """Return what is said where there is no benchmark of that slug: which there are, and how one comes in."""
    known = ", ".join(Benchmark.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
    return f"There is no benchmark {slug}. There are: {known}. Bring its questions in first (import_corpus)."


def current_revisions(benchmark_id: int) -> QuerySet[QuestionRevision]:
    """Return the current revision of every question of a benchmark, options in the bank's order."""
    return (
        QuestionRevision.objects.filter(question__benchmark_id=benchmark_id)
        .filter(pk__in=Question.objects.filter(benchmark_id=benchmark_id).values("current_revision_id"))
        .select_related("question")
        .prefetch_related(Prefetch("options", queryset=Option.objects.order_by("position")))
        .order_by("question__key")
    )


def questions_by_key(benchmark_id: int) -> dict[str, Question]:
    """Return every question of a benchmark under its key, with the current revision loaded."""
    questions = (
        Question.objects.filter(benchmark_id=benchmark_id)
        .select_related("current_revision")
        .defer("current_revision__original")
    )
    return {question.key: question for question in questions}


def label_names(benchmark_id: int, grouping_slug: str) -> dict[int, list[str]]:
    """Return {question id: sorted label names} of one grouping; questions without a label are left out."""
    rows = Label.questions.through._default_manager.filter(
        label__grouping__slug=grouping_slug, label__grouping__benchmark_id=benchmark_id
    )
    names: dict[int, list[str]] = defaultdict(list)
    for question_id, name in rows.order_by("label__name").values_list("question_id", "label__name"):
        names[question_id].append(name)
    return dict(names)
