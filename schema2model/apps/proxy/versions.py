"""The versions of MCP, and the request by which a client begins in each."""

from __future__ import annotations

from typing import Final

__all__ = ["DISCOVER", "HANDSHAKE_VERSIONS", "INITIALIZE", "MODERN_VERSION", "VERSIONS"]

INITIALIZE: Final = "initialize"
DISCOVER: Final = "server/discover"

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of MCP that begin with a handshake."""

MODERN_VERSION: Final = "2026-07-28"
"""The version of MCP without a handshake."""

VERSIONS: Final = (*HANDSHAKE_VERSIONS, MODERN_VERSION)
"""The versions of MCP. A server that names none of them is left out, as MCP asks of clients: the
client would end its connection to all servers for it."""
