"""What staff see of a study: its people, how far they get, its questions, times, tools and agreement."""

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, NamedTuple

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from corpus.markup.html import render_html
from corpus.models import QuestionRevision
from survey.models import Study
from survey.selectors.agreement import study_agreement
from survey.selectors.balance import study_balance
from survey.selectors.comments import question_comments
from survey.selectors.export import Cell, export_rows
from survey.selectors.inclusion import inclusions, study_inclusion_text
from survey.selectors.item_analysis import Item, item_analysis, item_rows
from survey.selectors.staff import drop_off, people_waiting, staff_rows, study_totals
from survey.selectors.times import times_and_tools
from survey.views.access import View, study_view

PERMISSIONS = ("survey.view_participant", "survey.view_response")
KEY_PERMISSION = "corpus.view_questionrevision"


class _Echo:
    """A file that gives back what is written, for writing a table piece by piece."""

    def write(self, text: str) -> str:
        return text


def staff_view(view: View) -> View:
    """Let staff in who may see participants and answers; send visitors to the login, refuse everyone else."""
    return _guarded(view, PERMISSIONS)


def key_view(view: View) -> View:
    """Let staff in who may see participants, answers, and what is right."""
    return _guarded(view, (*PERMISSIONS, KEY_PERMISSION))


def _guarded(view: View, permissions: tuple[str, ...]) -> View:
    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not (user.is_active and user.is_staff and user.has_perms(permissions)):
            return render(request, "survey/staff_refused.html", {"permissions": permissions}, status=403)
        return view(request, **kwargs)

    return wrapped


def _page(request: HttpRequest, study: Study, name: str, context: dict[str, Any]) -> HttpResponse:
    """Return a page of the study, or only its live part where the page itself asks for that."""
    whole = not getattr(request, "htmx", False)
    template = f"survey/staff/{name}.html" if whole else f"survey/staff/_{name}.html"
    return render(request, template, {"study": study, "tab": name, "now": timezone.now(), **context})


@require_safe
@staff_view
@study_view
def staff(request: HttpRequest, study: Study) -> HttpResponse:
    """List who is where; refreshed while it is looked at."""
    found = inclusions(study=study)
    rows = staff_rows(study, found=found)
    context = {
        "rows": rows,
        "totals": study_totals(rows),
        "flagged": [row for row in rows if row.flags],
        "inclusion": study_inclusion_text(study=study, found=found),
        "may_review": request.user.has_perm("survey.change_participantflag"),
    }
    return _page(request, study, "people", context)


@require_safe
@staff_view
@study_view
def progress(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how far people get, and how evenly answers gather; refreshed while it is looked at."""
    is_balanced = study.blocks.filter(questions_per_person__isnull=False).exists()
    context = {"drop_off": drop_off(study), "balance": study_balance(study) if is_balanced else ()}
    return _page(request, study, "progress", context)


class Sorting(NamedTuple):
    """A way to sort the questions: its heading, and what to sort by (None: no figure, last)."""

    heading: str
    value: Callable[[Item], Any]
    is_number: bool = True
    is_descending: bool = False


SORTINGS = {
    "key": Sorting("Question", lambda item: item.question_key, is_number=False),
    "answers": Sorting("Answers", lambda item: item.n_answers),
    "right": Sorting("Right", lambda item: item.share_right),
    "discrimination": Sorting("Discrimination", lambda item: item.discrimination),
    "do-not-know": Sorting("Do not know", lambda item: item.n_do_not_know, is_descending=True),
    "time": Sorting("Median time", lambda item: item.median_seconds, is_descending=True),
}


def sorted_items(items: Iterable[Item], sort: str) -> list[Item]:
    """Return the items in the order of a sorting, those without the figure last."""
    sorting = SORTINGS[sort]
    known = [item for item in items if sorting.value(item) is not None]
    unknown = [item for item in items if sorting.value(item) is None]
    return sorted(known, key=sorting.value, reverse=sorting.is_descending) + unknown


@require_safe
@key_view
@study_view
def questions(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the item analysis, keys in doubt first."""
    sort = request.GET.get("sort", "key")
    sort = sort if sort in SORTINGS else "key"
    analysis = item_analysis(study)
    stopped: dict[str, int] = {}
    for person in people_waiting(study):
        if person.has_stopped and person.question_key:
            stopped[person.question_key] = stopped.get(person.question_key, 0) + 1
    rows = [(item, stopped.get(item.question_key, 0)) for item in sorted_items(analysis.items, sort)]
    return _page(
        request, study, "questions", {"analysis": analysis, "rows": rows, "sort": sort, "sortings": SORTINGS.items()}
    )


@require_safe
@key_view
@study_view
def question(request: HttpRequest, study: Study, root_id: int) -> HttpResponse:
    """Show one question: what was answered, by option, and what people said about it."""
    analysis = item_analysis(study)
    item = next((item for item in (*analysis.items, *analysis.attention) if item.root_id == root_id), None)
    if item is None:
        raise Http404("Nobody whose answers are analysed has answered this question.")
    may_read = request.user.has_perm("survey.view_questioncomment")
    context = {
        "item": item,
        "stem": render_html(QuestionRevision.objects.get(pk=root_id).stem, place="stem"),
        "comments": question_comments(question_id=item.question_id) if may_read else None,
    }
    return _page(request, study, "question", context)


@require_safe
@staff_view
@study_view
def times(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how long people take, and with which tools."""
    with_verdicts = request.user.has_perm(KEY_PERMISSION)
    found = times_and_tools(study, with_verdicts=with_verdicts)
    return _page(request, study, "times", {"times": found, "with_verdicts": with_verdicts})


@require_safe
@staff_view
@study_view
def agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how far people agree."""
    with_verdicts = request.user.has_perm(KEY_PERMISSION)
    rows = study_agreement(study, with_verdicts=with_verdicts)
    return _page(request, study, "agreement", {"rows": rows, "with_verdicts": with_verdicts})


@require_safe
@staff_view
@study_view
def responses_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Send every answer of a study as CSV; the verdicts to those who may see what is right."""
    rows = export_rows(study, with_verdicts=request.user.has_perm(KEY_PERMISSION))
    return _csv(f"{study.slug}-responses.csv", rows)


@require_safe
@key_view
@study_view
def items_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Send the item analysis of a study as CSV."""
    return _csv(f"{study.slug}-questions.csv", item_rows(study))


def _csv(name: str, rows: Iterator[list[Cell]]) -> StreamingHttpResponse:
    # Text in quotes, numbers without: a semicolon divides no cell where a spreadsheet divides at semicolons.
    writer = csv.writer(_Echo(), quoting=csv.QUOTE_NONNUMERIC)
    lines: Iterator[str] = (writer.writerow(row) for row in rows)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
