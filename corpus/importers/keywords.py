"""What the keywords and fields of a ChemBench question say about its topic, skills, difficulty and origin."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

TOXICITY_SAFETY = "Toxicity/Safety"
SKILLS = ("calculation", "knowledge", "reasoning", "intuition")
DIFFICULTIES = ("basic", "advanced")
OTHERWISE = "intermediate"
_HAZARD_WORDS = ("toxic", "safety")
_TOPICS = {
    "Analytical": ("analytical-chemistry", "AC"),
    "Chemical Preference": ("chemical-preference", "ChemPref"),
    "General": ("general-chemistry", "GC"),
    "Inorganic": ("inorganic-chemistry", "IC"),
    "Materials Science": ("materials-science", "MS"),
    "Organic": ("organic-chemistry", "OC"),
    "Physical": ("physical-chemistry", "PC"),
    "Technical": ("technical-chemistry", "TC"),
}
_ORIGINS = {"icho": "Chemistry olympiad", "exam": "Exam", "lecture": "Lecture", "textbook": "Textbook"}
_KNOWN = (*(f"requires-{skill}" for skill in SKILLS), *(f"difficulty-{level}" for level in DIFFICULTIES))


def keyword_topics(keywords: Collection[str]) -> tuple[str, ...]:
    """Return the topics of the topic tables printed with ChemBench; a question may be in several, or in none.

    Any keyword with `toxic` or `safety` in it makes the question Toxicity/Safety and nothing else. Otherwise it is in
    every topic whose keyword it has or whose abbreviation occurs in one of its keywords: the tables were made from
    abbreviations, so that `PCR` counts as PC, physical chemistry.
    """
    if any(word in keyword for keyword in keywords for word in _HAZARD_WORDS):
        return (TOXICITY_SAFETY,)
    return tuple(
        topic
        for topic, (word, abbreviation) in _TOPICS.items()
        if word in keywords or any(abbreviation in keyword for keyword in keywords)
    )


def skills_of(keywords: Collection[str]) -> tuple[str, ...]:
    """Return the skills a question requires (`requires-*`)."""
    return tuple(skill for skill in SKILLS if f"requires-{skill}" in keywords)


def difficulty_of(keywords: Collection[str]) -> str:
    """Return `basic`, `advanced`, or "" where the keywords do not say."""
    return next((level for level in DIFFICULTIES if f"difficulty-{level}" in keywords), "")


def origins_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where a question comes from, as far as its own fields say (`icho`, or `meta` with an exam, ...)."""
    described = metadata.get("meta")
    fields = {*metadata, *(described if isinstance(described, dict) else ())}
    return tuple(name for field, name in _ORIGINS.items() if field in fields)


def mistyped_keywords(keywords: Collection[str]) -> dict[str, str]:
    """Return {keyword: the one that was probably meant} for misspelt skills and difficulties."""
    meant = {}
    for keyword in keywords:
        close = get_close_matches(keyword, _KNOWN, n=1, cutoff=0.85)
        if close and keyword not in _KNOWN:
            meant[keyword] = close[0]
    return meant
