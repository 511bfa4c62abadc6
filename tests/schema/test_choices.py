"""Choices that apply together: the same verdict as jsonschema-rs's, in linear time."""

from __future__ import annotations

import contextlib
import gc
import random
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import jsonschema_rs
import pytest
from searching import every_nth, is_search
from waiting import calls, rounds

from schema2model import ToolError, compile_schema
from schema2model.apps.audit import audit
from schema2model.apps.codegen import generate
from schema2model.schema.choices import valid_choices

KINDS: dict[str, Callable[[int], Any]] = {
    "strings": lambda number: f"value {number}",
    "integers": lambda number: number,
    "large integers": lambda number: 2**70 + number,
    "floats": lambda number: number + 0.5,
    "arrays": lambda number: [number],
    "objects": lambda number: {"a": number},
    "mixed": lambda number: [number, f"{number}", number + 0.5, [number], {"a": number}][
        number % 5
    ],
}
FORMS: dict[str, Callable[[list[Any], list[Any]], Any]] = {
    "allOf": lambda one, other: {"allOf": [{"enum": one}, {"enum": other}]},
    "$ref": lambda one, other: {
        "enum": one,
        "$ref": "#/$defs/it",
        "$defs": {"it": {"enum": other}},
    },
    "not": lambda one, other: {"enum": one, "not": {"enum": other[1:]}},
    "if": lambda one, other: {"enum": one, "if": {"enum": other[5:]}, "then": {"enum": one[5:]}},
    "anyOf": lambda one, other: {"enum": one, "anyOf": [{"const": each} for each in other]},
    "oneOf": lambda one, other: {"enum": one, "oneOf": [{"const": each} for each in other]},
}
SMALL, LARGE = 150, 600
GENERATES = find_spec("datamodel_code_generator") is not None
"""True if classes can be generated: the extra `codegen` is not part of `dev`."""


def uses(choices: list[Any], schema: Any) -> None:
    """All that looks at the choices of a parameter."""
    whole = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    if "$defs" in schema:
        whole["$defs"] = schema["$defs"]
    compiled = compile_schema(whole)
    for value in ("no choice", {"no": "choice"}, f" {choices[3]}"):
        compiled.is_valid({"a": value})
        with contextlib.suppress(ToolError):
            compiled.validate({"a": value})
        compiled.explain({"a": value})
    compiled.strict("llguidance")
    definition = {"name": "t", "description": "A tool.", "inputSchema": whole}
    audit([definition])
    if type(choices[0]) is float and GENERATES:
        generate([definition])


def cost(kind: Callable[[int], Any], form: Callable[..., Any], size: int, enough: float) -> float:
    """The rounds that all uses of two enumerations take."""
    choices = list(map(kind, range(size)))
    return rounds(lambda: uses(choices, form(choices, choices[::-1])), enough)


def _pairs() -> list[tuple[str, str]]:
    """Kinds of choices, each with some of the forms, or in a search with all."""
    return [(kind, form) for n, kind in enumerate(KINDS) for form in every_nth([*FORMS], 3, n)]


@pytest.fixture(scope="module")
def no_garbage() -> Iterator[None]:
    """Nothing that earlier tests left is collected while time is measured."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.search
@pytest.mark.usefixtures("no_garbage")
@pytest.mark.parametrize(("kind", "form"), _pairs())
def test_enumerations_that_apply_together_take_linear_time(kind: str, form: str) -> None:
    """Four times the choices take about four times as long, not sixteen times.

    Each kind in two forms, and each form with two kinds or three.
    """
    most = 9 * cost(KINDS[kind], FORMS[form], SMALL, 0) + 3_000_000
    assert cost(KINDS[kind], FORMS[form], LARGE, most) <= most


VALUES = [None, True, False, 0, 1, 1.0, 1.5, -2, 10**30, "", "a", "b", [], [1], [1.0], {}, {"a": 1}]


def drawn(rng: random.Random, depth: int) -> Any:
    """A schema of keywords that apply to any value."""
    some = rng.sample(VALUES, rng.randint(1, 9))
    if not depth:
        return rng.choice([True, False, {"enum": some}, {"const": some[0]}, {"type": "integer"}])
    parts = [drawn(rng, depth - 1) for _ in range(3)]
    keywords = (
        ("enum", some),
        ("const", some[0]),
        ("type", rng.choice(["integer", "string", "array", ["number", "null", "object"]])),
        ("minimum", 1),
        ("maxLength", 0),
        ("anyOf", parts),
        ("oneOf", parts),
        ("allOf", parts[:1]),
        ("not", parts[0]),
        ("$ref", "#/$defs/it"),
        ("minItems", 1),
        ("unevaluatedProperties", False),
    )
    schema = {name: value for name, value in keywords if rng.random() < 0.2}
    if rng.random() < 0.3:
        schema |= {"if": parts[0], "then": parts[1], "else": parts[2]}
    return schema


@pytest.mark.search
def test_the_same_choices_are_valid_as_for_jsonschema() -> None:
    """For random combinations of keywords."""
    rng = random.Random(27)  # noqa: S311 - to draw schemas
    accepted = 0
    count = 10_000 if is_search() else 400
    for _ in range(count):
        schema = {"$defs": {"it": drawn(rng, 0)}, "allOf": [drawn(rng, 2)]}
        engine = compile_schema(schema)._engine
        test = valid_choices(engine.verdicts, (engine.root,), VALUES)
        expected = [each for each in VALUES if jsonschema_rs.is_valid(schema, each)]
        assert [each for each in VALUES if test(each)] == expected, schema
        accepted += len(expected)
    assert accepted > 2.5 * count


def test_a_chain_of_references_is_coerced_in_little_time() -> None:
    """Of the greatest length that compiles; each link was once compiled with all after it."""
    links: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(900)}
    links["d900"] = {"type": "integer", "title": "the end"}
    compiled = compile_schema({"$ref": "#/$defs/d0", "$defs": links})
    with calls(15_000_000):
        assert compiled.coerce("3") == 3
