"""The bases of the classes that `schema2model codegen` generates for components of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, ClassVar

from pydantic import (
    ConfigDict,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from schema2model.coercing_models.exact_models import ExactModel
from schema2model.coercing_models.tool_models import ToolModel
from schema2model.documents import compile_document
from schema2model.model.arguments_model import ArgumentsModel

__all__ = ["ComponentModel", "ObjectModel", "bind_document"]


class ObjectModel(ExactModel):
    """An object within a component. Its dumps leave out None for properties that were not sent.

    The schema of an optional property rarely allows null.
    """

    model_config = ConfigDict(extra="allow")

    # with an annotation, pydantic would write its JSON schema in the place of that of the fields
    @model_serializer(mode="wrap")
    def _serialize_sent(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo):  # type: ignore[no-untyped-def]  # noqa: ANN202
        dumped = handler(self)
        for name, field in type(self).__pydantic_fields__.items():
            if name not in self.__pydantic_fields_set__ and self.__dict__.get(name) is None:
                dumped.pop(name if info.by_alias is False else field.alias or name, None)
        return dumped


class ComponentModel(ObjectModel, ToolModel):
    """A component of a document, checked by its schema there and held in annotated fields.

    `bind_document` gives the class its document. The class keywords are those of `ToolModel`.

    >>> class Guest(ComponentModel, coercion="off"):
    ...     name: str
    ...     code: str | None = None
    >>> schema = {
    ...     "type": "object",
    ...     "properties": {"name": {"type": "string"}, "code": {"pattern": "^[A-Z]{3}$"}},
    ...     "required": ["name"],
    ... }
    >>> bind_document({"Guest": Guest}, {"$defs": {"Guest": schema}})
    >>> Guest.model_validate({"name": "Ada"}).model_dump()
    {'name': 'Ada'}
    >>> Guest(name="Ada", code="abc")
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Guest
    code
      must be a string that matches the pattern "^[A-Z]{3}$", not "abc" [type=...

    """

    __component__: ClassVar[str]
    __document__: ClassVar[Callable[..., Mapping[str, type[ArgumentsModel]]]]

    @classmethod
    def _arguments_model(cls) -> type[ArgumentsModel]:
        """Return the model that is compiled from the component."""
        models = cls.__document__(
            coercion=cls.__rules__, formats=cls.__formats__, defaults=cls.__defaults__
        )
        return models[cls.__component__]


def bind_document(
    components: Mapping[str, type[ComponentModel]], document: Mapping[str, Any]
) -> None:
    """Give the classes of a document's components their schemas.

    Args:
        components: classes, by the names of their components.
        document: as for `compile_document`. It is compiled when a class is first used.

    """
    compiled = cache(partial(compile_document, document))
    for name, component in components.items():
        component.__component__ = name
        component.__document__ = compiled
