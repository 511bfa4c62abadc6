"""A server over stdio for the tests, of whichever SDK is installed; it tells what it is sent."""

from __future__ import annotations

try:
    from mcp.server.mcpserver import Context, MCPServer
except ImportError:  # 1.x
    from mcp.server.fastmcp import Context, FastMCP as MCPServer


def main() -> None:
    """Serve until the client goes."""
    server = MCPServer("echo", log_level="ERROR")

    @server.tool()
    def search(tags: list[str], limit: int, active: bool = False) -> str:  # noqa: FBT001, FBT002
        """Answer with the arguments."""
        return repr((tags, limit, active))

    @server.tool()
    async def rename(to: str, ctx: Context) -> str:
        """Let `search` take a query from now on, and say so."""

        def renamed(query: int) -> str:
            return f"{to}: {query!r}"

        server.remove_tool("search")
        server.add_tool(renamed, name="search")
        await ctx.session.send_tool_list_changed()
        return "renamed"

    server.run()


if __name__ == "__main__":
    main()
