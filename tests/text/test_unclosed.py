"""Texts that lack closers alone: what is found at once is what the search finds first."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from schema2model import compile_schema
from schema2model.text.repair.edits import assemble
from schema2model.text.repair.search import Budget, RepairSearch
from schema2model.text.repair.unclosed import unclosed

TEXT = {"type": "string"}
INNER = {"type": "object", "properties": {"a": TEXT, "k": TEXT}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing is said": {},
    "objects in objects": {"properties": {"a": TEXT, "o": INNER, "k": INNER}},
    "objects in lists": {"properties": {"a": TEXT, "l": {"type": "array", "items": INNER}}},
    "no others": {"properties": {"o": INNER, "l": {}}, "additionalProperties": False},
}
names = st.sampled_from(["a", "k", "l", "o", "x"])
strings = st.text(st.sampled_from('a"{}[],: é\\'), max_size=5)
values = st.recursive(
    strings | st.sampled_from([1, 2.5, True, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@given(
    st.dictionaries(names, values, min_size=1, max_size=4),
    st.integers(1, 4),
    st.sampled_from([(",", ":"), (", ", ": ")]),
)
def test_what_is_found_at_once_is_found_by_the_search(
    schema: dict[str, Any], value: dict[str, Any], lost: int, marks: tuple[str, str]
) -> None:
    """At the same cost, in no doubt, and with nothing that is as near."""
    text = json.dumps(value, separators=marks)[:-lost]
    place = compile_schema(schema).engine.anchors
    found = unclosed(text, 0, place)
    if found is None:
        return
    cost, result, tokens = found
    nearest, *others = (r for r in RepairSearch(text, place, Budget()).readings(0) if r.cost <= cost + 4)
    assert (nearest.cost, nearest.doubt) == (cost, "")
    assert json.loads(assemble(nearest.tokens)) == json.loads(assemble(tokens)) == result
    assert all(json.loads(assemble(other.tokens)) == result for other in others)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a": "x', id="within a string"),
        pytest.param('{"a": 1', id="within a number, perhaps"),
        pytest.param('{"a": [', id="behind an opener"),
        pytest.param('{"a": "x",', id="behind a comma"),
        pytest.param('{"a": "x"}', id="nothing is missing"),
        pytest.param('{"a": "x}"', id="the closer may be in the string"),
        pytest.param('{\n"a": "x"', id="lines tell more"),
        pytest.param('{"a": [{"k": "x"}', id="more may be lost before the last closer"),
        pytest.param('{"k": {"b": "x"', id="a name of the object around"),
        pytest.param('{"a": ["x"}', id="a closer missing within"),
    ],
)
def test_what_is_in_doubt_is_for_the_search(text: str) -> None:
    """Of these, the search has more to ask."""
    items = {"properties": {"k": {}, "m": {}}}
    schema = {"properties": {"a": {"items": items}, "b": {}, "k": {"properties": {"o": {}}}}}
    assert unclosed(text, 0, compile_schema(schema).engine.anchors) is None
