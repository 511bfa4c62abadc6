"""What the options of validation do that frameworks pass to a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from pydantic.config import ExtraValues

from schema2model.errors import ToolError
from schema2model.model.instances import holding, without_models
from schema2model.model.validation_errors import validation_error

__all__ = ["refuse_extra", "validated_with"]

_JSON = (dict, list, tuple, str, bytes, bytearray, int, float, type(None), Mapping)


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
    if attributes and not issubclass(type(obj), _JSON):
        obj = _attributes_of(obj, cls.__pydantic_fields__)
    if not strict:
        return cls.model_validate(obj)
    obj = without_models(obj)
    engine = cls.__blueprint__.strict_engine(cls.__engine__)
    try:
        return holding(cls, engine.accept(obj))
    except Exception:  # noqa: BLE001 - a hostile value may raise anything
        try:
            return holding(cls, engine.recover(obj))
        except ToolError as error:
            raise validation_error(error, cls.__name__, obj, lax=False) from None


def _attributes_of(given: Any, names: Iterable[str]) -> dict[str, Any]:
    """The attributes of an object, as far as it has them."""
    found = {}
    for name in names:
        with suppress(Exception):  # a hostile object may raise anything
            found[name] = getattr(given, name)
    return found


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
