"""Questions for chaos: made up, all different, or ChemBench's own where its archive is."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bin.made_up_questions import write_questions

if TYPE_CHECKING:
    from corpus.models import QuestionSetRevision

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "chembench" / "corpus.zip"
_SUBSTANCES = ("benzene", "toluene", "aniline", "phenol", "anisole", "styrene", "pyridine", "furan")


def published_bank() -> "QuestionSetRevision":
    """Import ChemBench's questions; return the set of all."""
    return _imported(CORPUS)


def made_up_bank(size: int) -> "QuestionSetRevision":
    """Import `size` questions that are all different, one in five with a number for an answer; return their set."""
    with tempfile.TemporaryDirectory() as folder:
        write_questions(Path(folder), size, _example)
        return _imported(Path(folder))


def _imported(source: Path) -> "QuestionSetRevision":
    from corpus.models import QuestionSet
    from corpus.services.imports import BenchmarkNaming, corpus_import

    corpus_import(source=source, naming=BenchmarkNaming(slug="chaos", name="Chaos"))
    revision = QuestionSet.objects.get(slug="chaos").current_revision
    assert revision is not None
    return revision


def _example(number: int) -> dict[str, Any]:
    if number % 5 == 0:
        stem = f"Sample {number} was weighed {number + 2} times. How many grams were found, to the nearest gram?"
        return {"input": stem, "target": str(1 + number // 5 % 5)}
    right = number % 4
    texts = [f"{_SUBSTANCES[(number + index) % 8]} from bottle {number + index}" for index in range(4)]
    stem = f"Of flask {number} something was taken. Which substance was it?"
    return {"input": stem, "target_scores": {text: int(index == right) for index, text in enumerate(texts)}}
