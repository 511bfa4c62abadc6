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

from schema2model.cache import compile_schema
from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema, Explanation
from schema2model.errors import Issue, SchemaError, ToolError

if TYPE_CHECKING:
    from schema2model.calls.call_types import ArrivingCall, Call
    from schema2model.calls.reading import CallReader
    from schema2model.coerce.partial import PartialArguments
    from schema2model.coerce.search.readings import Change
    from schema2model.coercing_models.models import CoercingModel, coercing
    from schema2model.model.arguments_model import ArgumentsModel
    from schema2model.strict.account import AccountEntry
    from schema2model.strict.budget import RequestBudget
    from schema2model.strict.strict_schema import StrictSchema
    from schema2model.tools.tool import Observer, Prepared, Tool, ToolOptions, tool
    from schema2model.tools.toolset import Toolset

    __version__: str

__all__ = [
    "AccountEntry",
    "ArgumentsModel",
    "ArrivingCall",
    "Call",
    "CallReader",
    "Change",
    "CoercingModel",
    "Coercion",
    "CompiledSchema",
    "Explanation",
    "Issue",
    "Observer",
    "PartialArguments",
    "Prepared",
    "RequestBudget",
    "SchemaError",
    "StrictSchema",
    "Tool",
    "ToolError",
    "ToolOptions",
    "Toolset",
    "coercing",
    "compile_schema",
    "tool",
]


_LATER = {
    "AccountEntry": "schema2model.strict.account",
    "ArgumentsModel": "schema2model.model.arguments_model",
    "ArrivingCall": "schema2model.calls.call_types",
    "Call": "schema2model.calls.call_types",
    "CallReader": "schema2model.calls.reading",
    "Change": "schema2model.coerce.search.readings",
    "CoercingModel": "schema2model.coercing_models.models",
    "Observer": "schema2model.tools.tool",
    "PartialArguments": "schema2model.coerce.partial",
    "Prepared": "schema2model.tools.tool",
    "RequestBudget": "schema2model.strict.budget",
    "StrictSchema": "schema2model.strict.strict_schema",
    "Tool": "schema2model.tools.tool",
    "ToolOptions": "schema2model.tools.tool",
    "Toolset": "schema2model.tools.toolset",
    "coercing": "schema2model.coercing_models.models",
    "tool": "schema2model.tools.tool",
}
"""Names that are imported on first access, by module."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - reading files takes a while

        from schema2model.extras import DISTRIBUTION  # noqa: PLC0415

        return version(DISTRIBUTION)
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    dunder = (name for name in globals() if name.startswith("__"))
    return [*__all__, "__version__", *dunder]
