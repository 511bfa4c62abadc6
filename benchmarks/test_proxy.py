"""What the proxy adds to a call: a round trip to a small server, alone and through the proxy.

`pytest benchmarks/test_proxy.py --benchmark-only` measures; `python -m benchmarks.test_proxy`
prints the medians.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

SERVER = """
import json, sys
schema = {"type": "object", "properties": {
    "query": {"type": "string"},
    "limit": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
}}
for line in sys.stdin.buffer:
    asked = json.loads(line)
    if asked["method"] == "tools/list":
        result = {"tools": [{"name": "search", "inputSchema": schema}]}
    else:
        arguments = asked["params"].get("arguments")
        result = {"content": [{"type": "text", "text": json.dumps(arguments)}]}
    answer = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result})
    sys.stdout.buffer.write(answer.encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
ALONE = [sys.executable, "-c", SERVER]
PROXY = [sys.executable, "-m", "schema2model", "proxy", "--", *ALONE]
CORRECT: dict[str, Any] = {"query": "cats", "limit": 10, "tags": ["a", "b"]}
STRINGIFIED = {"query": "cats", "limit": "10", "tags": '["a", "b"]'}
LARGE = {**CORRECT, "query": "x" * 1_000_000}
CASES = {"correct": CORRECT, "stringified": STRINGIFIED, "a megabyte": LARGE}
WANTED = {**CASES, "stringified": CORRECT}


@contextlib.contextmanager
def asking(command: list[str], arguments: Any) -> Iterator[Callable[[], bytes]]:
    """A function that calls the tool and waits for its answer."""
    params = {"name": "search", "arguments": arguments}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    line = call.encode() + b"\n"
    server = subprocess.Popen(  # noqa: S603 - our own program
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    to_server: Any = server.stdin
    from_server: Any = server.stdout

    def ask() -> bytes:
        to_server.write(line)
        to_server.flush()
        answer: bytes = from_server.readline()
        return answer

    with server:
        try:
            yield ask
        finally:
            to_server.close()


def arrived(answer: bytes) -> Any:
    """The arguments that the server was called with."""
    return json.loads(json.loads(answer)["result"]["content"][0]["text"])


@pytest.mark.benchmark(group="proxy")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("command", [ALONE, PROXY], ids=["alone", "proxy"])
def test_round_trip(benchmark: Any, command: list[str], case: str) -> None:
    with asking(command, CASES[case]) as ask:
        answer = arrived(ask())
        assert answer == (WANTED if command is PROXY else CASES)[case]
        benchmark(ask)


def median(command: list[str], case: str) -> float:
    """Seconds for one call."""
    with asking(command, CASES[case]) as ask:
        taken = []
        for _ in range(1000):
            start = time.perf_counter()
            ask()
            taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    for name in CASES:
        alone, through = median(ALONE, name), median(PROXY, name)
        print(f"{name:12} alone {alone * 1e6:7.0f} µs, through the proxy {through * 1e6:7.0f} µs")
