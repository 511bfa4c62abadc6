"""A schema that was never seen before: what a tool costs before its first call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ConfigDict, create_model

from benchmarks.contenders import generated_model, installed
from benchmarks.schemas import CASES, MEDIAN_TOOL, Case, distinct, same
from schema2model import compile_schema

MEDIAN_CALL = {"repository": "octo/garden", "limit": 5}
TOOLS = (Case("median tool", MEDIAN_TOOL, MEDIAN_CALL, MEDIAN_CALL), *CASES)
ROUNDS = 300
SLOW_ROUNDS = 5
_PYTHON_TYPES: dict[Any, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def _compile(schema: dict[str, Any]) -> Callable[[Any], Any]:
    return compile_schema(schema).validate


def _compile_and_call(schema: dict[str, Any]) -> Callable[[Any], Any]:
    compiled = compile_schema(schema)
    compiled.validate(CALLS[id(schema["properties"])])
    return compiled.validate


def _compile_with_model(schema: dict[str, Any]) -> Callable[[Any], Any]:
    model = compile_schema(schema).model
    return lambda value: model.model_validate(value).model_dump()


def _bare_create_model(schema: dict[str, Any]) -> Callable[[Any], Any]:
    """The cheapest model with as many fields: one level, no constraints."""
    fields: dict[str, Any] = {
        name: (_PYTHON_TYPES.get(property_.get("type"), Any), None)
        for name, property_ in schema["properties"].items()
    }
    model = create_model("Arguments", __config__=ConfigDict(extra="allow"), **fields)
    return lambda value: model.model_validate(value).model_dump(exclude_unset=True)


def _jsonschema_rs(schema: dict[str, Any]) -> Callable[[Any], Any]:
    is_valid = installed("jsonschema_rs").validator_for(schema).is_valid
    return lambda value: value if is_valid(value) else None


def _fastjsonschema(schema: dict[str, Any]) -> Callable[[Any], Any]:
    compiled: Callable[[Any], Any] = installed("fastjsonschema").compile(schema, use_default=False)
    return compiled


def _json_schema_to_pydantic(schema: dict[str, Any]) -> Callable[[Any], Any]:
    model = installed("json_schema_to_pydantic").create_model(schema)
    return lambda value: model.model_validate(value).model_dump(exclude_unset=True)


def _datamodel_code_generator(schema: dict[str, Any]) -> Callable[[Any], Any]:
    model = generated_model(schema)
    return lambda value: model.model_validate(value).model_dump(exclude_unset=True)


CONTENDERS: dict[str, Callable[[dict[str, Any]], Callable[[Any], Any]]] = {
    "schema2model": _compile,
    "schema2model + first call": _compile_and_call,
    "schema2model + .model": _compile_with_model,
    "bare create_model": _bare_create_model,
    "jsonschema-rs": _jsonschema_rs,
    "fastjsonschema": _fastjsonschema,
    "json-schema-to-pydantic": _json_schema_to_pydantic,
    "datamodel-code-generator": _datamodel_code_generator,
}
CALLS: dict[int, Any] = {}
"""The correct call of a schema, by the identity of its properties."""


@pytest.mark.benchmark(group="compile")
@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize("tool", TOOLS, ids=str)
def test_cold(benchmark: Any, tool: Case, contender: str) -> None:
    """Every round compiles a schema of its own."""
    compile_ = CONTENDERS[contender]

    def fresh() -> tuple[tuple[Any, ...], dict[str, Any]]:
        schema = distinct(tool.schema)
        CALLS.clear()
        CALLS[id(schema["properties"])] = tool.correct
        return (schema,), {}

    ((schema,), _) = fresh()
    assert same(compile_(schema)(tool.correct), tool.correct)
    benchmark.extra_info |= {"case": tool.name, "contender": contender}
    rounds = SLOW_ROUNDS if contender == "datamodel-code-generator" else ROUNDS
    benchmark.pedantic(compile_, setup=fresh, rounds=rounds, warmup_rounds=2)
