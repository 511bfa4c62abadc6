"""Tools that prepare arguments for others that run."""

from __future__ import annotations

import collections
import copy
from types import MappingProxyType
from typing import Any

import pytest

from schema2model import ToolError
from schema2model.tools.tool_cache import ToolCache, compile_checker


def test_a_broken_schema_leaves_a_tool_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so."""
    assert compile_checker("search", {"type": "nothing"}) is None
    assert "search" in caplog.text
    assert "nothing" in caplog.text


def test_a_checker_prepares_for_who_runs_the_tool() -> None:
    """It has no function of its own."""
    tool = compile_checker("search", {"properties": {"limit": {"type": "integer"}}})
    assert tool is not None
    assert tool.prepare('{"limit": "3"}').arguments == {"limit": 3}


def test_checkers_compile_a_schema_once_and_again_when_it_changes() -> None:
    """Servers list their tools anew, and what is equal is the same schema."""
    checkers, schema = ToolCache(coercion="default"), {"properties": {"limit": {"type": "integer"}}}
    first = checkers.get("search", schema)
    assert first is checkers.get("search", schema)
    assert first is checkers.get("search", copy.deepcopy(schema))
    other = checkers.get("search", {"properties": {"limit": {"type": "string"}}})
    assert first is not None
    assert other is not None
    assert first.prepare({"limit": "3"}).arguments == {"limit": 3}
    assert other.prepare({"limit": "3"}).arguments == {"limit": "3"}
    assert checkers.get("search", {"type": "nothing"}) is None


def test_a_schema_that_its_owner_changes_in_place_is_compiled_again() -> None:
    """Frameworks hand out their own dictionary, in which a program may add a value."""
    checkers, color = ToolCache(), {"enum": ["red"]}
    schema = {"properties": {"color": color}}
    for name in ("green", "blue"):
        color["enum"].append(name)
        tool = checkers.get("paint", schema)
        assert tool is not None
        assert tool.prepare({"color": name}).arguments == {"color": name}


@pytest.mark.parametrize("wrap", [dict, collections.OrderedDict], ids=["plain", "ordered"])
def test_checkers_tell_schemas_apart_that_only_python_takes_for_equal(wrap: Any) -> None:
    """1, 1.0 and true are equal there; a server that lists another one is heeded."""
    checkers = ToolCache(coercion="off")
    for value, other in ((1, True), (True, 1), (1, True)):
        tool = checkers.get("f", wrap({"properties": {"a": {"const": value}}}))
        assert tool is not None
        assert tool.prepare({"a": value}).arguments == {"a": value}
        with pytest.raises(ToolError):
            tool.prepare({"a": other})


class Text(str):
    """Text of another type."""

    __slots__ = ()


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict, MappingProxyType])
def test_equal_schemas_are_compiled_once(kind: Any) -> None:
    """Also in another order of keys, in mappings, and with text of other types; 1 is not true."""
    checkers = ToolCache()

    def get(const: Any, *, is_reversed: bool = False) -> Any:
        inner = {"const": const, "description": Text("a choice"), "examples": [const]}
        schema = {"type": "object", "properties": {"a": inner}, "required": ["a"]}
        if is_reversed:
            inner = dict(reversed(inner.items()))
            schema = dict(reversed({**schema, "properties": {"a": inner}}.items()))
        if kind is collections.OrderedDict:
            schema["properties"] = kind(a=kind(inner))
        return checkers.get("f", kind(schema))

    tool = get(1)
    assert tool is not None
    assert get(1) is tool
    assert get(1, is_reversed=True) is tool
    for other in (True, 1.0):
        assert get(other) is not tool


def test_checkers_tell_tools_of_one_name_apart_by_a_key() -> None:
    """Servers may offer several versions of a tool at a time."""
    checkers, old, new = ToolCache(), {"required": ["a"]}, {"required": ["b"]}
    first, second = checkers.get("f", old, "f@1"), checkers.get("f", new, "f@2")
    assert first is checkers.get("f", old, "f@1")
    assert second is checkers.get("f", new, "f@2")
    assert first is not second


def test_schemas_that_are_too_deep_to_compare_are_told_apart() -> None:
    """Both cannot be compiled, and neither takes anything away."""
    checkers = ToolCache()
    deep: list[Any] = [{}, {}]
    for _ in range(5_000):
        deep = [{"not": schema} for schema in deep]
    assert [checkers.get("f", schema) for schema in deep] == [None, None]
