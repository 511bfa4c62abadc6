"""Exact arguments for tools that language models call, from a JSON Schema compiled once.

>>> from schema2model import compile_schema
>>> compiled = compile_schema(
...     {"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"]}
... )
>>> compiled.validate({"limit": "10"})
{'limit': 10}
"""

import importlib
from typing import TYPE_CHECKING, Any

from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.errors import SchemaError, ToolError

if TYPE_CHECKING:
    from schema2model.calls.formats.wire_format import WireFormat
    from schema2model.coercing_models.models import CoercingModel, coercing
    from schema2model.coercing_models.type_adapters import coercing_adapter
    from schema2model.documents import compile_document
    from schema2model.tools.tool import Tool, tool
    from schema2model.tools.toolset import Toolset
    from schema2model.types import (
        AccountEntry as AccountEntry,
        ArgumentsModel as ArgumentsModel,
        ArrivingCall as ArrivingCall,
        Call as Call,
        CallReader as CallReader,
        Change as Change,
        Explanation as Explanation,
        Issue as Issue,
        Observer as Observer,
        PartialArguments as PartialArguments,
        Prepared as Prepared,
        RequestBudget as RequestBudget,
        StrictSchema as StrictSchema,
        ToolOptions as ToolOptions,
    )

    __version__: str

__all__ = [
    "CoercingModel",
    "Coercion",
    "CompiledSchema",
    "SchemaError",
    "Tool",
    "ToolError",
    "Toolset",
    "WireFormat",
    "coercing",
    "coercing_adapter",
    "compile_document",
    "compile_schema",
    "tool",
]

_LATER = {
    "CoercingModel": "schema2model.coercing_models.models",
    "Tool": "schema2model.tools.tool",
    "Toolset": "schema2model.tools.toolset",
    "WireFormat": "schema2model.calls.formats.wire_format",
    "coercing": "schema2model.coercing_models.models",
    "coercing_adapter": "schema2model.coercing_models.type_adapters",
    "compile_document": "schema2model.documents",
    "tool": "schema2model.tools.tool",
}
"""Names that are imported on first access, by module."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - reading files takes a while

        from schema2model.extras import DISTRIBUTION  # noqa: PLC0415 - only the version needs it

        return version(DISTRIBUTION)
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    if not name.startswith("_"):
        types = importlib.import_module("schema2model.types")
        if name in types.__all__:
            return getattr(types, name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    dunder = (name for name in globals() if name.startswith("__"))
    return [*__all__, "__version__", *dunder]
