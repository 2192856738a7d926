"""The rules of a block, one question a page, and the end."""

from contextlib import suppress

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from survey.errors import AnswerRefusedError, NotYourTurnError, SurveyError
from survey.forms import AnswerForm
from survey.models import Assignment, Participant, Response, Study
from survey.selectors.pages import assignment_of_token, question_page
from survey.selectors.progress import progress_of
from survey.selectors.steps import StepKind, current_step
from survey.services import assignment_serve, block_begin, participant_finish, response_record
from survey.views.access import enter, participant_view, session_participant, study_view, to_step
from survey.views.entry import personal_link

ALREADY_STORED = "That question already has your answer. The first answer counts; it was not changed."
SESSION_ENDED = (
    "Your session had ended. You continue as {name}. Your answer is below, but not stored yet: please send it again."
)


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def rules(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the rules of the block that comes next; going on accepts them."""
    step = current_step(participant)
    if step.kind is not StepKind.RULES or step.block is None:
        return to_step(request, participant, step)
    if request.method == "POST":
        if request.POST.get("block") == str(step.block.pk):
            with suppress(NotYourTurnError):
                block_begin(participant=participant, block_id=step.block.pk)
        return to_step(request, participant)
    context = {
        "study": participant.study,
        "part": step.block,
        "n_questions": participant.assignments.filter(block=step.block).count(),
        "progress": progress_of(participant),
    }
    return render(request, "survey/rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view
def question(request: HttpRequest, study: Study, position: int) -> HttpResponse:
    """Show the question a person is at, or take its answer."""
    participant = session_participant(request, study)
    if request.method == "POST":
        if participant is None:
            return session_ended(request, study)
        return _answer(request, participant)
    if participant is None:
        messages.warning(request, "This browser does not know you. Open your personal link to go on, or begin new.")
        return redirect("survey:start", study.slug)
    step = current_step(participant)
    if step.kind is not StepKind.QUESTION or step.assignment is None:
        return to_step(request, participant, step)
    if position != step.assignment.position:
        _tell_why_not_here(request, position, step.assignment)
        return to_step(request, participant, step)
    assignment_serve(assignment=step.assignment)
    return _question_page(request, step.assignment, None)


def _tell_why_not_here(request: HttpRequest, position: int, current: Assignment) -> None:
    if position < current.position:
        messages.info(request, ALREADY_STORED)
    else:
        messages.info(request, "Questions come in order. This is the one you are at.")


def _answer(request: HttpRequest, participant: Participant) -> HttpResponse:
    assignment = _posted_assignment(request.POST, participant)
    if assignment is None:
        return _foreign_page(request, participant)
    if Response.objects.filter(assignment=assignment).exists():
        messages.info(request, ALREADY_STORED)
        return to_step(request, participant)
    step = current_step(participant)
    if step.assignment != assignment:
        return to_step(request, participant, step)
    if "change" in request.POST:
        return _question_page(request, assignment, request.POST)
    form = AnswerForm(request.POST, page=question_page(assignment))
    if not form.is_valid():
        return _question_page(request, assignment, request.POST, form, status=422)
    if form.must_ask:
        return _confirm_page(request, assignment, form)
    return _record(request, participant, assignment, form)


def _record(request: HttpRequest, participant: Participant, assignment: Assignment, form: AnswerForm) -> HttpResponse:
    try:
        recorded = response_record(participant=participant, assignment_id=assignment.pk, given=form.given())
    except AnswerRefusedError as error:
        form.add_error(None, str(error))
        return _question_page(request, assignment, request.POST, form, status=422)
    except SurveyError as error:
        messages.error(request, str(error))
    else:
        if not recorded.created:
            messages.info(request, ALREADY_STORED)
    return to_step(request, participant)


def _posted_assignment(data: QueryDict, participant: Participant) -> Assignment | None:
    value = data.get("assignment", "")
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        return None
    return (
        participant.assignments.select_related("block__study", "question_revision", "participant__study")
        .filter(pk=int(value))
        .first()
    )


def _question_page(
    request: HttpRequest,
    assignment: Assignment,
    data: QueryDict | None,
    form: AnswerForm | None = None,
    *,
    status: int = 200,
    notice: str = "",
) -> HttpResponse:
    """Show a question with what was given so far filled in."""
    page = question_page(assignment)
    participant = assignment.participant
    context = {
        "study": assignment.block.study,
        "participant": participant,
        "progress": progress_of(participant),
        "page": page,
        "form": form or AnswerForm(initial=_initial(data), page=page),
        "notice": notice,
    }
    return render(request, "survey/question.html", context, status=status)


def _initial(data: QueryDict | None) -> dict[str, object]:
    if data is None:
        return {}
    single = {name: data.get(name, "") for name in ("typed_text", "tools_other", "confidence")}
    return {**single, "choice": data.getlist("choice"), "tools": data.getlist("tools")}


def _confirm_page(request: HttpRequest, assignment: Assignment, form: AnswerForm) -> HttpResponse:
    participant = assignment.participant
    context = {
        "study": assignment.block.study,
        "participant": participant,
        "progress": progress_of(participant),
        "page": form.page,
        "form": form,
        "kept": _kept_fields(request.POST),
    }
    return render(request, "survey/confirm.html", context)


def _kept_fields(data: QueryDict) -> list[tuple[str, str]]:
    names = ("assignment", "token", "typed_text", "tools", "tools_other", "confidence")
    return [(name, value) for name in names for value in data.getlist(name)]


def _foreign_page(request: HttpRequest, participant: Participant) -> HttpResponse:
    context = {"study": participant.study, "participant": participant}
    return render(request, "survey/foreign.html", context, status=409)


def session_ended(request: HttpRequest, study: Study) -> HttpResponse:
    """Give an answer back that arrived without a session (or without a valid form token).

    The page's own signed token says whose it is: the session is made again, and one more click stores the answer.
    """
    assignment = assignment_of_token(request.POST.get("token", ""), study.slug)
    if assignment is None:
        return render(request, "survey/expired.html", {"study": study, "given": _given_texts(request)}, status=403)
    participant = assignment.participant
    current = session_participant(request, study)
    if current is not None and current != participant:
        return _foreign_page(request, current)
    enter(request, participant)
    step = current_step(participant)
    if step.assignment != assignment:
        if Response.objects.filter(assignment=assignment).exists():
            messages.info(request, ALREADY_STORED)
        return to_step(request, participant, step)
    notice = SESSION_ENDED.format(name=participant.pseudonym)
    return _question_page(request, assignment, request.POST, status=403, notice=notice)


def _given_texts(request: HttpRequest) -> list[str]:
    names = ("choice", "typed_text")
    return [value for name in names for value in request.POST.getlist(name) if value.strip()]


@require_safe
@participant_view
def finish(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Thank a person who has answered everything."""
    step = current_step(participant)
    if step.kind is not StepKind.FINISH:
        return to_step(request, participant, step)
    participant_finish(participant=participant)
    context = {
        "study": participant.study,
        "participant": participant,
        "progress": progress_of(participant),
        "personal_link": personal_link(request, participant),
    }
    return render(request, "survey/finish.html", context)
