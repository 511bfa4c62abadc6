"""The documentation's tables of rules and limits say what the code says."""

from __future__ import annotations

import re

import pydantic
import pytest

from benchmarks.documents import filled
from benchmarks.findings import PAGE, TABLES as MEASURED, findings
from benchmarks.tables import DOCUMENTS, TABLES


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_what_the_records_say(name: str) -> None:
    """It is printed from them, and nobody has written in it since."""
    if name == "tools.md" and pydantic.VERSION < "2.14":
        pytest.skip("pydantic before 2.14 writes no pattern for a Decimal")
    document = (DOCUMENTS / name).read_text("utf-8")
    anew = filled(document, "table", TABLES[name]())
    assert document == anew, f"write docs/{name} anew: python -m benchmarks.tables"


def test_the_ten_lines_are_what_the_benchmark_tables_come_to() -> None:
    """Every figure of the page is one of the tables'."""
    page = PAGE.read_text("utf-8")
    lines = findings(MEASURED.read_text("utf-8"))
    assert len(re.findall(r"^\d+\.", lines, re.MULTILINE)) == 10
    assert page == filled(page, "found", lines), "python -m benchmarks.findings"
