"""A call that arrives in chunks: what is known after each, by reading on or by parsing anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from pydantic_core import from_json

from benchmarks.contenders import installed
from benchmarks.schemas import same
from schema2model import compile_schema

Stream = Callable[[list[str]], Any]
"""Takes all chunks, one after the other, and returns what is known at the end."""


class Shape(NamedTuple):
    """A schema, and a call that can be made any size from parts."""

    schema: dict[str, Any]
    call: Callable[[int], Any]
    part: int
    """Characters of each part, as JSON text."""


def _rows(count: int) -> Any:
    return {"rows": [{"id": 1_000_000 + n, "name": "words"} for n in range(count)]}


def _document(count: int) -> Any:
    return {"path": "a.py", "content": 'print("Hello, world!")\n' * count}


SHAPES = {
    "rows": Shape(
        {
            "type": "object",
            "properties": {
                "rows": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
                    },
                }
            },
        },
        _rows,
        34,
    ),
    "one long string": Shape(
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        },
        _document,
        26,
    ),
}
SIZES = (1_000, 10_000, 100_000, 1_000_000)
CHUNKS = (4, 20)


# ---------------------------------------------------------------------------------- contenders
def _partial(schema: dict[str, Any]) -> Stream:
    compiled = compile_schema(schema)

    def stream(chunks: list[str]) -> Any:
        feed = compiled.partial().feed
        for chunk in chunks:
            known = feed(chunk)
        return known

    return stream


def _anew(parse: Callable[[str], Any]) -> Stream:
    """Parse all the text there is after each chunk."""

    def stream(chunks: list[str]) -> Any:
        text = ""
        for chunk in chunks:
            text += chunk
            known = parse(text)
        return known

    return stream


def _pydantic_core(_: dict[str, Any]) -> Stream:
    return _anew(lambda text: from_json(text, allow_partial=True))


def _jiter(_: dict[str, Any]) -> Stream:
    parse = installed("jiter").from_json
    return _anew(lambda text: parse(text.encode(), partial_mode=True))


def _json_repair(_: dict[str, Any]) -> Stream:
    loads = installed("json_repair").loads
    return _anew(lambda text: loads(text, stream_stable=True))


def _only_at_the_end(_: dict[str, Any]) -> Stream:
    return lambda chunks: json.loads("".join(chunks))


CONTENDERS: dict[str, tuple[Callable[[dict[str, Any]], Stream], float]] = {
    "schema2model partial": (_partial, float("inf")),
    "pydantic_core.from_json, partial, at each chunk": (_pydantic_core, 3e8),
    "jiter, partial, at each chunk": (_jiter, 3e8),
    "json_repair, stable, at each chunk": (_json_repair, 3e6),
    "json.loads, once at the end": (_only_at_the_end, float("inf")),
}
"""Each with the most characters that it is let parse in all, again and again, for one call."""


MEASURED = [
    (shape, chunk, size, name)
    for shape in SHAPES
    for chunk in CHUNKS
    for size in SIZES
    for name, (_, most) in CONTENDERS.items()
    if size * size / chunk / 2 <= most
]


@pytest.mark.benchmark(group="partial")
@pytest.mark.parametrize(("shape", "chunk", "size", "contender"), MEASURED)
def test_partial(benchmark: Any, shape: str, chunk: int, size: int, contender: str) -> None:
    """One call of this size; only `partial` shows nothing that it later takes back."""
    schema, make, part = SHAPES[shape]
    call = make(size // part)
    text = json.dumps(call)
    chunks = [text[at : at + chunk] for at in range(0, len(text), chunk)]
    stream = CONTENDERS[contender][0](schema)
    case = f"{shape}, {chunk} characters a chunk"
    benchmark.extra_info |= {"case": case, "contender": contender, "size": size}
    known = benchmark.pedantic(stream, (chunks,), rounds=20 if size == SIZES[0] else 3)
    assert same(known, call)
