"""Read a pack of public ChemBench reports: a zip or a folder with `<model>.yaml` and `reports/<run>/<key>.json`.

Nothing here knows the database. A pack is read as it is: `score` and `metrics` are carried along and never used.
"""

import json
import lzma
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import yaml

from corpus.importers.report_files import Report, report_from_file, storable

IMPORTER = "chembench-reports@1"
RUNS_FOLDER = "reports"
MAX_FILE_BYTES = 20_000_000
MAX_FACTS_BYTES = 100_000


class UnreadablePackError(ValueError):
    """The file or folder is no pack of ChemBench reports; the message says what was looked for."""


class _FactsLoader(yaml.SafeLoader):
    """YAML without aliases: a few of them, one within the other, stand for more than any memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise ValueError("The YAML has an alias (*name); write the value out in its place.")
        return super().compose_node(parent, index)


class RefusedFile(NamedTuple):
    """A file that could not be read, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReportRun:
    """The reports of one run folder."""

    name: str
    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True)
class ReportPack:
    """Everything a pack holds. `source_name` is the model's folder name; `facts` the whole YAML, {} without one."""

    source_name: str
    facts: Mapping[str, Any]
    runs: tuple[ReportRun, ...]
    refused: tuple[RefusedFile, ...] = field(default=())


def read_pack(path: Path) -> ReportPack:
    """Read a zip or a folder. Raise `UnreadablePackError` when it holds no report at all."""
    facts: dict[str, Any] = {}
    runs: dict[str, dict[str, Report]] = {}
    refused: list[RefusedFile] = []
    with pack_files(path) as files:
        for name, read in files:
            try:
                if name.suffix in {".yaml", ".yml"} and RUNS_FOLDER not in name.parts:
                    facts = _facts(read())
                elif run := _run_of(name):
                    report = report_from_file(str(name), read())
                    _add(runs.setdefault(run, {}), report)
            except ValueError as error:
                refused.append(RefusedFile(str(name), str(error)))
            except RecursionError:
                refused.append(RefusedFile(str(name), "The file nests lists or objects too deeply."))
    if not runs:
        first = f" Its first refused file, {refused[0].file}: {refused[0].reason}" if refused else ""
        raise UnreadablePackError(
            f"{path} holds no reports.{first} "
            f"A pack is a zip or a folder with {RUNS_FOLDER}/<run>/<question>.json in it."
        )
    found = tuple(ReportRun(name, tuple(reports.values())) for name, reports in sorted(runs.items()))
    return ReportPack(source_name_of(path), facts, found, tuple(refused))


def source_name_of(path: Path) -> str:
    """Return the model's folder name: `reports-gpt-4.zip` and `gpt-4/` are both `gpt-4`."""
    name = path.resolve().name if path.is_dir() else path.name.removesuffix(".zip")
    return name.removeprefix("reports-")


@contextmanager
def pack_files(path: Path) -> Iterator[Iterator[tuple[PurePosixPath, Any]]]:
    """Give (path inside the pack, function that reads it) of every file of a zip or folder, by name.

    Raise `UnreadablePackError` for a path that is neither; the functions raise ValueError for a file they cannot read.
    """
    if path.is_dir():
        yield (
            (PurePosixPath(file.relative_to(path).as_posix()), lambda file=file: _from_disk(file))
            for file in sorted(path.rglob("*"))
            if file.is_file()
        )
        return
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise UnreadablePackError(f"{path} is neither a folder nor a zip that can be opened: {error}") from error
    with archive:
        entries = sorted((entry for entry in archive.infolist() if not entry.is_dir()), key=lambda e: e.filename)
        yield ((PurePosixPath(entry.filename), lambda entry=entry: _unzipped(archive, entry)) for entry in entries)


def _unzipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.file_size > MAX_FILE_BYTES:
        raise ValueError(f"The file is larger than {MAX_FILE_BYTES} bytes.")
    try:
        return archive.read(entry)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError) as error:
        raise ValueError(f"The zip holds this file damaged or locked: {error}") from error


def _from_disk(file: Path) -> bytes:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ValueError(f"The file cannot be read: {error}") from error
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"The file is larger than {MAX_FILE_BYTES} bytes.")
    return content


def _run_of(name: PurePosixPath) -> str:
    """Return the run folder of `.../reports/<run>/<question>.json`, or "" for any other file."""
    is_report = name.suffix == ".json" and len(name.parts) >= 3 and name.parts[-3] == RUNS_FOLDER
    return name.parts[-2] if is_report else ""


def _facts(content: bytes) -> dict[str, Any]:
    if len(content) > MAX_FACTS_BYTES:
        raise ValueError(f"The YAML is larger than {MAX_FACTS_BYTES} bytes.")
    try:
        facts = yaml.load(content.decode("utf-8"), Loader=_FactsLoader)  # noqa: S506
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"The YAML cannot be read: {error}") from error
    if not isinstance(facts, dict):
        raise ValueError("The YAML holds no mapping of names to facts.")
    return {str(name): _as_json(value) for name, value in facts.items()}


def _as_json(value: Any) -> Any:
    """Return a YAML value as JSON knows it: dates become text."""
    return json.loads(json.dumps(storable(value), default=str))


def _add(reports: dict[str, Report], report: Report) -> None:
    if report.key in reports:
        raise ValueError(f"The question {report.key} is already in {reports[report.key].file} of the same run.")
    reports[report.key] = report
