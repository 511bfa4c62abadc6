"""The annotations of compiled models, which few ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import local
from typing import Any, Protocol

from pydantic.fields import FieldInfo

__all__ = ["Annotations", "annotations_hidden"]

_HIDDEN = local()


@contextmanager
def annotations_hidden() -> Iterator[None]:
    """Meanwhile, models have no annotations in this thread.

    When pydantic makes a subclass it would take them for fields that were not made yet.
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
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __or__(self, other: Any) -> dict[str, Any]:
        return {**self._all(), **other}

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def copy(self) -> dict[str, Any]:
        """A dict of its own."""
        return {**self._all()}

    def _all(self) -> dict[str, Any]:
        if getattr(_HIDDEN, "now", False):
            return {}
        if self._found is None:
            fields = self._blueprint.fields()
            self._found = {name: field.annotation for name, field in fields.items()}
        return self._found
