"""Options of validation that frameworks pass to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from pydantic.config import ExtraValues

from schema2model.errors import ToolError
from schema2model.limits import MAX_INSTANCE_DEPTH, MAX_INSTANCES
from schema2model.model.instances import holding, without_models
from schema2model.model.objects import Objects
from schema2model.model.subclasses import ArgumentsType
from schema2model.model.validation_errors import validation_error
from schema2model.schema.nodes import Node

__all__ = ["is_nearly_json", "refuse_extra", "validated_with"]

_JSON = (dict, list, tuple, str, bytes, bytearray, int, float, type(None), Mapping)

_PLAIN = frozenset(("builtins", "collections", "datetime"))
"""Modules of objects whose attributes say nothing, as pydantic has them."""


def validated_with(
    cls: Any,
    obj: Any,
    *,
    strict: bool | None,
    extra: ExtraValues | None,
    attributes: bool | None,
) -> Any:
    """An instance of a model, as `model_validate` makes it with options that have an effect.

    Raises:
        pydantic.ValidationError: where no reading of the value is valid.
        TypeError: for `extra`.

    """
    refuse_extra(extra)
    if issubclass(type(obj), cls):
        return obj
    if attributes:
        obj = _Attributes(cls.__blueprint__.objects).of(obj, [cls.__blueprint__.node])
    if not strict:
        return cls.model_validate(obj)
    obj = without_models(obj, converts=cls.__blueprint__.converts)
    engine = cls.__blueprint__.strict_engine(cls.__engine__)
    try:
        return holding(cls, engine.validate(obj))
    except ToolError as error:
        raise validation_error(error, cls.__name__, obj, lax=False) from None


def is_nearly_json(value: Any) -> bool:
    """Whether a value is of a type of JSON's, or nearly: its attributes are not its parts."""
    return issubclass(type(value), _JSON)


class _Attributes:
    """Puts the attributes of objects in their place, where the schema declares properties."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._left = MAX_INSTANCES
        self._within: set[int] = set()

    def of(self, given: Any, nodes: Sequence[Node], levels: int = MAX_INSTANCE_DEPTH) -> Any:
        """A value with the attributes of all objects in it; itself if it is beyond the limits."""
        kind = type(given)
        self._left -= 1
        if levels == 0 or self._left < 0 or issubclass(type(kind), ArgumentsType):
            return given
        if issubclass(kind, (list, tuple)):
            branches = self._branches(nodes, "array")
            items = [self._objects.items(branch) for branch in branches]
            return [
                self.of(each, [node for at in items for node in at(index)], levels - 1)
                for index, each in enumerate(given)
            ]
        branches = self._branches(nodes, "object")
        if issubclass(kind, dict):
            values = [self._objects.values(branch) for branch in branches]
            return {
                name: self.of(each, [node for of in values for node in of(name)], levels - 1)
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
        if id(given) in self._within:
            return given  # which has no end
        self._within.add(id(given))
        found = {}
        for name in names:
            below = [node for b in branches for node in self._objects.fields(b).get(name, ())]
            with suppress(Exception):  # a hostile object may raise anything
                found[name] = self.of(getattr(given, name), below, levels - 1)
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
