"""How often Python looks for cyclic garbage: less often than its default, which suits small programs."""

import gc

# A thousand rows of a query are tens of thousands of objects, nearly all of which are freed without the collector.
# With Python's 700, 10, 10 it takes a fifth of the time of a rescoring; see docs/scoring.md.
ALLOCATIONS = 50_000
YOUNG_COLLECTIONS = 20
OLD_COLLECTIONS = 20


def collect_less_often() -> None:
    """Collect after 50,000 new objects, and leave what was loaded at the start out of every collection."""
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, YOUNG_COLLECTIONS, OLD_COLLECTIONS)
