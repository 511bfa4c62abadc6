"""Model Context Protocol, the official SDK, 1.x and 2.x: exact arguments in servers and clients.

server = MCPServer("shop", tools=[from_tool(tool), wrap_tool(theirs)])     # FastMCP in 1.x
server = Server("shop", ...); server.middleware.append(CoercionMiddleware())    # 2.x only
async with CoercingClient(url) as client: ...    # in 1.x: CoercingSession, for ClientSession

A low-level server of 1.x has no middleware: call `toolset[name].prepare(arguments)` in the handler,
under `call_tool(validate_input=False)`. The result of a refused call has `isError` set and the
message as its text. No conversation is changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import ConfigDict, PrivateAttr
from pydantic_core import to_jsonable_python
from typing_extensions import Unpack

from schema2model import Prepared, Tool, ToolError
from schema2model.adapters.common import (
    made_returning,
    reraised_as,
    watch_list_changes,
    with_checker,
    with_methods,
)
from schema2model.adapters.frameworks import Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.limits import MAX_CACHED_NAMES, MAX_TOOL_NAME, MAX_TOOL_PAGES
from schema2model.tools.conversation import refused_result
from schema2model.tools.result_writing import result_text
from schema2model.tools.results import ResultError, ResultMode, check_result, result_mode
from schema2model.tools.tool import declared_results
from schema2model.tools.tool_cache import (
    CheckerOptions,
    ToolCache,
    checker_options,
    take_checker_options,
)

with extra("mcp"):
    from mcp import ClientSession
    from mcp.types import (
        INTERNAL_ERROR,
        CallToolResult,
        PaginatedRequestParams,
        ToolListChangedNotification,
    )

    try:
        from mcp import Client, MCPError  # type: ignore[attr-defined]
        from mcp.server.mcpserver import Context
        from mcp.server.mcpserver.exceptions import ToolError as TheirToolError
        from mcp.server.mcpserver.tools.base import Tool as TheirTool
        from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
    except ImportError:  # 1.x
        Client = MCPError = None  # type: ignore[assignment, misc]
        from mcp.server.fastmcp import Context  # type: ignore[no-redef]
        from mcp.server.fastmcp.exceptions import ToolError as TheirToolError  # type: ignore[no-redef]
        from mcp.server.fastmcp.tools.base import Tool as TheirTool  # type: ignore[no-redef]
        from mcp.server.fastmcp.utilities.func_metadata import (  # type: ignore[no-redef]
            ArgModelBase,
            FuncMetadata,
        )

__all__ = ["CoercingSession", "CoercionMiddleware", "from_tool", "wrap_tool"]


# ------------------------------------------------------------------------------------ servers
def _seen(theirs: TheirTool) -> Seen:
    core_schema = theirs.fn_metadata.arg_model.__pydantic_core_schema__
    return Seen(theirs.name, theirs.parameters, core_schema)


_MCP = Framework(
    TheirTool,
    _seen,
    context=Context,
    application=lambda context: context.request_context.lifespan_context,
)


def from_tool(
    tool: Tool,
    *,
    structured_output: bool | None = None,
    inject: Mapping[str, Any] | None = None,
    **options: Any,
) -> TheirTool:
    """Return a tool for `MCPServer(tools=[...])` that runs a schema2model tool.

    Its `outputSchema` is the definition's, or what the SDK makes of the function's return
    annotation; results are `structuredContent` of it. What an async generator yields is a list.

    Args:
        tool: one with a function; what is injected is the server's lifespan context, a value in
            it, or the SDK's `Context`.
        structured_output: the SDK's option: False declares no `outputSchema`, True requires one.
        inject: values for injected parameters, by name.
        options: what else the SDK's `Tool` has: `title`, `annotations`, `icons`, `meta`.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_MCP, tool, inject)

    def prepare(arguments: dict[str, Any]) -> Prepared:
        with reraised_as(_RefusedError):
            return ours.prepare(arguments)

    def call(arguments: dict[str, Any], context: Any = None) -> Any:
        with reraised_as(TheirToolError):
            return _without_bytes(ours.execute(prepare(arguments), context))

    async def acall(arguments: dict[str, Any], context: Any = None) -> Any:
        with reraised_as(TheirToolError):
            return _without_bytes(await ours.aexecute(prepare(arguments), context))

    return _OwnTool(
        fn=acall if ours.is_asynchronous else call,
        name=tool.name,
        description=tool.description,
        parameters=tool.shown_schema,
        fn_metadata=_result_metadata(tool, structured_output=structured_output),
        is_async=ours.is_asynchronous,
        context_kwarg="context" if tool.injected else None,
        **options,
    )


def _without_bytes(result: Any) -> Any:
    """Return bytes as text: the SDK would quote them, and fail where they are not UTF-8."""
    return result_text(result) if isinstance(result, (bytes, bytearray)) else result


class _RefusedError(TheirToolError):
    """Arguments are refused: the message names the tool."""


class _OwnTool(TheirTool):
    async def run(self, arguments: dict[str, Any], *args: Any, **options: Any) -> Any:
        try:
            return await super().run(arguments, *args, **options)
        except TheirToolError as error:
            if isinstance(error.__cause__, _RefusedError):  # the SDK named the tool once more
                raise error.__cause__ from None
            raise


def _result_metadata(tool: Tool, *, structured_output: bool | None) -> FuncMetadata:
    """Return the SDK's metadata of a tool that declares its results, and accepts any arguments."""
    schema, annotation = declared_results(tool)
    if schema is not None and structured_output is not False:
        return _DeclaredResults(arg_model=_Anything, output_schema=schema)
    name = getattr(tool.function, "__name__", tool.name)
    make = partial(TheirTool.from_function, name="result", structured_output=structured_output)
    native = made_returning(make, annotation, name)
    return native.fn_metadata.model_copy(update={"arg_model": _Anything})


class _DeclaredResults(FuncMetadata):
    """Metadata with a definition's own `outputSchema`, for which the SDK has no pydantic model."""

    def convert_result(self, result: Any) -> Any:
        if isinstance(result, CallToolResult):
            return result
        structured = to_jsonable_python(result)
        content = [{"type": "text", "text": result_text(result)}]
        return CallToolResult.model_validate({"content": content, "structuredContent": structured})


def wrap_tool(theirs: TheirTool, **options: Unpack[CheckerOptions]) -> TheirTool:
    """Return a server's tool that coerces its arguments first, and is otherwise the same.

    It is `theirs` itself if its schema cannot be compiled.
    """
    return wrapped(_MCP, theirs, _checked, **options)


def _checked(theirs: TheirTool, checker: Tool) -> TheirTool:
    metadata = with_methods(theirs.fn_metadata, _Unparsed)
    made = with_methods(theirs.model_copy(update={"fn_metadata": metadata}), _CoercingTool)
    return with_checker(made, checker)


class _Anything(ArgModelBase):
    """A model of the SDK's that accepts any arguments, and passes them on as one value.

    So that no argument has the name of the context.
    """

    model_config = ConfigDict(extra="allow")

    def model_dump_one_level(self) -> dict[str, Any]:
        return {"arguments": dict(self.__pydantic_extra__ or {})}


class _Unparsed(FuncMetadata):
    """Metadata that leave arguments alone: the SDK would make a list of the string `"[1]"`."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


class _CoercingTool(TheirTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool = PrivateAttr()

    async def run(self, arguments: dict[str, Any], *args: Any, **options: Any) -> Any:
        with reraised_as(TheirToolError):
            arguments = self._checker.prepare(arguments).arguments
        return await super().run(arguments, *args, **options)


class CoercionMiddleware:
    """Coerces the arguments of every call, for servers of raw schemas and proxies; 2.x only.

    Schemas are compiled when a client lists the tools. If a call comes before that, or after the
    server has announced a change, the middleware lists them itself. For tools that the SDK makes of
    functions, it parses strings once more after the middleware; `wrap_tool` prevents that.

    With `results="check"`, `"correct"` or `"refuse"`, results are read by the tool's
    `outputSchema`: those that do not match are logged, corrected, or answered with an error.
    """

    def __init__(self, *, results: ResultMode = "off", **options: Unpack[CheckerOptions]) -> None:
        self._checkers = _ListedTools(**options)
        self._results = result_mode(results)

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Pass a message on: as it is, but for calls and lists of tools."""
        watch_list_changes(ctx.session, self._checkers.forget)
        if ctx.method == "tools/list":
            return await self._checkers.listed(call_next(ctx))
        params = ctx.params or {}
        name = params.get("name")
        if ctx.method != "tools/call" or not isinstance(name, str):
            return await call_next(ctx)

        async def page(cursor: str | None) -> Any:
            asked = {"_meta": params["_meta"]} if "_meta" in params else {}  # the client's identity
            if cursor:
                asked["cursor"] = cursor
            listing = call_next(replace(ctx, method="tools/list", params=asked))
            return await self._checkers.listed(listing)

        try:
            arguments = await self._checkers.prepare(name, params.get("arguments"), page)
        except ToolError as error:
            return _refused(error)
        if arguments is not None:
            ctx = replace(ctx, params={**params, "arguments": arguments})
        result = await call_next(ctx)
        return result if self._results == "off" else self._check_result(name, result)

    def _check_result(self, name: str, result: Any) -> Any:
        """The result of a tool, as its `outputSchema` asks for it."""
        sent = _plain(result)
        try:
            own = self._checkers.checked(name, sent, self._results)
        except ResultError as error:  # the server's mistake, not the model's
            raise MCPError(INTERNAL_ERROR, str(error)) from None
        return result if own is sent else CallToolResult.model_validate(own)


# ------------------------------------------------------------------------------------ clients
class _Coercing:
    """Mixin of clients that coerces arguments before a call."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._checkers = _ListedTools(**take_checker_options(options))
        options["message_handler"] = self._checkers.notified(options.get("message_handler"))
        super().__init__(*args, **options)

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **options: Any
    ) -> Any:
        """Call a tool with coerced arguments; those that are refused never reach the server."""
        try:
            arguments = await self._checkers.prepare(name, arguments, self._page)
        except ToolError as error:
            return _refused(error)
        return await super().call_tool(name, arguments, *args, **options)  # type: ignore[misc]

    async def list_tools(self, *args: Any, **options: Any) -> Any:
        """List the server's tools; their schemas are those that count from now on."""
        return await self._checkers.listed(super().list_tools(*args, **options))  # type: ignore[misc]

    async def _page(self, cursor: str | None) -> Any:
        return await self.list_tools(cursor=cursor)


class CoercingSession(_Coercing, ClientSession):  # type: ignore[misc]
    """A `ClientSession` that coerces the arguments of every call before it is sent.

    Each schema is compiled once. The server's tools are listed again when it says that they have
    changed.

    Args:
        args: those of `ClientSession`.
        options: those of `ClientSession`, and `CheckerOptions`.

    """

    async def _page(self, cursor: str | None) -> Any:
        return await self.list_tools(params=PaginatedRequestParams(cursor=cursor))


if Client is not None:

    class CoercingClient(_Coercing, Client):  # type: ignore[misc]
        """A `Client` that coerces before it calls a tool, as `CoercingSession` does; 2.x only."""

    __all__ += ["CoercingClient"]


# ------------------------------------------------------------------------------------ schemas
class _ListedTools:
    """The tools that a server has listed, as checkers of their arguments."""

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self._options = checker_options(**options)
        self._cache = ToolCache(**options)
        self._unlisted: set[str] = set()

    async def prepare(
        self, name: str, arguments: Any, list_page: Callable[[str | None], Awaitable[Any]]
    ) -> Any:
        """The arguments as the tool takes them, or as they are if the server lists no such tool.

        Raises:
            ToolError: where no reading of the arguments is valid.

        """
        cache, unlisted, cursor = self._cache, self._unlisted, None
        for _ in range(MAX_TOOL_PAGES):
            if name in cache.schemas or name in unlisted:
                break
            cursor = _plain(await list_page(cursor)).get("nextCursor")
            if not cursor:
                break
        ours = cache.listed(name)
        if ours is None:
            if len(unlisted) < MAX_CACHED_NAMES and len(name) <= MAX_TOOL_NAME:
                unlisted.add(name)
            return arguments
        return ours.prepare({} if arguments is None else arguments).arguments

    def checked(self, name: str, result: dict[str, Any], mode: ResultMode) -> Mapping[str, Any]:
        """The result to hand on; the same object if nothing changes."""
        coercion = self._options.get("coercion", "default")
        return check_result(name, self._cache.output_schemas.get(name), result, mode, coercion)

    async def listed(self, listing: Awaitable[Any]) -> Any:
        """A page of the server's tools. Its tools are known from then on."""
        cache = self._cache  # now: if the tools change while we wait, the page is outdated
        page = await listing
        listed = _plain(page)
        cache.add_page(listed)
        for tool in listed["tools"]:
            cache.listed(tool["name"])  # compiles it, before it is called
        return page

    def forget(self) -> None:
        """Forget the tools: their list has changed."""
        self._cache, self._unlisted = ToolCache(**self._options), set()

    def notified(self, handler: Any) -> Any:
        """A handler of a client's messages that forgets the tools when their list has changed."""

        async def notified(message: Any) -> None:
            if isinstance(getattr(message, "root", message), ToolListChangedNotification):
                self.forget()
            if handler is not None:
                await handler(message)

        return notified


def _plain(page: Any) -> dict[str, Any]:
    """A result as a dict with the protocol's own names, whichever version the SDK has."""
    return page if isinstance(page, dict) else page.model_dump(by_alias=True)


def _refused(error: ToolError) -> CallToolResult:
    return CallToolResult.model_validate(refused_result(error))
