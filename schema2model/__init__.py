"""Exact arguments for tools that language models call, from a JSON Schema compiled once.

>>> from schema2model import compile_schema
>>> compiled = compile_schema(
...     {"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"]}
... )
>>> compiled.validate({"limit": "10"})
{'limit': 10}
"""

from schema2model.cache import compile_schema
from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema
from schema2model.errors import Issue, SchemaError, ToolError

__all__ = ["Coercion", "CompiledSchema", "Issue", "SchemaError", "ToolError", "compile_schema"]
