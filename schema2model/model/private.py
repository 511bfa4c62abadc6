"""Private attributes of instances: they are not arguments, and are never dumped."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import BaseModel

__all__ = ["PrivateCache", "declared_private", "private_of", "set_private"]

_SLOT = BaseModel.__dict__["__pydantic_private__"]
set_private = _SLOT.__set__


def private_of(instance: Any) -> dict[str, Any]:
    """The private attributes of an instance, to be changed; made when they are first asked for.

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
    """Those that its class declares."""
    declared = type(instance).__private_attributes__
    private = private_of(instance) if declared else {}
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
        kept = private_of(instance)
        if self._name not in kept:
            kept[self._name] = self.func(instance)
        return kept[self._name]

    def __set__(self, instance: Any, value: Any) -> None:
        private_of(instance)[self._name] = value

    def __delete__(self, instance: Any) -> None:
        private_of(instance).pop(self._name, None)
