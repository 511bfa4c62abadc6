"""The rows of a file as lines of JSON, whatever its format is."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from schema2model.apps.batch.columns import ColumnsError
from schema2model.apps.batch.inputs import Part
from schema2model.apps.batch.outcomes import json_bytes
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_BATCH_LINE, MAX_BATCH_LIST

__all__ = ["read_lines"]

_BLOCK = 2**20
"""Bytes that are read at a time."""

_BOM = b"\xef\xbb\xbf"
"""The byte order mark that Windows editors put before a text."""

_BLANKS = re.compile(r"[ \t\r\n]*")

_ELEMENTS = json.JSONDecoder(parse_int=len, parse_float=len)
"""Finds the ends of values, whatever their numbers are: some are too long for Python."""

_Line = tuple[int, int, bytes]


def read_lines(file: Any, part: Part) -> Iterator[_Line]:
    """Return the rows of a part: the offset of each, its number from 1, and its line of JSON.

    - JSON Lines: the lines as they are, stripped; blank ones are counted and left out.
    - JSON: the elements of a list, or the only object, as they are, without line breaks. What
      follows an error in the list is the last line.
    - CSV and TSV: an object of the cells of each record by the names of the first; a list if it has
      other cells than those. Its number is that of its last line; its offset is 0.
    - Text: one object, whose member `text` is all of the file.

    Offsets in compressed files are those of the decompressed bytes.
    """
    stream: Any = file
    if part.compression:
        stream = pa.CompressedInputStream(file, part.compression)
    readers: dict[str, Callable[[Any, Part], Iterator[_Line]]] = {
        "json": _json_document,
        "csv": _records,
        "tsv": _records,
        "text": _text,
    }
    return readers.get(part.format, _json_lines)(io.BufferedReader(stream, _BLOCK), part)


def _json_lines(lines: Any, part: Part) -> Iterator[_Line]:
    position, number = part.start, part.lines_before
    if position:  # the line that goes on here began in the part before
        lines.seek(position - 1)
        position -= 1
        position += _skip_line(lines, part.stop, position)
    while part.stop is None or position < part.stop:
        line = lines.readline(MAX_BATCH_LINE + 1)
        if not line:
            return
        begin = position
        number += 1
        size = len(line)
        position += size
        if size > MAX_BATCH_LINE and not line.endswith(b"\n"):
            position += _skip_line(lines, None, position)
        if begin == 0 and line.startswith(_BOM):
            begin, line = len(_BOM), line[len(_BOM) :]
        line = line.strip(b" \t\r\n")
        if line:
            yield begin, number, line


def _skip_line(lines: Any, stop: int | None, position: int) -> int:
    """Read to the end of a line, or of the part. Return the bytes read."""
    skipped = 0
    while stop is None or position + skipped < stop:
        read = lines.readline(_BLOCK)
        skipped += len(read)
        if not read or read.endswith(b"\n"):
            break
    return skipped


def _json_document(stream: Any, _: Part) -> Iterator[_Line]:
    data = _beginning(stream, MAX_BATCH_LIST + 1)
    if len(data) > MAX_BATCH_LIST:
        advice = "write a row a line: jq -c '.[]' rows.json > rows.jsonl"
        message = f"it has more than {MAX_BATCH_LIST >> 20} MiB; {advice}"
        raise ValueError(message)
    text = data.decode("latin-1")  # a character a byte, so that offsets are those of the file
    position = _skip_blanks(text, len(_BOM) if data.startswith(_BOM) else 0)
    del data
    if text[position : position + 1] != "[":
        if position < len(text):
            yield position, 1, _on_one_line(text[position:])
        return
    position = _skip_blanks(text, position + 1)
    number = 0
    is_open = not text.startswith("]", position)
    while is_open and (stop := _element_end(text, position)) is not None:
        number += 1
        yield position, number, _on_one_line(text[position:stop])
        position = _skip_blanks(text, stop)
        is_open = text.startswith(",", position)
        position = _skip_blanks(text, position + is_open)
    rest = text[position : position + MAX_BATCH_LINE + 1].rstrip()
    if rest != "]":
        yield position, number + 1, _on_one_line(rest or "[")


def _element_end(text: str, position: int) -> int | None:
    """Return where the element ends that begins here, if it is one and a comma or "]" follows."""
    try:
        _, stop = _ELEMENTS.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    return stop if text.startswith((",", "]"), _skip_blanks(text, stop)) else None


def _beginning(stream: Any, size: int) -> bytes:
    """Return the first `size` bytes of a stream; `read(size)` would reserve memory for all."""
    data = bytearray()
    while len(data) < size and (block := stream.read(min(_BLOCK, size - len(data)))):
        data += block
    return bytes(data)


def _skip_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _on_one_line(text: str) -> bytes:
    """Return a JSON text without line breaks, which are between tokens only."""
    return text.encode("latin-1").replace(b"\r", b" ").replace(b"\n", b" ").rstrip()


def _records(stream: Any, part: Part) -> Iterator[_Line]:
    text = io.TextIOWrapper(stream, "utf-8-sig", "backslashreplace", newline="")
    rows = csv.reader(text, "excel-tab" if part.format == "tsv" else "excel")
    with _long_cells():
        names = next(rows, None)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        message = f"the first record names more than one column {quoted(twice[0])}"
        raise ColumnsError(message)
    while names is not None:
        with _long_cells():
            row = next(rows, None)
        if row is None:
            return
        if row:  # not a blank line
            value = dict(zip(names, row, strict=True)) if len(row) == len(names) else row
            yield 0, rows.line_num, json_bytes(value)


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as lines; the limit of `csv` is one of the whole process."""
    before = csv.field_size_limit(MAX_BATCH_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _text(stream: Any, _: Part) -> Iterator[_Line]:
    text = _beginning(stream, MAX_BATCH_LINE + 1).decode("utf-8-sig", "replace")
    if text.strip():
        yield 0, 1, json_bytes({"text": text})
