"""Files of made-up questions, in the form in which ChemBench publishes its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

_N_FOLDERS = 20


def write_questions(folder: Path, size: int, example_of: Callable[[int], dict[str, Any]]) -> None:
    """Write `size` questions over 20 folders; `example_of` returns the example with the number that it is given.

    An example with `target_scores` is a choice question, another one asks for a number.
    """
    for number in range(size):
        path = folder / f"part-{number % _N_FOLDERS}" / f"question-{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(_question(number, example_of(number))))


def _question(number: int, example: dict[str, Any]) -> dict[str, Any]:
    metric = "multiple_choice_grade" if "target_scores" in example else "mae"
    return {
        "name": f"question-{number}",
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "description": "made up",
        "keywords": ["made up"],
        "metrics": [metric],
        "preferred_score": metric,
        "examples": [example],
    }
