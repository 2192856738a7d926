"""Find the answer of a reply: the strongest place that states one, and what counts where a reply may have run on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from corpus.scoring.additions import added_letters
from corpus.scoring.contents import Content
from corpus.scoring.cues import run_on_starts
from corpus.scoring.denials import DENIED
from corpus.scoring.echoes import ECHOED_OPTIONS, without_echoed_options
from corpus.scoring.found import Found
from corpus.scoring.lists import UNREAD_LIST
from corpus.scoring.outside import with_unit_beside
from corpus.scoring.protocols import Protocol, chosen_protocols, is_continued
from corpus.scoring.tags import is_placeholder
from corpus.scoring.types import Asked, Kind, Unread

NOTHING = Unread("The reply states no answer.")


def find_answer(text: str, asked: Asked, *, is_cut: bool = False) -> Found:
    """Return the answer that `text` states. In a reply that was cut off, only what was written to its end counts."""
    protocols = chosen_protocols(asked.protocols)
    if asked.kind is Kind.CHOICE:
        text = without_echoed_options(text, asked.shown)
        if not text.strip():
            return Found(Unread("The options are repeated, and none is chosen.", ECHOED_OPTIONS))
    cuts = run_on_starts(text)
    for place, cut in enumerate(cuts):
        before = _find(text[:cut], asked, protocols, is_cut=False)
        if before.found.span is not None:
            stronger = () if is_continued(asked.prompt) else _stronger(text, before, protocols)
            later = _marked_later(text, cuts[place + 1 :], asked, stronger, is_cut=is_cut)
            return later or replace(before.found, notes=(*before.found.notes, "run-on"))
    return _find(text, asked, protocols, is_cut=is_cut).found


class _Placed(NamedTuple):
    """What was found, and the protocol that found it; None for nothing."""

    found: Found
    protocol: Protocol | None = None


def _find(text: str, asked: Asked, protocols: Sequence[Protocol], *, is_cut: bool) -> _Placed:
    for protocol in protocols:
        found = protocol.read(text, asked, is_cut)
        if found is not None:
            found = with_unit_beside(text, found, asked)
            return _Placed(_unless_added_to(found, text, asked), protocol)
    return _Placed(Found(NOTHING))


def _unless_added_to(found: Found, text: str, asked: Asked) -> Found:
    """Return what was found, unread where the reply calls another option correct as well (`C is also correct`)."""
    content = found.content
    if asked.kind is not Kind.CHOICE or found.span is None or not isinstance(content, Content):
        return found
    added = added_letters(text, *found.span, is_subject=found.form == "statement")
    if not added or not any(option.letter in added and option.key not in content.option_keys for option in asked.shown):
        return found
    return replace(found, content=Unread("Another option is called correct as well.", UNREAD_LIST), is_attempt=True)


def _stronger(text: str, before: _Placed, protocols: Sequence[Protocol]) -> Sequence[Protocol]:
    """Return the marked places that outweigh what stands before a line `Question:`.

    Such a line opens an invented question or is a step of the reply's own. A reply that invents questions repeats
    the form of its answer, so the answer in the stronger form is meant. Nothing outweighs a bare answer.
    """
    found, protocol = before
    is_read = isinstance(found.content, Content)
    if protocol is None or (is_read and protocol.name == "bare"):
        return ()
    marked = [each for each in protocols if each.is_marked]
    if protocol not in marked:
        return marked
    is_stated = is_read or _is_filled(text, found)
    return marked[: marked.index(protocol) + (not is_stated)]


def _is_filled(text: str, found: Found) -> bool:
    """Tell whether something stands in the place that was found, to its end and not denied, readable or not."""
    inner = text[slice(*found.span)] if found.span else ""
    is_denied = isinstance(found.content, Unread) and found.content.note == DENIED
    return found.is_complete and bool(inner) and not is_placeholder(inner) and not is_denied


def _marked_later(
    text: str, cuts: Sequence[int], asked: Asked, protocols: Sequence[Protocol], *, is_cut: bool
) -> Found | None:
    """Return the answer in the first marked place of `protocols`, the text before each later cut tried by itself."""
    for end in (*cuts, len(text)):
        found = _find(text[:end], asked, protocols, is_cut=is_cut and end == len(text)).found
        if isinstance(found.content, Content):
            return found
    return None
