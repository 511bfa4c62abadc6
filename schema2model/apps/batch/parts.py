"""One part of a corpus: read, corrected, written whole or not at all, and recorded.

`OutcomeWriter` writes an outcome as the members that are added to a line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from collections.abc import Callable, Iterator, Set  # noqa: PYI025 - any set of names
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import to_json

from schema2model.apps.batch.columns import (
    arrow_fields,
    arrow_outcomes,
    arrow_values,
    check_names,
    parquet_in,
    rows_of,
)
from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.inputs import Part, filesystem_of
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.line_readers import read_lines
from schema2model.apps.batch.offered_tools import RowParser
from schema2model.apps.batch.outcomes import (
    Call,
    Outcome,
    document,
    failed,
    json_bytes,
    refused,
    refused_for_repetition,
    speakable,
    spoken,
    written,
)
from schema2model.apps.batch.rows import correct_row
from schema2model.apps.batch.summary import Summary
from schema2model.errors import unexpected
from schema2model.faults import json_fault
from schema2model.json.repeated_names import RepeatedNameError, parse_unique, repeated_name_in
from schema2model.limits import MAX_BATCH_LINE

__all__ = ["WORK", "Job", "OutcomeWriter", "first_names", "first_rows", "work_path"]

_UNCHANGED = Outcome(None, "unchanged")
_REST = b',"status":"unchanged","changes":[],"doubts":[],"error":null}'
"""The members of an unchanged call that follow its `id`."""


class OutcomeWriter:
    """Writes the members that `document` lists, and the end of the object that gets them.

    Those of rows without changes and doubts, which most are, are put together from texts: it takes
    half the time.

    Args:
        names: of the members, as in `Layout.added`.

    >>> OutcomeWriter(("corrected", "status")).write(Outcome({"a": 1}, "unchanged"))
    b'"corrected":{"a":1},"status":"unchanged"}'

    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._before = json_bytes(names[0]) + b":"
        self._after = self._members(_UNCHANGED).removeprefix(self._before + b"null")
        self.around_unchanged = self._before, self._after
        """The texts before and after the arguments of a call that stays as it is."""
        others = b"".join([b",%b:[]" % json_bytes(name) for name in names[6:]])
        self._after_calls = b"]%b}" % others
        self._before_calls = self._after.removesuffix(self._after_calls)

    def write(self, outcome: Outcome) -> bytes:
        """Return the members as JSON text.

        Raises:
            Exception: if the corrected value has no JSON text.

        """
        corrected, status, _, _, calls, _, doubts, results = outcome
        if status != "unchanged" or doubts or results:
            return self._members(outcome)
        if not calls:
            return self._before + json_bytes(corrected) + self._after
        try:
            text = to_json({self._names[0]: corrected})
        except ValueError:  # half a surrogate pair: then everything is written in ASCII
            return self._members(outcome)
        written = b",".join([_unchanged(call) for call in calls])
        return b"".join((text[1:-1], self._before_calls, written, self._after_calls))

    def _members(self, outcome: Outcome) -> bytes:
        return json_bytes(dict(zip(self._names, document(outcome), strict=False)))[1:]


def _unchanged(call: Call) -> bytes:
    path, tool, call_id, *_ = call
    members = {"path": speakable(path), "tool": speakable(tool), "id": speakable(call_id)}
    return to_json(members)[:-1] + _REST


MAX_FIRST = 4 * 2**20
"""Bytes of lines after which no more are looked at before a run."""

WORK = "_work"
"""The folder next to the parts, for unfinished parts and the records of finished ones."""

_BLOCK = 2**20
"""Bytes that are written at a time."""

_ROWS = 4096
"""Rows of Parquet that are held at a time."""

_BEAT = 1.0
"""Seconds between two records of a part's progress."""


def work_path(directory: str, number: int, kind: str) -> str:
    """Return the path of a part's record (`"done"`) or heartbeat (`"beat"`)."""
    return f"{directory}/{WORK}/{number:06d}.{kind}.json"


@dataclass(frozen=True, slots=True)
class Job:
    """The settings that all parts of a run share. Picklable."""

    corrector: Corrector
    layout: Layout
    store: str
    directory: str

    def do(self, part: Part) -> dict[str, Any]:
        """Correct a part; write and return its record.

        Raises:
            OSError: where something cannot be read or written.
            ValueError: where a Parquet file is damaged, or has a column of an added one's name.

        """
        filesystem = filesystem_of(self.store)
        unfinished = f"{self.directory}/{WORK}/{uuid.uuid4().hex}.tmp"
        beat = _Heartbeat(self, part)
        try:
            with filesystem.open_output_stream(unfinished, compression=part.compression) as sink:
                (_correct_parquet if part.format == "parquet" else _correct_lines)(
                    self, part, sink, beat
                )
            filesystem.move(unfinished, f"{self.directory}/{part.file_name}")
            record = {"part": asdict(part), **beat.summary.document()}
            self.write(unfinished, record)
            filesystem.move(unfinished, work_path(self.directory, part.number, "done"))
        except BaseException:
            # the disk may be full, and other parts need the space
            with contextlib.suppress(OSError):
                filesystem.delete_file(unfinished)
            raise
        return record

    def write(self, path: str, value: Any) -> None:
        """Write a small file of JSON."""
        with filesystem_of(self.store).open_output_stream(path, compression=None) as file:
            file.write(json_bytes(value))

    def source_columns(self) -> tuple[str, str, str]:
        """Return the names of the columns with a row's source; the last is for lines only."""
        prefix = self.layout.prefix
        return f"{prefix}source_file", f"{prefix}source_position", f"{prefix}source_line"


class _Heartbeat:
    """Counts the rows of a part, and records the progress once a second."""

    def __init__(self, job: Job, part: Part) -> None:
        self.job = job
        self.part = part
        self.summary = Summary()
        self.due = time.monotonic() + _BEAT

    def note(self, read: int) -> None:
        """Record the progress if it is due; `read` bytes of the part's size are done."""
        if time.monotonic() >= self.due:
            path = work_path(self.job.directory, self.part.number, "beat")
            size = min(read, self.part.size)
            rows = self.summary.total
            self.job.write(path, {"part": self.part.number, "rows": rows, "size": size})
            self.due = time.monotonic() + _BEAT


# ------------------------------------------------------------------------------------------ lines
def _correct_lines(job: Job, part: Part, sink: Any, beat: _Heartbeat) -> None:
    """Write each line with the added columns after its own, whose bytes do not change."""
    names = job.source_columns()
    taken = {*names, *job.layout.added}
    tools, parse = job.layout.tools, parse_unique
    if tools is not None and _has_tools_alone(job.layout):
        parse = RowParser(tools, job.corrector.offered).parse  # type: ignore[assignment]
    if part.format in {"csv", "tsv"}:
        parse = partial(_parsed_record, parse)
    of_file, of_position, of_line = map(json_bytes, names)
    name = json_bytes(part.name)
    place = b"%b:%b,%b:%%d,%b:%%d," % tuple(map(_escaped, (of_file, name, of_position, of_line)))
    writer = OutcomeWriter(job.layout.added)
    before, after = map(_escaped, writer.around_unchanged)
    same = b"%%b,%b%b%%b%b\n" % (place, before, after)
    unchanged = None
    if job.layout.kind == "calls" and tools is None:
        unchanged = _unchanged_lines(job, taken, beat.summary)
    done: list[bytes] = []
    waiting = 0
    with filesystem_of(part.store).open_input_file(part.path) as file:
        for position, number, line in read_lines(file, part):
            arguments = unchanged(line) if unchanged else None
            if arguments is not None:
                done.append(same % (line[:-1], position, number, arguments))
            else:
                row, outcome, start = _corrected_line(line, job, taken, parse)
                outcome, added = written(outcome, writer.write)
                beat.summary.add_row(outcome, row, job.layout)
                done += (start, b"," * bool(row), place % (position, number), added, b"\n")
            waiting += len(line)
            if waiting > _BLOCK:
                sink.write(b"".join(done))
                done.clear()
                waiting = 0
                beat.note(file.tell() - part.start)
    sink.write(b"".join(done))


def _escaped(text: bytes) -> bytes:
    """Return a text as a part of a format."""
    return text.replace(b"%", b"%%")


def _has_tools_alone(layout: Layout) -> bool:
    """Return whether the column of the tools is read for nothing else."""
    is_row = layout.kind == "chat" and layout.messages is None
    return not is_row and layout.tools not in replace(layout, tools=None).read


class _LineError(ValueError):
    """A line has no row, or one to which nothing can be added; `about` is that without details."""

    def __init__(self, about: str, more: str = "") -> None:
        super().__init__(f"the {about}{more}")
        self.about = about


def _unchanged_lines(
    job: Job, taken: Set[str], summary: Summary
) -> Callable[[bytes], bytes | None]:
    """Return a function that counts a call that stays as it is, and returns its arguments as JSON.

    It returns None for any other line. Most are such calls, and take half the time here.
    """
    layout, accepts = job.layout, job.corrector.accepts
    in_model, in_tool, in_arguments = layout.model, layout.tool, layout.arguments

    def unchanged_line(line: bytes) -> bytes | None:
        if len(line) > MAX_BATCH_LINE:
            return None
        try:
            row = parse_unique(line)
            if type(row) is not dict or not taken.isdisjoint(row):
                return None
            tool, arguments = row[in_tool], row[in_arguments]
            if not accepts(tool, arguments):
                return None
            text = to_json(arguments)
        except BaseException as error:  # noqa: BLE001 - no JSON, two values for a name, and more
            unexpected(error)  # an interrupt goes on
            return None
        summary.add_unchanged(row.get(in_model), tool)
        return text

    return unchanged_line


def _corrected_line(
    line: bytes, job: Job, taken: Set[str], parse: Callable[[bytes], Any]
) -> tuple[dict[str, Any], Outcome, bytes]:
    """Return the row of a line, its outcome, and the line up to its last member."""
    try:
        try:
            row = _parsed(line, taken, parse)
        except RepeatedNameError:
            row = _parsed(line, taken)
            if (name := repeated_name_in(line.decode(), job.layout.read)) is not None:
                return row, refused_for_repetition(name), line[:-1]
    except _LineError as error:
        outcome = refused(str(error), "line", error.about)
    except BaseException as error:  # noqa: BLE001 - it must not cost the other rows
        outcome = failed(error)
    else:
        text = line.decode()
        return row, correct_row(row, job.corrector, job.layout, text), line[:-1]
    return {}, outcome, b'{"line":%b,' % json_bytes(spoken(line))


def _parsed_record(parse: Callable[[bytes], Any], line: bytes) -> Any:
    """Parse the line of a record of a table.

    Raises:
        _LineError: if it has other cells than the first record names.

    """
    row = parse(line)
    if isinstance(row, list):
        about = "row does not have one cell for each name in the first record"
        raise _LineError(about)
    return row


def _last_values(line: bytes) -> Any:
    """Parse a line; of two values for one name, take the last."""
    return json.loads(line.decode())


def _parsed(
    line: bytes, taken: Set[str] = frozenset(), parse: Callable[[bytes], Any] = _last_values
) -> dict[str, Any]:
    """Return the row of a line.

    Raises:
        RepeatedNameError: if `parse` does.
        _LineError: where it has none, or one to which nothing can be added.

    """
    if len(line) > MAX_BATCH_LINE:
        about = f"line is longer than {MAX_BATCH_LINE >> 20} MiB"
        raise _LineError(about, "; this is how it begins")
    try:
        row = parse(line)
    except (RepeatedNameError, _LineError):
        raise
    except RecursionError:
        about = "line is nested too deeply"
        raise _LineError(about) from None
    except ValueError as error:
        about = "line is not JSON"
        raise _LineError(about, f": {json_fault(error)}") from None
    if not isinstance(row, dict):
        about = "line is JSON, but no object"
        raise _LineError(about)
    if not taken.isdisjoint(row):
        about = "row has a column of the name of one that is added"
        raise _LineError(about)
    return row


# ---------------------------------------------------------------------------------------- Parquet
def _correct_parquet(job: Job, part: Part, sink: Any, beat: _Heartbeat) -> None:
    names = job.source_columns()
    with filesystem_of(part.store).open_input_file(part.path) as source:
        file = parquet_in(source)
        check_names(file.schema_arrow.names, job.layout, *names[:2])
        fields = [pa.field(names[0], pa.string()), pa.field(names[1], pa.int64())]
        schema = file.schema_arrow
        for field in (*fields, *arrow_fields(job.layout)):
            schema = schema.append(field)
        count = file.num_row_groups
        stop = count if part.stop is None else part.stop
        position = sum(file.metadata.row_group(i).num_rows for i in range(part.start))
        begin, rows = position, 0
        for i in range(part.start, stop):
            rows += file.metadata.row_group(i).num_rows
        with pq.ParquetWriter(sink, schema) as writer:
            groups = list(range(part.start, stop))
            for batch in file.iter_batches(_ROWS, row_groups=groups):
                outcomes, columns = arrow_outcomes(batch, job.corrector, job.layout)
                for outcome, row in zip(outcomes, _names_in(batch, job.layout), strict=True):
                    beat.summary.add_row(outcome, row, job.layout)
                size = batch.num_rows
                places = [
                    pa.array([part.name] * size, pa.string()),
                    pa.array(range(position, position + size), pa.int64()),
                ]
                arrays = [*batch.columns, *places, *columns]
                writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
                position += size
                beat.note(part.size * (position - begin) // max(rows, 1))


def _names_in(batch: pa.RecordBatch, layout: Layout) -> Iterator[dict[str, Any]]:
    """Yield the columns by which rows are counted."""
    names = [name for name in (layout.model, layout.tool) if name in batch.schema.names]
    values = [arrow_values(batch.column(name))[0] for name in names]
    for row in zip(*values, strict=True) if names else [()] * batch.num_rows:
        yield dict(zip(names, row, strict=True))


def first_names(part: Part) -> list[str]:
    """Return the names of the columns of a part's first row, if it has one."""
    with filesystem_of(part.store).open_input_file(part.path) as file:
        if part.format == "parquet":
            return list(parquet_in(file).schema_arrow.names)
    return [name for row in first_rows(part, 1) for name in row]


def first_rows(part: Part, number: int) -> list[dict[str, Any]]:
    """Return the first rows of a part, at most `number`.

    A line that cannot be parsed is an empty row. Of lines, no more than `MAX_FIRST` bytes are read.
    """
    with filesystem_of(part.store).open_input_file(part.path) as file:
        if part.format != "parquet":
            rows, size = [], 0
            for _, _, line in islice(read_lines(file, part), number):
                try:
                    rows.append(_parsed(line))
                except (ValueError, RecursionError):
                    rows.append({})
                size += len(line)
                if size > MAX_FIRST:
                    break
            return rows
        batch = next(parquet_in(file).iter_batches(number), None)
        return [] if batch is None else [*rows_of(batch)]
