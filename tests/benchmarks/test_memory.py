"""The table of memory: every row can be measured, and long texts show which way keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.memory import COUNTS, LEFT_BEHIND, MEASURES, TEXTS, TOOLSET, measured

LONG = 4 * 2**20
"""Characters of a text whose values take several times as much memory as the noise."""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="reads Linux's /proc"
)


def test_every_row_has_a_measure() -> None:
    """And a number of things to measure."""
    assert COUNTS.keys() == MEASURES.keys()


@pytest.mark.parametrize(("name", "number"), [("schema2model", 60), (TOOLSET, 60)])
def test_a_compiled_schema_takes_some_kibibytes(name: str, number: int) -> None:
    """More than its JSON text, and no megabyte."""
    assert 2**10 < measured(name, number) < 2**17


def test_what_schemas_leave_behind_is_measured() -> None:
    """A schema of 90 KB that is let go stays in the cache."""
    assert 0 <= measured(LEFT_BEHIND, 1) < 2**26


def test_records_one_by_one_take_less_memory_than_a_text() -> None:
    """As the page says; and a text that is not closed is refused before its values are made."""
    taken = {name: measured(name, LONG) for name in TEXTS}
    whole = taken["a text, json.loads"]
    assert whole > LONG
    assert taken["a text, validate_json"] < 3 * whole
    assert taken["a text, validate_json of each record"] < whole / 4
    assert taken["a text without its last bracket, refused"] < whole
