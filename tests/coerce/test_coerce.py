"""`coerce`: the best that can be made of a value, property by property, without ever raising."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from corruptions import TOOLS, corrupted
from hypothesis import given, strategies as st
from oracle import same
from strategies import json_values

from schema2model import ToolError, compile_schema

INTEGER, BOOLEAN = {"type": "integer"}, {"type": "boolean"}
SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "maximum": 10},
        "flag": BOOLEAN,
        "list": {"type": "array", "items": INTEGER},
        "inner": {
            "type": "object",
            "properties": {"a": INTEGER, "b": INTEGER},
            "additionalProperties": False,
        },
        "either": {"anyOf": [INTEGER, {"type": "null"}]},
    },
    "required": ["n"],
    "additionalProperties": False,
}

COERCED: dict[str, tuple[Any, Any]] = {
    "all well": ({"n": 1, "list": [1]}, {"n": 1, "list": [1]}),
    "all mended": ({"n": "1", "flag": "no"}, {"n": 1, "flag": False}),
    "one beyond help": ({"n": "x", "flag": "no"}, {"n": "x", "flag": False}),
    "one out of bounds": ({"n": "11", "flag": "no"}, {"n": "11", "flag": False}),
    "an item beyond help": ({"n": 1, "list": ["1", "x", "3"]}, {"n": 1, "list": [1, "x", 3]}),
    "text of a list beyond help": ({"n": 1, "list": '["x"]'}, {"n": 1, "list": '["x"]'}),
    "members of a member": ({"inner": {"a": "1", "b": "x"}}, {"inner": {"a": 1, "b": "x"}}),
    "one unknown": ({"n": "1", "m": "1"}, {"n": 1, "m": "1"}),
    "one missing": ({"flag": "yes"}, {"flag": True}),
    "a null": ({"n": "x", "flag": None}, {"n": "x"}),
    "a union": ({"n": "x", "either": "null"}, {"n": "x", "either": None}),
    "not an object": ("hello", "hello"),
    "a list of calls": ([{"n": "1"}, {"n": "2"}], [{"n": "1"}, {"n": "2"}]),
    "a call in a list": ([{"n": "1"}], {"n": 1}),
    "a call in text": ('{"n": "1"}', {"n": 1}),
    "nothing": (None, None),
}


@pytest.mark.parametrize(("sent", "coerced"), COERCED.values(), ids=COERCED)
def test_what_can_be_read_is_read(sent: Any, coerced: Any) -> None:
    """Each property by itself; what cannot be made valid comes back as it was."""
    before = deepcopy(sent)
    assert compile_schema(SCHEMA).coerce(sent) == coerced
    assert sent == before


class _Hostile:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


def _deep() -> Any:
    value: Any = 1
    for _ in range(10_000):
        value = [value]
    return value


HOSTILE: dict[str, Callable[[], Any]] = {
    "object": object,
    "hostile": _Hostile,
    "deep": _deep,
    "bytes": lambda: b"{}",
    "key": lambda: {1: 2},
    "NaN": lambda: float("nan"),
    "digits": lambda: {"n": 10**5000},
    "surrogate": lambda: "\ud800",
}


@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE)
def test_it_never_raises(made: Callable[[], Any]) -> None:
    """What is no JSON at all comes back as it was."""
    value = made()
    coerced = compile_schema(SCHEMA).coerce(value)
    same_object = coerced is value
    assert same_object or coerced == value


@given(st.data())
def test_it_is_validate_where_that_succeeds(data: st.DataObject) -> None:
    """One reading, whichever method is asked."""
    tool = data.draw(st.sampled_from(TOOLS))
    compiled = compile_schema(
        tool.schema, coercion=data.draw(st.sampled_from(("default", "forgiving", "lenient")))
    )
    sent = data.draw(corrupted(tool))
    try:
        result = compiled.validate(sent)
    except ToolError:
        compiled.coerce(sent)
    else:
        assert same(compiled.coerce(sent), result)


@given(json_values)
def test_any_value_at_all(value: Any) -> None:
    """A second time changes nothing more."""
    compiled = compile_schema(SCHEMA)
    once = compiled.coerce(value)
    assert same(compiled.coerce(once), once)
