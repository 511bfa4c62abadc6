"""What a batch costs: against a bare loop over `validate_json`, on more processes, in memory.

`python -m benchmarks.batch --rows 1000000` makes a corpus of calls, the given share of them wrong
in the ways of `corruptions`, and prints a table. With `--offered 12` each row is a request of
OpenAI's chat API instead, with a conversation and twelve tools. The bare loop does what one would
write without thinking: `json.loads` a line, `validate_json`, `json.dumps` the row with the result,
write it. The validating loop corrects and writes nothing: `json.loads` a line and its arguments,
and ask `jsonschema-rs` whether they are valid; one part of a batch is compared with it by the time
of the processor (`--wrong 0` for correct calls).
Machines that others use too do not always have as many processors as they say: the first lines
tell what two processes of pure arithmetic gain.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import jsonschema_rs
from pydantic_core import from_json
from typing_extensions import Self

from benchmarks.corruptions import CORRUPTIONS
from benchmarks.tool_calls import TOOLS
from schema2model import ToolError, compile_schema
from schema2model.apps.batch import Corrector, Layout
from schema2model.apps.batch.inputs import find_sources, plan
from schema2model.apps.batch.parts import Job
from schema2model.apps.batch.running import run_batch

__all__ = ["main", "write_corpus"]

_DISTINCT = 100_000
_WAIT = 1.0


def write_corpus(path: Path, rows: int, wrong: float, offered: int = 0) -> None:
    """Write rows of which a share is wrong, always the same: calls, or requests with tools.

    After `_DISTINCT` rows they are repeated, which makes no difference to what is measured.
    """
    chosen = random.Random(0)  # noqa: S311 - no secret
    correct = [(t.name, json.dumps(call)) for t in TOOLS for call in t.calls]
    corrupted = {
        kind: [(t.name, x) for t in TOOLS for call in t.calls for x, _ in corrupt(t.schema, call)]
        for kind, corrupt in CORRUPTIONS.items()
    }
    kinds = [texts for texts in corrupted.values() if texts]
    lines = []
    for number in range(min(rows, _DISTINCT)):
        texts = chosen.choice(kinds) if chosen.random() < wrong else correct
        tool, arguments = chosen.choice(texts)
        row: dict[str, Any] = {"id": f"call_{number:09d}", "model": "m"}
        if offered:
            row |= _request(row["id"], tool, arguments, offered)
        else:
            row |= {"tool": tool, "arguments": arguments}
        lines.append(json.dumps(row) + "\n")
    with path.open("w") as file:
        for begin in range(0, rows, _DISTINCT):
            file.writelines(lines[: rows - begin])


def _request(call_id: str, tool: str, arguments: str, offered: int) -> dict[str, Any]:
    """The tools and messages of a request that calls a tool."""
    start = [each.name for each in TOOLS].index(tool) // offered * offered
    functions = [{"name": t.name, "parameters": t.schema} for t in TOOLS[start : start + offered]]
    call = {"id": call_id, "function": {"name": tool, "arguments": arguments}, "type": "function"}
    return {
        "tools": [{"type": "function", "function": each} for each in functions],
        "messages": [
            {"role": "system", "content": "You are a helpful assistant with tools. " * 3},
            {"role": "user", "content": "Please do what I asked for the other day."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": "done"},
        ],
    }


def bare_loop(source: Path, target: Path) -> None:
    """What a batch is compared with."""
    compiled = {tool.name: compile_schema(tool.schema, name=tool.name) for tool in TOOLS}
    with source.open() as lines, target.open("w") as results:
        for line in lines:
            row = json.loads(line)
            tool, arguments = row.get("tool"), row.get("arguments")
            for message in row.get("messages", ()):
                for call in message.get("tool_calls", ()):
                    tool, arguments = call["function"]["name"], call["function"]["arguments"]
            try:
                row["corrected"] = json.dumps(compiled[tool].validate_json(arguments))
            except ToolError as error:
                row["error"] = str(error)
            results.write(json.dumps(row) + "\n")


def validating_loop(source: Path) -> int:
    """The least that checks the calls: the number of those that are valid."""
    accepts = {tool.name: jsonschema_rs.validator_for(tool.schema).is_valid for tool in TOOLS}
    valid = 0
    with source.open("rb") as lines:
        for line in lines:
            row = json.loads(line)
            with contextlib.suppress(ValueError):
                valid += accepts[row["tool"]](json.loads(row["arguments"]))
    return valid


def validating_ratio(source: Path, folder: Path, corrector: Corrector) -> tuple[float, float]:
    """The processor seconds of one part of a batch, and those of the validating loop."""
    (folder / "part" / "_work").mkdir(parents=True)
    (part,) = plan(find_sources([str(source)]), part_size=source.stat().st_size + 1)
    job = Job(corrector, Layout(), part.store, str(folder / "part"))
    spent = []
    for run in (partial(job.do, part), partial(validating_loop, source)):
        begin = time.process_time()
        run()
        spent.append(time.process_time() - begin)
    return spent[0], spent[1]


def parse_and_write(source: Path, target: Path) -> None:
    """Parse each row and write its line again: the part of a batch that is not ours."""
    with source.open("rb") as lines, target.open("wb") as results:
        for line in lines:
            from_json(line)
            results.write(line)


def loop_in_memory(source: Path) -> None:
    """Nothing but `validate_json`, of texts that are there."""
    compiled = {tool.name: compile_schema(tool.schema, name=tool.name) for tool in TOOLS}
    with source.open() as lines:
        for chunk in iter(lambda: [json.loads(line) for line in islice(lines, 1000)], []):
            begin = time.perf_counter()
            for row in chunk:
                with contextlib.suppress(ToolError):
                    compiled[row["tool"]].validate_json(row["arguments"])
            _spent[0] += time.perf_counter() - begin


_spent = [0.0]


# --------------------------------------------------------------------------------------- measuring
def _arithmetic(_: int) -> None:
    sum(range(60_000_000))


def arithmetic_gain() -> float:
    """How much faster two processes are than one at what needs nothing but a processor."""
    with get_context("spawn").Pool(2) as pool:
        pool.map(_arithmetic, range(2), chunksize=1)
        begin = time.perf_counter()
        pool.apply(_arithmetic, (0,))
        one = time.perf_counter() - begin
        begin = time.perf_counter()
        pool.map(_arithmetic, range(2), chunksize=1)
        return 2 * one / (time.perf_counter() - begin)


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            found.setdefault(int(fields[1]), []).append(int(path.parent.name))
    return found


def _tree(root: int) -> Iterator[int]:
    children = _children()
    todo = [root]
    while todo:
        yield todo[-1]
        todo += children.get(todo.pop(), [])


def _resident(process: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf(
            "SC_PAGESIZE"
        )
    return 0


class Watch:
    """The peak of memory of this process and those below it, and of the largest of them."""

    def __init__(self) -> None:
        self.total = self.largest = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_WAIT):
            sizes = [_resident(process) for process in _tree(os.getpid())]
            self.total = max(self.total, sum(sizes))
            self.largest = max(self.largest, *sizes)


def _timed(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main() -> None:
    """Measure, and print what was measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--wrong", type=float, default=0.1)
    options.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options.add_argument(
        "--offered", type=int, default=0, help="tools in a row with a conversation"
    )
    options.add_argument(
        "--no-loops", action="store_true", help="leave out what it is compared with"
    )
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "calls.jsonl")
        write_corpus(source, given.rows, given.wrong, given.offered)
        size = source.stat().st_size / 2**20
        print(f"{given.rows:,} calls, {given.wrong:.0%} wrong, {size:,.0f} MiB")
        print(f"two processes of arithmetic: {arithmetic_gain():.2f} times one")
        tools = [{"name": t.name, "parameters": t.schema} for t in TOOLS]
        corrector = Corrector([] if given.offered else tools)
        layout = Layout("chat", tools="tools") if given.offered else Layout()
        each = 1e6 / given.rows
        bare = 0.0
        if not given.no_loops:
            if not given.offered:
                loop_in_memory(source)
                print(f"validate_json alone: {_spent[0] * each:.2f} us a call")
                part, loop = validating_ratio(source, Path(folder), corrector)
                print(
                    f"one part: {part * each:.2f} us a call, {part / loop:.2f} times a validating "
                    f"loop of {loop * each:.2f} us"
                )
            read = _timed(lambda: parse_and_write(source, Path(folder, "read.jsonl")))
            print(f"rows parsed and written: {read:.1f} s, {read * each:.2f} us a call")
            bare = _timed(lambda: bare_loop(source, Path(folder, "bare.jsonl")))
            print(f"bare loop: {bare:.1f} s, {bare * each:.2f} us a call")
        first = 0.0
        for workers in given.workers:
            output = f"{folder}/out-{workers}"
            with Watch() as watch:
                run = partial(run_batch, [str(source)], output, corrector, layout=layout)
                spent = _timed(partial(run, workers=workers))
            first = first or spent
            compared = f", {spent * workers / bare:.2f} times the bare loop a core" if bare else ""
            print(
                f"{workers} workers: {spent:.1f} s, {spent * each:.2f} us a call, "
                f"{given.rows / spent:,.0f} calls/s, {first / spent:.2f} times the first"
                f"{compared}; peak {watch.total >> 20} MiB, "
                f"{watch.largest >> 20} MiB in the largest process"
            )


if __name__ == "__main__":
    main()
