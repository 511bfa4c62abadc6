"""The answer to a request that a dead server has left open: an error that says how it ended."""

from __future__ import annotations

from typing import Any

from schema2model.apps.proxy.json_rpc import CONNECTION_CLOSED, Id, error_answer
from schema2model.json.quoting import quoted

__all__ = ["dead_server_answer", "describe_dead_server"]


def describe_dead_server(reason: str, name: str | None = None) -> str:
    """Return the sentence about a server that has ended; `name` is for one of several.

    >>> describe_dead_server("ended with exit code 1", "git")
    'the server "git" ended with exit code 1'
    """
    return f"the server {reason}" if name is None else f"the server {quoted(name)} {reason}"


def dead_server_answer(request: Id | None, reason: str, name: str | None = None) -> dict[str, Any]:
    """Return the answer to a request that a dead server will never answer.

    >>> dead_server_answer(1, "ended with exit code 1")["error"]
    {'code': -32000, 'message': 'the server ended with exit code 1'}
    """
    return error_answer(request, CONNECTION_CLOSED, describe_dead_server(reason, name))
