"""A server over streamable HTTP for the tests, of whichever SDK is installed.

`python http_server.py PORT`
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

from pydantic import Field

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:  # 1.x
    from mcp.server.fastmcp import FastMCP as MCPServer

Region = Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]


def main() -> None:
    """Serve until the process is killed."""
    server = MCPServer("http", log_level="CRITICAL")

    @server.tool()
    def search(tags: list[str], limit: int, region: Region = "here") -> str:
        """Answer with the arguments."""
        return repr((tags, limit, region))

    @server.tool()
    def fill(size: int) -> str:
        """Answer with much."""
        return "A" * size

    @server.tool()
    def die() -> None:
        """End without an answer."""
        os._exit(3)

    port = int(sys.argv[1])
    if hasattr(server.settings, "port"):  # 1.x
        server.settings.port = port
        server.run("streamable-http")
    else:
        server.run("streamable-http", port=port)


if __name__ == "__main__":
    main()
