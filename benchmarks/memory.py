"""The memory that compiled schemas, toolsets and long texts take.

`python -m benchmarks.memory` prints a table, and `--write` puts it into docs/benchmarks.md. With
the name of a row and a number, it prints the bytes of resident memory for each of so many.

The growth of the process is measured, because the allocations of Rust are invisible to Python, and
each row has a process of its own. Schemas are all different; they are thrown away after compiling,
so what remains is what the compiled ones hold.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from benchmarks.documents import between_markers, table
from benchmarks.schemas import MEDIAN_TOOL, distinct
from benchmarks.test_compile import CONTENDERS

CALL = {"repository": "octo/garden", "limit": "5"}
PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks.md"
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


TOOLSET: Final = "a tool of a Toolset"


def bytes_per_tool(count: int) -> float:
    """The growth of the process per tool of a toolset."""
    from schema2model import Toolset  # noqa: PLC0415 - others are measured without it

    def tools(number: int) -> Toolset:
        return Toolset(
            {"name": f"tool_{n}", "description": "Find.", "parameters": distinct(MEDIAN_TOOL)}
            for n in range(number)
        )

    kept = [tools(10)]
    before = resident()
    kept.append(tools(count))
    return (resident() - before) / count


RECORD: Final = {"path": "src/file.py", "line": 7, "text": "return value"}
RECORDS: Final = {
    "type": "object",
    "properties": {
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "line": {"type": "integer"},
                    "text": {"type": "string"},
                },
            },
        }
    },
}
PIECE: Final = 2**16
"""Characters of a piece of a long text."""


def _validate(text: str) -> None:
    _compile(RECORDS).validate_json(text)


def _validate_each(text: str) -> None:
    compiled = _compile(RECORDS["properties"]["edits"]["items"])
    at = text.index("{", 1)
    while at >= 0:
        end = text.index("}", at) + 1
        compiled.validate_json(text[at:end])
        at = text.find("{", end)


def _feed(text: str) -> None:
    arguments = _compile(RECORDS).partial()
    for at in range(0, len(text), PIECE):
        arguments.feed(text[at : at + PIECE])
    arguments.finish()


def _refuse(text: str) -> None:
    with suppress(ValueError):
        _validate(text)


TEXTS: Final[dict[str, tuple[Callable[[str], object], str]]] = {
    "a text, json.loads": (json.loads, "]}"),
    "a text, validate_json": (_validate, "]}"),
    "a text, partial": (_feed, "]}"),
    "a text, validate_json of each record": (_validate_each, "]}"),
    "a text without its last bracket, refused": (_refuse, "]"),
}
"""What reads a text, and how the text ends."""


def bytes_at_most(name: str, size: int) -> int:
    """The most bytes that the process takes while it reads a text of so many characters."""
    read, end = TEXTS[name]
    read(f'{{"edits": [{json.dumps(RECORD)}{end}')  # imports
    record = json.dumps(RECORD)
    records = [record] * (size // (len(record) + 2))
    text = ", ".join((f'{{"edits": [{record}', *records, f"{record}{end}"))
    del records
    before = resident()
    Path("/proc/self/clear_refs").write_text("5")  # forget the most up to now
    read(text)
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 - before


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


MEASURES: Final[dict[str, Callable[[int], float]]] = {
    **{name: functools.partial(bytes_per_schema, name) for name in PROBES},
    TOOLSET: bytes_per_tool,
    LEFT_BEHIND: left_behind,
    KEPT_ERRORS: bytes_per_error,
    **{name: functools.partial(bytes_at_most, name) for name in TEXTS},
}
COUNTS: Final = {
    **dict.fromkeys(PROBES, 2_000),
    "datamodel-code-generator": 200,
    TOOLSET: 500,
    LEFT_BEHIND: 60,
    KEPT_ERRORS: 2_000,
    **dict.fromkeys(TEXTS, 50 * 2**20),
}
"""How many of each are measured: of texts, the characters."""


def measured(name: str, number: int) -> float:
    """The bytes that a measure finds in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.memory", name, str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    return float(done.stdout)


def main() -> None:
    """Measure what is named, or print the table."""
    if len(sys.argv) > 2:
        print(MEASURES[sys.argv[1]](int(sys.argv[2])))
        return
    rows = []
    for name, number in COUNTS.items():
        try:
            found = measured(name, number)
        except subprocess.CalledProcessError:  # it is not installed
            continue
        unit = f"{found / 1024:.1f} KiB" if found < 2**20 else f"{found / 2**20:,.0f} MiB"
        rows.append([name, f"{number:,}", unit])
    text = table(["", "number, or characters", "memory: each, or at most"], rows)
    print(text)
    if "--write" in sys.argv:
        between_markers(PAGE, "memory", text)


if __name__ == "__main__":
    main()
