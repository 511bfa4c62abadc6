"""The data of a model while its text arrives."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import BaseModel

from schema2model.coerce.partial import PartialArguments
from schema2model.compiled import CompiledSchema

__all__ = ["ModelArguments"]

_M = TypeVar("_M", bound=BaseModel)


class ModelArguments(PartialArguments, Generic[_M]):
    """The data of one model. Made by `CoercingModel.partial`.

    `feed` and `value` show JSON values; `finish` returns the model.

    Args:
        model: the model.
        compiled: the schema of the data that it accepts.
        strings: see `CompiledSchema.partial`.

    """

    __slots__ = ()

    def __init__(self, model: type[_M], compiled: CompiledSchema, *, strings: bool) -> None:
        super().__init__(compiled._engine, strings=strings, finish=model.model_validate_json)

    def finish(self) -> _M:
        """Validate the whole text, as `model_validate_json` does.

        Raises:
            pydantic.ValidationError: what the model says of the data.

        """
        model: _M = super().finish()
        return model
