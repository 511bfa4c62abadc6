"""What a user writes, as type checkers see it. A line that ends in `# error` is a mistake."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from typing_extensions import assert_type

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
    tool,
)

# ------------------------------------------------------------------------------------ schemas
compiled = compile_schema({"type": "object"}, coercion="lenient")
assert_type(compiled, CompiledSchema)
assert_type(compiled.model, type[ArgumentsModel])
compile_schema({}, coercion=Coercion.default.replace(json_text=False))
compile_schema({}, coercion="lenint")  # error
compile_schema({}, formats="check")  # error
compile_schema('{"type": "object"}')  # error
compile_schema(BaseModel)  # error
compile_schema({}, "lenient")  # error
Coercion.default.replace(json_text="no")  # error
Coercion.default.replace(jsn_text=True)  # error

assert_type(compile_schema(bool("anything"), coercion=Coercion.off), CompiledSchema)
assert_type(compiled.is_valid({}), bool)
assert_type(compiled.partial(), PartialArguments)
explanation = compiled.explain("x")
assert_type(explanation, Explanation)
assert_type(explanation.changes, tuple[Change, ...])
assert_type(explanation.error, ToolError | None)
if explanation.error is not None:
    assert_type(explanation.error.issues, tuple[Issue, ...])
    assert_type(explanation.error.retryable, bool)
strict = compiled.strict("openai", max_items=100)
assert_type(strict, StrictSchema)
assert_type(strict.account, tuple[AccountEntry, ...])
projection: dict[str, Any] = strict.schema
encoded: Any = strict.encode(strict.decode({}))

models = compile_document({"$defs": {}}, formats="convert")
assert_type(models["Order"], type[ArgumentsModel])
models["Order"] = compiled.model  # error
compile_document("{}")  # error

# ------------------------------------------------------------------------------------- models
arguments = compiled.model.model_validate({"query": "x"})
assert_type(arguments, ArgumentsModel)
street: str = arguments.ship.street  # of what type an attribute is, only the schema knows
arguments.limit = 5
assert_type(arguments.model_fields_set, set[str])
model: type[BaseModel] = compiled.model
copied: ArgumentsModel = arguments.model_copy(update={"limit": 6})
compiled.model.model_validate({}, strikt=True)  # error
compiled.model.model_validate_json(5)  # error


class Search(compiled.model):  # type: ignore[misc, name-defined]  # made when the program runs
    """A subclass may have methods."""

    def words(self) -> list[str]:
        """The words of the query."""
        return str(self.query).split()


# -------------------------------------------------------------------------------------- tools
def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


async def fetch(url: str) -> bytes:
    """Fetch."""
    return url.encode()


adding = Tool.from_function(add, coercion="untyped")
assert_type(adding, Tool[int])
assert_type(adding.call({"a": 1}), int)
assert_type(adding.prepare("{}"), Prepared[int])
assert_type(adding.prepare("{}").call(), int)
wrong: str = adding.call({"a": 1})  # error
Tool.from_function(add, coercion="exact")  # error
Tool.from_function(5)  # error
adding.call(5)  # error
adding.prepare({}).arguments = {}  # error

fetching = Tool.from_function(fetch)
assert_type(fetching, Tool[bytes])


async def main() -> None:
    """Await what is asynchronous."""
    assert_type(await fetching.acall({"url": "x"}), bytes)
    assert_type(await adding.acall({"a": 1}), int)
    _: str = await fetching.acall({"url": "x"})  # error


asyncio.run(main())
assert_type(Tool.from_schema({"name": "add", "parameters": {}}, add), Tool[int])
assert_type(Tool.from_schema({"name": "f", "parameters": {}}, fetch), Tool[bytes])
assert_type(Tool.from_schema({"name": "any", "parameters": {}}), Tool[Any])


def run(tool: Tool) -> object:
    """Whatever it returns."""
    return tool.call({})


run(adding)
run(fetching)
tools = Toolset([adding, fetch, {"name": "any", "parameters": {}}])
result: int = tools.call("add", {"a": 1})
assert_type(tools["add"].name, str)
assert_type(tools["add"].schema, dict[str, Any])
assert_type(tools.get("add"), Tool[Any] | None)
assert_type(tools.definitions("mcp"), list[dict[str, Any]])
tools.definitions("opnai")  # error
adding.definition("opnai")  # error
assert_type(Toolset([], strict="anthropic").budget, RequestBudget | None)
observer: Observer | None = None
options: ToolOptions = {"coercion": "lenient", "observer": observer}
Toolset([adding], **options)
Toolset([adding], coercion="exact")  # error
Toolset([adding], unknown_arguments="forbid")  # error
tools.add(fetch, warn_above="much")  # error


@tool(name="doubled", coercion="off")
def double(number: int) -> int:
    """Double."""
    return 2 * number


assert_type(double, Tool[int])
assert_type(tool(fetch), Tool[bytes])
assert_type(Tool(fetch), Tool[bytes])
tool(name=5)  # error
tools.call("add")  # error


# ----------------------------------------------------------------------------- models of one's own
class Query(CoercingModel, coercion="lenient"):
    """A model that a person wrote."""

    limit: int = 10


@coercing
class Filter(BaseModel):
    """Another one."""

    field: str


@coercing
@dataclass
class Page:
    """A dataclass stays one."""

    tags: list[str]


assert_type(Query.model_validate({"limit": "5"}).limit, int)
assert_type(Query.model_validate_json('{"limit": 1}', strict=True), Query)
assert_type(Page(tags=[]).tags, list[str])
assert_type(coercing(coercion="lenient")(Query), type[Query])
assert_type(Filter(field="x").field, str)
Query(limit="five")  # error
coercing(coercion="much")(Filter)  # error
