"""Requests that one of several servers has, and what becomes of their answers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from schema2model.apps.proxy.json_rpc import INTERNAL_ERROR, Id, error_answer, is_empty_answer
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.merging import Question
from schema2model.json.quoting import quoted

__all__ = ["Asked", "Call", "adapted_answer", "log_server", "server_name"]

LOGGER = logging.getLogger("schema2model.proxy")


class Call(NamedTuple):
    """A request of the client's that one server has."""

    prefix: str
    request: Id
    """The client's own id."""
    token: Any
    """The token by which the server reports progress, if the client gave one."""
    states_version: bool
    """Whether the client states its version with each request, since MCP 2026-07-28."""


class Asked(NamedTuple):
    """A request of the proxy's own, which one server has."""

    prefix: str
    take: Callable[[dict[str, Any]], None]
    """Is called with the answer, or with an error if the server ends."""
    question: Question | None = None


def server_name(prefix: str) -> str:
    """The name of a server in messages."""
    return quoted(prefix.removesuffix("__"))


def adapted_answer(call: Call, message: dict[str, Any]) -> dict[str, Any]:
    """The answer of a server to a call, in the client's version, under the client's id."""
    if is_empty_answer(message):
        reason = f"the server {server_name(call.prefix)} answered nothing"
        return error_answer(call.request, INTERNAL_ERROR, reason)
    own = {**message, "id": call.request}
    result = message.get("result")
    if not isinstance(result, dict):
        return own
    kind = result.get("resultType")
    if call.states_version and kind is None:
        own["result"] = {**result, "resultType": "complete"}  # of an older server
    elif not call.states_version and kind not in {None, "complete"}:
        reason = f"the server {server_name(call.prefix)} asks for what only newer clients can give"
        return error_answer(call.request, INTERNAL_ERROR, f"{reason}: {quoted(kind)}")
    return own


def log_server(prefix: str, outcome: str, words: str) -> None:
    """Log a warning about a server."""
    fields = log_fields("server", server=prefix.removesuffix("__"), outcome=outcome, reason=words)
    LOGGER.warning("%s", words, extra=fields)
