"""The operator's pages: systems, runs and items."""

from evaluations.admin.items import ItemAdmin
from evaluations.admin.rescorings import ItemRescoringAdmin
from evaluations.admin.runs import RunAdmin
from evaluations.admin.submissions import ContributorTokenAdmin, SubmissionAdmin
from evaluations.admin.systems import SystemAdmin

__all__ = [
    "ContributorTokenAdmin",
    "ItemAdmin",
    "ItemRescoringAdmin",
    "RunAdmin",
    "SubmissionAdmin",
    "SystemAdmin",
]
