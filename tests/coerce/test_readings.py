"""The search for what was meant: how far it reaches, how unions are settled, what it costs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_tests import coercions, each_case
from cases import Case, spelled
from waiting import calls

from schema2model import ToolError, compile_schema
from schema2model.coerce.search import reader as search
from schema2model.coerce.search.argument_search import search_arguments
from schema2model.json.values import plain_copy

INTEGER, STRING, BOOLEAN = ({"type": name} for name in ("integer", "string", "boolean"))
INTEGERS = {"type": "array", "items": INTEGER}


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


def nested(schema: Any) -> dict[str, Any]:
    """Return the schema of a call whose parameter `x` has a schema."""
    shared = {name: schema[name] for name in ("$defs", "$schema") if name in schema}
    inner = {name: value for name, value in schema.items() if name not in shared}
    return {**call("x", x=inner), **shared}


@each_case("subschemas")
def test_coercion_reaches_through(case: Case) -> None:
    """Every keyword that applies subschemas passes coercion on, at the root and below."""
    assert compile_schema(case.schema).validate(case.input) == case.result
    compiled = compile_schema(nested(case.schema))
    assert compiled.validate({"x": case.input}) == {"x": case.result}
    assert compiled.validate(json.dumps({"x": case.input})) == {"x": case.result}


CREATE = call("action", "name", action={"const": "create"}, name=STRING, size=INTEGER)
DELETE = call("action", "id", action={"const": "delete"}, id=INTEGER, force=BOOLEAN)
TAGGED = any_of(CREATE, DELETE)


@each_case("unions", "unions")
def test_unions(case: Case) -> None:
    """What is valid stays; else the fewest changes win, and then the schema's order."""
    sent, read = case.input, case.result
    for schema, value, expected in (
        (case.schema, sent, read),
        (call("x", x=case.schema), {"x": sent}, {"x": read}),
        ({"type": "array", "items": case.schema, "minItems": 1}, [sent, sent], [read, read]),
    ):
        assert spelled(compile_schema(schema).validate(value)) == spelled(expected)


@each_case("unions", "refused")
def test_no_reading(case: Case) -> None:
    """A reading has to satisfy the whole schema."""
    with pytest.raises(ToolError):
        compile_schema(case.schema).validate(case.input)


@each_case("strings")
def test_text_for_a_string_stays_text(case: Case) -> None:
    """No rule parses a string that the schema declares, and no digit of an integer is lost."""
    for coercion in coercions(case):
        compiled = compile_schema(case.schema, coercion=coercion)
        assert compiled.validate(case.input) == case.result
        explanation = compiled.explain(case.input)
        assert explanation.result == case.result
        assert bool(explanation.changes) == (spelled(case.input) != spelled(case.result))


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
    reader = Counted(compiled._engine.root, compiled._engine.verdicts, compiled._engine.rules)
    search_arguments(reader, plain_copy(value))
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
    """A string in a string is read `MAX_REINTERPRETATIONS` times, and no deeper."""
    text = "[1]"
    for _ in range(search.MAX_REINTERPRETATIONS - 1):
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
    with calls(50_000):
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
    with calls(220_000), pytest.raises(ToolError):
        compile_schema(schema).validate(sent)
