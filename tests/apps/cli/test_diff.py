"""The promises of `schema2model diff`: kinds of changes, calls that show them, exit codes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result
from waiting import calls

from schema2model import SchemaError
from schema2model.apps.audit.diff import Comparison, compare_tools, judging
from schema2model.apps.cli.application import application
from schema2model.tools.providers.definitions import Definition, read_definition

PROPERTIES: dict[str, Any] = {
    "query": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    "mode": {"enum": ["fast", "exact"]},
    "tags": {"type": "array", "items": {"type": "string"}},
    "area": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "number"}},
        "required": ["name"],
    },
}
SCHEMA: dict[str, Any] = {"type": "object", "properties": PROPERTIES, "required": ["query"]}


def with_property(name: str, schema: Any, **others: Any) -> dict[str, Any]:
    """The schema with another property."""
    return {**SCHEMA, "properties": {**PROPERTIES, name: schema}, **others}


def without(name: str, **others: Any) -> dict[str, Any]:
    """The schema without a property, and with others."""
    kept = {key: value for key, value in PROPERTIES.items() if key != name}
    return {**SCHEMA, "properties": {**kept, **others}}


AREA = PROPERTIES["area"]
NEST = {
    "type": "object",
    "properties": {"a": {"type": "object", "properties": {"b": SCHEMA}, "required": ["b"]}},
    "required": ["a"],
}
MOVED = {**without("area", area={"$ref": "#/$defs/Area"}), "$defs": {"Area": AREA}}
ONE_EDIT: dict[str, tuple[Any, str | None, str]] = {
    "required": ({**SCHEMA, "required": ["query", "mode"]}, "breaking", "/mode"),
    "new-required": (
        with_property("x", {}, required=["query", "x"]),
        "breaking",
        "/x",
    ),
    "new-optional": (with_property("x", {"type": "string"}), "additive", "/x"),
    "optional": ({**SCHEMA, "required": []}, "additive", "/query"),
    "removed": (without("mode"), "risky", "/mode"),
    "renamed": (without("tags", labels=PROPERTIES["tags"]), "risky", "/tags"),
    "narrower-enum": (with_property("mode", {"enum": ["fast"]}), "breaking", "/mode"),
    "wider-enum": (with_property("mode", {"enum": ["fast", "exact", "x"]}), "additive", "/mode"),
    "other-enum": (with_property("mode", {"enum": ["fast", "x"]}), "breaking", "/mode"),
    "type": (with_property("query", {"type": "integer"}), "breaking", "/query"),
    "nullable": (with_property("query", {"type": ["string", "null"]}), "additive", "/query"),
    "default": (
        with_property("limit", {**PROPERTIES["limit"], "default": 20}),
        "risky",
        "/limit",
    ),
    "default-of-a-required-parameter": (
        with_property("query", {"type": "string", "default": "x"}),
        None,
        "",
    ),
    "maximum": (
        with_property("limit", {**PROPERTIES["limit"], "maximum": 20}),
        "breaking",
        "/limit",
    ),
    "wider-maximum": (
        with_property("limit", {**PROPERTIES["limit"], "maximum": 51}),
        "additive",
        "/limit",
    ),
    "length": (with_property("query", {"type": "string", "maxLength": 3}), "breaking", "/query"),
    "items": (
        with_property("tags", {"type": "array", "items": {"type": "integer"}}),
        "breaking",
        "/tags/*",
    ),
    "item-count": (
        with_property("tags", {**PROPERTIES["tags"], "maxItems": 1}),
        "breaking",
        "/tags",
    ),
    "format": (
        with_property("query", {"type": "string", "format": "date"}),
        "risky",
        "/query",
    ),
    "open": ({**SCHEMA, "additionalProperties": True}, None, ""),
    "nested": (
        with_property("area", {**AREA, "required": ["name", "size"]}),
        "breaking",
        "/area/size",
    ),
    "keyword-of-another-type": (
        with_property("mode", {**PROPERTIES["mode"], "maxProperties": 1}),
        None,
        "",
    ),
    "moved": (MOVED, None, ""),
    "described": (with_property("query", {"type": "string", "description": "x"}), None, ""),
    "ordered": ({**SCHEMA, "properties": dict(reversed(PROPERTIES.items()))}, None, ""),
}


def compare(old: Any, new: Any) -> Comparison:
    """The changes between two schemas of one tool."""
    return compare_tools([Definition("search", "", old)], [Definition("search", "", new)])


def is_valid(schema: Any, call: Any) -> bool:
    """Whether a call is valid, as another validator says."""
    return jsonschema_rs.is_valid(schema, call, validate_formats=False)


@pytest.mark.parametrize(("schema", "kind", "path"), ONE_EDIT.values(), ids=ONE_EDIT)
@pytest.mark.parametrize("is_deep", [False, True], ids=["flat", "deep"])
def test_one_edit_is_one_change_of_the_right_kind(
    *, schema: Any, kind: str | None, path: str, is_deep: bool
) -> None:
    """With a call that another validator judges as the change says."""
    old, new, prefix = SCHEMA, schema, ""
    if is_deep:
        if "$defs" in new or kind == "risky":
            new = {key: new[key] for key in new if key != "$defs"} if kind else SCHEMA
        old = {**NEST, "properties": {"a": {**NEST["properties"]["a"], "properties": {"b": old}}}}
        new = {**NEST, "properties": {"a": {**NEST["properties"]["a"], "properties": {"b": new}}}}
        prefix = "/a/b"
    changes = compare(old, new).changes
    assert [(each.kind, each.path) for each in changes] == ([(kind, prefix + path)] if kind else [])
    for each in changes:
        verdicts = is_valid(old, each.call), is_valid(new, each.call)
        assert (
            verdicts
            == {"old": (True, False), "new": (False, True), "both": (True, True)}[
                each.accepted_by or "both"
            ]
        )


STRING = {"type": "string"}
PASSWORD = {"type": "string", "pattern": "^(?=.*[0-9])(?=.*[a-z]).{8,}$"}
MAP = {"type": "object", "additionalProperties": STRING}


def an_object(*required: str, keywords: Any = None, **properties: Any) -> dict[str, Any]:
    """A schema of objects."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {**schema, **(keywords or {})}


def tagged(number: int, last: Any, **keywords: Any) -> dict[str, Any]:
    """A union of objects told apart by `kind`, the last of which has `b`, and keywords."""
    *others, end = [an_object("kind", kind={"const": each}) for each in range(number)]
    properties = {**end["properties"], "b": last}
    return {"oneOf": [*others, {**end, "properties": properties, **keywords}]}


def when(value: str, name: str) -> dict[str, Any]:
    """The keywords that require a name if `a` has a value."""
    test = {"properties": {"a": {"const": value}}, "required": ["a"]}
    return {"if": test, "then": {"required": [name]}}


def at_depth(leaf: Any, levels: int) -> Any:
    """A schema at some depth."""
    return an_object("a", a=at_depth(leaf, levels - 1)) if levels else leaf


DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
RARE_CONDITION = {
    "if": {"properties": {"a": {"pattern": "^q7.*z$"}, "b": {"minLength": 9}}, "required": ["a"]},
    "then": {"not": {"required": ["b"]}},
}
IMPOSSIBLE = {"type": "object", "anyOf": [{"type": "number"}]}
MANY = {f"p{number}": {"type": "string", "maxLength": 50} for number in range(150)}
CLOSED = {"additionalProperties": False}
NO_NUMBER = {"not": {"type": "number"}}
SIZES = (("string", "Length"), ("array", "Items"), ("object", "Properties"))
ALWAYS_COMPARED: dict[str, tuple[Any, Any, list[tuple[str, str]]]] = {
    "undeclared-required": (
        an_object("a", a=STRING),
        an_object("a", "z", a=STRING),
        [("breaking", "/z")],
    ),
    "beside-undeclared-required": (
        an_object("z", a=STRING),
        an_object("z", a={"type": "integer"}),
        [("breaking", "/a")],
    ),
    "if": (
        an_object(a=STRING, b=STRING),
        an_object(a=STRING, b=STRING, keywords=when("x", "b")),
        [("breaking", "/b")],
    ),
    "nested-if": (
        an_object("m", m=an_object(a=STRING, b=STRING)),
        an_object("m", m=an_object(a=STRING, b=STRING, keywords=when("x", "b"))),
        [("breaking", "/m/b")],
    ),
    "contains": (
        an_object("a", a={"type": "array", "contains": {"const": 5}}),
        an_object("a", a={"type": "array", "contains": {"const": 6}}),
        [("breaking", "/a")],
    ),
    **{
        f"not-{keyword}": (
            an_object(a={**STRING, "not": {keyword: old}}),
            an_object(a={**STRING, "not": {keyword: new}}),
            [(kind, "/a")],
        )
        for keyword, old, new, kind in (
            ("enum", ["x8"], ["x9"], "breaking"),
            ("const", "x8", "x9", "breaking"),
            ("pattern", "^x8$", "^x9$", "uncompared"),
        )
    },
    "beside-a-look-ahead": (
        an_object("word", "n", word=PASSWORD, n={"type": "integer"}),
        an_object("word", "n", word=PASSWORD, n=STRING),
        [("breaking", "/n")],
    ),
    "look-ahead": (
        an_object("word", word=PASSWORD),
        an_object("word", word={"type": "string", "pattern": "^(?=.*[A-Z]).{9,}$"}),
        [("breaking", "/word")],
    ),
    "closed-free-form": (
        an_object(m={"type": "object"}),
        an_object(m={"type": "object", "additionalProperties": False}),
        [("breaking", "/m")],
    ),
    "closed": (
        an_object(a=STRING, keywords={"additionalProperties": True}),
        an_object(a=STRING, keywords={"additionalProperties": False}),
        [("breaking", "")],
    ),
    "opened": (
        an_object(a=STRING, keywords={"additionalProperties": False}),
        an_object(a=STRING),
        [("additive", "")],
    ),
    "length": (
        an_object(a={"type": "string", "maxLength": 5_000}),
        an_object(a={"type": "string", "maxLength": 2_000}),
        [("breaking", "/a")],
    ),
    **{
        f"immense-max{size}": (
            an_object(a={"type": kind, f"max{size}": 5_000_000}),
            an_object(a={"type": kind, f"max{size}": 2_000_000}),
            [("breaking", "/a")],
        )
        for kind, size in SIZES
    },
    **{
        f"immense-min{size}": (
            an_object(a={"type": [kind, "null"], f"min{size}": 5_000_000}),
            an_object(a={"type": [kind, "null"], f"min{size}": 2_000_000}),
            [("additive", "/a")],
        )
        for kind, size in SIZES
    },
    "least-length": (
        an_object("a", a={"type": "string", "minLength": 2_000}),
        an_object("a", a={"type": "string", "minLength": 1_000}),
        [("additive", "/a")],
    ),
    "map-size": (
        an_object(m={**MAP, "maxProperties": 10}),
        an_object(m={**MAP, "maxProperties": 3}),
        [("breaking", "/m")],
    ),
    "nullable-date": (
        an_object(a={"type": "string", "format": "date"}),
        an_object(a={"type": ["string", "null"], "format": "date"}),
        [("additive", "/a")],
    ),
    "lacking-in-both": (
        an_object(a=an_object(b=STRING), keywords={"dependentRequired": {"a": ["e"]}}),
        an_object(a=an_object("b", b=STRING), keywords={"dependentRequired": {"a": ["e"]}}),
        [("breaking", "/a/b")],
    ),
    "size": (
        {"type": "object", "maxProperties": 3},
        {"type": "object", "maxProperties": 2},
        [("breaking", "")],
    ),
    "least-size": (
        {"type": "object", "minProperties": 3},
        {"type": "object", "minProperties": 2},
        [("additive", "")],
    ),
    "size-and-more": (
        {**an_object(a=STRING), "maxProperties": 3},
        {**an_object(a=STRING, b=STRING), "maxProperties": 2},
        [("breaking", ""), ("additive", "/b")],
    ),
    "nested-default": (
        an_object(m=an_object(n={"type": "integer", "default": 1})),
        an_object(m=an_object(n={"type": "integer", "default": 2})),
        [("risky", "/m/n")],
    ),
    "one-of-150": (
        an_object(**MANY),
        an_object(**{**MANY, "p149": {"type": "integer"}}),
        [("breaking", "/p149")],
    ),
    "one-of-150-required": (
        an_object(*MANY, **MANY),
        an_object(*MANY, **{**MANY, "p149": {"type": "integer"}}),
        [("breaking", "/p149")],
    ),
    "deep": (
        at_depth(STRING, 9),
        at_depth({"type": "integer"}, 9),
        [("breaking", "/a" * 9)],
    ),
    "later-items": (
        an_object(a={"type": "array", "prefixItems": [{}, {}], "items": STRING}),
        an_object(a={"type": "array", "prefixItems": [{}, {}], "items": {"const": "x"}}),
        [("uncompared", "/a")],
    ),
    "later-items-in-draft-7": (
        {**an_object(a={"items": [{}, {}], "additionalItems": STRING}), **DRAFT_7},
        {**an_object(a={"items": [{}, {}], "additionalItems": {"type": "null"}}), **DRAFT_7},
        [("uncompared", "/a")],
    ),
    "below-the-deepest": (
        at_depth(an_object(b=STRING), 9),
        at_depth(an_object(b=STRING, c={"type": "integer"}), 9),
        [("uncompared", "/a" * 8)],
    ),
    "length-beside-a-pattern": (
        an_object(a={"type": "string", "pattern": r"\d", "maxLength": 2}),
        an_object(a={"type": "string", "pattern": r"\d", "maxLength": 1}),
        [("breaking", "/a")],
    ),
    "bound-beside-a-factor": (
        an_object(a={"type": "integer", "multipleOf": 5, "maximum": 22}),
        an_object(a={"type": "integer", "multipleOf": 5, "maximum": 18}),
        [("breaking", "/a")],
    ),
    "new-where-something-is-needed": (
        an_object(m=an_object(a=STRING, keywords={"minProperties": 1})),
        an_object(m=an_object(a=STRING, b=STRING, keywords={"minProperties": 1})),
        [("additive", "/m/b")],
    ),
    "beside-undeclared-required-in-a-branch": (
        an_object(m={"anyOf": [{"type": "number"}, an_object("z", a={"const": 1})]}),
        an_object(m={"anyOf": [{"type": "number"}, an_object("z", a={"const": 2})]}),
        [("breaking", "/m")],
    ),
    "condition-next-to-a-new-parameter": (
        an_object(a=STRING, b=STRING),
        an_object(a=STRING, b=STRING, c=STRING, keywords=RARE_CONDITION),
        [("uncompared", ""), ("additive", "/c")],
    ),
    "names-of-a-pattern": (
        an_object(a=STRING, keywords={"patternProperties": {"^x": {"type": "array"}}}),
        an_object(a=STRING, keywords={"patternProperties": {"^x": {"type": "object"}}}),
        [("uncompared", "")],
    ),
    "all-replaced": (
        an_object("a", a=STRING),
        an_object(b={"type": "integer"}, c={"type": "boolean"}),
        [("risky", "/a"), ("additive", "/b"), ("additive", "/c")],
    ),
    "never-valid-any-more": (
        an_object(m=an_object(a={"type": "boolean"}, b=STRING, keywords={"maxProperties": 1})),
        an_object(m=an_object(a=IMPOSSIBLE, b=STRING, keywords={"maxProperties": 1})),
        [("breaking", "/m/a")],
    ),
    "respelt-pattern": (
        an_object(a={"type": "string", "pattern": "^[0-9]+$"}),
        an_object(a={"type": "string", "pattern": r"^\d+$"}),
        [("uncompared", "/a")],
    ),
    "respelt-pattern-and-another-default": (
        an_object(a={"pattern": "^[0-9]+$", "default": "1"}),
        an_object(a={"pattern": r"^\d+$", "default": "2"}),
        [("uncompared", "/a"), ("risky", "/a")],
    ),
    "another-default-next-to-what-is-gone": (
        an_object("b", a={"default": 1}, b=STRING),
        an_object(a={"default": 2}),
        [("risky", "/a"), ("risky", "/b")],
    ),
    "another-default-next-to-what-is-gone-and-new": (
        an_object("b", a={"default": 1}, b=STRING),
        an_object("c", a={"default": 2}, c={"type": "integer"}),
        [("breaking", "/c"), ("risky", "/a"), ("risky", "/b")],
    ),
    "type-next-to-many-values": (
        an_object(a={"anyOf": [{"enum": [*range(40)]}, {"type": "null"}]}),
        an_object(a={"enum": [*range(40)]}),
        [("breaking", "/a")],
    ),
    "type-next-to-many-new-values": (
        an_object(a={"anyOf": [{"enum": [0]}, {"type": "null"}]}),
        an_object(a={"enum": [*range(400)]}),
        [("breaking", "/a")],
    ),
    "last-of-many-constants": (
        an_object(a={"anyOf": [{"const": number} for number in range(80)]}),
        an_object(a={"anyOf": [{"const": number} for number in range(79)]}),
        [("breaking", "/a")],
    ),
    "closed-branch": (
        an_object(a={"type": "array", "items": tagged(3, {})}),
        an_object(a={"type": "array", "items": tagged(3, {}, **CLOSED)}),
        [("breaking", "/a/*")],
    ),
    "deep-in-the-last-branch": (
        an_object(a=tagged(30, an_object(c=an_object(d={"type": "integer"})))),
        an_object(a=tagged(30, an_object(c=an_object(d={"type": "integer", "minimum": 0})))),
        [("breaking", "/a/b/c/d")],
    ),
    "union-deep-in-a-branch": (
        an_object(a=tagged(3, an_object(c={"anyOf": [STRING, {"type": "null"}]}))),
        an_object(a=tagged(3, an_object(c=STRING))),
        [("breaking", "/a/b/c")],
    ),
    "branch-within-a-branch": (
        an_object(a=tagged(3, tagged(3, {"type": ["number", "null"]}))),
        an_object(a=tagged(3, tagged(3, {"type": "number"}))),
        [("breaking", "/a/b/b")],
    ),
    "more-branches-than-are-tried": (
        an_object(a=tagged(70, {"maximum": 10})),
        an_object(a=tagged(70, {"maximum": 9})),
        [("uncompared", "/a")],
    ),
    "never-valid": (
        an_object("a", a=False),
        an_object("a", a=False, b=STRING),
        [("uncompared", "/b")],
    ),
    "property-of-a-probing-name": (
        an_object(key1=STRING, keywords={"additionalProperties": STRING}),
        an_object(key1=STRING, keywords={"additionalProperties": {"type": "integer"}}),
        [("breaking", "/key2")],
    ),
    "closed-with-a-probing-name": (
        an_object(key1=STRING),
        an_object(key1=STRING, keywords=CLOSED),
        [("breaking", "")],
    ),
    "closed-with-a-pattern-for-a-probing-name": (
        an_object(keywords={"patternProperties": {"^k": True}}),
        an_object(keywords={"patternProperties": {"^k": True}, **CLOSED}),
        [("breaking", "")],
    ),
    "dependent-on-a-name-like-an-annotation": (
        an_object(title=STRING, b=STRING, keywords={"dependentRequired": {"title": ["b"]}}),
        an_object(title=STRING, b=STRING, keywords={"dependentRequired": {"title": ["c"]}}),
        [("breaking", "/c")],
    ),
    "dependent-on-an-undeclared-name": (
        an_object(a={}),
        an_object(a={"dependentRequired": {"q": ["r"]}}),
        [("uncompared", "/a")],
    ),
    "requires-a-name-like-a-reference": (
        an_object("$ref"),
        an_object("$ref", "q"),
        [("breaking", "/q")],
    ),
    "last-of-many-properties": (
        an_object(**{f"p{number}": STRING for number in range(2_100)}),
        an_object(**{f"p{number}": STRING for number in range(2_099)}, p2099={"type": "null"}),
        [("breaking", "/p2099")],
    ),
    "keyword-that-another-dialect-ignores": (
        {**an_object(a={"$ref": "#/$defs/S", "maxLength": 3}), "$defs": {"S": STRING}, **DRAFT_7},
        {**an_object(a={"$ref": "#/$defs/S", "maxLength": 3}), "$defs": {"S": STRING}},
        [("breaking", "/a")],
    ),
    "reference-to-an-unknown-keyword": (
        {**an_object(a={"not": {"$ref": "#/x-parts/S"}}), "x-parts": {"S": {"const": "q"}}},
        {**an_object(a={"not": {"$ref": "#/x-parts/S"}}), "x-parts": {"S": {"const": "r"}}},
        [("breaking", "/a")],
    ),
    "reference-to-an-anchor": (
        {**an_object(a={"not": {"$ref": "#s"}}), "$defs": {"S": {"$anchor": "s", "const": 7}}},
        {**an_object(a={"not": {"$ref": "#s"}}), "$defs": {"S": {"$anchor": "s", "const": 8}}},
        [("breaking", "/a")],
    ),
    "one-branch-of-a-condition": (
        an_object(a={"if": STRING, "else": an_object("b", b={"type": "integer"})}),
        an_object(a={"if": STRING, "else": {"type": "boolean"}}),
        [("breaking", "/a")],
    ),
    "no-duplicates-where-any-type-is": (
        an_object(a={"anyOf": [{"minimum": 2, "type": "integer"}, NO_NUMBER]}),
        an_object(a={"anyOf": [{"minimum": 2, "type": "integer"}, NO_NUMBER], "uniqueItems": True}),
        [("breaking", "/a")],
    ),
    "pattern-of-an-optional-parameter": (
        an_object(a={"anyOf": [{**STRING, "pattern": "^[a-z]{3,50}$"}, {"type": "null"}]}),
        an_object(a={"anyOf": [{**STRING, "pattern": "^[a-z]{3,49}$"}, {"type": "null"}]}),
        [("uncompared", "/a")],
    ),
    "large-size-in-a-branch-that-is-a-reference": (
        {**an_object(a={"anyOf": [{"$ref": "#/$defs/S"}]}), "$defs": {"S": {"minLength": 77_777}}},
        {**an_object(a={"anyOf": [{"$ref": "#/$defs/S"}]}), "$defs": {"S": {"minLength": 77_778}}},
        [("uncompared", "/a")],
    ),
    "number-of-arguments-of-a-branch": (
        an_object(a=STRING, keywords={"anyOf": [{"maxProperties": 5}, {"required": ["q"]}]}),
        an_object(a=STRING, keywords={"anyOf": [{"maxProperties": 4}, {"required": ["q"]}]}),
        [("uncompared", "")],
    ),
    "condition-of-the-whole-next-to-a-wider-property": (
        an_object(a=STRING, keywords={"dependentSchemas": {"b": {"properties": {"c": STRING}}}}),
        an_object(a={}, keywords={"dependentSchemas": {"b": {"properties": {"c": False}}}}),
        [("uncompared", ""), ("additive", "/a")],
    ),
}


@pytest.mark.parametrize("edit", ALWAYS_COMPARED)
def test_a_difference_is_never_passed_over(edit: str) -> None:
    """It is a change, with a call if one can be made; or it is uncompared, which fails, too."""
    old, new, expected = ALWAYS_COMPARED[edit]
    comparison = compare(old, new)
    assert [(each.kind, each.path) for each in comparison.changes] == expected
    for each in comparison.changes:
        assert each.call is None or is_valid(old, each.call) or is_valid(new, each.call)
    assert comparison.fails("error") == (expected[0][0] in {"breaking", "uncompared"})


NEVER = an_object("a", a=False)
WORDS: dict[str, tuple[Any, Any, tuple[str, str, str]]] = {
    "gone-from-closed": (
        an_object(a=STRING, b=STRING, keywords=CLOSED),
        an_object(a=STRING, keywords=CLOSED),
        ("breaking", "/b", "is not accepted any more"),
    ),
    "new-in-closed": (
        an_object(a=STRING, keywords=CLOSED),
        an_object(a=STRING, b=STRING, keywords=CLOSED),
        ("additive", "/b", "is a new parameter"),
    ),
    "new-in-open": (
        an_object(a=STRING),
        an_object(a=STRING, b=STRING),
        ("additive", "/b", "is a new parameter"),
    ),
    "required-without-a-call": (
        NEVER,
        {**NEVER, "required": ["a", "b"]},
        ("breaking", "/b", "is required now"),
    ),
    "optional": (
        an_object("a", a=STRING),
        an_object(a=STRING),
        ("additive", "/a", "is optional now"),
    ),
    "optional-without-a-call": (
        {**NEVER, "required": ["a", "b"]},
        NEVER,
        ("additive", "/b", "is optional now"),
    ),
    "gone-from-open": (
        an_object(a=STRING, b=STRING),
        an_object(a=STRING),
        ("risky", "/b", "is not declared any more, and may be ignored"),
    ),
    "choice-without-a-call": (
        an_object("a", a=False, b={"enum": ["x"]}),
        an_object("a", a=False, b={"enum": ["x", "y"]}),
        ("additive", "/b", '"y" is accepted now'),
    ),
    "closed": (
        an_object(a=STRING),
        an_object(a=STRING, keywords=CLOSED),
        ("breaking", "", "does not accept undeclared members any more"),
    ),
    "opened": (
        an_object(a=STRING, keywords=CLOSED),
        an_object(a=STRING),
        ("additive", "", "accepts undeclared members now"),
    ),
    "default-beside-a-name-that-was-refused": (
        an_object(a={"default": 1}, keywords=CLOSED),
        an_object("b", a={"default": 2}, b=STRING, keywords=CLOSED),
        ("breaking", "/b", "is required now"),
    ),
    "gone-with-its-default": (
        an_object(a={"default": 1}, b=STRING),
        an_object(b=STRING),
        ("risky", "/a", "is not declared any more, and may be ignored"),
    ),
    "gone-from-closed-with-its-default": (
        an_object(a={"default": 1}, b=STRING, keywords=CLOSED),
        an_object(b=STRING, keywords=CLOSED),
        ("breaking", "/a", "is not accepted any more"),
    ),
    "default-that-is-gone": (
        an_object(a={"default": 1}),
        an_object(a={}),
        ("risky", "/a", "had the default 1, now none"),
    ),
    "needed-beside-others": (
        an_object(**dict.fromkeys("abcde", STRING)),
        an_object(
            **dict.fromkeys("abcde", STRING),
            keywords={"if": {"required": ["a", "c", "d", "e"]}, "then": {"required": ["b"]}},
        ),
        ("breaking", "/b", "is required now"),
    ),
    "closed-without-a-call": (
        NEVER,
        {**NEVER, **CLOSED},
        ("breaking", "", "does not accept undeclared members any more"),
    ),
    "opened-without-a-call": (
        {**NEVER, **CLOSED},
        NEVER,
        ("additive", "", "accepts undeclared members now"),
    ),
    "names": (
        an_object(a=STRING),
        an_object(a=STRING, keywords={"propertyNames": {"maxLength": 2}}),
        (
            "breaking",
            "/key1",
            "has to be a property whose name is a string of at most 2 characters now",
        ),
    ),
    "only-item": (
        an_object(a={"type": "array", "items": {"enum": ["x", "y"]}, "maxItems": 1}),
        an_object(a={"type": "array", "items": {"enum": ["x"]}, "maxItems": 1}),
        ("breaking", "/a/*", 'has to be "x" now'),
    ),
    "member-of-an-item": (
        an_object(a={"type": "array", "items": an_object(b=STRING)}),
        an_object(a={"type": "array", "items": an_object(b={"type": "integer"})}),
        ("breaking", "/a/*/b", "has to be integer now"),
    ),
    "more-members-than-are-declared": (
        an_object("a", a=STRING, keywords={"maxProperties": 1}),
        an_object("a", a=STRING),
        ("additive", "", 'need not be object with "a": string and at most 1 property any more'),
    ),
    "format": (
        an_object(a=STRING),
        an_object(a={"type": "string", "format": "email"}),
        (
            "risky",
            "/a",
            'has to be string in the format "email" now, as far as formats are checked',
        ),
    ),
    **{
        f"{key}-without-a-call": (
            an_object("a", a=False, b={key: 5}),
            an_object("a", a=False, b={key: 6}),
            ("breaking" if "min" in key.lower() else "additive", "/b", f"{key} is 6 now"),
        )
        for key in (
            *(f"{bound}{size}" for _, size in SIZES for bound in ("min", "max")),
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        )
    },
    "bound-gone-without-a-call": (
        an_object("a", a=False, b={"type": "string", "maxLength": 5}),
        an_object("a", a=False, b=STRING),
        ("additive", "/b", "maxLength is gone now"),
    ),
}


@pytest.mark.parametrize("edit", WORDS)
def test_a_change_has_words(edit: str) -> None:
    """Each kind has its own; for schemas that accept no call, they come from the schemas."""
    old, new, expected = WORDS[edit]
    found = [(each.kind, each.path, each.message) for each in compare(old, new).changes]
    assert found == [expected]


def in_another_order(value: Any) -> Any:
    """A schema with all its keywords, properties and alternatives the other way round."""
    if isinstance(value, dict):
        return {key: in_another_order(value[key]) for key in reversed(value)}
    return [in_another_order(each) for each in reversed(value)] if type(value) is list else value


@pytest.mark.parametrize(
    "schema",
    [
        *(old for old, _, _ in ALWAYS_COMPARED.values()),
        an_object("b", "a", a={"enum": [1, 2, 3]}, b={"type": ["string", "null"]}),
        an_object(a={"anyOf": [STRING, {"type": "integer"}, an_object("x", x=STRING)]}),
    ],
)
def test_another_order_is_no_change(schema: Any) -> None:
    """Of keywords, properties, required names, values and alternatives."""
    assert compare(schema, in_another_order(schema)).changes == ()


NO_ARRAY = {"type": "array", "anyOf": [STRING]}
REQUIRED = an_object("a", a=STRING)
NO_CHANGE: dict[str, tuple[Any, Any]] = {
    "bounds-that-allow-everything": (
        an_object(a=NO_ARRAY, b=STRING),
        an_object(a={**NO_ARRAY, "minItems": 0, "items": True}, b={**STRING, "minLength": 0}),
    ),
    "size-that-required-names-imply": (REQUIRED, {**REQUIRED, "minProperties": 1}),
    "members-of-what-is-no-object": (
        an_object(a={"type": "number"}),
        an_object(a={"type": "number", "properties": {"b": {"default": 1}}}),
    ),
    "respelt-beside-a-pattern": (
        an_object(a={**STRING, "pattern": "^a", "enum": ["ab"]}),
        an_object(a={**STRING, "pattern": "^a", "const": "ab"}),
    ),
    "respelt-beside-a-factor": (
        an_object(a={"multipleOf": 5, "enum": [10]}),
        an_object(a={"multipleOf": 5, "const": 10}),
    ),
    "respelt-items": (
        an_object(a={"prefixItems": [{"enum": ["x"]}, {"type": ["string", "null"]}]}),
        an_object(a={"prefixItems": [{"const": "x"}, {"anyOf": [STRING, {"type": "null"}]}]}),
    ),
}


def linked(*names: str) -> dict[str, Any]:
    """A list whose nodes are of some definitions in turn."""
    definitions = {
        name: an_object(value=STRING, rest={"anyOf": [{"type": "null"}, {"$ref": target}]})
        for name, target in zip(
            names, [f"#/$defs/{name}" for name in (*names[1:], names[0])], strict=True
        )
    }
    start = {"anyOf": [{"$ref": f"#/$defs/{names[0]}"}, {"type": "integer"}]}
    return {**an_object(a={"not": start}, b=start), "$defs": definitions}


SAME_REFERENCES: dict[str, tuple[Any, Any]] = {
    "another-name": (linked("A", "B"), linked("C", "D")),
    "another-order-of-names": (linked("A", "B"), linked("B", "A")),
    "unrolled": (linked("A"), linked("A", "B", "C")),
    "written-out": (
        {**an_object(a={"not": {"$ref": "#/$defs/A"}}), "$defs": {"A": {"enum": [1, 2]}}},
        an_object(a={"not": {"enum": [2, 1]}}),
    ),
    "an-unused-definition": (
        linked("A"),
        {**linked("A"), "$defs": {**linked("A")["$defs"], "B": {}}},
    ),
    "an-anchor": (
        {**an_object(a={"not": {"$ref": "#/$defs/A"}}), "$defs": {"A": STRING}},
        {**an_object(a={"not": {"$ref": "#b"}}), "$defs": {"A": {**STRING, "$anchor": "b"}}},
    ),
}


@pytest.mark.parametrize("way", SAME_REFERENCES)
def test_another_way_of_referring_is_no_change(way: str) -> None:
    """Neither are names of definitions, or how far a recursion is written out."""
    old, new = SAME_REFERENCES[way]
    assert compare(old, new).changes == compare(new, old).changes == ()


def test_what_a_reference_leads_to_is_compared_at_any_depth() -> None:
    """Here in the last of three definitions that refer to one another."""
    old, new = linked("A", "B", "C"), linked("A", "B", "C")
    new["$defs"]["C"]["properties"]["value"] = {"type": "integer"}
    assert {each.path for each in compare(old, new).changes} >= {"/a"}


@pytest.mark.parametrize("edit", NO_CHANGE)
def test_a_difference_that_no_call_can_meet_is_no_change(edit: str) -> None:
    """Bounds that exclude nothing, another spelling, or members of a number."""
    old, new = NO_CHANGE[edit]
    assert compare(old, new).changes == ()


LONG, LONGER = {"minLength": 77_777}, {"minLength": 77_778}
MANY_MEMBERS, MORE_MEMBERS = {"minProperties": 77_777}, {"minProperties": 77_778}
BEYOND_PROBING: dict[str, tuple[Any, Any, Any]] = {
    "pattern": (STRING, "^a{777}$", "^a{778}$"),
    "not": (STRING, {**LONG, "maxLength": 77_779}, {**LONGER, "maxLength": 77_779}),
    "if": ({"then": {"required": ["q"]}}, MANY_MEMBERS, MORE_MEMBERS),
    "then": ({"if": {"required": ["q7", "q8"]}}, MANY_MEMBERS, MORE_MEMBERS),
    "else": ({"if": {"maxProperties": 777}}, MANY_MEMBERS, MORE_MEMBERS),
    "contains": ({"minContains": 0, "maxContains": 0}, LONG, LONGER),
    "minContains": ({"contains": {"const": "q"}}, 777, 778),
    "maxContains": ({"contains": {"const": "q"}, "minContains": 0}, 777, 778),
    "dependentSchemas": ({}, {"q7": MANY_MEMBERS}, {"q7": MORE_MEMBERS}),
    "dependencies": ({}, {"q7": MANY_MEMBERS}, {"q7": MORE_MEMBERS}),
    "patternProperties": ({}, {"^q{777}$": LONG}, {"^q{777}$": LONGER}),
    "propertyNames": ({}, {"maxLength": 77_777}, {"maxLength": 77_778}),
    "prefixItems": ({}, [{}, {}, LONG], [{}, {}, LONGER]),
    "unevaluatedItems": ({"prefixItems": [{}] * 4}, LONG, LONGER),
    "unevaluatedProperties": ({}, {"not": LONG}, {"not": LONGER}),
}


@pytest.mark.parametrize("keyword", BEYOND_PROBING)
def test_a_difference_that_no_call_shows_is_uncompared(keyword: str) -> None:
    """Even though the calls that are tried have a value at its place."""
    others, *values = BEYOND_PROBING[keyword]
    old, new = (an_object(a={**others, keyword: value}) for value in values)
    (change,) = compare(old, new).changes
    assert (change.kind, change.path) == ("uncompared", "/a")
    assert change.message == f'differs in "{keyword}", and no call shows how'


ANNOTATIONS: dict[str, Any] = {
    **dict.fromkeys(("title", "description", "$comment", "$anchor", "$id", "id"), "t"),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), True),
    **{key: {"q": {}} for key in ("$defs", "definitions")},
    "default": 1,
    "example": 1,
    "examples": [1],
    "x-order": 1,
    "$schema": "https://json-schema.org/draft/2020-12/schema",
}
NEUTRAL: dict[str, Any] = {
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    "required": [],
    "uniqueItems": False,
    "additionalProperties": True,
    "items": True,
}
ORDERED: dict[str, Any] = {
    **{key: ["string", "null"] for key in ("required", "enum", "type")},
    **{key: [STRING, {"const": 1}] for key in ("anyOf", "oneOf", "allOf")},
}


@pytest.mark.parametrize("wrap", [lambda schema: schema, lambda schema: {"not": schema}])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(({}, {keyword: value}) for keyword, value in ANNOTATIONS.items()),
        *(({key: value}, {key: value[::-1]}) for key, value in ORDERED.items()),
    ],
)
def test_annotations_and_orders_are_no_change_where_no_call_is_valid(
    old: Any, new: Any, wrap: Callable[[Any], Any]
) -> None:
    """There the schemas alone are compared."""
    before, after = (an_object("a", a=False, b=wrap({"minimum": 1, **e})) for e in (old, new))
    assert compare(before, after).changes == ()


def test_a_schema_that_is_not_json_costs_no_other_tool() -> None:
    """Its tool is gone, or new, as any other."""
    old, new = ({"name": name, "parameters": {"default": "\ud800"}} for name in ("a", "b"))
    other = {"name": "c", "parameters": {"maximum": float("inf")}}
    changes = compare_tools([old], [new, other]).changes
    assert [(each.kind, each.tool) for each in changes] == [
        ("breaking", "a"),
        ("additive", "b"),
        ("additive", "c"),
    ]


@pytest.mark.parametrize("keyword", NEUTRAL)
def test_a_keyword_that_allows_everything_is_no_change(keyword: str) -> None:
    """Where no call is valid, either."""
    old, new = (an_object("a", a=False, b=each) for each in ({}, {keyword: NEUTRAL[keyword]}))
    assert compare(old, new).changes == ()


def test_many_properties_are_compared_soon() -> None:
    """Only locations that differ need calls."""
    new = {**MANY, "p149": {"type": "integer"}, "p0": {"type": "boolean"}}
    compare(an_object(a=STRING), an_object())  # imports
    with calls(280_000):
        assert len(compare(an_object(**MANY), an_object(**new)).changes) == 2


def test_few_of_the_calls_at_a_location_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal by many nested branches takes a hundred times as long to explain as to see."""
    judged: Counter[str] = Counter()

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def count(*given: Any) -> Any:
            judged[function.__name__] += 1
            return function(*given)

        return count

    monkeypatch.setattr(judging, "issues_of", counted(judging.issues_of))
    monkeypatch.setattr(judging.Version, "accepts", counted(judging.Version.accepts))

    def fan(leaf: Any) -> Any:
        parts = {
            f"d{level}": {
                "type": "array",
                "items": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2},
            }
            for level in range(4)
        }
        return {**an_object("a", a={"$ref": "#/$defs/d0"}), "$defs": {**parts, "d4": leaf}}

    found = compare(fan({**STRING, "maxLength": 5}), fan({**STRING, "maxLength": 3}))
    assert found.changes[0].kind == "breaking"
    assert judged["issues_of"] < judged["accepts"] / 30


def test_a_recursive_schema_shows_a_change_once() -> None:
    """Not again at each level; and what is at a deeper level elsewhere."""

    def tree(value: Any) -> Any:
        node = an_object(value=value, children={"type": "array", "items": {"$ref": "#/$defs/T"}})
        parts = {"tree": {"$ref": "#/$defs/T"}, "other": at_depth(value, 4)}
        return {**an_object(**parts), "$defs": {"T": node}}

    changes = compare(tree(STRING), tree({"type": "integer"})).changes
    assert [(each.kind, each.path) for each in changes] == [
        ("breaking", "/other/a/a/a/a"),
        ("breaking", "/tree/value"),
    ]


def test_changes_do_not_hide_one_another() -> None:
    """A new required property does not hide that another one is gone."""
    new = {**without("mode"), "required": ["query", "x"]}
    new["properties"]["x"] = {"type": "string"}
    kinds = {each.path: each.kind for each in compare(SCHEMA, new).changes}
    assert kinds == {"/x": "breaking", "/mode": "risky"}


REQUIRED_MODE = {"mode": {"enum": ["a", "b"]}}


@pytest.mark.parametrize(
    "wrap",
    [
        lambda schema: schema,
        lambda schema: an_object(m=schema),
        lambda schema: an_object("m", m={"type": "array", "items": schema, "minItems": 3}),
    ],
    ids=["root", "member", "items"],
)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "integer", "default": 10}, {"type": "integer", "default": 20}),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}),
    ],
)
def test_a_new_required_parameter_does_not_hide_other_meanings(
    old: Any, new: Any, wrap: Callable[[Any], Any]
) -> None:
    """Other defaults and formats are shown by a call that has the parameter."""
    mode = {"type": "string", "minLength": 2_000}  # the new version has no example of its own
    before, after = wrap(an_object(x=old)), wrap(an_object("mode", x=new, mode=mode))
    required, other = compare(before, after).changes
    assert (required.kind, required.path.rpartition("/")[2]) == ("breaking", "mode")
    assert (other.kind, other.path.rpartition("/")[2]) == ("risky", "x")
    assert is_valid(before, other.call)
    assert is_valid(after, other.call)


def test_a_narrower_parameter_does_not_hide_its_other_default() -> None:
    """The two changes have the same path; a call without the parameter shows the second."""
    limit = {"type": "integer", "maximum": 100, "default": 10}
    changes = compare(an_object(x=limit), an_object(x={**limit, "maximum": 50, "default": 20}))
    assert [(each.kind, each.path) for each in changes.changes] == [
        ("breaking", "/x"),
        ("risky", "/x"),
    ]
    assert changes.changes[1].message == "had the default 10, now 20"
    assert changes.changes[1].call == {}


def test_the_call_of_a_change_shows_no_other_change_if_it_can() -> None:
    """The text of a call that lacks a parameter is long enough for the new version."""
    new = an_object("query", "mode", query={"type": "string", "minLength": 2}, **REQUIRED_MODE)
    calls = {
        each.path: each.call for each in compare(an_object("query", query=STRING), new).changes
    }
    assert is_valid(new, {**calls["/mode"], "mode": "a"})
    assert not is_valid(new, {**calls["/query"], "mode": "a"})


def test_the_call_of_a_change_is_the_shortest_that_is_tried() -> None:
    """It lacks the other parameters, which calls that are tried before it have."""
    integer = {"type": "integer"}
    changes = compare(an_object(a=STRING, b=STRING), an_object(a=integer, b=integer)).changes
    assert [each.call for each in changes] == [{"a": ""}, {"b": ""}]


def test_beyond_the_limit_of_calls_a_change_comes_from_the_schemas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not passed over, whether the calls before have reached its place or not."""
    for limit, edit, path, call in (
        (0, "narrower-enum", "/mode", None),
        (1, "narrower-enum", "/mode", {"query": "text", "mode": "exact"}),
        (1, "maximum", "/limit", None),
    ):
        monkeypatch.setattr("schema2model.apps.audit.diff.tool_lists.MAX_CALLS", limit)
        (change,) = compare(SCHEMA, ONE_EDIT[edit][0]).changes
        assert (change.kind, change.path, change.call) == ("breaking", path, call)


def test_closed_objects_refuse_what_is_gone() -> None:
    """So that removing and renaming break calls."""
    old = {**SCHEMA, "additionalProperties": False}
    gone = {**without("mode"), "additionalProperties": False}
    renamed = {**without("tags", labels=PROPERTIES["tags"]), "additionalProperties": False}
    (change,) = compare(old, gone).changes
    assert (change.kind, change.path) == ("breaking", "/mode")
    (change,) = compare(old, renamed).changes
    assert (change.kind, change.message) == ("breaking", 'is called "labels" now')


@pytest.mark.parametrize("version", ["old", "new"])
def test_two_tools_of_one_name_are_refused(version: str, tmp_path: Path) -> None:
    """Which of them is compared, nobody could tell."""
    one = {"name": "search", "inputSchema": SCHEMA}
    other = {"name": "search", "inputSchema": {"type": "object"}}
    lists = {"old": [one], "new": [one], version: [one, other]}
    with pytest.raises(SchemaError, match=f'two tools of the {version} version have .* "search"'):
        compare_tools(lists["old"], lists["new"])
    files = [tmp_path / f"{each}.json" for each in ("old", "new")]
    for file in files:
        file.write_text(json.dumps({"tools": lists[file.stem]}))
    result = CliRunner().invoke(application, ["diff", *map(str, files)])
    assert result.exit_code == 2
    assert f'two tools of the {version} version have the name "search"' in result.output


def test_tools_come_and_go() -> None:
    """A tool that is gone breaks its callers; a new name is found by its schema."""
    tools = [read_definition({"name": each, "inputSchema": SCHEMA}) for each in ("a", "b")]
    other = read_definition({"name": "c", "inputSchema": {"type": "object"}})
    comparison = compare_tools(tools[:1], [other, *tools[1:]])
    messages = [(each.kind, each.tool, each.message) for each in comparison.changes]
    assert messages == [
        ("breaking", "a", 'the tool is called "b" now'),
        ("additive", "c", "the tool is new"),
        ("additive", "b", "the tool is new"),
    ]
    (change,) = compare_tools([], [other]).changes
    assert (change.kind, change.call, change.accepted_by) == ("additive", {}, "new")


PAIR = {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(SCHEMA, SCHEMA, [], id="same"),
        pytest.param(SCHEMA, MOVED, [], id="moved"),
        pytest.param(SCHEMA, {**SCHEMA, "additionalProperties": True}, [], id="open"),
        pytest.param({"enum": [PAIR]}, {"enum": [dict(reversed(PAIR.items()))]}, [], id="order"),
        pytest.param(None, SCHEMA, [("additive", "have a schema now")], id="new"),
        pytest.param(SCHEMA, None, [("risky", "no schema any more")], id="gone"),
        pytest.param(SCHEMA, {"type": "x"}, [("risky", "schema changed")], id="broken"),
        pytest.param(SCHEMA, {"const": float("nan")}, [("risky", "schema changed")], id="no JSON"),
        pytest.param(SCHEMA, with_property("new", {}), [("risky", "changed at /new")], id="any"),
        pytest.param(SCHEMA, with_property("new", NEST), [("risky", "at /new, in")], id="nested"),
        pytest.param(
            SCHEMA,
            with_property("tags", {"type": "array", "items": {"type": "integer"}}, required=[]),
            [("risky", 'changed, in "required"'), ("risky", 'changed at /tags/*, in "type"')],
            id="changed",
        ),
    ],
)
def test_another_schema_of_the_results_is_listed(
    old: Any, new: Any, found: list[tuple[str, str]]
) -> None:
    """With the place: calls are the same, but who reads the results may be affected."""
    tools = [
        {
            "name": "search",
            "inputSchema": SCHEMA,
            **({} if each is None else {"outputSchema": each}),
        }
        for each in (old, new)
    ]
    changes = compare_tools(tools[:1], tools[1:]).changes
    assert [(each.kind, each.path) for each in changes] == [(kind, "") for kind, _ in found]
    for change, (_, words) in zip(changes, found, strict=True):
        assert words in change.message


@pytest.mark.parametrize(
    "keyword", ["properties", "patternProperties", "dependentSchemas", "dependencies"]
)
def test_names_like_those_of_annotations_are_compared(keyword: str) -> None:
    """In an object of subschemas, `title` is the name of a member."""
    old, new = ({"not": {keyword: {"title": {"const": value}}}} for value in (1, 2))
    assert compare(an_object(a=old), an_object(a=new)).fails("error")


def test_a_schema_that_cannot_be_compiled_breaks() -> None:
    """The reason is given."""
    (change,) = compare(SCHEMA, {"type": "none"}).changes
    assert change.kind == "breaking"
    assert change.message.startswith("the schema cannot be compiled: ")
    (change,) = compare({"type": "none"}, SCHEMA).changes
    assert change.kind == "additive"
    with pytest.raises(SchemaError):
        compare({"type": "none"}, {"type": "none"})


# ------------------------------------------------------------------------------------ the command
@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    """Write files of one tool each, and return their names."""

    def write(*schemas: Any) -> list[str]:
        names = []
        for number, schema in enumerate(schemas):
            path = tmp_path / f"{number}.json"
            path.write_text(json.dumps({"name": "search", "inputSchema": schema}))
            names.append(str(path))
        return names

    return write


def run(*arguments: str) -> Result:
    """`schema2model diff` with these arguments, in this process."""
    return CliRunner().invoke(application, ["diff", *arguments])


@pytest.mark.parametrize(
    ("edit", "failing"),
    [("type", "error"), ("removed", "warning"), ("new-optional", "note"), ("moved", "")],
)
def test_the_exit_code_is_1_for_the_severity_that_is_asked_for(
    files: Callable[..., list[str]], edit: str, failing: str
) -> None:
    """Or for a worse one; errors are what is asked for by default."""
    names = files(SCHEMA, ONE_EDIT[edit][0])
    levels = ["never", "error", "warning", "note"]
    codes = [run(*names, "--fail-on", level).exit_code for level in levels]
    first = levels.index(failing) if failing else len(levels)
    assert codes == [int(index >= first) for index in range(len(levels))]
    assert run(*names).exit_code == codes[1]


@pytest.mark.parametrize(
    ("edit", "call"),
    [
        ("narrower-enum", 'accepted before, not now: {"query":"text","mode":"exact"}'),
        ("wider-enum", 'accepted now, not before: {"query":"text","mode":"x"}'),
        ("default", 'accepted by both: {"query":"text"}'),
    ],
)
def test_a_call_is_shown_with_what_accepts_it(
    files: Callable[..., list[str]], edit: str, call: str
) -> None:
    """The version before, the version now, or both."""
    lines = run(*files(SCHEMA, ONE_EDIT[edit][0])).stdout.splitlines()
    assert lines[2] == f"            {call}"


def test_the_table_shows_each_change_with_a_call(files: Callable[..., list[str]]) -> None:
    """And counts."""
    result = run(*files(SCHEMA, ONE_EDIT["narrower-enum"][0]))
    assert result.stdout == (
        "search\n"
        '  breaking  /mode has to be "fast" now\n'
        '            accepted before, not now: {"query":"text","mode":"exact"}\n'
        "\n1 tool: 1 breaking\n"
    )


def test_json_and_sarif_have_the_same_changes(files: Callable[..., list[str]]) -> None:
    """They are not printed together."""
    names = files(SCHEMA, ONE_EDIT["removed"][0])
    document = json.loads(run(*names, "--json").stdout)
    assert document["summary"] == {"breaking": 0, "uncompared": 0, "risky": 1, "additive": 0}
    (change,) = document["changes"]
    assert (change["path"], change["severity"]) == ("/mode", "warning")
    (result,) = json.loads(run(*names, "--sarif").stdout)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("risky", "warning")
    logical = result["locations"][0]["logicalLocations"][0]
    assert logical["fullyQualifiedName"] == "search/mode"
    both = run(*names, "--sarif", "--json")
    assert (both.exit_code, both.stdout) == (2, "")


def test_sarif_explains_the_kinds_in_the_words_of_the_help(
    files: Callable[..., list[str]],
) -> None:
    """With their severities."""
    log = json.loads(run(*files(SCHEMA, SCHEMA), "--sarif").stdout)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    told = [
        f"{each['id']} ({each['defaultConfiguration']['level']}) {each['fullDescription']['text']}"
        for each in rules
    ]
    words = " ".join(run("--help").stdout.lower().split())
    assert [each for each in told if each.lower().removesuffix(".") not in words] == []
    assert [each["shortDescription"]["text"] for each in rules] == [
        f"{kind} change of a tool" for kind in ("breaking", "uncompared", "risky", "additive")
    ]


def test_sarif_has_the_line_of_each_change_in_the_new_file(tmp_path: Path) -> None:
    """That of the parameter, below items, too; and the first tool for one that is gone."""
    old, new = (tmp_path / f"{each}.json" for each in ("old", "new"))

    def tool(name: str, item: Any) -> dict[str, Any]:
        schema = an_object(x=STRING, y={"type": "array", "items": an_object(z=item)})
        return {"name": name, "inputSchema": schema}

    old.write_text(json.dumps([tool("a", STRING), tool("b", STRING), tool("gone", {})]))
    new.write_text(
        json.dumps([tool("a", STRING), tool("b", {"type": "null", "title": "HERE"})], indent=1)
    )
    found = json.loads(run(str(old), str(new), "--sarif").stdout)["runs"][0]["results"]
    places = [each["locations"][0]["physicalLocation"] for each in found]
    lines = new.read_text().splitlines()
    assert [each["artifactLocation"]["uri"] for each in places] == [new.as_uri()] * 2
    below, gone = (each["region"]["startLine"] for each in places)
    assert 0 <= next(number for number, line in enumerate(lines, 1) if "HERE" in line) - below <= 2
    assert '"name": "a"' in "".join(lines[gone - 2 : gone + 1])


def test_sarif_has_no_place_in_standard_input(files: Callable[..., list[str]]) -> None:
    """It is read once, and has no name."""
    old, new = files(SCHEMA, ONE_EDIT["removed"][0])
    content = Path(new).read_text("utf-8")
    found = CliRunner().invoke(application, ["diff", old, "-", "--sarif"], input=content)
    (result,) = json.loads(found.stdout)["runs"][0]["results"]
    (location,) = result["locations"]
    assert [*location] == ["logicalLocations"]


def test_recorded_calls_are_replayed(files: Callable[..., list[str]], tmp_path: Path) -> None:
    """With the outcome before and after; calls that stay as they are count, and are not shown."""
    calls = tmp_path / "calls.jsonl"
    arguments = [{"query": "a"}, {"query": "a", "mode": "exact"}, {"query": "a", "limit": "3"}]
    calls.write_text(
        "".join(json.dumps({"name": "search", "arguments": each}) + "\n" for each in arguments)
    )
    names = files(SCHEMA, ONE_EDIT["narrower-enum"][0])
    result = run(*names, "--calls", str(calls))
    assert result.stdout.endswith(
        "3 calls: 1 changes its outcome\n  line 2: search: accepted -> refused\n"
    )
    replayed = json.loads(run(*names, "--calls", str(calls), "--json").stdout)["calls"]
    assert (replayed["calls"], len(replayed["changed"])) == (3, 1)
    assert replayed["changed"][0]["error"].startswith("Error parsing arguments for `search`")
    names = files(SCHEMA, with_property("limit", {"type": ["integer", "string"]}))
    assert "line 3: search: corrected -> accepted" in run(*names, "--calls", str(calls)).stdout
    calls.write_text((json.dumps({"name": "search", "arguments": {"limit": "3"}}) + "\n") * 23)
    names = files(an_object(), SCHEMA)
    lines = run(*names, "--calls", str(calls)).stdout.splitlines()[-22:]
    assert lines[:2] == [
        "23 calls: 23 change their outcome",
        "  line 1: search: accepted -> refused",
    ]
    assert lines[-2:] == ["  line 20: search: accepted -> refused", "  and 3 more"]


def test_one_version_is_compared_with_one_other(files: Callable[..., list[str]]) -> None:
    """Of a file or of servers."""
    (name,) = files(SCHEMA)
    assert "Give one of NEW, --server, --url and --servers." in run(name).stderr
    assert run(name, name, "--server", "x").exit_code == 2


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_alternatives_that_refer_to_the_schema_are_compared_soon(keyword: str) -> None:
    """Their number does not multiply with itself."""
    branches = [{"$ref": "#", "title": str(number)} for number in range(12)]
    old = {"type": "object", "properties": {"a": {keyword: branches}}}
    with calls(3_700_000):
        found = compare_tools(
            [{"name": "t", "inputSchema": old}],
            [{"name": "t", "inputSchema": {**old, "required": ["a"]}}],
        )
    assert found is not None


def test_names_forge_no_lines(tmp_path: Path) -> None:
    """Nor commands to the runner of a workflow, wherever a line begins with a name."""
    names = ["a\n::error file=x::forged", "::error::forged", "a ##[error]forged", "b\x1b[2J"]
    tools = [
        {"name": name, "inputSchema": {"type": "object", "properties": {name: STRING}}}
        for name in names
    ]
    old, new, calls = (tmp_path / each for each in ("old.json", "new.json", "calls.jsonl"))
    old.write_text(json.dumps(tools))
    new.write_text(json.dumps([{**each, "inputSchema": an_object()} for each in tools]))
    calls.write_text("".join(json.dumps({"name": n, "arguments": {n: 1}}) + "\n" for n in names))
    for output in (
        run(str(old), str(new), "--calls", str(calls)).output,
        run(str(old), str(new), "--json").output,
        CliRunner().invoke(application, ["check", str(old)]).output,
    ):
        assert "forged" in output
        lines = [line.lstrip() for line in output.split("\n")]
        assert not [line for line in lines if line.startswith(("::", "forged"))]
        assert "##[" not in output
        assert "\x1b[2J" not in output
