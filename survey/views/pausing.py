"""Away from a question: pauses, breaks, a hidden page, and what is filled in until then."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from survey.models import Absence, Assignment, Participant, Study
from survey.selectors.progress import progress_of
from survey.selectors.steps import StepKind, current_step, is_answerable
from survey.services import absence_begin, absences_end
from survey.views.access import not_known_page, participant_view, session_participant, study_view, to_step
from survey.views.entry import personal_link
from survey.views.given_back import give_back, posted_assignment
from survey.views.question_pages import keep_draft


@require_http_methods(["GET", "HEAD", "POST"])
@study_view
def pause(request: HttpRequest, study: Study) -> HttpResponse:
    """Begin a pause and keep what is filled in; then show how to go on."""
    participant = session_participant(request, study)
    if participant is None:
        return give_back(request, study) if request.method == "POST" else not_known_page(request, study)
    if participant.withdrawn_at:
        return to_step(request, participant)
    if request.method == "POST":
        if "assignment" in request.POST and posted_assignment(request.POST, participant) is None:
            return give_back(request, study)
        assignment = _question_at(request, participant)
        if assignment is not None:
            keep_draft(request, assignment)
        # A tab left behind names an earlier question; the person pauses at the one they have come to.
        waiting = assignment or current_step(participant).assignment
        if waiting is not None:
            absence_begin(assignment=waiting, kind=Absence.Kind.PAUSE)
        return redirect("survey:pause", study.slug)
    return render(request, "survey/paused.html", _context(request, participant))


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def take_break(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Offer a break before the next question; it lasts until the person goes on."""
    step = current_step(participant)
    if step.kind is not StepKind.BREAK or step.assignment is None:
        return to_step(request, participant, step)
    absence_begin(assignment=step.assignment, kind=Absence.Kind.BREAK)
    if request.method == "POST":
        absences_end(assignment=step.assignment)
        return to_step(request, participant)
    return render(request, "survey/break.html", _context(request, participant))


@require_POST
@study_view
def away(request: HttpRequest, study: Study) -> HttpResponse:
    """Note that the page of a question was hidden, or is seen again."""
    participant = session_participant(request, study)
    assignment = _question_at(request, participant) if participant else None
    if assignment is None:
        return HttpResponse(status=409)
    if request.POST.get("state") == "hidden":
        absence_begin(assignment=assignment, kind=Absence.Kind.HIDDEN)
    else:
        absences_end(assignment=assignment)
    return HttpResponse(status=204)


@require_POST
@study_view
def draft(request: HttpRequest, study: Study) -> HttpResponse:
    """Keep what is filled in for the question that a person is at."""
    participant = session_participant(request, study)
    assignment = _question_at(request, participant) if participant else None
    is_kept = assignment is not None and keep_draft(request, assignment, forgets=True)
    return HttpResponse(status=204 if is_kept else 409)


def _question_at(request: HttpRequest, participant: Participant) -> Assignment | None:
    """Return the question a form names, where it is this person's and its answer is taken now."""
    assignment = posted_assignment(request.POST, participant)
    return assignment if assignment and is_answerable(assignment) else None


def _context(request: HttpRequest, participant: Participant) -> dict[str, object]:
    return {
        "study": participant.study,
        "participant": participant,
        "progress": progress_of(participant),
        "personal_link": personal_link(request, participant),
    }
