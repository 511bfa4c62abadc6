# ruff: noqa: D103 - the names state the promises
"""Arguments that a schema allows and does not declare: kept, refused, or only if misspelt."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from waiting import calls

from schema2model import Tool, ToolError, compile_schema
from schema2model.limits import MAX_ISSUES
from schema2model.schema.undeclared import DeclaredNames
from schema2model.tools.tool_cache import ToolCache, compile_checker

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "dryRun": {"type": "boolean"},
        "options": {"type": "object", "properties": {"maxAge": {"type": "integer"}}},
        "edits": {"items": {"properties": {"oldText": {"type": "string"}}}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "free": {"type": "object"},
    },
    "patternProperties": {"^x-": {}},
}


def delete(**options: Any) -> Tool:
    return Tool.from_schema({"name": "delete", "parameters": SCHEMA}, **options)


MISSPELT = [
    ({"dry_run": True}, '- rename "dry_run" to "dryRun"'),
    ({"options": {"max_age": 1}}, '- /options: rename "max_age" to "maxAge"'),
    ({"edits": [{}, {"old_text": "x"}]}, '- /edits/1: rename "old_text" to "oldText"'),
]


@pytest.mark.parametrize(("arguments", "message"), MISSPELT)
def test_a_misspelt_name_is_kept_unless_it_is_refused(arguments: Any, message: str) -> None:
    assert delete().prepare(arguments).arguments == arguments
    for option in ("refuse", "refuse_similar"):
        with pytest.raises(ToolError) as raised:
            delete(unknown_arguments=option).prepare(arguments)
        assert message in str(raised.value)
        (issue,) = raised.value.issues
        assert (issue.keyword, issue.expected) == ("additionalProperties", False)


CLOSED = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "floor": {"type": "integer"},
        "customer": {"type": "integer"},
        "to": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("sent", "advice"),
    [
        ({"flor": 3}, 'rename "flor" to "floor"'),
        ({"floor_number": 3}, 'rename "floor_number" to "floor"'),
        ({"costumer": 3}, 'rename "costumer" to "customer"'),
        ({"Floor": 3}, 'rename "Floor" to "floor"'),
        ({"flor": 3, "floors": 4}, 'leave "floors" out: there is no such argument'),
        ({"city": "Rome"}, '"city" must stand inside "to"'),
        ({"floor": 1, "all": {"street": "E"}}, 'take "street" out of "all"'),
        ({"gift": 3}, 'leave "gift" out: there is no such argument; not yet used: "street"'),
    ],
)
@pytest.mark.parametrize("place", ["", "/order"])
def test_a_refused_name_gets_the_advice_of_a_closed_schema(
    sent: Any, advice: str, place: str
) -> None:
    opened = {**CLOSED, "additionalProperties": True}
    told = []
    for schema, option in ((CLOSED, "keep"), (opened, "refuse")):
        inner = {"type": "object", "properties": {"order": schema}} if place else schema
        definition = {"name": "buy", "parameters": inner}
        tool = Tool.from_schema(definition, unknown_arguments=option)
        with pytest.raises(ToolError) as raised:
            tool.prepare({"order": sent} if place else sent)
        told.append(str(raised.value))
    assert told[0] == told[1]
    assert advice in told[0]


@pytest.mark.parametrize("arguments", [{"other": 1}, {"dryRun": True, "dry_run": True}])
def test_another_name_is_refused_only_with_all(arguments: Any) -> None:
    assert delete(unknown_arguments="refuse_similar").prepare(arguments).arguments == arguments
    with pytest.raises(ToolError, match=r"leave \"\w+\" out"):
        delete(unknown_arguments="refuse").prepare(arguments)


@pytest.mark.parametrize("option", ["refuse", "refuse_similar"])
def test_a_refusal_has_no_more_issues_than_any_other(option: Any) -> None:
    edits = [{"old_text": "x"}] * 15
    with pytest.raises(ToolError) as raised:
        delete(unknown_arguments=option).prepare({"edits": edits})
    paths = [each.path for each in raised.value.issues]
    assert paths == [f"/edits/{index}/old_text" for index in range(MAX_ISSUES + 1)]
    assert "\n- and more\n" in str(raised.value)


@pytest.mark.parametrize(
    "arguments", [{"env": {"a": "b"}}, {"free": {"a": 1}}, {"x-a": 1}, {"path": "p"}, {}]
)
def test_maps_patterns_and_free_objects_declare_their_names(arguments: Any) -> None:
    assert delete(unknown_arguments="refuse").prepare(arguments).arguments == arguments


@pytest.mark.parametrize(
    ("additional", "is_declared"), [(True, False), ({}, True), ({"type": "boolean"}, True)]
)
def test_a_schema_of_other_properties_declares_them(additional: Any, *, is_declared: bool) -> None:
    """Beside those with a name, too; `true` only says what is so without it."""
    schema = {**SCHEMA, "additionalProperties": additional}
    definition = {"name": "delete", "parameters": schema}
    tool = Tool.from_schema(definition, unknown_arguments="refuse_similar")
    if is_declared:
        assert tool.prepare({"dry_run": True}).arguments == {"dry_run": True}
        return
    with pytest.raises(ToolError, match='rename "dry_run" to "dryRun"'):
        tool.prepare({"dry_run": True})


@pytest.mark.parametrize(
    ("items", "unknown"),
    [
        ([{"city": 1}, {"zip": 1}], None),
        ([{"town": 1}], None),
        ([{"zip": 1}], "/p/0/zip"),
        ([{"city": 1}, {"town": 1}], "/p/1/town"),
        ([{"city": 1}, {"zip": 1}, {"zip": 1}], "/p/2/zip"),
        ([{"city": 1}, {"zip": 1}, {"rest": 1}], None),
    ],
)
def test_items_declare_their_names_by_position(items: Any, unknown: str | None) -> None:
    """Where branches have different `prefixItems`, an item may have the names of each."""

    def named(name: str) -> Any:
        return {"type": "object", "properties": {name: {}}}

    branches = [
        {"prefixItems": [named("city")]},
        {"prefixItems": [named("town"), named("zip")], "items": named("rest")},
    ]
    schema = {"properties": {"p": {"anyOf": branches}}}
    tool = Tool.from_schema({"name": "t", "parameters": schema}, unknown_arguments="refuse")
    if unknown is None:
        assert tool.prepare({"p": items}).arguments == {"p": items}
        return
    with pytest.raises(ToolError) as raised:
        tool.prepare({"p": items})
    assert [issue.path for issue in raised.value.issues] == [unknown]


def test_explain_lists_misspelt_names_as_doubts() -> None:
    explained = compile_schema(SCHEMA).explain({"dry_run": True, "other": 1})
    assert explained.result == {"dry_run": True, "other": 1}
    [doubt] = explained.doubts
    assert (doubt.path, doubt.advice) == ("/dry_run", 'rename "dry_run" to "dryRun"')
    assert compile_schema(SCHEMA).explain_json('{"dryRun": true}').doubts == ()


def test_another_word_is_an_error_at_definition() -> None:
    with pytest.raises(ValueError, match="unknown_arguments is one of 'keep', 'refuse'"):
        delete(unknown_arguments="drop")


def test_many_undeclared_names_are_looked_up_in_linear_time() -> None:
    names = {"properties": {f"declared_{number}": {} for number in range(2_000)}}
    tool = Tool.from_schema({"name": "f", "parameters": names}, unknown_arguments="refuse_similar")
    many = {f"other_{number}": 1 for number in range(100_000)}
    with calls(9_000_000):
        assert tool.prepare(many).arguments == many
    with calls(9_000_000), pytest.raises(ToolError) as raised:
        tool.prepare({f"DECLARED_{number}": 1 for number in range(2_000)})
    assert len(raised.value.issues) == 11
    explained = tool.compiled.explain([{"x": []}] * 100_000)
    with calls(9_000_000):
        assert not explained.doubts


def test_checkers_of_adapters_take_the_option() -> None:
    checker = compile_checker("delete", SCHEMA, unknown_arguments="refuse_similar")
    assert checker is not None
    with pytest.raises(ToolError, match="rename"):
        checker.prepare({"dry_run": True})
    with pytest.raises(ValueError, match="unknown_arguments is one of"):
        ToolCache(unknown_arguments="drop")  # type: ignore[arg-type]


def test_recursive_schemas_do_not_double_the_work_at_each_level() -> None:
    branch = {"properties": {"x": {"$ref": "#"}}}
    tool = Tool.from_schema(
        {"name": "f", "parameters": {"allOf": [branch, branch]}}, unknown_arguments="refuse"
    )
    value: dict[str, Any] = {}
    for _ in range(40):
        value = {"x": value}
    with calls(3_000):
        assert tool.prepare(value).arguments == value


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"path": "a", "dryRun": True},
        {"options": {"maxAge": 1}, "env": {"A": "b"}, "free": {"any": {"thing": 1}}},
        {"edits": []},
        {"edits": [{"oldText": "a"}, {}, {"oldText": "b"}]},
        {"edits": [{"oldText": "a"}, 1, None, ["other"]]},
        {"edits": [{"oldText": "a"}, {"oldText": "b", "other": 1}]},
        {"edits": "other"},
        {"options": {"maxAge": 1, "other": 1}},
        {"other": 1},
        {"dryRun": True, "options": [{"other": 1}]},
    ],
)
def test_the_glance_at_names_says_what_the_search_does(arguments: Any) -> None:
    """Once the search has seen all parts of the schema."""
    names = DeclaredNames(compile_schema({**SCHEMA, "patternProperties": {}})._engine.root)
    every = {"options": {"maxAge": 1}, "edits": [{"oldText": "a"}], "env": {}, "free": {}}
    assert not [*names.undeclared(every)]
    assert names.declares_all(arguments) == (not [*names.undeclared(arguments)])


NAMES = ("a", "a_b", "aB", "AB", "x1")
"""Names that are spelled alike, and one for a pattern."""


def drawn_schema(rng: random.Random, depth: int) -> Any:
    """A schema that declares names, mostly, for a value or for parts of it."""
    if not depth:
        return rng.choice([{}, {"type": "string"}, True])
    schema: dict[str, Any] = {}
    if rng.random() < 0.6:
        names = rng.sample(NAMES[:3], rng.randint(1, 3))
        schema["properties"] = {name: drawn_schema(rng, depth - 1) for name in names}
    others = {
        "additionalProperties": rng.choice([True, False, drawn_schema(rng, depth - 1)]),
        "patternProperties": {"^x": drawn_schema(rng, depth - 1)},
        "items": drawn_schema(rng, depth - 1),
        "prefixItems": [drawn_schema(rng, depth - 1) for _ in range(2)],
        "allOf": [drawn_schema(rng, depth - 1) for _ in range(2)],
        "anyOf": [drawn_schema(rng, depth - 1), {}],
        "$ref": "#/$defs/one",
    }
    return schema | {name: value for name, value in others.items() if rng.random() < 0.15}


def drawn_value(rng: random.Random, depth: int) -> Any:
    """A value with declared and undeclared names."""
    kind = rng.random() if depth else 1
    if kind < 0.6:
        return {name: drawn_value(rng, depth - 1) for name in rng.sample(NAMES, rng.randint(0, 3))}
    return [drawn_value(rng, depth - 1) for _ in range(3)] if kind < 0.85 else "text"


def declaring(schema: Any, root: Any) -> Iterator[dict[str, Any]]:
    """A schema and those that apply in place of it, one by one."""
    if isinstance(schema, dict):
        yield schema
        inner = [*schema.get("allOf", ()), *schema.get("anyOf", ())]
        for each in (*inner, *([root["$defs"]["one"]] if "$ref" in schema else ())):
            yield from declaring(each, root)


def undeclared(schemas: list[Any], value: Any, root: Any, path: tuple[Any, ...] = ()) -> Any:
    """The paths of undeclared members, each with its similar name, as a definition says it."""
    parts = [part for schema in schemas for part in declaring(schema, root)]
    inside: dict[Any, list[Any]] = {}
    if isinstance(value, dict):
        names = {name for part in parts for name in part.get("properties", ())}
        maps = any(isinstance(part.get("additionalProperties"), dict) for part in parts)
        patterns = any("patternProperties" in part for part in parts)
        for name in value:
            if names and not maps and name not in names and not (patterns and name[0] == "x"):
                alike = [each for each in names - value.keys() if name in ALIKE and each in ALIKE]
                yield (*path, name), alike[0] if len(alike) == 1 else None
        for name, part in itertools.product(value, parts):
            own = [part["properties"][name]] if name in part.get("properties", ()) else []
            own += [each for each in part.get("patternProperties", {}).values() if name[0] == "x"]
            inside.setdefault(name, []).extend(own or [part.get("additionalProperties", True)])
    elif isinstance(value, list):
        for index, part in itertools.product(range(len(value)), parts):
            prefix = part.get("prefixItems", [])
            item = prefix[index] if index < len(prefix) else part.get("items", True)
            inside.setdefault(index, []).append(item)
    for key, below in inside.items():
        yield from undeclared(below, value[key], root, (*path, key))


ALIKE = NAMES[1:4]


def test_undeclared_names_are_those_of_the_definition() -> None:
    """In random schemas and values; at a glance, at the first search and at a later one."""
    rng = random.Random(27)  # noqa: S311 - to draw schemas
    found = glances = 0
    for _ in range(150):
        root = {**drawn_schema(rng, 3), "$defs": {"one": {"properties": {"aB": {}}}}}
        names = DeclaredNames(compile_schema(root)._engine.root)
        for value in (drawn_value(rng, 3) for _ in range(8)):
            expected = dict(undeclared([root], value, root))
            for _ in range(2):
                assert not (names.declares_all(value) and expected), (root, value)
                glances += names.declares_all(value)
                assert {e.path: e.similar for e in names.undeclared(value)} == expected
            found += bool(expected)
    assert found > 250
    assert glances > 250
