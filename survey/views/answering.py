"""The rules of a block, one question a page, and the end."""

from contextlib import suppress

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from survey.errors import NotYourTurnError, WithdrawnError
from survey.models import Assignment, Participant, Study
from survey.selectors.progress import progress_of
from survey.selectors.steps import StepKind, current_step, is_answerable, is_paused, stored_response
from survey.services import absences_end, assignment_serve, block_begin, participant_finish
from survey.views.access import not_known_page, participant_view, session_participant, study_view, to_step
from survey.views.entry import personal_link
from survey.views.given_back import give_back, posted_assignment, take_given_back
from survey.views.question_pages import ALREADY_STORED, form_page, take_answer


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def rules(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the rules of the block that comes next; going on accepts them."""
    step = current_step(participant)
    if step.kind is not StepKind.RULES or step.block is None:
        return to_step(request, participant, step)
    if request.method == "POST":
        if request.POST.get("block") == str(step.block.pk):
            with suppress(NotYourTurnError, WithdrawnError):
                block_begin(participant=participant, block_id=step.block.pk)
            participant.refresh_from_db()
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
        assignment = posted_assignment(request.POST, participant) if participant else None
        if participant is None or assignment is None:
            return take_given_back(request, study) if "given_back" in request.POST else give_back(request, study)
        return _answer(request, participant, assignment)
    if participant is None:
        return not_known_page(request, study)
    step = current_step(participant)
    if step.kind is not StepKind.QUESTION or step.assignment is None:
        return to_step(request, participant, step)
    if position != step.assignment.position:
        _tell_why_not_here(request, position, step.assignment)
        return to_step(request, participant, step)
    if is_paused(step.assignment):
        return redirect("survey:pause", study.slug)
    if step.assignment.served_at is not None:
        absences_end(assignment=step.assignment)
    try:
        assignment_serve(assignment=step.assignment)
    except WithdrawnError:
        participant.refresh_from_db()
        return to_step(request, participant)
    return form_page(request, step.assignment)


def _tell_why_not_here(request: HttpRequest, position: int, current: Assignment) -> None:
    if position < current.position:
        messages.info(request, ALREADY_STORED)
    else:
        messages.info(request, "Questions come in order. This is the one you are at.")


def _answer(request: HttpRequest, participant: Participant, assignment: Assignment) -> HttpResponse:
    if stored_response(assignment):
        messages.info(request, ALREADY_STORED)
    elif is_answerable(assignment):
        page = take_answer(request, assignment)
        if page is not None:
            return page
    return to_step(request, participant)


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
