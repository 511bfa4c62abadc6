"""The rows that a run of `schema2model batch` has written, and what it counted."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
from pydantic_core import from_json

from schema2model.apps.batch.bounded_names import whole_name
from schema2model.apps.batch.columns import parquet_in, rows_of
from schema2model.apps.batch.inputs import (
    BatchError,
    Part,
    filesystem_of,
    find_sources,
    located,
    plan,
)
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.report.figures import Figures
from schema2model.apps.batch.running import SUMMARY
from schema2model.apps.batch.summary import Summary
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted

__all__ = ["Output", "ReportError"]

_ROWS = 4096
"""Rows of Parquet that are held at a time."""

_BLOCK = 2**20
"""Bytes of lines that are read at a time."""


class ReportError(ValueError):
    """The output of `schema2model batch` is missing or cannot be read."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a run: its name, layout, counts and files.

    `batch` describes the run, if the output has that: its `version`, `coercion`, `dialect` and
    `formats`, the `inputs` that it has read, and the names of the `tools`. `finished` is the time
    (UTC) at which its counts were written, if the store knows it.
    """

    name: str
    layout: Layout
    summary: Summary
    batch: dict[str, Any] | None
    parts: tuple[Part, ...]
    finished: str | None

    @classmethod
    def at(cls, place: str) -> Output:
        """Return the output in a folder, or at a URL.

        Raises:
            ReportError: where there is none.

        """
        try:
            store, path = located(place)
            filesystem, counts = filesystem_of(store), f"{path}/{SUMMARY}"
            with filesystem.open_input_stream(counts) as file:
                document = json.loads(file.read())
            [info] = filesystem.get_file_info([counts])
            layout, summary = Layout(**document["layout"]), Summary()
            summary.add(document)
            batch = _batch(document["batch"]) if "batch" in document else None
            parts = tuple(_parts(place))
            return cls(_name(place), layout, summary, batch, parts, _time(info.mtime))
        except BatchError as error:
            message = f"{whole_name(place)} is not the output of schema2model batch: {error}"
        except (OSError, pa.ArrowException) as error:
            message = f"{whole_name(place)} is not the output of schema2model batch: {SUMMARY}: "
            message += describe_error(error)
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            message = (
                f"{whole_name(place)} is not the output of schema2model batch: {SUMMARY} is damaged"
            )
        raise ReportError(message)

    def document(self, figures: Figures, top: int) -> dict[str, Any]:
        """Return the run and its figures as JSON values, with the first `top` of each list."""
        batch = self.batch
        known: list[str] = []
        if batch is not None:
            inputs = batch["inputs"]
            known = batch["tools"]
            batch = {**batch, "inputs": inputs[:top], "files": len(inputs)}
            del batch["tools"]
        head = {"output": self.name, "finished": self.finished, "batch": batch}
        return {**head, **figures.document(top, known)}

    def figures(self, tell: Callable[[int], None] | None = None) -> Figures:
        """Return the figures of its rows, which are read one after the other.

        Args:
            tell: is called now and then with the number of rows that have been read.

        Raises:
            ReportError: where one cannot be read.

        """
        figures = Figures(self.summary, self.layout)
        for part in self.parts:
            number = 0
            try:
                for row in _rows(part, figures.read):
                    number += 1
                    figures.add(_parsed(row) if isinstance(row, bytes) else row)
                    if tell is not None and figures.rows % _ROWS == 0:
                        tell(figures.rows)
            except ReportError:
                raise
            except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
                message = f"row {number} of {quoted(part.name)} is not one that batch writes"
                raise ReportError(message) from None
        return figures


def _name(place: str) -> str:
    """Return the path or URL, without any secrets that a URL may hold."""
    scheme, is_url, _ = place.partition("://")
    return f"{scheme}://{located(place)[1]}" if is_url else place


def _time(modified: datetime | None) -> str | None:
    return None if modified is None else f"{modified.astimezone(timezone.utc):%Y-%m-%d %H:%M} UTC"


def _batch(given: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the run.

    Raises:
        LookupError, TypeError: if it is not as `schema2model batch` writes it.

    """
    kinds: dict[str, type | tuple[type, ...]] = {
        "version": str,
        "coercion": (str, list),
        "dialect": (str, type(None)),
        "formats": (str, type(None)),
        "inputs": list,
        "tools": list,
    }
    given = {"tools": [], **given}  # which older runs did not tell
    lists = [given["coercion"], given["inputs"], given["tools"]]
    is_odd = any(not isinstance(given[key], kind) for key, kind in kinds.items())
    if is_odd or not all(isinstance(each, str) for listed in lists for each in listed):
        raise TypeError
    return {key: given[key] for key in kinds}


def _parts(place: str) -> list[Part]:
    try:
        return plan(find_sources([place]), sys.maxsize)
    except BatchError:  # of an input without files
        return []


def _parsed(line: bytes) -> Any:
    try:
        return from_json(line)
    except ValueError:  # perhaps for half a surrogate pair, which batch lets pass
        return json.loads(line)


def _rows(part: Part, names: tuple[str, ...]) -> Iterator[bytes | dict[str, Any]]:
    """Yield the lines of a file; or its rows, with the columns of these names.

    Raises:
        ReportError: where it cannot be read.

    """
    filesystem = filesystem_of(part.store)
    try:
        if part.format != "parquet":
            with filesystem.open_input_stream(part.path, compression=part.compression) as stream:
                yield from io.BufferedReader(stream, _BLOCK)
            return
        with filesystem.open_input_file(part.path) as file:
            table = parquet_in(file)
            found = [name for name in table.schema_arrow.names if name in names]
            for batch in table.iter_batches(_ROWS, columns=found):
                yield from rows_of(batch)
    except (OSError, pa.ArrowException) as error:
        message = f"cannot read {quoted(part.name)}: {describe_error(error)}"
        raise ReportError(message) from None
