"""A server over stdio that misbehaves as the tool that is called asks for."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "tags": {"type": "array"}}}
GUESSES = (0, 1, 2, "1", "2", None, True, 1.0)
"""Ids that a client may have given to another call."""


def write(message: Any) -> None:
    """Write a message, or a line as it is."""
    left = memoryview(f"{message if isinstance(message, str) else json.dumps(message)}\n".encode())
    while left:
        left = left[os.write(1, left) :]


def text(request: Any, words: str) -> dict[str, Any]:
    """The answer to a call."""
    result = {"content": [{"type": "text", "text": words}]}
    return {"jsonrpc": "2.0", "id": request, "result": result}


def flood(method: str, *, asks: bool) -> None:
    """Write two thousand notifications, or requests."""
    for number in range(2000):
        head = {"jsonrpc": "2.0", "method": method, **({"id": number} if asks else {})}
        write({**head, "params": {"level": "info", "data": f"{number}"}})


def end_within_a_line() -> None:
    """Write the first half of a line, and end."""
    os.write(1, b'{"jsonrpc": "2.0", "id": 1, "res')
    os._exit(3)


def close_output() -> None:
    """Run on, but say nothing."""
    os.close(1)
    time.sleep(600)


BEFORE: dict[str, Callable[[Any], Any]] = {
    "die": lambda _: os._exit(3),
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "half_line": lambda _: end_within_a_line(),
    "close_output": lambda _: close_output(),
    "twice": lambda request: write(text(request, "first")),
    "wrong_id": lambda _: write(text("no-such-request", "wrong")),
    "guess": lambda _: [write(text(each, "stolen")) for each in GUESSES],
    "not_a_message": lambda _: write('[]\n3\n"x"\nnull\n{}\n{"id": 1}\n'),
    "flood": lambda _: flood("notifications/message", asks=False),
    "questions": lambda _: flood("roots/list", asks=True),
    "slow": lambda _: time.sleep(0.5),
    "huge": lambda _: time.sleep(0.5),
}
"""What the server does before it answers a call, if it comes to that."""
UNREADABLE = {"junk": "{]", "deep": "[" * 999 + "]" * 999}
"""Results that are no JSON, or that no parser reads."""
LARGE = {"large": 3_000_000, "huge": 70 << 20}
NAMES = [*BEFORE, *UNREADABLE, "large", "echo", "pid", "do", "ask", "ping", "never", "stop_reading"]


def words_of(name: str, arguments: Any) -> str:
    """What the server answers a call with."""
    if name in {"ask", "ping"}:
        write({"jsonrpc": "2.0", "id": "q", "method": "roots/list" if name == "ask" else name})
        return json.dumps(json.loads(sys.stdin.readline())["result"])
    if name in LARGE:
        return "x" * LARGE[name]
    sent, pid = json.dumps(arguments), str(os.getpid())
    words = {"echo": sent, "pid": pid, "do": f"{pid} {sent}", "wrong_id": "right", "slow": "slow"}
    return words.get(name, "done")


def call(name: str, request: Any, params: dict[str, Any]) -> None:
    """Answer a call, more or less."""
    if name in BEFORE:
        BEFORE[name](request)
    if name in UNREADABLE:
        write(f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{UNREADABLE[name]}}}')
    elif name != "never":
        write(text(request, words_of(name, params["arguments"])))
    if name == "stop_reading":
        time.sleep(600)


def main() -> None:
    """Serve until the client goes."""
    for line in sys.stdin:
        message = json.loads(line)
        request, method = message.get("id"), message.get("method")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "upstream", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            write({"jsonrpc": "2.0", "id": request, "result": result})
        elif method == "tools/list":
            tools = [{"name": name, "inputSchema": SCHEMA} for name in NAMES]
            write({"jsonrpc": "2.0", "id": request, "result": {"tools": tools}})
        elif method == "tools/call":
            call(message["params"]["name"], request, message["params"])


if __name__ == "__main__":
    main()
