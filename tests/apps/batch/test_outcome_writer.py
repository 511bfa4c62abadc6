"""The members that are added to lines: those of `document`, however they are put together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("pyarrow", reason=needs("batch"))
from schema2model.apps.batch import Call, Corrector, Layout, Outcome, correct_row
from schema2model.apps.batch.outcomes import NameDoubt, document, json_bytes
from schema2model.apps.batch.parts import OutcomeWriter
from schema2model.types import Change

TOOL = {"name": "f\u00e9", "parameters": {"properties": {"a": {"type": "integer"}}}}
LAYOUTS = [
    Layout(kind, prefix=prefix)
    for kind in ("chat", "text")
    for prefix in ("", "s2m_", "null", '%d"\u00e9calls":[')
]
UNCHANGED = Call("/0/arguments", "f\u00e9", "1", "unchanged", (), None)
DOUBTED = UNCHANGED._replace(doubts=(NameDoubt("/A", "a"),))
COERCED = UNCHANGED._replace(status="coerced", changes=(Change("/a", "json_text", "1", 1),))
REFUSED = UNCHANGED._replace(status="refused", tool="\ud800", id=None, error="\udc00\n\u00e9")
VALUES = [None, "", "\u00e9\ud800", [], {"a": [1e16, {"\u00e9": "\0"}]}, {"\ud800": 1}]
CALLS = [(), (UNCHANGED,), (UNCHANGED._replace(id="\ud800", tool=None),) * 2]
OUTCOMES = [
    *(Outcome(value, "unchanged", calls=calls) for value in VALUES for calls in CALLS),
    Outcome("{}", "unchanged", doubts=DOUBTED.doubts),
    Outcome([], "unchanged", calls=(UNCHANGED, DOUBTED), doubts=DOUBTED.doubts),
    Outcome([], "unchanged", calls=(UNCHANGED,), results=(UNCHANGED, COERCED)),
    Outcome([], "coerced", COERCED.changes, calls=(UNCHANGED, COERCED)),
    Outcome(["\ud800"], "refused", error="\udc00", calls=(UNCHANGED, REFUSED)),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("outcome", OUTCOMES, ids=repr)
def test_members_are_those_of_the_document(outcome: Outcome, layout: Layout) -> None:
    """In their order; byte by byte, unless there is half a surrogate pair in the value."""
    expected = dict(zip(layout.added, document(outcome), strict=False))
    written = b"{" + OutcomeWriter(layout.added).write(outcome)
    assert json.loads(written) == json.loads(json_bytes(expected))
    assert list(json.loads(written)) == list(expected)
    if b"\\ud800" not in json_bytes(outcome.corrected):
        assert written == json_bytes(expected)


@pytest.mark.parametrize("outcome", [Outcome(value, "unchanged") for value in VALUES], ids=repr)
def test_members_of_a_row_of_one_call_are_those_of_the_document(outcome: Outcome) -> None:
    """They have no lists of calls."""
    names = Layout().added
    expected = json_bytes(dict(zip(names, document(outcome), strict=False)))
    assert b"{" + OutcomeWriter(names).write(outcome) == expected


@pytest.mark.parametrize("depth", range(190, 260))
def test_members_of_any_depth_are_written(depth: int) -> None:
    """Pydantic's writer refuses some, which another writes."""
    value: Any = "\u00e9"
    for _ in range(depth):
        value = [value]
    call = {"role": "assistant", "function_call": {"name": "f\u00e9", "arguments": {}}}
    row = {"messages": [{"content": value}, call]}
    outcome = correct_row(row, Corrector([TOOL]), Layout("chat"))
    written = OutcomeWriter(Layout("chat").added).write(outcome)
    expected = dict(zip(Layout("chat").added, document(outcome), strict=False))
    assert b"{" + written == json_bytes(expected)
