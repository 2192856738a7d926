"""The export of the invented survey, the bank it belongs to, and ways to change either."""

import csv
import json
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from corpus.models import Benchmark
from tests.corpus.factories import make_benchmark, make_question, make_set

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
EXPORT = FIXTURES / "human_survey"
EXPECTED: dict[str, dict[str, dict[str, str]]] = json.loads((EXPORT / "expected.json").read_text("utf-8"))["people"]
RULES = ("as-published", "survey-option-text", "standard")
SETS = {
    "mini-no-tools": (
        "spectra/carbon_lines_1",
        "preference/pair_1",
        "preference/pair_2",
        "bonding/dipoles_1",
        "oxidation_numbers/carbon_1",
    ),
    "mini-tools": (
        "complexes/diamagnetic_1",
        "thermodynamics/thermal_energy_1",
        "stereochemistry/alkene_geometry_1",
    ),
}
ANSWERED = sum(map(len, EXPECTED.values()))
UNKNOWN = 2


def demo_bank(slug: str = "demo") -> Benchmark:
    """Save the questions of the demo bank that the survey asks, and one more of the same text, with their two sets."""
    benchmark = make_benchmark(slug=slug)
    for name, places in SETS.items():
        make_set(benchmark, f"{slug}-{name}", [_question(benchmark, place) for place in places])
    return benchmark


def _question(benchmark: Benchmark, place: str) -> Any:
    (path,) = (FIXTURES / "bank").glob(f"**/{place}.json")
    data = json.loads(path.read_text("utf-8"))
    (example,) = data["examples"]
    fields = {"key": f"{path.parent.name}-{path.stem}-{data['name']}", "stem": example["input"], "uuid": data["uuid"]}
    if "target" in example:
        return make_question(benchmark, kind="number", target=example["target"], **fields)
    return make_question(benchmark, options=list(example["target_scores"].items()), **fields)


def copied_export(folder: Path) -> Path:
    """Copy the export to where a test may change it."""
    return Path(shutil.copytree(EXPORT, folder / "human_survey"))


def change_rows(export: Path, table: str, change: Callable[[dict[str, str]], dict[str, str] | None]) -> None:
    """Write a table anew with every row changed; a row for which `change` returns None is dropped."""
    path = export / table
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    changed = [row for row in map(change, rows) if row is not None]
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0].keys())
        writer.writeheader()
        writer.writerows(changed)


def change_answer(export: Path, number: int, **cells: str) -> None:
    """Change cells of one answer."""
    change_rows(export, "responses.csv", lambda row: {**row, **cells} if row["id"] == str(number) else row)


def import_survey(path: Path = EXPORT, *args: str) -> dict[str, Any]:
    """Run the command on the demo bank and return its report."""
    out = StringIO()
    call_command("import_survey", str(path), "--benchmark", "demo", "--json", *args, stdout=out, stderr=StringIO())
    report: dict[str, Any] = json.loads(out.getvalue())
    return report
