"""Where a bank's files come from: a zip, a folder or one file. Paths in a bank use `/` and are relative to it."""

import zipfile
from pathlib import Path, PurePosixPath

from corpus.importers.types import BankFile

LARGEST_FILE_BYTES = 5_000_000
MOST_FILES = 200_000
_SUFFIX = ".json"
_UNREADABLE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError)


class SourceError(ValueError):
    """The place to import from cannot be used; the message says what to do."""


def bank_files(source: Path) -> list[BankFile]:
    """Return the JSON files of a zip, a folder or one file, sorted by path.

    A file directly at the top of the source gets the source's own name as its folder, so that a zip, the folder it
    unpacks to and a single file of that folder give the same question keys. Hidden files and other kinds of files
    are passed over. Raise SourceError when the source is missing, damaged or holds no JSON file.
    """
    if source.is_dir():
        files = _from_folder(source)
    elif not source.is_file():
        raise SourceError(f"There is no file or folder {source}. Check the path.")
    elif zipfile.is_zipfile(source):
        files = _from_zip(source)
    elif source.suffix.lower() == _SUFFIX:
        files = [_from_disk(source, f"{source.resolve().parent.name}/{source.name}".lstrip("/"))]
    else:
        raise SourceError(f"{source} is neither a zip, nor a folder, nor a .json file.")
    if not files:
        raise SourceError(f"{source} holds no .json file.")
    return sorted(files, key=lambda file: file.path)


def _from_folder(root: Path) -> list[BankFile]:
    top = root.resolve().name
    files = []
    for path in root.rglob("*"):
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if _is_wanted(relative) and path.is_file():
            files.append(_from_disk(path, _with_folder(relative, top)))
    return files


def _from_disk(path: Path, name: str) -> BankFile:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            return BankFile(name, problem=_too_large())
        return BankFile(name, content=path.read_bytes())
    except OSError as error:
        return BankFile(name, problem=f"The file cannot be read: {error.strerror}.")


def _from_zip(source: Path) -> list[BankFile]:
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
            if len(members) > MOST_FILES:
                raise SourceError(f"{source} holds more than {MOST_FILES} files; split it.")
            return [
                _from_member(archive, member, source.stem)
                for member in members
                if not member.is_dir() and _is_wanted(PurePosixPath(member.filename))
            ]
    except zipfile.BadZipFile as error:
        raise SourceError(f"{source} is a damaged zip: {error}.") from None


def _from_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, top: str) -> BankFile:
    name = _with_folder(PurePosixPath(member.filename), top)
    if member.file_size > LARGEST_FILE_BYTES:
        return BankFile(name, problem=_too_large())
    try:
        return BankFile(name, content=archive.read(member))
    except _UNREADABLE as error:
        return BankFile(name, problem=f"The file cannot be read from the zip: {error}.")


def _is_wanted(path: PurePosixPath) -> bool:
    hidden = any(part.startswith((".", "__MACOSX")) and part not in (".", "..") for part in path.parts)
    return path.suffix.lower() == _SUFFIX and not hidden


def _with_folder(path: PurePosixPath, top: str) -> str:
    parts = [part for part in path.parts if part not in ("/", "..", ".")]
    return "/".join(parts if len(parts) > 1 else [top, *parts])


def _too_large() -> str:
    return f"The file is larger than {LARGEST_FILE_BYTES // 1_000_000} MB; a question is not."
