"""The schema by which pydantic-core validates models within other types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError
from pydantic_core import core_schema as cs

from schema2model.model.dumps import serialized
from schema2model.model.instances import sent_in
from schema2model.model.validation_options import is_nearly_json

__all__ = ["core_schema"]


def core_schema(model: Any) -> cs.CoreSchema:
    """That of a compiled model, or of a subclass of one."""
    # the tags tell the branches of a discriminated union apart; nothing else looks at them
    tags = model.__blueprint__.tags()
    fields = {
        name: cs.model_field(cs.with_default_schema(cs.literal_schema([*tags[name]]), default=None))
        for name in tags
    }
    within = cs.model_fields_schema(fields)
    module = "" if "__blueprint__" in vars(model) else f"{model.__module__}."
    return cs.model_schema(
        model,
        cs.lax_or_strict_schema(
            cs.no_info_wrap_validator_function(_validating(model, strict=False), within),
            cs.no_info_wrap_validator_function(_validating(model, strict=True), within),
        ),
        ref=f"{module}{model.__name__}:{id(model)}",
        metadata={"pydantic_js_functions": [model.__get_pydantic_json_schema__]},
        serialization=cs.plain_serializer_function_ser_schema(serialized, info_arg=True),
    )


def _validating(model: Any, *, strict: bool) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """Return the function that gives pydantic-core the parts of an instance."""

    def validate(value: Any, within: Callable[[Any], Any]) -> Any:
        attributes = (
            type(value) is not dict and not is_nearly_json(value) and _reads_attributes(within)
        )
        try:
            made = model.model_validate(value, strict=strict, from_attributes=attributes)
        except ValidationError:
            if attributes or not _reads_attributes(within):
                raise
            made = model.model_validate(value, strict=strict, from_attributes=True)
        kept = made.__pydantic_extra__
        return made.__dict__, kept, {*(made.__dict__ if kept is None else sent_in(made))}

    return validate


class _AnyObject:
    """Has no attributes, and is taken where attributes are read."""


def _reads_attributes(within: Callable[[Any], Any]) -> bool:
    """Return whether `from_attributes` is on: without it, pydantic takes no object for a model."""
    try:
        within(_AnyObject())
    except ValidationError:
        return False
    return True
