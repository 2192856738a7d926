"""The words people choose from when they describe themselves, and how a profile is coarsened later."""

SPECIALTIES = (
    "analytical chemistry",
    "biochemistry",
    "chemical engineering",
    "inorganic chemistry",
    "materials science",
    "organic chemistry",
    "physical chemistry",
    "polymer chemistry",
    "theoretical chemistry",
    "toxicology and safety",
)
# Years of experience are rounded down to one of these, or to the minimum of the study.
COARSE_YEARS = (0, 1, 2, 3, 5, 10, 20)


def coarse_years(years: int | None, *, minimum: int | None = None) -> int | None:
    """Return years of experience rounded down to a coarse step; unknown stays unknown.

    The minimum of a study is a step as well, so that the same people reach it before and after.
    """
    steps = {*COARSE_YEARS, minimum or 0}
    return None if years is None else max(step for step in steps if step <= years)


def coarse_specialties(specialties: list[str]) -> list[str]:
    """Return the specialties without those in the person's own words."""
    return [specialty for specialty in specialties if specialty in SPECIALTIES]
