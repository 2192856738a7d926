#!/usr/bin/env python
"""Measure the hot paths: `bin/bench.py [section ...]`, all sections without a name.

Times are processor times, the best of several runs, next to a bare baseline measured in the same run: on a busy
machine figures shrink, the ratio to the baseline stays.
"""

import argparse
import dataclasses
import json
import re
import string
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bin.bench_evaluations import bench_evaluations  # noqa: E402
from bin.bench_leaderboard import Size, bench_leaderboard  # noqa: E402
from bin.bench_rescoring import bench_rescoring  # noqa: E402
from bin.bench_survey import bench_survey  # noqa: E402
from corpus.scoring.published import match_options, options_in_prompt  # noqa: E402
from corpus.scoring.reading import read_answer  # noqa: E402
from corpus.scoring.rules import judge  # noqa: E402
from corpus.scoring.types import Asked, Kind, Option, ShownOption, Target  # noqa: E402

PACKS = ROOT.parent / "shared" / "data" / "chembench"
AIM_PER_SECOND = 10_000
WORST_LENGTH = 100_000
WORST_AIM_MS = 50
# What a model in a loop says ever again.
LOOPS = (
    "B is the correct answer. ",
    "I think it's B. ",
    "B is correct, ",
    "the answer is not B. ",
    "Many say the answer is B. ",
    "If the answer is B, ",
)
REPEATS = 3


class Section(NamedTuple):
    """One thing that is measured: its name, what it says, and the function that prints it."""

    name: str
    title: str
    run: Callable[[], None]


class Item(NamedTuple):
    """A completion with what was asked and the key."""

    text: str
    asked: Asked
    target: Target


def best_seconds(action: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the least processor time of `repeats` runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their first row, the first column to the left and all others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first = row[0].ljust(widths[0])
        print("  ".join(["", first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]))


def read_pack(pack: Path) -> list[Item]:
    """Return the answers of a public report pack."""
    with zipfile.ZipFile(pack) as archive:
        names = [name for name in archive.namelist() if "/reports/" in f"/{name}" and name.endswith(".json")]
        return [as_item(json.loads(archive.read(name))[0]) for name in names]


def as_item(report: dict[str, Any]) -> Item:
    """Return one report as an item, its letters those of the prompt that was sent."""
    prompt, targets = report["prompt"], report["targets_"]
    if isinstance(targets, str):
        target = Target(Kind.NUMBER, number=Decimal(targets))
        return Item(report["output"]["text"], Asked(Kind.NUMBER, prompt=prompt), target)
    sent = options_in_prompt(prompt)
    matched = match_options(sent, targets)
    shown = tuple(ShownOption(letter, matched[letter], text) for letter, text in sent)
    options = tuple(Option(text, text, Decimal(str(credit))) for text, credit in targets.items())
    return Item(report["output"]["text"], Asked(Kind.CHOICE, shown, prompt), Target(Kind.CHOICE, options))


BASELINE = re.compile(r"\[answer\]")


def read_and_judge(items: Sequence[Item]) -> None:
    """Read and judge every item under the standard rule."""
    for item in items:
        judge(reading=read_answer(text=item.text, asked=item.asked), target=item.target)


def look_once(items: Sequence[Item]) -> None:
    """The bare baseline: lower case and one search."""
    for item in items:
        BASELINE.search(item.text.lower())


def bench_scoring() -> None:
    """Reading and judging over the public packs by kind, then the worst text there is."""
    packs = sorted(PACKS.glob("reports-*.zip"))
    if packs:
        bench_packs(packs)
    else:
        print("  Reading and judging: skipped, the packs of ../shared/data/chembench are not here.")
    bench_worst_text()


def bench_packs(packs: Sequence[Path]) -> None:
    """Print completions per second by pack and kind. Loading JSON is left out."""
    rows = [["pack", "kind", "answers", "per second", "times baseline"]]
    sums: dict[Kind, list[float]] = {Kind.CHOICE: [0, 0, 0], Kind.NUMBER: [0, 0, 0]}
    for pack in packs:
        items = read_pack(pack)
        for kind, total in sums.items():
            chosen = [item for item in items if item.asked.kind is kind]
            seconds = best_seconds(partial(read_and_judge, chosen))
            bare = best_seconds(partial(look_once, chosen))
            rows.append(speed_row(pack.stem.removeprefix("reports-"), kind, len(chosen), seconds, bare))
            sums[kind] = [a + b for a, b in zip(total, (len(chosen), seconds, bare), strict=True)]
    rows += [speed_row("all", kind, int(count), seconds, bare) for kind, (count, seconds, bare) in sums.items()]
    table(rows)
    print(f"  Aim: {AIM_PER_SECOND:,} a second and core for each kind over all packs.")


def speed_row(pack: str, kind: Kind, count: int, seconds: float, bare: float) -> list[str]:
    """Return one row of the table of speeds."""
    return [pack, kind.value, f"{count:,}", f"{count / seconds:,.0f}", f"{seconds / bare:.0f}"]


def bench_worst_text() -> None:
    """Print the slowest reading of a text of one repeated character or phrase, bare, tagged and announced."""
    shown = tuple(ShownOption(letter, letter, f"text {letter}") for letter in "ABCD")
    asked = [Asked(Kind.CHOICE, shown), Asked(Kind.NUMBER, unit="mol")]
    frames = ["{}", "[ANSWER]{}[/ANSWER]", "Answer: {}", "## Answer\n{}", "Final answer: {}"]
    slowest, where = 0.0, ""
    for question in asked:
        for frame in frames:
            for unit in (*string.printable, *"×−⁻⁰\u00a0中İ", *LOOPS):
                seconds = seconds_of_reading(frame.replace("{}", unit * (WORST_LENGTH // len(unit))), question)
                if seconds > slowest:
                    slowest, where = seconds, f"{question.kind.value}, {frame!r} of {unit!r}"
    print(f"  Slowest text of {WORST_LENGTH // 1000} KB of one character or phrase: {slowest * 1000:.0f} ms ({where}).")
    print(f"  Aim: under {WORST_AIM_MS} ms.")


def seconds_of_reading(text: str, asked: Asked) -> float:
    """Return the time of one reading, measured again where it looks slow: it may have been interrupted."""
    repeats = 1 if best_seconds(lambda: read_answer(text=text, asked=asked), 1) < WORST_AIM_MS / 2000 else REPEATS
    return best_seconds(lambda: read_answer(text=text, asked=asked), repeats)


def named_items() -> list[tuple[str, Item]]:
    """Return the answers of all public packs with the names of their questions; none where the packs are not here."""
    pairs = []
    for pack in sorted(PACKS.glob("reports-*.zip")):
        with zipfile.ZipFile(pack) as archive:
            names = [name for name in archive.namelist() if "/reports/" in f"/{name}" and name.endswith(".json")]
            pairs += [(Path(name).stem, as_item(json.loads(archive.read(name))[0])) for name in names]
    return pairs


SECTIONS = [
    Section("scoring", "Reading and judging completions", bench_scoring),
    Section("rescoring", "Rescoring stored items in PostgreSQL", partial(bench_rescoring, named_items)),
    Section("survey", "Two hundred people answering at once", bench_survey),
    Section("evaluations", "Asking through one worker, and a limit over ten", bench_evaluations),
]


def main() -> None:
    """Run the sections named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*(section.name for section in SECTIONS), "leaderboard"]
    parser.add_argument("section", nargs="*", help=f"one or more of: {', '.join(names)}")
    for field in dataclasses.fields(Size):
        parser.add_argument(f"--{field.name}", type=int, default=field.default, help="of the section leaderboard")
    asked = vars(parser.parse_args())
    wanted = asked.pop("section")
    if unknown := set(wanted).difference(names):
        parser.error(f"There is no section {', '.join(sorted(unknown))}. There are: {', '.join(names)}.")
    board = Section("leaderboard", "A board of many systems", partial(bench_leaderboard, Size(**asked)))
    for section in [*SECTIONS, board]:
        if not wanted or section.name in wanted:
            print(section.title)
            section.run()


if __name__ == "__main__":
    main()
