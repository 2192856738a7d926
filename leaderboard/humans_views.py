"""The page about people: aggregates of them only."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.scoring.rules import rule_names
from leaderboard.boards import SMALL_TOPIC
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE
from leaderboard.humans import humans_of
from leaderboard.selectors.boards import people_rule
from leaderboard.views import explains_bad_queries, set_or_404


@require_safe
@gzip_page
@conditional_page
@explains_bad_queries
def humans(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what people can do on a set, and which of them systems beat, as far as it tells of nobody in particular."""
    found = humans_of(question_set=set_or_404(slug), rule=request.GET.get("rule", ""))
    context = {
        "humans": found,
        "board": found.board,
        "people_rule": people_rule(),
        "people_minimum": people_rule().minimum_for_mean,
        "rules": rule_names(),
        "small": SMALL_TOPIC,
        "smallest_group_of_people": SMALLEST_GROUP_OF_PEOPLE,
        "page": "board",
    }
    return render(request, "leaderboard/humans.html", context)
