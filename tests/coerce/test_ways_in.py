"""One meaning: whichever way arguments take, they come out the same, in value and in type."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, strategies as st
from mixtures import coercion, document, near, value
from pydantic import ValidationError
from rows import row
from searching import every_nth, examples

from schema2model import (
    Coercion,
    CompiledSchema,
    Explanation,
    SchemaError,
    ToolError,
    compile_schema,
)
from schema2model.tools.tool import with_parts
from schema2model.tools.tool_parts import ToolParts

REFUSED = "refused"


def typed(value: Any) -> Any:
    """A value in a form in which True, 1 and 1.0 differ, and the order of keys does not count."""
    if isinstance(value, dict):
        return {name: typed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return type(value).__name__, value


def outcome(way: Callable[[], Any]) -> Any:
    """What comes out; any other exception than those for the model fails the test."""
    try:
        result = way()
    except (ToolError, ValidationError):
        return REFUSED
    if isinstance(result, Explanation):
        return REFUSED if result.error is not None else typed(result.result)
    return typed(result)


def ways(compiled: CompiledSchema, sent: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All ways for a value; those for its text, too, unless a string would be read as text."""
    tool = with_parts(ToolParts("tool", "", compiled))
    yield "validate", lambda: compiled.validate(sent)
    yield "explain", lambda: compiled.explain(sent)
    yield "model", lambda: compiled.model.model_validate(sent).model_dump()
    yield "the search", lambda: compiled._engine.search.result(compiled._engine.search.read(sent))
    if isinstance(sent, dict):
        yield "prepare", lambda: tool.prepare(sent).arguments
    if isinstance(sent, str):
        return
    text = json.dumps(sent)
    yield "validate_json", lambda: compiled.validate_json(text)
    yield "validate_json of bytes", lambda: compiled.validate_json(text.encode())
    yield "explain_json", lambda: compiled.explain_json(text)
    yield "model, JSON", lambda: compiled.model.model_validate_json(text).model_dump()
    yield "prepare, text", lambda: tool.prepare(text).arguments
    yield "partial", lambda: ended(compiled, text)


def ended(compiled: CompiledSchema, text: str) -> Any:
    """What a call is in the end whose text has arrived in two pieces."""
    arriving = compiled.partial()
    arriving.feed(text[: len(text) // 2])
    arriving.feed(text[len(text) // 2 :])
    return arriving.finish()


def is_valid(schema: Any, value: Any) -> bool | None:
    """The verdict of two independent validators; None where they differ."""
    one = jsonschema.Draft202012Validator(schema).is_valid(value)
    return one if jsonschema_rs.Draft202012Validator(schema).is_valid(value) == one else None


@examples(50)
@given(st.randoms(use_true_random=False))
def test_all_ways_in_lead_to_the_same(random: Any) -> None:
    """Under any rules and any keywords; and what comes out is valid, and stays as it is."""
    schema, rules = document(random), coercion(random)
    try:
        compiled = compile_schema(schema, coercion=rules)
    except SchemaError:
        return
    for _ in range(3):
        sent = near(random, schema, schema) if random.randrange(6) else value(random)
        outcomes = {way: outcome(run) for way, run in ways(compiled, sent)}
        first = outcomes["validate"]
        assert all(other == first for other in outcomes.values()), outcomes
        if first == REFUSED:
            assert is_valid(schema, sent) is not True, "identity"
            continue
        result = compiled.validate(sent)
        assert is_valid(schema, result) is not False, "soundness"
        assert outcome(lambda result=result: compiled.validate(result)) == first, "idempotence"
        if not rules.reads_strings and is_valid(schema, sent):
            assert result == sent, "identity"


# ------------------------------------------------------------------ a branch that says more
NULLS: dict[str, dict[str, Any]] = {
    "not": {"not": {}},
    "allOf": {"allOf": [False]},
    "anyOf": {"anyOf": [False]},
    "oneOf": {"oneOf": [{}, {}]},
    "$ref": {"$ref": "#/$defs/never"},
    "if": {"if": {}, "then": False},
    "enum": {"enum": [1]},
    "const": {"const": 1},
}
BESIDE: dict[str, list[Any]] = {
    "an integer": [{"type": "integer"}],
    "tagged objects": [
        {"type": "object", "properties": {"k": {"const": tag}}, "required": ["k"]} for tag in "ab"
    ],
    "two types": [{"type": ["integer", "boolean"]}],
}


@pytest.mark.search
@pytest.mark.parametrize("more", NULLS)
@pytest.mark.parametrize("others", BESIDE)
def test_a_null_that_says_more_is_no_plain_null(more: str, others: str) -> None:
    """Nothing is put in the place of a node that says more than what is put there.

    Under each preset, in one of the unions; in the other one among other branches.
    """
    first = [*NULLS].index(more) + [*BESIDE].index(others)
    for union, preset in (
        (union, preset)
        for number, preset in enumerate(("off", "default", "untyped", "lenient"), first)
        for union in every_nth(("anyOf", "oneOf"), 2, number)
    ):
        place = {union: [*BESIDE[others], {"type": "null", **NULLS[more]}]}
        within = {"properties": {"p": place}, "required": ["p"]}
        for schema, values in (
            (place, [None, "null", ""]),
            (within, [{"p": None}, {"p": "null"}]),
        ):
            with row(union, preset):
                compiled = compile_schema({**schema, "$defs": {"never": False}}, coercion=preset)
                for sent in values:
                    for way, run in ways(compiled, sent):
                        assert outcome(run) == REFUSED, (sent, way)


# ----------------------------------------------------------------------------------- untyped
@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "number"}, {"enum": ["1"]}]},
        {"anyOf": [{"type": "boolean"}, {"const": "true"}]},
        {"anyOf": [{"type": "null"}, {"enum": ["null", "1"]}]},
        {"anyOf": [{"type": "array"}, {"enum": ["[1]"]}]},
        {"type": ["string", "number", "boolean", "null", "array"], "maxLength": 4},
    ],
    ids=repr,
)
@pytest.mark.parametrize("text", ["1", "true", "null", "[1]"])
@pytest.mark.parametrize("within", [False, True], ids=["alone", "within"])
@pytest.mark.parametrize(
    "rules",
    [Coercion.untyped, Coercion.default.replace(text_over_string=True)],
    ids=["untyped", "over strings"],
)
def test_what_untyped_has_read_it_reads_no_further(
    schema: Any,
    text: str,
    within: bool,  # noqa: FBT001
    rules: Coercion,
) -> None:
    """However often the text is a text of a text."""
    compiled = compile_schema({"properties": {"p": schema}} if within else schema, coercion=rules)
    for _ in range(7):
        value = {"p": text} if within else text
        once = outcome(lambda value=value: compiled.validate(value))
        if once != REFUSED:
            result = compiled.validate(value)
            assert outcome(lambda result=result: compiled.validate(result)) == once, text
        text = json.dumps(text)


# ------------------------------------------------------------------------------ order of keys
ORDER = """
from schema2model import compile_schema
from schema2model.tools.tool import Tool
schema = {"required": [*"zyxwvutsrq"], "properties": {"a": {"type": "integer"}}}
compiled = compile_schema(schema)
sent = {name: 1 for name in "qrstuvwxyz"} | {"a": "1"}
print(Tool.from_schema(schema, name="t").prepare(sent).canonical, [*compiled.validate(sent)])
"""


def test_the_order_of_keys_is_the_same_in_every_process() -> None:
    """It means nothing, but two runs of one program agree."""
    said = {
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", ORDER],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(said) == 1


# -------------------------------------------------------------------------------- patterns
PATTERNS = [
    *("(?i)^x-", "(?P<a>x)", "(?s).", r"\A", r"\z", "a++", "]", "}", "^*", "$?", r"\p{L}"),
    *(r"[\w\W]{1000}{1000}", "(?<=a)b", r"(a)\1", "x{,3}", "(?#c)x", r"\Z", r"\h", "[a-z&&[^b]]"),
]
DIALECTS = ("2020-12", "2019-09", "draft-07", "draft-06", "draft-04")
JUDGES = [
    *((dialect, "default") for dialect in DIALECTS),
    *((DIALECTS[0], preset) for preset in ("forgiving", "lenient", "untyped")),
]


@pytest.mark.search
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("keyword", ["patternProperties", "pattern", "propertyNames"])
def test_a_pattern_is_judged_once(pattern: str, keyword: str) -> None:
    """It is refused when the schema is compiled, or works ever after, in every way in.

    By default under every other one of the dialects and presets, for the next pattern the others.
    """
    schema: dict[str, Any] = {
        "patternProperties": {"patternProperties": {pattern: {"type": "integer"}}},
        "pattern": {"properties": {"x-a": {"pattern": pattern}}},
        "propertyNames": {"propertyNames": {"pattern": pattern}},
    }[keyword]
    for dialect, preset in every_nth(JUDGES, 2, PATTERNS.index(pattern)):
        try:
            compiled = compile_schema(schema, dialect=dialect, coercion=preset)
        except SchemaError:
            continue
        for sent in ({"x-a": "1"}, {"q": "1", "X-A": 2.0}, {"": "b"}, "x"):
            with row(dialect, preset, sent):
                for _, run in ways(compiled, sent):
                    outcome(run)
                compiled.coerce(sent)
