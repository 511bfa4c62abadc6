"""The growth of times: every curve runs, and the table marks those that are no straight lines."""

from __future__ import annotations

import pytest

from benchmarks.growth import Curve, Growth, curves, markdown


@pytest.mark.parametrize("curve", [*curves()], ids=lambda curve: f"{curve[0]} by {curve[1]}")
def test_a_curve_runs(curve: Curve) -> None:
    """On a small input, and so does what it is compared with."""
    given = curve.make(4)
    curve.prepare(given)()
    if curve.reference is not None:
        curve.reference(given)()


def test_the_table_marks_what_is_no_straight_line() -> None:
    """Unless pydantic-core or `json` grow as fast on the same input."""
    found = {
        ("validate", "properties"): Growth(1.04, None),
        ("validate", "levels"): Growth(1.4, 1.38),
        ("mend", "levels"): Growth(1.4, 1.0),
    }
    assert [each.is_straight for each in found.values()] == [True, True, False]
    assert markdown(found).splitlines() == [
        "|  | properties | levels |",
        "|---|---:|---:|",
        "| `validate` | 1.04 | **1.40** (as its reference) |",
        "| `mend` |  | **1.40** |",
    ]
