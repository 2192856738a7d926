"""The page that shows a maintainer what every prompt style says to a question. No answer key is on it."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from corpus.scoring.protocols import PROTOCOLS
from evaluations.models import System
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from evaluations.selectors.prompt_previews import prompt_previews, questions_like
from evaluations.storable_text import storable

_LONGEST_KEY = 300
_MOST_DIGITS = 18


def prompts_view(request: HttpRequest) -> HttpResponse:
    """Show the words of every style for the question named in the address, as the named system would get them."""
    if not (request.user.has_perm("evaluations.view_item") or request.user.has_perm("evaluations.add_run")):
        raise PermissionDenied
    text = storable(request.GET.get("question", "")).strip()[:_LONGEST_KEY]
    questions = questions_like(text=text)
    chosen = next((question for question in questions if str(question.pk) == request.GET.get("id")), None)
    if chosen is None and questions and (len(questions) == 1 or not text or questions[0].key == text):
        chosen = questions[0]
    system = _system(request.GET.get("system", ""))
    revision = chosen.current_revision if chosen else None
    context = {
        **admin.site.each_context(request),
        "title": "Prompts",
        "opts": System._meta,
        "text": text or (chosen.key if chosen else ""),
        "questions": questions,
        "question": chosen,
        "system": system,
        "systems": System.objects.order_by("name").only("pk", "name"),
        "previews": prompt_previews(revision=revision, system=system) if revision else [],
        "protocols": list(PROTOCOLS.values()),
        "confidence": CONFIDENCE_PROMPT,
    }
    return TemplateResponse(request, "admin/evaluations/system/prompts.html", context)


def _system(number: str) -> System | None:
    is_number = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
    return System.objects.filter(pk=number).first() if is_number else None
