"""`python -m benchmarks.strict_modes DIRECTORY`: strict definitions of real tools, by converter.

The directory has tools as `mcp_tools*.jsonl.gz`, rows with `inputSchema`, and calls of them as
`tool_calls_*.jsonl.gz`, rows with `schema` and `arguments`. For each converter, it counts:

- projected: the converter makes a schema that llguidance compiles
- calls: of the valid calls that use declared properties only, those that the schema can express
- samples: of random texts that llguidance allows, those that mean valid arguments

Other converters have no inverse. A call that they can express satisfies their schema as it is, or
with null for the properties that it leaves out; their samples are valid as they are.
"""

from __future__ import annotations

import copy
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import jsonschema_rs

from benchmarks.documents import table
from schema2model import CompiledSchema, ToolError, compile_schema

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
import engine

SAMPLES = 3
"""Samples of one tool."""
CHARACTERS = 600
"""Characters of a sample, at most."""


class Strict(NamedTuple):
    """A converter's schema of a tool, and its two directions."""

    schema: dict[str, Any]
    express: Callable[[Any], Any]
    """Returns a call as the schema has it."""
    mean: Callable[[Any], Any]
    """Returns the arguments that a text of the engine means; raises ToolError for none."""


Converter = Callable[[CompiledSchema], Strict]


def ours(provider: str) -> Converter:
    """Return our own converter for a provider."""

    def convert(compiled: CompiledSchema) -> Strict:
        strict = compiled.strict(provider)
        return Strict(strict.schema, strict.encode, strict.decode)

    return convert


def theirs(convert: Callable[[dict[str, Any]], dict[str, Any]]) -> Converter:
    """Return a converter without an inverse."""

    def whole(compiled: CompiledSchema) -> Strict:
        schema = convert(copy.deepcopy(compiled.schema))  # type: ignore[arg-type]
        names = list(schema.get("properties", {}))
        is_valid = jsonschema_rs.validator_for(schema, validate_formats=False).is_valid

        def express(value: Any) -> Any:
            for each in (value, {name: value.get(name) for name in names}):
                if is_valid(each):
                    return each
            message = "the schema cannot express it"
            raise ToolError(message)

        return Strict(schema, express, lambda value: value)

    return whole


def converters() -> Iterator[tuple[str, Converter]]:
    """Yield the converters, each with the package and version that it is of."""
    from agents.strict_schema import ensure_strict_json_schema  # noqa: PLC0415 - frameworks
    from anthropic import transform_schema  # noqa: PLC0415
    from langchain_core.utils.function_calling import convert_to_openai_function  # noqa: PLC0415
    from openai.lib._pydantic import _ensure_strict_json_schema  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer  # noqa: PLC0415

    def langchain(schema: dict[str, Any]) -> dict[str, Any]:
        titled = {**schema, "title": "tool", "description": "A tool."}
        made: dict[str, Any] = convert_to_openai_function(titled, strict=True)["parameters"]
        return made

    yield "schema2model, `openai`", ours("openai")
    yield (
        f"openai {version('openai')}",
        theirs(lambda schema: _ensure_strict_json_schema(schema, path=(), root=schema)),
    )
    yield f"openai-agents {version('openai-agents')}", theirs(ensure_strict_json_schema)
    yield (
        f"pydantic-ai {version('pydantic-ai-slim')}",
        theirs(lambda schema: OpenAIJsonSchemaTransformer(schema, strict=True).walk()),
    )
    yield f"langchain-core {version('langchain-core')}", theirs(langchain)
    yield "schema2model, `anthropic`", ours("anthropic")
    yield f"anthropic {version('anthropic')}", theirs(transform_schema)


def rows(directory: Path, pattern: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of all files of a name."""
    for path in sorted(directory.glob(pattern)):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from map(json.loads, file)


def text(schema: Any) -> str:
    """Return the key of a schema."""
    return json.dumps(schema, sort_keys=True)


class Tool(NamedTuple):
    """A tool, with valid calls of it that use declared properties only."""

    compiled: CompiledSchema
    calls: list[Any]


def tools(directory: Path) -> list[Tool]:
    """Return all tools of a directory."""
    calls: dict[str, list[Any]] = {}
    for row in rows(directory, "tool_calls_*.jsonl.gz"):
        if "schema" in row:
            calls.setdefault(text(row["schema"]), []).append(row["arguments"])
    found = []
    for row in rows(directory, "mcp_tools*.jsonl.gz"):
        compiled = compile_schema(row["inputSchema"])
        kept = calls.get(text(row["inputSchema"]), [])[:3]
        found.append(Tool(compiled, [call for call in kept if _is_plain(compiled, call)]))
    return found


def _is_plain(compiled: CompiledSchema, call: Any) -> bool:
    """Return whether a call is valid, and stays valid if no undeclared property is allowed."""
    schema = _closed(compiled.schema)
    schema.setdefault("additionalProperties", False)
    return compiled.is_valid(call) and bool(jsonschema_rs.is_valid(schema, call))


def _closed(schema: Any) -> Any:
    """Return a schema whose objects allow no more properties, unless it says what they allow."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _closed(each) for key, each in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def measured(convert: Converter, all_tools: list[Tool]) -> Counter[str]:
    """Return the counts of one converter."""
    count: Counter[str] = Counter()
    random = Random(0)  # noqa: S311 - no secret
    for compiled, calls in all_tools:
        count["tools"] += 1
        count["calls"] += len(calls)
        try:
            strict = convert(compiled)
            grammar = engine.grammar(strict.schema)
        except Exception:  # noqa: BLE001, S112 - converters raise what they like
            continue
        count["projected"] += 1
        for call in calls:
            try:
                strict.express(call)
            except ToolError:
                continue
            count["expressed"] += 1
        for _ in range(SAMPLES):
            try:
                value = engine.sample(grammar, random, CHARACTERS)
            except ValueError:
                continue
            count["samples"] += 1
            try:
                count["valid"] += compiled.is_valid(strict.mean(value))
            except ToolError:
                continue
    return count


def row_of(name: str, count: Counter[str]) -> tuple[str, ...]:
    """Return the row of a converter."""
    return (
        name,
        f"{count['projected']} of {count['tools']}",
        f"{count['expressed'] / max(count['calls'], 1):.0%}",
        f"{count['valid'] / max(count['samples'], 1):.1%}",
    )


def main() -> None:
    """Measure all converters, and print the table."""
    all_tools = tools(Path(sys.argv[1]))
    heads = ("converter", "projected", "calls expressed", "samples valid")
    print(table(heads, [row_of(name, measured(each, all_tools)) for name, each in converters()]))


if __name__ == "__main__":
    main()
