"""The JSON schema of the data that a Python type accepts, compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema as cs

from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema, compile_typed
from schema2model.errors import SchemaError
from schema2model.logs import logger_named
from schema2model.tools.annotations import TypedJsonSchema, alias_paths, schema_with_types

__all__ = ["accepted_schema"]

LOGGER = logger_named("schema2model")


def accepted_schema(
    kind: Any, coercion: Coercion, *, is_without_options: bool = False
) -> CompiledSchema | None:
    """Return the compiled schema of the data for a type; None if it has none, and the log says why.

    It declares each field under its name and its aliases; if `is_without_options`, only under those
    that are valid without the options `by_name` and `by_alias` of pydantic's methods.

    >>> from pydantic import BaseModel
    >>> class Search(BaseModel):
    ...     limit: int
    >>> accepted_schema(Search, Coercion.default).validate({"limit": "10"})
    {'limit': 10}
    """
    generator = _ValidNamesSchema if is_without_options else _DataSchema
    try:
        try:
            return _compile_type(kind, coercion, generator)
        except SchemaError:
            without_patterns = type(generator.__name__, (_WithoutPatterns, generator), {})
            return _compile_type(kind, coercion, without_patterns)
    except Exception as error:  # noqa: BLE001 - a type's own methods may raise anything
        LOGGER.warning("the data of %s is not coerced: %s", _type_name(kind), error)
        return None


def _type_name(kind: Any) -> str:
    return getattr(kind, "__name__", None) or str(kind)


def _compile_type(
    kind: Any, coercion: Coercion, generator: type[TypedJsonSchema]
) -> CompiledSchema:
    adapter = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    schema, types = schema_with_types(adapter, generator)  # "null" is a string, but no date
    return compile_typed(schema, types, coercion=coercion, name=_type_name(kind))


class _DataSchema(TypedJsonSchema):
    """The JSON Schema of a type, with each field under all of its names and aliases."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Return the schema that accepts anything, for types that JSON Schema cannot describe."""
        del schema, error_info
        return {}

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Ignore defaults that are not JSON: they do not matter here."""

    def model_fields_schema(self, schema: cs.ModelFieldsSchema) -> JsonSchemaValue:
        return self._add_aliases(
            super().model_fields_schema(schema), list(schema["fields"].items())
        )

    def typed_dict_schema(self, schema: cs.TypedDictSchema) -> JsonSchemaValue:
        return self._add_aliases(super().typed_dict_schema(schema), list(schema["fields"].items()))

    def dataclass_args_schema(self, schema: cs.DataclassArgsSchema) -> JsonSchemaValue:
        fields = [(field["name"], field) for field in schema["fields"]]
        return self._add_aliases(super().dataclass_args_schema(schema), fields)

    def _add_aliases(
        self, schema: JsonSchemaValue, fields: list[tuple[str, Any]]
    ) -> JsonSchemaValue:
        """Return the schema of an object with each field under every path that leads to it."""
        properties = schema["properties"]
        shown = set(properties)
        for name, field in fields:
            aliases = alias_paths(field.get("validation_alias", name))
            inner = next((properties[n] for n, *_ in ([name], *aliases) if n in shown), None)
            if inner is None:  # a field that JSON Schema leaves out
                continue
            paths = self._valid_paths(name, aliases)
            for path in paths:
                if path[0] not in shown:
                    below, known = _nest_at(path[1:], inner), properties.get(path[0])
                    properties[path[0]] = {"allOf": [known, below]} if known else below
            if len(paths) > 1 or len(paths[0]) > 1:
                required = schema.get("required", ())
                schema["required"] = [
                    each for each in required if each != name and [each] not in aliases
                ]
        return schema

    def _valid_paths(self, name: str, aliases: list[list[Any]]) -> list[list[Any]]:
        """Return the paths that lead to a field; any, as the options of a call may say which do."""
        return [[name], *(path for path in aliases if path != [name])]


class _ValidNamesSchema(_DataSchema):
    """The JSON Schema of a type, with each field under the names that its configuration allows."""

    _names: Mapping[str, Any] = MappingProxyType({})

    def model_schema(self, schema: cs.ModelSchema) -> JsonSchemaValue:
        return self._configured(super().model_schema, schema)

    def dataclass_schema(self, schema: cs.DataclassSchema) -> JsonSchemaValue:
        return self._configured(super().dataclass_schema, schema)

    def typed_dict_schema(self, schema: cs.TypedDictSchema) -> JsonSchemaValue:
        return self._configured(super().typed_dict_schema, schema)

    def _configured(
        self, generate: Callable[[Any], JsonSchemaValue], schema: Any
    ) -> JsonSchemaValue:
        around, self._names = self._names, schema.get("config") or {}
        made = generate(schema)
        self._names = around
        return made

    def _valid_paths(self, name: str, aliases: list[list[Any]]) -> list[list[Any]]:
        by_name = self._names.get("validate_by_name", False)
        by_alias = self._names.get("validate_by_alias", True)
        paths = super()._valid_paths(name, aliases if by_alias else [])
        return paths if by_name or not by_alias or [name] in aliases else paths[1:]


class _WithoutPatterns(TypedJsonSchema):
    """The JSON Schema of a type without patterns, which may not be of JSON Schema's dialect.

    The model still checks them.
    """

    def str_schema(self, schema: cs.StringSchema) -> JsonSchemaValue:
        found = super().str_schema(schema)
        found.pop("pattern", None)
        return found


def _nest_at(path: list[Any], schema: JsonSchemaValue) -> JsonSchemaValue:
    """Return the schema of a value that holds, at a path, what the given schema describes."""
    for step in reversed(path):
        if isinstance(step, str):
            schema = {"type": "object", "properties": {step: schema}}
        else:
            schema = {"type": "array", "prefixItems": [*[True] * step, schema]}
    return schema
