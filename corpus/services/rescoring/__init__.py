"""Read and judge stored answers again: proposed with a list of differences, then accepted or discarded.

Generic over the tables of models' and people's answers; no model is ever called.
"""

from corpus.services.rescoring.decisions import rescoring_accept, rescoring_discard
from corpus.services.rescoring.proposals import rescoring_propose, stored_histories
from corpus.services.rescoring.readers import check_pair, default_reader, reads_again, resolve_reader
from corpus.services.rescoring.types import (
    Accepted,
    Counts,
    Proposed,
    Reread,
    RescoringError,
    RescoringStateError,
    Tables,
)

__all__ = [
    "Accepted",
    "Counts",
    "Proposed",
    "Reread",
    "RescoringError",
    "RescoringStateError",
    "Tables",
    "check_pair",
    "default_reader",
    "reads_again",
    "rescoring_accept",
    "rescoring_discard",
    "rescoring_propose",
    "resolve_reader",
    "stored_histories",
]
