"""Columns in, columns out: Arrow tables and pandas frames.

Arrow gives every value of a column one type, so that corrected arguments are JSON text there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.outcomes import (
    Outcome,
    document,
    failed,
    json_bytes,
    refused,
    written,
)
from schema2model.apps.batch.rows import correct_row
from schema2model.extras import extra
from schema2model.json.quoting import quoted

with extra("batch"):
    import pyarrow as pa
    import pyarrow.parquet as pq

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ColumnsError",
    "arrow_fields",
    "arrow_outcomes",
    "arrow_values",
    "check_names",
    "correct_arrow",
    "correct_pandas",
    "parquet_in",
    "rows_of",
]

_CHANGES = pa.list_(
    pa.struct([(name, pa.string()) for name in ("path", "rule", "before", "after")])
)
_DOUBTS = pa.list_(pa.struct([(name, pa.string()) for name in ("path", "similar")]))
_CALLS = pa.list_(
    pa.struct(
        [
            *((name, pa.string()) for name in ("path", "tool", "id", "status")),
            ("changes", _CHANGES),
            ("doubts", _DOUBTS),
            ("error", pa.string()),
        ]
    )
)
_TYPES = (pa.string(), pa.string(), _CHANGES, _DOUBTS, pa.string(), _CALLS, _CALLS)


def correct_arrow(table: pa.Table, corrector: Corrector, layout: Layout | None = None) -> pa.Table:
    """Return an Arrow table with the columns that `Layout.added` names; row for row.

    Raises:
        ValueError: where it has a column of such a name.

    >>> table = pa.table({"tool": ["f"], "arguments": ['{"a": "1"}']})
    >>> f = {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}
    >>> correct_arrow(table, Corrector([f])).column("changes").to_pylist()
    [[{'path': '/a', 'rule': 'json_text', 'before': '"1"', 'after': '1'}]]

    """
    layout = layout or Layout()
    check_names(table.column_names, layout)
    schema = pa.schema([*table.schema, *arrow_fields(layout)], table.schema.metadata)
    batches = []
    for batch in table.to_batches():
        _, columns = arrow_outcomes(batch, corrector, layout)
        batches.append(pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema))
    return pa.Table.from_batches(batches, schema)


def correct_pandas(
    frame: pd.DataFrame, corrector: Corrector, layout: Layout | None = None
) -> pd.DataFrame:
    """Return a pandas frame with the columns that `Layout.added` names; row for row, index and all.

    Raises:
        ValueError: where it has a column of such a name.

    """
    layout = layout or Layout()
    check_names(list(frame.columns), layout)

    def values(name: str) -> _Values:
        column = frame[name].astype(object)
        return _each_of(column.where(column.notna(), None), _without_numpy)

    names = [name for name in layout.read if name in frame.columns]
    outcomes = _outcomes(names, values, len(frame), corrector, layout)
    rows = [written(outcome, document)[1] for outcome in outcomes]
    cells = zip(*rows, strict=True) if rows else ([],) * len(_TYPES)
    added = zip(layout.added, cells, strict=False)
    return frame.assign(**{name: list(column) for name, column in added})


def arrow_fields(layout: Layout) -> list[pa.Field]:
    """Return the added columns' names and types."""
    return [pa.field(name, kind) for name, kind in zip(layout.added, _TYPES, strict=False)]


def arrow_outcomes(
    batch: pa.RecordBatch, corrector: Corrector, layout: Layout
) -> tuple[list[Outcome], list[pa.Array]]:
    """Return the outcome of each row, and the added columns made from them."""
    names = [name for name in layout.read if name in batch.schema.names]

    def values(name: str) -> _Values:
        return arrow_values(batch.column(name))

    outcomes = _outcomes(names, values, batch.num_rows, corrector, layout)
    rows = [written(outcome, _arrow_cells) for outcome in outcomes]
    cells: Iterable[Sequence[Any]] = zip(*(row for _, row in rows), strict=True)
    columns = cells if rows else ([] for _ in _TYPES)
    arrays = [
        pa.array(column, field.type)
        for column, field in zip(columns, arrow_fields(layout), strict=False)
    ]
    return [outcome for outcome, _ in rows], arrays


def _without_numpy(value: Any) -> Any:
    """Return a value of a frame with lists and numbers of Python in the place of numpy's.

    `pandas.read_parquet` makes arrays of lists, at any depth.
    """
    if type(value) is dict:
        return {name: _without_numpy(member) for name, member in value.items()}
    if type(value) is list:
        return [*map(_without_numpy, value)]
    return _without_numpy(value.tolist()) if hasattr(value, "tolist") else value


_Values = tuple[list[Any], dict[int, BaseException]]
"""A column's values, and by the numbers of those that Python cannot hold the reasons."""


def arrow_values(column: pa.Array) -> _Values:
    """Return the values of a column; None for each that Python cannot hold, as invalid UTF-8."""
    try:
        return column.to_pylist(), {}
    except Exception:  # noqa: BLE001 - whatever Arrow says; which values it is about is seen below
        return _each_of(column, methodcaller("as_py"))


def _each_of(column: Iterable[Any], read: Callable[[Any], Any]) -> _Values:
    """Read each value of a column; None for those that cannot be read."""
    tried = [_tried(read, value) for value in column]
    errors = {number: error for number, (_, error) in enumerate(tried) if error is not None}
    return [value for value, _ in tried], errors


def _tried(read: Callable[[Any], Any], value: Any) -> tuple[Any, BaseException | None]:
    try:
        return read(value), None
    except Exception as error:  # noqa: BLE001 - whatever Arrow says of it, or too many levels
        return None, error


def rows_of(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch, which has at least one column."""
    columns = [arrow_values(column)[0] for column in batch.columns]
    for row in zip(*columns, strict=True):
        yield dict(zip(batch.schema.names, row, strict=True))


def parquet_in(source: Any) -> pq.ParquetFile:
    """Open a Parquet file so that columns with invalid UTF-8 can be read.

    Arrow would check the text of categories, and give up the whole file.
    """
    file = pq.ParquetFile(source)
    schema = file.schema_arrow
    coded = [field.name for field in schema if isinstance(field.type, pa.DictionaryType)]
    return pq.ParquetFile(source, read_dictionary=coded) if coded else file


class ColumnsError(ValueError):
    """An added column has the name of another one, or a column is there twice."""


def check_names(names: Iterable[str], layout: Layout, *more: str) -> None:
    """Check that no column has the name of an added one, and none is there twice.

    Raises:
        ColumnsError: where one is in the way, or one that is read is there twice.

    """
    names = list(names)
    twice = [name for name in layout.read if names.count(name) > 1]
    if twice:
        message = f"the rows have more than one column {quoted(twice[0])}"
        raise ColumnsError(message)
    taken = {*layout.added, *more}.intersection(names)
    if taken:
        listed = ", ".join(map(quoted, sorted(taken)))
        message = f"the rows have {listed} already; give the added columns another prefix"
        raise ColumnsError(message)


def _outcomes(
    names: list[str],
    values: Callable[[str], _Values],
    length: int,
    corrector: Corrector,
    layout: Layout,
) -> Iterator[Outcome]:
    columns = [values(name) for name in names]
    unreadable = {number: each for _, found in columns for number, each in found.items()}
    rows = zip(*(column for column, _ in columns), strict=True) if names else [()] * length
    for number, row in enumerate(rows):
        if number in unreadable:
            yield _refused_for(unreadable[number])
        else:
            yield correct_row(dict(zip(names, row, strict=True)), corrector, layout)


def _refused_for(error: BaseException) -> Outcome:
    if isinstance(error, UnicodeDecodeError):
        about = "row has text that is not UTF-8"
        return refused(f"the {about}", "line", about)
    return failed(error)


def _arrow_cells(outcome: Outcome) -> tuple[Any, ...]:
    """Return the added columns' values of an outcome; values without a fixed shape as JSON text."""
    corrected, *others = document(outcome)
    if corrected is not None and not isinstance(corrected, str):
        corrected = json_bytes(corrected).decode()
    return corrected, *others
