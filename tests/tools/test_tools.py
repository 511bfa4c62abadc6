"""From raw arguments to a function that was called, and to an error where it was not."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
from collections import UserDict
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from schema2model.coercions import Coercion
from schema2model.errors import SchemaError, ToolError
from schema2model.tools.decorator import tool as decorated
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
DEFINITION = {"name": "forecast", "description": "Tell the weather.", "parameters": SCHEMA}


def forecast(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{city} {days}"


# ------------------------------------------------------------------------------ what a tool is
def test_a_tool_says_what_it_is() -> None:
    """Name, description, schema, compiled schema and function."""
    tool = Tool.from_schema(DEFINITION, forecast)
    assert (tool.name, tool.description, tool.function) == (
        "forecast",
        "Tell the weather.",
        forecast,
    )
    assert tool.schema == SCHEMA
    assert tool.compiled.name == "forecast"
    assert tool.injected == Tool.from_schema(DEFINITION).injected == {}
    assert Tool.from_schema(DEFINITION).function is None
    assert repr(tool) == "<Tool 'forecast'>"
    with pytest.raises(AttributeError):
        tool.name = "other"  # type: ignore[misc]


def test_options_reach_the_compiler() -> None:
    """Coercion, dialect and formats are those of compile_schema."""
    for off in ("off", Coercion.off):
        with pytest.raises(ToolError):
            Tool.from_schema(DEFINITION, coercion=off).prepare({"city": "x", "days": "1"})
        with pytest.raises(ToolError):
            Tool.from_function(forecast, coercion=off).prepare({"city": "x", "days": "1"})
    assert Tool.from_function(forecast, coercion="off").call({"city": "x", "days": 2.0}) == "x 2"
    dated = {"properties": {"day": {"type": "string", "format": "date"}}}
    strict = Tool.from_schema({"name": "f", "parameters": dated}, formats="assert")
    with pytest.raises(ToolError):
        strict.prepare({"day": "soon"})
    nullable = {"properties": {"day": {"type": "string", "nullable": True}}, "required": ["day"]}
    lenient = Tool.from_schema({"name": "f", "parameters": nullable}, dialect="openapi-3.0")
    assert lenient.prepare({"day": None}).arguments == {"day": None}
    with pytest.raises(TypeError):
        Tool.from_function(forecast, strictness=1)  # type: ignore[call-arg]


def test_a_tool_shares_nothing_with_what_it_was_made_of() -> None:
    """Nor with what it gives out."""
    given = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    tool = Tool.from_schema(given)
    given["parameters"]["properties"]["a"]["type"] = "integer"  # type: ignore[index]
    tool.definition("mcp")["inputSchema"]["properties"].clear()
    tool.schema["properties"].clear()  # type: ignore[index]
    assert tool.schema == {"properties": {"a": {"type": "string"}}}
    assert tool.prepare({"a": 1}).arguments == {"a": "1"}


# ------------------------------------------------------------------- functions of raw schemas
def test_a_function_takes_the_properties_or_all_at_once() -> None:
    """`raw_arguments` is LiveKit's word for the whole mapping."""
    assert Tool.from_schema(DEFINITION, forecast).call({"city": "Rome"}) == "Rome 1"

    def raw(raw_arguments: dict[str, Any], context: str) -> Any:
        return raw_arguments, context

    def anything(**rest: Any) -> Any:
        return rest

    tool = Tool.from_schema(DEFINITION, raw)
    assert tool.call({"city": "Rome", "x": 1}, context="c") == ({"city": "Rome", "x": 1}, "c")
    assert tool.as_function()({"city": "Rome"}, "c") == ({"city": "Rome"}, "c")
    assert Tool.from_schema(DEFINITION, anything).call({"city": "R", "x-y": 1}) == {
        "city": "R",
        "x-y": 1,
    }


def test_what_a_function_cannot_take_is_refused_before_it_starts() -> None:
    """By the tool where it is made, or by a ToolError where the model can mend it."""
    with pytest.raises(SchemaError, match=r"takes no `city`.*raw_arguments"):
        Tool.from_schema(DEFINITION, lambda days: days)
    tool = Tool.from_schema(DEFINITION, lambda city, days, session=None: (city, days, session))
    with pytest.raises(ToolError, match="/wind: expected no such property, found 1"):
        tool.call({"city": "Rome", "days": 1, "wind": 1})
    with pytest.raises(ToolError, match=r"/days: expected a value \(required\)"):
        tool.call({"city": "Rome"})
    with pytest.raises(ToolError, match="/session: expected no such property"):
        tool.call({"city": "Rome", "days": 1, "session": "mine"})
    assert tool.call({"city": "Rome", "days": 1}, session="s") == ("Rome", 1, "s")
    anything = Tool.from_schema({"name": "f", "parameters": {}}, lambda **rest: rest)
    with pytest.raises(ToolError, match="expected object"):
        anything.call([1, 2])  # type: ignore[arg-type]
    listing = Tool.from_schema({"name": "f", "parameters": {"type": "array"}}, lambda **rest: rest)
    with pytest.raises(ToolError, match="expected an object"):
        listing.call([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="/session: expected no such property"):
        Tool.from_schema({"name": "f", "parameters": {}}, lambda session, **_: session).call(
            {"session": 1}, session=2
        )


def test_a_tool_without_a_function_cannot_be_called() -> None:
    """The message says what to do."""
    tool = Tool.from_schema(DEFINITION)
    with pytest.raises(TypeError, match=r"pass one to Tool.from_definition"):
        tool.call({"city": "Rome"})
    with pytest.raises(TypeError, match=r"pass one to Tool.from_definition"):
        tool.as_function()


# ----------------------------------------------------------------------------- asynchronously
async def fetch(url: str) -> str:
    """Fetch a page."""
    await asyncio.sleep(0)
    return f"<{url}>"


class Fetcher:
    """Something that is called and awaited."""

    async def __call__(self, url: str) -> str:
        """Fetch a page."""
        return await fetch(url)


@pytest.mark.parametrize(
    "function", [fetch, Fetcher(), functools.partial(fetch)], ids=["function", "object", "partial"]
)
def test_coroutine_functions_are_awaited(function: Callable[..., Any]) -> None:
    """And stay coroutine functions."""
    tool = Tool.from_function(function)
    assert asyncio.run(tool.acall('{"url": "x"}')) == "<x>"
    assert asyncio.run(tool.prepare({"url": "x"}).acall()) == "<x>"
    with pytest.raises(TypeError, match=r"is asynchronous; use `await tool.acall"):
        tool.call({"url": "x"})
    standalone = tool.as_function()
    assert inspect.iscoroutinefunction(standalone)
    assert asyncio.run(standalone("x")) == "<x>"


def test_plain_functions_can_be_awaited() -> None:
    """An application need not know which is which."""
    assert asyncio.run(Tool.from_function(forecast).acall({"city": "Rome"})) == "Rome 1"


def test_functions_that_return_coroutines() -> None:
    """A decorator may hide that a function is asynchronous."""
    finished: list[Any] = []

    @functools.wraps(fetch)
    def hidden(*args: Any, **kwargs: Any) -> Any:
        return fetch(*args, **kwargs)

    tool = Tool.from_function(hidden, on_finished=lambda *them: finished.append(them[1:]))
    assert asyncio.run(tool.acall({"url": "x"})) == "<x>"
    assert asyncio.run(tool.as_function()("x")) == "<x>"
    with pytest.raises(TypeError, match="acall"):
        tool.call({"url": "x"})
    assert finished[:2] == [("<x>", None)] * 2
    assert isinstance(finished[2][1], TypeError)


# ------------------------------------------------------------------------------------- errors
def test_errors_of_the_body_are_the_applications() -> None:
    """Only a ToolError is for the model; it passes through as it is."""
    raised: list[BaseException] = [
        ToolError("no such city", retryable=False),
        ValueError("a bug"),
        TypeError("another"),
        KeyError("x"),
    ]

    def fail(number: int) -> None:
        raise raised[number]

    async def afail(number: int) -> None:
        raise raised[number]

    tool, atool = Tool.from_function(fail), Tool.from_function(afail)
    for number, error in enumerate(raised):
        with pytest.raises(type(error)) as caught:
            tool.call({"number": number})
        assert caught.value is error
        with pytest.raises(type(error)) as caught:
            asyncio.run(atool.acall({"number": number}))
        assert caught.value is error
        assert isinstance(error, ToolError) == (number == 0)


def test_refusals_are_logged_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """They are signals to the model, not incidents."""
    caplog.set_level(logging.DEBUG, "schema2model")

    def fail() -> None:
        message = "no such city"
        raise ToolError(message)

    for call in (
        lambda: Tool.from_schema(DEFINITION).prepare("{}"),
        lambda: Tool.from_schema(DEFINITION).prepare({"secret": "secret"}),
        lambda: Tool.from_function(fail).call({}),
    ):
        caplog.clear()
        with pytest.raises(ToolError):
            call()
        (record,) = caplog.records
        assert record.levelno == logging.DEBUG
        assert record.exc_info is None
        assert "secret" not in record.getMessage()


# -------------------------------------------------------------------------------------- hooks
def test_hooks_tell_what_happens_in_order() -> None:
    """Prepared, started, finished with the result or the error."""
    told: list[Any] = []

    def divide(a: int, b: int) -> float:
        return a / b

    tool = Tool.from_function(
        divide,
        on_prepared=lambda prepared: told.append(("prepared", prepared.arguments)),
        on_started=lambda prepared: told.append(("started", prepared.tool.name)),
        on_finished=lambda prepared, result, error: told.append((result, type(error))),
    )
    tool.call({"a": "1", "b": 2})
    with pytest.raises(ZeroDivisionError):
        tool.call({"a": 1, "b": 0})
    assert told == [
        ("prepared", {"a": 1, "b": 2}),
        ("started", "divide"),
        (0.5, type(None)),
        ("prepared", {"a": 1, "b": 0}),
        ("started", "divide"),
        (None, ZeroDivisionError),
    ]


def test_cancelled_calls_are_finished() -> None:
    """Whatever was started is finished."""
    told: list[Any] = []

    async def hang() -> None:
        started.set()
        await asyncio.Event().wait()

    tool = Tool.from_function(hang, on_finished=lambda *them: told.append(type(them[2])))

    async def main() -> None:
        task = asyncio.create_task(tool.acall({}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    started = asyncio.Event()

    asyncio.run(main())
    assert told == [asyncio.CancelledError]


# ------------------------------------------------------------------------------------ results
def returning(result: Any, **options: Any) -> Tool:
    """A tool that returns what it is made with."""
    return Tool.from_function(lambda: result, name="give", **options)


def test_the_size_of_a_result_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """In characters of its JSON, with a warning where it is large."""
    caplog.set_level(logging.DEBUG, "schema2model")
    assert returning({"città": [1]}).call({}) == {"città": [1]}
    assert caplog.records[-1].getMessage() == "`give` returned 13 characters"
    assert returning("x" * 60_000).call({}) == "x" * 60_000
    assert caplog.records[-1].levelno == logging.WARNING
    assert "returned 60002 characters, more than 50000" in caplog.text
    caplog.clear()
    returning([1, 2, 3], warn_above=None).call({})
    returning([1, 2, 3], warn_above=5).call({})
    assert [record.levelname for record in caplog.records] == ["DEBUG", "DEBUG", "WARNING"]


def test_truncation_says_that_it_truncated() -> None:
    """A model that does not know it sees a part takes it for the whole."""
    notice = "… [truncated: 6 of 10 characters left out]"
    assert returning("0123456789", truncate_above=4).call({}) == f"0123{notice}"
    assert returning([11, 22, 33], truncate_above=10).prepare({}).call_json() == "[11,22,33]"
    assert returning("0123", truncate_above=4).call({}) == "0123"


def test_only_text_is_truncated() -> None:
    """A result of another type stays one; what models and frameworks get of it is cut."""
    tool = returning([11, 22, 33], truncate_above=4)
    text = "[11,… [truncated: 6 of 10 characters left out]"
    assert tool.call({}) == [11, 22, 33]
    assert tool.prepare({}).call_json() == text
    assert tool.as_function()() == text
    assert returning("0123456789", truncate_above=4).prepare({}).call_json().startswith("0123… [tr")
    call = {"id": "c1", "function": {"name": "give", "arguments": "{}"}}
    (answer,) = Toolset([tool]).answer({"role": "assistant", "tool_calls": [call]})
    assert answer["content"] == text


class Report(BaseModel):
    """A result that has JSON."""

    city: str


async def stream() -> AsyncIterator[int]:
    """Yield once."""
    yield 1


@pytest.mark.parametrize("make", [object, lambda: iter([1]), stream, lambda: {"a": [object]}])
def test_results_without_json_are_returned(
    make: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The function has run: its result is not lost, and a warning says that it has no JSON."""
    result = make()
    finished: list[Any] = []
    tool = returning(result, on_finished=lambda *them: finished.append(them[2]))
    assert tool.call({}) is result
    assert finished == [None]
    assert "which has no JSON form" in caplog.text
    assert tool.as_function()() is result
    if isinstance(result, Iterator):
        assert next(result) == 1


def test_results_may_be_models() -> None:
    """They are returned as they are."""
    report = Report(city="Rome")
    assert returning(report).call({}) is report


# ------------------------------------------------------------- three bugs of agents everywhere
def provider_accepts(messages: list[dict[str, Any]]) -> bool:
    """Whether a provider takes a conversation: every call's arguments have to be JSON objects."""
    try:
        return all(
            isinstance(json.loads(call["function"]["arguments"]), dict)
            for message in messages
            for call in message.get("tool_calls", ())
        )
    except ValueError:
        return False


@pytest.mark.parametrize(
    "text",
    [
        "{'city': 'Rome'}",
        '{"city": "Rome", "days": "soon"',
        '{"city": "Ro',
        '"{\\"days\\": 1}"',
        '{"city": "Rome"} {"city": "Oslo"}',
        "",
        "Rome, please",
    ],
)
def test_malformed_text_does_not_stay_in_the_conversation(text: str) -> None:
    """Bug: the next request is refused, and the conversation is lost."""
    call: dict[str, Any] = {"id": "1", "function": {"name": "forecast", "arguments": text}}
    messages = [{"role": "assistant", "tool_calls": [call]}]
    assert not provider_accepts(messages)
    tool = Tool.from_function(forecast)
    try:
        tool.prepare(text, call)
    except ToolError as error:
        messages.append({"role": "tool", "tool_call_id": "1", "content": str(error)})
    assert provider_accepts(messages)


@pytest.mark.parametrize("arguments", ['{"days": "soon"}', {"city": {}}, "{]", '{"city": null}'])
def test_the_model_reads_what_is_wrong(arguments: Any) -> None:
    """Bug: it is sent "internal error", or pages of pydantic's text, and cannot do better."""
    with pytest.raises(ToolError) as caught:
        Tool.from_function(forecast).call(arguments)
    text = str(caught.value)
    assert text.startswith("Error parsing arguments for `forecast`:\n- ")
    assert len(text) < 400
    assert caught.value.issues
    assert caught.value.retryable
    for noise in ("pydantic", "https://", "validation error", "Traceback", "internal"):
        assert noise not in text.lower()


def test_nothing_is_started_that_never_runs() -> None:
    """Bug: "tool started" is signalled, the arguments are refused, and a spinner turns forever."""
    told: list[str] = []
    tool = Tool.from_function(
        lambda city, session: f"{city} {session}",
        name="forecast",
        inject="session",
        on_prepared=lambda _: told.append("prepared"),
        on_started=lambda _: told.append("started"),
        on_finished=lambda *_: told.append("finished"),
    )
    for refused in ({}, "{", {"city": "Rome", "session": 1}):
        with pytest.raises(ToolError):
            tool.call(refused, session="s")  # type: ignore[arg-type]
        with pytest.raises(ToolError):
            asyncio.run(tool.acall(refused, session="s"))  # type: ignore[arg-type]
    assert told == []
    with pytest.raises(TypeError, match="needs `session`"):
        tool.call({"city": "Rome"})
    assert told == ["prepared"]
    tool.call({"city": "Rome"}, session="s")
    assert told == ["prepared", "prepared", "started", "finished"]


def test_no_value_is_shown_in_passing() -> None:
    """What is printed of a call has the tool's name, and no argument."""
    tool = Tool.from_schema({"name": "pay", "parameters": {"type": "object"}})
    assert repr(tool) == "<Tool 'pay'>"
    assert repr(tool.prepare({"card": "4711"})) == "<Prepared 'pay'>"
    assert repr(tool.prepare("{'card': '4711'}")) == "<Prepared 'pay', repaired>"
    partial = tool.compiled.partial()
    partial.feed('{"card": "4711"')
    assert repr(partial) == "<PartialArguments 'pay', 15 characters so far>"


class Disguised:
    """What raises whatever it is asked, its class included."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class Locked(UserDict[str, Any]):
    """A mapping that cannot be read."""

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError


@pytest.mark.parametrize("made", [Disguised, lambda: Locked(a=1)], ids=["object", "mapping"])
def test_hostile_arguments_are_refused(made: Callable[[], Any]) -> None:
    """With the error for the model, and no other."""
    with pytest.raises(ToolError):
        Tool.from_schema({"name": "f", "inputSchema": {"type": "object"}}).prepare(made())


# ------------------------------------------------------------------------------ ways to make one
def test_a_tool_is_made_of_a_function_in_three_ways() -> None:
    """`Tool(function)`, `Tool.from_function(function)` and the decorator make the same."""

    @decorated
    def double(number: int) -> int:
        """Double it."""
        return 2 * number

    @decorated(name="twice", coercion="off")
    def other(number: int) -> int:
        """Double it."""
        return 2 * number

    same = [double, Tool(double.function), Tool.from_function(double.function)]
    assert [each.definition("mcp") for each in same] == [double.definition("mcp")] * 3
    assert [each.call({"number": "4"}) for each in same] == [8, 8, 8]
    assert (other.name, other.description, other.compiled.coercion) == (
        "twice",
        "Double it.",
        Coercion.off,
    )


def test_a_schema_needs_a_name_and_a_definition_may_get_another() -> None:
    """`from_schema` takes both; a definition without a name gets it from `name`."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    for given in (schema, {"inputSchema": schema}, {"name": "x", "parameters": schema}):
        for make in (Tool.from_schema, Tool.from_definition):
            tool = make(given, name="weather", description="Ask for it.")
            assert (tool.name, tool.description, tool.schema) == (
                "weather",
                "Ask for it.",
                schema,
            )
    with pytest.raises(SchemaError, match="a schema alone needs name="):
        Tool.from_schema(schema)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tool({"name": "f", "parameters": {}}), r"Tool.from_definition takes definitions"),
        (lambda: Tool.from_definition({"name": "f", "parameters": {}}, 5), "got int"),
        (lambda: Tool(forecast, nmae="p"), "did you mean 'name'"),
        (lambda: decorated(coersion="off"), "did you mean 'coercion'"),
    ],
)
def test_a_mistake_when_making_a_tool_names_what_is_right(make: Any, message: str) -> None:
    """It is a TypeError at definition."""
    with pytest.raises(TypeError, match=message):
        make()


def test_a_tool_shows_nothing_internal() -> None:
    """Its public attributes are those of the reference, and it cannot be changed."""
    tool = Tool(forecast)
    public = {name for name in dir(tool) if not name.startswith("_")}
    assert public == {
        *("name", "description", "schema", "compiled", "function", "asynchronous", "injected"),
        *("strict", "shown_schema", "definition", "as_function", "prepare", "partial"),
        *("call", "acall", "output_schema", "read_result"),
        *("from_definition", "from_schema", "from_function"),
    }
    with pytest.raises(AttributeError, match="immutable"):
        tool.name = "other"  # type: ignore[misc]
