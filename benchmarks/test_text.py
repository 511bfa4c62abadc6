"""Argument text in, arguments out: correct, stringified and malformed text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic_core import from_json

from benchmarks.contenders import installed
from benchmarks.references import LIMITS, coerced_by_schema
from benchmarks.schemas import CASES, same
from schema2model import compile_schema

TOOL = CASES[0]
TEXT = json.dumps(TOOL.correct)
TEXTS = {
    "correct": TEXT,
    "stringified": json.dumps(TOOL.stringified),
    "fenced": f"Here is the call:\n```json\n{TEXT}\n```",
    "Python literal": repr(TOOL.correct),
    "trailing commas": TEXT.replace("}", ",}").replace("]", ",]"),
    "closers missing": json.dumps({"text": "", **TOOL.correct})[: -len("}}")].removesuffix("]"),
    "bare keys": TEXT.replace('"statuses"', "statuses").replace('"price"', "price"),
}
READ_BY_JSON = ("correct", "stringified")


def _validate_json(_: str) -> Callable[[str], Any]:
    return compile_schema(TOOL.schema).validate_json


def _model_validate_json(_: str) -> Callable[[str], Any]:
    model = compile_schema(TOOL.schema).model
    return lambda text: model.model_validate_json(text).model_dump()


def _json_loads(_: str) -> Callable[[str], Any]:
    return json.loads


def _from_json(_: str) -> Callable[[str], Any]:
    return from_json


def _loads_and_hand(_: str) -> Callable[[str], Any]:
    return lambda text: coerced_by_schema(json.loads(text), TOOL.schema)


def _limit(_: str) -> Callable[[str], Any]:
    return LIMITS[TOOL.name].validate_json


def _json_repair(_: str) -> Callable[[str], Any]:
    loads: Callable[[str], Any] = installed("json_repair").loads
    return loads


def _json_repair_by_schema(_: str) -> Callable[[str], Any]:
    json_repair = installed("json_repair")
    return lambda text: json_repair.loads(text, schema=TOOL.schema)


CONTENDERS: dict[str, tuple[Callable[[str], Callable[[str], Any]], tuple[str, ...]]] = {
    "schema2model validate_json": (_validate_json, tuple(TEXTS)),
    "schema2model model_validate_json + model_dump": (_model_validate_json, tuple(TEXTS)),
    "json.loads alone": (_json_loads, READ_BY_JSON),
    "pydantic_core.from_json alone": (_from_json, READ_BY_JSON),
    "json.loads + hand-written coercion": (_loads_and_hand, READ_BY_JSON),
    "limit: pydantic-core validate_json": (_limit, ("correct",)),
    "json_repair alone": (_json_repair, tuple(TEXTS)),
    "json_repair with the schema": (_json_repair_by_schema, tuple(TEXTS)),
}
"""Each with the texts it can read at all."""


@pytest.mark.benchmark(group="text", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize(
    ("text", "contender"),
    [(text, name) for text in TEXTS for name, (_, reads) in CONTENDERS.items() if text in reads],
)
def test_text(benchmark: Any, text: str, contender: str) -> None:
    """Text is read as the arguments it stands for; parsers alone leave strings as they are."""
    read = CONTENDERS[contender][0](text)
    stays_text = text == "stringified" and contender.endswith("alone")
    wanted = TOOL.stringified if stays_text else TOOL.correct
    try:
        result = read(TEXTS[text])
    except ValueError as error:
        if contender.startswith("schema2model"):
            raise
        pytest.skip(f"{contender} refuses it: {str(error)[:80]}")
    if not same(result, wanted) and not contender.startswith("schema2model"):
        pytest.skip(f"{contender} reads something else")
    assert same(result, wanted)
    benchmark.extra_info |= {"case": text, "contender": contender}
    benchmark(read, TEXTS[text])


LARGE = {
    "query": "abc",
    "items": [
        {"id": n, "name": f"item {n}", "ok": n % 2 == 0, "note": "some text" if n % 3 else None}
        for n in range(700)
    ],
}
LARGE_TEXT = json.dumps(LARGE)
LARGE_TEXTS = {
    "Python literal": repr(LARGE),
    "single quotes": LARGE_TEXT.replace('"', "'"),
    "a comma at the end": f"{LARGE_TEXT[:-1]},}}",
    "the last closer missing": LARGE_TEXT[:-1],
    "a comma missing at the end": ' "note"'.join(LARGE_TEXT.rsplit(', "note"', 1)),
    "quotes missing at the end": "note".join(LARGE_TEXT.rsplit('"note"', 1)),
}
LARGE_READERS: dict[str, Callable[[], Callable[[str], Any]]] = {
    "json.loads of correct text": lambda: lambda _: json.loads(LARGE_TEXT),
    "schema2model validate_json": lambda: compile_schema(LARGE_SCHEMA).validate_json,
    "json_repair alone": lambda: installed("json_repair").loads,
}
LARGE_SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "name": {"type": "string"},
                    "ok": {"type": "boolean"},
                    "note": {"type": ["string", "null"]},
                },
            },
        },
    },
}


@pytest.mark.benchmark(group="large text", max_time=0.5, min_rounds=3)
@pytest.mark.parametrize("text", LARGE_TEXTS)
@pytest.mark.parametrize("contender", LARGE_READERS)
def test_large_text(benchmark: Any, text: str, contender: str) -> None:
    """43 KB that are malformed all over, or at the end only."""
    read = LARGE_READERS[contender]()
    assert read(LARGE_TEXTS[text]) == LARGE
    benchmark.extra_info |= {"case": text, "contender": contender}
    benchmark(read, LARGE_TEXTS[text])
