"""The page about the site: what it is, who counts as an expert, how to cite, licences, canary, contact."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from corpus.models import Benchmark
from leaderboard.papers import PAPERS
from leaderboard.selectors.boards import people_rule
from leaderboard.selectors.published import all_published
from leaderboard.selectors.snapshots import newest_snapshots

WEB = ("https://", "http://")


@require_safe
@gzip_page
@conditional_page
def about(request: HttpRequest) -> HttpResponse:
    """Show what the settings, the bank and the published snapshots say."""
    context = {
        "operator": settings.SITE_OPERATOR,
        "contact": settings.SITE_CONTACT,
        "contact_address": contact_address(settings.SITE_CONTACT),
        "site_url": settings.SITE_URL,
        "licence": settings.RESULTS_LICENCE,
        "licence_address": web_address(settings.RESULTS_LICENCE_URL),
        "benchmarks": Benchmark.objects.order_by("is_demo", "name"),
        "snapshots": newest_snapshots(),
        "papers": PAPERS,
        "published": all_published(),
        "people_rule": people_rule(),
        "page": "about",
    }
    return render(request, "leaderboard/about.html", context)


def web_address(text: str) -> str:
    """Return the text where it is an address a browser may be sent to, else ""."""
    return text if text.startswith(WEB) else ""


def contact_address(text: str) -> str:
    """Return where a contact leads: a web address, mail for an e-mail address, "" for other words."""
    if text.count("@") == 1 and not any(character.isspace() or character in "<>/?" for character in text):
        return f"mailto:{text}"
    return web_address(text)
