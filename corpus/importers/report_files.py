"""One file of the public ChemBench reports, of a model or a person: how one question was answered and judged.

`score` and `metrics` are carried along and never used.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_KEPT_APART = ("output", "prompt", "targets_", "parsed_output", "name", "canary", "description", "keywords")


@dataclass(frozen=True, slots=True)
class Report:
    """One question as a model or a person answered it, the report's own words kept."""

    file: str
    key: str
    prompt: str
    completion: str
    parsed_output: Any
    targets: Mapping[str, float] | str
    flags: Mapping[str, Any]


def storable(value: Any) -> Any:
    """Return a JSON value that every database keeps: NaN and infinities as the words, no NUL, no lone surrogate."""
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): storable(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [storable(entry) for entry in value]
    return value


def report_from_file(file: str, content: bytes) -> Report:
    """Read one report file: a list with exactly one object. Bare NaN is accepted.

    Raise ValueError for anything else, and RecursionError for a file nested too deeply.
    """
    try:
        entries = json.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"The file is no JSON: {error}") from error
    if not isinstance(entries, list) or len(entries) != 1 or not isinstance(entries[0], dict):
        raise ValueError("A report file is a list with exactly one object.")
    (entry,) = entries
    targets = entry.get("targets_")
    if not isinstance(targets, dict | str):
        raise ValueError("`targets_` is neither a mapping of options nor a text.")
    return Report(
        file=file,
        key=storable(_text(entry, "name")),
        prompt=storable(_text(entry, "prompt")),
        completion=storable(_completion(entry)),
        parsed_output=entry.get("parsed_output"),
        targets=targets,
        flags={
            "parsed_output": storable(entry.get("parsed_output")),
            **{name: storable(value) for name, value in entry.items() if name not in _KEPT_APART},
        },
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"`{name}` is missing or is no text.")
    return value


def _completion(entry: Mapping[str, Any]) -> str:
    output = entry.get("output")
    if not isinstance(output, dict):
        raise ValueError("`output` is missing.")
    text = output.get("text", output.get("message_content"))
    if not isinstance(text, str):
        raise ValueError("`output.text` is missing or is no text.")
    return text
