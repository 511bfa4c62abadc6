"""Projections by example: what stands for each thing that a provider lacks, and how it is read."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from provider_rules import broken_rules
from waiting import calls

from schema2model import SchemaError, ToolError, Toolset, compile_schema
from schema2model.strict import encodings, tagged_unions
from schema2model.strict.profiles import PROFILES
from schema2model.strict.strict_schema import StrictSchema


def strict_of(properties: dict[str, Any], *required: str, provider: str = "openai") -> StrictSchema:
    """The projection of an object with some properties."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return compile_schema(schema).strict(provider)


def closed(*required: str, **properties: Any) -> dict[str, Any]:
    """Objects without other properties."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {**schema, "additionalProperties": False}


OBJECT_OF_NULL = closed("value", value={"type": "null"})
"""Its one value is `{"value": null}`."""


def test_an_optional_property_is_nullable() -> None:
    """Null means that it is not sent."""
    strict = strict_of({"limit": {"type": "integer"}})
    assert strict.schema["properties"]["limit"] == {
        "anyOf": [{"type": "integer"}, {"type": "null"}]
    }
    assert strict.encode({}) == {"limit": None}
    assert strict.decode({"limit": None}) == {}


def test_null_absent_and_empty_stay_apart() -> None:
    """Also where all three are valid, and described."""
    tags = {"type": ["array", "null"], "items": {"type": "string"}, "description": "Labels."}
    strict = strict_of({"tags": tags})
    assert strict.schema["properties"]["tags"]["description"] == "Labels."
    assert "$defs" not in strict.schema
    for value in ({}, {"tags": None}, {"tags": []}, {"tags": ["a"]}):
        assert strict.decode(strict.encode(value)) == value
    assert strict.encode({"tags": None}) == {"tags": {"value": None}}


@pytest.mark.parametrize(
    ("schema", "values", "null"),
    [
        (
            {"anyOf": [OBJECT_OF_NULL, {"type": "null"}]},
            [{"value": None}, None],
            {"value_2": None},
        ),
        (
            {"anyOf": [{"type": "object"}, {"type": "null"}], "additionalProperties": {}},
            [{}, {"value": None}, {"value": {"value": None}}, None],
            {"value": None},
        ),
        ({}, [{"value": None}, {"value": 1}, "x", None], {"value": None}),
    ],
    ids=["an object like it", "any object", "any JSON"],
)
def test_a_null_that_is_sent_is_no_other_value(
    schema: dict[str, Any], values: list[Any], null: dict[str, Any]
) -> None:
    """What takes `{"value": null}` itself is told from it."""
    strict = strict_of({"note": schema})
    for value in values:
        assert strict.decode(strict.encode({"note": value})) == {"note": value}
    assert strict.encode({"note": None}) == {"note": null}


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"type": ["string", "null"], "default": None},
        {"$ref": "#/properties/other"},
        {"$ref": "#/properties/other", "description": "A note."},
    ],
    ids=["a union", "types", "a reference", "a reference that is described"],
)
def test_null_is_absent_where_it_is_the_default(schema: dict[str, Any]) -> None:
    """They mean the same there, so that there is no third branch for a null that is sent."""
    other = {"type": ["string", "null"], "default": None}
    strict = strict_of({"note": schema, "other": other})
    text_or_null = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    about = {"description": schema["description"]} if "description" in schema else {}
    assert strict.schema["properties"] == {"note": {**text_or_null, **about}, "other": text_or_null}
    assert strict.encode({"note": None}) == strict.encode({}) == {"note": None, "other": None}
    assert strict.encode({"note": "x"}) == {"note": "x", "other": None}
    assert strict.decode({"note": None, "other": "x"}) == {"other": "x"}


def test_a_null_within_a_tag_stays_apart_from_none() -> None:
    """The tag says that it is sent."""
    item = {"type": "object", "properties": {"x": {"type": "integer"}}}
    text = {"description": "Any.", "anyOf": [{"type": ["null", "object"]}, {"type": "boolean"}]}
    strict = strict_of({"a": {"anyOf": [item, text]}})
    for value in ({}, {"a": None}, {"a": True}, {"a": {"x": 1}}):
        assert strict.decode(strict.encode(value)) == value


def test_null_is_absent_in_an_alternative_too() -> None:
    """As in every nested model whose properties are None by default."""
    model = {
        "type": "object",
        "properties": {"note": {"type": ["string", "null"], "default": None}},
    }
    strict = strict_of({"item": {"anyOf": [model, {"type": "null"}]}}, "item")
    assert strict.encode({"item": {"note": None}}) == {"item": {"note": None}}
    assert strict.decode({"item": {"note": None}}) == {"item": {}}


def test_null_stays_apart_from_another_default() -> None:
    """For a property that is not sent has that one."""
    strict = strict_of({"note": {"type": ["string", "null"], "default": "x"}})
    for value in ({}, {"note": None}, {"note": "y"}):
        assert strict.decode(strict.encode(value)) == value


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "gemini-openapi", "llguidance"])
def test_optional_properties_stay_optional_where_a_provider_has_them(provider: str) -> None:
    """Then null means null."""
    strict = strict_of({"limit": {"type": ["integer", "null"]}}, provider=provider)
    assert strict.schema["required"] == []
    assert strict.decode({}) == {}
    assert strict.decode({"limit": None}) == {"limit": None}


def test_a_map_is_a_list_of_entries() -> None:
    """A key that comes twice is refused, unless both values are equal; so is a forbidden one."""
    strict = strict_of({"env": {**_TEXTS, "patternProperties": {"^_": False}}}, "env")
    entry = {"key": "PATH", "value": "/bin"}
    assert strict.encode({"env": {"PATH": "/bin"}}) == {"env": [entry]}
    assert strict.decode({"env": [entry, entry]}) == {"env": {"PATH": "/bin"}}
    with pytest.raises(ToolError, match='must be a key that no other entry has, not "PATH"'):
        strict.decode({"env": [entry, {"key": "PATH", "value": ""}]})
    with pytest.raises(ToolError, match='leave "_x" out'):
        strict.decode({"env": [{"key": "_x", "value": ""}]})


def test_a_map_stays_one_where_a_provider_has_them() -> None:
    """There is nothing to read back, also at the root."""
    for schema in (closed(env=_TEXTS), {"anyOf": [_TEXTS]}):
        account = compile_schema(schema).strict("gemini").account
        assert "encoded" not in [entry.status for entry in account]


_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_OPEN = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": True}


@pytest.mark.parametrize(
    ("schema", "projected", "path"),
    [
        (_TEXTS, [{"key": "x", "value": "1"}, {"key": "x", "value": "2"}], "/1/key"),
        (
            _OPEN,
            {"a": 1, "additional_properties": [{"key": "a", "value": 2}]},
            "/additional_properties",
        ),
    ],
)
def test_what_cannot_be_read_back_has_its_whole_path(
    schema: Any, projected: Any, path: str
) -> None:
    """The path in the arguments that the model wrote, however deep."""
    strict = strict_of({"rows": {"type": "array", "items": schema}}, "rows")
    with pytest.raises(ToolError) as caught:
        strict.decode({"rows": [projected]})
    assert [issue.path for issue in caught.value.issues] == [f"/rows/0{path}"]


def test_properties_next_to_declared_ones_are_entries_too() -> None:
    """Under a name that no property has; they cannot overwrite declared ones."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "additionalProperties": True,
    }
    strict = compile_schema(schema).strict("openai")
    value = {"a": 1, "b": {"c": [None, {}]}}
    encoded = strict.encode(value)
    assert [*encoded] == ["a", "additional_properties"]
    assert strict.decode(encoded) == value
    with pytest.raises(ToolError, match='a key that the schema does not declare, not "a"'):
        strict.decode({"a": 1, "additional_properties": [{"key": "a", "value": 2}]})


@pytest.mark.parametrize(
    ("dialect", "keyword", "others"),
    [("2020-12", "prefixItems", "items"), ("draft-07", "items", "additionalItems")],
)
def test_a_tuple_is_an_array_of_what_its_positions_allow(
    dialect: str, keyword: str, others: str
) -> None:
    """Which item is where is said, and checked; there are no more of them."""
    pair = {"type": "array", keyword: [{"type": "number"}, _TEXTS], others: False, "minItems": 1}
    schema = {"type": "object", "properties": {"pair": pair}, "required": ["pair"]}
    strict = compile_schema(schema, dialect=dialect).strict("openai")
    written = strict.schema["properties"]["pair"]
    assert (written["minItems"], written["maxItems"]) == (1, 2)
    assert f'valid under {{"{keyword}": [' in written["description"]
    assert "/properties/pair: checked: " + keyword in map(str, strict.account)
    for value in ({"pair": [1.5]}, {"pair": [1.5, {"a": "m"}]}):
        assert strict.decode(strict.encode(value)) == value
    with pytest.raises(ToolError, match="/pair/0"):
        strict.decode({"pair": [[{"key": "a", "value": "m"}], 1.5]})


@pytest.mark.parametrize(
    ("properties", "words"), [({}, "The properties."), ({"a": {}}, "Further properties.")]
)
def test_a_map_at_the_root_says_whether_other_properties_are_declared(
    properties: Any, words: str
) -> None:
    """It is a list under a name of its own."""
    strict = compile_schema({**_TEXTS, "properties": properties}).strict("openai")
    assert strict.schema["properties"]["additional_properties"]["description"] == words


@pytest.mark.parametrize(("unique", "words"), [(True, "Must be: no duplicates."), (False, None)])
def test_that_items_are_unique_is_said(unique: bool, words: str | None) -> None:  # noqa: FBT001
    """No provider enforces it."""
    strict = strict_of({"a": {"type": "array", "items": {}, "uniqueItems": unique}}, "a")
    assert strict.schema["properties"]["a"].get("description") == words


def test_a_least_size_above_that_of_the_provider_is_said() -> None:
    """Anthropic enforces at most one item."""
    array = {"type": "array", "items": {"type": "string"}, "minItems": 3}
    schema = {"type": "object", "properties": {"a": array}, "required": ["a"]}
    written = compile_schema(schema).strict("anthropic").schema["properties"]["a"]
    assert (written["minItems"], written["description"]) == (1, "Must be: at least 3 items.")


@pytest.mark.parametrize("provider", sorted(PROFILES))
def test_what_is_described_once_stays_in_its_place(provider: str) -> None:
    """A definition would need a reference, and the reference a description."""
    inner = {"type": "object", "description": "inner", "properties": {"x": {"type": "integer"}}}
    either = {"anyOf": [closed(id={"type": kind}) for kind in ("integer", "string")]}
    written = strict_of({"a": inner, "b": either}, "a", "b", provider=provider).schema
    assert written["properties"]["a"]["description"] == "inner"
    assert "$defs" not in written


@pytest.mark.parametrize("provider", ["llguidance", "xgrammar"])
@pytest.mark.parametrize("positions", [{}, {"prefixItems": [{"type": "null"}]}])
def test_sizes_that_no_engine_counts_are_left_to_the_check(
    provider: str, positions: dict[str, Any]
) -> None:
    """Engines refuse a whole schema for such a size, or take memory for every item."""
    array = {"type": "array", "minItems": 10**30, "maxItems": 10**31, **positions}
    schema = {"type": "object", "properties": {"a": array}, "required": ["a"]}
    strict = compile_schema(schema).strict(provider)
    assert not {"minItems", "maxItems"} & strict.schema["properties"]["a"].keys()
    with pytest.raises(ToolError, match="must be a JSON array of 1000"):
        strict.decode({"a": [None]})


@pytest.mark.parametrize("provider", sorted(PROFILES))
@pytest.mark.parametrize("choices", [["all", [0, 1], "[0, 1]"], [True], [1, 2**60, None], [{}]])
def test_choices_that_a_provider_cannot_list_are_said_and_checked(
    provider: str, choices: list[Any]
) -> None:
    """They are values of their types, containers any JSON."""
    strict = strict_of({"range": {"enum": choices}}, "range", provider=provider)
    for choice in choices:
        assert strict.decode(strict.encode({"range": choice})) == {"range": choice}
    said = json.dumps(choices) in strict.schema["properties"]["range"].get("description", "")
    is_checked = "/properties/range: checked: enum" in map(str, strict.account)
    assert said == is_checked
    assert is_checked or provider not in {"anthropic", "gemini-openapi"} or choices == [True]
    with pytest.raises(ToolError):
        strict.decode({"range": 7})


_TEXT_Y = closed(y={"type": "string"})
_INTEGER_Y = closed(y={"type": "integer"})
_Y_AS_IF_TAGGED = closed("value", value=_INTEGER_Y)
_LEAF = closed(path={"type": "array"}, value={"type": "object"})
_LEAF_LIST = {"type": "array", "items": _LEAF}
_ANY_NEXT_TO_A = {"type": "object", "properties": {"a": {}}, "additionalProperties": True}


@pytest.mark.parametrize(
    ("provider", "schema", "value"),
    [
        ("llguidance", {"anyOf": [{"type": "object"}, {"enum": [[1], "a"]}]}, [1]),
        ("llguidance", {"anyOf": [{"type": "object"}, {"enum": [[1], "a"]}, {}]}, "b"),
        ("llguidance", {"anyOf": [{"type": "object"}, {"enum": [{"a": 1}]}, {}]}, {"value": 1}),
        (
            "llguidance",
            {
                "anyOf": [
                    {"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}},
                    {"type": "object", "properties": {"c": {"$ref": "#/properties/a"}}},
                    {"enum": [{"value": {}}]},
                ]
            },
            {"value": {}},
        ),
        (
            "gemini",
            {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": "string"}},
                    {"type": "object", "properties": {"a": {"const": True}}, "required": ["a"]},
                ]
            },
            {"a": True},
        ),
        (
            "gemini",
            {
                "anyOf": [
                    closed("b", b=closed("leaves", leaves=_LEAF_LIST)),
                    _ANY_NEXT_TO_A,
                ]
            },
            {"b": {}},
        ),
        ("openai", {"anyOf": [_TEXT_Y, _INTEGER_Y, _Y_AS_IF_TAGGED]}, {"value": {"y": 1}}),
        (
            "openai",
            {"anyOf": [{"anyOf": [_Y_AS_IF_TAGGED, _TEXT_Y], "description": "Y."}, _INTEGER_Y]},
            {"y": 1},
        ),
    ],
)
def test_an_object_is_not_taken_for_the_tag_of_another_alternative(
    provider: str, schema: dict[str, Any], value: Any
) -> None:
    """An open object may have the name of any tag, so that it is tagged, too."""
    strict = strict_of({"a": schema}, "a", provider=provider)
    assert strict.decode(strict.encode({"a": value})) == {"a": value}


def test_an_entry_of_another_kind_than_its_key_is_read_as_what_it_was_written_as() -> None:
    """Its nulls are properties that are not sent, whatever its key."""
    one = {"type": "object", "properties": {"a": {"type": "integer"}}}
    other = {"type": "object", "properties": {"b": {"type": "integer"}}}
    schema = {"type": "object", "patternProperties": {"^x": one}, "additionalProperties": other}
    strict = compile_schema(schema).strict("openai")
    entries = [{"key": "x1", "value": {"b": None}}, {"key": "y", "value": {"b": 1}}]
    assert strict.decode({"additional_properties": entries}) == {"x1": {}, "y": {"b": 1}}


def test_an_entry_that_could_be_of_two_kinds_is_of_that_of_its_key() -> None:
    """An empty list may be a list or a map."""
    schema = {"patternProperties": {"^x": _TEXT_MAP}, "additionalProperties": _ENTRY_LIST}
    strict = compile_schema({"type": "object", **schema}).strict("openai")
    assert strict.decode(strict.encode({"x": {}, "y": []})) == {"x": {}, "y": []}


def test_two_entries_of_one_key_that_are_not_equal_in_json_are_refused() -> None:
    """Python takes 1 for True."""
    strict = compile_schema({"type": "object", "additionalProperties": {}}).strict("openai")
    entries = [{"key": "a", "value": 1}, {"key": "a", "value": True}]
    with pytest.raises(ToolError, match="a key that no other entry has"):
        strict.decode({"additional_properties": entries})


@pytest.mark.parametrize(
    ("keywords", "value"),
    [
        ({"additionalProperties": {"type": "integer"}}, {"a": "x", "b": 1}),
        ({"allOf": [{"additionalProperties": True}]}, {"a": "x", "b": 1}),
        ({"patternProperties": {"^b": {}}}, {"a": "x", "b": 1}),
        ({"unevaluatedProperties": True}, {"a": "x", "b": 1}),
        ({}, {"a": "x"}),
        ({"if": {"required": ["a"]}, "then": {"properties": {"b": {}}}}, {"a": "x"}),
    ],
)
def test_what_unevaluated_properties_leave_is_encoded_or_given_up(
    keywords: dict[str, Any], value: Any
) -> None:
    """Other keywords evaluate properties, so that they are not forbidden."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "unevaluatedProperties": False,
        **keywords,
    }
    strict = compile_schema(schema).strict("openai")
    assert strict.decode(strict.encode(value)) == value
    assert ("additional_properties" in strict.schema["properties"]) == ("b" in value)
    given_up = [entry.words for entry in strict.account if entry.status == "given up"]
    assert ("properties that the schema does not declare" in given_up) == ("if" in keywords)


def test_an_object_that_is_always_empty_is_text_for_gemini() -> None:
    """Its `parameters` have no object without properties; a tool without any has no schema."""
    objects = {
        "a": {"additionalProperties": False},
        "b": {"additionalProperties": {"type": "integer"}},
    }
    for provider in ("gemini-openapi", "openai"):
        strict = strict_of(objects, "a", "b", provider=provider)
        value = {"a": {}, "b": {"c": 1}}
        assert strict.decode(strict.encode(value)) == value
        assert broken_rules(strict.schema, provider) == []

    def now() -> str: ...

    tools = Toolset([now], strict="gemini-openapi")
    assert tools.definitions("gemini") == [{"name": "now"}]


def test_choices_that_are_used_often_are_written_once_if_they_are_too_many() -> None:
    """OpenAI takes 1,000 in one schema."""
    definitions = {"color": {"enum": [f"color {n}" for n in range(100)]}}
    for uses in (3, 30):
        properties = {f"p{n}": {"$ref": "#/$defs/color"} for n in range(uses)}
        schema = {"type": "object", "properties": properties, "$defs": definitions}
        strict = compile_schema(schema).strict("openai")
        assert json.dumps(strict.schema).count("color 99") == (3 if uses == 3 else 1)
        assert strict.decode(strict.encode({"p0": "color 7"})) == {"p0": "color 7"}


@pytest.mark.parametrize(("count", "length"), [(1001, 5), (251, 60)])
def test_choices_beyond_a_limit_are_checked(count: int, length: int) -> None:
    """OpenAI also limits the characters of an enum of more than 250 strings."""
    strict = strict_of({"id": {"enum": [f"{n:0{length}}" for n in range(count)]}}, "id")
    assert strict.schema["properties"]["id"] == {"type": "string"}
    with pytest.raises(ToolError):
        strict.decode({"id": "x"})


@pytest.mark.parametrize("pattern", ["^(?!a)[a-z]+$", "^(?<name>a)$"])
def test_a_pattern_that_an_engine_ignores_is_left_to_the_check(pattern: str) -> None:
    """It has no lookaround and no named groups."""
    text = strict_of({"a": {"type": "string", "pattern": pattern}}, "a", provider="xgrammar")
    words = f"Must be: matches the regular expression {pattern}."
    assert text.schema["properties"]["a"] == {"type": "string", "description": words}


@pytest.mark.parametrize(("dialect", "expected"), [("draft-07", None), ("2020-12", "date")])
def test_a_format_beside_a_reference_is_kept_where_it_means_something(
    dialect: str, expected: str | None
) -> None:
    """Up to draft 7, what stands beside `$ref` is ignored."""
    day = {"$ref": "#/$defs/text", "format": "date"}
    schema = {"properties": {"day": day}, "$defs": {"text": {"type": "string"}}}
    strict = compile_schema(schema, dialect=dialect).strict("llguidance")
    assert strict.schema["properties"]["day"].get("format") == expected


def test_a_format_beside_a_reference_to_an_object_means_nothing() -> None:
    """The object is one definition for all who refer to it."""
    schema = {
        **closed(a={"$ref": "#/$defs/d", "format": "x"}, b={"$ref": "#/$defs/d", "format": "x"}),
        "$defs": {"d": closed(text={"type": "string"})},
    }
    assert [*compile_schema(schema).strict("openai").schema["$defs"]] == ["d"]


def test_choices_that_another_keyword_refuses_are_not_listed() -> None:
    """A model would choose them, and be refused."""
    strict = strict_of({"n": {"enum": [1, 5], "minimum": 3}}, "n")
    assert strict.schema["properties"]["n"]["enum"] == [5]


def test_great_whole_floats_are_integers() -> None:
    """Also as choices: engines compare texts."""
    strict = strict_of({"n": {"type": "integer", "enum": [1e16, 2]}}, "n")
    for choice in (1e16, 10**16, 2):
        assert strict.decode(strict.encode({"n": choice})) == {"n": choice}


def test_recursion_stays_where_it_is_enforced() -> None:
    """Elsewhere it is unrolled; below that, values are lists of paths and scalars."""
    node = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "sub": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    value: dict[str, Any] = {"name": "0"}
    for level in range(1, 8):
        value = {"name": str(level), "sub": [value, {"name": "x", "sub": []}]}
    compiled = compile_schema(node)
    assert "$defs" in compiled.strict("openai").schema
    for provider in ("openai", "anthropic", "gemini-openapi", "xgrammar"):
        strict = compiled.strict(provider)
        assert strict.decode(strict.encode(value)) == value


def test_constraints_that_are_not_enforced_are_said_and_checked() -> None:
    """The description says them, and decode names them."""
    strict = strict_of({"n": {"type": "integer", "minimum": 1}}, "n", provider="anthropic")
    assert strict.schema["properties"]["n"] == {
        "type": "integer",
        "description": "Must be: at least 1.",
    }
    with pytest.raises(ToolError, match="of at least 1"):
        strict.decode({"n": 0})


def test_a_default_is_said_where_a_property_may_be_left_out() -> None:
    """It means nothing for one that is required."""
    limit = {"type": "integer", "default": 3}
    properties = strict_of({"a": limit, "b": limit}, "b").schema["properties"]
    assert [each.get("description") for each in properties.values()] == ["Default: 3.", None]


def test_names_that_a_provider_refuses_are_renamed() -> None:
    """To names that no other property has, wherever that is declared."""
    strict = strict_of(
        {name: {"type": ["string", "null"]} for name in ("a b", "a_b", "ä", "")},
        provider="anthropic",
    )
    assert [*strict.schema["properties"]] == ["a_b_2", "a_b", "_", "property"]
    renamed = [entry.words for entry in strict.account if entry.status == "encoded"]
    assert renamed == [f"the property is called {name}" for name in ("a_b_2", "_", "property")]
    value = {"a b": "1", "a_b": "2", "ä": None, "": ""}
    assert strict.decode(strict.encode(value)) == value


def test_a_name_that_is_sent_as_it_is_keeps_its_value() -> None:
    """Next to it, the name that another provider's rules made of it is any other name."""
    schema = {"type": "object", "properties": {"a b": {}}, "additionalProperties": {}}
    strict = compile_schema(schema).strict("anthropic")
    assert strict.decode({"a_b": 1}) == {"a b": 1}
    assert strict.decode({"a b": 1, "a_b": 2}) == {"a b": 1, "a_b": 2}


def test_a_path_that_is_too_deep_is_refused() -> None:
    """As a value of as many levels is; it is not taken for the value itself."""
    strict = strict_of({"a": {}}, provider="anthropic")
    for levels in (300, 100_000):
        leaf = {"path": ["b"] * levels, "value": 1}
        with pytest.raises(ToolError, match="a path of 200 levels at most"):
            strict.decode({"a": {"leaves": [leaf]}})
    with pytest.raises(ToolError, match="indices from 0 without a gap"):
        strict.decode({"a": {"leaves": [{"path": [index], "value": 1} for index in (0, 2)]}})


def test_a_nested_value_that_is_too_long_is_refused_where_it_is() -> None:
    """Not where its list of paths and values is."""
    strict = compile_schema({"properties": {"a": {}}}).strict("gemini", max_items=2)
    with pytest.raises(ToolError, match="at most 2 items") as caught:
        strict.encode({"a": {"b": {"c": [1, 2, 3]}}})
    assert caught.value.issues[0].path == "/a"


def test_many_alternatives_of_an_optional_property_are_written_once() -> None:
    """Within the object that a null which is sent is in, too."""
    strict = strict_of({"a": {}, "b": {}})
    assert [*strict.schema["$defs"]] == ["json_value"]
    assert strict.encode({"a": 1, "b": None}) == {"a": {"value": 1}, "b": {"value": None}}


def test_all_of_is_merged() -> None:
    """Properties, required names and bounds of all parts hold."""
    parts = [
        {"properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]},
        {"properties": {"n": {"maximum": 9}, "s": {"type": "string"}}},
    ]
    schema = compile_schema({"type": "object", "allOf": parts}).strict("openai").schema
    assert schema["properties"]["n"] == {"type": "integer", "minimum": 1, "maximum": 9}
    assert schema["required"] == ["n", "s"]


def test_a_union_next_to_properties_is_multiplied_out() -> None:
    """Each branch has what applies to all; the root is wrapped, as it has to be an object."""
    schema = {
        "description": "An item.",
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "anyOf": [
            {"properties": {"kind": {"const": "a"}, "a": {"type": "string"}}, "required": ["kind"]},
            {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
        ],
    }
    strict = compile_schema(schema).strict("openai")
    branches = strict.schema["properties"]["arguments"]["anyOf"]
    assert [[*branch["properties"]] for branch in branches] == [["id", "kind", "a"], ["id", "kind"]]
    assert json.dumps(strict.schema).count("An item.") == 1
    for value in ({"id": 1, "kind": "a"}, {"id": 1, "kind": "a", "a": ""}, {"id": 2, "kind": "b"}):
        assert strict.decode(strict.encode(value)) == value


@pytest.mark.parametrize(
    ("keyword", "count", "checked"),
    [("anyOf", 2, []), ("oneOf", 1, []), ("oneOf", 2, ["that only one alternative is valid"])],
)
def test_only_that_one_of_several_alternatives_is_valid_is_left_to_the_check(
    keyword: str, count: int, checked: list[str]
) -> None:
    """Every union is enforced otherwise."""
    branches = [closed(**{name: {"type": "string"}}) for name in "ab"[:count]]
    strict = strict_of({"a": {keyword: branches}})
    assert [entry.words for entry in strict.account if entry.status == "checked"] == checked


_NO_LEAVES = [5, [1], [{"path": []}], [{"path": 1, "value": 1}], [{"path": [False], "value": 1}]]
_NO_ENTRIES = [5, [1], [{"key": "a"}], [{"key": 1, "value": "b"}]]


@pytest.mark.parametrize(
    ("provider", "schema", "values"),
    [
        (
            "openai",
            {"anyOf": [_TEXT_Y, _TEXTS]},
            ["x", [], {}, {"id": 2}, {"arguments": 1, "y": 2}],
        ),
        ("openai", _TEXT_Y, ["x", []]),
        ("openai", _TEXTS, [5, *({"additional_properties": each} for each in _NO_ENTRIES)]),
        ("gemini", _ANY_NEXT_TO_A, [5]),
        ("anthropic", closed("a", a={}), [{"a": {"leaves": each}} for each in _NO_LEAVES]),
    ],
    ids=["a tag", "an object", "entries", "an open object", "leaves"],
)
def test_what_is_no_value_of_the_projection_is_left_as_it_is(
    provider: str, schema: dict[str, Any], values: list[Any]
) -> None:
    """As a model writes that does not obey; the schema as given decides."""
    strict = compile_schema(schema).strict(provider)
    assert [strict.inverted(value) for value in values] == values


def test_decode_is_as_forgiving_as_validate() -> None:
    """Providers fall back to no enforcement, and models do not always obey."""
    entries = {"type": "object", "additionalProperties": {"type": "integer"}}
    strict = strict_of({"ids": {"type": "array", "items": {"type": "integer"}}, "env": entries})
    meant = {"ids": [1, 2], "env": {"a": 1}}
    for value in (
        meant,
        {"ids": "[1, 2]", "env": {"a": "1"}},
        {"ids": ["1", "2"], "env": [{"key": "a", "value": "1"}]},
        {"ids": [1, 2], "env": '[{"key": "a", "value": 1}]'},
    ):
        assert strict.decode(value) == meant


@pytest.mark.parametrize("value", [None, object(), float("nan"), "x", [[]], {"a": {1: 2}}])
def test_hostile_values_are_refused(value: Any) -> None:
    """By a ToolError, as of validate."""
    with pytest.raises(ToolError):
        strict_of({"a": {"type": "integer"}}, "a").decode(value)


def test_a_schema_beyond_a_limit_is_refused() -> None:
    """The error says which limit."""
    many = {f"p{index}": {"type": "string"} for index in range(101)}
    with pytest.raises(SchemaError, match="100 properties"):
        strict_of(many, provider="azure")
    positions = [{"const": number} for number in range(501)]
    with pytest.raises(SchemaError, match="more than 500 alternatives"):
        strict_of({"a": {"type": "array", "prefixItems": positions}})
    with pytest.raises(SchemaError, match="allows no value"):
        compile_schema({"not": {}, "enum": []}).strict("openai")
    with pytest.raises(SchemaError, match="allows no value"):
        strict_of({"a": False}, "a")
    assert strict_of({"a": False}).schema["properties"] == {}


def test_unions_that_multiply_are_refused_at_once() -> None:
    """Eight unions of four branches have 65,536 combinations."""
    unions = [
        {"anyOf": [{"properties": {f"p{i}{j}": {}}, "required": [f"p{i}{j}"]} for j in range(4)]}
        for i in range(8)
    ]
    compiled = compile_schema({"type": "object", "allOf": unions})
    with calls(3_000), pytest.raises(SchemaError, match="too many combinations"):
        compiled.strict("openai")


def test_an_unknown_provider_is_a_mistake() -> None:
    """The error suggests the nearest."""
    with pytest.raises(ValueError, match="did you mean 'anthropic'"):
        strict_of({}, provider="antropic")


def test_it_can_be_pickled_and_copied() -> None:
    """As compiled schemas and tools can."""
    strict = compile_schema({"properties": {"a": {"type": "string"}}}).strict("azure")
    for made in (pickle.loads(pickle.dumps(strict)), copy.deepcopy(strict)):  # noqa: S301 - our own
        assert made.schema == strict.schema
        assert made.decode({"a": None}) == {}


def test_caps_bound_what_could_go_on_without_end() -> None:
    """A schema's own bounds stay."""
    properties = {
        "tags": {"type": "array", "items": {"type": "string"}},
        "pair": {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 2},
    }
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    capped = compile_schema(schema).strict("openai", max_items=100, max_length=1000).schema
    assert capped["properties"]["tags"] == {
        "type": "array",
        "items": {"type": "string", "maxLength": 1000},
        "maxItems": 100,
    }
    assert capped["properties"]["pair"]["maxItems"] == 2
    with pytest.raises(ValueError, match="positive"):
        compile_schema(schema).strict("openai", max_items=0)


@pytest.mark.parametrize(("has_choices", "most"), [(False, 3 * 60 * 60), (True, 0)])
def test_the_tags_of_branches_are_found_in_time_in_proportion_to_their_pairs(
    monkeypatch: pytest.MonkeyPatch,
    has_choices: bool,  # noqa: FBT001
    most: int,
) -> None:
    """Each branch that looks like the others gets a name of its own, by few comparisons.

    Those that the choices of one property tell apart are not compared.
    """
    compared = 0
    are_disjoint = tagged_unions._are_disjoint

    def spy(a: Any, b: Any) -> bool:
        nonlocal compared
        compared += 1
        return are_disjoint(a, b)

    monkeypatch.setattr(tagged_unions, "_are_disjoint", spy)
    properties = {"b": {"type": "array", "items": {"type": "integer"}}}
    keyword = "const" if has_choices else "minimum"
    branches = [
        closed("a", a={"type": "integer", keyword: number}, **properties) for number in range(60)
    ]
    written = json.dumps(strict_of({"union": {"anyOf": branches}}).schema)
    assert all((f'"value_{number}"' in written) != has_choices for number in range(2, 60))
    assert compared <= most


def test_decoders_of_arrays_within_one_another_search_each_encoding_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of 400 arrays leads to all the others."""
    asked = 0
    children = encodings.Array.children

    def spy(encoding: encodings.Array) -> Any:
        nonlocal asked
        asked += 1
        return children(encoding)

    every = {"anyOf": [{"$ref": f"#/$defs/d{number}"} for number in range(20)]}
    definitions = {f"d{number}": {"type": "array", "items": every} for number in range(20)}
    schema = {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}
    strict = compile_schema(schema).strict("openai")
    monkeypatch.setattr(encodings.Array, "children", spy)
    assert strict.decode({"a": [[], [[]]]}) == {"a": [[], [[]]]}
    assert asked < 2_000


# ------------------------------------------------------------------------------------- unions
_TEXT_MAP: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}
_ENTRY_LIST: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": {"type": "string"}},
        "required": ["key", "value"],
        "additionalProperties": False,
    },
}
"""Lists of the very entries that a map is written as."""


_BRANCHES: dict[str, Any] = {
    "any object": {"type": "object"},
    "a map": _TEXT_MAP,
    "entries": _ENTRY_LIST,
    "a map of any JSON": {
        "type": "object",
        "patternProperties": {"^x": {}},
        "additionalProperties": False,
    },
    "choices": {"enum": [{"a": 1}, [1]]},
    "a map beside text": closed("k", "m", k={"type": "string"}, m=_TEXT_MAP),
    "a map beside an integer": closed("k", "m", k={"type": "integer"}, m=_TEXT_MAP),
    "entries beside a number": closed("k", "m", k={"type": "number"}, m=_ENTRY_LIST),
    "a map beside choices": closed("k", "m", k={"enum": ["", "a"]}, m=_TEXT_MAP),
    "entries beside choices": closed("k", "m", k={"enum": ["", "b"]}, m=_ENTRY_LIST),
    "a map beside a choice": closed("m", t={"const": "a"}, m=_TEXT_MAP),
    "entries beside a choice": closed("m", t={"const": "b"}, m=_ENTRY_LIST),
    "what a tag looks like": closed("value", value={}),
    "any JSON but 1": {"not": {"const": 1}},
    "text or a map of integers": {
        "description": "A name, or how many of each.",
        "anyOf": [
            {"type": "string"},
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ],
    },
    "null or a map": {"anyOf": [{"type": "null"}, _TEXT_MAP]},
    "any of these before maps": {
        "type": "array",
        "prefixItems": [{"$ref": "#/properties/v"}],
        "items": _TEXT_MAP,
    },
}
_MAPS_AND_ENTRIES: list[Any] = [{}, {"x": "y"}, [], [{"key": "x", "value": "y"}]]
_MADE_OF: list[Any] = [
    *({}, {"a": 1}, 5, [1], [[]], {"leaves": []}, {"value": {"x": []}}, {"value": {"leaves": []}}),
    *({"x": {"y": {}}}, {"x": "y"}, [{"key": "x", "value": "y"}], None, {"entries": "y"}),
    *(
        {**k, "m": m}
        for k in ({}, {"k": ""}, {"k": 1}, {"t": "a"}, {"t": "b"})
        for m in _MAPS_AND_ENTRIES
    ),
]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
@pytest.mark.parametrize("branch", _BRANCHES)
def test_values_of_any_two_branches_come_back(provider: str, branch: str) -> None:
    """However alike their projections are, in either order."""
    for other, schema in _BRANCHES.items():
        compiled = compile_schema(closed("v", v={"anyOf": [_BRANCHES[branch], schema]}))
        strict = compiled.strict(provider)
        for value in filter(compiled.is_valid, ({"v": each} for each in _MADE_OF)):
            assert strict.decode(strict.encode(value)) == value, (other, value)


@pytest.mark.parametrize(
    ("keywords", "description"),
    [
        ({}, None),
        ({"description": "A name."}, "A name."),
        ({"not": {"const": ""}}, 'Must be: not {"const": ""}.'),
    ],
)
def test_a_union_within_another_stays_together_if_it_is_described(
    keywords: dict[str, Any], description: str | None
) -> None:
    """Else only the branch that looks like another one has a tag."""
    inner = {**_INTEGER_Y, "type": ["string", "object"], **keywords}
    pair = {"type": "array", "prefixItems": [_TEXT_Y, inner], "items": False}
    written = strict_of({"pair": pair}, "pair").schema["properties"]["pair"]["items"]["anyOf"]
    assert ({"type": "string"} in written) == (description is None)
    assert description is None or json.dumps(description) in json.dumps(written)


@pytest.mark.parametrize(
    ("branches", "tag"),
    [
        ([_TEXT_Y, _INTEGER_Y], "value"),
        ([_TEXT_MAP, _ENTRY_LIST], "items"),
        ([_ENTRY_LIST, _TEXT_MAP], "entries"),
        ([{"type": "string"}, {"type": "string"}], None),
    ],
)
def test_a_tag_says_what_it_holds(branches: list[Any], tag: str | None) -> None:
    """An object, items or entries; what is there twice has none."""
    written = strict_of({"a": {"anyOf": branches}}, "a").schema["properties"]["a"]
    assert ("anyOf" in written) == (tag is not None)
    first, *others = written.get("anyOf", [written])
    assert "required" not in first or first["required"] == ["y"]
    assert [each["required"] for each in others] == ([] if tag is None else [[tag]])


@pytest.mark.parametrize(
    "branches",
    [
        [closed(a=_TEXT_MAP), closed(b=_TEXT_MAP)],
        [closed("a", a=_TEXT_MAP), {**closed("a", a=_TEXT_MAP), "additionalProperties": {}}],
        [closed("t", t={"const": each}, a=_TEXT_MAP) for each in range(3)],
        [*(closed("t", t={"const": each}, a=_TEXT_MAP) for each in "xy"), closed("b", b=_TEXT_MAP)],
        [closed("t", t={"type": each}, a=_TEXT_MAP) for each in ("string", "integer")],
        [closed("a", a=_TEXT_MAP), _TEXT_MAP, {"type": "string"}],
        [
            closed("a", a=_TEXT_MAP),
            {"description": "Or none.", "anyOf": [closed("b", b=_TEXT_MAP), {"type": "null"}]},
        ],
    ],
    ids=[
        "optional properties",
        "further properties",
        "choices",
        "some choices",
        "types of a property",
        "types",
        "a union",
    ],
)
def test_branches_that_are_told_apart_have_no_tag(branches: list[Any]) -> None:
    """By a property that the other has not, by its choices, or by their types; in any order."""
    for ordered in (branches, branches[::-1]):
        strict = compile_schema(closed("v", v={"anyOf": ordered})).strict("openai")
        for each in strict.schema["properties"]["v"]["anyOf"]:
            assert not {"value", "entries", "items"} & each.get("properties", {}).keys()


def test_leaves_are_told_from_objects_that_require_another_name() -> None:
    """So that neither has a tag."""
    pair = {"type": "array", "prefixItems": [{}, closed("a", a=_TEXT_MAP)]}
    items = (
        compile_schema(closed("v", v=pair)).strict("anthropic").schema["properties"]["v"]["items"]
    )
    objects = [{*each["properties"]} for each in items["anyOf"] if "properties" in each]
    assert objects == [{"leaves"}, {"a"}]
