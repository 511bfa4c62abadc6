"""How long it takes to read calls, beside another version of this package.

`python -m benchmarks.call_times --before CHECKOUT` measures both in one run and prints two tables:
medians over the formats in which the tests write calls, and how the time grows with a text that is
made to be hard. Each version runs in an interpreter of its own, and they take turns, so that a busy
machine slows both. A time is processor time, of the pass that was disturbed least.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import schema2model

ROOT: Final = Path(schema2model.__file__).parents[1]
"""Where this version of the package is: a checkout, or an environment."""
SHORT: Final = {"path": "notes/today.txt", "content": "Buy apples.", "mode": 420, "backup": True}
FILE: Final = "".join(
    f"def f_{n}(first, second):\n    return first + second * {n}\n\n\n" for n in range(126)
)
LONG: Final = {**SHORT, "content": FILE}
SENTENCE: Final = "I will write that down for you now.\n"
PROSE: Final = (
    "The files are in the folder `notes` (two of them, from today): one has a list, the other a "
    "letter. I have read both, and I think that the list is what you want; tell me if it's not.\n\n"
) * 6
PROPERTIES: Final = {
    "path": {"type": "string"},
    "content": {"type": "string"},
    "mode": {"type": "integer"},
    "backup": {"type": "boolean"},
}
CHUNK: Final = 4
"""Characters of a piece of a stream, about as many as a token has."""
SIZES: Final = (4000, 16000)
CALL: Final = '{"name": "write_file", "arguments": {"path": "a", "content": "b"}}'
UNITS: Final = {
    "name and brace": "write_file\n{",
    "parameters": "<parameter=a>",
    "parameters of a call": ("<tool_call><function=write_file>", "<parameter=path>"),
    "parameters of a call, closed": ("<function=write_file>", "<parameter=path>x</parameter>"),
    "keys of a call without an end": ("<tool_call>write_file\n", "<arg_key>path"),
    "keys of a call": ("<tool_call>write_file\n", "<arg_key>path</arg_key>"),
    "keys in JSON": ('{"name": "write_file", "arguments": {', '"a'),
    "members": ('{"name": "write_file", "arguments": {', '"a": "b", '),
    "a string of a call": ('<tool_call>{"name": "write_file", "arguments": {"path": "', "word "),
    "quotes of a call": ('<tool_call>{"name": "write_file", "arguments": {"path": "', 'a "b" '),
    "brackets": "[",
    "braces": "{",
    "objects": '{"a":',
    "lists of objects": '[{"a": 1}, ',
    "beginnings": "<tool_call>",
    "beginnings of objects": '<tool_call>{"name": "write_file", "arguments": {"a": ',
    "ends": "</tool_call>",
    "fences": "```",
    "fences on lines": "```\n",
    "calls in Python": "f(",
    "calls of the tool": "write_file(",
    "calls on lines": "write_file(path='a')\n",
    "thinking": "<think>",
    "ends of thinking": "</think>",
    "quotes": '"',
    "single quotes": "'",
    "backticks": "`",
    "backslashes": "\\",
    "long lines": "The quick brown fox jumps over the lazy dog, again. ",
    "lines": "The quick brown fox.\n",
    "blanks": " ",
    "line breaks": "\n",
    "Gemma": "call:write_file{",
    "Gemma's mark": "<|tool_call>call:write_file{path:",
    "ReAct": "Action: write_file\n",
    "ReAct's input": "Action: write_file\nAction Input: {",
    "recipients": "to=functions.write_file ",
    "arrows": ">>>write_file\n",
    "tools of a client": "<write_file>",
    "parameters of a client": ("<write_file>", "<path>"),
    "Mistral": '[TOOL_CALLS]write_file{"path": ',
    "invokes": '<invoke name="write_file">',
    "MiniMax": ']<]minimax[>[<invoke name="write_file">]<]minimax[>[<path>',
    "results": "<tool_response>",
    "turns": "<|im_start|>",
    "unknown marks": "<|word|>",
    "angle brackets": "<",
    "calls": f"<tool_call>{CALL}</tool_call>",
    "damaged calls": f"<tool_call>{CALL[:-4]}}}}}</tool_call>",
}
"""What is repeated: a text, or one after another that begins it."""


class Job(NamedTuple):
    """What to read: a text, whole or in pieces of `chunk` characters, with so many tools."""

    text: str
    chunk: int = 0
    tools: int = 1


# ------------------------------------------------------------------------- in another interpreter
def serve() -> None:
    """Measure the jobs that arrive on lines: the seconds of each, and the calls read."""
    print(json.dumps(schema2model.__file__), flush=True)

    @functools.cache
    def toolset(count: int) -> schema2model.Toolset:
        parameters = {"type": "object", "properties": PROPERTIES, "required": ["path", "content"]}
        names = ("write_file", *(f"tool_{number}" for number in range(1, count)))
        return schema2model.Toolset([{"name": name, "parameters": parameters} for name in names])

    def read(job: Job) -> int:
        tools = toolset(job.tools)
        if not job.chunk:
            return sum(call.error is None for call in tools.read_calls(job.text, errors="keep"))
        reader = tools.call_reader()
        for at in range(0, len(job.text), job.chunk):
            reader.feed(job.text[at : at + job.chunk])
        reader.finish()
        return sum(call.error is None for call in reader.calls)

    for line in sys.stdin:
        job = Job(*json.loads(line))
        calls = read(job)
        print(json.dumps((seconds_of(functools.partial(read, job)), calls)), flush=True)


def seconds_of(function: Any, passes: int = 3, least: float = 0.004) -> float:
    """The processor time of one run, in the pass that was disturbed least."""
    number, spent = 1, 0.0
    best = math.inf
    for _ in range(passes):
        while True:
            start = time.process_time()
            for _ in range(number):
                function()
            spent = time.process_time() - start
            if spent >= least:
                break
            number *= 2
        best = min(best, spent / number)
        if spent > 0.3:  # seconds: nothing disturbs so long a run much
            break
    return best


class Version:
    """A version of the package, in an interpreter of its own."""

    def __init__(self, checkout: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this module
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout)},
            text=True,
        )
        found = Path(self._answer())
        if not found.is_relative_to(checkout.resolve()):
            self.close()
            message = f"{checkout} has no package schema2model; that of {found} was found"
            raise SystemExit(message)

    def _answer(self) -> Any:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def seconds(self, job: Job) -> tuple[float, int]:
        """The time of a job, and the number of calls that were read."""
        assert self._process.stdin
        print(json.dumps(job), file=self._process.stdin, flush=True)
        seconds, calls = self._answer()
        return seconds, calls

    def close(self) -> None:
        """End the interpreter."""
        self._process.communicate()


# --------------------------------------------------------------------------------------- the jobs
def usual(writers: Any) -> Iterator[tuple[str, str, Job, int]]:
    """What is written usually: the case, the format, the job, and the number of its calls."""
    for name, write in sorted(writers.items()):
        short = write([("write_file", SHORT)])
        many = write([("write_file", {**SHORT, "mode": number}) for number in range(50)])
        yield "a call alone", name, Job(short), 1
        yield "after a sentence", name, Job(SENTENCE + short), 1
        yield "of 7 KiB", name, Job(write([("write_file", LONG)])), 1
        yield f"in pieces of {CHUNK}", name, Job(short, CHUNK), 1
        yield "50 calls", name, Job(many), 50
    for tools in (1, 1000):
        for chunk in (0, CHUNK):
            case = f"1 KB of prose, {tools:,} tool{'s' * (tools > 1)}{', in pieces' * bool(chunk)}"
            yield case, "", Job(PROSE[:1000], chunk, tools), 0


def hostile(chunk: int, match: str) -> Iterator[tuple[str, tuple[Job, Job]]]:
    """The hostile texts in two sizes, whole or in pieces."""
    for name in filter(lambda name: match in name, UNITS):
        unit = UNITS[name]
        begins, again = ("", unit) if isinstance(unit, str) else unit
        texts = (begins + again * ((size - len(begins)) // len(again)) for size in SIZES)
        first, second = (Job(text, chunk) for text in texts)
        yield name, (first, second)


def growth(version: Version, jobs: tuple[Job, Job], rounds: int) -> tuple[float, float]:
    """The power of the length with which the time grows, and the time of the longer text."""
    first, second = (min(version.seconds(job)[0] for _ in range(rounds)) for job in jobs)
    lengths = len(jobs[1].text) / len(jobs[0].text)
    return math.log(second / first) / math.log(lengths), second


# ------------------------------------------------------------------------------------- the tables
def usual_table(versions: dict[str, Version], writers: Any, rounds: int) -> str:
    """Medians over the formats, and the formats that are slowest beside the first version."""
    times: dict[str, dict[str, list[float]]] = {}
    unread: list[str] = []
    for case, name, job, count in usual(writers):
        seconds: dict[str, float] = {}
        for _ in range(rounds):
            for version, process in versions.items():
                spent, calls = process.seconds(job)
                seconds[version] = min(spent, seconds.get(version, math.inf))
                if calls != count and f"{case}, {name}, {version}: {calls}" not in unread:
                    unread.append(f"{case}, {name}, {version}: {calls}")
        if not any(each.startswith(f"{case}, {name}, ") for each in unread):
            times.setdefault(case, {})[name] = [seconds[version] for version in versions]
    rows = []
    for case, formats in times.items():
        medians = [
            statistics.median(column) * 1e6 for column in zip(*formats.values(), strict=True)
        ]
        row = [case, *(f"{median:.1f}" for median in medians)]
        if len(versions) > 1:
            ratios = {name: after / before for name, (before, after) in formats.items()}
            slowest = sorted(ratios, key=lambda name: -ratios[name])[: 6 if "" not in ratios else 0]
            row += [f"{statistics.median(ratios.values()):.2f}"]
            row += [", ".join(f"{name} {ratios[name]:.1f}" for name in slowest)]
        rows.append(row)
    heads = ["", *(f"{version}, µs" for version in versions)]
    heads += ["after / before", "slowest"] if len(versions) > 1 else []
    note = f"\n\nNot read, and not counted: {'; '.join(unread)}" if unread else ""
    return table(heads, rows) + note


def growth_table(versions: dict[str, Version], rounds: int, match: str = "") -> str:
    """The growth of the hostile texts, whole and in pieces; those that grow fastest come first."""
    rows: list[tuple[float, list[str]]] = []
    for (name, whole), (_, pieces) in zip(hostile(0, match), hostile(16, match), strict=True):
        print(f"{name} …", file=sys.stderr, flush=True)
        found = [
            growth(each, jobs, rounds) for each in versions.values() for jobs in (whole, pieces)
        ]
        cells = [f"{cell:.2f}" for power, seconds in found for cell in (power, seconds * 1e3)]
        rows.append((max(power for power, _ in found[-2:]), [name, *cells]))
    heads = [f"{n}: {k}" for n in versions for k in ("whole", "ms", "in pieces", "ms")]
    return table(["", *heads], [row for _, row in sorted(rows, key=lambda each: -each[0])])


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    from benchmarks.documents import table as made  # noqa: PLC0415 - only this version's

    return made(heads, rows)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.call_times", description=__doc__)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="of the other version")
    parser.add_argument("--rounds", type=int, default=3, help="how often all take turns")
    parser.add_argument("--only", choices=("usual", "growth"), help="one of the tables")
    parser.add_argument(
        "--match", default="", help="only formats and units with this in their name"
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve()
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    from wire import WRITERS  # type: ignore[import-not-found]  # noqa: PLC0415 - the tests' own

    checkouts = {"before": asked.before.resolve()} if asked.before else {}
    versions = {name: Version(path) for name, path in {**checkouts, "after": ROOT}.items()}
    if asked.only != "growth":
        writers = {name: WRITERS[name] for name in WRITERS if asked.match in name}
        print(usual_table(versions, writers, asked.rounds), flush=True)
    if asked.only != "usual":
        print(f"\nGrowth from {SIZES[0]:,} to {SIZES[1]:,} characters (1 is linear)\n")
        print(growth_table(versions, asked.rounds, asked.match))
    for version in versions.values():
        version.close()


if __name__ == "__main__":
    main()
