"""The pages and files of published snapshots."""

from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from leaderboard.models import Snapshot
from leaderboard.selectors.snapshots import content_of, is_intact, published_snapshots, snapshot_by_number
from leaderboard.snapshot_changes import changes_between

_YEAR = 31_536_000


@require_safe
@gzip_page
@conditional_page
def snapshots(request: HttpRequest) -> HttpResponse:
    """List every snapshot, newest first, of one set with `?set=`."""
    found = list(published_snapshots())
    slug = request.GET.get("set", "")
    sets = sorted({(each.set_revision.question_set.slug, each.set_revision.question_set.name) for each in found})
    shown = [each for each in found if slug in ("", each.set_revision.question_set.slug)]
    context = {"snapshots": shown, "sets": sets, "set_slug": slug, "page": "snapshots"}
    return render(request, "leaderboard/snapshots.html", context)


@require_safe
@gzip_page
@conditional_page
def snapshot(request: HttpRequest, number: int) -> HttpResponse:
    """Show one snapshot with its citation, its hash, and how to work the hash out again."""
    found = snapshot_or_404(number)
    content = content_of(found)
    context = {
        "snapshot": found,
        "content": content,
        "topics": topic_table(content),
        "is_intact": is_intact(found),
        "earlier": _others(found),
        "site_url": settings.SITE_URL,
        "page": "snapshots",
    }
    return render(request, "leaderboard/snapshot.html", context)


@require_safe
@gzip_page
def snapshot_json(request: HttpRequest, number: int) -> HttpResponse:
    """Return the JSON file to the letter: its SHA-256 is the hash of the snapshot."""
    found = snapshot_or_404(number)
    return _file(request, found.content, content_type="application/json", tag=found.content_hash, name="")


@require_safe
@gzip_page
def snapshot_csv(request: HttpRequest, number: int) -> HttpResponse:
    """Return the CSV file to the letter."""
    found = snapshot_or_404(number)
    name = f"snapshot-{number}.csv"
    tag = content_of(found)["table_hash"]
    return _file(request, found.table, content_type="text/csv; charset=utf-8", tag=tag, name=name)


@require_safe
@gzip_page
@conditional_page
def changes(request: HttpRequest) -> HttpResponse:
    """Show what changed from the snapshot `?from=` to the snapshot `?to=`."""
    earlier, later = (_asked_for(request, name) for name in ("from", "to"))
    if earlier.number > later.number:
        earlier, later = later, earlier
    contents = [content_of(each) for each in (earlier, later)]
    context = {
        "before": earlier,
        "after": later,
        "changes": changes_between(*contents),
        "sizes": [content["set"]["n_questions"] for content in contents],
        "has_demo": any(content["board"]["is_demo"] for content in contents),
        "only_rows": not any(content["benchmark"]["is_demo"] for content in contents),
        "is_same_set": earlier.set_revision.question_set_id == later.set_revision.question_set_id,
        "page": "snapshots",
    }
    return render(request, "leaderboard/snapshot_changes.html", context)


def snapshot_or_404(number: int) -> Snapshot:
    """Return the snapshot of that number with its files."""
    found = snapshot_by_number(number)
    if found is None:
        raise Http404(f"There is no snapshot {number}.")
    return found


class TopicTable(NamedTuple):
    """How many questions each topic has, by its name, and each system's row with its estimates in that order."""

    sizes: dict[str, int]
    rows: list[tuple[dict[str, Any], list[dict[str, Any] | None]]]


def topic_table(content: dict[str, Any]) -> TopicTable:
    """Return the systems' estimates by topic, topics by name, systems in the order of the board."""
    rows = [row for row in content["board"]["rows"] if row["topics"]]
    found = {name: estimate["n"] for row in rows for name, estimate in row["topics"].items()}
    names = sorted(found, key=str.casefold)
    sizes = {name: found[name] for name in names}
    return TopicTable(sizes, [(row, [row["topics"].get(name) for name in names]) for row in rows])


def _others(found: Snapshot) -> list[Snapshot]:
    """Return the other snapshots of the same set, newest first."""
    same_set = published_snapshots().filter(set_revision__question_set=found.set_revision.question_set_id)
    return list(same_set.exclude(pk=found.pk))


def _asked_for(request: HttpRequest, name: str) -> Snapshot:
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Http404(f"Say the number of a snapshot: ?{name}=1")
    return snapshot_or_404(int(text))


def _file(request: HttpRequest, text: str, *, content_type: str, tag: str, name: str) -> HttpResponse:
    etag = f'"{tag}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(text, content_type=content_type)
    response["ETag"] = etag
    # Whatever page reads them, they are the same for everyone and for good.
    response["Access-Control-Allow-Origin"] = "*"
    if name:
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    patch_cache_control(response, public=True, max_age=_YEAR, immutable=True)
    return response
