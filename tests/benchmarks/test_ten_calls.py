"""The ten calls of the comparison page: the table is what the libraries do."""

from __future__ import annotations

import os

import pytest

from benchmarks.ten_calls import CALLS, PAGE, WAYS, outcome

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it asks the network for prices otherwise

ROWS = {
    line[:25].strip(): line[25:].split()
    for line in PAGE.read_text("utf-8").splitlines()
    if line[:25].strip() in WAYS and len(line[25:].split()) == len(CALLS)
}


def test_the_page_has_every_way() -> None:
    """In the order in which they are tried."""
    assert [*ROWS] == [*WAYS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WAYS)
def test_a_row_is_what_the_library_does(name: str) -> None:
    """With each of the calls, where the library is installed."""
    try:
        found = [outcome(WAYS[name], sent) for sent in CALLS]
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    assert found == ROWS[name], "python -m benchmarks.ten_calls"
