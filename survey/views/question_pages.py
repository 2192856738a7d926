"""The pages of one question: its form, the number read back, and how what was sent is taken."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from survey.errors import AnswerRefusedError, SurveyError
from survey.forms import AnswerForm
from survey.models import Assignment, Draft, Study
from survey.selectors.pages import QuestionPage, is_token_of, question_page
from survey.selectors.progress import progress_of
from survey.services import draft_save, response_record
from survey.services.drafts import is_empty

ALREADY_STORED = (
    "That question already has your answer: it is stored. The first answer counts; sending it again changed nothing."
)
STORED_AT_THE_END = "Your answer is stored. The study closed while you gave it."
KEPT = ("typed_text", "tools", "tools_other", "confidence")


def take_answer(request: HttpRequest, assignment: Assignment) -> HttpResponse | None:
    """Store what was sent for a question; return the page that asks on, or None once there is nothing more to ask."""
    if "change" in request.POST or "larger" in request.POST:
        keep_draft(request, assignment)
        return form_page(request, assignment)
    form = AnswerForm(request.POST, page=page_of(request, assignment))
    is_complete = form.is_valid()
    if is_complete and not form.must_ask:
        return _record(request, assignment, form)
    keep_draft(request, assignment)
    if is_complete:
        return confirm_page(request, assignment, form)
    return form_page(request, assignment, form, status=422)


def keep_draft(request: HttpRequest, assignment: Assignment, *, forgets: bool = False) -> bool:
    """Keep what was sent as a draft, for a question whose answer is taken now; return whether it was kept.

    A page with nothing filled in leaves what another device kept as it is, unless it `forgets`.
    """
    sent = dict(request.POST.lists())
    fields = {name: list(map(str, sent[name])) for name in sent}
    if not forgets and is_empty(fields):
        return True
    try:
        return draft_save(assignment=assignment, fields=fields)
    except SurveyError:
        return False


def _record(request: HttpRequest, assignment: Assignment, form: AnswerForm) -> HttpResponse | None:
    participant = assignment.participant
    try:
        recorded = response_record(participant=participant, assignment_id=assignment.pk, given=form.given())
    except AnswerRefusedError as error:
        form.add_error(None, str(error))
        return form_page(request, assignment, form, status=422)
    except SurveyError as error:
        messages.error(request, str(error))
        participant.refresh_from_db()
        return None
    if not recorded.created:
        messages.info(request, ALREADY_STORED)
    elif participant.study.status == Study.Status.CLOSED:
        messages.info(request, STORED_AT_THE_END)
    return None


def form_page(
    request: HttpRequest,
    assignment: Assignment,
    form: AnswerForm | None = None,
    *,
    status: int = 200,
    notice: str = "",
) -> HttpResponse:
    """Show a question with what was sent so far filled in."""
    page = page_of(request, assignment)
    draft = _draft(assignment) if request.method != "POST" else None
    initial = _draft_initial(draft) if draft else _initial(request.POST)
    context = {
        **_context(request, assignment, page, notice),
        "form": form or AnswerForm(initial=initial, page=page),
        "draft": draft,
        "larger": request.POST.get("larger", request.POST.get("is_larger")) == "1",
    }
    return render(request, "survey/question.html", context, status=status)


def confirm_page(
    request: HttpRequest, assignment: Assignment, form: AnswerForm, *, status: int = 200, notice: str = ""
) -> HttpResponse:
    """Read a number back; the rest of what was sent is kept in the form."""
    kept = [(name, value) for name in KEPT for value in request.POST.getlist(name)]
    context = {**_context(request, assignment, form.page, notice), "form": form, "kept": kept}
    return render(request, "survey/confirm.html", context, status=status)


def page_of(request: HttpRequest, assignment: Assignment) -> QuestionPage:
    """Return the page of a question; a token that was sent and holds stays, so that no use makes it last longer."""
    token = request.POST.get("token", "")
    return question_page(assignment, token=token if is_token_of(token, assignment) else "")


def _context(request: HttpRequest, assignment: Assignment, page: QuestionPage, notice: str) -> dict[str, object]:
    return {
        "study": assignment.block.study,
        "progress": progress_of(assignment.participant),
        "page": page,
        "notice": notice,
        "given_back": bool(notice) or "given_back" in request.POST,
    }


def _draft(assignment: Assignment) -> Draft | None:
    return getattr(assignment, "draft", None)


def _draft_initial(draft: Draft) -> dict[str, object]:
    data = QueryDict(mutable=True)
    for name, values in draft.content.items():
        data.setlist(name, values)
    return _initial(data)


def _initial(data: QueryDict) -> dict[str, object]:
    single = {name: data.get(name, "") for name in ("typed_text", "tools_other", "confidence")}
    return {**single, "choice": data.getlist("choice"), "tools": data.getlist("tools")}
