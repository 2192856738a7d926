"""Who is on the page: the session's participant of a study, and the pages for those who cannot go on."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.crypto import constant_time_compare, salted_hmac
from django.views.decorators.cache import never_cache

from survey.models import Participant, Study
from survey.selectors.steps import Step, StepKind, current_step
from survey.views.posted import replace_surrogates

SESSION_KEY = "survey_participants"
SESSION_SALT = "survey.session"
NOT_KNOWN = "This browser does not know you. Open your personal link to go on, or begin new."
PAGE_OF_STEP = {
    StepKind.CONSENT: "survey:consent",
    StepKind.PROFILE: "survey:profile",
    StepKind.PRACTICE: "survey:practice",
    StepKind.BREAK: "survey:break",
    StepKind.RULES: "survey:rules",
    StepKind.FINISH: "survey:finish",
}

# What a view takes after its request and its study or participant comes from its address.
View = Callable[..., HttpResponseBase]


def session_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return who this session continues as in a study, or None: it was never entered, or by a link of the past."""
    entry = request.session.get(SESSION_KEY, {}).get(study.slug)
    if not isinstance(entry, list) or len(entry) != 2:
        return None
    participant_id, fingerprint = entry
    participant = Participant.objects.filter(pk=participant_id, study=study).first()
    if participant is None:
        return None
    # Who has withdrawn has no link any more, and is told so.
    if not participant.withdrawn_at and not constant_time_compare(fingerprint, link_fingerprint(participant)):
        return None
    participant.study = study
    return participant


def entered_studies(request: HttpRequest) -> list[Study]:
    """Return the studies in which this session continues as somebody, by title."""
    entered = request.session.get(SESSION_KEY, {})
    studies = Study.objects.filter(slug__in=entered).order_by("title") if entered else []
    return [study for study in studies if session_participant(request, study)]


def link_fingerprint(participant: Participant) -> str:
    """Return what a session keeps of a personal link: enough to know it by, not enough to open it."""
    return salted_hmac(SESSION_SALT, participant.link_secret, algorithm="sha256").hexdigest()


def enter(request: HttpRequest, participant: Participant) -> None:
    """Make this session continue as a participant, under a new session key."""
    request.session.cycle_key()
    remember(request, participant)


def remember(request: HttpRequest, participant: Participant) -> None:
    """Keep in this session who it continues as, by the personal link of now."""
    entered = dict(request.session.get(SESSION_KEY, {}))
    entered[participant.study.slug] = [participant.pk, link_fingerprint(participant)]
    request.session[SESSION_KEY] = entered


def forget(request: HttpRequest, study: Study) -> None:
    """Let this session know nobody of a study any more, under a new session key."""
    entered = {slug: entry for slug, entry in request.session.get(SESSION_KEY, {}).items() if slug != study.slug}
    request.session.cycle_key()
    request.session[SESSION_KEY] = entered


def not_known_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Send whoever this browser does not know to the start page."""
    messages.warning(request, NOT_KNOWN)
    return redirect("survey:start", study.slug)


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
            return not_known_page(request, study)
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
