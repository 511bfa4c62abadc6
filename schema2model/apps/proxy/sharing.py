"""The rules for a server that several clients share, and that keeps no state of a client.

The first handshake counts for all; a client of an older version gets its answer in that version.
Of the server's own messages only the news that a list has changed are for all clients. It can ask
no client anything, as it does not know one from another, so that no client hears of capabilities
that concern one client.
"""

from __future__ import annotations

from typing import Any, Final

from schema2model.apps.proxy.json_rpc import Id, object_in
from schema2model.apps.proxy.versions import HANDSHAKE_VERSIONS

__all__ = ["FOR_ALL", "OF_ONE_CLIENT", "shown_handshake"]

FOR_ALL: Final = frozenset(
    f"notifications/{listed}/list_changed" for listed in ("tools", "prompts", "resources")
)
"""Notifications of the server that are for all clients."""

_SUBSCRIBING = ("resources/subscribe", "resources/unsubscribe", "subscriptions/listen")
OF_ONE_CLIENT: Final = frozenset((*_SUBSCRIBING, "logging/setLevel", "tasks/list"))
"""Requests whose effect is for one client only, which the server would not tell from others."""


def shown_handshake(handshake: dict[str, Any], request: Id | None, version: Any) -> dict[str, Any]:
    """Return the answer to `initialize` for one client.

    Args:
        handshake: the server's answer.
        request: the client's own id.
        version: the version of MCP that it asks for.

    """
    answer, result = {**handshake, "id": request}, object_in(handshake, "result")
    if "protocolVersion" in result:
        negotiated = str(result["protocolVersion"])
        is_older = version in HANDSHAKE_VERSIONS and version < negotiated
        able = {**object_in(result, "capabilities")}
        able.pop("logging", None)
        for ability, refused in (("resources", "subscribe"), ("tasks", "list")):
            if ability in able:
                able[ability] = {k: v for k, v in object_in(able, ability).items() if k != refused}
        shown = version if is_older else negotiated
        answer["result"] = {**result, "protocolVersion": shown, "capabilities": able}
    return answer
