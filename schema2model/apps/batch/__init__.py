"""Correct recorded calls by the million, and count what happened to each.

`Corrector` judges calls and rows and needs no extra. `columns` works on Arrow tables and pandas
frames, `frames` on Daft's, and `running` on whole corpora, from one process to a cluster.

>>> from schema2model.apps.batch import Corrector, correct_rows
>>> search = {"name": "search", "parameters": {"properties": {"limit": {"type": "integer"}}}}
>>> [row] = correct_rows([{"tool": "search", "arguments": '{"limit": "10"}'}], Corrector([search]))
>>> row["status"], row["corrected"], row["error"]
('coerced', '{"limit":10}', None)
"""

from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.outcomes import ADDED, Call, Outcome
from schema2model.apps.batch.rows import correct_row, correct_rows
from schema2model.coercions import STATUSES

__all__ = [
    "ADDED",
    "STATUSES",
    "Call",
    "Corrector",
    "Layout",
    "Outcome",
    "correct_row",
    "correct_rows",
]
