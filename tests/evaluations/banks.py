"""Question banks for the tests of this app, saved row by row from JSON files in the ChemBench layout."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpus.models import Benchmark
from tests.corpus.factories import make_benchmark, make_question, make_set

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def demo_benchmark() -> Benchmark:
    """Save the demo bank with its set of all questions, `demo`."""
    benchmark = make_benchmark(slug="demo", is_demo=True)
    files = sorted((FIXTURES / "bank").rglob("*.json"))
    questions = [
        _question(benchmark, path.parent.name, path.stem, json.loads(path.read_text("utf-8"))) for path in files
    ]
    make_set(benchmark, "demo", questions)
    return benchmark


def make_keyed_set(benchmark: Benchmark, slug: str, keys: Iterable[str]) -> Any:
    """Save a set of the benchmark's questions with these keys, in this order."""
    by_key = {question.key: question for question in benchmark.questions.all()}
    return make_set(benchmark, slug, [by_key[key] for key in keys])


def _question(benchmark: Benchmark, folder: str, stem: str, data: dict[str, Any]) -> Any:
    (example,) = data["examples"]
    key = f"{folder}-{stem}-{data['name']}"
    if "target" in example:
        return make_question(benchmark, key=key, kind="number", stem=example["input"], target=example["target"])
    options = list(example["target_scores"].items())
    return make_question(benchmark, key=key, stem=example["input"], options=options)
