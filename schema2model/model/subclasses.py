"""Subclasses of compiled models: they may add methods, properties and private attributes.

Private attributes are not arguments, and are never dump_values. Everything else is refused, since
validation by the schema would ignore it.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from schema2model.model.attributes import annotations_hidden

__all__ = [
    "ArgumentsType",
    "PrivateCache",
    "declared_private",
    "private_attributes",
    "require_plain_subclass",
    "set_private",
]

_SLOT = BaseModel.__dict__["__pydantic_private__"]
set_private = _SLOT.__set__


def private_attributes(instance: Any) -> dict[str, Any]:
    """Return the mutable private attributes of an instance, which are made on first access.

    pydantic-core, which makes instances within other types, leaves None there.
    """
    try:
        found: dict[str, Any] | None = _SLOT.__get__(instance)
    except AttributeError:
        found = None
    if found is None and type(instance).__private_attributes__:
        set_private(instance, None)
        type(instance).model_post_init(instance, None)  # pydantic's own, which sets the defaults
        found = _SLOT.__get__(instance)
    if found is None:
        found = {}
        set_private(instance, found)
    return found


def declared_private(instance: Any) -> dict[str, Any]:
    """Return those that its class declares."""
    declared = type(instance).__private_attributes__
    private = private_attributes(instance) if declared else {}
    return {name: value for name, value in private.items() if name in declared}


class PrivateCache:
    """A `functools.cached_property` that keeps what it has worked out out of the arguments."""

    __slots__ = ("__dict__", "_name", "func")

    def __init__(self, name: str, cached: cached_property[Any]) -> None:
        self._name = name
        self.func = cached.func
        self.__doc__ = cached.__doc__

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        kept = private_attributes(instance)
        if self._name not in kept:
            kept[self._name] = self.func(instance)
        return kept[self._name]

    def __set__(self, instance: Any, value: Any) -> None:
        private_attributes(instance)[self._name] = value

    def __delete__(self, instance: Any) -> None:
        private_attributes(instance).pop(self._name, None)


_NOT_CALLED = ("__init__", "__new__", "model_post_init")
"""Methods that pydantic calls when it has validated data, and the schema does not."""

_DECORATED = {
    "validators": "a validator",
    "field_validators": "a validator",
    "root_validators": "a validator",
    "model_validators": "a validator",
    "field_serializers": "a serializer",
    "model_serializers": "a serializer",
    "computed_fields": "a computed field",
}

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class ArgumentsType(ModelMetaclass):
    """The metaclass of compiled models. It refuses subclasses with parts that would be ignored."""

    def __new__(
        cls, name: str, bases: tuple[type[Any], ...], namespace: dict[str, Any], **kwargs: Any
    ) -> Any:
        """Make a subclass.

        Raises:
            TypeError: if it declares what validation by the schema would ignore.

        """
        if not any(isinstance(base, ArgumentsType) for base in bases):
            return super().__new__(cls, name, bases, namespace, **kwargs)
        if len([base for base in bases if isinstance(base, ArgumentsType)]) > 1:
            raise _ignored_part(name, "a second compiled model")
        kinds = [kind for base in bases for kind in base.__mro__[:-1]]
        bodies = [
            namespace,
            *(vars(kind) for kind in kinds if not isinstance(kind, ModelMetaclass)),
        ]
        for method in _NOT_CALLED:
            if any(method in each for each in bodies):
                raise _ignored_part(name, f"the method `{method}`")
        if "model_config" in namespace or not ConfigDict.__annotations__.keys().isdisjoint(kwargs):
            raise _ignored_part(name, "configuration")
        with annotations_hidden():
            made: Any = super().__new__(cls, name, bases, namespace, **kwargs)
        for kind, words in _DECORATED.items():
            found = getattr(made.__pydantic_decorators__, kind)
            if found:
                raise _ignored_part(name, f"{words}, `{next(iter(found))}`")
        return made


def _ignored_part(name: str, what: str) -> TypeError:
    return TypeError(
        f"`{name}` declares {what}, which would be ignored: a compiled model is validated by its "
        "schema. To write more than methods, generate the class with `schema2model codegen`, or "
        "write it as a CoercingModel"
    )


def require_plain_subclass(made: Any, inherited: Iterable[str]) -> None:
    """Let a new class inherit from the compiled model, and refuse fields of its own.

    Raises:
        TypeError: if it has such.

    """
    fields = vars(made).get("__pydantic_fields__", {})
    if fields:
        raise _ignored_part(made.__name__, f"the field `{next(iter(fields))}`")
    for name in (*inherited, "__pydantic_serializer__", "__pydantic_complete__"):
        if name in vars(made):
            type.__delattr__(made, name)
    for name, value in [*vars(made).items()]:
        if isinstance(value, cached_property):
            type.__setattr__(made, name, PrivateCache(name, value))


def _pickle_class(made: Any) -> Any:
    """Return a compiled model by its schema, any other by its name, as every class."""
    return (
        made.__blueprint__.pickle_arguments()
        if "__blueprint__" in vars(made)
        else made.__qualname__
    )


copyreg.pickle(ArgumentsType, _pickle_class)
