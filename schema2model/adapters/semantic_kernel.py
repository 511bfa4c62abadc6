"""Semantic Kernel: exact arguments for all functions of a kernel, also of MCP plugins.

kernel.add_filter(FilterTypes.AUTO_FUNCTION_INVOCATION, coercion())  # all that a model calls
kernel.add_function("shop", from_tool(tool)); kernel.add_function("shop", wrap_tool(theirs))

The function's result is the message of a refused call, without the filter after the kernel's "An
error occurred while invoking the function". The kernel itself answers calls with missing or unknown
names, and calls whose text is not JSON, even with single quotes replaced by double ones.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import PrivateAttr
from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import ours_behind, with_ours
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.providers.simplifying import inline_refs
from schema2model.tools.tool_cache import CheckerOptions

with extra("semantic-kernel"):
    from semantic_kernel.filters import AutoFunctionInvocationContext, FunctionInvocationContext
    from semantic_kernel.functions import (
        FunctionResult,
        KernelArguments,
        KernelFunction,
        KernelFunctionMetadata,
        KernelParameterMetadata,
    )

__all__ = ["coercion", "from_tool", "wrap_tool"]


_KERNEL = Framework(
    KernelFunction,
    lambda theirs: Seen(theirs.fully_qualified_name, _shown(theirs), ours_behind(theirs)),
    context=FunctionInvocationContext,
    application=lambda context: context.arguments,
)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None) -> KernelFunction:
    """Return a kernel function that runs a schema2model tool, in a thread if it is synchronous.

    A kernel knows parameters by name, with a schema each. The rest of the tool's schema is
    not shown to models, but checked.

    Args:
        tool: one with a function; what is injected is one of the application's `KernelArguments`,
            or the `FunctionInvocationContext`, which has the kernel and all arguments.
        inject: values for injected parameters, by name.

    Raises:
        ValueError: for a schema that is not of objects, or with a name that a kernel does not take.

    """
    ours = Ours(_KERNEL, tool, inject)
    schema = tool.shown_schema
    required = schema.get("required", ())
    parameters = [
        KernelParameterMetadata(
            name=name,
            schema_data=inline_refs(shown, schema),
            is_required=name in required,
            type_object=Any,
        )
        for name, shown in schema.get("properties", {}).items()
    ]
    metadata = KernelFunctionMetadata(
        name=tool.name,
        description=tool.description,
        parameters=parameters,
        is_prompt=False,
        is_asynchronous=tool.asynchronous,
    )
    return with_ours(_FromTool(metadata=metadata), ours)


class _FromTool(KernelFunction):
    """A function of ours."""

    _runs: Ours = PrivateAttr()

    async def _invoke_internal(self, context: FunctionInvocationContext) -> None:
        result = await self._runs.acall(_sent(self, context.arguments), context)
        context.result = FunctionResult(function=self.metadata, value=result)

    async def _invoke_internal_stream(self, context: FunctionInvocationContext) -> None:
        await self._invoke_internal(context)


def wrap_tool(theirs: KernelFunction, **options: Unpack[CheckerOptions]) -> KernelFunction:
    """Return a copy of a kernel function that coerces its arguments first.

    It is `theirs` itself if its schema cannot be compiled.
    """
    return wrapped(_KERNEL, theirs, _Coercing, **options)


class _Coercing(KernelFunction):
    """The methods that `with_methods` puts before those of a function's own class."""

    _checker: Tool = PrivateAttr()

    async def invoke(
        self,
        kernel: Any,
        arguments: KernelArguments | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> FunctionResult | None:
        given = KernelArguments(**kwargs) if arguments is None else arguments
        prepared = self._checker.prepare(_sent(self, given))
        return await super().invoke(kernel, _with(given, self, prepared.arguments), metadata)


def coercion(**options: Unpack[CheckerOptions]) -> Callable[..., Awaitable[None]]:
    """Return a filter for `FilterTypes.AUTO_FUNCTION_INVOCATION`, for all that a model calls."""
    checkers = Checkers(_KERNEL, **options)

    async def coerce(
        context: AutoFunctionInvocationContext,
        next: Callable[[AutoFunctionInvocationContext], Awaitable[None]],  # noqa: A002 - the kernel's
    ) -> None:
        function = context.function
        ours = checkers.of(function)
        if ours is not None and context.arguments is not None:
            try:
                prepared = ours.prepare(_sent(function, context.arguments))
            except ToolError as error:
                context.function_result = FunctionResult(
                    function=function.metadata, value=str(error)
                )
                return
            context.arguments = _with(context.arguments, function, prepared.arguments)
        await next(context)

    return coerce


def _offered(function: KernelFunction) -> list[KernelParameterMetadata]:
    """Return the parameters that models are shown; others are the application's to fill in."""
    return [p for p in function.parameters if p.include_in_function_choices and p.name]


def _shown(function: KernelFunction) -> dict[str, Any]:
    offered = _offered(function)
    return {
        "type": "object",
        "properties": {p.name: p.schema_data or {} for p in offered},
        "required": [p.name for p in offered if p.is_required],
    }


def _sent(function: KernelFunction, arguments: KernelArguments) -> dict[str, Any]:
    names = [p.name for p in _offered(function)]
    return {name: arguments[name] for name in names if name in arguments}


def _with(
    arguments: KernelArguments, function: KernelFunction, exact: dict[str, Any]
) -> KernelArguments:
    """Return the arguments, with those that a model has sent as the function takes them."""
    names = {p.name for p in _offered(function)}
    made = copy.copy(arguments)
    for name in names:
        made.pop(name, None)
    made.update(exact)
    return made
