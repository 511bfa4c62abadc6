"""Columns in, columns out: Arrow tables and pandas frames.

Arrow gives every value of a column one type, so that corrected arguments are JSON text there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from schema2model.batch.corrector import Corrector
from schema2model.batch.outcomes import Outcome, document, json_bytes
from schema2model.batch.records import Layout, correct_row
from schema2model.values import quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["arrow_fields", "arrow_outcomes", "check_names", "correct_arrow", "correct_pandas"]

_CHANGES = pa.list_(
    pa.struct([(name, pa.string()) for name in ("path", "rule", "before", "after")])
)
_CALLS = pa.list_(
    pa.struct(
        [
            *((name, pa.string()) for name in ("path", "tool", "id", "status")),
            ("changes", _CHANGES),
            ("error", pa.string()),
        ]
    )
)
_TYPES = (pa.string(), pa.string(), _CHANGES, pa.string(), _CALLS)


def correct_arrow(table: pa.Table, corrector: Corrector, layout: Layout | None = None) -> pa.Table:
    """An Arrow table with the columns that `Layout.added` names; row for row.

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
    """A pandas frame with the columns that `Layout.added` names; row for row, index and all.

    Raises:
        ValueError: where it has a column of such a name.

    """
    layout = layout or Layout()
    check_names(list(frame.columns), layout)

    def values(name: str) -> list[Any]:
        column = frame[name].astype(object)
        return list(column.where(column.notna(), None))

    names = [name for name in layout.read if name in frame.columns]
    outcomes = list(_outcomes(names, values, len(frame), corrector, layout))
    cells = zip(*map(document, outcomes), strict=True) if outcomes else ([],) * len(_TYPES)
    added = zip(layout.added, cells, strict=False)
    return frame.assign(**{name: list(column) for name, column in added})


def arrow_fields(layout: Layout) -> list[pa.Field]:
    """The added columns' names and types."""
    return [pa.field(name, kind) for name, kind in zip(layout.added, _TYPES, strict=False)]


def arrow_outcomes(
    batch: pa.RecordBatch, corrector: Corrector, layout: Layout
) -> tuple[list[Outcome], list[pa.Array]]:
    """What became of each row, and that as the added columns."""
    names = [name for name in layout.read if name in batch.schema.names]

    def values(name: str) -> list[Any]:
        return batch.column(name).to_pylist()  # type: ignore[no-any-return]

    outcomes = list(_outcomes(names, values, batch.num_rows, corrector, layout))
    cells: Iterable[Sequence[Any]] = zip(*map(document, outcomes), strict=True)
    corrected, *others = cells if outcomes else ([] for _ in _TYPES)
    columns: list[Any] = [[_text(value) for value in corrected], *others]
    fields = arrow_fields(layout)
    return outcomes, [pa.array(c, f.type) for c, f in zip(columns, fields, strict=False)]


def check_names(names: Iterable[str], layout: Layout, *more: str) -> None:
    """Make sure that no column is in the way of those that are added, or there twice.

    Raises:
        ValueError: where one is in the way, or one that is read is there twice.

    """
    names = list(names)
    twice = [name for name in layout.read if names.count(name) > 1]
    if twice:
        message = f"the rows have more than one column {quoted(twice[0])}"
        raise ValueError(message)
    taken = {*layout.added, *more}.intersection(names)
    if taken:
        listed = ", ".join(map(quoted, sorted(taken)))
        message = f"the rows have {listed} already; give the added columns another prefix"
        raise ValueError(message)


def _outcomes(
    names: list[str],
    values: Callable[[str], list[Any]],
    length: int,
    corrector: Corrector,
    layout: Layout,
) -> Iterator[Outcome]:
    rows = zip(*map(values, names), strict=True) if names else [()] * length
    for row in rows:
        yield correct_row(dict(zip(names, row, strict=True)), corrector, layout)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_bytes(value).decode()
