"""Daft's DataFrames: the added columns, within any plan of yours."""

from __future__ import annotations

from typing import Any

from schema2model.apps.batch.columns import arrow_fields, arrow_outcomes, check_names
from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.layouts import Layout
from schema2model.extras import extra

with extra("batch"):
    import daft
    import pyarrow as pa

__all__ = ["correct_daft"]


def correct_daft(
    frame: daft.DataFrame,
    corrector: Corrector,
    layout: Layout | None = None,
    *,
    workers: int | None = None,
) -> daft.DataFrame:
    """Return a Daft frame with the columns that `Layout.added` names; row for row, and lazy.

    Args:
        frame: has at least one of the columns that `layout` names.
        corrector: knows the tools; it compiles them once in every worker.
        layout: where rows have what; a call in each if not given.
        workers: how many processes; as Daft sees fit if not given.

    Raises:
        ValueError: where the frame has a column of such a name, or none to read.

    """
    layout = layout or Layout()
    check_names(frame.column_names, layout)
    names = [name for name in layout.read if name in frame.column_names]
    if not names:
        message = f"the frame has none of the columns {', '.join(layout.read)}"
        raise ValueError(message)
    kind = daft.DataType.from_arrow_type(pa.struct(arrow_fields(layout)))
    method = daft.method.batch(return_dtype=kind, unnest=True)(_Worker.correct)
    worker = daft.cls(type("Worker", (_Worker,), {"correct": method}), max_concurrency=workers)
    added = worker(corrector, layout, names).correct(*(frame[name] for name in names))
    return frame.select(*frame.columns, added)


class _Worker:
    """Corrects batches of the columns that are read."""

    def __init__(self, corrector: Corrector, layout: Layout, names: list[str]) -> None:
        self.corrector = corrector
        self.layout = layout
        self.names = names

    def correct(self, *columns: Any) -> pa.Array:
        """Return the added columns, as one of structs."""
        arrays = [column.to_arrow() for column in columns]
        batch = pa.RecordBatch.from_arrays(arrays, names=self.names)
        _, added = arrow_outcomes(batch, self.corrector, self.layout)
        return pa.StructArray.from_arrays(added, fields=arrow_fields(self.layout))
