"""Attributes of model classes that are computed on first access, `__annotations__` among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from inspect import Parameter, Signature
from keyword import iskeyword
from threading import local
from typing import Any, Protocol

from pydantic.fields import FieldInfo

__all__ = [
    "Annotations",
    "ClassAttribute",
    "ModelAttribute",
    "annotations_hidden",
    "init_signature",
    "model_attribute",
]


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
    """Return the attribute of a name, which is the same for all models."""
    return ModelAttribute(name)


def init_signature(model: Any) -> Signature:
    """Return the keyword parameters that pydantic gives the `__init__` of a model.

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


_HIDDEN = local()


@contextmanager
def annotations_hidden() -> Iterator[None]:
    """Hide the annotations of all models in this thread.

    When pydantic makes a subclass, it would take them for fields that were not made yet.
    """
    before = getattr(_HIDDEN, "now", False)
    _HIDDEN.now = True
    try:
        yield
    finally:
        _HIDDEN.now = before


class HasFields(Protocol):
    """An object with the fields of a model."""

    def fields(self) -> Mapping[str, FieldInfo]: ...


class Annotations(Mapping[str, Any], dict[str, Any]):  # type: ignore[metaclass, misc]
    """The `__annotations__` of a compiled model, computed on first access.

    It is a dict, as `typing.get_type_hints` takes nothing else.
    """

    __slots__ = ("_blueprint", "_found")

    def __init__(self, blueprint: HasFields) -> None:
        self._blueprint = blueprint
        self._found: dict[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self._annotations()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._annotations())

    def __len__(self) -> int:
        return len(self._annotations())

    def __repr__(self) -> str:
        return repr(self._annotations())

    def __or__(self, other: Any) -> dict[str, Any]:
        return {**self._annotations(), **other}

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def copy(self) -> dict[str, Any]:
        """Return a dict of its own."""
        return {**self._annotations()}

    def _annotations(self) -> dict[str, Any]:
        if getattr(_HIDDEN, "now", False):
            return {}
        if self._found is None:
            fields = self._blueprint.fields()
            self._found = {name: field.annotation for name, field in fields.items()}
        return self._found
