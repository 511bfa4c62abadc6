"""The ways to make tools and toolsets, and the names that older programs use."""

from __future__ import annotations

import asyncio

import pytest

import schema2model
from schema2model import Tool, Toolset, compile_schema, tool, types

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def search(query: str, limit: int = 10) -> str:
    """Look something up."""
    return f"{limit} {query}"


def now() -> str:
    """Tell the time."""
    return "noon"


def test_the_decorator_makes_a_tool() -> None:
    """With and without options, of asynchronous functions as well."""

    @tool
    async def fetch(url: str) -> str:
        return url

    @tool(name="renamed", inject=("session",), coercion="off")
    def plain(a: int, session: str) -> str:
        return f"{session} {a}"

    assert asyncio.run(fetch.acall({"url": "x"})) == "x"
    assert (plain.name, plain.call({"a": 1}, session="s")) == ("renamed", "s 1")
    with pytest.raises(schema2model.ToolError):
        plain.call({"a": "1"}, session="s")


def test_tools_are_added() -> None:
    """A tool, a definition or a function; a name that is there is refused, and nothing changes."""
    tools = Toolset([now])
    tools.add(search, coercion="off")
    tools.add({"name": "weather", "parameters": CITY})
    tools.add(Tool(now, name="time"))
    assert [each.name for each in tools] == ["now", "search", "weather", "time"]
    assert tools.read_calls('<tool_call>{"name": "weather", "arguments": {"city": "Rome"}}')
    with pytest.raises(ValueError, match="two tools are called `now`"):
        tools.add(now)
    with pytest.raises(TypeError, match="no function has such a parameter"):
        tools.add(Tool(now, name="then"), inject=("sesion",))
    assert len(tools) == 4


def test_what_is_done_to_values_is_done_to_text() -> None:
    """`validate`, `coerce`, `explain` and `is_valid`, with the same result."""
    schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}}}
    compiled = compile_schema(schema)
    for value, text in (({"a": 1}, '{"a": 1}'), ({"a": "1"}, "{'a': '1'}")):
        assert compiled.validate(value) == compiled.validate_json(text) == {"a": 1}
        filled = {"a": 1, "b": 2}
        assert compiled.validate(value, defaults=True) == filled
        assert compiled.validate_json(text, defaults=True) == filled
        assert compiled.explain(value).result == compiled.explain_json(text).result == {"a": 1}
        assert compiled.is_valid(value) == compiled.is_valid_json(text) == (value == {"a": 1})
    assert compiled.coerce_json('{"a": "1", "b": "x"}') == {"a": 1, "b": "x"}
    assert compiled.coerce_json("{'a': '1', 'b': 'x'}") == {"a": 1, "b": "x"}
    assert compiled.coerce_json("no JSON") == "no JSON"
    assert not compiled.is_valid_json(5)  # type: ignore[arg-type]
    assert not compiled.is_valid_json(b"\xff")


def test_issues_have_a_message() -> None:
    """The problem without its path; `expected` is the schema of the place."""
    error = compile_schema({"properties": {"a": {"type": "integer"}}}).explain({"a": "x"}).error
    assert error is not None
    (issue,) = error.issues
    assert (issue.path, issue.expected) == ("/a", {"type": "integer"})
    assert str(issue) == f"/a: {issue.message}"
    assert issue.message.startswith("must be an integer")


def test_types_are_found_where_they_were() -> None:
    """`schema2model` shows what programs call, and has the types still."""
    for name in types.__all__:
        assert getattr(types, name) is not None
        assert getattr(schema2model, name) is getattr(types, name)
        assert name not in dir(schema2model)
    assert not any(name in dir(Tool(now)) for name in ("conduct", "source", "arranged"))
    assert not any(name in dir(compile_schema({})) for name in ("engine", "complete"))
    with pytest.raises(AttributeError):
        _ = types.Tool  # type: ignore[attr-defined]
