"""A server over stdio for commands, without the SDK, which takes a second to import.

It has the tool `search` of `adapters/mcp_server.py`, and describes and answers it in the same way.
With an argument, it also has the tool `count_rows`, whose result is that text for an integer.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = {
    "name": "search",
    "description": "Answer with the arguments.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "limit": {"type": "integer"},
            "active": {"type": "boolean", "default": False},
        },
        "required": ["tags", "limit"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"result": {"type": "string"}},
        "required": ["result"],
    },
}

COUNT = {
    "name": "count_rows",
    "inputSchema": {"type": "object"},
    "outputSchema": {"properties": {"count": {"type": "integer"}}, "required": ["count"]},
}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request, or None for a method that is not there."""
    if method == "initialize":
        about = {"name": "search", "version": "1"}
        version = {"protocolVersion": params["protocolVersion"], "serverInfo": about}
        return {**version, "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": [TOOL, *[COUNT] * len(sys.argv[1:])]}
    if method == "tools/call" and params["name"] == "count_rows":
        return {"content": [], "structuredContent": {"count": sys.argv[1]}}
    if method == "tools/call":
        sent = {"active": False, **params["arguments"]}
        text = repr((sent["tags"], sent["limit"], sent["active"]))
        return {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}}
    return {} if method == "ping" else None


def main() -> None:
    """Answer requests, line by line, until the client goes."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = result_of(request["method"], request.get("params", {}))
        missing = {"error": {"code": -32601, "message": "Method not found"}}
        answer = missing if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
