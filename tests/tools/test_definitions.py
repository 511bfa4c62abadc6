"""Definitions of every provider, read and given back."""

from __future__ import annotations

import contextlib
import copy
import json
from types import SimpleNamespace
from typing import Any

import pytest
from case_tests import each_case
from cases import Case
from pydantic import BaseModel, Field

from schema2model.errors import SchemaError, ToolError
from schema2model.limits import MAX_PROJECTED
from schema2model.schema.references import Documents
from schema2model.tools.providers.definitions import read_definition
from schema2model.tools.providers.gemini import gemini_schema
from schema2model.tools.providers.simplifying import merge_alternatives, object_schema
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}},
    "required": ["city"],
    "additionalProperties": False,
}
HEAD = {"name": "weather", "description": "Tell the weather."}
DEFINITIONS: dict[str, dict[str, Any]] = {
    "openai": {"type": "function", "function": {**HEAD, "parameters": SCHEMA, "strict": True}},
    "openai-responses": {"type": "function", **HEAD, "parameters": SCHEMA, "strict": True},
    "anthropic": {**HEAD, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}},
    "mcp": {**HEAD, "inputSchema": SCHEMA, "title": "Weather", "annotations": {"x": 1}},
    "gemini": {
        **HEAD,
        "parameters": {
            "type": "OBJECT",
            "properties": {
                "city": {"type": "STRING"},
                "days": {"type": "INTEGER", "nullable": True, "maximum": 9},
            },
            "required": ["city"],
        },
        "behavior": "BLOCKING",
    },
}


@pytest.mark.parametrize("provider", DEFINITIONS)
def test_a_definition_comes_back_as_it_was(provider: str) -> None:
    """With all that its provider puts beside the schema."""
    definition = copy.deepcopy(DEFINITIONS[provider])
    tool = Tool.from_schema(definition)
    assert (tool.name, tool.description) == ("weather", "Tell the weather.")
    assert tool.prepare({"city": "Rome", "days": "3"}).arguments == {"city": "Rome", "days": 3}
    assert tool.definition(provider) == definition == DEFINITIONS[provider]


@pytest.mark.parametrize("source", ["openai", "openai-responses", "anthropic", "mcp"])
@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "mcp"])
def test_the_schema_is_the_same_for_other_providers(source: str, target: str) -> None:
    """What only one of them knows is left out; OpenAI's two shapes both know strictness."""
    made = Tool.from_schema(DEFINITIONS[source]).definition(target)
    is_strict = source in {"openai", "openai-responses"}
    bare = {**HEAD, "parameters": SCHEMA, **({"strict": True} if is_strict else {})}
    assert (
        made == DEFINITIONS[source if source == target else ""]
        if source == target
        else made
        == {
            "openai": {"type": "function", "function": bare},
            "openai-responses": {"type": "function", **bare, "strict": is_strict},
            "anthropic": {**HEAD, "input_schema": SCHEMA},
            "mcp": {**HEAD, "inputSchema": SCHEMA},
        }[target]
    )


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
@pytest.mark.parametrize("types", ["array", ["string", "array"]])
def test_an_array_declares_its_items_for_openai(provider: Any, types: Any) -> None:
    """It refuses one that does not, in every request; the others get the schema as given."""
    schema = {"type": "object", "properties": {"items": {"type": types}}}
    tool = Tool.from_schema({"name": "f", "inputSchema": schema})
    made: Any = tool.definition(provider)
    parameters = made.get("function", made)["parameters"]
    assert parameters["properties"]["items"] == {"type": types, "items": {}}
    assert tool.definition("mcp")["inputSchema"] == tool.schema == schema


def test_gpt_oss_gets_definitions_inline() -> None:
    """Its template does not show `$defs` to the model."""
    schema = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/point"}},
        "$defs": {"point": {"type": "integer"}},
    }
    made = Tool.from_schema({"name": "f", "parameters": schema}).definition("gpt-oss")
    assert made["function"]["parameters"] == {
        "type": "object",
        "properties": {"at": {"type": "integer"}},
    }


def test_references_that_nest_too_deeply_are_refused() -> None:
    """Written out, without a traceback; the tool itself can be called."""
    for number in (*range(200, 260), 600):
        chain = {
            f"n{n}": {"properties": {"a": {"$ref": f"#/$defs/n{n + 1}"}}} for n in range(number)
        }
        schema = {"type": "object", "$ref": "#/$defs/n0", "$defs": {**chain, f"n{number}": {}}}
        tool = Tool.from_schema({"name": "f", "parameters": schema})
        with contextlib.suppress(SchemaError):
            tool.definition("gpt-oss")
    with pytest.raises(SchemaError, match="nested too deeply"):
        tool.definition("gpt-oss")
    assert tool.prepare({"a": {}}).arguments == {"a": {}}


def test_gpt_oss_gets_no_reference_next_to_one_that_is_cut() -> None:
    """Its definition would be missing."""
    node = {"properties": {"next": {"$ref": "#/$defs/node", "not": {"$ref": "#/$defs/node"}}}}
    schema = {"properties": {"node": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    made = Tool.from_schema({"name": "f", "parameters": schema}).definition("gpt-oss")
    assert "$ref" not in json.dumps(made)


def test_gpt_oss_gets_data_as_it_is() -> None:
    """Also data that looks like a reference; the parameter takes nothing else."""
    pick = {
        "enum": [{"$ref": "#/$defs/blog"}, {"$ref": "#/$defs/none"}],
        "default": {"$ref": "#/$defs/blog"},
        "properties": {"$ref": True, "definitions": {"$ref": "#/$defs/blog"}},
    }
    schema = {"type": "object", "properties": {"pick": pick}, "$defs": {"blog": {"type": "null"}}}
    made = Tool.from_schema({"name": "f", "parameters": schema}).definition("gpt-oss")
    inlined = {"$ref": True, "definitions": {"type": "null"}}
    assert made["function"]["parameters"]["properties"]["pick"] == {**pick, "properties": inlined}


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_an_object_without_properties_says_so(provider: str) -> None:
    """OpenAI refuses others; and Responses tries strictness where a definition says nothing."""
    made = Tool.from_schema({"name": "f", "parameters": {"type": "object"}}).definition(provider)
    function = made.get("function", made)
    assert function["parameters"] == {"type": "object", "properties": {}}
    assert made.get("strict") is (False if provider == "openai-responses" else None)


def test_livekit_and_gemini_json_schemas() -> None:
    """LiveKit's raw schemas are bare, and Gemini has a place for JSON Schema."""
    tool = Tool.from_schema({"name": "weather", "parameters": SCHEMA})
    assert tool.schema == SCHEMA
    assert "description" not in tool.definition("openai")["function"]
    for key in ("parametersJsonSchema", "parameters_json_schema"):
        definition = {"name": "weather", key: SCHEMA}
        assert Tool.from_schema(definition).definition("gemini") == definition


def test_gemini_becomes_json_schema_for_the_others() -> None:
    """Types in capitals are understood nowhere else."""
    made = Tool.from_schema(DEFINITIONS["gemini"]).definition("mcp")["inputSchema"]
    assert made == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": ["integer", "null"], "maximum": 9},
        },
        "required": ["city"],
    }


@pytest.mark.parametrize("declared", [{}, {"$schema": "http://json-schema.org/draft-04/schema#"}])
@pytest.mark.parametrize("provider", ["mcp", "openai", "openai-responses", "anthropic"])
def test_a_tool_of_openapi_is_json_schema_for_providers(
    declared: dict[str, Any], provider: str
) -> None:
    """Unless it declares another dialect; and whatever takes it checks the same."""
    number = {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "nullable": True}
    schema = {"type": "object", "properties": {"n": number}, **declared}
    tool = Tool.from_schema({"name": "f", "inputSchema": schema}, dialect="openapi-3.0")
    again = Tool.from_schema(tool.definition(provider))
    for value in (None, 0, 1):
        assert again.compiled.is_valid({"n": value}) == tool.compiled.is_valid({"n": value})
    assert tool.compiled.is_valid({"n": None}) is not declared
    assert not tool.compiled.is_valid({"n": 0})


def test_objects_of_sdks_are_read_by_attribute() -> None:
    """Aliases and plain objects."""

    class McpTool(BaseModel):
        name: str
        description: str | None = None
        input_schema: dict[str, Any] = Field(alias="inputSchema")
        title: str | None = None

    class Schema(BaseModel):
        type: str
        properties: dict[str, Any]
        nullable: bool | None = None

    given = McpTool(name="weather", inputSchema={**SCHEMA, "default": None}, title="W")
    read = read_definition(given)
    assert (read.schema["default"], read.extras, read.description) == (None, {"title": "W"}, "")
    declaration = SimpleNamespace(
        name="f",
        description=None,
        parameters=Schema(type="OBJECT", properties={"a": {"type": "STRING"}}),
    )
    assert Tool.from_schema(declaration).prepare({"a": "x"}).arguments == {"a": "x"}
    assert read_definition(declaration).schema == {
        "type": "OBJECT",
        "properties": {"a": {"type": "STRING"}},
    }


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"name": "f"}, "definition of `f` has no schema under any of inputSchema"),
        ({"name": "f", "parameters": None}, "no schema"),
        ({"type": "function", "function": {"name": "f"}}, "no schema"),
        ({"name": "f", "parameters": "{}"}, "a JSON Schema is an object"),
        ({"name": "", "parameters": {}}, "has no name"),
        ({"type": "object", "properties": {}}, "has no name"),
        ("search", "is an object, got str"),
        ({"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, "Toolset takes them all"),
        ({"name": "f", "parameters": {"type": "strange"}}, "strange"),
    ],
)
def test_incomplete_definitions_are_refused(definition: Any, message: str) -> None:
    """When the tool is made, and with what to do."""
    with pytest.raises(SchemaError, match=message):
        Tool.from_schema(definition)


def test_every_provider_is_tried() -> None:
    """A new provider comes with a definition."""
    with pytest.raises(ValueError, match="unknown provider") as raised:
        Tool.from_schema(DEFINITIONS["mcp"]).definition("acme")
    known = str(raised.value).rpartition("one of ")[2]
    assert set(known.split(", ")) == {*DEFINITIONS, "gpt-oss"}


def test_unknown_providers_and_impossible_schemas() -> None:
    """The message lists what there is."""
    tool = Tool.from_schema({"name": "f", "parameters": {"type": "string"}})
    with pytest.raises(ValueError, match="one of openai, openai-responses, anthropic"):
        tool.definition("acme")
    with pytest.raises(ValueError, match="`f` is of 'string'; providers take only objects"):
        tool.definition("openai")
    nothing = Tool.from_schema({"name": "f", "parameters": False})
    with pytest.raises(ValueError, match="allows nothing"):
        nothing.definition("anthropic")


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        (True, {"type": "object", "properties": {}}),
        ({"type": "object"}, {"type": "object", "properties": {}}),
        ({"type": ["object", "null"]}, {"type": "object", "properties": {}}),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/b"}}}}},
            {
                "type": "object",
                "properties": {"x": {"$ref": "#/$defs/b"}},
                "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/b"}}}},
            },
        ),
        (
            {
                "properties": {"op": {"type": "string"}},
                "required": ["op"],
                "oneOf": [
                    {"properties": {"a": {}, "b": {}}, "required": ["a", "b"]},
                    {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False},
                ],
            },
            {"type": "object", "properties": {"op": {"type": "string"}, "a": {}, "b": {}},
             "required": ["op", "a"]},
        ),
        (
            {
                "oneOf": [
                    {"properties": {"kind": {"const": "cat"}, "a": {}}, "required": ["kind"],
                     "description": "A cat.", "minProperties": 2},
                    {"properties": {"kind": {"const": "dog"}}, "required": ["kind"]},
                    {"type": "null"},
                ],
            },
            {"type": "object",
             "properties": {"kind": {"anyOf": [{"const": "cat"}, {"const": "dog"}]}, "a": {}},
             "required": ["kind"]},
        ),
    ],
)  # fmt: skip
def test_providers_that_want_an_object_get_one(schema: Any, made: Any) -> None:
    """Alternatives at the top are taken together."""
    assert object_schema(schema, "f") == made


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini"])
@pytest.mark.parametrize(
    ("branches", "required"),
    [
        ([["a"], ["b"]], []),
        ([["a", "b"], ["a"]], ["a"]),
        ([["a"]], ["a"]),
        ([["b"], ["b"], ["a", "b"]], ["b"]),
    ],
)
def test_alternatives_of_required_names_require_what_all_do(
    provider: str, branches: list[list[str]], required: list[str]
) -> None:
    """Providers refuse `anyOf` at the top; the calls are checked by the whole schema."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": names} for names in branches],
    }
    tool = Tool.from_definition({**HEAD, "inputSchema": schema})
    definition = tool.definition(provider)
    made = definition.get("function", definition)
    made = made.get("parameters") or made["input_schema"]
    assert made.keys() - {"required"} == {"type", "properties"}
    assert made["properties"].keys() == {"a", "b"}
    assert made.get("required", []) == required
    assert tool.definition("mcp")["inputSchema"] == schema
    with pytest.raises(ToolError):
        tool.prepare({})


@pytest.mark.parametrize(
    ("schema", "root", "merged"),
    [
        (
            {"$ref": "#/$defs/a"},
            {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
            {},
        ),
        ({"allOf": [{"$ref": "#"}]}, {"allOf": [{"$ref": "#"}], "title": "x"}, {"title": "x"}),
        ({"$ref": "other.json"}, {}, {}),
        ({"$ref": "#/x/y"}, {"x": []}, {}),
        ({"$ref": "#/x/0"}, {"x": [{"title": "t"}]}, {"title": "t"}),
        ({"$ref": "#t"}, {"$defs": {"a": {"$anchor": "t", "title": "t"}}}, {"title": "t"}),
    ],
    ids=["a circle", "the root", "another document", "nothing", "no subschema", "an anchor"],
)
def test_references_are_followed_as_far_as_they_lead(schema: Any, root: Any, merged: Any) -> None:
    """Those in a circle would never end."""
    made = merge_alternatives(schema, Documents.alone(root))
    assert {key: made[key] for key in made if key != "$anchor"} == merged


# ------------------------------------------------------------------------------------- Gemini
TEXT = {"type": "STRING", "description": "A JSON object, written as text."}


@each_case("definitions")
def test_schemas_are_reduced_to_what_a_provider_takes(case: Case) -> None:
    """What becomes of each keyword."""
    tool = Tool.from_schema({"name": "f", "parameters": case.schema})
    assert tool.definition(case.line["provider"])["parameters"] == case.result


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize("beside", [{}, {"title": "It"}, {"minProperties": 1}, {"type": "object"}])
def test_what_contains_itself_through_a_keyword_becomes_text(
    keyword: str, beside: dict[str, Any]
) -> None:
    """Also where several references are taken together."""
    schema = {"properties": {"a": {keyword: [{"$ref": "#"}, {"$ref": "#"}], **beside}}}
    assert "JSON" in json.dumps(gemini_schema({"type": "object", **schema}))


def test_definitions_that_multiply_become_text() -> None:
    """Written out, these have 2 to the power of 25 subschemas."""
    definitions: dict[str, Any] = {"d25": {"type": "string"}}
    for n in range(25):
        both = {key: {"$ref": f"#/$defs/d{n + 1}"} for key in "ab"}
        definitions[f"d{n}"] = {"type": "object", "properties": both}
    made = gemini_schema({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    assert json.dumps(made).count('"type"') < MAX_PROJECTED + 100


def test_what_contains_itself_becomes_text() -> None:
    """Gemini has no references; coercion reads the text again."""
    tree = {
        "type": "object",
        "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/tree"}},
    }
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": tree},
    }
    tool = Tool.from_schema({"name": "plant", "parameters": schema})
    made = tool.definition("gemini")["parameters"]["properties"]["tree"]
    assert made["properties"] == {"value": {"type": "INTEGER"}, "next": TEXT}
    sent = {"tree": {"value": 1, "next": '{"value": 2}'}}
    assert tool.prepare(sent).arguments == {"tree": {"value": 1, "next": {"value": 2}}}


def test_a_tool_without_parameters_has_no_schema_for_gemini() -> None:
    """Gemini refuses an empty object."""
    tool = Tool.from_schema({"name": "now", "inputSchema": {"type": "object"}})
    assert tool.definition("gemini") == {"name": "now"}


def test_a_schema_that_is_too_deep_is_refused() -> None:
    """With a SchemaError, not one of Python's."""
    schema: Any = {}
    for _ in range(5000):
        schema = {"items": schema}
    with pytest.raises(SchemaError, match="deep"):
        Tool.from_schema({"name": "deep", "inputSchema": schema})


def test_arguments_may_stream_eagerly_from_anthropic_only() -> None:
    """The option is in each definition; another provider has no such thing."""
    tools = Toolset([{"name": "now", "parameters": {"type": "object", "properties": {}}}])
    [plain] = tools.definitions("anthropic")
    [eager] = tools.definitions("anthropic", eager_input_streaming=True)
    assert eager == {**plain, "eager_input_streaming": True}
    with pytest.raises(ValueError, match="eager_input_streaming is Anthropic's, not for 'openai'"):
        tools.definitions("openai", eager_input_streaming=True)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("choices", "kind"),
    [([0.5, 1.5], "NUMBER"), ([1, 0.5], "NUMBER"), ([1, 2], "INTEGER"), ([True], "BOOLEAN")],
)
def test_gemini_gets_the_type_of_choices_that_are_no_strings(choices: list[Any], kind: str) -> None:
    """It takes only strings as an enumeration: the others are in the description."""
    made = Tool.from_schema({"name": "f", "parameters": {"properties": {"x": {"enum": choices}}}})
    assert made.definition("gemini")["parameters"]["properties"]["x"]["type"] == kind
