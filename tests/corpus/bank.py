"""Small banks on disk, in the format of ChemBench, for tests of the import."""

import json
from pathlib import Path
from typing import Any

CANARY = "DEMO canary GUID 0"


def question(name: str = "q", **changes: Any) -> dict[str, Any]:
    """Return a choice question; `options` and `target` replace the answer, other names are fields of the file."""
    example: dict[str, Any] = {"input": changes.pop("stem", "Which gas is lighter than air?")}
    if "target" in changes:
        example["target"] = changes.pop("target")
    else:
        example["target_scores"] = changes.pop("options", {"helium": 1, "argon": 0})
    fields = {
        "canary": CANARY,
        "description": "gases",
        "examples": [example],
        "keywords": ["general-chemistry", "requires-knowledge"],
        "name": name,
        "uuid": f"uuid-{name}",
    }
    return {**fields, **changes}


def write_bank(root: Path, files: dict[str, Any]) -> Path:
    """Write {path: question or raw text} below `root` and return it."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return root
