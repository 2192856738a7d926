"""The page on which a person sees their own result. Unlike the boards it depends on who reads, and is never cached."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.own_result import own_result
from survey.models import Participant
from survey.selectors.own_answers import may_see_result
from survey.views.access import participant_view, to_step


@require_safe
@participant_view
def result(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show a person's own result by topic once they have finished or the study is closed."""
    if participant.withdrawn_at:
        return to_step(request, participant)
    may_see = may_see_result(participant)
    context = {
        "study": participant.study,
        "participant": participant,
        "result": own_result(participant) if may_see else None,
    }
    return render(request, "leaderboard/own_result.html", context, status=200 if may_see else 403)
