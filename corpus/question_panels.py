"""What other apps know of a question, for its page in the admin.

They register a function, so that nothing here needs to know them.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from corpus.models import Question


class QuestionPanel(NamedTuple):
    """A part of a question's page: a heading, and a template with what it shows."""

    title: str
    template: str
    context: Mapping[str, Any]


Viewer = AbstractBaseUser | AnonymousUser
PanelOf = Callable[[Question, Viewer], QuestionPanel | None]

_registered: list[PanelOf] = []


def register_panel(panel_of: PanelOf) -> None:
    """Add a function that returns a panel for a question and whoever looks, or None; again changes nothing."""
    if panel_of not in _registered:
        _registered.append(panel_of)


def panels_of(question: Question, viewer: Viewer) -> list[QuestionPanel]:
    """Return the panels for a question, in the order in which their functions were registered."""
    panels = (panel_of(question, viewer) for panel_of in _registered)
    return [panel for panel in panels if panel is not None]
