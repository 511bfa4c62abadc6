"""Validation for pydantic and frameworks: with options, and of models within other types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from pydantic import ValidationError
from pydantic.config import ExtraValues
from pydantic_core import core_schema as cs

from schema2model.errors import ToolError
from schema2model.limits import MAX_INSTANCE_DEPTH, MAX_INSTANCES
from schema2model.model.dumps import serialize_nested
from schema2model.model.instances import holding, sent_properties, without_models
from schema2model.model.objects import Objects
from schema2model.model.subclasses import ArgumentsType
from schema2model.model.validation_errors import validation_error
from schema2model.schema.nodes import Node

__all__ = ["is_nearly_json", "model_core_schema", "refuse_extra", "validate_with_options"]

_JSON = (dict, list, tuple, str, bytes, bytearray, int, float, type(None), Mapping)

_PLAIN = frozenset(("builtins", "collections", "datetime"))
"""Modules of classes whose attributes are not data; pydantic skips the same ones."""


def validate_with_options(
    cls: Any,
    obj: Any,
    *,
    strict: bool | None,
    extra: ExtraValues | None,
    attributes: bool | None,
) -> Any:
    """Return an instance of a model, as `model_validate` makes it with options that have an effect.

    Raises:
        pydantic.ValidationError: where no reading of the value is valid.
        TypeError: for `extra`.

    """
    refuse_extra(extra)
    if issubclass(type(obj), cls):
        return obj
    if attributes:
        obj = _Attributes(cls.__blueprint__.objects).replace_objects(obj, [cls.__blueprint__.node])
    if not strict:
        return cls.model_validate(obj)
    obj = without_models(obj, converts=cls.__blueprint__.converts)
    try:
        return holding(cls, cls.__engine__.uncoerced.validate(obj))
    except ToolError as error:
        raise validation_error(error, cls.__name__, obj, lax=False) from None


def is_nearly_json(value: Any) -> bool:
    """Return whether a value is of JSON's types, or nearly: its attributes are not its parts."""
    return issubclass(type(value), _JSON)


class _Attributes:
    """Puts the attributes of objects in their place, where the schema declares properties."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._left = MAX_INSTANCES
        self._within: set[int] = set()

    def replace_objects(
        self, given: Any, nodes: Sequence[Node], levels: int = MAX_INSTANCE_DEPTH
    ) -> Any:
        """Return a value with the attributes of its objects; itself beyond the limits."""
        kind = type(given)
        self._left -= 1
        if levels == 0 or self._left < 0 or issubclass(type(kind), ArgumentsType):
            return given
        if issubclass(kind, (list, tuple)):
            branches = self._branches(nodes, "array")
            items = [self._objects.item_schemas(branch) for branch in branches]
            return [
                self.replace_objects(each, [node for at in items for node in at(index)], levels - 1)
                for index, each in enumerate(given)
            ]
        branches = self._branches(nodes, "object")
        if issubclass(kind, dict):
            values = [self._objects.property_schemas(branch) for branch in branches]
            return {
                name: self.replace_objects(
                    each, [node for of in values for node in of(name)], levels - 1
                )
                for name, each in given.items()
            }
        names = dict.fromkeys(name for each in branches for name in self._objects.fields(each))
        if (
            is_nearly_json(given)
            or issubclass(kind, type)
            or kind.__module__ in _PLAIN
            or not names
        ):
            return given
        if id(given) in self._within:  # an object that contains itself has no end
            return given
        self._within.add(id(given))
        found = {}
        for name in names:
            below = [node for b in branches for node in self._objects.fields(b).get(name, ())]
            with suppress(Exception):  # a hostile object may raise anything
                found[name] = self.replace_objects(getattr(given, name), below, levels - 1)
        self._within.discard(id(given))
        return found

    def _branches(self, nodes: Sequence[Node], kind: Literal["object", "array"]) -> list[Node]:
        found = (branch for node in nodes for branch in self._objects.branches(node, kind))
        return [*dict.fromkeys(found)]  # or branches of branches would double at every level


def refuse_extra(extra: ExtraValues | None) -> None:
    """Refuse an option for which the schema leaves no place.

    Raises:
        TypeError: if it is given.

    """
    if extra is not None:
        message = (
            f"extra={extra!r} has no place here: the schema says which properties there may be, "
            "by additionalProperties"
        )
        raise TypeError(message)


def model_core_schema(model: Any) -> cs.CoreSchema:
    """Return that of a compiled model, or of a subclass of one."""
    # the tags tell the branches of a discriminated union apart; nothing else looks at them
    tags = model.__blueprint__.discriminators()
    fields = {
        name: cs.model_field(cs.with_default_schema(cs.literal_schema([*tags[name]]), default=None))
        for name in tags
    }
    within = cs.model_fields_schema(fields)
    ref: str | None = f"{model.__name__}:{id(model)}"
    if "__blueprint__" not in vars(model):
        ref = f"{model.__module__}.{ref}"
    elif not model.__blueprint__.is_named:
        ref = None  # or FastAPI would list it among the components that it is within
    return cs.model_schema(
        model,
        cs.lax_or_strict_schema(
            cs.no_info_wrap_validator_function(_validator_function(model, strict=False), within),
            cs.no_info_wrap_validator_function(_validator_function(model, strict=True), within),
        ),
        ref=ref,
        metadata={"pydantic_js_functions": [model.__get_pydantic_json_schema__]},
        serialization=cs.plain_serializer_function_ser_schema(serialize_nested, info_arg=True),
    )


def _validator_function(model: Any, *, strict: bool) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """Return the function that gives pydantic-core the parts of an instance."""

    def validate(value: Any, within: Callable[[Any], Any]) -> Any:
        # `from_attributes` of the outer model is not passed on: pydantic-core has to be asked
        attributes = (
            type(value) is not dict and not is_nearly_json(value) and _reads_attributes(within)
        )
        try:
            made = model.model_validate(value, strict=strict, from_attributes=attributes)
        except ValidationError:
            if attributes or not _reads_attributes(within):
                raise
            made = model.model_validate(value, strict=strict, from_attributes=True)
        extra = made.__pydantic_extra__
        return made.__dict__, extra, {*(made.__dict__ if extra is None else sent_properties(made))}

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
