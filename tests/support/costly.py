"""Arguments of many values that are refused, and a program that says what memory that takes.

`python costly.py` reads a case and a way from each line of its input, and tries them in a process
of their own, within limits: memory that was taken once counts for a process as long as it lives.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from schema2model import ToolError, compile_schema

ITEM = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["id"],
}


def closed(number: int) -> dict[str, Any]:
    """A closed object that nothing but its names tells from others."""
    names = [f"p{number}_{index}" for index in range(3)]
    return {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in names},
        "required": names[:1],
        "additionalProperties": False,
    }


def kind(number: int) -> dict[str, Any]:
    """An object that says itself which one it is."""
    return {
        "type": "object",
        "properties": {"kind": {"const": f"k{number}"}, "n": {"type": "integer"}},
        "required": ["kind", "n"],
    }


CASES: dict[str, Callable[[], tuple[Any, list[Any]]]] = {
    "1,000 items for 200 closed objects": lambda: (
        {"oneOf": [closed(number) for number in range(200)]},
        [{f"p{index % 200}_0": "ten", "q": [index]} for index in range(1_000)],
    ),
    "1,600 items for 20 tagged objects": lambda: (
        {"oneOf": [kind(number) for number in range(20)]},
        [{"kind": f"k{index % 20}", "n": "ten"} for index in range(1_600)],
    ),
    "1,600 items of no tag": lambda: (
        {"oneOf": [kind(number) for number in range(20)]},
        [{"kind": f"z{index}", "n": "ten"} for index in range(1_600)],
    ),
    "1,000 wrong strings for 20,000 choices": lambda: (
        {"enum": [f"choice {number}" for number in range(20_000)]},
        [f"wrong {index}" for index in range(1_000)],
    ),
    "400,000 wrong strings": lambda: ({"type": "integer"}, ["zz"] * 400_000),
    "5,000 items, one of them bad": lambda: (
        ITEM,
        [{"id": str(index) if index != 4_000 else "zz"} for index in range(5_000)],
    ),
    "an object of 5,000 items, one of them bad": lambda: (
        {"type": "object", "additionalProperties": ITEM},
        [{f"k{i}": {"id": str(i) if i != 4_000 else "zz"} for i in range(5_000)}],
    ),
    "an object of 100,000 wrong strings": lambda: (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        [{f"k{i}": "zz" for i in range(100_000)}],
    ),
}

PARSED = 30
"""Times its own size that a text of many values takes to parse, by pydantic-core and for Python."""


def _used(name: str, way: str) -> int:
    """Return how many megabytes a refusal takes, besides what parsing a text takes."""
    import resource  # noqa: PLC0415 - not on Windows

    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    items, sent = CASES[name]()
    compiled = compile_schema(
        {"type": "object", "properties": {"v": {"type": "array", "items": items}}}
    )
    compiled.is_valid({"v": sent[:1]})
    given: Any = {"v": sent}
    if way == "validate_json":
        given = json.dumps(given)
        del sent
    # a peak: what was freed before is used again, and not counted
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refusal = None
    try:
        getattr(compiled, way)(given)
    except ToolError as error:
        refusal = error
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    assert refusal is not None
    assert 0 < len(refusal.issues) <= 11
    assert len(str(refusal)) <= 2_000
    return int(used - (len(given) * PARSED >> 20 if way == "validate_json" else 0))


def _main() -> None:
    """Print for each case what it takes, or how it ends, as JSON."""
    for line in sys.stdin:
        process = os.fork()
        if process:
            _, ending = os.waitpid(process, 0)
            if ending:
                _say(f"its process ended with {os.waitstatus_to_exitcode(ending)}")
            continue
        try:
            _say(_used(*json.loads(line)))
        except BaseException as error:  # noqa: BLE001 - that is how it ends
            _say(repr(error))
        os._exit(0)


def _say(outcome: int | str) -> None:
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _main()
