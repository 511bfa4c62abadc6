"""Dumps of instances of compiled models."""

from __future__ import annotations

from typing import Any

from pydantic_core import (
    PydanticSerializationUnexpectedValue,
    PydanticUndefined,
    SchemaSerializer,
    core_schema as cs,
    from_json,
)

from schema2model.errors import ToolError
from schema2model.json.canonical import not_json_error
from schema2model.json.equality import type_exact_equal
from schema2model.limits import MAX_DIGITS
from schema2model.model.subclasses import ArgumentsType

__all__ = ["dump_json_text", "dump_values", "serialize_nested"]

_SERIALIZER = SchemaSerializer(cs.any_schema(), {"ser_json_inf_nan": "constants"})

_PASSED_ON = (
    "include",
    "exclude",
    "context",
    "by_alias",
    "exclude_unset",
    "exclude_defaults",
    "exclude_none",
    "exclude_computed_fields",
    "round_trip",
    "serialize_as_any",
)
"""Options of a dump that are passed on to an instance within a model or type.

pydantic applies the mode to what comes back.
"""


def dump_values(cls: Any, values: dict[str, Any], extra: Any, options: dict[str, Any]) -> Any:
    """Return the dump of an instance, with options that have an effect."""
    blueprint = cls.__blueprint__
    without_defaults = options.get("exclude_defaults", False)
    options = {name: given for name, given in options.items() if name != "exclude_unset"}
    within = bool(options) or (extra is not None and extra.holds_models)
    if extra is not None and extra.is_root:
        root = values["root"]
        return _SERIALIZER.to_python(root, **options) if within else root
    if extra is not None:
        values.update(extra)
    if options.get("exclude_none") or without_defaults:  # in models within, too
        values = {name: blueprint.with_models(name, value) for name, value in values.items()}
    if options.get("exclude_none"):
        values = {name: value for name, value in values.items() if value is not None}
    if without_defaults:
        fields = cls.__pydantic_fields__
        values = {
            name: value
            for name, value in values.items()
            if name not in fields or not _is_default(value, fields[name].default)
        }
    return _SERIALIZER.to_python(values, **options) if within else values


def _is_default(value: Any, default: Any) -> bool:
    return default is not PydanticUndefined and type_exact_equal(
        _SERIALIZER.to_python(value), default
    )


def dump_json_text(values: Any, name: str, layout: dict[str, Any]) -> str:
    """Return the JSON text of dumped values.

    Raises:
        ToolError: for what has no JSON text: NaN, too long an integer, half a surrogate pair.

    """
    try:
        text = _SERIALIZER.to_json(values, **layout).decode()
        if "NaN" in text or "Infinity" in text or len(text) > MAX_DIGITS:
            from_json(text, allow_inf_nan=False)  # which distinguishes numbers from strings
    except ValueError:
        raise ToolError.for_value(name, not_json_error(values)) from None
    return text


def serialize_nested(value: Any, info: cs.SerializationInfo[Any]) -> Any:
    """Return the dump of an instance within a model or type."""
    if not isinstance(type(value), ArgumentsType):
        message = f"a {type(value).__name__} is not an instance of the model"
        raise PydanticSerializationUnexpectedValue(message)  # pydantic warns, and goes on
    usual = info.include is None and info.exclude is None
    if usual and not (info.exclude_none or info.exclude_defaults):
        return value.model_dump()
    return value.model_dump(**{name: getattr(info, name) for name in _PASSED_ON})
