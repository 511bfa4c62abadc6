"""The HTTP headers in which MCP repeats what a message says; clients over stdio send none.

The version that was negotiated goes with every message. Since 2026-07-28 a request says itself
which version it is of, and repeats that in headers, with its method, what it names, and those
arguments of a call that the tool's schema marks with `x-mcp-header`. The transport of the SDK 1.x
is older than that: it knows the version that was negotiated, and takes no headers.
"""

from __future__ import annotations

from typing import Any

from schema2model.apps.proxy.json_rpc import VERSION, Id, answer_id, request_id
from schema2model.extras import extra

with extra("mcp"):
    from mcp.shared.message import ClientMessageMetadata

    try:
        from mcp.shared import inbound  # type: ignore[attr-defined]
    except ImportError:  # 1.x
        inbound = None  # type: ignore[assignment]

__all__ = ["Headers"]


class Headers:
    """The state of a connection that goes into headers."""

    def __init__(self) -> None:
        self._initialize: Id | None = None
        self._negotiated: Any = None
        self._mirrored: dict[str, dict[tuple[str, ...], str]] = {}

    def learn(self, message: dict[str, Any]) -> None:
        """Learn from a message of the server: the version, or the schemas of its tools."""
        result = _object(message.get("result"))
        if self._initialize is not None and answer_id(message) == self._initialize:
            self._negotiated = result.get("protocolVersion")
        tools = result.get("tools")
        for tool in map(_object, tools if isinstance(tools, list) else []):
            schema, name = tool.get("inputSchema"), tool.get("name")
            if inbound and isinstance(name, str) and not inbound.find_invalid_x_mcp_header(schema):
                self._mirrored[name] = inbound.x_mcp_header_map(schema)

    def of(self, message: dict[str, Any]) -> ClientMessageMetadata | None:
        """The metadata with which the transport sends a message of the client."""
        method, params = message.get("method"), _object(message.get("params"))
        if method == "initialize":
            self._initialize = request_id(message)
            return None
        own = _object(params.get("_meta")).get(VERSION)
        version = self._negotiated if own is None else own
        if inbound is None or not isinstance(version, str):
            return None
        headers = {inbound.MCP_PROTOCOL_VERSION_HEADER: inbound.encode_header_value(version)}
        if own is not None and isinstance(method, str):
            headers[inbound.MCP_METHOD_HEADER] = inbound.encode_header_value(method)
            name = params.get(inbound.NAME_BEARING_METHODS.get(method, ""))
            if isinstance(name, str):
                headers[inbound.MCP_NAME_HEADER] = inbound.encode_header_value(name)
                mirrored = self._mirrored.get(name, {}) if method == "tools/call" else {}
                arguments = _object(params.get("arguments"))
                headers |= inbound.mcp_param_headers(mirrored, arguments)
        return ClientMessageMetadata(headers=headers)  # type: ignore[call-arg]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
