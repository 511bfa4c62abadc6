"""The parts of a tool, from a definition or a function and the options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple

from schema2model.cache import compile_schema
from schema2model.coercions import coercion_named
from schema2model.compiled import CompiledSchema
from schema2model.tools.execution import CallOptions
from schema2model.tools.handlers import read_handler
from schema2model.tools.parameters import Parameters
from schema2model.tools.providers.definitions import Definition, read_definition
from schema2model.tools.signatures import Inject, read_function
from schema2model.tools.usage_errors import require_options

__all__ = ["OPTIONS", "ToolParts", "parts_from_definition", "parts_from_function"]

COMPILE_OPTIONS = ("coercion", "dialect", "formats", "fallback_reader")
OPTIONS = (*COMPILE_OPTIONS, *(each.name for each in fields(CallOptions)))
"""The keys of `ToolOptions`."""

_TYPING = frozenset({"type", "enum", "const"})
"""Keywords that say which types of values a schema takes."""


class ToolParts(NamedTuple):
    """The fields of a `BaseTool`."""

    name: str
    description: str
    compiled: CompiledSchema
    parameters: Parameters | None
    options: CallOptions
    definition: Definition | None


def parts_from_definition(
    definition: Any,
    function: Callable[..., Any] | None,
    options: Mapping[str, Any],
    *,
    method: str = "from_definition",
) -> ToolParts:
    """Return the parts of the tool that a provider or server defines.

    Raises:
        SchemaError: for an invalid definition, or a function that does not fit it.
        TypeError: for an unknown option.

    """
    require_options(options, OPTIONS, method)
    read = read_definition(definition)
    read = replace(read, dialect=options.get("dialect") or read.dialect)
    schema = read.schema
    if schema is True or (isinstance(schema, dict) and schema.keys().isdisjoint(_TYPING)):
        # Arguments are an object, even if the schema does not say so.
        schema = {"type": "object", **({} if schema is True else schema)}
    compiled = _compiled(schema, read.name, {**options, "dialect": read.dialect})
    parameters = None
    if function is not None:
        parameters = read_handler(function, read.name, read.json_schema)
    return ToolParts(
        read.name, read.description, compiled, parameters, _around_calls(options), read
    )


def parts_from_function(
    function: Callable[..., Any],
    inject: Inject,
    options: Mapping[str, Any],
    *,
    name: str | None = None,
    description: str | None = None,
) -> ToolParts:
    """Return the parts of a function's tool; it may have none of the injected parameters.

    Raises:
        SchemaError: for a signature that a JSON object cannot express.
        TypeError: for an unknown option.

    """
    require_options(options, [*OPTIONS, "name", "description", "inject"], "Tool")
    coercion = coercion_named(options.get("coercion", "default"))
    read = read_function(function, name=name, inject=inject, coercion=coercion)
    compiled = _compiled(read.schema, read.name, options)
    text = read.description if description is None else description
    return ToolParts(read.name, text, compiled, read.parameters, _around_calls(options), None)


def _compiled(schema: Any, name: str, options: Mapping[str, Any]) -> CompiledSchema:
    return compile_schema(
        schema,
        name=name,
        coercion=options.get("coercion", "default"),
        dialect=options.get("dialect"),
        formats=options.get("formats"),
        fallback_reader=options.get("fallback_reader"),
    )


def _around_calls(options: Mapping[str, Any]) -> CallOptions:
    chosen = {name: each for name, each in options.items() if name not in COMPILE_OPTIONS}
    return CallOptions(**chosen)
