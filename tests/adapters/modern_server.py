"""A server that speaks MCP 2026-07-28 only, without any package: there is no handshake."""

from __future__ import annotations

import json
import sys
from typing import Any

VERSION = "2026-07-28"
KEY = "io.modelcontextprotocol/protocolVersion"
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of a request, or its error."""
    if params.get("_meta", {}).get(KEY) != VERSION:
        data = {"supported": [VERSION], "requested": None}
        return {"error": {"code": -32022, "message": "unsupported protocol version", "data": data}}
    cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if method == "server/discover":
        about = {"supportedVersions": [VERSION], "capabilities": {"tools": {}}}
        return {"result": {**cached, **about}}
    if method == "tools/list":
        return {"result": {**cached, "tools": [{"name": "add", "inputSchema": SCHEMA}]}}
    if method == "tools/call":
        total = params["arguments"]["a"] + params["arguments"]["b"]
        content = [{"type": "text", "text": str(total)}]
        return {"result": {"resultType": "complete", "content": content}}
    return {"error": {"code": -32601, "message": "no such method"}}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            made = answer(request["method"], request.get("params", {}))
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **made}) + "\n")
            sys.stdout.flush()
