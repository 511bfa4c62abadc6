"""The function of a tool for frameworks that inspect functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from schema2model.json.values import NotJSONError, plain_copy
from schema2model.tools.argument_values import jsonable
from schema2model.tools.execution import arun, run
from schema2model.tools.parameters import Parameters, standalone

__all__ = ["standalone_function"]


class _Preparing(Protocol):
    """The part of a tool that is used here."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> Parameters | None: ...
    def prepare(self, arguments: Mapping[str, Any], /) -> Any: ...


def standalone_function(tool: _Preparing) -> Callable[..., Any]:
    """Return a function that prepares its arguments and runs the tool; see `Tool.as_function`.

    Raises:
        TypeError: if the tool has no function.

    """
    parameters = tool.parameters
    if parameters is None:
        message = f"`{tool.name}` has no function; pass one to Tool.from_definition"
        raise TypeError(message)

    def called(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        arguments, injected = parameters.taken(args, kwargs)
        try:
            plain_copy(arguments)
        except NotJSONError:  # frameworks pass on instances that they made
            arguments = jsonable(arguments)
        execute = arun if parameters.asynchronous else run
        return execute(tool.prepare(arguments), injected, as_is=True)

    return standalone(parameters, called, tool.name)
