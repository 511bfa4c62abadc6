"""How the time of each operation grows, and how pydantic-core or `json` grow on the same input.

`python -m benchmarks.growth` prints, for each operation and each dimension of its input, the power
with which the time grows over the last step: 1 is a straight line, 2 a square. `--write` puts the
table into docs/benchmarks.md. A time is processor time, of the pass that was disturbed least.
"""

from __future__ import annotations

import argparse
import functools
import gc
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic_core import SchemaValidator, core_schema as cs

from benchmarks.call_times import seconds_of
from benchmarks.documents import between_markers, table
from schema2model import CompiledSchema, Toolset, compile_document, compile_schema
from schema2model.apps.audit.diff import compare_tools

Schema: TypeAlias = "dict[str, Any]"
Run: TypeAlias = Callable[[], object]
"""An operation on an input, ready to be timed."""

PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks.md"
STRAIGHT: Final = 1.15
"""The power up to which a curve is a straight line: of two runs, a quiet one differs by 0.1."""
CHUNK: Final = 16
"""Characters of a piece of a stream."""

_numbers = itertools.count()


# ---------------------------------------------------------------------------------------- inputs
class Input(NamedTuple):
    """A schema, and arguments that satisfy it."""

    schema: Schema
    value: Any

    def compiled(self) -> CompiledSchema:
        """The schema, compiled."""
        return compile_schema(self.schema)

    def fresh(self) -> Schema:
        """The schema under a title of its own, so that it is not in the cache."""
        return {**self.schema, "title": f"schema {next(_numbers)}"}

    def mapped(self, change: Callable[[int], Any], *, all_of_them: bool) -> Any:
        """The arguments with integers changed: all, or the last."""
        count = json.dumps(self.value).count("7")
        seen = itertools.count(1)

        def walk(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: walk(member) for name, member in value.items()}
            if isinstance(value, list):
                return [*map(walk, value)]
            return change(value) if all_of_them or next(seen) == count else value

        return walk(self.value)


def _object(properties: Schema, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, **keywords}


_INTEGER: Final = {"type": "integer"}


def of_size(n: int) -> Input:
    """A list of `n` integers."""
    return Input(_object({"items": {"type": "array", "items": _INTEGER}}), {"items": [7] * n})


def of_records(n: int) -> Input:
    """A list of `n` objects."""
    record = _object({"count": _INTEGER, "name": {"type": "string"}}, required=["count"])
    value = {"items": [{"count": 7, "name": "a"} for _ in range(n)]}
    return Input(_object({"items": {"type": "array", "items": record}}), value)


def of_width(n: int) -> Input:
    """An object of `n` properties."""
    names = [f"p{i}" for i in map(_digitless, range(n))]
    schema = _object(dict.fromkeys(names, _INTEGER), additionalProperties=False)
    return Input(schema, dict.fromkeys(names, 7))


def of_depth(n: int) -> Input:
    """Objects in each other, `n` levels deep, of a schema that refers to itself."""
    node = _object({"child": {"$ref": "#/$defs/node"}, "count": _INTEGER})
    value: Schema = {"count": 7}
    for _ in range(n):
        value = {"child": value}
    return Input({"$ref": "#/$defs/node", "$defs": {"node": node}}, value)


def of_definitions(n: int) -> Input:
    """An object of `n` properties, each an object behind a reference of its own."""
    names = [*map(_digitless, range(n))]
    definitions = {name: _object({"count": {**_INTEGER, "maximum": 10}}) for name in names}
    properties = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    value = {name: {"count": 7} for name in names}
    return Input(_object(properties, **{"$defs": definitions}), value)


def of_branches(n: int) -> Input:
    """A union of `n` kinds of objects, and one of the last kind."""
    branches = [
        _object({"kind": {"const": name}, "count": _INTEGER}, required=["kind", "count"])
        for name in map(_digitless, range(n))
    ]
    value = {"it": {"kind": _digitless(n - 1), "count": 7}}
    return Input(_object({"it": {"anyOf": branches}}), value)


def of_components(n: int) -> Schema:
    """A document of `n` components that reach each other."""
    names = [*map(_digitless, range(n))]
    components = {
        name: _object(
            {
                "count": _INTEGER,
                "next": {"$ref": f"#/$defs/{names[(i + 1) % n]}"},
                "other": {"$ref": f"#/$defs/{names[(7 * i + 3) % n]}"},
            }
        )
        for i, name in enumerate(names)
    }
    return {"$defs": components}


def _digitless(number: int) -> str:
    """A name for a number, without the digit that stands for a value."""
    return "n" + "".join("abcdefghij"[int(digit)] for digit in str(number))


# ------------------------------------------------------------------------------------ operations
def _quietly(function: Callable[[Any], Any], argument: Any) -> object:
    try:
        return function(argument)
    except ValueError as error:
        return str(error)


def validate(given: Input) -> Run:
    """Correct arguments."""
    return functools.partial(given.compiled().validate, given.value)


def correct(given: Input) -> Run:
    """Each integer is sent as text."""
    return functools.partial(given.compiled().validate, given.mapped(str, all_of_them=True))


def refuse(given: Input) -> Run:
    """The last integer is a word."""
    wrong = given.mapped(lambda _: "ten", all_of_them=False)
    return functools.partial(_quietly, given.compiled().validate, wrong)


def refuse_all(given: Input) -> Run:
    """Each integer is a word."""
    wrong = given.mapped(lambda _: "ten", all_of_them=True)
    return functools.partial(_quietly, given.compiled().validate, wrong)


def refuse_lists(given: Input) -> Run:
    """Each integer is an empty list."""
    wrong = given.mapped(lambda _: [], all_of_them=True)
    return functools.partial(_quietly, given.compiled().validate, wrong)


def explain(given: Input) -> Run:
    """The changes of arguments whose integers are all text."""
    return functools.partial(given.compiled().explain, given.mapped(str, all_of_them=True))


def mend(given: Input) -> Run:
    """Text in which an equals sign is sent for the first colon."""
    text = json.dumps(given.value).replace(":", "=", 1)
    return functools.partial(given.compiled().validate_json, text)


def partial(given: Input) -> Run:
    """Text that arrives in pieces."""
    compiled, text = given.compiled(), json.dumps(given.value)

    def read() -> object:
        arriving = compiled.partial()
        for at in range(0, len(text), CHUNK):
            arriving.feed(text[at : at + CHUNK])
        return arriving.finish()

    return read


def compile_(given: Input) -> Run:
    """A schema that is not in the cache, and its first call."""
    return lambda: compile_schema(given.fresh()).validate(given.value)


def strict(given: Input) -> Run:
    """The projection for OpenAI, of a schema that is not in the cache."""
    return lambda: compile_schema(given.fresh()).strict("openai")


def diff(given: Input) -> Run:
    """Two versions of a tool, which differ in one description."""

    def compared() -> object:
        versions = (
            [{"name": "tool", "description": word, "inputSchema": given.fresh()}]
            for word in ("one", "two")
        )
        return compare_tools(*versions)

    return compared


def _call(arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': 'tool', 'arguments': arguments})}\n</tool_call>\n"


def _tool_of(given: Input) -> Toolset:
    return Toolset([{"name": "tool", "inputSchema": given.schema}])


def read_calls(given: Input) -> Run:
    """One call in a text."""
    return functools.partial(_tool_of(given).read_calls, _call(given.value))


def call_reader(given: Input) -> Run:
    """One call in pieces."""
    return functools.partial(_in_pieces, _tool_of(given), _call(given.value))


def _in_pieces(tools: Toolset, text: str) -> object:
    reader = tools.call_reader()
    for at in range(0, len(text), CHUNK):
        reader.feed(text[at : at + CHUNK])
    return reader.finish()


_SMALL: Final = of_size(2)
_PROSE: Final = (
    "The weather in the north is mild, and two of the five stations measured rain. " * 12
)


def _many_calls(n: int) -> tuple[Toolset, str]:
    return _tool_of(_SMALL), _call(_SMALL.value) * n


def _many_tools(n: int) -> tuple[Toolset, str]:
    definitions = [{"name": f"tool_{i}", "inputSchema": _SMALL.schema} for i in range(n)]
    return Toolset(definitions), _PROSE


def read_text(given: tuple[Toolset, str]) -> Run:
    """A text for several tools, or with several calls."""
    tools, text = given
    return functools.partial(tools.read_calls, text)


def read_pieces(given: tuple[Toolset, str]) -> Run:
    """The same in pieces."""
    return functools.partial(_in_pieces, *given)


# ------------------------------------------------------------------------------------ references
def _by_json(given: Input) -> Run:
    return functools.partial(json.loads, json.dumps(given.value))


def _by_core(given: Input) -> Run:
    """pydantic-core: a validator of the text of an object with the schema's properties."""
    names = given.schema.get("properties", {})
    fields = {name: cs.typed_dict_field(cs.any_schema()) for name in names}
    schema = cs.typed_dict_schema(fields, extra_behavior="allow")
    return functools.partial(SchemaValidator(schema).validate_json, json.dumps(given.value))


def _by_core_compile(given: Input) -> Run:
    """pydantic-core: a validator of integers by the names of the schema's properties."""
    names = given.schema.get("properties", {})
    fields = {name: cs.typed_dict_field(cs.int_schema(strict=True)) for name in names}
    return lambda: SchemaValidator(cs.typed_dict_schema(fields))


def _components_used(count: Any) -> Callable[[Schema], Run]:
    """A document that is not in the cache, and a first call of each of its components."""

    def prepare(document: Schema) -> Run:
        def used() -> object:
            models = compile_document({**document, "title": f"document {next(_numbers)}"})
            arguments = {"count": count, "next": {"count": 7}}
            return [_quietly(model.model_validate, arguments) for model in models.values()]

        return used

    return prepare


class Curve(NamedTuple):
    """An operation along one dimension of its input."""

    operation: str
    dimension: str
    sizes: tuple[int, int]
    make: Callable[[int], Any]
    prepare: Callable[[Any], Run]
    reference: Callable[[Any], Run] | None = None


# a reader of streams reads a call again when it is eight times as long: steps are as wide as that
_DIMENSIONS: Final[dict[str, tuple[Callable[[int], Input], tuple[int, int]]]] = {
    "integers": (of_size, (500, 4_000)),
    "records": (of_records, (125, 1_000)),
    "properties": (of_width, (125, 1_000)),
    "levels": (of_depth, (45, 180)),
    "definitions": (of_definitions, (50, 200)),
    "branches": (of_branches, (16, 64)),
}
_OPERATIONS: Final[dict[str, tuple[Callable[[Input], Run], Callable[[Input], Run]]]] = {
    "validate": (validate, _by_json),
    "coerce all": (correct, _by_json),
    "refuse the last": (refuse, _by_json),
    "refuse all": (refuse_all, _by_json),
    "refuse lists": (refuse_lists, _by_json),
    "explain": (explain, _by_json),
    "mend": (mend, _by_core),
    "partial": (partial, _by_core),
    "read_calls": (read_calls, _by_core),
    "call_reader": (call_reader, _by_core),
    "compile": (compile_, _by_core_compile),
    "strict": (strict, _by_core_compile),
    "diff": (diff, _by_core_compile),
}


def curves() -> Iterator[Curve]:
    """All curves: each operation along each dimension, and texts of many calls and tools."""
    for operation, (prepare, reference) in _OPERATIONS.items():
        for dimension, (make, sizes) in _DIMENSIONS.items():
            of_schema = operation in {"compile", "strict", "diff"}
            if of_schema and dimension in {"integers", "records", "levels"}:
                continue  # their schemas do not grow
            yield Curve(operation, dimension, sizes, make, prepare, reference)
    for operation, count in (("validate", 7), ("coerce all", "7"), ("refuse all", "ten")):
        yield Curve(operation, "components", (40, 160), of_components, _components_used(count))
    for operation, read in (("read_calls", read_text), ("call_reader", read_pieces)):
        yield Curve(operation, "calls", (50, 200), _many_calls, read)
        yield Curve(operation, "tools", (250, 1_000), _many_tools, read)


# ------------------------------------------------------------------------------------- measuring
class Growth(NamedTuple):
    """How a curve grows over its last step."""

    power: float
    reference: float | None
    """The power with which the reference grows, where the curve is no straight line."""

    @property
    def is_straight(self) -> bool:
        """Whether it is a straight line, or grows no faster than the reference."""
        return self.power <= max(STRAIGHT, (self.reference or 0) + 0.05)

    def __str__(self) -> str:
        if self.reference is None:
            return f"{self.power:.2f}"
        mark = " (as its reference)" if self.is_straight else ""
        return f"**{self.power:.2f}**{mark}"


def grown(curve: Curve, passes: int) -> Growth:
    """Measure a curve; its reference, too, where it is no straight line."""

    def power(prepare: Callable[[Any], Run]) -> float:
        small, large = (seconds_of(prepare(curve.make(size)), passes) for size in curve.sizes)
        return math.log(large / small) / math.log(curve.sizes[1] / curve.sizes[0])

    gc.collect()
    gc.disable()
    try:
        found = power(curve.prepare)
        if found > STRAIGHT:  # a busy moment bends a line
            found = min(found, power(curve.prepare))
        is_bent = found > STRAIGHT and curve.reference is not None
        return Growth(found, power(curve.reference) if is_bent and curve.reference else None)
    finally:
        gc.enable()


def markdown(found: dict[tuple[str, str], Growth]) -> str:
    """The table: a row for each operation, a column for each dimension."""
    dimensions = list(dict.fromkeys(dimension for _, dimension in found))
    operations = dict.fromkeys(operation for operation, _ in found)
    rows = [
        [f"`{operation}`" if operation.isidentifier() else operation]
        + [str(found.get((operation, dimension), "")) for dimension in dimensions]
        for operation in operations
    ]
    return table(["", *dimensions], rows)


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--match", default="", help="only curves with this in their name")
    parser.add_argument("--passes", type=int, default=3, help="of which the fastest counts")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    asked = parser.parse_args()
    found: dict[tuple[str, str], Growth] = {}
    for curve in curves():
        name = f"{curve.operation} by {curve.dimension}"
        if asked.match in name:
            found[curve[:2]] = grown(curve, asked.passes)
            print(f"{name}: {found[curve[:2]]}", file=sys.stderr, flush=True)
    text = markdown(found)
    print(text)
    bent = sum(not each.is_straight for each in found.values())
    print(f"\n{len(found)} curves, {bent} of which grow faster than their reference")
    if asked.write:
        between_markers(PAGE, "growth", text)


if __name__ == "__main__":
    main()
