"""Systems under test that the site makes itself."""

from collections.abc import Callable
from decimal import Decimal

from evaluations.models import System
from evaluations.providers import BASELINES, WITHOUT_MODEL

RANDOM_SLUG = "random"
STRUCTURE_SLUG = "structure"


def ensure_random_system(*, is_demo: bool = False) -> System:
    """Return the random baseline, made on first use."""
    return _ensured(slug=RANDOM_SLUG, name="Random baseline", is_demo=is_demo)


def ensure_structure_system(*, is_demo: bool = False) -> System:
    """Return the baseline that computes from structures, made on first use."""
    return _ensured(slug=STRUCTURE_SLUG, name="Structure baseline", is_demo=is_demo)


# The slugs of systems that are there without anyone having made them.
MADE_ON_FIRST_USE: dict[str, Callable[[], System]] = {
    RANDOM_SLUG: ensure_random_system,
    STRUCTURE_SLUG: ensure_structure_system,
}


def is_baseline(system: System) -> bool:
    """Say whether a system computes or guesses its answers, by what it is or by how it is asked."""
    return system.kind == System.Kind.BASELINE or system.provider in BASELINES


def can_read(system: System) -> bool:
    """Say whether a system can be asked to read a reply: not a baseline, nor one we only have results of."""
    return system.kind != System.Kind.BASELINE and system.provider not in WITHOUT_MODEL


def _ensured(*, slug: str, name: str, is_demo: bool) -> System:
    """Return a baseline whose slug is also its provider's name."""
    system, _ = System.objects.get_or_create(
        slug=slug,
        defaults={
            "name": name,
            "kind": System.Kind.BASELINE,
            "provider": slug,
            "model_id": f"{slug}@1",
            "is_demo": is_demo,
            # Computed by the worker itself: known to cost nothing, which is not the same as unknown.
            "input_price": Decimal(0),
            "output_price": Decimal(0),
            "price_source": "computed here",
        },
    )
    return system
