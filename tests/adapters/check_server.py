"""An MCP server that misbehaves as it is told to: `python check_server.py HOW`."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

TOOL = {"name": "find\u001b[2J", "inputSchema": {"type": "object"}}


def main(how: str) -> None:
    """Answer requests line by line, one way or the other."""
    if how == "silent":
        threading.Event().wait()
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        if request["method"] == "initialize":
            version = request["params"]["protocolVersion"]
            about = {"name": "bad", "version": "1"}
            result: Any = {"protocolVersion": version, "capabilities": {}, "serverInfo": about}
        elif how == "dies":
            sys.exit("no key\u001b[2J\nin the environment")
        elif how == "stalls" or request["method"] == "tools/call":
            threading.Event().wait()
        else:
            result = {
                "hostile": {"tools": [TOOL]},
                "slow-tool": {"tools": [{**TOOL, "name": "find"}]},
                "none": {"tools": []},
                "endless": {"tools": [], "nextCursor": "more"},
                "rubbish": {"tools": [{"name": 7}]},
            }.get(how)
        if result is None:
            sys.stdout.write("no such method\n")
            answer: Any = {"error": {"code": -32601, "message": "no\u001b[2J\n such method"}}
        else:
            answer = {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
