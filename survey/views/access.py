"""Who is on the page: the session's participant of a study, and the pages for those who cannot go on."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache

from survey.models import Participant, Study
from survey.selectors.steps import Step, StepKind, current_step
from survey.views.posted import replace_surrogates

SESSION_KEY = "survey_participants"
PAGE_OF_STEP = {
    StepKind.CONSENT: "survey:consent",
    StepKind.PROFILE: "survey:profile",
    StepKind.PRACTICE: "survey:practice",
    StepKind.RULES: "survey:rules",
    StepKind.FINISH: "survey:finish",
}

# What a view takes after its request and its study or participant comes from its address.
View = Callable[..., HttpResponseBase]


def session_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return who this session continues as in a study, or None."""
    participant_id = request.session.get(SESSION_KEY, {}).get(study.slug)
    if participant_id is None:
        return None
    return Participant.objects.select_related("study").filter(pk=participant_id, study=study).first()


def enter(request: HttpRequest, participant: Participant) -> None:
    """Make this session continue as a participant, under a new session key."""
    entered = dict(request.session.get(SESSION_KEY, {}))
    entered[participant.study.slug] = participant.pk
    request.session.cycle_key()
    request.session[SESSION_KEY] = entered


def study_view(view: View) -> View:
    """Give the view its study, and posted text that can be stored; never cached."""

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, study_slug: str, **kwargs: Any) -> HttpResponseBase:
        replace_surrogates(request)
        return view(request, get_object_or_404(Study, slug=study_slug), **kwargs)

    return wrapped


def participant_view(view: View) -> View:
    """Give the view the session's participant; without one, send to the start page."""

    @study_view
    @wraps(view)
    def wrapped(request: HttpRequest, study: Study, **kwargs: Any) -> HttpResponseBase:
        participant = session_participant(request, study)
        if participant is None:
            messages.warning(request, "This browser does not know you. Open your personal link to go on, or begin new.")
            return redirect("survey:start", study.slug)
        return view(request, participant, **kwargs)

    return wrapped


def to_step(request: HttpRequest, participant: Participant, step: Step | None = None) -> HttpResponse:
    """Send a person to the page of the step they are at."""
    step = step or current_step(participant)
    slug = participant.study.slug
    if step.kind is StepKind.QUESTION and step.assignment:
        return redirect("survey:question", slug, step.assignment.position)
    if step.kind in PAGE_OF_STEP:
        return redirect(PAGE_OF_STEP[step.kind], slug)
    return barred_page(request, participant, step)


def barred_page(request: HttpRequest, participant: Participant, step: Step) -> HttpResponse:
    """Return the page for someone who cannot go on: they withdrew, or the study takes no answers."""
    context = {
        "study": participant.study,
        "participant": participant,
        "withdrawn": step.kind is StepKind.WITHDRAWN,
    }
    return render(request, "survey/barred.html", context, status=403)
