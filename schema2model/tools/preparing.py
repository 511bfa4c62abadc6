"""From the raw arguments of a call to what the function of the tool takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from schema2model.calls.call_types import DecodedArguments
from schema2model.errors import ToolError
from schema2model.json.quoting import printable
from schema2model.json.values import NotJSONError, plain_copy
from schema2model.schema.undeclared import DeclaredNames
from schema2model.tools.argument_text import read_arguments, read_strict_arguments
from schema2model.tools.argument_values import jsonable, unpacked
from schema2model.tools.converting import Converter
from schema2model.tools.execution import arun, run
from schema2model.tools.leaked_markup import refuse_swallowed
from schema2model.tools.parameters import standalone
from schema2model.tools.tool_parts import ToolParts, parts_of

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["function_of", "read_call"]


def read_call(parts: ToolParts, arguments: Any, call: Any) -> tuple[Any, Any, bool]:
    """Return valid arguments, the same in the types of the function, and whether text was repaired.

    Raises:
        ToolError: if no reading of the arguments is valid, or an option refuses them.

    """
    repaired = False
    try:
        if type(arguments) is dict and parts.strict is None:
            value = parts.compiled.validate(arguments)
        else:
            value, repaired = _valid(parts, arguments, call)
    except ToolError as error:
        raise _with_refused_types(parts, arguments, error) from None
    if parts.conduct.refuse_markup or parts.conduct.unknown_arguments != "keep":
        _refuse_valid(parts, value)
    parameters = parts.parameters
    if parameters is None or parameters.convert is None:
        return value, value, repaired
    if type(parameters.convert) is Converter and type(arguments) is not dict:
        text = arguments if type(arguments) is str else None
        return value, parameters.convert(value, text), repaired
    return value, parameters.convert(value), repaired


def _valid(parts: ToolParts, arguments: Any, call: Any) -> tuple[Any, bool]:
    """Arguments that satisfy the schema, and whether text was repaired."""
    if parts.strict is not None and type(arguments) is not DecodedArguments:
        return _decoded(arguments, parts, parts.strict, call)
    if issubclass(type(arguments), (str, bytes, bytearray)):
        return read_arguments(arguments, parts.compiled, call)
    return parts.compiled.validate(unpacked(arguments, parts.name)), False


def _with_refused_types(parts: ToolParts, arguments: Any, error: ToolError) -> ToolError:
    """The error with the problems that the function's types find elsewhere in the arguments."""
    convert = parts.parameters.convert if parts.parameters is not None else None
    is_listed = str(error) == str(ToolError.for_arguments(parts.name, error.issues))
    if convert is None or parts.strict is not None or not error.issues or not is_listed:
        return error
    engine = parts.compiled._engine
    try:
        is_text = issubclass(type(arguments), (str, bytes, bytearray))
        reading = engine.read_text(arguments) if is_text else engine.read(dict(arguments))
        convert(reading.attempt)
    except ToolError as refused:
        known = [issue.path for issue in error.issues]
        further = [
            issue
            for issue in refused.issues
            if issue.path and not any(_overlap(issue.path, path) for path in known)
        ]
        if not further:
            return error
        issues = (*error.issues, *further)
        return ToolError.for_arguments(parts.name, issues)
    except Exception:  # noqa: BLE001 - a validator of the function got arguments that are not valid
        return error
    return error


def _overlap(path: str, other: str) -> bool:
    """Return whether one of two JSON Pointers leads to the other's value or to a part of it."""
    return f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/")


def _decoded(arguments: Any, parts: ToolParts, strict: StrictSchema, call: Any) -> tuple[Any, bool]:
    """The arguments that a model wrote for the projection, and whether text was repaired."""
    if issubclass(type(arguments), (str, bytes, bytearray)):
        return read_strict_arguments(arguments, parts.compiled, strict, call)
    return strict.decode(unpacked(arguments, parts.name)), False


def _refuse_valid(parts: ToolParts, value: Any) -> None:
    """Refuse valid arguments as the options say."""
    engine = parts.compiled._engine
    if parts.conduct.refuse_markup:
        refuse_swallowed(parts.name, value, engine.anchors.names())
    option = parts.conduct.unknown_arguments
    error = DeclaredNames(engine.root).refusal(parts.name, value, option)
    if error is not None:
        raise error


def function_of(tool: Any, prepare: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function with the signature of a tool's own, which prepares what it is called with.

    Raises:
        TypeError: if the tool has no function.

    """
    parameters = parts_of(tool).parameters
    if parameters is None:
        message = f"`{printable(tool.name)}` has no function; pass one to Tool.from_definition"
        raise TypeError(message)

    def called(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        arguments, injected = parameters.taken(args, kwargs)
        try:
            plain_copy(arguments)
        except NotJSONError:  # frameworks pass on instances that they made
            arguments = jsonable(arguments)
        execute = arun if parameters.asynchronous else run
        return execute(prepare(arguments), injected, as_is=True)

    return standalone(parameters, called, tool.name)
