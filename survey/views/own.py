"""What is a person's own: their data to download, and the button that takes everything back."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from survey.models import Participant
from survey.selectors.own_data import own_data
from survey.services import participant_withdraw
from survey.views.access import participant_view


@require_safe
@participant_view
def my_data(request: HttpRequest, participant: Participant) -> JsonResponse:
    """Send everything stored about the person as a JSON file."""
    response = JsonResponse(own_data(participant), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{participant.study.slug}-my-data.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def withdraw(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Say what withdrawing does; do it when the person confirms. Again shows that it is done."""
    if request.method == "POST":
        # A form that was opened for somebody else in this browser must not withdraw whoever continues here now.
        if request.POST.get("participant") == str(participant.pk):
            participant_withdraw(participant=participant)
        return redirect("survey:withdraw", participant.study.slug)
    context = {
        "study": participant.study,
        "participant": participant,
        "n_answers": participant.assignments.filter(response__isnull=False).count(),
        "n_comments": participant.comments.count(),
    }
    return render(request, "survey/withdraw.html", context)
