"""One answer to a request that several servers were asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    Id,
    error_answer,
    object_in,
    text_of,
)
from schema2model.apps.proxy.prefixed_names import LISTS, PrefixedNames, bare_name
from schema2model.extras import DISTRIBUTION
from schema2model.json.quoting import quoted

__all__ = [
    "BROADCAST_METHODS",
    "Question",
    "failure_of",
    "merged_discovery",
    "merged_handshake",
    "own_info",
    "why_not_result",
]

BROADCAST_METHODS = frozenset({*LISTS, "logging/setLevel"})
"""Requests that go to every server, besides those that open a connection."""


SERVER_INFO = "io.modelcontextprotocol/serverInfo"
"""The member of `_meta` in which a server describes itself, since MCP 2026-07-28."""


@dataclass(eq=False)
class Question:
    """A request that all servers are asked, and their answers."""

    request: Id
    message: dict[str, Any]
    results: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The pages of each server."""
    missing: dict[str, str] = field(default_factory=dict)
    """The servers that gave no result, each with the reason."""
    error: dict[str, Any] | None = None
    """The first answer without a result."""

    @property
    def method(self) -> str:
        """The method of the request."""
        return str(self.message["method"])

    def take(self, prefix: str, message: dict[str, Any], names: PrefixedNames) -> str | None:
        """Note the answer of one server; return the cursor of its next page, if it has one."""
        result = message.get("result")
        listed = LISTS.get(self.method)
        if not isinstance(result, dict) or why_not_result(result) is not None:
            self.fail(prefix, *failure_of(message))
            if listed and listed.ability != "tools" and _is_unknown_method(message):
                del self.missing[prefix]  # it has none of them
            return None
        if listed:
            result = {**result, listed.member: names.shown_items(prefix, self.method, result)}
        self.results.setdefault(prefix, []).append(result)
        cursor = result.get("nextCursor") if listed else None
        return cursor if isinstance(cursor, str) and cursor else None

    def fail(self, prefix: str, error: dict[str, Any], reason: str) -> None:
        """Note that one server gave no result."""
        self.error = self.error or error
        self.missing[prefix] = reason

    def answer(self) -> dict[str, Any]:
        """Return the answer of all together; an error only if no server has a result."""
        results = {prefix: self.results[prefix] for prefix in sorted(self.results)}
        if not results:
            error = self.error or error_answer(None, INTERNAL_ERROR, "no server has answered")
            return {**error, "id": self.request}
        listed = LISTS.get(self.method)
        result = _joined(results, listed.member, self.missing) if listed else {}
        return {"jsonrpc": "2.0", "id": self.request, "result": result}


def own_info() -> dict[str, Any]:
    """Return the proxy's name and version, as clients and servers introduce themselves."""
    return {"name": "schema2model", "version": version(DISTRIBUTION)}


def why_not_result(result: Any) -> str | None:
    """Explain why a value is not the result of a request; None if it may be one."""
    if not isinstance(result, dict):
        return "the answer has no result"
    try:
        text_of(result)
    except ValueError:  # parsers take NaN
        return "the result is not JSON"
    return None


def failure_of(message: dict[str, Any], reason: str | None = None) -> tuple[dict[str, Any], str]:
    """Return the error of an answer that has no usable result, as a message and in words."""
    error = message.get("error")
    if isinstance(error, dict):
        words = error.get("message")
        is_own = message.get("id") is None or error.get("code") == CONNECTION_CLOSED
        return message, words if is_own and isinstance(words, str) else quoted(words)
    words = str(reason or why_not_result(message.get("result")))
    return error_answer(None, INTERNAL_ERROR, words), words


def _abilities(results: Mapping[str, dict[str, Any]], missing: Mapping[str, str]) -> dict[str, Any]:
    """Return the capabilities and instructions of all servers together."""
    given = [object_in(result, "capabilities") for result in results.values()]
    capabilities: dict[str, Any] = {"tools": {}}
    for ability in ("tools", "prompts", "resources", "completions", "logging"):
        if any(ability in each for each in given):
            capabilities[ability] = {}
    instructions = [
        f"{bare_name(prefix)}: {words}"
        for prefix, result in results.items()
        if isinstance(words := result.get("instructions"), str) and words
    ]
    instructions += [
        f"The tools of the server {quoted(bare_name(prefix))} are missing: {reason}."
        for prefix, reason in missing.items()
    ]
    more = {"instructions": "\n\n".join(instructions)} if instructions else {}
    return {"capabilities": capabilities, **more}


def merged_handshake(
    results: Mapping[str, dict[str, Any]], missing: Mapping[str, str], newest: str
) -> dict[str, Any]:
    """Return the result of `initialize` for all servers, in the oldest version of theirs.

    Args:
        results: of `initialize`, or of `server/discover`, which names no version of that kind.
        missing: the servers that are left out, each with the reason.
        newest: the version that newer servers are translated to.

    """
    versions = (str(result.get("protocolVersion", newest)) for result in results.values())
    oldest = min(versions, default=newest)
    abilities = _abilities(results, missing)
    # without a handshake, both come only with `subscriptions/listen`
    older = [
        object_in(each, "capabilities") for each in results.values() if "protocolVersion" in each
    ]
    for ability, merged in abilities["capabilities"].items():
        for flag in ("listChanged", "subscribe"):
            if any(object_in(each, ability).get(flag) for each in older):
                merged[flag] = True
    return {"protocolVersion": oldest, "serverInfo": own_info(), **abilities}


def merged_discovery(
    versions: Sequence[str],
    newer: list[dict[str, Any]],
    results: Mapping[str, dict[str, Any]],
    missing: Mapping[str, str],
) -> dict[str, Any]:
    """Return the result of `server/discover` for all servers.

    Args:
        versions: of MCP that the proxy knows.
        newer: the results of the servers that have this request.
        results: of all servers, by prefix.
        missing: the servers that are left out, each with the reason.

    """
    first = newer[0]
    offered = [each["supportedVersions"] for each in newer]
    common = [each for each in versions if all(each in own for own in offered)]
    rest = {key: first[key] for key in first if key != "instructions"}
    rest["_meta"] = {**object_in(first, "_meta"), SERVER_INFO: own_info()}
    own = {"supportedVersions": common, **_abilities(results, missing)}
    return {**rest, **own, **_caching([*results.values(), *({} for _ in missing)])}


def _caching(results: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how long, and for whom, the answer made of several results may be cached.

    It is as short and as private as that of any; older servers have neither.
    """
    hints = [(each.get("ttlMs"), each.get("cacheScope")) for each in results]
    if all(hint == (None, None) for hint in hints):
        return {}
    is_public = all(scope == "public" for _, scope in hints)
    shortest = min(time if type(time) is int else 0 for time, _ in hints)
    return {"ttlMs": shortest, "cacheScope": "public" if is_public else "private"}


def _joined(
    results: Mapping[str, list[dict[str, Any]]], member: str, missing: Iterable[str]
) -> dict[str, Any]:
    """Return the pages of all servers as one."""
    pages = [page for each in results.values() for page in each]
    rest = {key: page[key] for page in reversed(pages) for key in page}
    rest.pop("nextCursor", None)
    items = [item for page in pages for item in page[member]]
    return {**rest, member: items, **_caching([*pages, *({} for _ in missing)])}


def _is_unknown_method(message: dict[str, Any]) -> bool:
    return bool(object_in(message, "error").get("code") == METHOD_NOT_FOUND)
