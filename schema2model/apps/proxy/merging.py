"""One answer to a request that several servers were asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    Id,
    error_answer,
    text_of,
)
from schema2model.extras import DISTRIBUTION
from schema2model.json.quoting import quoted
from schema2model.json.spans import respelled

__all__ = [
    "BROADCAST_METHODS",
    "Question",
    "failure_of",
    "merged_discovery",
    "merged_handshake",
    "own_info",
    "why_not_result",
]

BROADCAST_METHODS = frozenset({"tools/list", "logging/setLevel"})
"""Requests that go to every server, besides those that open a connection."""


@dataclass(eq=False)
class Question:
    """A request that all servers are asked, and their answers."""

    request: Id
    message: dict[str, Any]
    text: str
    """The message as the client spelled it."""
    open: set[str] = field(default_factory=set)
    """The prefixes of the servers that have not answered yet."""
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

    def text_for(self, upstream: Id, params: Mapping[str, Any], **more: Any) -> str:
        """Return the text of the message for one server, with the parameters that it takes."""
        own = {name: params[name] for name in params if name != "cursor"}  # there is one page
        if isinstance(meta := own.get("_meta"), dict):  # a progress token is for one request
            own["_meta"] = {name: meta[name] for name in meta if name != "progressToken"}
        message = {**self.message, "id": upstream, "params": {**own, **more}}
        return respelled(self.text, self.message, message)

    def take(
        self, prefix: str, message: dict[str, Any], owner: Callable[[str], str | None]
    ) -> str | None:
        """Note the answer of one server; return the cursor of its next page, if it has one."""
        result = message.get("result")
        if not isinstance(result, dict) or why_not_result(result) is not None:
            self.fail(prefix, *failure_of(message))
            return None
        pages = self.results.setdefault(prefix, [])
        if self.method == "tools/list":
            result = {**result, "tools": _renamed(prefix, result, owner)}
        pages.append(result)
        cursor = result.get("nextCursor") if self.method == "tools/list" else None
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
        result = _listed(results) if self.method == "tools/list" else {}
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
        is_own = error.get("code") == CONNECTION_CLOSED and isinstance(words, str)
        return message, str(words) if is_own else quoted(words)
    words = str(reason or why_not_result(message.get("result")))
    return error_answer(None, INTERNAL_ERROR, words), words


def _abilities(results: Mapping[str, dict[str, Any]], missing: Mapping[str, str]) -> dict[str, Any]:
    """Return the capabilities and instructions of all servers together."""
    given = [result.get("capabilities") for result in results.values()]
    able = [each for each in given if isinstance(each, dict)]
    tools = [each["tools"] for each in able if isinstance(each.get("tools"), dict)]
    changes = {"listChanged": True} if any(each.get("listChanged") for each in tools) else {}
    capabilities: dict[str, Any] = {"tools": changes}
    if any("logging" in each for each in able):
        capabilities["logging"] = {}
    instructions = [
        f"{prefix.removesuffix('__')}: {words}"
        for prefix, result in results.items()
        if isinstance(words := result.get("instructions"), str) and words
    ]
    instructions += [
        f"The tools of the server {quoted(prefix.removesuffix('__'))} are missing: {reason}."
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
    return {"protocolVersion": oldest, "serverInfo": own_info(), **_abilities(results, missing)}


def merged_discovery(
    newer: list[dict[str, Any]], results: Mapping[str, dict[str, Any]], missing: Mapping[str, str]
) -> dict[str, Any]:
    """Return the result of `server/discover` for all servers.

    Args:
        newer: the results of the servers that have this request.
        results: of all servers, by prefix.
        missing: the servers that are left out, each with the reason.

    """
    first, *others = newer
    own = first["supportedVersions"]
    known = [each["supportedVersions"] for each in others]
    common = [each for each in own if all(each in versions for versions in known)]
    rest = {key: first[key] for key in first if key != "instructions"}
    return {**rest, "supportedVersions": common or own, **_abilities(results, missing)}


def _renamed(
    prefix: str, page: dict[str, Any], owner: Callable[[str], str | None]
) -> list[dict[str, Any]]:
    """Return the tools in a page of a server, under the names that the client sees.

    What is not a tool is left out, and so is a name under which another server would be called.
    """
    given = page.get("tools")
    tools = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    named = [
        {**tool, "name": f"{prefix}{tool['name']}"}
        for tool in tools
        if isinstance(tool.get("name"), str)
    ]
    return [tool for tool in named if owner(tool["name"]) == prefix]


def _listed(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    pages = [page for each in results.values() for page in each]
    rest = {key: page[key] for page in reversed(pages) for key in page}
    rest.pop("nextCursor", None)
    return {**rest, "tools": [tool for page in pages for tool in page["tools"]]}
