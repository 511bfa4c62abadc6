"""A server over stdio that misbehaves as the tool that is called asks for."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "tags": {"type": "array"}}}
NAMES = ["echo", "pid", "die", "twice", "wrong_id", "never", "junk", "deep", "flood", "slow", "ask"]
NAMES += ["huge", "ping", "questions"]


def write(message: Any) -> None:
    """Write a message, or a line as it is."""
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def text(request: Any, words: str) -> dict[str, Any]:
    """The answer to a call."""
    result = {"content": [{"type": "text", "text": words}]}
    return {"jsonrpc": "2.0", "id": request, "result": result}


def call(name: str, request: Any, params: dict[str, Any]) -> None:
    """Answer a call, more or less."""
    if name == "die":
        os._exit(3)
    elif name == "twice":
        write(text(request, "first"))
        write(text(request, "second"))
    elif name == "wrong_id":
        write(text("no-such-request", "wrong"))
        write(text(request, "right"))
    elif name == "junk":
        write(f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{{]}}')
    elif name == "deep":
        write(f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{"[" * 999}{"]" * 999}}}')
    elif name in {"flood", "questions"}:
        for number in range(2000):
            params = {"level": "info", "data": f"{number}"}
            asked = {"id": number, "method": "roots/list"}
            note = {"method": "notifications/message"} if name == "flood" else asked
            write({"jsonrpc": "2.0", **note, "params": params})
        write(text(request, "done"))
    elif name in {"slow", "huge"}:
        time.sleep(0.5)
        write(text(request, "slow" if name == "slow" else "x" * (70 << 20)))
    elif name in {"ask", "ping"}:
        method = "roots/list" if name == "ask" else name
        write({"jsonrpc": "2.0", "id": "q", "method": method})
        write(text(request, json.dumps(json.loads(sys.stdin.readline())["result"])))
    else:
        write(text(request, str(os.getpid()) if name == "pid" else json.dumps(params["arguments"])))


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
        elif method == "tools/call" and message["params"]["name"] != "never":
            call(message["params"]["name"], request, message["params"])


if __name__ == "__main__":
    main()
