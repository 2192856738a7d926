"""The list of links on every page of a question set."""

from typing import Any

from django import template

from corpus.models import QuestionSet
from leaderboard.set_links import set_links

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
    chosen = context["request"].GET.dict()
    links = set_links(question_set=question_set, current=current, is_below=is_below, chosen=chosen, snapshot=snapshot)
    return {"links": links, "question_set": question_set, "is_swapped": context.get("is_fragment", False)}
