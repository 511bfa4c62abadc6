"""The documentation's tables of rules say what the code says."""

from __future__ import annotations

import pytest

from benchmarks.documents import filled
from benchmarks.tables import DOCUMENTS, TABLES


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_what_the_records_say(name: str) -> None:
    """It is printed from them, and nobody has written in it since."""
    document = (DOCUMENTS / name).read_text("utf-8")
    anew = filled(document, "rules", TABLES[name]())
    assert document == anew, f"write docs/{name} anew: python -m benchmarks.tables"
