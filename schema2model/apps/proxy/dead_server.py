"""The words for a server, and the answer to a request that a dead one has left open."""

from __future__ import annotations

from typing import Any

from schema2model.apps.proxy.json_rpc import CONNECTION_CLOSED, Id, error_answer
from schema2model.json.quoting import quoted

__all__ = ["dead_server_answer", "server_words"]


def server_words(name: str | None = None) -> str:
    """Return the words for a server in messages; `name` is for one of several.

    >>> server_words("git")
    'the server "git"'
    """
    return "the server" if name is None else f"the server {quoted(name)}"


def dead_server_answer(request: Id | None, reason: str, name: str | None = None) -> dict[str, Any]:
    """Return the answer to a request that a dead server will never answer.

    >>> dead_server_answer(1, "ended with exit code 1")["error"]
    {'code': -32000, 'message': 'the server ended with exit code 1'}
    """
    return error_answer(request, CONNECTION_CLOSED, f"{server_words(name)} {reason}")
