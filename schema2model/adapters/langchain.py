"""LangChain and LangGraph: exact arguments for tools, agents and the tools of MCP servers.

agent = create_agent(model, [from_tool(tool), theirs], middleware=[middleware()])
tools = [wrap_tool(theirs) for theirs in await MultiServerMCPClient(servers).get_tools()]
tools = await load_mcp_tools(session, tool_interceptors=[interceptor(listed.tools)])

LangChain shows the schemas of these tools to the model unchanged. Of a pydantic model, as in
`StructuredTool(args_schema=compiled.model, ...)`, it shows only the fields' types, which may say
less than the schema. Only the middleware sees the conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pydantic import PrivateAttr, ValidationError
from typing_extensions import Unpack

from schema2model import Prepared, Tool, ToolError
from schema2model.adapters.common import (
    as_validation_error,
    core_schema_of,
    ours_behind,
    reraised_as,
    with_methods,
    with_ours,
)
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.coercing_models.rewording import reworded
from schema2model.extras import extra
from schema2model.tools.answering import prepare_sent
from schema2model.tools.assistant_message import Turn, listed_turn
from schema2model.tools.conversation import refused_result
from schema2model.tools.tool_cache import CheckerOptions, ToolCache

with extra("langchain"):
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.messages.tool import tool_call
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, Tool as TextTool, ToolException
    from langchain_core.utils.pydantic import model_json_schema

__all__ = ["from_tool", "interceptor", "middleware", "wrap_tool"]


def _seen(theirs: BaseTool) -> Seen | None:
    """Return how models see a tool; None of one that takes a single text, under any name."""
    if isinstance(theirs, TextTool) and theirs.args_schema is None:
        return None
    made_of = getattr(theirs.args_schema, "__pydantic_core_schema__", None)
    return Seen(theirs.name, theirs, ours_behind(theirs) or made_of, schema_of=_schema)


def _schema(theirs: BaseTool) -> dict[str, Any]:
    """Return the schema that models are shown."""
    shown = theirs.tool_call_schema
    return shown if isinstance(shown, dict) else model_json_schema(shown)


def _put_by_application(config: RunnableConfig) -> dict[str, Any]:
    """Return what a run was invoked with: its `configurable`, its `context`, what is in that."""
    given = dict(config.get("configurable", {}))
    context = getattr(given.get("__pregel_runtime"), "context", None)  # LangGraph puts it there
    members = context if isinstance(context, Mapping) else getattr(context, "__dict__", {})
    return {**given, **members, "__context": context}


_LANGCHAIN = Framework(
    BaseTool,
    _seen,
    context=RunnableConfig,
    application=_put_by_application,
)


# ------------------------------------------------------------------------------------- tools
def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any) -> BaseTool:
    """Return a LangChain tool that runs a schema2model tool.

    Its errors for the model are the content of a `ToolMessage` with the status "error".

    Args:
        tool: one with a function; what is injected is a value in the run's `configurable` or
            `context`, or the `RunnableConfig`. One of a strict `Toolset` shows its projection; bind
            it with `strict=True`.
        inject: values for injected parameters, by name.
        options: what else LangChain's `BaseTool` has: `return_direct`, `tags`, `metadata`, ...

    """
    ours = Ours(_LANGCHAIN, tool, inject)
    schema = tool.shown_schema
    described = {"name": tool.name, "description": tool.description, "args_schema": schema}
    return with_ours(_FromTool(**{"handle_tool_error": True, **described, **options}), ours)


class _FromTool(BaseTool):
    """Passes the arguments on as one value, since a property may be called `config` or `self`."""

    _runs: Ours = PrivateAttr()

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> Any:  # noqa: ARG002
        with reraised_as(ToolException):
            return (self._runs.prepare(tool_input),), {}

    def _run(self, prepared: Prepared, config: RunnableConfig) -> Any:
        with reraised_as(ToolException):
            return self._runs.execute(prepared, config)

    async def _arun(self, prepared: Prepared, config: RunnableConfig) -> Any:
        with reraised_as(ToolException):
            return await self._runs.aexecute(prepared, config)


def wrap_tool(theirs: BaseTool, **options: Unpack[CheckerOptions]) -> BaseTool:
    """Return a copy of a LangChain tool that coerces JSON arguments first.

    What is refused is a `pydantic.ValidationError`, as for every tool that has a model: agents tell
    the language model, and `handle_validation_error` holds. A tool is returned itself if its schema
    cannot be compiled.
    """
    return wrapped(_LANGCHAIN, theirs, _Coercing, **options)


class _Coercing(BaseTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool = PrivateAttr()

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> Any:
        if isinstance(tool_input, dict):  # a text is the value of a single parameter
            sent = self._filter_injected_args(tool_input)
            injected = {name: tool_input[name] for name in tool_input.keys() - sent.keys()}
            try:
                arguments = self._checker.prepare(sent).arguments
            except ToolError as error:
                if isinstance(self, _FromTool):  # which answers for itself
                    raise ToolException(str(error)) from error
                raise as_validation_error(error, self.name, sent) from error
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


# ------------------------------------------------------------------------------------ agents
def middleware(**options: Unpack[CheckerOptions]) -> Any:
    """Return middleware for `create_agent` that coerces the arguments of all tools.

    The conversation then holds the coerced arguments. Calls with malformed text, which would end
    the agent, are mended as well. A call that is refused is answered at once, with the status
    "error"; so is one that may be cut off, by the reason that the message gives for its end, and a
    `ToolError` that a tool's own code raises. Structured output is read as the arguments of a tool
    are, by either strategy, and `handle_errors` holds for what is refused.
    """
    with extra("langchain"):  # tools do without
        from langchain.agents.middleware import AgentMiddleware, ModelResponse  # noqa: PLC0415
        from langchain.agents.structured_output import StructuredOutputError  # noqa: PLC0415

    calls = _Calls(**options)

    class CoercionMiddleware(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            try:
                response = handler(request)
            except StructuredOutputError as error:
                response = ModelResponse(result=[error.ai_message])
                return calls.mended(request, response, error)
            return calls.mended(request, response)

        async def awrap_model_call(
            self, request: Any, handler: Callable[[Any], Awaitable[Any]]
        ) -> Any:
            try:
                response = await handler(request)
            except StructuredOutputError as error:
                response = ModelResponse(result=[error.ai_message])
                return calls.mended(request, response, error)
            return calls.mended(request, response)

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
        self._checkers = Checkers(_LANGCHAIN, **options)
        self._reworded: dict[str, tuple[BaseTool, BaseTool]] = {}

    def mended(self, request: Any, response: Any, error: Exception | None = None) -> Any:
        """Return the response, its calls followed by the answers to those that are refused.

        Args:
            request: what the model was asked.
            response: what it answered.
            error: that of the agent, if it has found no structured output in the answer.

        Raises:
            StructuredOutputError: as the agent, if what it found is not handled.

        """
        tools = {tool.name: tool for tool in request.tools if isinstance(tool, BaseTool)}
        output = _Output(request.response_format, self._checkers.cache, error)
        result: list[BaseMessage] = []
        for message in response.result:
            if not isinstance(message, AIMessage):
                result += [] if output.has_answered(message) else [message]
                continue
            turn = listed_turn(message)
            specs = output.asked_by(turn.calls)
            read, answers = [], []
            for call in turn.calls:
                name = call["name"] or ""
                checker = output.checker(specs.get(name)) or self._checkers.of(tools.get(name))
                made, refused = _mend_call(call, checker, turn)
                read.append(made)
                if name in specs:
                    answers.append(output.answer(specs[name], made, refused, message))
                elif refused is not None:
                    answers.append(_refusal(refused, made))
            invalid = [call for call in read if call.get("type") == "invalid_tool_call"]
            calls = [call for call in read if call not in invalid]
            update = {"tool_calls": calls, "invalid_tool_calls": invalid}
            result += [message.model_copy(update=update), *answers]
            if not turn.calls:
                is_read = response.structured_response is not None
                output.read_text(message, is_read=is_read, cut_off=turn.truncated())
        if output.is_read:
            return replace(response, result=result, structured_response=output.value)
        if error is not None:
            raise error
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


def _mend_call(call: Any, tool: Tool | None, turn: Turn) -> tuple[Any, ToolError | None]:
    """A call as the conversation gets it, valid or not, and the error if it is refused."""
    if tool is None:
        return call, None
    sent = call["args"]
    mended = tool_call(
        name=call["name"], args=sent if isinstance(sent, dict) else {}, id=call["id"]
    )
    try:
        prepared = prepare_sent(tool, sent, mended, cut_off=turn.cuts_off(call, sent))
        mended["args"] = prepared.arguments
    except ToolError as error:
        return mended, error
    return mended, None


class _Output:
    """The structured output of an agent, read by its schema before the agent's own reading counts.

    Args:
        response_format: the strategy, or the schema, that the agent has.
        cache: the checkers of the tools.
        error: that of the agent, if it has found none.

    """

    def __init__(self, response_format: Any, cache: ToolCache, error: Exception | None) -> None:
        self._strategy = response_format
        self._cache = cache
        self._error = error
        self._answered: set[Any] = set()
        self.is_read = False
        self.value: Any = None

    def asked_by(self, calls: Sequence[Any]) -> dict[str, Any]:
        """Return the schemas that calls are for, by name; none if they are several.

        The agent refuses several.
        """
        specs = {spec.name: spec for spec in self._specs()}
        found = [call["name"] for call in calls if call["name"] in specs]
        return {found[0]: specs[found[0]]} if len(found) == 1 else {}

    def checker(self, spec: Any) -> Tool | None:
        """Return what reads the output by a schema."""
        if spec is None:
            return None
        kind = spec.schema
        origin = None if isinstance(kind, dict) else core_schema_of(kind)
        return self._cache.get(spec.name, spec.json_schema, origin=origin)

    def answer(
        self, spec: Any, call: Any, refused: ToolError | None, said: AIMessage
    ) -> ToolMessage:
        """Return the answer to a mended call, as the agent would write it."""
        from langchain.agents.structured_output import OutputToolBinding  # noqa: PLC0415

        self.is_read = True
        self._answered.add(call["id"])
        try:
            if refused is not None:
                raise refused
            self.value = OutputToolBinding.from_schema_spec(spec).parse(call["args"])
        except ValueError as error:
            return _refusal(ToolError(self._words(error, spec.name, said)), call)
        content = getattr(self._strategy, "tool_message_content", None)
        content = content or f"Returning structured response: {self.value}"
        return ToolMessage(content, name=call["name"], tool_call_id=call["id"])

    def has_answered(self, message: Any) -> bool:
        """Return whether a message of the agent's answers a call that is answered here."""
        return getattr(message, "tool_call_id", None) in self._answered

    def read_text(self, said: AIMessage, *, is_read: bool, cut_off: bool) -> None:
        """Read the output in a message without calls, if the agent has looked for one there.

        Raises:
            StructuredOutputValidationError: where no reading of it is valid.

        """
        from langchain.agents.structured_output import (  # noqa: PLC0415
            ProviderStrategyBinding,
            StructuredOutputValidationError,
        )

        specs = self._specs()
        if not specs or not (is_read or self._error):
            return
        checker = self.checker(specs[0])
        if checker is None:
            return
        try:
            text = prepare_sent(checker, str(said.text), cut_off=cut_off).canonical
            self.value = ProviderStrategyBinding.from_schema_spec(specs[0]).parse(AIMessage(text))
        except ValueError as error:
            raise StructuredOutputValidationError(specs[0].name, error, said) from error
        self.is_read = True

    def _specs(self) -> list[Any]:
        """Return the schemas of the output, as the agent describes them."""
        from langchain.agents.structured_output import ToolStrategy  # noqa: PLC0415

        strategy = self._strategy
        if strategy is None:
            return []
        if hasattr(strategy, "schema_spec"):
            return [strategy.schema_spec]
        if not hasattr(strategy, "schema_specs"):  # the agent takes what the model is able to
            strategy = ToolStrategy(getattr(strategy, "schema", strategy))
        return [*strategy.schema_specs]

    def _words(self, error: ValueError, name: str, said: AIMessage) -> str:
        """Return the message for the model about refused output, as the agent words it.

        Raises:
            StructuredOutputValidationError: if the agent sends the model no message.

        """
        from langchain.agents.structured_output import (  # noqa: PLC0415
            StructuredOutputValidationError,
        )

        handle = getattr(self._strategy, "handle_errors", True)
        refused = StructuredOutputValidationError(name, error, said)
        if isinstance(handle, str):
            return handle
        if handle is True:
            return str(error)
        if isinstance(handle, (type, tuple)):
            if isinstance(refused, handle):
                return str(error)
        elif handle is not False:
            return str(handle(refused))
        raise refused from error


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
