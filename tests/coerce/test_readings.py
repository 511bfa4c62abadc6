"""The search for what was meant: how far it reaches, how unions are settled, what it costs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from waiting import processor_time

from schema2model import ToolError, compile_schema
from schema2model.coerce.search import search
from schema2model.coerce.search.call import read_arguments
from schema2model.json.values import plain_copy

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
INTEGER, STRING, BOOLEAN, NULL = ({"type": n} for n in ("integer", "string", "boolean", "null"))
INTEGERS = {"type": "array", "items": INTEGER}
LISTED = {"type": "array", "items": {"type": "array", "items": INTEGER}}


def call(*required: str, **properties: Any) -> dict[str, Any]:
    """An object of these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def any_of(*branches: Any) -> dict[str, Any]:
    """The union of branches."""
    return {"anyOf": list(branches)}


TREE = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": call(
            "value",
            value=INTEGER,
            children={"type": "array", "items": {"$ref": "#/$defs/tree"}},
            left=any_of({"$ref": "#/$defs/tree"}, NULL),
        )
    },
}

REACHED: dict[str, tuple[Any, Any, Any]] = {
    "properties": ({"properties": {"a": INTEGER}}, {"a": "1"}, {"a": 1}),
    "items": (LISTED, [["1"], "[2]"], [[1], [2]]),
    "$ref": (
        {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": INTEGERS}},
        {"a": "[1]"},
        {"a": [1]},
    ),
    "$ref beside assertions": (
        {"$ref": "#/$defs/n", "minimum": 3, "$defs": {"n": INTEGER}},
        "5",
        5,
    ),
    "recursive $ref": (
        TREE,
        {"value": "1", "children": [{"value": "2", "children": '[{"value": "3"}]'}]},
        {"value": 1, "children": [{"value": 2, "children": [{"value": 3}]}]},
    ),
    "recursive $ref in a union": (
        TREE,
        {"value": 1, "left": '{"value": "2", "left": {"value": "3", "left": "null"}}'},
        {"value": 1, "left": {"value": 2, "left": {"value": 3, "left": None}}},
    ),
    "anyOf": (any_of(INTEGERS, BOOLEAN), '["1"]', [1]),
    "oneOf": ({"oneOf": [INTEGERS, BOOLEAN]}, '["1"]', [1]),
    "allOf": (
        {"allOf": [{"properties": {"a": INTEGER}}, {"properties": {"b": BOOLEAN}}]},
        {"a": "1", "b": "yes"},
        {"a": 1, "b": True},
    ),
    "allOf, bounds first": ({"allOf": [{"minimum": 3}, INTEGER]}, "5", 5),
    "then": (
        {
            "properties": {"kind": STRING},
            "if": {"properties": {"kind": {"const": "count"}}},
            "then": {"properties": {"value": INTEGER}},
            "else": {"properties": {"value": BOOLEAN}},
        },
        {"kind": "count", "value": "1"},
        {"kind": "count", "value": 1},
    ),
    "else": (
        {
            "properties": {"kind": STRING},
            "if": {"properties": {"kind": {"const": "count"}}},
            "then": {"properties": {"value": INTEGER}},
            "else": {"properties": {"value": BOOLEAN}},
        },
        {"kind": "flag", "value": "1"},
        {"kind": "flag", "value": True},
    ),
    "if, after what it asks for": (
        {
            "properties": {"level": INTEGER},
            "if": {"properties": {"level": {"type": "integer", "minimum": 5}}},
            "then": {"properties": {"reason": INTEGERS}},
        },
        {"level": "7", "reason": "[1]"},
        {"level": 7, "reason": [1]},
    ),
    "prefixItems": (
        {"prefixItems": [INTEGER, BOOLEAN], "items": INTEGERS},
        ["1", "no", "[2]"],
        [1, False, [2]],
    ),
    "items as a tuple": (
        {"$schema": DRAFT_7, "items": [INTEGER, BOOLEAN], "additionalItems": INTEGERS},
        ["1", "no", "[2]"],
        [1, False, [2]],
    ),
    "additionalProperties": (
        {"properties": {"a": STRING}, "additionalProperties": INTEGER},
        {"a": "1", "b": "2"},
        {"a": "1", "b": 2},
    ),
    "patternProperties": (
        {"patternProperties": {"^n_": INTEGER}, "additionalProperties": BOOLEAN},
        {"n_a": "1", "b": "1"},
        {"n_a": 1, "b": True},
    ),
    "patternProperties beside properties": (
        {"properties": {"n_a": {"minimum": 1}}, "patternProperties": {"^n_": INTEGER}},
        {"n_a": "1"},
        {"n_a": 1},
    ),
    "dependentSchemas": (
        {"dependentSchemas": {"card": {"properties": {"cvc": INTEGER}}}},
        {"card": "x", "cvc": "123"},
        {"card": "x", "cvc": 123},
    ),
    "dependencies": (
        {"$schema": DRAFT_7, "dependencies": {"card": {"properties": {"cvc": INTEGER}}}},
        {"card": "x", "cvc": "123"},
        {"card": "x", "cvc": 123},
    ),
    "strings in strings": (LISTED, json.dumps([json.dumps([json.dumps(1)])]), [[1]]),
    "null in a nested object": (call(a=call(b=INTEGER)), {"a": '{"b": null}'}, {"a": {}}),
    "null in a branch": (
        any_of(call("a", a=INTEGER, b=STRING), NULL),
        {"a": "1", "b": None},
        {"a": 1},
    ),
    "null in an item": ({"items": call(b=INTEGER)}, [{"b": None}, {"b": "1"}], [{}, {"b": 1}]),
    "nullable object": (
        {"type": ["object", "null"], "properties": {"a": INTEGER}, "minProperties": 1},
        '{"a": "1"}',
        {"a": 1},
    ),
    "nullable object as null": (
        {"type": ["object", "null"], "properties": {"a": INTEGER}},
        "None",
        None,
    ),
    "object or null": (any_of(call(a=INTEGER), NULL), '{"a": "1"}', {"a": 1}),
}
"""A schema, what is sent and what it is read as, for each keyword with subschemas."""


@pytest.mark.parametrize(("schema", "sent", "read"), REACHED.values(), ids=REACHED)
def test_coercion_reaches_through(schema: Any, sent: Any, read: Any) -> None:
    """Every keyword that applies subschemas passes coercion on, at the root and below."""
    assert compile_schema(schema).validate(sent) == read
    definitions = {name: schema[name] for name in ("$defs", "$schema") if name in schema}
    inner = {name: value for name, value in schema.items() if name not in definitions}
    nested = {**call("x", x=inner), **definitions}
    assert compile_schema(nested).validate({"x": sent}) == {"x": read}
    assert compile_schema(nested).validate(json.dumps({"x": sent})) == {"x": read}


CREATE = call("action", "name", action={"const": "create"}, name=STRING, size=INTEGER)
DELETE = call("action", "id", action={"const": "delete"}, id=INTEGER, force=BOOLEAN)
TAGGED = any_of(CREATE, DELETE)
BY_ENUM = any_of(
    call("kind", "v", kind={"enum": ["a", "b"]}, v=INTEGER),
    call("kind", "v", kind={"enum": ["c"]}, v=BOOLEAN),
)
BY_NUMBER, BY_WORD = call("q", "n", q=STRING, n=INTEGER), call("q", "n", q=STRING, n=STRING)

UNIONS: dict[str, tuple[Any, Any, Any]] = {
    "string beside array stays": (any_of(INTEGERS, STRING), "[1]", "[1]"),
    "string beside integer stays": (any_of(INTEGER, STRING), "1", "1"),
    "integer beside boolean stays": (any_of(BOOLEAN, INTEGER), 1, 1),
    "null beside object stays": (any_of(call(a=INTEGER), NULL), None, None),
    "valid under the last branch stays": (
        any_of(BY_NUMBER, BY_WORD),
        {"q": "", "n": "1"},
        {"q": "", "n": "1"},
    ),
    "fewest changes": (any_of(BY_NUMBER, BY_WORD), {"q": 5, "n": "1"}, {"q": "5", "n": "1"}),
    "fewest changes, in lists": (
        any_of(INTEGERS, {"type": "array", "items": STRING}),
        ["1", 2, 3],
        [1, 2, 3],
    ),
    "fewest changes, in text": (
        any_of(INTEGERS, {"type": "array", "items": STRING}),
        '["1"]',
        ["1"],
    ),
    "number before text among equals": (
        any_of({"type": "array", "items": STRING}, INTEGERS),
        ["1", 2],
        [1, 2],
    ),
    "schema order among equals": (
        any_of(call(a=BOOLEAN, b=STRING), call(a=INTEGER, b=INTEGER, c=STRING)),
        {"a": "1", "b": 2},
        {"a": 1, "b": 2},
    ),
    "schema order when all is equal": (
        any_of(call("a", a=INTEGER, b=STRING), call("b", a=STRING, b=INTEGER)),
        {"a": "1", "b": "2"},
        {"a": 1, "b": "2"},
    ),
    "const tells": (TAGGED, {"action": "delete", "id": "5"}, {"action": "delete", "id": 5}),
    "const within quotes tells": (
        TAGGED,
        {"action": '"delete"', "id": "5", "force": "yes"},
        {"action": "delete", "id": 5, "force": True},
    ),
    "const tells, in text": (
        {"type": "array", "items": TAGGED},
        '[{"action": "create", "name": 5}, "{\\"action\\": \\"delete\\", \\"id\\": \\"5\\"}"]',
        [{"action": "create", "name": "5"}, {"action": "delete", "id": 5}],
    ),
    "enum tells": (BY_ENUM, {"kind": "b", "v": "1"}, {"kind": "b", "v": 1}),
    "enum tells otherwise": (BY_ENUM, {"kind": "c", "v": "1"}, {"kind": "c", "v": True}),
    "null for an optional property of a branch": (
        TAGGED,
        {"action": "delete", "id": "5", "force": None},
        {"action": "delete", "id": 5},
    ),
    "only one type fits": (any_of(INTEGERS, call(a=INTEGER), NULL), '{"a": "1"}', {"a": 1}),
    "number text beats words": (any_of(BOOLEAN, INTEGER), "1", 1),
    "words where nothing else fits": (any_of(BOOLEAN, INTEGER), "yes", True),
    "union in a union": (any_of(NULL, any_of(INTEGERS, any_of(BOOLEAN, NULL))), '["1"]', [1]),
    "types in a list": ({"type": ["array", "object"], "items": INTEGER}, '["1"]', [1]),
    "oneOf picks the only one": (
        {"oneOf": [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 10}]},
        "12",
        12,
    ),
    "oneOf passes over what two accept": (
        {"oneOf": [INTEGER, {"type": "number"}, call(a=INTEGER)]},
        "1.5",
        1.5,
    ),
}
"""A union, what is sent, and what it is read as."""


@pytest.mark.parametrize(("schema", "sent", "read"), UNIONS.values(), ids=UNIONS)
def test_unions(schema: Any, sent: Any, read: Any) -> None:
    """What is valid stays; else the fewest changes win, and then the schema's order."""
    for kind, given, wanted in (
        (schema, sent, read),
        (call("x", x=schema), {"x": sent}, {"x": read}),
        ({"type": "array", "items": schema, "minItems": 1}, [sent, sent], [read, read]),
    ):
        result = compile_schema(kind).validate(given)
        assert json.dumps(result, sort_keys=True) == json.dumps(wanted, sort_keys=True)


REFUSED: dict[str, tuple[Any, Any]] = {
    "oneOf, valid twice": ({"oneOf": [INTEGER, {"type": "number"}]}, "5"),
    "tag of no branch": (TAGGED, {"action": "rename", "id": "5"}),
    "tag of a branch that does not fit": (TAGGED, {"action": "create", "id": 5}),
    "null for a required property of a branch": (TAGGED, {"action": "delete", "id": None}),
    "half a reading": (call(a=INTEGER, b=INTEGER), {"a": "1", "b": "x"}),
    "what `not` forbids": ({"allOf": [INTEGER, {"not": {"const": 5}}]}, "5"),
    "what repeats": ({**INTEGERS, "uniqueItems": True}, ["1", 1]),
    "dropped below the least": ({**call(a=INTEGER), "minProperties": 1}, {"a": None}),
}


@pytest.mark.parametrize(("schema", "sent"), REFUSED.values(), ids=REFUSED)
def test_no_reading(schema: Any, sent: Any) -> None:
    """A reading that does not satisfy the whole schema is none."""
    with pytest.raises(ToolError):
        compile_schema(schema).validate(sent)


@pytest.mark.parametrize("text", ["9007199254740993.0", "1e23", "+12345678901234567890.0"])
def test_no_digit_is_lost_on_the_way(text: str) -> None:
    """Whatever else has to be mended in the call, an integer's text is read to the last digit."""
    schema = call(n=INTEGER, m={"type": ["integer", "null"]}, kind={"enum": ["a"]})
    result = compile_schema(schema).validate({"n": text, "m": text, "kind": "'a'"})
    whole = int(Decimal(text))
    assert result == {"n": whole, "m": whole, "kind": "a"}
    assert compile_schema(schema).explain({"n": text}).result == {"n": whole}


FILES = {
    "package.json": '{"name": "x", "private": true}',
    "log": '["2024-01-01", "started"]',
    "number": "10",
    "word": "true",
    "null": "null",
    "Python": "{'a': None}",
    "quoted": '"hello"',
    "fenced": "```json\n[1]\n```",
    "spaces": "  [1]  ",
    "empty": "",
}
WRITE = call(
    "path",
    "content",
    path=STRING,
    content=STRING,
    old=any_of(STRING, NULL),
    tags={"type": "array", "items": STRING},
    meta={"additionalProperties": STRING},
    mode={"type": "integer"},
)


@pytest.mark.parametrize("preset", ["default", "untyped", "forgiving", "lenient"])
@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_text_for_a_string_stays_text(text: str, preset: str) -> None:
    """What looks like JSON is left alone in a string parameter, whatever else is mended."""
    sent = {"path": "a", "content": text, "tags": [text], "meta": {"k": text}, "mode": "1"}
    result = compile_schema(WRITE, coercion=preset).validate(sent)
    assert result == {**sent, "mode": 1}
    if preset != "untyped":
        assert compile_schema(WRITE).validate({**sent, "old": text})["old"] == text


@pytest.mark.parametrize("text", ["1.10", "1e3", "[1, 2]", "null", "true", '{"a": 1}'])
@pytest.mark.parametrize(
    "around",
    [
        lambda schema: {"$ref": "#/$defs/s", "$defs": {"s": schema}},
        lambda schema: {"allOf": [schema, {"required": ["text"]}]},
        lambda schema: any_of(INTEGERS, schema, NULL),
        lambda schema: {"oneOf": [NULL, schema]},
        lambda schema: {"properties": {"n": INTEGER}, "allOf": [schema]},
    ],
    ids=["$ref", "allOf", "anyOf", "oneOf", "allOf beside properties"],
)
def test_untyped_reads_by_the_schema_that_speaks(around: Any, text: str) -> None:
    """A string that some subschema in place declares is no string without a schema."""
    schema = around({"type": "object", "properties": {"text": STRING, "n": INTEGER}})
    compiled = compile_schema(schema, coercion="untyped")
    for sent in ({"text": text, "n": 5}, {"text": text, "n": "5"}):
        assert compiled.validate(sent) == {"text": text, "n": 5}
        assert compiled.explain(sent).result == {"text": text, "n": 5}


@pytest.mark.parametrize("text", ['{"c": "true"}', '{"c": "[1]", "n": "5"}'])
@pytest.mark.parametrize(
    "around", [lambda schema: schema, lambda schema: {"allOf": [schema]}, any_of], ids=range(3)
)
def test_untyped_reads_text_in_text_at_once(around: Any, text: str) -> None:
    """What a text spells is read like what was sent: reading the result again changes nothing."""
    schema = call(p=around({"type": "object", "properties": {"n": INTEGER}}))
    compiled = compile_schema(schema, coercion="untyped")
    once = compiled.validate({"p": text})
    assert once == compiled.validate({"p": json.loads(text)}) == compiled.validate(once)


# --------------------------------------------------------------------------------- the bounds
class Counted(search.Reader):
    """A reader that counts what it searches."""

    searches = 0

    def _search(self, *args: Any, **options: Any) -> Any:
        self.searches += 1
        return super()._search(*args, **options)


def counted(schema: Any, value: Any) -> Counted:
    """A reader that has read a value."""
    compiled = compile_schema(schema)
    reader = Counted(compiled.engine.root, compiled.engine.verdicts, compiled.engine.plan)
    read_arguments(reader, plain_copy(value))
    return reader


def deep(levels: int) -> Any:
    """An expression with operands of operands, its numbers misspelled."""
    value: Any = "x"
    for _ in range(levels):
        value = {"op": "add", "left": value, "right": {"value": "1"}}
    return value


EXPRESSION = {
    "$ref": "#/$defs/e",
    "$defs": {
        "e": any_of(
            call(
                "op",
                "left",
                "right",
                op=STRING,
                left={"$ref": "#/$defs/e"},
                right={"$ref": "#/$defs/e"},
            ),
            call("op", "left", op=STRING, left={"$ref": "#/$defs/e"}),
            call("value", value=INTEGER),
            {"type": "array", "items": {"$ref": "#/$defs/e"}},
        )
    },
}


def test_recursive_unions_are_searched_in_proportion() -> None:
    """Ten levels deeper takes as much more as ten levels took before, not a power of it."""
    ten, twenty, thirty = (counted(EXPRESSION, deep(n)).searches for n in (10, 20, 30))
    assert twenty - ten < 1000
    assert thirty - twenty < 3 * (twenty - ten)


def test_text_in_text_is_read_so_many_times() -> None:
    """A string in a string is read `MAX_DEPTH` times, and no deeper."""
    text = "[1]"
    for _ in range(search.MAX_DEPTH - 1):
        text = json.dumps(text)
    compiled = compile_schema(call(a=INTEGERS))
    assert compiled.validate({"a": text}) == {"a": [1]}
    with pytest.raises(ToolError):
        compiled.validate({"a": json.dumps(text)})


def test_a_search_that_takes_too_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """After `MAX_READINGS` nothing new is tried, and the outcome is a refusal like any other."""
    monkeypatch.setattr(search, "MAX_READINGS", 20)
    compiled = compile_schema({"anyOf": [INTEGERS, BOOLEAN]})
    assert compiled.validate(["1"] * 5) == [1] * 5
    with pytest.raises(ToolError):
        compiled.validate([str(n) for n in range(100)])


OPERATORS = ("and", "or", "not")
FILTER = {
    **call("filter", filter={"$ref": "#/$defs/filter"}),
    "$defs": {
        "filter": any_of(
            *(
                call(
                    "op",
                    "args",
                    op={"const": operator},
                    args={"type": "array", "items": {"$ref": "#/$defs/filter"}},
                )
                for operator in OPERATORS
            ),
            call("field", "value", field=STRING, value=INTEGER),
        )
    },
}


def nested_filter(levels: int, value: Any) -> Any:
    """A condition on a field, negated so many times."""
    condition: Any = {"field": "a", "value": value}
    for _ in range(levels):
        condition = {"op": "not", "args": [condition]}
    return condition


@pytest.mark.parametrize("value", [1, "1"], ids=["valid", "misspelled"])
def test_deep_unions_are_read_soon(value: Any) -> None:
    """Each level of a recursive union takes as long as the one before."""
    with processor_time(2):
        result = compile_schema(FILTER).validate({"filter": nested_filter(9, value)})
    assert result == {"filter": nested_filter(9, 1)}


HARD: dict[str, tuple[Any, Any]] = {
    "wide union": (
        {"type": "array", "items": any_of(*({"const": n, "type": "integer"} for n in range(50)))},
        ["x"] * 200,
    ),
    "allOf of unions": (
        {"allOf": [any_of(*(call(**{f"p{n}": INTEGER}) for n in range(8))) for _ in range(8)]},
        {f"p{n}": "x" for n in range(8)},
    ),
    "long text": (call(a=INTEGER), {"a": "[" * 100_000}),
    "many properties": ({"additionalProperties": INTEGER}, {f"k{n}": "x" for n in range(5000)}),
    "many items": ({"type": "array", "items": TAGGED}, [{"action": "delete", "id": "x"}] * 1000),
    "deep text": (EXPRESSION, json.dumps(json.dumps(deep(13)))),
    "deep filter": (FILTER, {"filter": nested_filter(8, "x")}),
}


@pytest.mark.parametrize(("schema", "sent"), HARD.values(), ids=HARD)
def test_hopeless_calls_are_refused_soon(schema: Any, sent: Any) -> None:
    """No call keeps a server busy, however wrong it is."""
    with processor_time(5), pytest.raises(ToolError):
        compile_schema(schema).validate(sent)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"a": STRING}}]}, {"a": "5"}),
        ({"allOf": [{"items": {}}, {"items": STRING}]}, ["true"]),
        ({"properties": {"a": {}}, "patternProperties": {"^a": STRING}}, {"a": "1e3"}),
    ],
    ids=["members", "items", "pattern"],
)
def test_untyped_ends_where_one_subschema_undoes_what_another_does(schema: Any, value: Any) -> None:
    """A string that one reads as a number, and another as a string again, has not changed."""
    compiled = compile_schema(schema, coercion="untyped")
    assert compiled.validate(value) == value
    assert compiled.explain(value).changes == ()
