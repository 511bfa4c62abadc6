"""The promises of generated code: its classes accept what `compile_schema` accepts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from case_tests import each_case
from cases import Case
from corruptions import TOOLS, corrupted
from hypothesis import given, strategies as st
from pydantic import ValidationError
from strategies import calls

pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")

from forking import python
from generated import EXAMPLE, agreed, dumped, imported, model_of, properties
from searching import examples

from schema2model import CoercingModel, SchemaError, compile_schema
from schema2model.apps import codegen


# ------------------------------------------------------------------------------------- agreement
@given(st.data())
def test_recorded_tools_agree(data: st.DataObject) -> None:
    """Corrupted calls are corrected or refused as the compiled schema does."""
    tool = data.draw(st.sampled_from(TOOLS))
    value = data.draw(corrupted(tool))
    agreed(_class_for(json.dumps(tool.schema)), tool.schema, value)


_CLASSES: dict[str, type[CoercingModel]] = {}


def _class_for(schema: str) -> type[CoercingModel]:
    if schema not in _CLASSES:
        _CLASSES[schema] = model_of(json.loads(schema))
    return _CLASSES[schema]


@examples(25)
@given(calls())
def test_any_schema_agrees(call: tuple[Any, list[Any]]) -> None:
    """Whatever a schema says is said by its class too, or there is none."""
    schema, values = call
    try:
        compile_schema(schema)
        model = model_of(schema)
    except SchemaError:
        return
    for value in (*values, {}):
        agreed(model, schema, value)


@each_case("keywords")
def test_what_annotations_cannot_say_is_enforced(case: Case) -> None:
    """By the schema that the class holds: keywords without a word of pydantic's, or with another.

    The class of one branch of a union converts nothing of another one, which it fits to pydantic.
    """
    made = agreed(model_of(case.schema), case.schema, case.input)
    assert made == (None if case.is_refused else case.result)
    if case.group == "branch":
        first, second = case.schema["properties"]["u"]["anyOf"]
        document = {"$defs": {"A": case.schema, "First": first, "Second": second}}
        component: Any = imported(codegen.generate_document(document))["COMPONENTS"]["A"]
        assert dumped(component.model_validate(case.input)) == case.result


DIALECTS: dict[str, tuple[Any, str | None, Any]] = {
    "draft-04": (
        properties(p={"type": "integer", "maximum": 5, "exclusiveMaximum": True}),
        "draft-04",
        {"p": 5},
    ),
    "draft-07, in the schema": (
        {"$schema": "http://json-schema.org/draft-07/schema#"}
        | properties(p={"type": "array", "items": [{"type": "integer"}], "additionalItems": False}),
        None,
        {"p": [1, 2]},
    ),
    "openapi-3.0": (properties(p={"type": "string", "nullable": False}), "openapi-3.0", {"p": []}),
    "gemini": ({"type": "OBJECT", "properties": {"p": {"type": "STRING"}}}, "gemini", {"p": []}),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_are_kept(name: str) -> None:
    """A class reads its schema in the dialect in which it was written."""
    schema, dialect, bad = DIALECTS[name]
    model = model_of(schema, dialect=dialect)
    assert agreed(model, schema, bad, dialect=dialect) is None
    assert agreed(model, schema, {}, dialect=dialect) == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["a", 0, True]},
        {"anyOf": [{"const": False}, {"type": "number"}]},
        {"anyOf": [{"const": 1}, {"type": "boolean"}, {"enum": ["a"]}]},
        {"type": "array", "items": {"oneOf": [{"const": True}, {"type": "integer"}]}},
    ],
)
def test_no_number_becomes_a_boolean(schema: dict[str, Any]) -> None:
    """Nor the other way: to Python, 0 is False."""
    model = model_of(properties(x=schema))
    for value in (0, 1, True, False, "a", [0, 1], [True, True]):
        agreed(model, properties(x=schema), {"x": value})


@pytest.mark.parametrize("call", [{"sort_by": "a"}, {"sort-by": None, "sort_by": "a"}])
def test_an_undeclared_key_sets_no_field(call: dict[str, Any]) -> None:
    """Not even if the attribute of a declared property has its name."""
    inner = properties(**{"sort-by": {"type": ["string", "null"]}})
    schema = {**inner, "properties": {**inner["properties"], "order": inner}}
    assert agreed(model_of(schema), schema, {**call, "order": call}) == {**call, "order": call}
    document = {"$defs": {"A": schema}}
    component: Any = imported(codegen.generate_document(document))["COMPONENTS"]["A"]
    made = component.model_validate({**call, "order": call})
    assert made.model_dump(by_alias=True) == {**call, "order": call}


def test_a_tool_without_a_type_may_hold_anything_where_it_refers_to_itself() -> None:
    """Its properties apply to objects, and allow the rest."""
    schema = {"properties": {"within": {"$ref": "#"}}}
    model = model_of(schema)
    for value in (True, {}, {"within": 1}):
        assert agreed(model, schema, {"within": value}) == {"within": value}


def test_integral_floats_are_integers() -> None:
    """Where nothing is coerced, a field of integers takes them as JSON Schema does."""
    schema = properties(a={"type": "integer"}, b={"enum": [1, 2]}, c={"type": "number"})
    model: Any = model_of(schema, coercion="off")
    made = model.model_validate({"a": 2.0, "b": 1.0, "c": 2.0})
    assert [repr(value) for value in (made.a, made.b, made.c)] == ["2", "1", "2.0"]
    assert model.model_validate({"a": 1e20}).a == 10**20


def test_an_optional_property_is_not_null() -> None:
    """Null for it is dropped, as `compile_schema` does, or refused where nothing is coerced."""
    schema = properties(p={"type": "string"}, q={"type": ["string", "null"]})
    assert agreed(model_of(schema), schema, {"p": None, "q": None}) == {"q": None}
    model = model_of(schema, coercion="off")
    assert agreed(model, schema, {"p": None}, coercion="off") is None
    assert dumped(model.model_validate({})) == {}


@pytest.mark.parametrize("coercion", ["default", "off", "untyped", "forgiving", "lenient"])
def test_presets_agree(coercion: str) -> None:
    """The classes have the preset that they are generated with."""
    schema = properties(
        tags={"type": "array", "items": {"type": "string"}}, note={"type": ["array", "string"]}
    )
    model = model_of(schema, coercion=coercion)
    for value in ({"tags": "a, b"}, {"tags": '["a"]'}, {"note": '["a"]'}, '{"tags": []}'):
        agreed(model, schema, value, coercion=coercion)


def test_argument_text_is_repaired() -> None:
    """`model_validate_json` reads what `validate_json` reads."""
    model = model_of(EXAMPLE["inputSchema"])
    text = "Here: ```json\n{tags: ['a'], 'max-price': '2',}\n```"
    assert dumped(model.model_validate_json(text)) == {"tags": ["a"], "max-price": 2}
    with pytest.raises(ValidationError, match="cut off"):
        model.model_validate_json('{"tags": ["a')


def test_programs_construct_classes_with_classes() -> None:
    """An instance within another stands for what was set on it."""
    module = imported(codegen.generate([EXAMPLE]))
    condition = module["Condition"](field="a", **{"and": [module["Condition"](field="b")]})
    made = module["SearchArticles"](tags=[], where=condition, **{"max-price": None})
    assert made.where == condition
    assert dumped(made)["where"] == {"field": "a", "and": [{"field": "b"}]}
    assert type(made).model_validate(made) is made
    with pytest.raises(ValidationError, match="max-price"):
        module["SearchArticles"](tags=[], where=condition)


def _cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {"tags": []}
    value["where"] = value
    return value


def _nested() -> dict[str, Any]:
    value: dict[str, Any] = {"field": "a"}
    for _ in range(100_000):
        value = {"field": "a", "and": [value]}
    return {"tags": [], "max-price": None, "where": value}


@pytest.mark.parametrize("make", [_cyclic, _nested, lambda: {"tags": object()}, object])
def test_what_is_no_json_is_refused(make: Callable[[], Any]) -> None:
    """Whatever a program hands over ends in a ValidationError."""
    with pytest.raises(ValidationError):
        model_of(EXAMPLE["inputSchema"]).model_validate(make())


def test_errors_are_those_of_pydantic() -> None:
    """With the place of each problem, and the words for the model."""
    with pytest.raises(ValidationError) as caught:
        model_of(EXAMPLE["inputSchema"]).model_validate({"tags": [[]], "max-price": 0})
    assert [error["loc"] for error in caught.value.errors()] == [("tags", 0), ("max-price",)]
    assert "must be a string, not []" in str(caught.value)


# --------------------------------------------------------------------------------- real servers
def _listed(command: str) -> list[Any]:
    """The tools of a server, over standard input and output."""
    from schema2model.apps.cli.servers import ServerAddress, session  # noqa: PLC0415

    async def tools() -> list[Any]:
        async with session(ServerAddress.at(command=command)) as client:
            return await client.tools()

    return asyncio.run(tools())


@pytest.fixture(params=["mcp_server_time", "mcp_server_git"])
def in_python(request: pytest.FixtureRequest) -> str:
    """The command of a server in Python."""
    name = str(request.param)
    pytest.importorskip(name, reason=f"needs {name.replace('_', '-')}")
    return f"{python()} -m {name}"


WRONG = (None, "7", "zzz", True, -1, 1.5, 10**20, [], ["a"], {}, '["a"]', '{"a": 1}')


def _variants(schema: Any) -> Iterator[Any]:
    """Calls with every property in turn of every type, among others that are right."""
    right = {
        name: {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}.get(
            inner.get("type"), (inner.get("enum") or ["2026-01-01"])[0]
        )
        for name, inner in schema.get("properties", {}).items()
    }
    yield from (right, {}, [right], json.dumps(right), {**right, "unknown": 1}, None, 3)
    for name in right:
        yield {key: value for key, value in right.items() if key != name}
        for wrong in WRONG:
            yield {**right, name: wrong}


def _check_server(tools: list[Any]) -> None:
    models = imported(codegen.generate(tools))["TOOLS"]
    assert [*models] == [tool["name"] for tool in tools]
    accepted = [
        agreed(models[tool["name"]], tool["inputSchema"], value) is not None
        for tool in tools
        for value in _variants(tool["inputSchema"])
    ]
    assert True in accepted
    assert False in accepted


def test_servers_in_python_agree(in_python: str) -> None:
    """The classes for the tools of a real server accept what their schemas accept."""
    _check_server(_listed(in_python))


def test_a_server_in_javascript_agrees(everything: str) -> None:
    """As above."""
    _check_server(_listed(f"{everything} stdio"))
