"""The list of links on every page of a question set."""

from typing import Any

from django import template
from django.http import HttpRequest

from corpus.models import QuestionSet
from leaderboard.queries import BadQueryError
from leaderboard.set_links import FallbackSwitch, fallback_switch, set_links

register = template.Library()


@register.inclusion_tag("leaderboard/_set_links.html", takes_context=True)
def set_pages(
    context: template.Context,
    question_set: QuestionSet,
    current: str,
    is_below: bool = False,
    snapshot: int | None = None,
) -> dict[str, Any]:
    """Show the links to all pages of a set, the page `current` marked; a part of a page swaps the list it stands on."""
    request = context["request"]
    chosen = request.GET.dict()
    links = set_links(question_set=question_set, current=current, is_below=is_below, chosen=chosen, snapshot=snapshot)
    return {
        "links": links,
        "switch": _switch(request, question_set, current),
        "question_set": question_set,
        "is_swapped": context.get("is_fragment", False),
    }


def _switch(request: HttpRequest, question_set: QuestionSet, current: str) -> FallbackSwitch | None:
    # A page that says who may read it never looks at the rule in its address: one that does not exist has no switch.
    try:
        return fallback_switch(question_set=question_set, current=current, chosen=request.GET, address=request.path)
    except BadQueryError:
        return None


@register.simple_tag(takes_context=True)
def fallback_choice(context: template.Context) -> str:
    """Return what an address ends with to keep the choice of a page without fallback readers; "" with them."""
    return "?fallback=off" if context["request"].GET.get("fallback") == "off" else ""
