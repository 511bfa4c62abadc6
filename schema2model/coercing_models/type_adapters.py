"""`coercing_adapter`: coercion for types that are not classes of one's own."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

from pydantic import ConfigDict, TypeAdapter
from pydantic_core import ValidationError

from schema2model.coercing_models.models import without_coercion
from schema2model.coercing_models.retry import SecondAttempts
from schema2model.coercions import Coercion, Preset, coercion_named

__all__ = ["coercing_adapter"]

T = TypeVar("T")

_PARENT_DEPTH = 3
"""Frames from pydantic to the caller of `coercing_adapter`, whose names annotations may use."""


class _CoercingValidator:
    """A validator that coerces data which its type would refuse."""

    def __init__(self, adapter: TypeAdapter[Any], coercion: Coercion) -> None:
        self._plain = without_coercion(adapter.validator)
        self._attempts = SecondAttempts(adapter, coercion, copies=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # `copy` asks for such methods
            raise AttributeError(name)
        return getattr(self._plain, name)

    def validate_python(self, value: Any, /, **options: Any) -> Any:
        """Validate data, as it is or else coerced."""
        validate = functools.partial(self._plain.validate_python, **options)
        kept = self._attempts.keep_copy(value)
        try:
            return validate(value)
        except ValidationError as error:
            first = error
        return self._attempts.retry(first, kept, validate)

    def validate_json(self, text: str | bytes | bytearray, /, **options: Any) -> Any:
        """Validate text, as it is or else repaired and coerced."""
        validate = functools.partial(self._plain.validate_json, **options)
        try:
            return validate(text)
        except ValidationError as error:
            first = error
        return self._attempts.retry_json(first, text, validate)


@overload
def coercing_adapter(
    type: type[T],
    *,
    coercion: Preset | Coercion = "default",
    config: ConfigDict | None = None,
) -> TypeAdapter[T]: ...
@overload
def coercing_adapter(
    type: Any, *, coercion: Preset | Coercion = "default", config: ConfigDict | None = None
) -> TypeAdapter[Any]: ...
def coercing_adapter(
    type: Any,  # noqa: A002 - pydantic's name
    *,
    coercion: Preset | Coercion = "default",
    config: ConfigDict | None = None,
) -> TypeAdapter[Any]:
    """Return a `TypeAdapter` with coercion, for a TypedDict, a list of models, or any type.

    `validate_python` coerces data that the type would refuse; `validate_json` also repairs text.

    Args:
        type: what pydantic's `TypeAdapter` takes.
        coercion: the rules, as for `compile_schema`. They also hold for the models within.
        config: pydantic's configuration.

    Raises:
        pydantic.PydanticUserError: for a type that pydantic does not know, or not completely.

    >>> from typing_extensions import TypedDict
    >>> class Search(TypedDict):
    ...     tags: list[str]
    ...     limit: int
    >>> searches = coercing_adapter(list[Search])
    >>> searches.validate_python('[{"tags": "[1]", "limit": "10"}]')
    [{'tags': ['1'], 'limit': 10}]
    >>> searches.validate_json("[{tags: ['new'], limit: 5,}]")
    [{'tags': ['new'], 'limit': 5}]

    """
    adapter: TypeAdapter[Any] = TypeAdapter(type, config=config, _parent_depth=_PARENT_DEPTH)
    if not adapter.pydantic_complete:
        adapter.rebuild(_parent_namespace_depth=_PARENT_DEPTH)
    validator: Any = _CoercingValidator(adapter, coercion_named(coercion))
    adapter.validator = validator
    return adapter
