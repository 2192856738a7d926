"""Put questions into groupings: topic, topic by keyword, skill, difficulty, folder, origin, molecular size; sources."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from os.path import commonprefix

from django.db.models import Max
from django.utils.text import slugify

from corpus.importers.keywords import OTHERWISE, difficulty_of, keyword_topics, origins_of, skills_of
from corpus.importers.tables import topic_display, topic_slug
from corpus.importers.types import TopicRow
from corpus.models import Benchmark, Grouping, Label, Question, QuestionRevision, Source
from corpus.services.revisions import BATCH, Stored

LONGEST_SLUG = 120
GROUPING_NAMES = {
    "topic": "Topic",
    "topic-by-keyword": "Topic by keyword",
    "skill": "Skill",
    "difficulty": "Difficulty",
    "folder": "Folder",
    "origin": "Origin",
    "molecular-size": "Molecular size",
}
# The most heavy atoms of each band of sizes but the last, which has no end.
SIZE_BANDS = (10, 20, 30, 40)


def sources_ensure(*, benchmark: Benchmark, paths: Iterable[str]) -> dict[str, Source]:
    """Return {path: source} with one source per folder of the bank, making those that are missing.

    Folders are named from the deepest one all files share; a file directly in it belongs to that folder itself.
    """
    folders = _folders_below_common(paths)
    known = {source.slug: source for source in Source.objects.filter(benchmark=benchmark)}
    for name in sorted(set(folders.values())):
        slug = short_slug(name)
        if slug not in known:
            known[slug] = Source.objects.create(benchmark=benchmark, slug=slug, name=name[:300])
    return {path: known[short_slug(name)] for path, name in folders.items()}


def short_slug(name: str) -> str:
    """Return a slug of at most 120 characters; a longer one ends in a hash of the whole."""
    slug = slugify(name.replace("/", "-").replace("_", "-"), allow_unicode=True) or "unnamed"
    if len(slug) <= LONGEST_SLUG:
        return slug
    return f"{slug[:100]}-{hashlib.sha256(slug.encode()).hexdigest()[:16]}"


def _folders_below_common(paths: Iterable[str]) -> dict[str, str]:
    folders = {path: path.split("/")[:-1] for path in paths}
    common = commonprefix(list(folders.values()))
    return {path: "/".join(parts[len(common) :]) or "/".join(parts[-1:]) for path, parts in folders.items()}


def labels_refresh(*, benchmark: Benchmark, stored: Sequence[Stored]) -> bool:
    """Bring every grouping that follows from the questions themselves up to date; say whether a label changed."""
    by_grouping: dict[str, dict[int, list[str]]] = {slug: {} for slug in GROUPING_NAMES if slug != "topic"}
    largest = _largest_molecules(benchmark)
    for entry in stored:
        pk, imported = entry.question.pk, entry.imported
        by_grouping["molecular-size"][pk] = [size_band(largest[pk])] if pk in largest else []
        source = entry.question.source
        by_grouping["topic-by-keyword"][pk] = list(keyword_topics(imported.keywords))
        skills, difficulty = skills_of(imported.keywords), difficulty_of(imported.keywords)
        # Keywords that say nothing must not wipe out what a topics table said of an unchanged question.
        if skills or entry.change:
            by_grouping["skill"][pk] = [skill.capitalize() for skill in skills]
        if difficulty or entry.change:
            by_grouping["difficulty"][pk] = [(difficulty or OTHERWISE).capitalize()]
        by_grouping["folder"][pk] = [source.name] if source else []
        by_grouping["origin"][pk] = list(origins_of(imported.metadata))
    changes = [
        labels_replace(benchmark=benchmark, grouping_slug=slug, names=names) for slug, names in by_grouping.items()
    ]
    return any(changes)


def size_band(heavy_atoms: int) -> str:
    """Return the name of the band of molecular sizes that a number of heavy atoms lies in."""
    for low, high in zip((0, *(last + 1 for last in SIZE_BANDS)), SIZE_BANDS, strict=False):
        if heavy_atoms <= high:
            return f"{low} to {high} heavy atoms"
    return f"more than {SIZE_BANDS[-1]} heavy atoms"


def _largest_molecules(benchmark: Benchmark) -> dict[int, int]:
    """Return, by question id, the heavy atoms of the largest molecule in its stem or options; none without a molecule.

    They were counted when the revision was stored; nothing is parsed here.
    """
    largest = Max("current_revision__molecules__heavy_atoms")
    found = Question.objects.filter(benchmark=benchmark).order_by().annotate(largest=largest)
    return dict(found.exclude(largest=None).values_list("pk", "largest"))


def topics_apply(*, benchmark: Benchmark, rows: Sequence[TopicRow]) -> bool:
    """Make a topics table the `topic` grouping of the whole benchmark; add skills and difficulty it knows.

    Returns whether a label changed. Rows without a question and questions without a row are left alone here; the
    findings name them.
    """
    keys = dict(Question.objects.filter(benchmark=benchmark).values_list("key", "pk"))
    shown = topic_names(row.topic for row in rows)
    topics: dict[int, list[str]] = {pk: [] for pk in keys.values()}
    for row in rows:
        if row.key in keys:
            topics[keys[row.key]] = [shown[topic_slug(row.topic)]]
    changed = labels_replace(benchmark=benchmark, grouping_slug="topic", names=topics)
    return _add_from_table(benchmark, rows, keys) or changed


def topic_names(topics: Iterable[str]) -> dict[str, str]:
    """Return {slug: name to show}; spellings of one topic come together under the best written of them."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for topic in topics:
        spellings[topic_slug(topic)][topic] += 1
    return {slug: topic_display([name for name, _ in found.most_common()]) for slug, found in spellings.items()}


def labels_replace(*, benchmark: Benchmark, grouping_slug: str, names: Mapping[int, Sequence[str]]) -> bool:
    """Give each question (by id) exactly these labels of one grouping; say whether anything changed.

    Labels that no question has any more are removed.
    """
    grouping, _ = Grouping.objects.get_or_create(
        benchmark=benchmark, slug=grouping_slug, defaults={"name": GROUPING_NAMES[grouping_slug]}
    )
    labels = _labels_ensure(grouping, {name for found in names.values() for name in found})
    wanted = {(labels[short_slug(name)].pk, pk) for pk, found in names.items() for name in found}
    rows = Label.questions.through._default_manager.filter(label__grouping=grouping)
    present = {
        (label_id, question_id): pk
        for pk, label_id, question_id in rows.values_list("pk", "label_id", "question_id")
        if question_id in names
    }
    surplus = [pk for pair, pk in present.items() if pair not in wanted]
    missing = sorted(wanted.difference(present))
    for start in range(0, len(surplus), BATCH):
        rows.filter(pk__in=surplus[start : start + BATCH]).delete()
    through = Label.questions.through
    through._default_manager.bulk_create(
        [through(label_id=label_id, question_id=question_id) for label_id, question_id in missing],
        batch_size=BATCH,
    )
    Label.objects.filter(grouping=grouping, questions__isnull=True).delete()
    return bool(surplus or missing)


def _labels_ensure(grouping: Grouping, names: Iterable[str]) -> dict[str, Label]:
    labels = {label.slug: label for label in grouping.labels.all()}
    for name in sorted(names):
        slug = short_slug(name)
        if slug not in labels:
            labels[slug] = Label.objects.create(grouping=grouping, slug=slug, name=name[:200])
        elif labels[slug].name != name[:200]:
            labels[slug].name = name[:200]
            labels[slug].save(update_fields=["name"])
    return labels


def _add_from_table(benchmark: Benchmark, rows: Sequence[TopicRow], keys: Mapping[str, int]) -> bool:
    """Use the table's skills and difficulty for questions whose own keywords name none."""
    revisions = QuestionRevision.objects.filter(pk__in=benchmark.questions.values("current_revision_id"))
    keywords = dict(revisions.values_list("question_id", "keywords"))
    skills: dict[int, list[str]] = {}
    difficulties: dict[int, list[str]] = {}
    for row in rows:
        pk = keys.get(row.key)
        if pk is None:
            continue
        if row.skills and not skills_of(keywords[pk]):
            skills[pk] = [skill.capitalize() for skill in row.skills]
        if row.difficulty and not difficulty_of(keywords[pk]):
            difficulties[pk] = [row.difficulty.capitalize()]
    changed = labels_replace(benchmark=benchmark, grouping_slug="skill", names=skills)
    return labels_replace(benchmark=benchmark, grouping_slug="difficulty", names=difficulties) or changed
