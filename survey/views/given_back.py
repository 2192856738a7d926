"""An answer that arrived without its person's session or a valid form token: nothing is lost, and nobody is let in.

A page token lets its holder store one answer to one question. To continue as the person, or to see their link, takes
the session or the personal link.
"""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from survey.forms import AnswerForm
from survey.models import Assignment, Participant, Response, Study
from survey.selectors.pages import assignment_of_token
from survey.selectors.steps import is_answerable, stored_response, with_turn
from survey.views.access import session_participant
from survey.views.question_pages import confirm_page, form_page, page_of, take_answer

NOT_STORED = "Your answer is below, but not stored yet: this page was open for too long. Please send it again."
SESSION_ENDED = (
    "Your session had ended. Your answer is below, but not stored yet: please send it again. To go on after that, open "
    "your personal link."
)
FOREIGN = (
    "That page belongs to somebody else than this browser continues as now. Their answer is below, but not stored yet: "
    "send it again to store it for them. Nothing else of theirs or yours changes."
)


DO_NOT_KNOW = "You had pressed “I do not know”, but that is not stored yet: please press it again."


def give_back(request: HttpRequest, study: Study) -> HttpResponse:
    """Show a posted answer in its form again, with a fresh form token; one more click stores it."""
    current = session_participant(request, study)
    assignment = _assignment(request, study, current)
    if assignment is None:
        return _refused_page(request, study, current)
    if not is_answerable(assignment):
        return _end_page(request, assignment, current)
    is_foreign = current is not None and assignment.participant_id != current.pk
    status, notice = (409, FOREIGN) if is_foreign else (403, NOT_STORED if current else SESSION_ENDED)
    if "do_not_know" in request.POST and not is_foreign:
        notice = DO_NOT_KNOW
    form = AnswerForm(request.POST, page=page_of(request, assignment))
    if form.is_valid() and not form.page.is_choice and not form.cleaned_data["do_not_know"]:
        return confirm_page(request, assignment, form, status=status, notice=notice)
    return form_page(request, assignment, status=status, notice=notice)


def take_given_back(request: HttpRequest, study: Study) -> HttpResponse:
    """Store an answer that was given back, for the question its token is for, whoever the session continues as.

    Only for requests that have passed the check of the form token.
    """
    current = session_participant(request, study)
    assignment = _assignment(request, study, None)
    if assignment is None:
        return _refused_page(request, study, current)
    if not is_answerable(assignment):
        return _end_page(request, assignment, current)
    return take_answer(request, assignment) or _end_page(request, assignment, current, is_new=True)


def posted_assignment(data: QueryDict, participant: Participant) -> Assignment | None:
    """Return the assignment of this person that a form names, or None."""
    value = data.get("assignment", "")
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        return None
    return with_turn(participant.assignments.filter(pk=int(value))).first()


def _assignment(request: HttpRequest, study: Study, current: Participant | None) -> Assignment | None:
    own = posted_assignment(request.POST, current) if current else None
    return own or assignment_of_token(request.POST.get("token", ""), study.slug)


def _refused_page(request: HttpRequest, study: Study, current: Participant | None) -> HttpResponse:
    given = [text for name in ("choice", "typed_text") for text in request.POST.getlist(name) if text.strip()]
    context = {"study": study, "participant": current, "given": given}
    if current is not None:
        return render(request, "survey/foreign.html", context, status=409)
    return render(request, "survey/expired.html", context, status=403)


def _end_page(
    request: HttpRequest, assignment: Assignment, current: Participant | None, *, is_new: bool = False
) -> HttpResponse:
    # What was just stored is not in the row that was read before.
    is_stored = is_new and Response.objects.filter(assignment=assignment).exists()
    is_stored = is_stored or stored_response(assignment) is not None
    context = {"study": assignment.block.study, "participant": current, "is_stored": is_stored, "is_new": is_new}
    return render(request, "survey/given_back_end.html", context, status=200 if is_stored else 403)
