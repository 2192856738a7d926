"""The operator's pages: systems, runs and items."""

from evaluations.admin.items import ItemAdmin
from evaluations.admin.rescorings import ItemRescoringAdmin
from evaluations.admin.runs import RunAdmin
from evaluations.admin.systems import SystemAdmin

__all__ = ["ItemAdmin", "ItemRescoringAdmin", "RunAdmin", "SystemAdmin"]
