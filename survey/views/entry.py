"""From the start page to the practice question, and the personal link."""

import secrets

from django.contrib import messages
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey.consent_notes import SITE_NOTE
from survey.errors import BegunAlreadyError, ConsentOutdatedError, SurveyError
from survey.forms import ConsentForm, NumberForm, ProfileForm
from survey.models import Participant, Study
from survey.selectors.progress import progress_of
from survey.selectors.steps import StepKind, current_step, is_changed_by_looking
from survey.selectors.studies import current_consent, study_problems, words_key
from survey.services import (
    absences_end,
    link_renew,
    participant_begin,
    practice_record,
    profile_record,
    unknown_link_note,
)
from survey.services.links import seconds_until_links_open
from survey.views.access import (
    enter,
    forget,
    link_fingerprint,
    participant_view,
    remember,
    session_participant,
    study_view,
    to_step,
)
from survey.views.posted import client_address, may_be_secret

CONSENT_SALT = "survey.consent-page"
CONSENT_DAYS = 7


@require_safe
@study_view
def start(request: HttpRequest, study: Study) -> HttpResponse:
    """Say what the study is; continue, or begin."""
    participant = session_participant(request, study)
    if participant and participant.withdrawn_at:
        participant = None
    is_open = study.status == Study.Status.OPEN
    context = {
        "study": study,
        "is_open": is_open,
        "problems": study_problems(study) if is_open else [],
        "participant": participant,
        "progress": progress_of(participant) if participant else None,
        "blocks": study.blocks.all(),
    }
    return render(request, "survey/start.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view
def consent(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the consent text; whoever agrees becomes a participant."""
    if study.status != Study.Status.OPEN or study_problems(study):
        return redirect("survey:start", study.slug)
    if request.method == "POST":
        return _consent_given(request, study)
    participant = session_participant(request, study)
    if participant and not participant.withdrawn_at and "new" not in request.GET:
        return redirect("survey:continue", study.slug)
    return _consent_page(request, study, ConsentForm())


def _consent_given(request: HttpRequest, study: Study) -> HttpResponse:
    form = ConsentForm(request.POST)
    page = _signed_page(request.POST.get("page", ""), study)
    if page is None:
        messages.warning(request, "The page was open for too long. Please read it again.")
        return redirect("survey:consent", study.slug)
    if not form.is_valid():
        return _consent_page(request, study, form, status=422)
    secret, consent_text_id, words_seen, known_id = page
    known = session_participant(request, study)
    if known and not known.withdrawn_at and known.pk != known_id:
        # Agreed to on another page since this one was opened: two tabs are one person.
        return to_step(request, known)
    try:
        participant = participant_begin(
            study=study, consent_text_id=consent_text_id, link_secret=secret, words_seen=words_seen
        )
    except BegunAlreadyError as error:
        if known and known.pk == error.participant_id:
            return to_step(request, known)
        messages.warning(request, str(error))
        return redirect("survey:start", study.slug)
    except ConsentOutdatedError as error:
        messages.warning(request, str(error))
        return _consent_page(request, study, ConsentForm(), status=409)
    except SurveyError as error:
        messages.warning(request, str(error))
        return redirect("survey:consent", study.slug)
    enter(request, participant)
    return to_step(request, participant)


def _consent_page(request: HttpRequest, study: Study, form: ConsentForm, status: int = 200) -> HttpResponse:
    text = current_consent(study)
    # The page carries the secret of the link that it will make, so that sending it twice makes one participant.
    # It says which words it shows, so that nobody agrees to others, and whom the browser knew.
    shown = [text.pk, words_key(text.text)] if text else [0, ""]
    known = session_participant(request, study)
    shown.append(known.pk if known else 0)
    page = signing.dumps([study.slug, secrets.token_urlsafe(32), *shown], salt=CONSENT_SALT)
    context = {"study": study, "consent_text": text, "site_note": SITE_NOTE, "form": form, "page": page}
    return render(request, "survey/consent.html", context, status=status)


def _signed_page(value: str, study: Study) -> tuple[str, int, str, int] | None:
    """Return a page's secret, the id of its consent text, the key of its words and whom the browser knew; or None."""
    try:
        slug, secret, consent_text_id, words_seen, known_id = signing.loads(
            value, salt=CONSENT_SALT, max_age=CONSENT_DAYS * 86400
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return (secret, consent_text_id, words_seen, known_id) if slug == study.slug else None


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def profile(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Ask for the optional profile, once."""
    step = current_step(participant)
    if step.kind is not StepKind.PROFILE:
        return to_step(request, participant, step)
    form = ProfileForm(request.POST or None)
    if request.method == "POST":
        form = ProfileForm(request.POST)
        if form.is_valid():
            profile_record(participant=participant, **form.profile())
            return redirect("survey:link", participant.study.slug)
    context = {"study": participant.study, "form": form}
    return render(request, "survey/profile.html", context, status=422 if form.errors else 200)


@require_safe
@participant_view
def link(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the personal link."""
    if participant.withdrawn_at:
        return to_step(request, participant)
    context = {
        "study": participant.study,
        "participant": participant,
        "personal_link": personal_link(request, participant),
        "link_fingerprint": link_fingerprint(participant),
    }
    return render(request, "survey/link.html", context)


@require_POST
@participant_view
def new_link(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Make a new personal link; the old one, and whatever was entered by it elsewhere, ends at once."""
    if participant.withdrawn_at:
        return to_step(request, participant)
    # A page that shows a link of the past, such as a second click, changes nothing.
    if request.POST.get("link") == link_fingerprint(participant):
        with transaction.atomic():
            link_renew(participant=participant, old_secret=participant.link_secret)
            remember(request, participant)
            # With the link or not at all: this browser must not lose whoever it knows.
            request.session.save()
        messages.success(request, "This is your new personal link. The old one leads nowhere from now on.")
    return redirect("survey:link", participant.study.slug)


@require_POST
@study_view
def leave(request: HttpRequest, study: Study) -> HttpResponse:
    """Let this browser forget who it knows, for the next person at a shared computer."""
    forget(request, study)
    messages.success(request, "This browser knows nobody any more. Your personal link continues where you stopped.")
    return redirect("survey:start", study.slug)


def personal_link(request: HttpRequest, participant: Participant) -> str:
    """Return the address that continues as this participant anywhere."""
    return request.build_absolute_uri(reverse("survey:resume", args=[participant.link_secret]))


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def practice(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Let people see how a number is read back; nothing of it is stored as an answer."""
    step = current_step(participant)
    if step.kind is not StepKind.PRACTICE:
        return to_step(request, participant, step)
    if request.method != "POST" or "change" in request.POST:
        initial = {"typed_text": request.POST.get("typed_text", "")}
        return _practice_page(request, participant, NumberForm(initial=initial))
    form = NumberForm(request.POST)
    if not form.is_valid():
        return _practice_page(request, participant, form, status=422)
    if form.settled is None:
        return _practice_page(request, participant, form)
    try:
        practice_record(participant=participant)
    except SurveyError as error:
        messages.error(request, str(error))
        return redirect("survey:start", participant.study.slug)
    return to_step(request, participant)


def _practice_page(request: HttpRequest, participant: Participant, form: NumberForm, status: int = 200) -> HttpResponse:
    context = {"study": participant.study, "form": form, "typed": form["typed_text"].value() or ""}
    return render(request, "survey/practice.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@participant_view
def go_on(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Send a person to where they are; by a press, which no program that follows links does, their pause ends."""
    step = current_step(participant)
    if request.method == "POST" and step.kind is StepKind.QUESTION and step.assignment:
        absences_end(assignment=step.assignment)
    return to_step(request, participant, step)


@require_safe
@never_cache
def resume(request: HttpRequest, secret: str) -> HttpResponseBase:
    """Continue as the participant whose personal link this is; slow for addresses that try many."""
    address = client_address(request)
    seconds = seconds_until_links_open(address=address)
    if seconds:
        response = render(request, "survey/too_many_links.html", {"seconds": seconds}, status=429)
        response["Retry-After"] = str(seconds)
        return response
    known = Participant.objects.select_related("study").filter(link_secret=secret)
    participant = known.first() if may_be_secret(secret) else None
    if participant is None:
        unknown_link_note(address=address)
        return render(request, "survey/link_unknown.html", status=404)
    enter(request, participant)
    step = current_step(participant)
    # Mail programs open links as well: no clock starts or stops before somebody presses a button.
    if is_changed_by_looking(step):
        return redirect("survey:pause", participant.study.slug)
    return to_step(request, participant, step)
