"""What a board page or the API needs: the set, its matrix, its systems, the groups of its questions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.conf import settings
from django.db.models import Count, QuerySet

from corpus.models import Grouping, Label, QuestionSet
from evaluations.models import System
from leaderboard.boards import PeopleRule, SystemFacts, Topic
from leaderboard.matrix import SYSTEM, Matrix


class GroupingChoice(NamedTuple):
    """A way to group the questions of a benchmark."""

    slug: str
    name: str


def public_sets() -> QuerySet[QuestionSet]:
    """Return the sets that have members, with benchmark, current revision and `n_questions`; demo sets last."""
    return (
        QuestionSet.objects.filter(current_revision__isnull=False)
        .select_related("benchmark", "current_revision")
        .annotate(n_questions=Count("current_revision__members"))
        .order_by("benchmark__is_demo", "benchmark__name", "-n_questions", "name")
    )


def people_rule() -> PeopleRule:
    """Return how many people the public sees a mean, and extremes, of."""
    return PeopleRule(settings.PEOPLE_MINIMUM_FOR_MEAN, settings.PEOPLE_MINIMUM_FOR_EXTREMES)


def visible_systems() -> dict[int, SystemFacts]:
    """Return every system that is not hidden, by id: names are read anew, so that a board never shows an old one."""
    rows = System.objects.filter(is_hidden=False).order_by("pk")
    return {
        pk: SystemFacts(slug=slug, name=name, source_name=source_name, kind=kind, is_demo=is_demo)
        for pk, slug, name, source_name, kind, is_demo in rows.values_list(
            "pk", "slug", "name", "source_name", "kind", "is_demo"
        )
    }


def groupings_of(*, benchmark_id: int) -> list[GroupingChoice]:
    """Return the groupings of a benchmark, `topic` first."""
    rows = Grouping.objects.filter(benchmark_id=benchmark_id).values_list("slug", "name")
    return sorted((GroupingChoice(*row) for row in rows), key=lambda row: (row.slug != "topic", row.name))


def topics_of(*, benchmark_id: int, grouping: str, question_ids: Sequence[int]) -> list[Topic]:
    """Return the labels of a grouping that questions of the set carry, by name, each with its columns.

    Labels whose slugs are the same word for word (`organic_chemistry`, `organic-chemistry`) are one topic, by the name
    of the oldest. No two of them have one name: files, answers of the API and charts know them by it.
    """
    column_of = {question_id: index for index, question_id in enumerate(question_ids)}
    labels = Label.objects.filter(grouping__benchmark_id=benchmark_id, grouping__slug=grouping, questions__isnull=False)
    rows = labels.order_by("pk").values_list("slug", "name", "questions__id")
    return _topics((slug, name, column_of[pk]) for slug, name, pk in rows if pk in column_of)


def _topics(rows: Iterable[tuple[str, str, int]]) -> list[Topic]:
    columns: dict[str, set[int]] = defaultdict(set)
    names: dict[str, str] = {}
    for slug, name, column in rows:
        key = topic_key(slug)
        names.setdefault(key, name)
        columns[key].add(column)
    told = unique_names(names)
    topics = [Topic(key, told[key], np.array(sorted(found)), names[key]) for key, found in columns.items()]
    return sorted(topics, key=lambda topic: topic.name.casefold())


def unique_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by slug of which no two are the same: where several have one name, each has its slug behind it."""
    told, counted = dict(names), Counter(names.values())
    while repeated := [slug for slug, name in told.items() if counted[name] > 1]:
        told |= {slug: f"{told[slug]} ({slug})" for slug in repeated}
        counted = Counter(told.values())
    return told


def topic_key(text: str) -> str:
    """Return the form in which a topic is compared: lower case, words joined by hyphens."""
    return "-".join(text.replace("_", " ").replace("-", " ").split()).lower()


def systems_in(matrix: Matrix) -> set[int]:
    """Return the ids of the systems that have a row."""
    return {entrant.id for entrant in matrix.entrants if entrant.type == SYSTEM}
