"""Recorded calls, files of them, and the command that corrects them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from forking import python

from schema2model.apps.batch import Corrector

TOOL = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["q"],
    },
}
CORRECTOR = Corrector([TOOL])
ARGUMENTS = [
    '{"q": "a",  "limit": 1}',
    '{"q": "é😀", "limit": "7"}',
    "{'q': 'a'}",
    '{"limit": 1}',
    {"q": "a", "limit": "5"},
]
RUN = [sys.executable, "-m", "schema2model", "batch"]


def rows(number: int, *, text: bool = False) -> list[dict[str, Any]]:
    """Calls of all kinds, told apart by their id."""
    chosen = random.Random(number)  # noqa: S311 - no secret
    made = []
    for i in range(number):
        arguments = chosen.choice(ARGUMENTS)
        if text and isinstance(arguments, dict):
            arguments = json.dumps(arguments)
        tool = chosen.choice(["search"] * 9 + ["serch"])
        made.append({"id": i, "model": f"m{i % 3}", "tool": tool, "arguments": arguments})
    return made


def long_rows(number: int) -> list[dict[str, Any]]:
    """The same, a thousand of which are a part of the least size of the command."""
    return [{**row, "note": "x" * 1000} for row in rows(number)]


def lines(given: list[dict[str, Any]]) -> bytes:
    """JSONL, spaced as nobody would."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b" \r\n" for row in given)


def zstd(content: bytes) -> bytes:
    """Compressed, in two frames."""
    half = len(content) // 2
    frames = (pa.compress(part, "zstd", asbytes=True) for part in (content[:half], content[half:]))
    return b"".join(frames)


def output_of(folder: Path, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """All rows of an output, in order; of Parquet only some columns, if that is said."""
    found: list[dict[str, Any]] = []
    for path in sorted(folder.glob("part-*")):
        if path.suffix == ".parquet":
            found += pq.read_table(path, columns=columns).to_pylist()
            continue
        with pa.input_stream(str(path), compression="detect") as file:
            found += map(json.loads, file.read().splitlines())
    return found


def without_source(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without the columns that say where they stood."""
    return [{k: v for k, v in row.items() if not k.startswith("source_")} for row in given]


def files_of(folder: Path) -> dict[str, bytes]:
    """The contents of all files of an output."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


Command = Callable[..., "subprocess.CompletedProcess[bytes]"]


def command_in(folder: Path) -> Command:
    """`schema2model batch` in a folder, where this puts the tools.

    It starts at once, and so do the processes of Daft, but with an environment of its own, or Ray.
    """
    (folder / "tools.json").write_text(json.dumps([TOOL]))

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        begin = RUN[0] if "env" in options or "ray" in arguments else python()
        return subprocess.run(  # noqa: S603 - our own
            [begin, *RUN[1:], "--tools", "tools.json", *arguments],
            cwd=folder,
            check=False,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )

    return run
