"""Where a bank's files come from: a zip, a folder or one file. Paths in a bank use `/` and are relative to it."""

import lzma
import re
import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import Path, PurePosixPath

from corpus.importers.types import BankFile

LARGEST_FILE_BYTES = 5_000_000
LARGEST_TABLE_BYTES = 100_000_000
MOST_BYTES = 500_000_000
MOST_FILES = 200_000
_SUFFIX = ".json"
_TABLE_SUFFIX = ".csv"
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
)
_NAME_NOT_UTF8 = "The file's name is not UTF-8. Rename the file or the folders it is in."
_CENTRAL_HEADER = b"PK\1\2"
_UTF8_FLAG = 0x800


class SourceError(ValueError):
    """The place to import from cannot be used; the message says what to do."""


def bank_files(source: Path) -> list[BankFile]:
    """Return the JSON files of a zip, a folder or one file, sorted by path.

    A file directly at the top of the source gets the source's own name as its folder, so that a zip, the folder it
    unpacks to and a single file of that folder give the same question keys. Hidden files and other kinds of files
    are passed over. Raise SourceError when the source is missing, damaged or holds no JSON file.
    """
    if source.is_dir():
        files = _from_folder(source, (_SUFFIX,))
    elif not source.is_file():
        raise SourceError(f"There is no file or folder {source}. Check the path.")
    elif zipfile.is_zipfile(source):
        files = _from_zip(source, (_SUFFIX,))
    elif source.suffix.lower() == _SUFFIX:
        files = [_from_disk(source, f"{source.resolve().parent.name}/{source.name}".lstrip("/"))]
    else:
        raise SourceError(f"{source} is neither a zip, nor a folder, nor a .json file.")
    if not files:
        raise SourceError(f"{source} holds no .json file.")
    return sorted(files, key=lambda file: file.path)


def export_files(source: Path) -> list[BankFile]:
    """Return the JSON files and CSV tables of a zip or a folder, sorted by path, as `bank_files` does.

    Raise SourceError when the source is neither, is damaged or holds none of them.
    """
    if source.is_dir():
        files = _from_folder(source, (_SUFFIX, _TABLE_SUFFIX))
    elif not source.is_file():
        raise SourceError(f"There is no file or folder {source}. Check the path.")
    elif zipfile.is_zipfile(source):
        files = _from_zip(source, (_SUFFIX, _TABLE_SUFFIX))
    else:
        raise SourceError(f"{source} is neither a zip nor a folder.")
    if not files:
        raise SourceError(f"{source} holds no .csv and no .json file.")
    return sorted(files, key=lambda file: file.path)


def _from_folder(root: Path, suffixes: tuple[str, ...]) -> list[BankFile]:
    top = root.resolve().name
    files = []
    for path in root.rglob("*"):
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if _is_wanted(relative, suffixes) and path.is_file():
            files.append(_from_disk(path, _with_folder(relative, top)))
    return files


def _from_disk(path: Path, name: str) -> BankFile:
    if _is_undecodable(name):
        return _unnameable(name)
    try:
        if path.stat().st_size > _largest(name):
            return BankFile(name, problem=_too_large(name))
        return BankFile(name, content=path.read_bytes())
    except OSError as error:
        return BankFile(name, problem=f"The file cannot be read: {error.strerror}.")


def _from_zip(source: Path, suffixes: tuple[str, ...]) -> list[BankFile]:
    try:
        with _opened_zip(source) as archive:
            members = archive.infolist()
            if len(members) > MOST_FILES:
                raise SourceError(f"{source} holds more than {MOST_FILES} files; split it.")
            wanted = [
                member
                for member in members
                if not member.filename.endswith("/") and _is_wanted(PurePosixPath(member.filename), suffixes)
            ]
            if sum(member.file_size for member in wanted) > MOST_BYTES:
                raise SourceError(f"{source} unpacks to more than {MOST_BYTES // 1_000_000} MB; split it.")
            return [_from_member(archive, member, source.stem) for member in wanted]
    except SourceError:
        raise
    except zipfile.BadZipFile as error:
        raise SourceError(f"{source} is a damaged zip: {error}.") from None
    except _UNREADABLE as error:
        raise SourceError(f"{source} cannot be read: {error}. Pack it anew.") from None


def _opened_zip(source: Path) -> zipfile.ZipFile:
    """Open a zip; a member whose name is not the UTF-8 it claims to be is named as a file system would name it.

    `zipfile` opens no zip with such a name in it; without the claim it reads the name as code page 437, byte by byte.
    """
    try:
        return zipfile.ZipFile(source)
    except UnicodeDecodeError:
        content = bytearray(source.read_bytes())
    names = _drop_false_flags(content)
    archive = zipfile.ZipFile(BytesIO(content))
    for member in archive.infolist():
        raw = b"" if member.flag_bits & _UTF8_FLAG else member.orig_filename.encode("cp437")
        if raw in names:
            member.filename = _as_on_disk(raw).partition("\0")[0]
    return archive


def _drop_false_flags(content: bytearray) -> set[bytes]:
    """Take the mark of UTF-8 names from entries of a zip's directory whose names are none; return these names."""
    names = set()
    for found in re.finditer(_CENTRAL_HEADER, bytes(content)):
        start = found.start()
        flags, length = _short(content, start + 8), _short(content, start + 28)
        name = bytes(content[start + 46 : start + 46 + length])
        if flags & _UTF8_FLAG and _is_undecodable(_as_on_disk(name)):
            content[start + 8 : start + 10] = struct.pack("<H", flags & ~_UTF8_FLAG)
            names.add(name)
    return names


def _as_on_disk(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _short(content: bytearray, start: int) -> int:
    return int.from_bytes(content[start : start + 2], "little")


def _from_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, top: str) -> BankFile:
    name = _with_folder(PurePosixPath(member.filename), top)
    if _is_undecodable(name):
        return _unnameable(name)
    if member.file_size > _largest(name):
        return BankFile(name, problem=_too_large(name))
    try:
        return BankFile(name, content=archive.read(member))
    except _UNREADABLE as error:
        return BankFile(name, problem=f"The file cannot be read from the zip: {error}.")


def _is_wanted(path: PurePosixPath, suffixes: tuple[str, ...]) -> bool:
    hidden = any(part.startswith((".", "__MACOSX")) and part not in (".", "..") for part in path.parts)
    return path.suffix.lower() in suffixes and not hidden


def _with_folder(path: PurePosixPath, top: str) -> str:
    parts = [part for part in path.parts if part not in ("/", "..", ".")]
    return "/".join(parts if len(parts) > 1 else [top, *parts])


def _is_undecodable(name: str) -> bool:
    """Say whether a name has bytes that are no UTF-8, which Python reads as lone surrogates."""
    return any("\ud800" <= character <= "\udfff" for character in name)


def _unnameable(name: str) -> BankFile:
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return BankFile(shown, problem=_NAME_NOT_UTF8)


def _largest(name: str) -> int:
    return LARGEST_TABLE_BYTES if name.lower().endswith(_TABLE_SUFFIX) else LARGEST_FILE_BYTES


def _too_large(name: str) -> str:
    what = "a table" if name.lower().endswith(_TABLE_SUFFIX) else "a question"
    return f"The file is larger than {_largest(name) // 1_000_000} MB; {what} is not."
