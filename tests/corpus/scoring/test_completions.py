"""Hard real completions with the right reading, read in place."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ReadStatus, ShownOption

pytestmark = pytest.mark.shared


def asked(case: dict[str, Any]) -> Asked:
    if case["type"] == "numeric":
        return Asked(Kind.NUMBER)
    options = case["options_in_prompt_order"].items()
    return Asked(Kind.CHOICE, tuple(ShownOption(letter, letter, text) for letter, text in options))


def test_every_line_is_read_as_stated(shared: Path) -> None:
    lines = (shared / "cases" / "completions.jsonl").read_text().splitlines()
    disagreements = []
    for case in map(json.loads, lines):
        reading = read_answer(text=case["completion_last_400"], asked=asked(case))
        read: object = None
        if reading.status is ReadStatus.READ:
            read = list(reading.option_keys) or float(reading.number or 0)
        if read != case["right_parse"]:
            disagreements.append((case["model"], case["question"], case["right_parse"], read))
    assert len(lines) >= 33
    assert disagreements == []
