"""Where somebody wants to be reminded, and how they stop it: here, or by a link in the mail without any login."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from survey.errors import SurveyError
from survey.models import Participant
from survey.selectors.reminders import address_of_token
from survey.services.reminders import reminder_address_remove, reminder_address_set, reminders_stop
from survey.views.access import participant_view, to_step


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def reminder(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Store or erase the address a person wants to be reminded at."""
    if participant.withdrawn_at:
        return to_step(request, participant)
    if request.method != "POST":
        return _page(request, participant)
    if "remove" in request.POST:
        reminder_address_remove(participant=participant)
        messages.info(request, "Your address is erased; you will get no reminders.")
        return redirect("survey:link", participant.study.slug)
    try:
        reminder_address_set(participant=participant, email=request.POST.get("email", ""))
    except SurveyError as error:
        return _page(request, participant, error=str(error), status=422)
    messages.success(request, "Your address is stored. You can remove it here at any time.")
    return redirect("survey:link", participant.study.slug)


def _page(request: HttpRequest, participant: Participant, *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "study": participant.study,
        "participant": participant,
        "reminder_error": error,
        "reminder_email": request.POST.get("email", ""),
    }
    return render(request, "survey/reminder.html", context, status=status)


# The signed note in the address says all there is to say, and mail programs send the form without a session.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reminders_end(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether reminders are to stop; erase the address once that is confirmed."""
    address = address_of_token(token)
    study = address.participant.study if address else None
    if request.method == "POST":
        reminders_stop(token=token)
        address = None
    context = {"study": study, "token": token, "is_stored": address is not None}
    return render(request, "survey/reminders_stop.html", context)
