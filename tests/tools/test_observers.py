"""What an observer of calls is told, in which order; and what a prepared call knows of itself."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, strategies as st
from strategies import json_values

from schema2model import Tool, ToolError, compile_schema
from schema2model.tools.tool import Prepared, changes_between


class Notes:
    """An observer that notes what it is told; its own executions, too."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def prepared(self, prepared: Prepared) -> None:
        """Valid arguments."""
        self.told.append(("prepared", prepared.arguments))

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> None:
        """Invalid ones."""
        self.told.append(("refused", tool.name, arguments, call, str(error)))

    def started(self, prepared: Prepared) -> Notes:
        """The beginning of an execution."""
        self.told.append("started")
        return self

    def __enter__(self) -> None:
        self.told.append("enter")

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self.told.append(f"exit {kind.__name__ if kind else ''}".strip())

    def finished(self, error: BaseException | None) -> None:
        """The end of it."""
        self.told.append(("finished", error))


def wait(number: int) -> str:
    """Take a number."""
    return f"{number} of 7"[number:]


async def await_(number: int) -> str:
    """Take a number, later."""
    return wait(number)


def later(number: int) -> Any:
    """Take a number, later, though nobody knows."""
    return await_(number)


STEPS = {
    wait: ["started", "enter", "exit", ("finished", None)],
    await_: ["started", "enter", "exit", "enter", "exit", ("finished", None)],
    later: ["started", "enter", "exit", "enter", "exit", ("finished", None)],
}


@pytest.mark.parametrize("function", STEPS)
def test_an_observer_is_told_from_the_beginning_to_the_end(function: Any) -> None:
    """Entered while the function runs, and again while its result is awaited."""
    notes = Notes()
    tool = Tool.from_function(function, observer=notes)
    assert asyncio.run(tool.acall({"number": "1"})) == " of 7"
    assert notes.told == [("prepared", {"number": 1}), *STEPS[function]]


@pytest.mark.parametrize("function", STEPS)
def test_an_observer_is_told_by_frameworks_too(function: Any) -> None:
    """Which call functions, and await what comes back in a task of their own."""
    notes = Notes()
    called = Tool.from_function(function, observer=notes).as_function()

    async def main() -> Any:
        result = called(number=1)
        return await asyncio.create_task(result) if asyncio.iscoroutine(result) else result

    assert asyncio.run(main()) == " of 7"
    assert notes.told == [("prepared", {"number": 1}), *STEPS[function]]


def test_an_observer_is_told_of_refused_calls() -> None:
    """With what was sent, and where it stands in the conversation."""
    notes = Notes()
    tool = Tool.from_function(wait, observer=notes)
    call = {"name": "wait", "arguments": "{number: many}"}
    with pytest.raises(ToolError) as refused:
        tool.prepare(call["arguments"], call)
    assert notes.told == [("refused", "wait", "{number: many}", call, str(refused.value))]


def test_an_observer_is_told_of_failures() -> None:
    """Of the function, and of a result that has no JSON; `on_finished` comes after it."""
    notes = Notes()

    def fail(number: int) -> Any:
        if number == 1:
            raise KeyError(number)
        return object()

    tool = Tool.from_function(
        fail, observer=notes, on_finished=lambda prepared, result, error: notes.told.append("on")
    )
    with pytest.raises(KeyError) as raised:
        tool.call({"number": 1})
    assert notes.told[1:] == [
        "started",
        "enter",
        "exit KeyError",
        ("finished", raised.value),
        "on",
    ]
    assert type(tool.call({"number": 2})) is object
    assert notes.told[-3:] == ["exit", ("finished", None), "on"]


def test_an_observer_is_not_told_of_what_does_not_start() -> None:
    """A value that is missing is the developer's mistake, and no execution."""
    notes = Notes()
    tool = Tool.from_function(lambda session: 1, name="f", inject=("session",), observer=notes)
    with pytest.raises(TypeError):
        tool.call({})
    assert notes.told == [("prepared", {})]


def test_changes_are_worked_out_once() -> None:
    """And what is done to the mapping afterwards does not count."""
    arguments = {"number": "1"}
    prepared = Tool.from_function(wait).prepare(arguments)
    changes = prepared.changes
    arguments["number"] = "2"
    assert prepared.changes is changes
    assert [change.rule for change in changes] == ["json_text"]


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (None, None),
        ({"id": "a", "arguments": "{}"}, "a"),
        ({"id": "item", "call_id": "a", "arguments": "{}"}, "a"),
        ({"id": None, "arguments": "{}"}, None),
        (lambda text: None, None),
    ],
    ids=["none", "id", "two", "null", "function"],
)
def test_a_prepared_call_knows_its_id(call: Any, found: str | None) -> None:
    """If it was told the call, and that has one."""
    assert Tool.from_function(wait).prepare({"number": 1}, call).call_id == found


SCHEMAS = [
    compile_schema({"type": "object", "additionalProperties": {"type": kind}}, coercion=coercion)
    for kind in ("integer", "boolean", "array", ["string", "null"])
    for coercion in ("default", "untyped", "forgiving", "lenient")
]


@given(st.sampled_from(SCHEMAS), json_values)
def test_changes_between_are_those_that_explain_finds(schema: Any, value: Any) -> None:
    """For values of every kind that the schema has a reading for; a string is a text."""
    explained = (schema.explain_json if isinstance(value, str) else schema.explain)(value)
    if explained.error is None:
        assert changes_between(schema, value, explained.result) == explained.changes


TEXTS = st.text(st.sampled_from(" {}[]\":,1.0eE-truefalsn'aN")) | st.builds(
    "{}{{{}: {}}}".format,
    st.sampled_from(["", " ", "\ufeff"]),
    st.sampled_from(['"a"', "'a'", "a", '"a": 1, "a"']),
    st.sampled_from(["1", "1.0", '"1"', "true", "[1,]", "1e400", "NaN", "-0", "1" * 30]),
)


@given(st.sampled_from(SCHEMAS), TEXTS)
def test_changes_between_are_those_that_explain_json_finds(schema: Any, text: str) -> None:
    """For text that is JSON, and for text that is not."""
    for given_ in (text, text.encode()):
        explained = schema.explain_json(given_)
        if explained.error is None:
            assert changes_between(schema, given_, explained.result) == explained.changes
