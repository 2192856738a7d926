"""Systems under test that the site makes itself."""

from evaluations.models import System

RANDOM_SLUG = "random"


def ensure_random_system(*, is_demo: bool = False) -> System:
    """Return the random baseline, made on first use."""
    system, _ = System.objects.get_or_create(
        slug=RANDOM_SLUG,
        defaults={
            "name": "Random baseline",
            "kind": System.Kind.BASELINE,
            "provider": "random",
            "model_id": "random@1",
            "is_demo": is_demo,
        },
    )
    return system
