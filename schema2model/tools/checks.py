"""Arguments of strict tools, and valid arguments that the options of a tool refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schema2model.coerce.undeclared import undeclared_issues
from schema2model.compiled import CompiledSchema, engine_of
from schema2model.errors import ToolError
from schema2model.tools.argument_text import read_strict_arguments
from schema2model.tools.argument_values import unpacked
from schema2model.tools.base import BaseTool
from schema2model.tools.execution import CallOptions
from schema2model.tools.leaked_markup import refuse_swallowed

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["decoded_arguments", "refuse_by_options"]


def decoded_arguments(
    tool: BaseTool, arguments: Any, strict: StrictSchema, call: Any
) -> tuple[Any, bool]:
    """Return the arguments that follow a strict projection, and whether text was repaired.

    Raises:
        ToolError: if they cannot be decoded.

    """
    if issubclass(type(arguments), (str, bytes, bytearray)):
        return read_strict_arguments(arguments, tool.compiled, strict, call)
    return strict.decode(unpacked(arguments, tool.name)), False


def refuse_by_options(compiled: CompiledSchema, options: CallOptions, value: Any) -> None:
    """Refuse valid arguments as `refuse_markup` and `unknown_arguments` say.

    Raises:
        ToolError: if one of them does.

    """
    engine = engine_of(compiled)
    if options.refuse_markup:
        refuse_swallowed(compiled.name, value, engine.anchors.names())
    if options.unknown_arguments != "keep":
        similar_only = options.unknown_arguments == "refuse_similar"
        if found := undeclared_issues(engine.root, value, similar_only=similar_only):
            raise ToolError.for_arguments(compiled.name, found)
