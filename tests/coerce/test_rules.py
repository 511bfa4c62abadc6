"""The rules of coercion, one golden table each: what is sent, and what each preset makes of it."""

# ruff: noqa: FBT003 - booleans are JSON values here

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from pydantic import ValidationError

from schema2model import Coercion, CompiledSchema, ToolError, compile_schema
from schema2model.coerce.rules import guesses as regrouping, scalars as rules

PRESETS = ("off", "default", "untyped", "forgiving", "lenient")


class _Refused:
    def __repr__(self) -> str:
        return "REFUSED"


REFUSED: Any = _Refused()


class Row(NamedTuple):
    """What is sent for a schema, and the outcome under each preset."""

    schema: Any
    sent: Any
    off: Any
    default: Any
    untyped: Any
    forgiving: Any
    lenient: Any


def undone(schema: Any, sent: Any, result: Any) -> Row:
    """A row for a mistake that every preset undoes but off."""
    return Row(schema, sent, REFUSED, *[result] * 4)


def guessed(schema: Any, sent: Any, result: Any) -> Row:
    """A row for a mistake that forgiving and lenient undo."""
    return Row(schema, sent, *[REFUSED] * 3, result, result)


def dropped(schema: Any, sent: Any, result: Any) -> Row:
    """A row for a mistake that only lenient undoes, because something is lost."""
    return Row(schema, sent, *[REFUSED] * 4, result)


def refused(schema: Any, sent: Any) -> Row:
    """A row for what no preset can read."""
    return Row(schema, sent, *[REFUSED] * 5)


def kept(schema: Any, sent: Any) -> Row:
    """A row for what is valid, and the same under every preset."""
    return Row(schema, sent, *[sent] * 5)


def untyped(schema: Any, sent: Any, result: Any) -> Row:
    """A row for a valid string that only untyped reads."""
    return Row(schema, sent, sent, sent, result, sent, sent)


NULL, BOOLEAN, INTEGER, NUMBER, STRING, ARRAY, OBJECT = (
    {"type": name} for name in ("null", "boolean", "integer", "number", "string", "array", "object")
)
ORDER = {"enum": ["asc", "desc"]}
BIG = 12345678901234567890


def list_of(items: Any) -> Any:
    """An array of such items."""
    return {"type": "array", "items": items}


def either(*branches: Any) -> Any:
    """Any of several schemas."""
    return {"anyOf": list(branches)}


def call(required: tuple[str, ...] = (), **properties: Any) -> Any:
    """The schema of a call with these parameters and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


PARAMETERS: dict[str, list[Row]] = {
    "json_text": [
        undone(ARRAY, '["a"]', ["a"]),
        undone(OBJECT, '{"a": 1}', {"a": 1}),
        undone(INTEGER, "10", 10),
        undone(INTEGER, '"10"', 10),
        undone(NUMBER, "1.5", 1.5),
        undone(BOOLEAN, "true", True),
        undone(NULL, "null", None),
        undone(ARRAY, " [1]\n", [1]),
        undone(ARRAY, '"[1]"', [1]),
        undone(ARRAY, '"\\"[1]\\""', [1]),
        undone(list_of(list_of(INTEGER)), '["[1]", "[\\"2\\"]"]', [[1], [2]]),
        undone(call(a=list_of(ARRAY)), '{"a": "[\\"[1]\\"]"}', {"a": [[1]]}),
        undone(list_of(INTEGER), f"[{BIG}]", [BIG]),
        undone(either(INTEGER, ARRAY), '["a"]', ["a"]),
        undone({"const": {"a": [1]}}, '{"a": [1]}', {"a": [1]}),
        undone({"enum": [1, 2]}, "2", 2),
        kept(STRING, '["a"]'),
        untyped({}, '["a"]', ["a"]),
        refused(ARRAY, "[1"),
        refused(ARRAY, "all of [1, 2]"),
        refused(OBJECT, "[1]"),
        refused(INTEGER, "[1, 2]"),
    ],
    "loose_json_text": [
        undone(ARRAY, "['a', True, None]", ["a", True, None]),
        undone(ARRAY, "[1, 2,]", [1, 2]),
        undone(OBJECT, "{a: 1}", {"a": 1}),
        undone(OBJECT, "{'a': {'b': (1, 2)}}", {"a": {"b": [1, 2]}}),
        undone(ARRAY, '["two\nlines"]', ["two\nlines"]),
        undone(list_of(INTEGER), "['1', \"2\"]", [1, 2]),
        kept(STRING, "['a']"),
        undone(list_of(STRING), "{'x', 'y'}", ["x", "y"]),
        undone(list_of(INTEGER), "{1, 2}", [1, 2]),
        undone(list_of(STRING), "('x', 'y')", ["x", "y"]),
        refused(OBJECT, "{a: 1"),
        refused(ARRAY, "{'x': 1}x"),
        refused(ARRAY, "{'x', 'y'"),
        refused(OBJECT, "{'x', 'y'}"),
    ],
    "number_text": [
        undone(INTEGER, " 10 ", 10),
        undone(INTEGER, "10.0", 10),
        undone(INTEGER, "1e3", 1000),
        undone(INTEGER, "1e23", 10**23),
        undone(INTEGER, "+5", 5),
        undone(INTEGER, "-0", 0),
        undone(INTEGER, "007", 7),
        undone(INTEGER, str(BIG), BIG),
        undone(INTEGER, f"{BIG}.0", BIG),
        undone(NUMBER, "1e3", 1000.0),
        undone(NUMBER, "-.5", -0.5),
        undone(NUMBER, "+5", 5),
        undone(NUMBER, str(BIG), BIG),
        undone(either(INTEGER, ARRAY), "1e23", 10**23),
        undone({"type": ["integer", "array"]}, f"{BIG}.0", BIG),
        undone({"type": ["integer", "number"]}, f"{BIG}.0", BIG),
        undone({"enum": [1.5]}, "1.5", 1.5),
        kept(STRING, "10"),
        refused(INTEGER, "10.5"),
        refused(INTEGER, "ten"),
        refused(INTEGER, "1_000"),
        refused(INTEGER, "\u0661\u0662"),
        refused(NUMBER, "1,5"),
        refused(NUMBER, "1e400"),
        refused({"type": "integer", "maximum": 5}, "10"),
    ],
    "allow_inf_nan": [
        refused(NUMBER, "-inf"),
        refused(NUMBER, "NaN"),
        refused(NUMBER, "Infinity"),
    ],
    "boolean_words": [
        *(undone(BOOLEAN, word, True) for word in ("True", "YES", "on", "1", "t", " y ", 1)),
        *(undone(BOOLEAN, word, False) for word in ("False", "no", "OFF", "0", "f", "n", 0)),
        undone({"const": True}, "yes", True),
        undone({"type": ["boolean", "null"]}, "off", False),
        undone({"type": ["boolean", "integer"]}, "1", 1),
        kept({"type": ["boolean", "integer"]}, 1),
        kept(either(BOOLEAN, STRING), "yes"),
        refused(BOOLEAN, "maybe"),
        refused(BOOLEAN, 2),
    ],
    "null_words": [
        undone(NULL, "None", None),
        undone(NULL, "", None),
        undone({"type": ["integer", "null"]}, "null", None),
        undone({"type": ["array", "null"]}, "", None),
        undone(either(INTEGER, NULL), "NULL", None),
        undone({"enum": [1, None]}, "None", None),
        refused({"type": ["number", "integer"]}, ""),
        refused({"type": ["number", "integer"]}, None),
        refused(NULL, "nothing"),
        refused(NULL, 0),
    ],
    "null_words_over_string": [
        untyped({"type": ["string", "null"]}, "null", None),
        untyped({"type": ["string", "null"]}, "None", None),
        untyped(either(STRING, NULL), "none", None),
        kept({"type": ["string", "null"]}, ""),
        kept({"type": ["string", "null"]}, "nullable"),
        kept(STRING, "null"),
    ],
    "text_over_string": [
        untyped({"type": ["array", "string"]}, '["a"]', ["a"]),
        untyped({"type": ["string", "integer"]}, "12", 12),
        untyped({"type": ["string", "integer"]}, str(BIG), BIG),
        untyped({"type": ["string", "integer"]}, "1e23", 10**23),
        untyped(either(STRING, BOOLEAN), "true", True),
        untyped({}, '{"a": "[1]"}', {"a": [1]}),
        kept(call(a={"type": ["array", "string"]}), {"a": "['a']"}),
        kept({"type": ["array", "string"]}, "[1"),
        kept({"type": ["string", "integer"]}, "007"),
        kept({"type": ["array", "string"], "items": INTEGER}, '["a"]'),
        kept(STRING, "[1]"),
        kept({"allOf": [STRING]}, "1.10"),
        kept(either(call(a=STRING), NULL), {"a": "1.10"}),
    ],
    "integral_floats": [
        Row(INTEGER, 3.0, 3.0, *[3] * 4),
        Row({"enum": [3]}, 3.0, 3.0, *[3] * 4),
        Row(list_of(INTEGER), [1.0, 2], [1.0, 2], *[[1, 2]] * 4),
        Row({"type": ["integer", "null"]}, -0.0, -0.0, *[0] * 4),
        kept(NUMBER, 3.0),
        kept(NUMBER, 2**53 + 1),
        refused({"type": "number", "maximum": 2**53}, 2**53 + 1),
        refused({"type": "number", "maximum": 1e16}, 10**16 + 1),
        refused({"type": "number", "multipleOf": 2}, 2**53 + 1),
        refused(INTEGER, 3.5),
    ],
    "scalar_to_text": [
        undone(STRING, BIG, str(BIG)),
        undone(STRING, True, "true"),
        undone(STRING, 1.5, "1.5"),
        undone({"enum": ["1", "2"]}, 1, "1"),
        undone({"type": ["string", "null"]}, 5, "5"),
        undone(list_of(STRING), [1, "a"], ["1", "a"]),
        kept({"type": ["string", "integer"]}, 5),
        refused(STRING, None),
        refused({"type": "string", "pattern": "^a"}, 5),
    ],
    "quoted_choices": [
        undone(ORDER, '"asc"', "asc"),
        undone(ORDER, "'asc'", "asc"),
        undone(ORDER, " `asc` ", "asc"),
        undone({"type": "string", "const": "asc"}, '"asc"', "asc"),
        kept({"enum": ['"asc"', "asc"]}, '"asc"'),
        kept(STRING, '"asc"'),
        refused(ORDER, '"asc'),
        refused(ORDER, '"ascending"'),
    ],
    "container_to_text": [
        refused(STRING, {"a": 1}),
        refused(STRING, ["é", 1]),
        kept({"type": ["string", "object"]}, {"a": 1}),
    ],
    "scalar_to_list": [
        guessed(ARRAY, "a", ["a"]),
        guessed(list_of(INTEGER), 5, [5]),
        guessed(list_of(INTEGER), "5", [5]),
        guessed(list_of(OBJECT), {"a": 1}, [{"a": 1}]),
        guessed(list_of(STRING), '"a"', ["a"]),
        undone(list_of(STRING), "[1]", ["1"]),
        *(
            refused(list_of(STRING), text)
            for text in (
                "[a",
                "<b>a</b>",
                "- a\n- b",
                "a; b",
                "a | b",
                "'a",
                "{a}",
                '"a" or "b"',
                "(a) b",
            )
        ),
        undone(either(list_of(STRING), OBJECT), "[1]", ["1"]),
        refused(ARRAY, None),
    ],
    "comma_text": [
        guessed(list_of(STRING), "a, b", ["a", "b"]),
        guessed(list_of(INTEGER), "1,2", [1, 2]),
        guessed(list_of(STRING), "[a, b]", ["a", "b"]),
        guessed(list_of(STRING), " [a b]", ["a b"]),
        guessed(list_of(STRING), "(a, b)", ["a", "b"]),
        guessed(list_of(STRING), "{a, b}", ["a", "b"]),
        guessed(list_of(STRING), '"a", "b, c"', ["a", "b, c"]),
        guessed(list_of(STRING), "'a', 'b'", ["a", "b"]),
        kept(either(STRING, ARRAY), "a, b"),
        refused(list_of(INTEGER), "1, b"),
        *(
            refused(list_of(STRING), text)
            for text in (
                *(
                    '"a", b',
                    "'a', \"b",
                    "[a, 'b']",
                    "[a, b",
                    "a, [b, c]",
                    "a,, b",
                    "a, ",
                    "[a, b]]",
                ),
                *(
                    "[]]",
                    "[a]]",
                    "[ ]x",
                    "a, b and c",
                    "a, b, or c",
                    "Look, then leap.",
                    "https://x.org/a,b",
                    "a,\nb",
                ),
            )
        ),
        refused(list_of(INTEGER), "1,000"),
    ],
    "choice_spelling": [
        guessed({"enum": ["customer", "vendor"]}, "Customer ", "customer"),
        guessed({"enum": ["in_progress", "done"]}, "In Progress", "in_progress"),
        guessed({"enum": ["in_progress", "done"]}, "in\\_progress", "in_progress"),
        refused({"enum": ["a b", "a_b"]}, "A-B"),
        refused(ORDER, "ascending"),
        refused({"enum": ["+", "*"]}, "-"),
        refused({"enum": ["1", "2"]}, "-1"),
        refused({"enum": ["15", "20"]}, "1.5"),
        refused({"enum": ["c", "java"]}, "C++"),
    ],
    "item_envelope": [
        guessed(list_of(INTEGER), {"item": [1, 2]}, [1, 2]),
        guessed(list_of(INTEGER), {"item": 1}, [1]),
        guessed(ARRAY, {"0": "a", "1": "b"}, ["a", "b"]),
        guessed(list_of(INTEGER), [{"item": 14}], [14]),
        kept(list_of(OBJECT), [{"item": 14}]),
        refused(list_of(INTEGER), {"1": 1, "0": 2}),
    ],
    "single_item": [
        guessed(INTEGER, [5], 5),
        guessed(STRING, ["a"], "a"),
        guessed(OBJECT, [{"a": 1}], {"a": 1}),
        refused(INTEGER, [5, 6]),
    ],
    "nested_list": [
        guessed(list_of(INTEGER), [[5, 6]], [5, 6]),
        guessed(list_of(STRING), [["a", "b"]], ["a", "b"]),
        guessed(list_of(STRING), [[]], []),
        kept(ARRAY, [[5, 6]]),
        kept(list_of(ARRAY), [[5, 6]]),
        refused(list_of(INTEGER), [[5, 6], [7]]),
        refused(list_of(INTEGER), [[5, "x"]]),
    ],
    "xml_items": [
        guessed(list_of(STRING), "<item>a</item><item>b &lt; c</item>", ["a", "b < c"]),
        guessed(list_of(INTEGER), "<items>\n<item>1</item>\n<item>2</item>\n</items>", [1, 2]),
        guessed(list_of(STRING), "<item>a</item>", ["a"]),
        kept(STRING, "<item>a</item>"),
        *(
            refused(list_of(STRING), text)
            for text in (
                *("<item>a</item><item>b", "<item>a</item> and b", "<p>a</p><p>b</p>", "<item>"),
                *("<item>a</item><element>b</element>", "<item><b>a</b></item>", "<item/>"),
            )
        ),
    ],
}
"""Single values, each sent as the required parameter `x` of a call."""

LIMIT = call(limit=INTEGER, page=OBJECT)
CITY = call(("city",), city=STRING)

NEEDED = {
    "type": "object",
    "properties": {"city": STRING, "country": STRING},
    "required": ["city"],
}
TODOS = call(
    ("todos",),
    todos=list_of({**OBJECT, "properties": {"id": INTEGER, "tags": ARRAY}, "required": ["id"]}),
)
OBJECT_OF_INTEGERS = {"type": "object", "additionalProperties": INTEGER}

CALLS: dict[str, list[Row]] = {
    "drop_null": [
        undone(LIMIT, {"limit": None}, {}),
        undone(LIMIT, {"limit": None, "page": {}}, {"page": {}}),
        undone(call(inner=LIMIT), {"inner": {"limit": None}}, {"inner": {}}),
        undone(list_of(LIMIT), [{"limit": None}], [{}]),
        undone(call(limit={"enum": [1]}), {"limit": None}, {}),
        kept(call(limit={"type": ["integer", "null"]}), {"limit": None}),
        kept(call(limit={}), {"limit": None}),
        refused(call(("limit",), limit=INTEGER), {"limit": None}),
        refused({"type": "object", "additionalProperties": INTEGER}, {"limit": None}),
    ],
    "empty_arguments": [
        *(undone(LIMIT, sent, {}) for sent in ("", "  ", "null", "None", None)),
        undone({"type": "object"}, "", {}),
        kept({"type": ["object", "null"]}, None),
        kept({}, None),
        refused(CITY, None),
        refused(ARRAY, None),
    ],
    "listed_arguments": [
        undone(CITY, [{"city": "x"}], {"city": "x"}),
        undone(LIMIT, [{"limit": "5"}], {"limit": 5}),
        undone(CITY, '[{"city": "x"}]', {"city": "x"}),
        kept(list_of(CITY), [{"city": "x"}]),
        refused(CITY, [{"city": "x"}, {"city": "y"}]),
        guessed(call(a=CITY), {"a": [{"city": "x"}]}, {"a": {"city": "x"}}),
    ],
    "key_spelling": [
        guessed(call(max_results=INTEGER), {"maxResults": 5}, {"max_results": 5}),
        guessed(call(max_results=INTEGER), {"Max Results": "5"}, {"max_results": 5}),
        guessed(CITY, {"City": "x"}, {"city": "x"}),
        guessed(
            {"type": "object", "properties": {"max_results": INTEGER}, "required": ["max_results"]},
            {"maxResults": 5},
            {"max_results": 5},
        ),
        dropped(call(max_results=INTEGER), {"max_results": 1, "maxResults": 5}, {"max_results": 1}),
        kept({"type": "object", "properties": {"max_results": INTEGER}}, {"maxResults": 5}),
    ],
    "drop_unknown": [
        dropped(CITY, {"city": "x", "reason": "because"}, {"city": "x"}),
        dropped(call(a=LIMIT), {"a": {"reason": "because"}}, {"a": {}}),
        kept({"type": "object"}, {"reason": "because"}),
        refused(CITY, {"reason": "because"}),
        refused(LIMIT, {"kwargs": "now"}),
        dropped(LIMIT, {"kwargs": "now", "limit": 1}, {"limit": 1}),
    ],
    "envelope": [
        *(
            guessed(CITY, {key: {"city": "x"}}, {"city": "x"})
            for key in ("arguments", "input", "kwargs", "_", "properties", "tool_input", "args")
        ),
        guessed(CITY, {"arguments": {"input": {"city": "x"}}}, {"city": "x"}),
        guessed(CITY, {"params": '{"parameters": {"city": "x"}}'}, {"city": "x"}),
        guessed(CITY, {"name": "tool", "arguments": {"city": "x"}}, {"city": "x"}),
        guessed(CITY, {"type": "object", "properties": {"city": "x"}}, {"city": "x"}),
        refused(CITY, {"name": "another", "arguments": {"city": "x"}}),
        refused(CITY, {"arguments": {"city": "x"}, "input": {"city": "y"}}),
        refused(call(a=CITY), {"a": {"input": {"city": "x"}}}),
        guessed(CITY, {"arguments": '{"city": "x"}'}, {"city": "x"}),
        kept(call(arguments=OBJECT), {"arguments": {"city": "x"}}),
        refused(CITY, {"wrapper": {"city": "x"}}),
        refused(CITY, {"arguments": "Rome"}),
        refused(CITY, {"arguments": {"city": "x"}, "id": 1}),
    ],
    "drop_null_words": [
        *(undone(LIMIT, {"limit": word}, {}) for word in ("", "null", "None", " NULL ")),
        undone(LIMIT, {"page": "", "limit": "5"}, {"limit": 5}),
        undone(call(tags=list_of(STRING)), {"tags": "null"}, {}),
        undone(call(a=either(INTEGER, BOOLEAN)), {"a": ""}, {}),
        undone(call(a={"enum": [1, 2]}), {"a": "None"}, {}),
        undone(list_of(LIMIT), [{"limit": ""}, {"limit": 1}], [{}, {"limit": 1}]),
        undone(call(a={"type": ["integer", "null"]}), {"a": ""}, {"a": None}),
        kept(call(a=STRING), {"a": "null"}),
        kept(call(a={}), {"a": ""}),
        refused(call(a={"type": "string", "pattern": "^x"}), {"a": "nil"}),
        refused(call(("limit",), limit=INTEGER), {"limit": ""}),
        refused({"type": "object", "additionalProperties": INTEGER}, {"limit": ""}),
        refused(LIMIT, {"limit": "nothing"}),
    ],
    "drop_placeholders": [
        *(
            guessed(call(sort=ORDER), {"sort": word}, {})
            for word in ("", "null", "N/A", "undefined")
        ),
        guessed(LIMIT, {"limit": {}}, {}),
        guessed(call(a=list_of(STRING)), {"a": {}}, {}),
        guessed(call(a=list_of(STRING)), {"a": "undefined"}, {}),
        guessed(call(a=CITY), {"a": {}}, {}),
        guessed(call(a={"type": "string", "minLength": 1}), {"a": ""}, {}),
        guessed(call(a={"enum": ["n/a", "b"]}), {"a": "N/A"}, {"a": "n/a"}),
        kept(call(a=STRING), {"a": "N/A"}),
        kept(call(a=OBJECT), {"a": {}}),
        refused(call(("sort",), sort=ORDER), {"sort": ""}),
        refused(call(sort=ORDER), {"sort": "anything"}),
    ],
    "flattened_keys": [
        guessed(TODOS, {"todos[0].id": 1}, {"todos": [{"id": 1}]}),
        guessed(TODOS, {"todos.0.id": "1"}, {"todos": [{"id": 1}]}),
        guessed(
            TODOS,
            {"todos[1].id": 2, "todos[0].id": 1, "todos[0].tags[0]": "x"},
            {"todos": [{"id": 1, "tags": ["x"]}, {"id": 2}]},
        ),
        guessed(call(a=LIMIT), {"a.limit": 2}, {"a": {"limit": 2}}),
        guessed(call(a=LIMIT), {"a": {"page": {}}, "a.limit": 2}, {"a": {"page": {}, "limit": 2}}),
        guessed(
            {"$ref": "#/$defs/a", "$defs": {"a": TODOS}}, {"todos[0].id": 1}, {"todos": [{"id": 1}]}
        ),
        kept(call(**{"a.b": INTEGER}), {"a.b": 1}),
        kept({"properties": {"a": LIMIT}}, {"a.limit": 2}),
        dropped(call(a=LIMIT), {"a": {"limit": 1}, "a.limit": 2}, {"a": {"limit": 1}}),
        refused(TODOS, {"todos[1].id": 1}),
        refused(TODOS, {"todos[0].id": 1, "todos": [{"id": 2}, "x"]}),
        refused(TODOS, {"todos[x].id": 1}),
        refused(TODOS, {"todos[0]id": 1}),
        refused(TODOS, {"todos[999999999999].id": 1}),
        refused(TODOS, {"items[0].id": 1}),
        refused(TODOS, {".todos[0].id": 1}),
    ],
    "sole_key": [
        guessed(NEEDED, {"place": "x"}, {"city": "x"}),
        guessed(
            call(("todos",), todos=list_of(LIMIT)),
            {"todo": {"limit": 1}},
            {"todos": [{"limit": 1}]},
        ),
        guessed(call(("user_id",), user_id=STRING), {"user": 5}, {"user_id": "5"}),
        guessed(call(a=NEEDED), {"a": {"place": "x"}}, {"a": {"city": "x"}}),
        guessed({"allOf": [NEEDED]}, {"place": "x"}, {"city": "x"}),
        guessed({"anyOf": [NEEDED, NULL]}, {"place": "x"}, {"city": "x"}),
        refused(NEEDED, {"days": 3}),
        refused(call(("diameter",), diameter=NUMBER), {"radius": 5}),
        refused(call(("price",), price=NUMBER), {"max_price": 5}),
        guessed(call(("price",), price=NUMBER), {"prices": 5}, {"price": 5}),
        refused(NEEDED, {"place": ["x"]}),
        refused(NEEDED, {"place": "x", "town": "y"}),
        refused(NEEDED, {"reasoning": "x"}),
        refused(NEEDED, {"input": "x"}),
        refused(NEEDED, {"country_name": "x"}),
        refused({"allOf": [NEEDED, {"properties": {"place": STRING}}]}, {"place": "x"}),
        refused({"anyOf": [NEEDED, call(("town",), town=STRING)]}, {"place": "x"}),
    ],
    "listed_pairs": [
        guessed(
            OBJECT_OF_INTEGERS,
            [{"key": "a", "value": 1}, {"key": "b", "value": "2"}],
            {"a": 1, "b": 2},
        ),
        guessed(CITY, [{"name": "city", "value": "x"}], {"city": "x"}),
        guessed(
            call(a=OBJECT),
            {"a": [{"key": "a", "value": 1}, {"key": "b", "value": 1}]},
            {"a": {"a": 1, "b": 1}},
        ),
        kept(call(a=ARRAY), {"a": [{"key": "a", "value": 1}]}),
        refused(OBJECT_OF_INTEGERS, [{"key": "a", "value": 1}, {"key": "a", "value": 2}]),
        refused(OBJECT_OF_INTEGERS, [{"key": 1, "value": 1}, {"key": 2, "value": 2}]),
        refused(OBJECT_OF_INTEGERS, []),
        refused(CITY, [{"key": "town", "value": "x"}]),
    ],
}
"""Whole calls."""


def rows() -> list[Any]:
    """Every row as a whole call, with its outcome under each preset."""
    parameters = (
        (rule, row._replace(schema=call(("x",), x=row.schema), sent={"x": row.sent}), True)
        for rule, table in PARAMETERS.items()
        for row in table
    )
    calls = ((rule, row, False) for rule, table in CALLS.items() for row in table)
    return [
        pytest.param(
            row.schema,
            row.sent,
            {
                preset: {"x": result} if wrapped and result is not REFUSED else result
                for preset in PRESETS
                for result in [getattr(row, preset)]
            },
            id=f"{rule}-{json.dumps(row.sent)[:30]}-{json.dumps(row.schema)[-60:]}",
        )
        for rule, row, wrapped in (*parameters, *calls)
    ]


def outcome(method: Callable[[Any], Any], sent: Any) -> Any:
    """What a method returns, or REFUSED."""
    try:
        return method(sent)
    except (ToolError, ValidationError):
        return REFUSED


def spelled(value: Any) -> Any:
    """A value as text that tells 3 from 3.0, and true from 1."""
    return value if value is REFUSED else json.dumps(value, sort_keys=True)


WAYS = ("validate", "validate_json", "model")


def by_all_ways(compiled: CompiledSchema, sent: Any) -> dict[str, Any]:
    """What a compiled schema makes of a value, as a value, as JSON text and from the model."""
    results = (
        outcome(compiled.validate, sent),
        outcome(compiled.validate_json, json.dumps(sent)),
        outcome(lambda value: compiled.model.model_validate(value).model_dump(), sent),
    )
    return dict(zip(WAYS, map(spelled, results), strict=True))


@pytest.mark.parametrize(("schema", "sent", "results"), rows())
def test_every_row(schema: Any, sent: Any, results: dict[str, Any]) -> None:
    """What is sent comes out as the table says, as values, as JSON text and from the model."""
    read = {
        preset: by_all_ways(compile_schema(schema, coercion=preset), sent) for preset in PRESETS
    }
    assert read == {preset: dict.fromkeys(WAYS, spelled(results[preset])) for preset in PRESETS}


# ----------------------------------------------------------------------------- single switches
ALONE: dict[str, tuple[Any, Any, Any]] = {
    "json_text": (ARRAY, '["a"]', ["a"]),
    "loose_json_text": (ARRAY, "['a']", ["a"]),
    "number_text": (INTEGER, "+5", 5),
    "boolean_words": (BOOLEAN, "yes", True),
    "null_words": (NULL, "None", None),
    "scalar_to_text": (STRING, 5, "5"),
    "quoted_choices": (ORDER, "'asc'", "asc"),
    "text_over_string": ({"type": ["integer", "string"]}, "5", 5),
    "null_words_over_string": ({"type": ["null", "string"]}, "None", None),
    "container_to_text": (STRING, [1], "[1]"),
    "scalar_to_list": (ARRAY, "a", ["a"]),
    "comma_text": (list_of(STRING), "a, b", ["a", "b"]),
    "choice_spelling": (ORDER, "Asc", "asc"),
    "item_envelope": (list_of(INTEGER), {"item": [1]}, [1]),
    "single_item": (INTEGER, [5], 5),
    "integral_floats": (INTEGER, 3.0, 3),
    "drop_null": (LIMIT, {"limit": None}, {}),
    "empty_arguments": (LIMIT, None, {}),
    "listed_arguments": (CITY, [{"city": "x"}], {"city": "x"}),
    "key_spelling": (CITY, {"City": "x"}, {"city": "x"}),
    "drop_unknown": (LIMIT, {"reason": "x"}, {}),
    "envelope": (CITY, {"input": {"city": "x"}}, {"city": "x"}),
    "drop_null_words": (LIMIT, {"limit": ""}, {}),
    "drop_placeholders": (call(sort=ORDER), {"sort": "N/A"}, {}),
    "xml_items": (list_of(STRING), "<item>a</item>", ["a"]),
    "nested_list": (list_of(INTEGER), [[5, 6]], [5, 6]),
    "flattened_keys": (TODOS, {"todos[0].id": 1}, {"todos": [{"id": 1}]}),
    "sole_key": (NEEDED, {"place": "x"}, {"city": "x"}),
    "listed_pairs": (OBJECT_OF_INTEGERS, [{"key": "a", "value": 1}], {"a": 1}),
}
TEXTS: dict[str, tuple[Any, str, Any]] = {
    "repair_text": (CITY, "{city: 'x'}", {"city": "x"}),
    "cut_off_text": (CITY, '{"city": "x', {"city": "x"}),
}
RULES = [field.name for field in dataclasses.fields(Coercion)]


def only(rule: str) -> Coercion:
    """A coercion of one rule, and of those without which it can say nothing."""
    needed = {"cut_off_text": {"repair_text": True}}.get(rule, {})
    return Coercion.off.replace(**{rule: True, **needed})


def method(compiled: CompiledSchema, rule: str) -> Callable[[Any], Any]:
    """The method by which a rule's row is sent."""
    return compiled.validate_json if rule in TEXTS else compiled.validate


@pytest.mark.parametrize("rule", sorted({**ALONE, **TEXTS}))
def test_a_rule_on_alone(rule: str) -> None:
    """A rule works with every other one off."""
    schema, sent, result = {**ALONE, **TEXTS}[rule]
    compiled = compile_schema(schema, coercion=only(rule))
    assert spelled(outcome(method(compiled, rule), sent)) == spelled(result)


@pytest.mark.parametrize("rule", sorted({**ALONE, **TEXTS}))
@pytest.mark.parametrize("preset", ["default", "untyped"])
def test_a_rule_off_alone(rule: str, preset: str) -> None:
    """A rule that is off does nothing, with the others on."""
    schema, sent, result = {**ALONE, **TEXTS}[rule]
    coercion = getattr(Coercion, preset).replace(**{rule: False})
    compiled = compile_schema(schema, coercion=coercion)
    assert spelled(outcome(method(compiled, rule), sent)) != spelled(result)


@pytest.mark.parametrize("text", ['"{\\"city\\": \\"x\\"}"', '"{city: 1}"', "'{}'", "[{}]", ""])
def test_off_reads_json_and_nothing_else(text: str) -> None:
    """Off, a string that holds JSON is a string, in the text of a call too."""
    compiled = compile_schema(OBJECT, coercion="off")
    assert outcome(compiled.validate_json, text) is REFUSED


def test_json_text_off_holds_for_the_whole_call() -> None:
    """The rule for JSON in a string is the one for a call within a string."""
    text = json.dumps(json.dumps({"city": "x"}))
    without = Coercion.default.replace(json_text=False, loose_json_text=False)
    assert compile_schema(CITY).validate_json(text) == {"city": "x"}
    assert outcome(compile_schema(CITY, coercion=without).validate_json, text) is REFUSED


@pytest.mark.parametrize("sent", ["-inf", "NaN", "Infinity", float("inf")], ids=str)
@pytest.mark.parametrize("schema", [NUMBER, either(NUMBER, ARRAY)], ids=["single", "union"])
def test_infinities_when_asked_for(sent: Any, schema: Any) -> None:
    """`allow_inf_nan` admits what JSON cannot spell, and so does `explain`."""
    compiled = compile_schema(schema, coercion=Coercion.default.replace(allow_inf_nan=True))
    expected = repr(float(sent))
    assert repr(compiled.validate(sent)) == expected
    assert repr(compiled.explain(sent).result) == expected


# --------------------------------------------------------------------------- the rule functions
UNITS: dict[str, list[tuple[Any, Any]]] = {
    "integer_text": [
        *[("10", 10), (" 10 ", 10), ("\t-7\n", -7), ("+5", 5), ("-0", 0), ("007", 7)],
        *[("10.0", 10), ("10.", 10), ("1e3", 1000), ("1E+3", 1000), ("120e-1", 12), ("0e9", 0)],
        *[("1e23", 10**23), ("9" * 4300, 10**4300 - 1), ("1e4299", 10**4299)],
        *[("9007199254740993", 2**53 + 1), ("9007199254740993.0", 2**53 + 1)],
    ],
    "number_text": [
        *[("10", 10), (" 10 ", 10), ("+5", 5), ("-.5", -0.5), ("5.", 5.0), ("1e3", 1000.0)],
        *[("0.1", 0.1), ("-0", 0), ("1e-400", 0.0), ("12345678901234567890", BIG)],
    ],
    "number_beyond_json": [
        *[("inf", float("inf")), ("-Infinity", -float("inf")), (" +INF ", float("inf"))],
    ],
    "integral_float": [(3.0, 3), (-0.0, 0), (1e23, int(1e23))],
    "boolean_word": [
        *[(word, True) for word in ("true", "YES", " on ", "1", "T", "y", 1)],
        *[(word, False) for word in ("false", "No", "off", "0", "f", "N", 0)],
    ],
    "null_word": [(word, None) for word in ("null", "None", "NULL", "", "  ", " none\n")],
    "scalar_text": [
        *[(True, "true"), (False, "false"), (5, "5"), (1.5, "1.5"), (3.0, "3.0")],
        *[(1e22, "1e+22"), (BIG, str(BIG))],
    ],
    "unquoted": [
        *[('"a"', "a"), ("'a'", "a"), ("`a`", "a"), (' "a" ', "a"), ('""', ""), ("''a''", "'a'")],
    ],
    "container_text": [
        *[({}, "{}"), ([], "[]"), ({"a": [1, None]}, '{"a":[1,null]}'), (["é"], '["é"]')],
    ],
    "one_item": [("a", ["a"]), (0, [0]), (False, [False]), ({}, [{}]), ("", [""])],
    "comma_items": [("a, b", ["a", "b"]), ("1,2,3", ["1", "2", "3"])],
    "enveloped_items": [
        *[({"item": [1]}, [1]), ({"item": 1}, [1]), ({"0": "a", "1": "b"}, ["a", "b"])],
    ],
    "enveloped_item": [({"item": 14}, 14), ({"item": None}, None)],
    "only_item": [([5], 5), ([[]], []), ([None], None)],
}
"""What each rule function reads."""

_NO_NUMBERS = (
    *("", " ", "+", "-", ".", "e", "e5", "1e", "1e+", "+-5", "- 5", "1 2", "1,5", "1.2.3", "ten"),
    *("0x10", "0b1", "1_000", "1__0", "\u0661\u0662", "\u00b2", "\uff11", "\u2212 5", "5%", "$5"),
    *("1e999999999", "1e99999", "9" * 4301, "1" + "0" * 100_000, "nan", "inf", "\ud800"),
    *(None, True, 5, 1.5, [], {}, b"5"),
)
UNMOVED: dict[str, tuple[Any, ...]] = {
    "integer_text": (*_NO_NUMBERS, "10.5", "1e-3", ".5"),
    "number_text": (*_NO_NUMBERS, "1e400", "-1e309"),
    "number_beyond_json": (
        "",
        "inf.",
        "infinite",
        "nano",
        "in f",
        "5",
        None,
        float("inf"),
        "n" * 99,
    ),
    "integral_float": (3.5, float("inf"), float("nan"), 3, "3.0", None, True),
    "boolean_word": ("maybe", "", "tru", "2", "y" * 99, 2, -1, 1.0, None, [], True),
    "null_word": ("nothing", "nil", "0", " " * 99, 0, False, [], None),
    "scalar_text": ("a", None, [], {}, float("inf"), float("nan"), 10**5000),
    "unquoted": ("a", "", '"', "'", "\"a'", '"a', 5, None),
    "container_text": ("a", 5, None, True),
    "one_item": (["a"], [], None),
    "comma_items": ("a", "", 5, None, ["a,b"]),
    "enveloped_items": ({}, {"items": []}, {"1": 1}, {"item": 1, "b": 2}, {"1": 1, "0": 0}, [1]),
    "enveloped_item": ({}, {"items": 1}, {"item": 1, "b": 2}, [1], None),
    "only_item": ([], [1, 2], "a", {"0": 1}, None),
}
"""What each rule function has nothing to say about."""


def _cases(table: Any) -> list[Any]:
    return [
        pytest.param(name, *(case if isinstance(case, tuple) else (case,)), id=f"{name}-{number}")
        for name, cases in table.items()
        for number, case in enumerate(cases)
    ]


def rule_function(name: str) -> Callable[[Any], Any]:
    """A rule function by its name."""
    found: Callable[[Any], Any] = getattr(rules if hasattr(rules, name) else regrouping, name)
    return found


@pytest.mark.parametrize(("name", "sent", "read"), _cases(UNITS))
def test_rule_functions_read(name: str, sent: Any, read: Any) -> None:
    """A rule function returns what a value can only have meant, of the right type."""
    result = rule_function(name)(sent)
    assert type(result) is type(read)
    assert result == read


@pytest.mark.parametrize(("name", "sent"), _cases(UNMOVED))
def test_rule_functions_leave_alone(name: str, sent: Any) -> None:
    """A rule function returns the very object where it has nothing to say."""
    assert rule_function(name)(sent) is sent


def test_nan_is_read() -> None:
    """NaN equals nothing, itself included."""
    assert repr(rules.number_beyond_json(" NaN ")) == "nan"


# ------------------------------------------------------------------------------------- Coercion
def test_presets_are_values() -> None:
    """The presets differ in the rules that the specification gives to them, and in no others."""
    default = dataclasses.asdict(Coercion.default)

    def beyond(preset: Coercion) -> set[str]:
        return {name for name, on in dataclasses.asdict(preset).items() if on != default[name]}

    assert not any(dataclasses.asdict(Coercion.off).values())
    assert beyond(Coercion.untyped) == {"text_over_string", "null_words_over_string"}
    assert beyond(Coercion.forgiving) == {
        *("scalar_to_list", "comma_text", "choice_spelling", "key_spelling", "envelope"),
        *("item_envelope", "xml_items", "single_item", "nested_list", "drop_placeholders"),
        *("flattened_keys", "sole_key", "listed_pairs"),
    }
    assert beyond(Coercion.lenient) - beyond(Coercion.forgiving) == {"drop_unknown", "cut_off_text"}
    assert beyond(Coercion.forgiving) < beyond(Coercion.lenient)
    assert Coercion() == Coercion.default
    assert not Coercion.lenient.allow_inf_nan


def test_every_rule_is_tested_alone() -> None:
    """No rule of `Coercion` is forgotten here."""
    assert {*ALONE, *TEXTS, "allow_inf_nan"} == set(RULES)
    assert set(ALONE) == {*PARAMETERS, *CALLS} - {"allow_inf_nan"}


def test_coercion_is_frozen_and_hashable() -> None:
    """Equal coercions are one key; none changes."""
    assert len({Coercion(), Coercion.default, Coercion.off.replace(json_text=True)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Coercion.default.json_text = False  # type: ignore[misc]


@pytest.mark.parametrize("name", ["json", "default", "reads_strings"])
def test_unknown_rules_are_refused(name: str) -> None:
    """A misspelled rule is an error, not a switch that does nothing."""
    with pytest.raises(TypeError, match=name):
        Coercion.default.replace(**{name: True})
    with pytest.raises(TypeError, match=name):
        Coercion(**{name: True})


@pytest.mark.parametrize("coercion", ["strict", "", None, 5, {}, "DEFAULT"])
def test_unknown_presets_are_refused(coercion: Any) -> None:
    """The message says which there are."""
    with pytest.raises(ValueError, match="default, off, untyped, forgiving, lenient"):
        compile_schema({}, coercion=coercion)


def test_presets_go_by_name() -> None:
    """A name and the value it stands for compile the same schema."""
    for name in PRESETS:
        named = compile_schema(LIMIT, coercion=name)
        assert named is compile_schema(LIMIT, coercion=getattr(Coercion, name))
        assert named.coercion == getattr(Coercion, name)
