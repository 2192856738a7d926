"""Where staff decide whether somebody with a flag is left out of results."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from survey.errors import FlagRefusedError
from survey.models import ParticipantFlag, Study
from survey.services.flags import REASON_LENGTH, flag_review
from survey.views.access import study_view
from survey.views.staff import staff_view

REVIEW_PERMISSION = "survey.change_participantflag"
KEEP, LEAVE_OUT = "keep", "leave_out"


class ReviewForm(forms.Form):
    """Keep or leave out, and why."""

    decision = forms.ChoiceField(
        choices=[
            (KEEP, "Keep: they count, as far as the rules of the study let them"),
            (LEAVE_OUT, "Leave out: they are stored, and count nowhere"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose whether these answers count."},
    )
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"aria-describedby": "reason-hint"}),
        error_messages={"required": "Say why: the reason is kept with the decision."},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@staff_view
@study_view
def review(request: HttpRequest, study: Study, flag_id: int) -> HttpResponse:
    """Ask for a decision on a flag, and store it."""
    if not request.user.has_perm(REVIEW_PERMISSION):
        raise PermissionDenied
    flags = ParticipantFlag.objects.select_related("participant", "reviewed_by")
    flag = get_object_or_404(flags, pk=flag_id, participant__study=study)
    form = ReviewForm(request.POST or None, initial=_initial(flag))
    if request.method == "POST" and form.is_valid():
        try:
            flag_review(
                flag=flag,
                is_left_out=form.cleaned_data["decision"] == LEAVE_OUT,
                reason=form.cleaned_data["reason"],
                actor=request.user,  # type: ignore[arg-type]
            )
        except FlagRefusedError as error:
            form.add_error("reason", str(error))
        else:
            messages.success(request, f"The flag of {flag.participant.pseudonym} is reviewed. Boards follow.")
            return redirect("survey:staff", study.slug)
    context = {"study": study, "tab": "people", "flag": flag, "form": form}
    return render(request, "survey/staff/flag.html", context, status=422 if form.errors else 200)


def _initial(flag: ParticipantFlag) -> dict[str, str]:
    if flag.is_left_out is None:
        return {}
    return {"decision": LEAVE_OUT if flag.is_left_out else KEEP, "reason": flag.review_reason}
