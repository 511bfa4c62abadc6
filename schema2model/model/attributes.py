"""Descriptors for attributes of model classes that are computed on first access."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any

__all__ = ["ClassAttribute", "ModelAttribute", "model_attribute", "signature"]


class ClassAttribute:
    """An attribute of a class that is made for each class when it is first asked for."""

    __slots__ = ("_make", "_name")

    def __init__(self, name: str, make: Callable[[Any], Any]) -> None:
        self._name = name
        self._make = make

    def __get__(self, instance: Any, owner: Any) -> Any:
        made = self._make(owner)
        type.__setattr__(owner, self._name, made)
        return made


class ModelAttribute:
    """A property that may hold objects, which are models to whoever asks for the attribute."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is not None:
            return owner.__getattr__(instance, self._name)
        for kind in owner.__mro__:  # as if it were not there
            found = vars(kind).get(self._name)
            if found is not None and type(found) is not ModelAttribute:
                return found.__get__(None, owner) if hasattr(found, "__get__") else found
        message = f"type object {owner.__name__!r} has no attribute {self._name!r}"
        raise AttributeError(message)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__setattr__(self._name, value)


@lru_cache(4096)
def model_attribute(name: str) -> ModelAttribute:
    """The attribute of a name, which is the same for all models."""
    return ModelAttribute(name)


def signature(model: Any) -> Signature:
    """The keyword parameters that pydantic gives the `__init__` of a model.

    Properties whose names are not identifiers are left out: no call could name them.
    """
    rest = Parameter("extra_data", Parameter.VAR_KEYWORD, annotation=Any)
    fields = model.__pydantic_fields__
    return Signature(
        [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                annotation=field.annotation,
                default=Parameter.empty if field.is_required() else field.default,
            )
            for name, field in fields.items()
            if name.isidentifier() and not iskeyword(name)
        ]
        + ([rest] if "extra_data" not in fields else []),
        return_annotation=None,
    )
