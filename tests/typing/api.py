"""The public types, checked by mypy; nothing here runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from schema2model import (
    AccountEntry,
    ArgumentsModel,
    Change,
    CoercingModel,
    Coercion,
    CompiledSchema,
    Explanation,
    Issue,
    Observer,
    PartialArguments,
    Prepared,
    RequestBudget,
    StrictSchema,
    Tool,
    ToolError,
    ToolOptions,
    Toolset,
    coercing,
    compile_document,
    compile_schema,
)

compiled: CompiledSchema = compile_schema({"type": "object"}, coercion="lenient", name="search")
always: dict[str, Any] | bool = True
models: Mapping[str, type[ArgumentsModel]] = compile_document({"$defs": {}}, formats="convert")
boolean: CompiledSchema = compile_schema(always, coercion=Coercion.off, formats="assert")
model: type[BaseModel] = compiled.model
valid: bool = compiled.is_valid({})
result: Any = compiled.validate_json(b"{}")
stricter: Coercion = Coercion.default.replace(boolean_words=False)
arguments_model: type[ArgumentsModel] = compiled.model
partial: PartialArguments = compiled.partial()
explanation: Explanation = compiled.explain("x")
changes: tuple[Change, ...] = explanation.changes
error: ToolError | None = explanation.error
if error is not None:
    issues: tuple[Issue, ...] = error.issues
    retryable: bool = error.retryable
tool: Tool = Tool.from_schema({"name": "t", "inputSchema": {"type": "object"}})
tools: Toolset = Toolset([tool])
prepared: Prepared = tool.prepare("{}")
observer: Observer | None = None
options: ToolOptions = {"coercion": "lenient", "observer": observer}
lenient: Toolset = Toolset([tool], **options)


class Search(CoercingModel, coercion="lenient"):
    """A model with a policy."""

    limit: int


@coercing
@dataclass
class Filter:
    """A dataclass stays one."""

    tags: list[str]


limit: int = Search.model_validate({"limit": "10"}).limit
search: Search = Search.model_validate_json('{"limit": 1}', strict=True)
made: Search = Search(limit=1)
tags: list[str] = Filter(tags=[]).tags
generous: type[Search] = coercing(coercion="lenient")(Search)
strict: StrictSchema = compiled.strict("openai", max_items=100)
projection: dict[str, Any] = strict.schema
account: tuple[AccountEntry, ...] = strict.account
encoded: Any = strict.encode(strict.decode({}))
strict_tools = Toolset([], strict="anthropic")
budget: RequestBudget | None = strict_tools.budget
listed: list[dict[str, Any]] = strict_tools.definitions("mcp")
