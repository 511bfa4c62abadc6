"""Which files a run reads, on disks and in object stores, and the parts that it reads them in.

Files are found and read through Arrow's file systems: Daft's reader of text gives up a whole file
for one byte that is not UTF-8, and neither says where a row stood.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from schema2model.batch.bounded_names import whole_name
from schema2model.faults import describe_error

__all__ = ["BatchError", "Part", "Source", "filesystem_of", "find_sources", "located", "plan"]

_LINES = (".jsonl", ".ndjson", ".json")
_PARQUET = (".parquet", ".pq")
_HIDDEN = re.compile(r"[._]|.*\.unfinished-[0-9a-f]{16}\Z", re.DOTALL)
"""Names, of files and folders, that are passed over where a folder is searched."""

_BLOCK = 2**20
_BEGINNING = 100
"""Bytes that show whether a file is one JSON list."""
_READERS = 8
"""Concurrent reads of a file, and bytes of each, while its lines are counted."""

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}

_CONVERT = {
    ".csv": 'convert it first: python -c "import pyarrow.csv as c, pyarrow.parquet as p; '
    "p.write_table(c.read_csv('rows.csv'), 'rows.parquet')\"",
    ".txt": 'write JSON Lines in which each text is a member "text"',
    ".log": 'write JSON Lines in which each text is a member "text"',
}
"""Advice for files of other kinds, by their ending."""


class BatchError(ValueError):
    """A run cannot begin, or cannot be finished; what is finished is kept for the next attempt."""


class Source(NamedTuple):
    """A file to read. `store` is the URL that says how to reach it, empty for a local file."""

    store: str
    path: str
    size: int
    modified: int | None

    @property
    def name(self) -> str:
        """Its path, or its URL."""
        return f"{self.store.partition('://')[0]}://{self.path}" if self.store else self.path

    @property
    def suffixes(self) -> tuple[str, str]:
        """Of what the file holds, and of its compression; empty where it is neither."""
        *_, inner, last = ("", "", *PurePosixPath(self.path.lower()).suffixes)
        if last in _COMPRESSED:
            return (inner if inner in _LINES else "", last)
        return (last if last in _LINES + _PARQUET else "", "")


@dataclass(frozen=True, slots=True)
class Part:
    """A unit of work: rows that are read, written and recorded together.

    Of lines, those that begin from byte `start` and before byte `stop`; of Parquet, the row groups
    from `start` and before `stop`. None is the end. `size` is in bytes of the file, which was last
    changed at `modified`. `lines_before` is how many lines begin before the part.
    """

    number: int
    store: str
    path: str
    name: str
    is_parquet: bool
    compression: str | None
    start: int
    stop: int | None
    size: int
    modified: int | None
    lines_before: int = 0

    @property
    def file_name(self) -> str:
        """Of its output."""
        kind = ".parquet" if self.is_parquet else ".jsonl"
        outer = {"gzip": ".gz", "bz2": ".bz2", "zstd": ".zst"}.get(self.compression or "", "")
        return f"part-{self.number:06d}{kind}{outer}"


# ----------------------------------------------------------------------------------------- stores
@functools.lru_cache(64)
def filesystem_of(store: str) -> fs.FileSystem:
    """The file system of an object store's URL, or the local one."""
    return fs.FileSystem.from_uri(store)[0] if store else fs.LocalFileSystem()


def located(place: str) -> tuple[str, str]:
    """The store of a path or URL, and the path in it.

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
def find_sources(places: Iterable[str]) -> list[Source]:
    """The files that paths, globs, folders and URLs name, each once, in order.

    Raises:
        BatchError: where one names none, or a file that is neither JSONL nor Parquet.

    """
    found: dict[tuple[str, str], Source] = {}
    for place in places:
        sources = list(_sources(place)) if place else []
        if not sources:
            message = f"there is no file to read at {whole_name(place)}"
            if place == "-":
                message += "; standard input is not read, since a run can be resumed"
            raise BatchError(message)
        for source in sources:
            _require_rows(source)
            found.setdefault((source.store, source.path), source)
    return list(found.values())


def _require_rows(source: Source) -> None:
    """Refuse a file that is neither lines nor Parquet, by its ending and its beginning.

    Raises:
        BatchError: which says what to do.

    """
    kind, outer = source.suffixes
    name = whole_name(source.name)
    if not kind:
        ending = PurePosixPath(source.path.lower()).suffix
        compressed = f"lines may be compressed: {', '.join(_COMPRESSED)}"
        message = (
            f"{name} has none of the endings {', '.join(_LINES + _PARQUET)}; "
            f"{_CONVERT.get(ending, compressed)}"
        )
        raise BatchError(message)
    if kind == ".json" and not outer and _begins_with_list(source):
        message = f"{name} is one JSON list; write a row a line: jq -c '.[]' rows.json > rows.jsonl"
        raise BatchError(message)


def _begins_with_list(source: Source) -> bool:
    with (
        contextlib.suppress(OSError),
        filesystem_of(source.store).open_input_file(source.path) as file,
    ):
        return bool(file.read(_BEGINNING).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["))
    return False  # what cannot be read is refused with its reason later


def _sources(place: str) -> Iterator[Source]:
    store, path = located(place)
    try:
        filesystem = filesystem_of(store)
        info = filesystem.get_file_info(path)
        if info.type == fs.FileType.File:
            yield _source(store, info)
        elif info.type == fs.FileType.Directory:
            inside = (_source(store, each) for each in _listed(filesystem, path, recursive=True))
            yield from (source for source in inside if source.suffixes[0])
        else:
            yield from (_source(store, each) for each in _matching(filesystem, path))
    except (OSError, ValueError) as error:  # the latter for names that are not UTF-8
        message = f"cannot list {whole_name(place)}: {describe_error(error)}"
        raise BatchError(message) from None


def _source(store: str, info: fs.FileInfo) -> Source:
    return Source(store, info.path, info.size, info.mtime_ns)


def _listed(filesystem: fs.FileSystem, base: str, *, recursive: bool) -> list[fs.FileInfo]:
    """The files in a folder, without those that are hidden, tell of others, or are unfinished."""
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

    Compressed lines cannot; Parquet can between its row groups. A file of lines that is divided is
    read for that once more, to number its lines.

    Raises:
        BatchError: for a file that has to be divided and cannot be read.

    """
    parts: list[Part] = []
    for source in sources:
        kind, outer = source.suffixes
        is_parquet = kind in _PARQUET
        divides = _row_groups if is_parquet else _whole if outer else _ranges
        for start, stop, size, lines_before in divides(source, part_size):
            parts.append(
                Part(
                    number=len(parts),
                    store=source.store,
                    path=source.path,
                    name=source.name,
                    is_parquet=is_parquet,
                    compression=_COMPRESSED.get(outer),
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
