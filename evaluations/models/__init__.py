"""Systems under test, their runs, the items (one question asked once), and completions made elsewhere."""

from evaluations.models.items import AskedApart, Item, ItemAttempt, ItemConfidence, ItemFallback
from evaluations.models.runs import Run
from evaluations.models.submissions import ContributorToken, Submission, SubmittedCompletion
from evaluations.models.systems import (
    BASE_MODEL,
    PRICES,
    SLUGS_OF_PEOPLE,
    TOOLS,
    System,
    endpoint_address,
    environment_name,
)
from evaluations.models.verdicts import ItemReading, ItemRescoring, ItemScore, RescoredItem

__all__ = [
    "BASE_MODEL",
    "PRICES",
    "SLUGS_OF_PEOPLE",
    "TOOLS",
    "AskedApart",
    "ContributorToken",
    "Item",
    "ItemAttempt",
    "ItemConfidence",
    "ItemFallback",
    "ItemReading",
    "ItemRescoring",
    "ItemScore",
    "RescoredItem",
    "Run",
    "Submission",
    "SubmittedCompletion",
    "System",
    "endpoint_address",
    "environment_name",
]
