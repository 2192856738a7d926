"""Questions as files again: the original JSON from the rows alone, and the tables that go with them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from corpus.importers.chembench import AS_WRITTEN
from corpus.models import Question, QuestionRevision, QuestionSet, QuestionSetMember
from corpus.selectors.questions import label_names


def question_as_chembench(revision: QuestionRevision) -> dict[str, Any]:
    """Return the question file's JSON value, equal to the file it was imported from.

    Built from the columns, options and metadata; the stored original text is not used.
    """
    metadata = dict(revision.metadata)
    written = metadata.pop(AS_WRITTEN, {})
    fields = {
        **metadata,
        "name": revision.name,
        "uuid": revision.uuid,
        "description": revision.description,
        "keywords": list(revision.keywords),
    }
    example = {"input": revision.stem, **written.get("example", {}), **_answer(revision, written)}
    for name in written.get("missing", ()):
        del fields[name]
    fields.update(dict.fromkeys(written.get("null", ())))
    places = {"question": fields, "example": example}
    if "tolerance" in written:
        place, name = written["tolerance"]
        places[place][name] = _number(revision.tolerance, name, written)
    if "unit" in written:
        places[written["unit"]]["unit"] = revision.unit
    return {**fields, "examples": [example]}


def _answer(revision: QuestionRevision, written: dict[str, Any]) -> dict[str, Any]:
    if revision.kind != QuestionRevision.KindChoices.CHOICE:
        return {"target": _number(revision.target, "target", written)}
    spelt = written.get("options", {})
    floats = set(written.get("float_credits", ()))
    return {
        "target_scores": {
            spelt.get(str(position), option.text): _credit(option.credit, as_float=position in floats)
            for position, option in enumerate(revision.options.all())
        }
    }


def _credit(credit: Decimal, *, as_float: bool) -> int | float:
    return float(credit) if as_float or credit != int(credit) else int(credit)


def _number(text: str, name: str, written: dict[str, Any]) -> Any:
    if name in written.get("numbers", ()):
        return json.loads(text)
    return written.get("texts", {}).get(name, text)


def exported_files(revisions: Iterable[QuestionRevision]) -> Iterator[tuple[str, str]]:
    """Give (path in the bank, JSON text) of each revision; options must be prefetched.

    Two questions that came from one path (a file whose question got another name) are put into folders of their own.
    """
    used: Counter[str] = Counter()
    for revision in revisions:
        path = revision.source_path
        used[path] += 1
        if used[path] > 1:
            path = f"same-path-{used[path]}/{path}"
        yield path, json.dumps(question_as_chembench(revision), indent=2) + "\n"


def topic_rows(benchmark_id: int) -> list[tuple[str, str]]:
    """Return (question key, topic) for every question with a topic, by key."""
    topics = label_names(benchmark_id, "topic")
    keys = Question.objects.filter(benchmark_id=benchmark_id).values_list("pk", "key")
    return sorted((key, name) for pk, key in keys for name in topics.get(pk, ()))


def set_keys(benchmark_id: int) -> dict[str, list[str]]:
    """Return {set slug: keys of its members in order} for every set of a benchmark."""
    current = QuestionSet.objects.filter(benchmark_id=benchmark_id).values("current_revision_id")
    members = QuestionSetMember.objects.filter(set_revision_id__in=current).order_by("set_revision_id", "position")
    keys: dict[str, list[str]] = {}
    for slug, key in members.values_list("set_revision__question_set__slug", "question_revision__question__key"):
        keys.setdefault(slug, []).append(key)
    return keys
