"""Instructor: response models that correct what a model writes.

client = instructor.from_openai(OpenAI())
order = client.create(response_model=from_tool(tool), messages=[...], max_retries=2)
order = client.create(response_model=wrap_tool(Order), messages=[...], max_retries=2)
order = client.create(response_model=wrap_tool(compiled.model), messages=[...], max_retries=2)

A refused response is a `pydantic.ValidationError`, with which Instructor asks again. It has no hook
that may change a response, and runs no tools: call `tool.call(order.model_dump())`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from schema2model import Coercion, Tool, ToolError, coercing
from schema2model.adapters.common import as_validation_error, require_tool
from schema2model.coercions import Preset, coercion_named
from schema2model.extras import extra
from schema2model.model.arguments_model import ArgumentsModel
from schema2model.tools.preparing import invert_arguments, refuse_by_options
from schema2model.tools.tool import parts_of

with extra("instructor"):
    import instructor  # noqa: F401 - which is what the models are for

__all__ = ["from_tool", "wrap_tool"]

Model = TypeVar("Model", bound=type[BaseModel])


def from_tool(tool: Tool) -> type[BaseModel]:
    """Return a response model of a tool's arguments; `model_dump()` returns them.

    That of a tool of a strict `Toolset` shows its projection, and decodes.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    require_tool(tool)
    # Instructor takes the function's name from the title, and needs the list of properties.
    shown = {"properties": {}, **tool.shown_schema, "title": tool.name}
    if tool.description:
        shown["description"] = tool.description

    return _response(tool.compiled.model, tool.name, tool.description, shown, tool)


def wrap_tool(theirs: Model, coercion: Preset | Coercion | None = None) -> Model:
    """Return a subclass of a response model, of the same name, that coerces before it validates.

    Args:
        theirs: a model of one's own, or that of a compiled schema (`compile_schema(...).model`).
        coercion: that of the response; a compiled model has its own.

    Raises:
        TypeError: for what is not a model, and for a coercion of a compiled model.

    """
    if not (isinstance(theirs, type) and issubclass(theirs, BaseModel)):
        message = "wrap_tool takes a response model, a subclass of pydantic.BaseModel"
        raise TypeError(message)
    if coercion is not None:
        coercion_named(coercion)
    if not issubclass(theirs, ArgumentsModel):
        return coercing(coercion=coercion or "default")(theirs)
    if coercion is not None:
        message = "a compiled model has its own coercion: compile_schema(schema, coercion=...)"
        raise TypeError(message)
    shown = {"properties": {}, "title": theirs.__name__, **theirs.model_json_schema()}
    return cast("Model", _response(theirs, theirs.__name__, theirs.__doc__, shown))


def _response(
    model: Any,
    name: str,
    description: str | None,
    shown: Mapping[str, Any],
    tool: Tool | None = None,
) -> type[BaseModel]:
    """Return a subclass of a compiled model that coerces under Instructor's `strict=True`.

    Instructor passes it unless `create(strict=False)` is called, and for a compiled model it means
    `coercion="off"`.
    """
    strict = None if tool is None else tool.strict

    def allowed(made: BaseModel, sent: Any) -> BaseModel:
        if tool is not None:
            try:
                refuse_by_options(parts_of(tool), made.model_dump())
            except ToolError as error:
                raise as_validation_error(error, name, sent) from error
        return made

    class Response(model):  # type: ignore[misc]
        @classmethod
        def model_validate(cls, obj: Any, **options: Any) -> Any:
            options.pop("strict", None)
            if strict is not None:
                obj = strict.inverted(obj)
            return allowed(super().model_validate(obj, **options), obj)

        @classmethod
        def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Any:
            options.pop("strict", None)
            if strict is not None:
                json_data = invert_arguments(json_data, strict)
            return allowed(super().model_validate_json(json_data, **options), json_data)

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return copy.deepcopy(dict(shown))

    Response.__name__ = Response.__qualname__ = name
    Response.__doc__ = description
    return Response
