"""What strangers may send: schemas and arguments that are built to hurt, and a place to try them.

`outcome_of` tries one in another process, whose time and memory are limited, since what it is to
show may be a crash.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from typing import Any

from cases import DATA
from limited import SECONDS, limited

Build = Callable[[], Any]


def nested(levels: int, wrap: Callable[[Any], Any], innermost: Any) -> Any:
    """A value wrapped so many times; built without recursion."""
    for _ in range(levels):
        innermost = wrap(innermost)
    return innermost


# -------------------------------------------------------------------------------- schemas
def fan(applied: Callable[[dict[str, str]], dict[str, Any]]) -> Build:
    """Sixty definitions, each of which refers to the next one twice: 2**60 ways to the last."""

    def build() -> Any:
        definitions: dict[str, Any] = {"d60": {"type": "integer"}}
        for index in range(60):
            definitions[f"d{index}"] = applied({"$ref": f"#/$defs/d{index + 1}"})
        return {"$ref": "#/$defs/d0", "$defs": definitions}

    return build


def chain(length: int, link: Callable[[dict[str, str]], dict[str, Any]]) -> Build:
    """Definitions, each of which refers to the next one once."""

    def build() -> Any:
        definitions: dict[str, Any] = {f"d{length}": {"type": "integer"}}
        for index in range(length):
            definitions[f"d{index}"] = link({"$ref": f"#/$defs/d{index + 1}"})
        return {"$ref": "#/$defs/d0", "$defs": definitions}

    return build


def containing_itself() -> Any:
    """A Python dictionary that is its own member."""
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"again": schema}
    return schema


def choices_containing_themselves() -> Any:
    """A Python list that is its own item."""
    choices: list[Any] = []
    choices.append(choices)
    return {"enum": choices}


def _names(count: int) -> list[str]:
    return [f"name{index}" for index in range(count)]


SCHEMAS: dict[str, Build] = {
    "deep_properties": lambda: nested(100_000, lambda s: {"properties": {"a": s}}, {}),
    "deep_items": lambda: nested(100_000, lambda s: {"items": s}, {}),
    "deep_all_of": lambda: nested(100_000, lambda s: {"allOf": [s]}, {}),
    "deep_not": lambda: nested(100_000, lambda s: {"not": s}, {}),
    "deep_constant": lambda: {"const": nested(100_000, lambda s: [s], 1)},
    "deep_default": lambda: {"default": nested(100_000, lambda s: {"a": s}, 1)},
    "deep_as_allowed": lambda: nested(90, lambda s: {"properties": {"a": s}}, {"type": "integer"}),
    "deep_union_as_allowed": lambda: nested(
        60, lambda s: {"anyOf": [s, {"type": "null"}]}, {"type": "integer"}
    ),
    "containing_itself": containing_itself,
    "choices_containing_themselves": choices_containing_themselves,
    "shared_python_objects": lambda: nested(40, lambda s: {"properties": {"a": s, "b": s}}, {}),
    "shared_python_lists": lambda: {"enum": nested(60, lambda s: [s, s], [0] * 100)},
    "fan_of_all_of": fan(lambda ref: {"allOf": [ref, ref]}),
    "fan_of_any_of": fan(lambda ref: {"anyOf": [ref, ref]}),
    "fan_of_one_of": fan(lambda ref: {"oneOf": [ref, ref]}),
    "fan_of_properties": fan(lambda ref: {"properties": {"a": ref, "b": ref}}),
    "fan_of_items": fan(lambda ref: {"prefixItems": [ref, ref], "items": ref}),
    "fan_of_conditions": fan(lambda ref: {"if": ref, "then": ref, "else": ref}),
    "fan_of_not": fan(lambda ref: {"not": ref, "allOf": [ref]}),
    "chain_of_references": chain(10_000, dict),
    "chain_of_all_of": chain(5_000, lambda ref: {"allOf": [ref]}),
    "chain_of_properties": chain(3_000, lambda ref: {"properties": {"a": ref}}),
    "chain_of_not": chain(5_000, lambda ref: {"not": ref}),
    "many_properties": lambda: {"properties": {name: {} for name in _names(100_000)}},
    "many_typed_properties": lambda: {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in _names(5_000)},
    },
    "many_required": lambda: {"required": _names(40_000)},
    "many_choices": lambda: {"enum": _names(40_000)},
    "many_numbers": lambda: {"enum": list(range(100_000))},
    "many_lists": lambda: {"enum": [[index] for index in range(20_000)]},
    "many_branches": lambda: {"anyOf": [{"const": index} for index in range(1_500)]},
    "many_patterns": lambda: {"patternProperties": {f"^{name}": {} for name in _names(10_000)}},
    "large_description": lambda: {"description": "x" * 10_000_000},
    "too_large_description": lambda: {"description": "x" * 100_000_000},
    "large_pattern": lambda: {"pattern": "|".join(_names(40_000))},
    "repeated_pattern": lambda: {"pattern": "((a{1000}){1000}){1000}"},
    "deep_pattern": lambda: {"pattern": "(" * 10_000 + "a" + ")" * 10_000},
    "catastrophic_pattern": lambda: {"pattern": "^(a+)+$"},
    "catastrophic_lookahead": lambda: {"pattern": "^(?=(a+)+$)(a|aa)+b$"},
    "catastrophic_back_reference": lambda: {"pattern": r"^(a+)+\1$"},
    "catastrophic_names": lambda: {"patternProperties": {"^(a+)+$": False}},
}
"""Each is refused with a `SchemaError`, or compiles to what answers in time."""


# -------------------------------------------------------------------------------- arguments
class HostileError(Exception):
    """What the methods of the classes below raise."""


def _raise(*_args: Any, **_options: Any) -> Any:
    raise HostileError


_METHODS = (
    *("__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__", "__bool__", "__len__"),
    *("__iter__", "__contains__", "__getitem__", "__str__", "__repr__", "__format__", "__index__"),
    *("__int__", "__float__", "__add__", "__mul__", "__mod__", "__neg__", "__abs__", "__hash__"),
    *("items", "keys", "values", "get", "copy", "lower", "strip", "encode", "isascii", "isdigit"),
    *("is_integer", "bit_length", "startswith", "__reduce_ex__"),
)


def hostile(kind: type) -> type:
    """A subclass all of whose methods raise."""
    methods = {name: _raise for name in _METHODS if hasattr(kind, name)}
    return type(f"Hostile{kind.__name__.title()}", (kind,), methods)


class Pretender:
    """It says that it is a dictionary."""

    __class__ = dict  # type: ignore[assignment]


class Closed:
    """It lets nobody look at anything, its class included."""

    def __getattribute__(self, name: str) -> Any:
        raise HostileError(name)


def _cyclic_list() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def _cyclic_dict() -> Any:
    value: dict[str, Any] = {}
    value["a"] = {"b": [value]}
    return value


ARGUMENTS: dict[str, Build] = {
    "deep_list": lambda: nested(50_000, lambda v: [v], 1),
    "deep_dict": lambda: nested(50_000, lambda v: {"a": v}, 1),
    "deep_tree": lambda: nested(50_000, lambda v: {"name": "n", "children": [v]}, {}),
    "deep_as_python_recurses": lambda: nested(900, lambda v: {"a": v}, 1),
    "deep_as_allowed": lambda: nested(190, lambda v: {"a": v}, 1),
    "deep_tree_as_allowed": lambda: nested(90, lambda v: {"name": "n", "children": [v]}, {}),
    "cyclic_list": _cyclic_list,
    "cyclic_dict": _cyclic_dict,
    "shared": lambda: nested(60, lambda v: {"a": v, "b": v}, 1),
    "huge_integer": lambda: 10**5000,
    "huge_integer_inside": lambda: {"a": [-(10**5000)]},
    "large_integer": lambda: 10**400,
    "nan": lambda: float("nan"),
    "infinity_inside": lambda: {"a": [float("-inf")]},
    "half_a_pair": lambda: "\ud800",
    "half_a_pair_inside": lambda: {"a": ["\udfff"]},
    "half_a_pair_as_key": lambda: {"\ud800": 1},
    "bytes": lambda: b"{}",
    "bytearray_inside": lambda: {"a": bytearray(b"1")},
    "memoryview": lambda: memoryview(b"1"),
    "set": lambda: {1, 2},
    "tuple": lambda: (1, 2),
    "decimal": lambda: Decimal("1.5"),
    "complex": lambda: 1j,
    "ellipsis_inside": lambda: {"a": ...},
    "generator": lambda: (index for index in range(3)),
    "range": lambda: range(3),
    "function": lambda: nested,
    "class": lambda: dict,
    "module": lambda: sys,
    "integer_keys": lambda: {1: 2},
    "mixed_keys": lambda: {"a": 1, None: 2, (1,): 3},
    "hostile_str": lambda: hostile(str)("10"),
    "hostile_str_inside": lambda: {"a": hostile(str)("10")},
    "hostile_int": lambda: hostile(int)(1),
    "hostile_int_inside": lambda: {"a": [hostile(int)(1)]},
    "hostile_float": lambda: hostile(float)(3.0),
    "hostile_float_inside": lambda: [hostile(float)(3.0)],
    "hostile_list": lambda: hostile(list)([1]),
    "hostile_list_inside": lambda: {"a": hostile(list)(["1"])},
    "hostile_dict": lambda: hostile(dict)(a=1),
    "hostile_dict_inside": lambda: [hostile(dict)(a=1)],
    "pretender": Pretender,
    "pretender_inside": lambda: {"a": [Pretender()]},
    "closed": Closed,
    "closed_inside": lambda: [Closed()],
    "many_items": lambda: list(range(5_000)),
    "many_unknown": lambda: dict.fromkeys(_names(2_000)),
    "many_mistakes": lambda: {"a": ["x"] * 2_000},
    "long_key": lambda: {"k" * 100_000: 1},
}
"""Each is refused with a `ToolError`, or read."""

TEXTS: dict[str, Build] = {
    "deep_lists": lambda: "[" * 100_000 + "]" * 100_000,
    "deep_objects": lambda: '{"a":' * 100_000 + "1" + "}" * 100_000,
    "deep_and_cut_off": lambda: '{"a":[' * 50_000,
    "deep_python": lambda: "(" * 40_000,
    "deep_in_text": lambda: json.dumps({"a": "[" * 100_000 + "]" * 100_000}),
    "encoded_again_and_again": lambda: nested(12, json.dumps, "[1]"),
    "huge_integer": lambda: "1" * 5_000,
    "huge_integer_inside": lambda: '{"a": [' + "9" * 1_000_000 + "]}",
    "huge_exponent": lambda: "1e999999999",
    "huge_negative_exponent": lambda: '{"a": 1e-999999999}',
    "long_mantissa": lambda: "0." + "1" * 100_000,
    "not_a_number": lambda: '{"a": NaN}',
    "half_a_pair": lambda: '{"a": "\\ud800"}',
    "half_a_pair_as_key": lambda: '{"\\udc00": "\ud800"}',
    "pattern_bomb": lambda: "a" * 40_000 + "!",
    "short_pattern_bomb": lambda: "a" * 40 + "!",
    "long_text": lambda: "x" * 40_000,
    "long_object": lambda: json.dumps({"a": "x" * 40_000}),
    "long_list": lambda: json.dumps(list(range(1_000))),
    "openers": lambda: "[{" * 20_000,
    "openers_in_text": lambda: json.dumps({"a": "[" * 40_000}),
    "quotes": lambda: '"' * 40_000,
    "single_quotes": lambda: "{" + "'" * 500,
    "backslashes": lambda: '"' + "\\" * 1_000_001,
    "commas": lambda: "[" + "," * 40_000,
    "spaces": lambda: " " * 40_000,
    "fences": lambda: "```" * 13_000,
    "nulls": lambda: "\0" * 40_000,
    "bytes_of_utf16": lambda: '{"a": 1}'.encode("utf-16"),
    "bytes_of_nothing": lambda: b"\xff\xfe\xfd",
    "hostile_str": lambda: hostile(str)('{"a": 1}'),
}
"""Argument text: each is refused with a `ToolError`, or read.

Each is tried dozens of times in the time of one case: at 40,000 characters, even what takes a
nanosecond for each pair of them is not done.
"""

RECURSIVE: dict[str, Any] = json.loads((DATA / "hostile.json").read_text("ascii"))[
    "recursive schemas"
]
"""Schemas that refer to themselves, one level further down in the value."""


# -------------------------------------------------------------------------------- trying them
def outcome_of(kind: str, name: str, *, is_search: bool = False) -> str:
    """What becomes of a case: `refused` or `accepted`, or how its process ended.

    A value and a text are tried under each preset below each schema, in every way under each
    preset and below each schema; in a search, in every combination of the three.
    """
    seconds = SECONDS if kind == "schema" or is_search else 40
    outcome: str = limited("hostile", "tried", kind, name, is_search, seconds=seconds)
    return outcome


def tried(kind: str, name: str, is_search: bool = False) -> str:  # noqa: FBT001, FBT002 - from JSON
    """The same, in this process."""
    if kind == "schema":
        return "\n".join(_try_schema(name))
    build = (ARGUMENTS if kind == "value" else TEXTS)[name]
    return "\n".join(_try_everywhere(build, is_search=is_search))


def _try_schema(name: str) -> Iterator[str]:
    from schema2model import SchemaError, compile_schema  # noqa: PLC0415

    try:
        compiled = compile_schema(SCHEMAS[name]())
    except SchemaError as error:
        yield "refused" if len(str(error)) < 3000 else f"in {len(str(error))} characters"
        return
    for value in (1, "5", None, [1], {"a": {"a": "1"}}, "a" * 40 + "!", {"a" * 40 + "!": 1}):
        yield from _wrong(compiled, value)
    repr(compiled.model.model_fields)
    yield "accepted"


def _try_everywhere(build: Build, *, is_search: bool) -> Iterator[str]:
    """Under every preset, below every schema that follows a value all the way down.

    `lenient` has the rules of `forgiving`, and more.
    """
    from schema2model import compile_schema  # noqa: PLC0415

    for row, coercion in enumerate(("default", "off", "untyped", "lenient")):
        left_out = {"model", "coerce"} if coercion == "lenient" else set()  # its searches take long
        for column, (name, schema) in enumerate(RECURSIVE.items()):
            ways = WAYS if is_search else WAYS[(row + column) % 4 :: 4]
            compiled = compile_schema(schema, coercion=coercion)
            for line in _wrong(compiled, build(), {*ways} - left_out):
                yield f"{coercion}, {name}: {line}"
    yield "survived"


WAYS = (
    *("validate", "model", "is_valid", "coerce"),
    *("validate_json", "explain_json", "explain", "model_json"),
)


def _wrong(compiled: Any, value: Any, asked: Collection[str] = WAYS) -> Iterator[str]:
    """Whatever a compiled schema does with a value that it should not do, in some ways to ask."""
    from pydantic import ValidationError  # noqa: PLC0415

    from schema2model import ToolError  # noqa: PLC0415

    ways: dict[str, Callable[[Any], Any]] = {
        "validate": compiled.validate,
        "model": lambda v: compiled.model.model_validate(v).model_dump(),
        "is_valid": compiled.is_valid,
        "coerce": compiled.coerce,
        "explain": compiled.explain,
    }
    if issubclass(type(value), (str, bytes, bytearray)):
        ways |= {"validate_json": compiled.validate_json, "explain_json": compiled.explain_json}
        ways["model_json"] = compiled.model.model_validate_json
    for way in (way for way in ways if way in asked):
        expected = {
            "validate": ToolError,
            "validate_json": ToolError,
            "model": ValidationError,
            "model_json": ValidationError,
        }.get(way, ())
        try:
            ways[way](value)
        except expected as error:
            if way not in {"model", "model_json"} and len(str(error)) > 5000:  # pydantic lists all
                yield f"{way}: a message of {len(str(error))} characters"
        except BaseException as error:  # noqa: BLE001 - that is what it looks for
            yield f"{way}: {type(error).__name__}"
