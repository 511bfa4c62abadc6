"""The public types, checked by mypy; nothing here runs."""

from typing import Any

from pydantic import BaseModel

from schema2model import Coercion, CompiledSchema, Issue, Tool, ToolError, Toolset, compile_schema

compiled: CompiledSchema = compile_schema({"type": "object"}, coercion="lenient", name="search")
always: dict[str, Any] | bool = True
boolean: CompiledSchema = compile_schema(always, coercion=Coercion.off, formats="assert")
model: type[BaseModel] = compiled.model
valid: bool = compiled.is_valid({})
result: Any = compiled.validate_json(b"{}")
stricter: Coercion = Coercion.default.replace(boolean_words=False)
error: ToolError | None = compiled.explain("x").error
if error is not None:
    issues: tuple[Issue, ...] = error.issues
    retryable: bool = error.retryable
tool: Tool = Tool.from_schema({"name": "t", "inputSchema": {"type": "object"}})
tools: Toolset = Toolset([tool])
