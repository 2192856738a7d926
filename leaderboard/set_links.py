"""The links that every page of a question set begins with: its other pages, and the same as files."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from corpus.models import QuestionSet
from leaderboard.fallback import FallbackUse, fallback_use
from leaderboard.queries import parse_rule

_WHOLE = ("rule", "fallback")
_ALL = ("rule", "grouping", "fallback")
# The name of a page's address, its label, and those choices in its address that other pages know too.
PAGES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("board", "Board", _ALL),
    ("topics", "Topics", _ALL),
    ("compare", "Compare", _WHOLE),
    ("humans", "People", _WHOLE),
    ("outcomes", "Outcomes", _ALL),
    ("factors", "Factors", _WHOLE),
    ("confidence", "Confidence", _WHOLE),
    ("robustness", "Robustness", _WHOLE),
    ("scale", "Scale", _WHOLE),
    ("questions", "Questions", _ALL),
)
# Of sets that are not open these are for staff.
OF_SINGLE_QUESTIONS = ("scale", "questions")
FILES = (("api-v1:leaderboard_csv", "CSV"), ("api-v1:leaderboard", "JSON"))
_READ = {name: read for name, _, read in PAGES}


@dataclass(frozen=True, slots=True)
class SetLink:
    """A link of the list; `current` is `page` where it leads to the page it stands on, `true` on a page below that."""

    label: str
    address: str
    current: str = ""


@dataclass(frozen=True, slots=True)
class FallbackSwitch:
    """What a page of a set says of fallback readers, and the address of the same page with the other choice."""

    use: FallbackUse
    is_on: bool
    address: str


@dataclass(frozen=True, slots=True)
class SetLinks:
    """The pages of a set, and what holds its results for programs and for good."""

    pages: tuple[SetLink, ...]
    files: tuple[SetLink, ...]


def set_links(
    *, question_set: QuestionSet, current: str, is_below: bool, chosen: Mapping[str, str], snapshot: int | None = None
) -> SetLinks:
    """Return the links of a set as they stand on the page `current`, or on one below it.

    What both pages read in their addresses is kept of `chosen`, the choices in the address of this one. Of a set that
    is not open, what rests on single questions is only linked on such pages, which are for staff. `snapshot` is the
    number of the snapshot that is the page itself; else the newest is linked where the set was read with it.
    """
    kept = {name: chosen[name] for name in _READ.get(current, ()) if chosen.get(name)}
    marked = "true" if is_below else "page"
    is_linked = question_set.policy == QuestionSet.Policy.OPEN or current in OF_SINGLE_QUESTIONS
    pages = tuple(
        SetLink(label, _address(name, question_set.slug, kept, read), marked if name == current else "")
        for name, label, read in PAGES
        if name not in OF_SINGLE_QUESTIONS or is_linked
    )
    files = tuple(SetLink(label, _address(name, question_set.slug, kept, _ALL)) for name, label in FILES)
    for_good = _for_good(snapshot or getattr(question_set, "newest_snapshot", None), current="page" if snapshot else "")
    return SetLinks(pages, (*files, *for_good, SetLink("API", reverse("leaderboard:api-docs"))))


def fallback_switch(
    *, question_set: QuestionSet, current: str, chosen: QueryDict, address: str
) -> FallbackSwitch | None:
    """Return the switch of a page at `address` (its path); None on pages without, and where no run had such a reader.

    `chosen` is everything in the address; all of it but this choice stays. Raise `BadQueryError` for an unknown rule.
    """
    if current not in _READ:
        return None
    rule = parse_rule(chosen.get("rule", ""), default=question_set.benchmark.default_rule)
    use = fallback_use(question_set=question_set, rule=rule)
    if use is None:
        return None
    is_on = chosen.get("fallback") != "off"
    other = chosen.copy()
    other.pop("fallback", None)
    if is_on:
        other["fallback"] = "off"
    query = other.urlencode()
    return FallbackSwitch(use, is_on, f"{address}?{query}" if query else address)


def _address(name: str, slug: str, kept: Mapping[str, str], read: tuple[str, ...]) -> str:
    query = urlencode({key: value for key, value in kept.items() if key in read})
    return reverse(f"leaderboard:{name}", args=[slug]) + (f"?{query}" if query else "")


def _for_good(number: int | None, *, current: str) -> tuple[SetLink, ...]:
    if number is None:
        return ()
    return (SetLink(f"Snapshot {number}", reverse("leaderboard:snapshot", args=[number]), current),)
