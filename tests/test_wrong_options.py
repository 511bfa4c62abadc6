"""Wrong values of a developer: each is refused at once, in a short message, or it is accepted."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from rows import row

from schema2model import Coercion, Tool, Toolset, compile_document, compile_schema, tool

MAX_WORDS = 1_000
"""Characters of a message; some list all formats or providers."""


def nested(wrap: Callable[[Any], Any]) -> Any:
    """A value of 5,000 levels."""
    value: Any = None
    for _ in range(5_000):
        value = wrap(value)
    return value


class Unprintable:
    """An object without a representation."""

    def __repr__(self) -> str:
        raise RuntimeError


WRONG: dict[str, Any] = {
    "deep list": nested(lambda value: [value]),
    "deep dict": nested(lambda value: {"a": value}),
    "huge integer": 10**5_000,
    "bytes": b"x",
    "long text": "x" * 100_000,
    "escape": "\x1b[31m",
    "unprintable": Unprintable(),
    "function": len,
    "type": int,
    "nan": float("nan"),
    "keys": {1: 2},
    "set": {"a"},
    "empty": (),
    "negative": -1,
    "typo": "lenint",
    "list": [None],
    "rules": {"default": True},
    "ellipsis": ...,
}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
DEFINITION = {"name": "t", "description": "Do.", "inputSchema": SCHEMA}


def f(a: int) -> int:
    """Do."""
    return a


COMPILED, TOOLS = compile_schema(SCHEMA), Toolset([Tool.from_definition(DEFINITION)])
FURTHER = ("coercion", "dialect", "formats", "resources", "defaults", "inject", "unknown_arguments")
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "compile_schema": (compile_schema, (SCHEMA,)),
    "compile_document": (compile_document, ({"$defs": {"A": SCHEMA}},)),
    "Coercion": (Coercion, ()),
    "Coercion.replace": (Coercion().replace, ()),
    "CompiledSchema.strict": (COMPILED.strict, ("openai",)),
    "CompiledSchema.partial": (COMPILED.partial, ()),
    "Tool": (Tool, (f,)),
    "tool": (tool, (f,)),
    "Tool.from_function": (Tool.from_function, (f,)),
    "Tool.from_schema": (Tool.from_schema, (SCHEMA,)),
    "Tool.from_definition": (Tool.from_definition, (DEFINITION,)),
    "Toolset": (Toolset, ([f],)),
    "Toolset.definitions": (TOOLS.definitions, ("openai",)),
    "Toolset.read_calls": (TOOLS.read_calls, ("x",)),
    "Toolset.call_reader": (TOOLS.call_reader, ()),
    "Toolset.answer": (TOOLS.answer, ({"role": "assistant", "content": "x"},)),
}


def options(function: Callable[..., Any]) -> list[str]:
    """The names of the options of a function, with those that it passes on."""
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.default is not each.empty]
    passes_on = any(each.kind is each.VAR_KEYWORD for each in parameters)
    return [*names, *(FURTHER if passes_on else ())]


ROWS = [(name, option) for name, (function, _) in CALLS.items() for option in options(function)]


def attempt(call: Callable[[], Any]) -> None:
    """Make a call that is accepted or refused.

    Raises:
        AssertionError: if it is refused in too many words.

    """
    try:
        call()
    except (TypeError, ValueError) as error:
        message = str(error)
        assert len(message) <= MAX_WORDS
        assert "\x1b" not in message


@pytest.mark.parametrize(
    ("name", "option"), ROWS, ids=[f"{name}-{option}" for name, option in ROWS]
)
def test_a_wrong_value_of_an_option_is_named(name: str, option: str) -> None:
    """Never a RecursionError, an AttributeError, or the whole value."""
    function, arguments = CALLS[name]
    for kind, value in WRONG.items():
        with row(kind):
            attempt(lambda value=value: function(*arguments, **{option: value}))


@pytest.mark.parametrize("name", [name for name, (_, arguments) in CALLS.items() if arguments])
def test_a_wrong_first_argument_is_named(name: str) -> None:
    """In the same way."""
    function, (_, *others) = CALLS[name]
    for kind, value in WRONG.items():
        with row(kind):
            attempt(lambda value=value: function(value, *others))


@pytest.mark.parametrize("reason", [1, b"length", ["length"]])
def test_why_a_reply_ended_is_text(reason: Any) -> None:
    """Anything else would be taken for a reply that is complete."""
    with pytest.raises(TypeError, match="finish_reason is the text that the provider gave"):
        TOOLS.answer({"role": "assistant", "content": "x"}, finish_reason=reason)
    with contextlib.suppress(TypeError):
        TOOLS.answer({"role": "assistant", "content": "x"}, memory=[])
        pytest.fail("a list cannot remember the errors of tools")


@pytest.mark.parametrize("catch", [[KeyError], "KeyError", KeyError(), (KeyError, 3), int])
def test_what_is_caught_is_types_of_exceptions(catch: Any) -> None:
    """Anything else would show when a tool has failed, and hide why."""
    for answer in (TOOLS.answer, lambda *a, **o: asyncio.run(TOOLS.aanswer(*a, **o))):
        with pytest.raises(TypeError, match="catch is a type of exceptions, or a tuple of them, "):
            answer({"role": "assistant", "content": "x"}, catch=catch)
    for right in (KeyError, (), (KeyError, (OSError,))):
        assert TOOLS.answer({"role": "assistant", "content": "x"}, catch=right) == []


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("dialect", ["x"], r"dialect is text, not \['x'\]"),
        ("name", {}, "name is text, not {}"),
        ("name", 3, "name is a string, not 3"),
        ("formats", [], "formats"),
        ("resources", 3, "resources is a mapping of URIs to schemas, not 3"),
        ("resources", [1], r"resources is a mapping of URIs to schemas, not \[1\]"),
        ("dialect", "openapi-9", "unknown dialect .* openapi-3.0, .* openapi-3.1"),
    ],
)
def test_a_wrong_option_of_a_schema_is_named(option: str, value: Any, words: str) -> None:
    """With what to write."""
    with pytest.raises((TypeError, ValueError), match=words):
        compile_schema(SCHEMA, **{option: value})
    if option != "name":
        with pytest.raises((TypeError, ValueError), match=words):
            compile_document({"$defs": {"A": SCHEMA}}, **{option: value})
