"""Which files a run reads, on disks and in object stores, and the parts that it reads them in.

Files are found and read through Arrow's file systems: Daft's reader of text gives up a whole file
for one byte that is not UTF-8, and neither says where a row stood.
"""

from __future__ import annotations

import contextlib
import functools
import re
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from schema2model.apps.batch.bounded_names import whole_name
from schema2model.faults import describe_error

__all__ = [
    "BatchError",
    "FileFormat",
    "Part",
    "Source",
    "copy_of_stream",
    "filesystem_of",
    "find_sources",
    "located",
    "plan",
]

FileFormat = Literal["jsonl", "json", "csv", "tsv", "text", "parquet"]
"""Of a file: a JSON object a line; a JSON list of rows, or one row; tables; the text of a model;
Parquet."""

_FORMATS: dict[str, FileFormat] = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".txt", ".log"), "text"),
    ".csv": "csv",
    ".tsv": "tsv",
}
"""By the ending of a name. The beginning of a `.json` file shows whether it has a row a line."""

_OF_FOLDERS = (".jsonl", ".ndjson", ".json", ".parquet", ".pq")
"""Endings of the files that are read where a folder is named."""

_ONE_DOCUMENT = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*(?:\[|\{[ \t\r]*\n)")
"""The beginning of a JSON list, or of an object on several lines."""

_HIDDEN = re.compile(r"[._]|.*\.unfinished-[0-9a-f]{16}\Z", re.DOTALL)
"""Names, of files and folders, that are passed over where a folder is searched."""

_BLOCK = 2**20
_BEGINNING = 1_000
"""Bytes that show whether a file has a row a line."""
_READERS = 8
"""Concurrent reads of a file, and bytes of each, while its lines are counted."""

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}


class BatchError(ValueError):
    """A run cannot begin or end; finished parts are kept for the next attempt."""


class Source(NamedTuple):
    """A file to read. `store` is the URL that says how to reach it, empty for a local file.

    `format` and `compression` are None if its name does not show them; `label` is a name for
    people, if the path is none.
    """

    store: str
    path: str
    size: int
    modified: int | None
    format: FileFormat | None = None
    compression: str | None = None
    label: str = ""

    @property
    def name(self) -> str:
        """Its label, its path, or its URL."""
        if self.label:
            return self.label
        return f"{self.store.partition('://')[0]}://{self.path}" if self.store else self.path


@dataclass(frozen=True, slots=True)
class Part:
    """A unit of work: rows that are read, written and recorded together.

    Of JSON Lines, those that begin from byte `start` and before byte `stop`; of Parquet, the row
    groups from `start` and before `stop`. None is the end. `size` is in bytes of the file, which
    was last changed at `modified`. `lines_before` is how many lines begin before the part.
    """

    number: int
    store: str
    path: str
    name: str
    format: FileFormat
    compression: str | None
    start: int
    stop: int | None
    size: int
    modified: int | None
    lines_before: int = 0

    @property
    def file_name(self) -> str:
        """Of its output."""
        kind = ".parquet" if self.format == "parquet" else ".jsonl"
        outer = {"gzip": ".gz", "bz2": ".bz2", "zstd": ".zst"}.get(self.compression or "", "")
        return f"part-{self.number:06d}{kind}{outer}"


# ----------------------------------------------------------------------------------------- stores
@functools.lru_cache(64)
def filesystem_of(store: str) -> fs.FileSystem:
    """Return the file system of an object store's URL, or the local one."""
    return fs.FileSystem.from_uri(store)[0] if store else fs.LocalFileSystem()


def located(place: str) -> tuple[str, str]:
    """Return the store of a path or URL, and the path in it.

    Raises:
        BatchError: for a URL that cannot be reached.

    """
    scheme, is_url, _ = place.partition("://")
    if not is_url:
        return "", Path(place).absolute().as_posix()
    try:
        path = fs.FileSystem.from_uri(place)[1]
    except (OSError, ValueError, ImportError) as error:
        message = f"cannot reach {whole_name(place)}: {describe_error(error)}"
        raise BatchError(message) from None
    return "" if scheme == "file" else place, path.rstrip("/") or "/"


# ---------------------------------------------------------------------------------------- finding
def find_sources(
    places: Iterable[str | Source], file_format: FileFormat | None = None
) -> list[Source]:
    """Return the files that paths, globs, folders and URLs name, each once, in order.

    Args:
        places: of folders, only files of rows are read, unless `file_format` is given. A `Source`
            is taken as it is.
        file_format: of all files; by default, each name's ending shows it.

    Raises:
        BatchError: where one names none, or a file of an unknown format.

    """
    found: dict[tuple[str, str], Source] = {}
    for place in places:
        if isinstance(place, Source):
            found[place.store, place.path] = place
            continue
        sources = list(_sources(place, file_format)) if place else []
        if not sources:
            message = f"found no file to read at {whole_name(place)}"
            raise BatchError(message)
        for source in sources:
            if source.format is None:
                message = (
                    f"the ending of {whole_name(source.name)} is none of {', '.join(_FORMATS)} "
                    f"(also {', '.join(_COMPRESSED)}); name its format: --input-format"
                )
                raise BatchError(message)
            found.setdefault((source.store, source.path), source)
    return list(found.values())


def copy_of_stream(
    stream: IO[bytes], folder: str, file_format: FileFormat | None, label: str
) -> Source:
    """Copy a stream into a folder, as rows are read more than once. Return the file as a source.

    Raises:
        BatchError: if it cannot be read, or memory is short.

    """
    path = Path(folder, "rows.json").as_posix()
    try:
        with open(path, "wb") as file:  # noqa: PTH123 - the path is text already
            shutil.copyfileobj(stream, file, _BLOCK)
    except OSError as error:
        message = f"cannot copy {whole_name(label)} into {folder}: {describe_error(error)}"
        raise BatchError(message) from None
    source = _source("", filesystem_of("").get_file_info(path), file_format)
    return source._replace(label=label, modified=None)


def _is_one_document(store: str, path: str, compression: str | None) -> bool:
    """Return whether a file begins like a JSON list, or an object on several lines."""
    with (
        contextlib.suppress(OSError, ValueError),  # it is refused with its reason later
        filesystem_of(store).open_input_stream(path, compression=compression) as file,
    ):
        return _ONE_DOCUMENT.match(file.read(_BEGINNING)) is not None
    return False


def _sources(place: str, file_format: FileFormat | None) -> Iterator[Source]:
    store, path = located(place)
    try:
        filesystem = filesystem_of(store)
        info = filesystem.get_file_info(path)
        if info.type == fs.FileType.Directory:
            for each in _listed(filesystem, path, recursive=True):
                if file_format or _suffixes(each.path)[0] in _OF_FOLDERS:
                    yield _source(store, each, file_format)
            return
        is_file = info.type == fs.FileType.File
        for each in [info] if is_file else _matching(filesystem, path):
            yield _source(store, each, file_format)
    except (OSError, ValueError) as error:  # the latter for names that are not UTF-8
        message = f"cannot list {whole_name(place)}: {describe_error(error)}"
        raise BatchError(message) from None


def _suffixes(path: str) -> tuple[str, str]:
    """Return the ending of what a file holds, and that of its compression, which may be empty."""
    *_, inner, last = ("", "", *PurePosixPath(path.lower()).suffixes)
    return (inner, last) if last in _COMPRESSED else (last, "")


def _source(store: str, info: fs.FileInfo, file_format: FileFormat | None) -> Source:
    inner, outer = _suffixes(info.path)
    compression = _COMPRESSED.get(outer)
    found = file_format or _FORMATS.get(inner)
    if found == "parquet" and outer:
        found = None  # it is compressed in itself
    if not file_format and inner == ".json" and _is_one_document(store, info.path, compression):
        found = "json"
    return Source(store, info.path, info.size, info.mtime_ns, found, compression)


def _listed(filesystem: fs.FileSystem, base: str, *, recursive: bool) -> list[fs.FileInfo]:
    """Return the files in a folder, except for hidden, unfinished and descriptive ones."""
    selector = fs.FileSelector(base, allow_not_found=True, recursive=recursive)
    infos = [info for info in filesystem.get_file_info(selector) if info.is_file]

    def is_hidden(info: fs.FileInfo) -> bool:
        return any(map(_HIDDEN.match, info.path.removeprefix(base).strip("/").split("/")))

    return sorted((i for i in infos if not is_hidden(i)), key=lambda info: info.path)


def _matching(filesystem: fs.FileSystem, pattern: str) -> list[fs.FileInfo]:
    parts = pattern.split("/")
    fixed = next((i for i, part in enumerate(parts) if set(part) & set("*?[")), None)
    if fixed is None:
        return []
    base = "/".join(parts[:fixed]) or "/" * pattern.startswith("/")
    infos = _listed(filesystem, base, recursive=parts[fixed:] != parts[-1:])
    return [info for info in infos if _matches(info.path.split("/"), parts)]


def _matches(path: list[str], pattern: list[str]) -> bool:
    """Return whether a glob matches a path; `**` matches any number of folders."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[skipped:], pattern[1:]) for skipped in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


# --------------------------------------------------------------------------------------- planning
def plan(sources: Iterable[Source], part_size: int) -> list[Part]:
    """Divide files into parts of about `size` bytes each, where a file can be divided.

    JSON Lines can, unless they are compressed, and Parquet can between its row groups. A file of
    lines that is divided is read for that once more, to number its lines.

    Raises:
        BatchError: for a file that has to be divided and cannot be read.

    """
    parts: list[Part] = []
    for source in sources:
        assert source.format is not None  # noqa: S101 - `find_sources` refuses others
        is_lines = source.format == "jsonl" and source.compression is None
        divides = _row_groups if source.format == "parquet" else _ranges if is_lines else _whole
        for start, stop, size, lines_before in divides(source, part_size):
            parts.append(
                Part(
                    number=len(parts),
                    store=source.store,
                    path=source.path,
                    name=source.name,
                    format=source.format,
                    compression=source.compression,
                    start=start,
                    stop=stop,
                    size=size,
                    modified=source.modified,
                    lines_before=lines_before,
                )
            )
    return parts


_Range = tuple[int, "int | None", int, int]


def _whole(source: Source, part_size: int) -> Iterator[_Range]:
    del part_size
    yield 0, None, source.size, 0


def _ranges(source: Source, part_size: int) -> Iterator[_Range]:
    starts = range(0, source.size, part_size)
    for start, lines_before in zip(starts, _lines_before(source, starts), strict=True):
        stop = min(start + part_size, source.size)
        yield start, stop, stop - start, lines_before


def _lines_before(source: Source, starts: range) -> Iterator[int]:
    """For each offset, the number of lines that begin before the first line at or after it."""
    yield from [0] * len(starts[:1])
    with ThreadPoolExecutor(_READERS) as pool:
        # a line that begins at byte `start` has its line feed one before, and is not before it
        spans = ((max(start - 1, 0), start + starts.step - 1) for start in starts[:-1])
        counts = pool.map(lambda span: _line_feeds(source, *span), spans)
        for ended in accumulate(counts):
            yield ended + 1


def _line_feeds(source: Source, start: int, stop: int) -> int:
    count = 0
    try:
        with filesystem_of(source.store).open_input_file(source.path) as file:
            file.seek(start)
            while start < stop and (block := file.read(min(_BLOCK, stop - start))):
                count += block.count(b"\n")
                start += len(block)
    except OSError as error:
        message = f"cannot read {whole_name(source.name)}: {describe_error(error)}"
        raise BatchError(message) from None
    return count


def _row_groups(source: Source, part_size: int) -> Iterator[_Range]:
    if source.size <= part_size:
        yield from _whole(source, part_size)
        return
    try:
        with filesystem_of(source.store).open_input_file(source.path) as file:
            metadata: Any = pq.read_metadata(file)
    except (OSError, pa.ArrowException) as error:
        message = f"cannot read {whole_name(source.name)}: {describe_error(error)}"
        raise BatchError(message) from None
    count = metadata.num_row_groups
    each = max(1, count * part_size // source.size)
    for start in range(0, count, each):
        stop = min(start + each, count)
        yield start, stop, source.size * (stop - start) // count, 0
