"""Exact arguments for tools that language models call, from a JSON Schema compiled once.

>>> from schema2model import compile_schema
>>> compiled = compile_schema(
...     {"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"]}
... )
>>> compiled.validate({"limit": "10"})
{'limit': 10}
"""

from typing import TYPE_CHECKING, Any

from schema2model.cache import compile_schema
from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema
from schema2model.errors import Issue, SchemaError, ToolError

if TYPE_CHECKING:
    from schema2model.tools import Tool
    from schema2model.toolsets import Toolset

__all__ = [
    "Coercion",
    "CompiledSchema",
    "Issue",
    "SchemaError",
    "Tool",
    "ToolError",
    "Toolset",
    "compile_schema",
]


def __getattr__(name: str) -> Any:
    """Import what is about tools only when it is asked for; a validator does without."""
    if name == "Tool":
        from schema2model.tools import Tool  # noqa: PLC0415

        return Tool
    if name == "Toolset":
        from schema2model.toolsets import Toolset  # noqa: PLC0415

        return Toolset
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
