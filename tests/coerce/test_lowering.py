"""The lowered schema is a short cut: whatever it makes of a call, the search makes of it, too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from corruptions import TOOLS, Tool, corrupted
from hypothesis import given, strategies as st
from oracle import same
from waiting import rounds

from schema2model import CompiledSchema, ToolError, compile_schema
from schema2model.schema.discriminators import branches_by_text

PRESETS = ("default", "forgiving", "lenient", "untyped", "off")
REFUSED = object()
INTEGER, NULL = {"type": "integer"}, {"type": "null"}


def validated(compiled: CompiledSchema, value: Any) -> Any:
    """What the lowered schema makes of a value, and the search only where it refuses."""
    try:
        return compiled.validate(value)
    except ToolError:
        return REFUSED


def searched(compiled: CompiledSchema, value: Any) -> Any:
    """What the search alone makes of a value."""
    try:
        return compiled._engine.search.result(compiled._engine.search.read(value))
    except ToolError:
        return REFUSED


@given(st.data(), st.sampled_from(TOOLS), st.sampled_from(PRESETS))
def test_calls_of_tools(data: st.DataObject, tool: Tool, preset: str) -> None:
    """Corrupted calls come out the same either way."""
    compiled = compile_schema(tool.schema, coercion=preset)
    value = data.draw(corrupted(tool))
    assert same(validated(compiled, value), searched(compiled, value))


@pytest.mark.parametrize("keyword", ["additionalProperties", "properties", "patternProperties"])
@pytest.mark.parametrize("depth", range(3))
def test_a_member_of_a_union_that_has_a_reading(keyword: str, depth: int) -> None:
    """It is no fault of an object at any depth, whose other members are independent of it."""
    union = {"anyOf": [{"type": ["array", "null"]}, INTEGER]}
    schema = {
        "type": "object",
        keyword: union if keyword == "additionalProperties" else {"b": union},
    }
    value, wrong, read = {"b": "5"}, {"b": "x"}, {"b": 5}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
        value, wrong, read = {"a": value}, {"a": wrong}, {"a": read}
    compiled = compile_schema(schema)
    assert validated(compiled, value) == searched(compiled, value) == read
    assert validated(compiled, wrong) is REFUSED


# ------------------------------------------------------------------------- unions with tags
WORDS = ("cat", "dog", "Dog", "1", "true", "null")
MEMBERS: tuple[dict[str, Any], ...] = (
    INTEGER,
    {"type": "string"},
    {"type": "boolean"},
    {"type": ["number", "null"]},
    {"type": "array", "items": INTEGER},
    {"enum": ["a", "b"]},
    {"type": "object", "properties": {"z": INTEGER}, "required": ["z"]},
)
SENT = st.sampled_from(
    [1, "1", 1.0, 2.5, "x", "true", True, None, "null", [1], ["1"], "[1]", "a", {"z": "1"}, ""]
)


@st.composite
def unions(draw: st.DrawFn) -> dict[str, Any]:
    """A union of objects with a property `kind` that differs."""
    words = draw(st.permutations(WORDS))
    branches: list[Any] = []
    for index in range(draw(st.integers(2, 3))):
        tag: Any = {"const": words[index]}
        if draw(st.booleans()):
            tag = {"type": "string", "enum": [words[index], words[-1 - index]]}
        names = draw(st.lists(st.sampled_from("abc"), unique=True))
        members = {name: draw(st.sampled_from(MEMBERS)) for name in names}
        branch = {
            "type": "object",
            "properties": {"kind": tag, **members},
            "required": ["kind", *names[: draw(st.integers(0, 2))]],
        }
        if draw(st.booleans()):
            branch["additionalProperties"] = False
        branches.append(branch)
    if draw(st.booleans()):
        branches.append(NULL)
    return {draw(st.sampled_from(("anyOf", "oneOf"))): branches}


@st.composite
def members_sent(draw: st.DrawFn, union: dict[str, Any]) -> Any:
    """Something like a member of a union, with the mistakes that models make."""
    branch = draw(st.sampled_from(next(iter(union.values()))))
    if branch == NULL:
        return draw(st.sampled_from([None, "null"]))
    value = {name: draw(SENT) for name in branch["properties"] if draw(st.integers(0, 9))}
    if draw(st.integers(0, 5)):
        tag = branch["properties"]["kind"]
        value["kind"] = tag.get("const") or tag["enum"][0]
    return draw(st.sampled_from([value, value, json.dumps(value)]))


@given(st.data(), unions(), st.sampled_from(PRESETS))
def test_unions_with_tags(data: st.DataObject, union: dict[str, Any], preset: str) -> None:
    """The branch that the tag names is the one that the fewest changes lead to."""
    schema = {"type": "object", "properties": {"one": union, "list": {"items": union}}}
    compiled = compile_schema(schema, coercion=preset)
    value = {"one": data.draw(members_sent(union)), "list": [data.draw(members_sent(union))]}
    assert same(validated(compiled, value), searched(compiled, value))


def block(kind: Any, *, required: bool = True, **more: Any) -> dict[str, Any]:
    """A branch of a union."""
    return {
        "type": "object",
        "properties": {"kind": kind, "size": INTEGER},
        "required": ["kind"] if required else [],
        **more,
    }


@pytest.mark.parametrize(
    ("branches", "property_name"),
    [
        pytest.param([block({"const": "a"}), block({"const": "b"})], "kind", id="const"),
        pytest.param([block({"enum": ["a", "c"]}), block({"const": "b"}), NULL], "kind", id="enum"),
        pytest.param([{"$ref": "#/$defs/a"}, block({"const": "b"})], "kind", id="reference"),
        pytest.param([block({"const": "a"}), block({"const": "a"})], None, id="same"),
        pytest.param([block({"const": 1}), block({"const": 2})], None, id="numbers"),
        pytest.param([block({"const": "a"}), block({"type": "string"})], None, id="any text"),
        pytest.param(
            [block({"const": "a"}), block({"const": "b"}, required=False)], None, id="may"
        ),
        pytest.param([block({"const": "a"}), {"type": "string"}], None, id="other type"),
        pytest.param([block({"const": "a"}), NULL], None, id="one"),
        pytest.param([block({"const": "a"}, type=["object", "null"])] * 2, None, id="types"),
    ],
)
def test_what_a_tag_is(branches: list[Any], property_name: str | None) -> None:
    """Required text of its own in every branch, all of which are objects or null."""
    schema = {"anyOf": branches, "$defs": {"a": block({"const": "a"})}}
    found = branches_by_text(compile_schema(schema)._engine.root.any_of)
    assert (found and found[0]) == property_name


NODE: Any = {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}, "n": INTEGER}}


def nested(levels: int, leaf: object) -> Any:
    """Objects in each other."""
    value: Any = {"n": leaf}
    for _ in range(levels):
        value = {"child": value}
    return value


def test_the_time_of_deep_text_grows_with_its_levels() -> None:
    """After a wrong call, too: no level copies all that is below it.

    Four times the levels took twelve times as long.
    """
    compiled = compile_schema({"$ref": "#/$defs/node", "$defs": {"node": NODE}})
    assert compiled.validate(nested(1, "1")) == nested(1, 1)

    def work(levels: int) -> float:
        text = json.dumps(nested(levels, 1))
        return rounds(lambda: [compiled.validate_json(text) for _ in range(200)])

    assert work(160) < 7 * work(40)
