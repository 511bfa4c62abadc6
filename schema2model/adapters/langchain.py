"""LangChain and LangGraph: exact arguments for tools, agents and the tools of MCP servers.

agent = create_agent(model, [from_tool(tool), theirs], middleware=[middleware()])
tools = [wrap_tool(theirs) for theirs in await MultiServerMCPClient(servers).get_tools()]
tools = await load_mcp_tools(session, tool_interceptors=[interceptor(listed.tools)])

These give LangChain schemas, which it shows to the language model as they are. Of a model, as in
`StructuredTool(args_schema=compiled.model, ...)`, it shows the fields' types, which is not all that
a schema may say. Only the middleware sees the conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pydantic import PrivateAttr, ValidationError
from typing_extensions import Unpack

from schema2model import Prepared, Tool, ToolError
from schema2model.adapters.common import (
    aexecute,
    coercing_copy,
    execute,
    ours_behind,
    require_theirs,
    require_tool,
    reraised_as,
    with_methods,
    with_ours,
)
from schema2model.coercing_models.rewording import reworded
from schema2model.extras import extra
from schema2model.tools.conversation import refused_result
from schema2model.tools.tool_cache import CheckerOptions, ToolCache, checker_options

with extra("langchain"):
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.messages.tool import tool_call
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, Tool as TextTool, ToolException
    from langchain_core.utils.pydantic import model_json_schema

__all__ = ["from_tool", "interceptor", "middleware", "wrap_tool"]


# ------------------------------------------------------------------------------------- tools
def from_tool(tool: Tool, **options: Any) -> BaseTool:
    """A tool of LangChain's that runs ours.

    Its errors for the model are the content of a `ToolMessage` with the status "error".

    Args:
        tool: one with a function; all parameters that it has injected get the `RunnableConfig`. One
            of a strict `Toolset` shows its projection; bind it with `strict=True`.
        options: what else LangChain's `BaseTool` has: `return_direct`, `tags`, `metadata`, ...

    """
    require_tool(tool)
    schema = tool.shown_schema
    described = {"name": tool.name, "description": tool.description, "args_schema": schema}
    options = {"handle_tool_error": True, **described, **options}
    return with_ours(_FromTool(**options), tool)


class _FromTool(BaseTool):
    """Passes the arguments on as one value, since a property may be called `config` or `self`."""

    _ours: Tool = PrivateAttr()

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> Any:  # noqa: ARG002
        with reraised_as(ToolException):
            return (self._ours.prepare(tool_input),), {}

    def _run(self, prepared: Prepared, config: RunnableConfig) -> Any:
        with reraised_as(ToolException):
            return execute(prepared, config)

    async def _arun(self, prepared: Prepared, config: RunnableConfig) -> Any:
        if not self._ours.asynchronous:
            return await super()._arun(prepared, config)  # in a thread
        with reraised_as(ToolException):
            return await aexecute(prepared, config)


def wrap_tool(theirs: BaseTool, **options: Unpack[CheckerOptions]) -> BaseTool:
    """A copy of a tool of LangChain's, with arguments in JSON coerced before it sees them.

    What is refused is a `pydantic.ValidationError`, as for every tool that has a model: agents tell
    the language model, and `handle_validation_error` holds. A tool is returned itself if its schema
    cannot be compiled.
    """
    require_theirs(theirs, BaseTool, "wrap_tool")
    options = checker_options(**options)
    if _takes_text(theirs):
        return theirs
    schema, origin = _schema(theirs), _origin(theirs)
    return coercing_copy(theirs, _Coercing, theirs.name, schema, origin, **options)


class _Coercing(BaseTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool = PrivateAttr()

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> Any:
        if isinstance(tool_input, dict):  # a text is the value of a single parameter
            sent = self._filter_injected_args(tool_input)
            injected = {name: tool_input[name] for name in tool_input.keys() - sent.keys()}
            try:
                arguments = self._checker.prepare(sent).arguments
            except ToolError as error:  # in LangChain's way: a pydantic.ValidationError
                if isinstance(self, _FromTool):  # which answers for itself
                    raise ToolException(str(error)) from error
                arguments = self._checker.compiled.model.model_validate(sent).model_dump()
            tool_input = {**arguments, **injected}
        with _our_words(self):
            return super()._to_args_and_kwargs(tool_input, tool_call_id)


class _Reworded(BaseTool):
    """The method of a tool whose arguments are coerced already."""

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> Any:
        with _our_words(self):
            return super()._to_args_and_kwargs(tool_input, tool_call_id)


@contextmanager
def _our_words(tool: BaseTool) -> Iterator[None]:
    """A refusal by the types of a tool says what to send: those of dates know more than a schema.

    Raises:
        pydantic.ValidationError: the same error with our messages.

    """
    try:
        yield
    except ValidationError as error:
        raise reworded(error, tool.args_schema) from error


def _takes_text(theirs: BaseTool) -> bool:
    """Return whether a tool takes one text, under any name."""
    return isinstance(theirs, TextTool) and theirs.args_schema is None


def _schema(theirs: BaseTool) -> dict[str, Any]:
    """Return the schema that models are shown."""
    shown = theirs.tool_call_schema
    return shown if isinstance(shown, dict) else model_json_schema(shown)


def _origin(theirs: BaseTool) -> Any:
    """Return what reads a tool's arguments: ours, or what pydantic makes of them; or None."""
    return ours_behind(theirs) or getattr(theirs.args_schema, "__pydantic_core_schema__", None)


# ------------------------------------------------------------------------------------ agents
def middleware(**options: Unpack[CheckerOptions]) -> Any:
    """Middleware for `create_agent`, which coerces what a model calls any of its tools with.

    The conversation then holds the coerced arguments. Calls with malformed text, which would end
    the agent, are mended as well. A call that is refused is answered at once, with the status
    "error"; so is a `ToolError` that a tool's own code raises.
    """
    with extra("langchain"):
        from langchain.agents.middleware import AgentMiddleware  # noqa: PLC0415 - tools do without

    calls = _Calls(**options)

    class CoercionMiddleware(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            return calls.mended(request, handler(request))

        async def awrap_model_call(
            self, request: Any, handler: Callable[[Any], Awaitable[Any]]
        ) -> Any:
            return calls.mended(request, await handler(request))

        def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            try:
                return handler(calls.reworded(request))
            except ToolError as error:
                return _refusal(error, request.tool_call)

        async def awrap_tool_call(
            self, request: Any, handler: Callable[[Any], Awaitable[Any]]
        ) -> Any:
            try:
                return await handler(calls.reworded(request))
            except ToolError as error:
                return _refusal(error, request.tool_call)

    return CoercionMiddleware()


def _refusal(error: ToolError, call: Any) -> ToolMessage:
    """The answer to a call that was refused, or whose tool has raised a `ToolError`."""
    name, call_id = call["name"], call["id"]
    return ToolMessage(str(error), name=name, tool_call_id=call_id, status="error")


class _Calls:
    """Mends the calls in what a model says. It knows the tools by the requests."""

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self._checkers = ToolCache(**options)
        self._reworded: dict[str, tuple[BaseTool, BaseTool]] = {}

    def mended(self, request: Any, response: Any) -> Any:
        """The response, its calls followed by the answers to those that are refused."""
        tools = {tool.name: tool for tool in request.tools if isinstance(tool, BaseTool)}
        result: list[BaseMessage] = []
        for message in response.result:
            if not isinstance(message, AIMessage):
                result.append(message)
                continue
            sent = (*message.tool_calls, *message.invalid_tool_calls)
            checkers = (self._checker(tools.get(call["name"] or "")) for call in sent)
            read = list(map(_mend_call, sent, checkers))
            invalid = [call for call, _ in read if call.get("type") == "invalid_tool_call"]
            calls = [call for call, _ in read if call not in invalid]
            update = {"tool_calls": calls, "invalid_tool_calls": invalid}
            result.append(message.model_copy(update=update))
            result += [answer for _, answer in read if answer is not None]
        return replace(response, result=result)

    def reworded(self, request: Any) -> Any:
        """The request for a call, whose tool refuses in our words."""
        tool = request.tool
        if not isinstance(tool, BaseTool):
            return request
        known, copied = self._reworded.get(tool.name, (None, None))
        if known is not tool:
            copied = with_methods(tool, _Reworded)
            self._reworded[tool.name] = tool, copied
        return request.override(tool=copied)

    def _checker(self, theirs: BaseTool | None) -> Tool | None:
        if theirs is None or _takes_text(theirs):
            return None
        origin = _origin(theirs)
        return self._checkers.get(theirs.name, theirs, schema_of=_schema, origin=origin)


def _mend_call(call: Any, tool: Tool | None) -> tuple[Any, ToolMessage | None]:
    """A call as the conversation gets it, valid or not, and the answer if it is refused."""
    if tool is None:
        return call, None
    sent = call["args"]
    mended = tool_call(name=tool.name, args=sent if isinstance(sent, dict) else {}, id=call["id"])
    try:
        mended["args"] = tool.prepare(sent, mended).arguments
    except ToolError as error:
        return mended, _refusal(error, mended)
    return mended, None


# --------------------------------------------------------------------------------------- MCP
def interceptor(tools: Iterable[Any], **options: Unpack[CheckerOptions]) -> Any:
    """An interceptor for `load_mcp_tools`, with the tools that the session's server lists.

    A refused call gets a result with `isError` set, as if from the server.
    """
    with extra("mcp"):
        from mcp.types import CallToolResult  # noqa: PLC0415 - nothing else here needs mcp

    checkers = ToolCache(**options)
    for listed in tools:
        checkers.add(listed.name, listed.inputSchema)

    async def coerce(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        tool = checkers.listed(request.name)
        try:
            if tool is not None:
                request = request.override(args=tool.prepare(request.args).arguments)
        except ToolError as error:
            return CallToolResult.model_validate(refused_result(error))
        return await handler(request)

    return coerce
