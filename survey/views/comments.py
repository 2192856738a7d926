"""A remark on the question somebody is at; what they have filled in of their answer is not touched."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from survey.errors import SurveyError
from survey.models import Participant
from survey.services.comments import comment_record
from survey.views.access import participant_view

STORED = "Thank you. It is stored and goes to the people who keep the questions."
STORED_BEFORE = "This is stored already. Thank you."


@require_POST
@participant_view
def comment(request: HttpRequest, participant: Participant, position: int) -> HttpResponse:
    """Store a comment or an error report; answer with a page of its own, or with JSON to the script."""
    text = request.POST.get("text", "")
    assignment_id = participant.assignments.filter(position=position).values_list("pk", flat=True).first()
    try:
        if str(assignment_id) != request.POST.get("assignment"):
            raise SurveyError("This page was opened for somebody else than this browser continues as now.")
        given = comment_record(
            participant=participant,
            assignment_id=assignment_id or 0,
            kind=request.POST.get("kind", ""),
            text=text,
        )
    except SurveyError as error:
        return _reply(request, participant, message=str(error), text=text, status=422)
    return _reply(request, participant, message=STORED if given.created else STORED_BEFORE)


def _reply(
    request: HttpRequest, participant: Participant, *, message: str, text: str = "", status: int = 200
) -> HttpResponse:
    if request.headers.get("Accept", "").startswith("application/json"):
        return JsonResponse({"message": message}, status=status)
    context = {"study": participant.study, "message": message, "text": text, "is_stored": status == 200}
    return render(request, "survey/comment.html", context, status=status)
