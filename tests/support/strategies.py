"""Hypothesis strategies: JSON Schemas of every keyword, and values that lie close to them.

A value drawn blindly hardly ever satisfies a schema, nor comes near it. So values are grown along
the schema: at each place something it asks for, now and then misspelled as models misspell it.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from hypothesis import strategies as st

Draw = st.DrawFn

NAMES = ("a", "b", "c", "A", "a_b", "aB", "item", "0", "", "$ref", "root", "model_dump", "x" * 40)
"""Few names, so that schemas and values meet; some that Python or pydantic give a meaning."""

_INTEGERS = (0, 1, 2, 3, -1, 10, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 2**100)
_FLOATS = (0.0, -0.0, 1.0, 0.5, 1.5, 3.0, -2.5, 0.1, 1e16, float(2**53), float(2**63), 2.0**900)
_TEXTS = (
    *("", " ", "a", "A", "b", "ab", "abc", "é", "\U0001f600", "e\u0301"),
    *("0", "1", "1.0", " 10 ", "1e3", "-0", "+5", "-.5", "NaN", "-inf", "9007199254740993"),
    *("true", "True", "no", "null", "None", '"a"', "'a'", '"1"', '"[1]"'),
    *("[]", "[1]", "[1, 2]", '["a"]', "['a', True]", "[1,]", '"[\\"a\\"]"', "{}", '{"a": 1}'),
    *("{a: 1}", '{"a": "1"}', '{"a": "[1]"}', "a, b", "[1", '{"a', "```json\n[1]\n```"),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(_INTEGERS),
    st.sampled_from(_FLOATS),
    st.sampled_from(_TEXTS),
)
_PATTERNS = ("a", "^a", "^[ab]+$", "b$", "^$", "^\\d+$", "^(?!a)", "\\S", "^.{2}$")
_names = st.sampled_from(NAMES)
_counts = st.sampled_from((0, 1, 2, 3, 1.0, 10**30))
_bounds = st.sampled_from(
    (0, 1, 2, 1.0, 1.5, -1, 0.5, 10, 2**53, 2**53 + 1, 2**63, 2**100, 2.0**900)
)
_steps = st.sampled_from((1, 2, 3, 1.0, 0.5, 1.5, 0.1, 0.01, 2**53, 10**20))
_types = st.sampled_from(
    ("null", "boolean", "integer", "number", "string", "string", "array", "object")
)

json_values = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=6,
)
"""Any JSON value."""


# -------------------------------------------------------------------------------- schemas
@functools.cache
def schemas(*, of_objects: bool = False) -> st.SearchStrategy[Any]:
    """A JSON Schema of 2020-12 that no reference leads around in a circle, all on one value.

    Most values for it are objects, if so asked.
    """
    return _documents(of_objects).filter(lambda schema: not _circular(schema, schema, ()))


def _circular(schema: Any, root: Any, way: tuple[int, ...]) -> bool:
    """Whether a subschema, in judging a value, asks itself about the same value."""
    if not isinstance(schema, dict):
        return False
    if id(schema) in way:
        return True
    parts = [schema[name] for name in ("not", "if", "then", "else") if name in schema]
    parts += [part for name in ("allOf", "anyOf", "oneOf") for part in schema.get(name, ())]
    parts += schema.get("dependentSchemas", {}).values()
    if "$ref" in schema:
        parts.append(_target(schema["$ref"], root))
    if schema is root:
        parts += schema.get("$defs", {}).values()
    return any(_circular(part, root, (*way, id(schema))) for part in parts)


def _target(reference: str, root: Any) -> Any:
    return root if reference == "#" else root["$defs"][reference.removeprefix("#/$defs/")]


@functools.cache
@st.composite
def _documents(draw: Draw, of_objects: bool) -> Any:  # noqa: FBT001 - `schemas` has the name
    """A schema, with definitions that it and they may refer to."""
    targets = draw(st.sampled_from(((), (), ("#",), ("#/$defs/a",), ("#/$defs/a", "#/$defs/b"))))
    if of_objects:
        inner = _subschemas(2, targets)
        schema = draw(_objects(inner))
        if draw(st.integers(0, 3)) == 0:
            schema |= draw(draw(st.sampled_from(_EXOTIC))(inner))
    else:
        schema = draw(_subschemas(3, targets))
    names = [target.removeprefix("#/$defs/") for target in targets if target != "#"]
    if not names:
        return schema
    if not isinstance(schema, dict):
        schema = {"$ref": targets[0]}
    return {**schema, "$defs": {name: draw(_subschemas(2, targets)) for name in names}}


@functools.cache
@st.composite
def _subschemas(draw: Draw, depth: int, targets: tuple[str, ...]) -> Any:
    """A subschema: often what tools declare, at times several keywords thrown together."""
    if depth <= 0:
        return draw(_flat())
    if targets and draw(st.integers(0, 4)) == 0:
        return {"$ref": draw(st.sampled_from(targets))}
    shape = draw(st.integers(0, 11))
    inner = _subschemas(depth - 1, targets)
    if shape <= 2:
        return draw(_flat())
    if shape <= 5:
        return draw(_objects(inner))
    if shape <= 7:
        return draw(_arrays(inner))
    if shape == 8:
        return {draw(st.sampled_from(("anyOf", "oneOf"))): draw(_several(inner))}
    if shape == 9:
        return draw(st.sampled_from((True, {}, False)))
    schema: dict[str, Any] = {}
    for part in draw(st.lists(st.sampled_from(_EXOTIC), min_size=1, max_size=3)):
        schema |= draw(part(inner))
    return schema


@functools.cache
@st.composite
def _flat(draw: Draw) -> Any:
    """A schema without subschemas."""
    shape = draw(st.integers(0, 9))
    if shape <= 4:
        kind = draw(_types)
        return {"type": kind, **draw(_assertions(kind))}
    if shape == 5:
        kinds = draw(st.lists(_types, min_size=1, max_size=4, unique=True))
        return {"type": kinds, **draw(_assertions(kinds[0]))}
    if shape == 6:
        return {"enum": draw(st.lists(_choices, min_size=1, max_size=4))}
    if shape == 7:
        return {"const": draw(_choices)}
    if shape == 8:
        return {"type": draw(_types), "enum": draw(st.lists(_choices, min_size=1, max_size=3))}
    return draw(_assertions(draw(_types)))


_choices = SCALARS | st.sampled_from(([], {}, [1], [1.0, "a"], {"a": 1}, {"a": [True]}, [[0]]))


@functools.cache
@st.composite
def _assertions(draw: Draw, kind: str) -> dict[str, Any]:
    """Bounds for one type, or none."""
    keywords = {
        "integer": (_BOUNDS, 2),
        "number": (_BOUNDS, 2),
        "string": (_LENGTHS, 2),
        "array": (_SIZES, 1),
        "object": (_WIDTHS, 1),
    }
    table, most = keywords.get(kind, ({"title": st.just("t")}, 1))
    names = draw(st.lists(st.sampled_from(sorted(table)), max_size=most, unique=True))
    return {name: draw(table[name]) for name in names}


_BOUNDS = {
    "minimum": _bounds,
    "maximum": _bounds,
    "exclusiveMinimum": _bounds,
    "exclusiveMaximum": _bounds,
    "multipleOf": _steps,
}
_LENGTHS = {"minLength": _counts, "maxLength": _counts, "pattern": st.sampled_from(_PATTERNS)}
_SIZES = {"minItems": _counts, "maxItems": _counts, "uniqueItems": st.booleans()}
_WIDTHS = {"minProperties": _counts, "maxProperties": _counts}


@functools.cache
def _several(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(inner, min_size=1, max_size=3)


@functools.cache
@st.composite
def _objects(draw: Draw, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    """What the parameters of a tool look like."""
    properties = draw(st.dictionaries(_names, inner, max_size=3))
    schema: dict[str, Any] = {"properties": properties}
    if draw(st.integers(0, 5)):
        schema["type"] = draw(st.sampled_from(("object", "object", ["object", "null"])))
    required = st.sampled_from(sorted(properties)) if properties else _names
    schema["required"] = draw(st.lists(required, max_size=2, unique=True))
    extra = draw(st.integers(0, 5))
    if extra == 0:
        schema["patternProperties"] = {draw(st.sampled_from(_PATTERNS)): draw(inner)}
    if extra <= 2:
        schema["additionalProperties"] = draw(st.sampled_from((False,)) | inner)
    return schema


@functools.cache
@st.composite
def _arrays(draw: Draw, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Lists, and now and then tuples."""
    schema: dict[str, Any] = {"items": draw(inner), **draw(_assertions("array"))}
    if draw(st.integers(0, 5)):
        schema["type"] = "array"
    if draw(st.integers(0, 3)) == 0:
        schema["prefixItems"] = draw(_several(inner))
    return schema


def _one(keyword: str) -> Any:
    return lambda inner: st.fixed_dictionaries({keyword: inner})


def _list(keyword: str) -> Any:
    return lambda inner: st.fixed_dictionaries({keyword: _several(inner)})


def _named(keyword: str) -> Any:
    return lambda inner: st.fixed_dictionaries(
        {keyword: st.dictionaries(_names, inner, min_size=1, max_size=2)}
    )


_EXOTIC = (
    _objects,
    _arrays,
    lambda inner: _flat(),
    _list("allOf"),
    _list("anyOf"),
    _list("oneOf"),
    _one("not"),
    lambda inner: st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
    lambda inner: st.fixed_dictionaries(
        {"contains": inner}, optional={"minContains": _counts, "maxContains": _counts}
    ),
    _one("propertyNames"),
    _one("unevaluatedProperties"),
    _one("unevaluatedItems"),
    _named("dependentSchemas"),
    lambda inner: st.fixed_dictionaries(
        {
            "dependentRequired": st.dictionaries(
                _names, st.lists(_names, max_size=2, unique=True), max_size=2
            )
        }
    ),
    lambda inner: st.fixed_dictionaries({"default": json_values}),
)


# -------------------------------------------------------------------------------- values
@st.composite
def calls(draw: Draw, *, strings: bool = True) -> tuple[Any, list[Any]]:
    """A schema, and a few values for it; without strings anywhere in them, if so asked."""
    schema = draw(schemas())
    values = draw(st.lists(arguments_for(schema), min_size=1, max_size=4))
    if not strings:
        values = [_without_strings(value) for value in values]
    return schema, values


def _without_strings(value: Any) -> Any:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return [_without_strings(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_strings(item) for name, item in value.items()}
    return value


@st.composite
def arguments_for(draw: Draw, schema: Any) -> Any:
    """Values that satisfy a schema, or nearly do."""
    return _grown(draw, schema, schema, 5)


def _grown(draw: Draw, schema: Any, root: Any, depth: int) -> Any:
    """A value for a subschema, misspelled one time in five."""
    value = _meant(draw, schema, root, depth)
    return _misspelled(draw, value) if draw(st.integers(0, 4)) == 0 else value


def _misspelled(draw: Draw, value: Any) -> Any:
    """What a model might send instead of a value."""
    way = draw(st.integers(0, 7))
    if way <= 2:
        return json.dumps(value)
    if way == 3:
        return repr(value)
    if way == 4 and isinstance(value, (int, float)):
        return draw(st.sampled_from((str(value), bool(value), value + 1, [value])))
    if way == 4:
        return draw(st.sampled_from(([value], {"item": value}, None)))
    if way == 5 and isinstance(value, float) and value.is_integer():
        return int(value)
    if way == 5 and isinstance(value, int) and abs(value) < 2**53:
        return float(value)
    return draw(json_values)


def _meant(draw: Draw, schema: Any, root: Any, depth: int) -> Any:
    """A value that one of a schema's keywords asks for."""
    if depth <= 0 or not isinstance(schema, dict) or not schema:
        return draw(json_values)
    keyword = draw(st.sampled_from(sorted(schema)))
    value = schema[keyword]
    if keyword == "$ref":
        return _grown(draw, _target(value, root), root, depth - 1)
    if keyword == "const":
        return value
    if keyword == "enum":
        return draw(st.sampled_from(value))
    if keyword in {"allOf", "anyOf", "oneOf"}:
        return _grown(draw, draw(st.sampled_from(value)), root, depth - 1)
    if keyword in {"if", "then", "else", "not"}:
        return _grown(draw, value, root, depth - 1)
    if keyword in _BOUNDS:
        return draw(st.sampled_from((value, value + 1, value - 1, value * 2, value + 0.5)))
    if keyword in _OF_OBJECTS:
        return _objects_for(draw, schema, root, depth - 1)
    if keyword in _OF_ARRAYS:
        return _arrays_for(draw, schema, root, depth - 1)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return (
        _of_type(draw, draw(st.sampled_from(kinds)), schema, root, depth)
        if kinds
        else draw(SCALARS)
    )


_OF_OBJECTS = frozenset(
    (
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
        *("dependentSchemas", "dependentRequired", "unevaluatedProperties"),
        *("minProperties", "maxProperties"),
    )
)
_OF_ARRAYS = frozenset(
    (
        *("items", "prefixItems", "contains", "unevaluatedItems"),
        *("uniqueItems", "minItems", "maxItems"),
    )
)


_OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "integer": st.sampled_from(_INTEGERS) | st.integers(),
    "number": st.sampled_from(_FLOATS) | st.integers(-3, 3),
    "string": st.sampled_from(_TEXTS) | st.text(max_size=3),
}


def _of_type(draw: Draw, kind: str, schema: Any, root: Any, depth: int) -> Any:
    """A value of a type; its members are what the schema asks for."""
    if kind in _OF_TYPE:
        return draw(_OF_TYPE[kind])
    return (_objects_for if kind == "object" else _arrays_for)(draw, schema, root, depth - 1)


def _objects_for(draw: Draw, schema: Any, root: Any, depth: int) -> dict[str, Any]:
    """An object with the properties that a schema requires, and some of those it declares."""
    properties = schema.get("properties", {})
    names = list(schema.get("required", []))
    names += [name for name in properties if name not in names and draw(st.booleans())]
    if draw(st.integers(0, 3)) == 0:
        names.append(draw(_names))
    result = {}
    for name in names:
        below = properties.get(name, schema.get("additionalProperties", True))
        result[name] = None if draw(st.integers(0, 9)) == 0 else _grown(draw, below, root, depth)
    return result


def _arrays_for(draw: Draw, schema: Any, root: Any, depth: int) -> list[Any]:
    """A short array of the items that a schema asks for."""
    prefix = schema.get("prefixItems", [])
    rest = schema.get("items", schema.get("contains", True))
    length = draw(st.integers(0, 3))
    return [
        _grown(draw, prefix[index] if index < len(prefix) else rest, root, depth)
        for index in range(length)
    ]
