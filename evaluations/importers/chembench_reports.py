"""Read a pack of public ChemBench reports: a zip or a folder with `<model>.yaml` and `reports/<run>/<key>.json`.

Nothing here knows the database. A pack is read as it is: `score` and `metrics` are carried along and never used.
"""

import json
import lzma
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import yaml

IMPORTER = "chembench-reports@1"
RUNS_FOLDER = "reports"
MAX_FILE_BYTES = 20_000_000
_KEPT_APART = ("output", "prompt", "targets_", "parsed_output", "name", "canary", "description", "keywords")


class UnreadablePackError(ValueError):
    """The file or folder is no pack of ChemBench reports; the message says what was looked for."""


@dataclass(frozen=True, slots=True)
class Report:
    """One question as one model answered it, the report's own words kept."""

    file: str
    key: str
    prompt: str
    completion: str
    parsed_output: Any
    targets: Mapping[str, float] | str
    flags: Mapping[str, Any]


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
    with _files(path) as files:
        for name, read in files:
            try:
                if name.suffix in {".yaml", ".yml"} and RUNS_FOLDER not in name.parts:
                    facts = _facts(read())
                elif run := _run_of(name):
                    report = _report(str(name), read())
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


@contextmanager
def _files(path: Path) -> Iterator[Iterator[tuple[PurePosixPath, Any]]]:
    """Give (path inside the pack, function that reads it) of every file, in the order of their names."""
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
    try:
        facts = yaml.safe_load(content.decode("utf-8"))
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


def _report(file: str, content: bytes) -> Report:
    """Read one report file: a list with exactly one object. Bare NaN is accepted."""
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
