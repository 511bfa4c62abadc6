"""A server over stdio for the tests, without any package: it notes each line that it is sent.

`python scripted_server.py FILE [WORD]...`: the words change how it behaves; see `answer`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

WORDS = sys.argv[2:]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"tags": {"type": "array"}, "limit": {"type": "integer"}, "score": {}},
}
NAMES = ["search", "other", "change", "die", "ask"]


def say(message: Any) -> None:
    """Write a message, or a line as it is."""
    line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
    left = memoryview(line)
    while left:
        left = left[os.write(1, left) :]


def page(cursor: str | None) -> dict[str, Any]:
    """The tools: all of them, or one on each page."""
    tools = [{"name": name, "inputSchema": SCHEMA} for name in NAMES]
    if "pages" not in WORDS:
        return {"tools": tools}
    at = int(cursor or 0)
    more = {"nextCursor": str(at + 1)} if at + 1 < len(tools) else {}
    return {"tools": tools[at : at + 1], **more}


NOTES: dict[str, Any] = {
    "prompts/list": {"prompts": [{"name": "greet"}, {"title": "no name"}]},
    "prompts/get": {
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Hello"}},
            {
                "role": "user",
                "content": {"type": "resource", "resource": {"uri": "note:a", "text": "A"}},
            },
        ]
    },
    "resources/list": {"resources": [{"name": "a", "uri": "note:a", "size": 1}]},
    "resources/templates/list": {
        "resourceTemplates": [{"name": "all", "uriTemplate": "note:{+id}"}]
    },
    "resources/read": {"contents": [{"uri": "note:a", "text": "A"}]},
    "resources/subscribe": {},
    "completion/complete": {"completion": {"values": ["a"]}},
}
"""Answers about prompts and resources, of a server with the word `notes`."""


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of a request, besides what it has asked."""
    has_notes = "notes" in WORDS
    if method == "initialize":
        able = {"resources": {"subscribe": True, "listChanged": True}, "prompts": {}}
        version = {"protocolVersion": "2025-06-18"}
        return {**version, "capabilities": able} if has_notes else version
    if not has_notes:
        return {}
    if method == "resources/subscribe":
        updated = {"method": "notifications/resources/updated", "params": {"uri": params["uri"]}}
        say({"jsonrpc": "2.0", **updated})
    if params.get("name") == "other":
        return {"content": [{"type": "resource_link", "name": "a", "uri": "note:a"}]}
    return NOTES.get(method, {})


def answer(message: dict[str, Any]) -> None:
    """Do what a message asks for."""
    method, params, request = message.get("method"), message.get("params"), message.get("id")
    params = params if isinstance(params, dict) else {"params": params}
    if method == "tools/list":
        if "never-list" in WORDS:
            return
        if "refuse-list" in WORDS:
            error = {"code": -32601, "message": "no tools"}
            say({"jsonrpc": "2.0", "id": request, "error": error})
            return
        given = [json.loads(word[5:]) for word in WORDS if word.startswith("list=")]
        result = given[0] if given else page(params.get("cursor"))
        say({"jsonrpc": "2.0", "id": request, "result": result})
    elif method == "say":
        say(params["line"].encode("latin-1"))
    elif method == "die" or params.get("name") == "die":
        os._exit(3)
    elif method == "close":
        os.close(1)
    elif "id" in message and method and "wait" not in (params.get("arguments") or ()):
        if params.get("name") == "ask" and "line" in params["arguments"]:
            say(params["arguments"]["line"].encode())
        if params.get("name") == "change":
            SCHEMA["properties"]["limit"] = {"type": "string"}
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        own = result_of(method, params)
        say({"jsonrpc": "2.0", "id": request, "result": {**own, "got": params}})


def main() -> None:
    """Serve until the client goes."""
    if "stubborn" in WORDS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stderr.write("the server is there\n")
    sys.stderr.flush()
    with Path(sys.argv[1]).open("wb", buffering=0) as received:
        for line in sys.stdin.buffer:
            received.write(line)
            try:
                messages = json.loads(line)
            except (ValueError, RecursionError):
                say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}})
                continue
            for message in messages if isinstance(messages, list) else [messages]:
                if isinstance(message, dict):
                    answer(message)
        received.write(b"EOF\n")
    if "stubborn" in WORDS:
        threading.Event().wait()
    if "talk" in WORDS:
        say(b"bye\n")


if __name__ == "__main__":
    main()
