"""Checks subclasses of compiled models: they may add methods, properties and private attributes."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from schema2model.model.annotations import annotations_hidden
from schema2model.model.private import PrivateCache

__all__ = ["ArgumentsType", "plain_subclass"]

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
            raise _ignored(name, "a second compiled model")
        kinds = [kind for base in bases for kind in base.__mro__[:-1]]
        said = [namespace, *(vars(kind) for kind in kinds if not isinstance(kind, ModelMetaclass))]
        for method in _NOT_CALLED:
            if any(method in each for each in said):
                raise _ignored(name, f"the method `{method}`")
        if "model_config" in namespace or not ConfigDict.__annotations__.keys().isdisjoint(kwargs):
            raise _ignored(name, "configuration")
        with annotations_hidden():
            made: Any = super().__new__(cls, name, bases, namespace, **kwargs)
        for kind, words in _DECORATED.items():
            found = getattr(made.__pydantic_decorators__, kind)
            if found:
                raise _ignored(name, f"{words}, `{next(iter(found))}`")
        return made


def _ignored(name: str, what: str) -> TypeError:
    return TypeError(
        f"`{name}` declares {what}, which would be ignored: a compiled model is validated by its "
        "schema. To write more than methods, generate the class with `schema2model codegen`, or "
        "write it as a CoercingModel"
    )


def plain_subclass(made: Any, inherited: Iterable[str]) -> None:
    """Leave to a new class what it has of the compiled model, and refuse fields of its own.

    Raises:
        TypeError: if it has such.

    """
    fields = vars(made).get("__pydantic_fields__", {})
    if fields:
        raise _ignored(made.__name__, f"the field `{next(iter(fields))}`")
    for name in (*inherited, "__pydantic_serializer__", "__pydantic_complete__"):
        if name in vars(made):
            type.__delattr__(made, name)
    for name, value in [*vars(made).items()]:
        if isinstance(value, cached_property):
            type.__setattr__(made, name, PrivateCache(name, value))


def _reduced(made: Any) -> Any:
    """A compiled model by its schema, any other by its name, as every class."""
    return made.__blueprint__.reduced() if "__blueprint__" in vars(made) else made.__qualname__


copyreg.pickle(ArgumentsType, _reduced)
