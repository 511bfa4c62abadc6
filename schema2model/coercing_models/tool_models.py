"""`ToolModel`: the base of the classes that `schema2model codegen` generates."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import Self

from schema2model.coerce.engine import Defaults, Formats
from schema2model.coercing_models.exact_models import ExactModel
from schema2model.coercing_models.rewording import reworded
from schema2model.coercions import Coercion, Preset, coercion_named
from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.json.values import is_shallow, map_leaves
from schema2model.model.arguments_model import ArgumentsModel

__all__ = ["ToolModel"]


class ToolModel(ExactModel, coercion="off"):
    r"""The arguments of a tool, checked by its JSON Schema and held in annotated fields.

    A class accepts and coerces what `compile_schema(cls.__schema__)` does. Its annotations have to
    accept the result: they only say in which Python types it is held.

    The class keywords `coercion`, `formats` and `defaults` are the options of `compile_schema`;
    subclasses inherit them.

    >>> class Search(ToolModel, coercion="default"):
    ...     tags: list[str]
    ...     limit: int | None = None
    ...
    ...     __schema__ = {
    ...         "type": "object",
    ...         "properties": {
    ...             "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    ...             "limit": {"type": "integer"},
    ...         },
    ...         "required": ["tags"],
    ...     }
    >>> Search.model_validate({"tags": '["low_stock"]', "limit": None})
    Search(tags=['low_stock'], limit=None)
    >>> Search(tags=["a", "a"])
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Search
    tags
      must be a JSON array of strings without duplicates, not ["a", "a"]; ...

    """

    __schema__: ClassVar[Any] = {}
    __rules__: ClassVar[Coercion] = Coercion.default
    __formats__: ClassVar[Formats] = "annotate"
    __defaults__: ClassVar[Defaults | None] = None
    __compiled__: ClassVar[CompiledSchema]  # set when it is first needed

    def __init_subclass__(
        cls,
        *,
        coercion: Preset | Coercion | None = None,
        formats: Formats | None = None,
        defaults: Defaults | None = None,
        **kwargs: Any,
    ) -> None:
        # `coercion` is not passed on: the schema coerces, the annotations must not do it again.
        super().__init_subclass__(**kwargs)
        if coercion is not None:
            cls.__rules__ = coercion_named(coercion)
        cls.__formats__ = formats or cls.__formats__
        cls.__defaults__ = defaults or cls.__defaults__

    @classmethod
    def _arguments_model(cls) -> type[ArgumentsModel]:
        """Return the model that is compiled from the schema."""
        if "__compiled__" not in vars(cls):
            cls.__compiled__ = compile_schema(
                cls.__schema__,
                coercion=cls.__rules__,
                name=cls.__name__,
                formats=cls.__formats__,
                defaults=cls.__defaults__,
            )
        return cls.__compiled__.model

    @model_validator(mode="before")
    @classmethod
    def _validate_by_schema(cls, data: Any) -> Any:
        if isinstance(data, cls):
            return data
        arguments = cls._arguments_model()
        try:
            return arguments.model_validate(data).model_dump()
        except ValidationError:
            if not is_shallow(data):
                raise
        return arguments.model_validate(map_leaves(_sent, data)).model_dump()

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Validate argument text as a provider sent it, repairing it where it has to be.

        Args:
            json_data: the text.
            options: those of pydantic's `BaseModel.model_validate`.

        Raises:
            pydantic.ValidationError: where no reading of it is valid.

        """
        try:
            data = cls._arguments_model().model_validate_json(json_data).model_dump()
        except ValidationError as error:
            raise reworded(error, cls) from None
        return cls.model_validate(data, **options)

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the tool's JSON Schema, as it was given."""
        return cls._arguments_model().model_json_schema(*args, **kwargs)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        return cls._arguments_model().__get_pydantic_json_schema__(core_schema, handler)


def _sent(value: Any) -> Any:
    """Return the fields that were set on a model; any other value as it is."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return value
