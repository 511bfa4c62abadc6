"""Run as a program: bytes of resident memory per schema that is compiled and kept.

The growth of the process is measured, because the allocations of Rust are invisible to Python.
Schemas are all different; they are thrown away after compiling, so what remains is what the
compiled ones hold.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.schemas import MEDIAN_TOOL, distinct
from benchmarks.test_compile import CONTENDERS

CALL = {"repository": "octo/garden", "limit": "5"}
_STATM = Path("/proc/self/statm")


def _compile(schema: dict[str, Any]) -> Any:
    from schema2model import compile_schema  # noqa: PLC0415 - others are measured without it

    return compile_schema(schema)


def _compile_and_use(schema: dict[str, Any]) -> Any:
    compiled = _compile(schema)
    compiled.validate(CALL)
    return compiled


def _compile_and_refuse(schema: dict[str, Any]) -> Any:
    compiled = _compile(schema)
    with suppress(ValueError):
        compiled.validate({"limit": "ten"})
    return compiled


LEFT_BEHIND = "schema2model, left behind by 90 KB"
KEPT_ERRORS = "schema2model, errors that are kept"
PROBES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "schema2model": _compile,
    "schema2model, after a stringified call": _compile_and_use,
    "schema2model, after a refused call": _compile_and_refuse,
    **{
        name: CONTENDERS[name]
        for name in (
            "schema2model + .model",
            "bare create_model",
            "jsonschema-rs",
            "fastjsonschema",
            "json-schema-to-pydantic",
            "datamodel-code-generator",
        )
    },
}


def resident() -> int:
    """Bytes of memory that the process holds, after giving back what it can."""
    gc.collect()
    with suppress(OSError, AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def bytes_per_schema(contender: str, count: int) -> float:
    """The growth of the process per compiled schema."""
    compile_ = PROBES[contender]
    kept = [compile_(distinct(MEDIAN_TOOL)) for _ in range(max(3, count // 50))]
    before = resident()
    kept += [compile_(distinct(MEDIAN_TOOL)) for _ in range(count)]
    return (resident() - before) / count


LARGE = 220
"""Objects in a schema of 90 KB."""


def left_behind(count: int) -> int:
    """Bytes that schemas of 90 KB leave behind in the cache, each used once and let go."""
    from schema2model import compile_schema  # noqa: PLC0415 - others are measured without it

    properties = MEDIAN_TOOL["properties"]
    compile_schema(distinct(MEDIAN_TOOL)).validate(CALL)
    before = resident()
    for _ in range(count):
        parts = {str(n): {"type": "object", "properties": properties} for n in range(LARGE)}
        schema = distinct({"type": "object", "properties": parts})
        compile_schema(schema).validate({"0": {"limit": "5"}})
    return resident() - before


OBJECTS = 100
"""Objects in refused arguments."""


def bytes_per_error(count: int) -> float:
    """The growth of the process per error that `explain` gives and that is kept."""
    from schema2model import compile_schema  # noqa: PLC0415 - others are measured without it

    compiled = compile_schema({"type": "object", "properties": {"items": {"maxItems": 0}}})

    def error() -> object:
        items = [{"number": number, "text": f"item {number}"} for number in range(OBJECTS)]
        return compiled.explain({"items": items}).error

    kept = [error() for _ in range(max(3, count // 50))]
    before = resident()
    kept += [error() for _ in range(count)]
    assert None not in kept
    return (resident() - before) / count


if __name__ == "__main__":
    kind, number = sys.argv[1], int(sys.argv[2])
    others = {LEFT_BEHIND: left_behind, KEPT_ERRORS: bytes_per_error}
    print(others[kind](number) if kind in others else bytes_per_schema(kind, number))
