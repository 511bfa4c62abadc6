"""FastMCP: exact arguments for all tools of a server, also of its proxies and mounted servers.

server = create_proxy("https://example.org/mcp"); server.add_middleware(CoercionMiddleware())
server.add_tool(from_tool(tool))  # a schema2model tool, with its own schema
server.add_tool(wrap_tool(theirs))  # or a single FastMCP tool

A refused call raises FastMCP's own `ToolError`, which the model reads. No conversation is changed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import (
    made_returning,
    raising,
    reraised_as,
    watch_list_changes,
)
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.conversation import refused_result
from schema2model.tools.results import ResultError, ResultMode, check_result, result_mode
from schema2model.tools.tool import declared_results
from schema2model.tools.tool_cache import CheckerOptions

with extra("fastmcp"):
    import anyio
    from fastmcp.exceptions import ToolError as TheirToolError
    from fastmcp.server.context import Context
    from fastmcp.server.dependencies import get_context, without_injected_parameters
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools import FunctionTool, Tool as TheirTool, ToolResult
    from fastmcp.utilities.types import get_cached_typeadapter
    from fastmcp.utilities.versions import VersionSpec
    from mcp.shared import exceptions
    from mcp.types import INTERNAL_ERROR, CallToolRequestParams, ErrorData

__all__ = ["CoercionMiddleware", "from_tool", "wrap_tool"]


def _seen(theirs: TheirTool) -> Seen:
    return Seen(theirs.name, theirs.parameters, _origin(theirs), theirs.key)


_FASTMCP = Framework(
    TheirTool,
    _seen,
    refuse=raising(TheirToolError),
    context=Context,
    application=lambda context: context.lifespan_context,
)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any) -> TheirTool:
    """Return a tool for `FastMCP.add_tool` that runs a schema2model tool.

    Its output schema is the definition's `outputSchema`, or what FastMCP makes of the function's
    return annotation; results are structured content of it.

    Args:
        tool: one with a function; what is injected is a value in the server's lifespan context, or
            FastMCP's `Context`.
        inject: values for injected parameters, by name.
        options: what else FastMCP's `Tool` has: `title`, `tags`, `annotations`, `output_schema`...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_FASTMCP, tool, inject)
    parameters = tool.shown_schema
    schema, annotation = declared_results(tool)
    native = made_returning(TheirTool.from_function, annotation, "result")
    described = {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters,
        "output_schema": native.output_schema if schema is None else schema,
        "return_type": native.return_type,
    }
    return _FromTool(ours=tool, runs=ours, **{**described, **options})


def wrap_tool(theirs: TheirTool, **options: Unpack[CheckerOptions]) -> TheirTool:
    """Return a FastMCP tool that coerces its arguments first, and is otherwise the same.

    It is `theirs` itself if its schema cannot be compiled.
    """
    return wrapped(_FASTMCP, theirs, _checked, **options)


def _checked(theirs: TheirTool, checker: Tool) -> TheirTool:
    shared = {name: getattr(theirs, name) for name in TheirTool.model_fields}
    return _CoercingTool(ours=checker, theirs=theirs, **shared)


class CoercionMiddleware(Middleware):
    """Coerces the arguments of every call before the tool sees them.

    A tool's schema is compiled when it is first called, and again if it has changed. If a server
    announces that its tools have changed, they are listed again before the next call: FastMCP's
    proxies would use their last list for minutes. Arguments in a JSON text, which FastMCP refuses
    before any middleware of its own, are read from the first handshake on.

    With `results="check"`, `"correct"` or `"refuse"`, results are read by the tool's output schema:
    those that do not match are logged, corrected, or answered with an error.
    """

    def __init__(self, *, results: ResultMode = "off", **options: Unpack[CheckerOptions]) -> None:
        self._checkers = Checkers(_FASTMCP, **options)
        self._coercion = options.get("coercion", "default")
        self._results = result_mode(results)
        self._is_outdated = False
        self._listing = anyio.Lock()

    async def on_message(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Pass a message on; from the first on, the server reads arguments in a text."""
        server = context.fastmcp_context and context.fastmcp_context.fastmcp
        with contextlib.suppress(AttributeError, RuntimeError):  # there is no session
            watch_list_changes(context.fastmcp_context.session, self._outdate)  # type: ignore[union-attr]
        outer = getattr(getattr(server, "_mcp_server", None), "middleware", None)  # SDK 2.x
        if isinstance(outer, list) and not any(isinstance(each, _TextReader) for each in outer):
            outer.append(_TextReader(self, server))
        return await call_next(context)

    async def read_text(self, server: Any, message: Any, arguments: str) -> dict[str, Any] | None:
        """Return the arguments in a text; None for an unknown tool.

        Raises:
            ToolError: where no reading of the text is valid.

        """
        theirs = await self._find_tool(server, message)
        ours = self._checkers.of(theirs)
        return ours.prepare(arguments).arguments if ours else None

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Pass a call on with its arguments as the tool takes them."""
        message = context.message
        server = context.fastmcp_context
        theirs = server and await self._find_tool(server.fastmcp, message)
        ours = self._checkers.of(theirs)
        if ours is not None:
            with reraised_as(TheirToolError):
                arguments = ours.prepare(message.arguments or {}).arguments
            context = context.copy(message=message.model_copy(update={"arguments": arguments}))
        result = await call_next(context)
        if self._results == "off" or theirs is None:
            return result
        return self._check_result(message.name, theirs.output_schema, result)

    def _outdate(self) -> None:
        self._is_outdated = True

    async def _find_tool(self, server: Any, message: CallToolRequestParams) -> Any:
        """Return the tool that a call names, from a list that is up to date; or None."""
        if self._is_outdated or self._listing.locked():
            async with self._listing:
                if self._is_outdated:
                    self._is_outdated = False  # before the list: it may change meanwhile
                    await server.list_tools(run_middleware=False)
        return await server.get_tool(message.name, _requested_version(message))

    def _check_result(self, name: str, schema: Any, result: ToolResult) -> ToolResult:
        """Return the result of a tool, as its output schema asks for it."""
        sent = {
            "content": [block.model_dump(mode="json") for block in result.content],
            "structuredContent": result.structured_content,
            "isError": result.is_error,
        }
        try:
            own = check_result(name, schema, sent, self._results, self._coercion)
        except ResultError as error:  # the server's mistake, not the model's
            raise _protocol_error(str(error)) from None
        if own is sent:
            return result
        content = result.content
        if own["content"] is not sent["content"]:
            content = [content[0].model_copy(update={"text": own["content"][0]["text"]})]
        return ToolResult(
            content=content, structured_content=own["structuredContent"], meta=result.meta
        )


class _TextReader:
    """Middleware of the SDK's that reads arguments in a text before FastMCP refuses them."""

    def __init__(self, middleware: CoercionMiddleware, server: Any) -> None:
        self._middleware = middleware
        self._server = server

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        params = ctx.params or {}
        arguments = params.get("arguments")
        if ctx.method == "tools/call" and isinstance(arguments, str):
            message = CallToolRequestParams.model_validate({**params, "arguments": {}})
            try:
                read = await self._middleware.read_text(self._server, message, arguments)
            except ToolError as error:
                return refused_result(error)
            if read is not None:
                ctx = replace(ctx, params={**params, "arguments": read})
        return await call_next(ctx)


def _protocol_error(message: str) -> Exception:
    """Return an error that is answered as one of JSON-RPC, which models do not get to read."""
    if hasattr(exceptions, "MCPError"):
        return exceptions.MCPError(INTERNAL_ERROR, message)
    error = ErrorData(code=INTERNAL_ERROR, message=message)  # 1.x
    return exceptions.McpError(error)  # type: ignore[attr-defined, no-any-return, unused-ignore]


class _FromTool(TheirTool):
    """A tool of ours."""

    ours: Any
    runs: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        context = get_context() if self.ours.injected else None
        return self.convert_result(await self.runs.acall(arguments, context))


class _CoercingTool(TheirTool):
    """A tool of theirs, with its arguments coerced."""

    ours: Any
    theirs: TheirTool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        with reraised_as(TheirToolError):
            arguments = self.ours.prepare(arguments).arguments
        return await self.theirs.run(arguments)


def _origin(theirs: TheirTool) -> Any:
    """Return what reads a tool's arguments: ours, or what pydantic makes of a function; or None."""
    if isinstance(theirs, (_FromTool, _CoercingTool)):
        return theirs.ours
    if isinstance(theirs, FunctionTool):
        return _core_schema(theirs.fn)
    return None


@lru_cache
def _core_schema(function: Any) -> Any:
    """Return what pydantic makes of a function's parameters, but for those that FastMCP injects.

    It is the same object each time, so that a checker that is made of it is made once.
    """
    return get_cached_typeadapter(without_injected_parameters(function)).core_schema


def _requested_version(message: CallToolRequestParams) -> VersionSpec | None:
    """Return the version of the tool that a call asks for, if it asks for one."""
    meta: Any = message.meta or {}
    asked = (meta.get("fastmcp") or {}).get("version")
    return VersionSpec(**({"eq": asked} if isinstance(asked, str) else asked)) if asked else None
