"""Instructor: response models that read what models write, of our tools and of one's own models.

client = instructor.from_openai(OpenAI())
order = client.create(response_model=from_tool(tool), messages=[...], max_retries=2)
order = client.create(response_model=wrap_tool(Order), messages=[...], max_retries=2)

What is refused is a `pydantic.ValidationError`, with which Instructor asks again. It has no hook
that may change a response, and runs no tools: `tool.call(order.model_dump())` does.
"""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from pydantic import BaseModel

from schema2model import Coercion, Tool, coercing
from schema2model.adapters.common import (
    extra,
    require_tool,
)
from schema2model.coercions import Preset
from schema2model.tools.argument_text import inverted_text

with extra("instructor"):
    import instructor  # noqa: F401 - which is what the models are for

__all__ = ["from_tool", "wrap_tool"]

Model = TypeVar("Model", bound=type[BaseModel])


def from_tool(tool: Tool) -> type[BaseModel]:
    """A response model of a tool's arguments; `model_dump()` gives them.

    That of a tool of a strict `Toolset` shows its projection, and decodes.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    require_tool(tool)
    # Instructor takes the function's name from the title, and needs the list of properties.
    shown = {"properties": {}, **tool.shown_schema, "title": tool.name}
    if tool.description:
        shown["description"] = tool.description

    model: Any = tool.compiled.model

    class Response(model):
        # Instructor asks for strictness if nobody has asked it not to: nothing would be coerced.
        @classmethod
        def model_validate(cls, obj: Any, *, strict: bool | None = None, **options: Any) -> Any:
            del strict
            if tool.strict is not None:
                obj = tool.strict.inverted(obj)
            return super().model_validate(obj, **options)

        @classmethod
        def model_validate_json(
            cls, json_data: str | bytes | bytearray, *, strict: bool | None = None, **options: Any
        ) -> Any:
            del strict
            if tool.strict is not None:
                json_data = inverted_text(json_data, tool.strict)
            return super().model_validate_json(json_data, **options)

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return copy.deepcopy(shown)

    Response.__name__ = Response.__qualname__ = tool.name
    Response.__doc__ = tool.description
    return Response


def wrap_tool(theirs: Model, coercion: Preset | Coercion = "default") -> Model:
    """A subclass of a response model, of the same name, that coerces before it validates."""
    if not (isinstance(theirs, type) and issubclass(theirs, BaseModel)):
        message = "wrap_tool takes a response model, a subclass of pydantic.BaseModel"
        raise TypeError(message)
    return coercing(coercion=coercion)(theirs)
