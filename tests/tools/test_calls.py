"""From raw arguments to a function that was called, and to an error where it was not."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
from collections import UserDict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from weather import DEFINITION, forecast

from schema2model.errors import ToolError
from schema2model.tools.tool import Tool


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


def test_what_a_function_raises_otherwise_is_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    """It is the application's, and may say what no log should have."""
    caplog.set_level(logging.DEBUG, "schema2model")

    def fail() -> None:
        message = "secret"
        raise OSError(message)

    with pytest.raises(OSError, match="secret"):
        Tool(fail).call({})
    assert not caplog.records


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
