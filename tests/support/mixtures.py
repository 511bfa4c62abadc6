"""Random schemas in which every subschema may carry every applicator, and values for them.

Everything is drawn from a `random.Random`, so that Hypothesis can shrink it (`st.randoms()`) and a
loop can draw millions of it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from random import Random
from typing import Any

from schema2model import Coercion

NAMES = ("a", "b", "ab")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
TEXTS = (
    *("", "a", "b", "ab", "null", "None", "true", "no", "1", "1.0", "0", " 2 ", "1e1", "2.5"),
    *("[]", "[1]", '["1"]', '{"a": 1}', '"1"', '"a"', '"\\"1\\""', "['a']", "{a: 1}", "a, b"),
    *("NaN", "inf", "[1.0]", '"null"', '{"a": "[1]"}', "'1'", "[[1]]", "A", "12345678901234567890"),
    *("N/A", "undefined", "{'a', 1}", '"a", "b"', "[a, b]", "<item>a</item><item>1</item>"),
)
SCALARS = (None, True, False, 0, 1, 2, -1, 1.0, 0.0, 2.5, 1e300, 2**53 + 1, 2**70)


def scalar(random: Random) -> Any:
    """A number, a word, or null."""
    return random.choice(SCALARS if random.random() < 0.5 else TEXTS)


def value(random: Random, depth: int = 3) -> Any:
    """A JSON value, more often than not near to what the schemas want; perhaps as its own text."""
    kind = random.randrange(10 if depth else 5)
    if kind < 5:
        return scalar(random)
    if kind < 7:
        made: Any = [value(random, depth - 1) for _ in range(random.randrange(4))]
    else:
        names = random.sample((*NAMES, "x"), random.randrange(4))
        made = {name: value(random, depth - 1) for name in names}
    return json.dumps(made) if random.randrange(5) == 0 else made


def near(random: Random, schema: Any, root: Any, depth: int = 4) -> Any:
    """A value that a schema may well accept, or that may well be read as one that it accepts."""
    if type(schema) is not dict or depth == 0 or random.randrange(12) == 0:
        return value(random, 1)
    options = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    if options and random.randrange(4):
        made = random.choice(options)
        return _misspelled(random, made)
    inside = [branch for word in ("anyOf", "oneOf", "allOf") for branch in schema.get(word, ())]
    if "$ref" in schema:
        inside.append(root["$defs"][schema["$ref"].rpartition("/")[2]])
    inside += [schema[word] for word in ("then", "else", "if") if word in schema]
    if inside and ("type" not in schema or random.randrange(2)):
        return near(random, random.choice(inside), root, depth)
    types = schema.get("type", ())
    kinds = [types] if isinstance(types, str) else list(types)
    if not kinds:
        kinds = ["object"] * ("properties" in schema) + ["array"] * ("items" in schema)
    kind = random.choice(kinds or TYPES)
    if kind == "object":
        properties = schema.get("properties", {})
        names = [name for name in properties if random.randrange(4)]
        names += [name for name in schema.get("required", ()) if name not in names]
        names += ["x"] * (random.randrange(4) == 0)
        other = schema.get("additionalProperties", True)
        made = {name: near(random, properties.get(name, other), root, depth - 1) for name in names}
    elif kind == "array":
        items = [*schema.get("prefixItems", ()), *[schema.get("items", True)] * random.randrange(3)]
        made = [near(random, item, root, depth - 1) for item in items]
    else:
        made = random.choice(_OF_TYPE[kind])
    return _misspelled(random, made)


_OF_TYPE: dict[str, tuple[Any, ...]] = {
    "null": (None, None, "null", "", "None"),
    "boolean": (True, False, "true", "no", 1, "", "N/A"),
    "integer": (0, 1, 2, 1.0, "1", "1.0", " 2 ", 2**70, "1e1", "", "None"),
    "number": (0, 1.5, 2.5, 1.0, "1", "1.0", "2.5", "1e1", 2**53 + 1),
    "string": ("a", "b", "ab", "1", "null", "[1]", 1, True, 2.5, '"a"'),
}


def _misspelled(random: Random, made: Any) -> Any:
    """A value, or what a model may have written in its place."""
    kind = random.randrange(12)
    if kind < 2:
        return _with_a_name_twice(random, made) if random.randrange(4) == 0 else json.dumps(made)
    if kind == 2:
        return repr(made)
    if kind == 3:
        return random.choice(([made], {"item": made}, [made, made], f"{made} ", [[made]]))
    if kind == 4:
        return _moved(random, made)
    return made


def _with_a_name_twice(random: Random, made: Any) -> str:
    """The JSON text of a value, an object perhaps with one member more whose name it has."""
    text = json.dumps(made)
    if type(made) is not dict or not made:
        return text
    name = random.choice(list(made))
    other = random.choice((made[name], scalar(random)))
    return f"{text[:-1]}, {json.dumps(name)}: {json.dumps(other)}}}"


def _moved(random: Random, made: Any) -> Any:
    """An object with its members elsewhere, or something around a value."""
    envelope = random.choice(("arguments", "input", "properties"))
    if type(made) is not dict or not made or random.randrange(4) == 0:
        return {envelope: made}
    kind = random.randrange(3)
    if kind == 0:
        return [{"key": name, "value": member} for name, member in made.items()]
    if kind == 1:
        name = random.choice([*made])
        other = random.choice(("q", f"{name}_", f"{name} {name}", name.upper(), f"{name}s"))
        return {other if each == name else each: member for each, member in made.items()}
    flat: dict[str, Any] = {}
    for name, member in made.items():
        if type(member) is dict and member:
            flat |= {f"{name}.{inner}": part for inner, part in member.items()}
        elif type(member) is list and member:
            flat |= {f"{name}[{index}]": item for index, item in enumerate(member)}
        else:
            flat[name] = member
    return flat


def choice(random: Random) -> Any:
    """A value for `enum` and `const`."""
    return scalar(random) if random.randrange(6) else value(random, 1)


Keyword = Callable[[Random, int], dict[str, Any]]


def _subschemas(random: Random, depth: int) -> list[Any]:
    return [schema(random, depth - 1) for _ in range(random.choice((1, 2, 2, 3)))]


def _named(random: Random, depth: int) -> dict[str, Any]:
    names = random.sample(NAMES, random.choice((1, 2, 3)))
    return {name: schema(random, depth - 1) for name in names}


def _type(random: Random, depth: int) -> dict[str, Any]:
    count = random.choice((1, 1, 1, 2, 2, 3))
    types = random.sample(TYPES, count)
    return {"type": types[0] if count == 1 else types}


ASSERTIONS: tuple[Keyword, ...] = (
    lambda r, _: {"enum": [choice(r) for _ in range(r.choice((1, 2, 3)))]},
    lambda r, _: {"const": choice(r)},
    lambda r, _: {r.choice(("minimum", "exclusiveMinimum")): r.choice((0, 1, 0.5, 2**53))},
    lambda r, _: {r.choice(("maximum", "exclusiveMaximum")): r.choice((1, 2, 2.5, -1))},
    lambda r, _: {"multipleOf": r.choice((1, 2, 0.5, 0.1))},
    lambda r, _: {"maxLength": r.choice((0, 1, 3))},
    lambda r, _: {"minLength": r.choice((1, 2))},
    lambda r, _: {"pattern": r.choice(("b$", "^a", "^[0-9]+$", "1"))},
    lambda r, _: {r.choice(("minItems", "maxItems")): r.choice((0, 1, 2))},
    lambda r, _: {"uniqueItems": True},
    lambda r, _: {r.choice(("minProperties", "maxProperties")): r.choice((0, 1, 2))},
    lambda r, _: {"required": r.sample((*NAMES, "x"), r.choice((1, 2)))},
    lambda r, _: {"dependentRequired": {r.choice(NAMES): [r.choice(NAMES)]}},
    lambda r, _: {"format": r.choice(("date", "email"))},
)
APPLICATORS: tuple[Keyword, ...] = (
    lambda r, d: {"properties": _named(r, d)},
    lambda r, d: {"properties": _named(r, d)},
    lambda r, d: {"patternProperties": {r.choice(("^a", "b$", "x")): schema(r, d - 1)}},
    lambda r, d: {"additionalProperties": schema(r, d - 1)},
    lambda _, __: {"additionalProperties": False},
    lambda r, d: {"items": schema(r, d - 1)},
    lambda r, d: {"items": schema(r, d - 1)},
    lambda r, d: {"prefixItems": _subschemas(r, d)},
    lambda r, d: {"contains": schema(r, d - 1)},
    lambda r, d: {"propertyNames": schema(r, d - 1)},
    lambda r, d: {"anyOf": _subschemas(r, d)},
    lambda r, d: {"anyOf": _subschemas(r, d)},
    lambda r, d: {"oneOf": _subschemas(r, d)},
    lambda r, d: {"allOf": _subschemas(r, d)},
    lambda r, d: {"not": schema(r, d - 1)},
    lambda r, d: {"if": schema(r, d - 1), "then": schema(r, d - 1), "else": schema(r, d - 1)},
    lambda r, d: {"dependentSchemas": {r.choice(NAMES): schema(r, d - 1)}},
    lambda r, _: {"$ref": f"#/$defs/{r.choice(NAMES)}"},
    lambda r, d: {r.choice(("unevaluatedProperties", "unevaluatedItems")): schema(r, d - 1)},
)


def schema(random: Random, depth: int = 3) -> Any:
    """A subschema of any keywords, none of which needs to make sense beside the others."""
    if random.randrange(25) == 0:
        return random.choice((True, True, False))
    made: dict[str, Any] = {}
    if random.randrange(3):
        made.update(_type(random, depth))
    for _ in range(random.choice((0, 0, 0, 0, 1, 1, 2))):
        made.update(random.choice(ASSERTIONS)(random, depth))
    if depth > 0:
        for _ in range(random.choice((0, 1, 1, 1, 2))):
            made.update(random.choice(APPLICATORS)(random, depth))
    return made


def document(random: Random) -> dict[str, Any]:
    """A whole schema. Its definitions do not refer to one another: circles are tried elsewhere."""
    root = schema(random)
    made = root if isinstance(root, dict) else {"allOf": [root]}
    if '"$ref"' in json.dumps(made):
        made["$defs"] = {}
        for name in NAMES:
            definition = schema(random, 1)
            made["$defs"][name] = (
                {"type": "integer"} if '"$ref"' in json.dumps(definition) else definition
            )
    return made


def coercion(random: Random) -> Coercion:
    """A preset, or any rules."""
    if random.randrange(2):
        return getattr(
            Coercion, random.choice(("default", "off", "untyped", "forgiving", "lenient"))
        )  # type: ignore[no-any-return]
    names = [field.name for field in dataclasses.fields(Coercion) if field.name != "allow_inf_nan"]
    return Coercion(**{name: random.random() < 0.6 for name in names})
