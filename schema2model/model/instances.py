"""The data of instances of compiled models, and how parts of it become models.

The validated values are the instance's `__dict__` itself. A few instances have more data, in a
`ExtraData`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import RLock
from types import MappingProxyType
from typing import Any, cast

from pydantic import BaseModel

from schema2model.json.values import is_shallow
from schema2model.model.conversions import format_text
from schema2model.model.subclasses import ArgumentsType, set_private

__all__ = [
    "MATERIALIZE_LOCK",
    "OWN_NAMES",
    "ExtraData",
    "copy_instance",
    "get_argument",
    "get_default",
    "held_properties",
    "holding",
    "is_root",
    "new_instance",
    "sent_properties",
    "set_argument",
    "set_extra",
    "set_fields_set",
    "set_values",
    "slot_value",
    "without_models",
]

MATERIALIZE_LOCK = RLock()
"""Held while models are made, and while parts of instances become instances of them."""

OWN_NAMES = frozenset(
    name
    for name in (*dir(BaseModel), "__engine__", "__blueprint__")
    if name.startswith(("model_", "_"))
)
"""Names that an instance needs for itself; properties of these names are kept among its extras."""

new_instance = object.__new__
set_values = BaseModel.__dict__["__dict__"].__set__
set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_SLOTS = {"__pydantic_fields_set__": set_fields_set, "__pydantic_private__": set_private}


class ExtraData(dict[str, Any]):
    """Data in addition to `__dict__`: properties that have names of the model's own attributes."""

    __slots__ = ("defaults", "holds_models", "is_root", "opened")

    def __init__(
        self, values: Mapping[str, Any] = MappingProxyType({}), *, is_root: bool = False
    ) -> None:
        super().__init__(values)
        self.is_root = is_root
        """True if the arguments are not an object, but the value of `root` in `__dict__`."""
        self.holds_models = False
        """True if values may contain instances of models."""
        self.opened: set[str] = set()
        """The properties whose objects are models already."""
        self.defaults: dict[str, Any] = {}
        """Defaults that were read as attributes: whoever has one may have changed it."""

    def forget(self, name: str) -> None:
        """Forget what was derived from a property's value, which another replaces."""
        self.opened.discard(name)
        self.defaults.pop(name, None)

    def copy_with(self, duplicate: Callable[[Any], Any]) -> ExtraData:
        """Return a copy whose parts are copied by a function."""
        made = ExtraData(duplicate({**self}), is_root=self.is_root)
        made.holds_models = self.holds_models
        made.opened = {*self.opened}
        made.defaults = duplicate(self.defaults)
        return made


def holding(cls: type[Any], values: Any) -> Any:
    """Return an instance of a model that holds validated arguments; all else is lazy."""
    instance = new_instance(cls)
    if type(values) is not dict:
        set_values(instance, {"root": values})
        set_extra(instance, ExtraData(is_root=True))
    elif OWN_NAMES.isdisjoint(values):
        set_values(instance, values)
        set_extra(instance, None)
    else:
        own = {name: value for name, value in values.items() if name in OWN_NAMES}
        set_values(instance, {k: v for k, v in values.items() if k not in own})
        set_extra(instance, ExtraData(own))
    return instance


def is_root(instance: Any) -> bool:
    """Return whether the arguments are not an object."""
    extra: Any = instance.__pydantic_extra__
    return extra is not None and bool(extra.is_root)


def held_properties(instance: Any) -> dict[str, Any]:
    """Return all properties that were sent, by name; a value that is not an object is `root`."""
    return {**instance.__dict__, **(instance.__pydantic_extra__ or {})}


def sent_properties(instance: Any) -> Iterable[str]:
    """Return the properties that were sent."""
    return () if is_root(instance) else held_properties(instance)


def _ensure_extra(instance: Any) -> ExtraData:
    if instance.__pydantic_extra__ is None:
        set_extra(instance, ExtraData())
    return cast("ExtraData", instance.__pydantic_extra__)


def get_argument(instance: Any, name: str) -> Any:
    """Return the value of a property that was sent, in which objects are models from now on."""
    extra: Any = instance.__pydantic_extra__
    held = extra if extra is not None and name in extra else instance.__dict__
    value = held[name]
    conversion = type(instance).__blueprint__.conversions.get(name)
    if conversion is not None:
        return conversion.convert(value)
    if type(value) not in {dict, list} or (extra is not None and name in extra.opened):
        return value
    blueprint = type(instance).__blueprint__
    meant = None if extra is not None and extra.is_root else name
    if not blueprint.holds_models(meant):
        return value
    # two threads that read one attribute have to get the same model
    with MATERIALIZE_LOCK:
        extra = _ensure_extra(instance)
        if name not in extra.opened:
            held[name] = blueprint.with_models(meant, held[name])
            extra.holds_models = True
            extra.opened.add(name)
    return held[name]


def get_default(instance: Any, name: str) -> Any:
    """Return the default of a property that was not sent: a copy that stays the same one."""
    default = type(instance).__blueprint__.default_value(name)
    conversion = type(instance).__blueprint__.conversions.get(name)
    if conversion is not None:
        return conversion.convert(default)
    if type(default) not in {dict, list}:
        return default
    with MATERIALIZE_LOCK:
        defaults = _ensure_extra(instance).defaults
        if name not in defaults:
            defaults[name] = type(instance).__blueprint__.with_models(name, default)
    return defaults[name]


def set_argument(instance: Any, name: str, value: Any) -> None:
    """Set an argument, without validation."""
    names = instance.model_fields_set | {name}
    conversion = type(instance).__blueprint__.conversions.get(name)
    if conversion is not None:
        value = conversion.text(value)
    if name in OWN_NAMES:
        _ensure_extra(instance)[name] = value
    else:
        instance.__dict__[name] = value
    if type(value) not in {str, int, float, bool, type(None)}:
        _ensure_extra(instance).holds_models = True
    if instance.__pydantic_extra__ is not None:
        _ensure_extra(instance).forget(name)
    set_fields_set(instance, names)


def copy_instance(instance: Any, duplicate: Callable[[Any], Any]) -> Any:
    """Return a copy of an instance, whose parts are copied by a function."""
    made = new_instance(type(instance))
    extra = instance.__pydantic_extra__
    set_values(made, duplicate(instance.__dict__))
    set_extra(made, None if extra is None else extra.copy_with(duplicate))
    for name, set_slot in _SLOTS.items():
        value = slot_value(instance, name)
        if value is not None:
            set_slot(made, duplicate(value))
    return made


def without_models(value: Any, *, converts: bool = False) -> Any:
    """Return a value with the arguments of models in their place; itself if there are none in it.

    If it `converts`, dates and the like become text.
    """
    return (
        _without_models(value, format_text if converts else lambda part: part)
        if is_shallow(value)
        else value
    )


def _without_models(value: Any, write: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if issubclass(type(kind), ArgumentsType):
        return value.model_dump()
    if kind is dict:
        items = {key: _without_models(item, write) for key, item in value.items()}
        return items if any(items[key] is not item for key, item in value.items()) else value
    if kind is list:
        parts = [_without_models(item, write) for item in value]
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else parts
    return write(value)


def slot_value(instance: Any, name: str) -> Any:
    """Return the value of one of pydantic's slots; None if it is not set."""
    try:
        return object.__getattribute__(instance, name)
    except AttributeError:
        return None
