"""One answer to what several servers were asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final

from schema2model.extras import DISTRIBUTION
from schema2model.json.quoting import quoted
from schema2model.json.spans import respelled
from schema2model.proxying.json_rpc import INTERNAL_ERROR, Id, error_answer, text_of

__all__ = ["OF_ALL", "Question"]

OF_ALL = frozenset({"initialize", "server/discover", "tools/list", "logging/setLevel"})
"""Requests that go to every server."""

HANDSHAKE_VERSION: Final = "2025-11-25"
"""The last version of MCP that begins with a handshake."""

_VERSION: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_META: Final = "io.modelcontextprotocol/"
"""The prefix of what a client says of itself with every request, since MCP 2026-07-28."""


@dataclass(eq=False)
class Question:
    """A request that all servers are asked, and what they answer.

    A server that has no `server/discover` is older than that: if others have it, the older one gets
    the handshake of its time instead.
    """

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
    older: set[str] = field(default_factory=set)
    """The servers that were given a handshake instead."""

    @property
    def method(self) -> str:
        """The method of the request."""
        return str(self.message["method"])

    def asking(self, upstream: Id, prefix: str, **more: Any) -> str:
        """The text of the message that asks one server."""
        params = self.message.get("params")
        params = params if isinstance(params, dict) else {}
        if prefix in self.older:
            return text_of(_handshake(upstream, params))
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
        reason = _why_invalid("initialize" if prefix in self.older else self.method, result)
        if reason is not None or not isinstance(result, dict):
            error = message.get("error")
            words = error.get("message") if isinstance(error, dict) else None
            is_error = isinstance(error, dict)
            fault = message if is_error else error_answer(None, INTERNAL_ERROR, str(reason))
            self.fail(prefix, fault, quoted(words) if is_error else str(reason))
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

    def reopen(self) -> list[str]:
        """The servers to be asked once more, in the way of older versions."""
        if self.method != "server/discover" or self.older or not self.results:
            return []
        self.older = {*self.missing}
        self.missing.clear()
        self.open |= self.older
        return sorted(self.older)

    def greeted(self) -> list[str]:
        """The servers that have answered a handshake, and wait for its end."""
        return sorted(self.older & self.results.keys())

    def answer(self) -> dict[str, Any]:
        """The answer of all together; an error only if no server has a result."""
        results = {prefix: self.results[prefix] for prefix in sorted(self.results)}
        if not results:
            error = self.error or error_answer(None, INTERNAL_ERROR, "no server has answered")
            return {**error, "id": self.request}
        result = _MERGED[self.method](results, self.older)
        return {"jsonrpc": "2.0", "id": self.request, "result": result}


def _handshake(upstream: Id, params: Mapping[str, Any]) -> dict[str, Any]:
    """The handshake of earlier versions, for a client that says of itself the same in `_meta`."""
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    own = {
        "protocolVersion": HANDSHAKE_VERSION,
        "capabilities": meta.get(f"{_META}clientCapabilities", {}),
        "clientInfo": meta.get(f"{_META}clientInfo", _info()),
    }
    return {"jsonrpc": "2.0", "id": upstream, "method": "initialize", "params": own}


def _info() -> dict[str, Any]:
    return {"name": "schema2model", "version": version(DISTRIBUTION)}


def _why_invalid(method: str, result: Any) -> str | None:
    """Why a result is not one of a method; None if it is."""
    if not isinstance(result, dict):
        return "the answer has no result"
    try:
        text_of(result)
    except ValueError:  # parsers take NaN
        return "the result is not JSON"
    if method == "initialize":
        known = result.get("protocolVersion")
        if not isinstance(known, str) or not _VERSION.fullmatch(known):
            return "the result has no version of the protocol"
    if method == "server/discover" and not _versions(result):
        return "the result has no versions of the protocol"
    return None


def _abilities(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The capabilities and instructions that hold for all servers together."""
    given = [pages[0].get("capabilities") for pages in results.values()]
    able = [each for each in given if isinstance(each, dict)]
    tools = [each["tools"] for each in able if isinstance(each.get("tools"), dict)]
    changes = {"listChanged": True} if any(each.get("listChanged") for each in tools) else {}
    capabilities: dict[str, Any] = {"tools": changes}
    if any("logging" in each for each in able):
        capabilities["logging"] = {}
    instructions = [
        f"{prefix.removesuffix('__')}: {words}"
        for prefix, pages in results.items()
        if isinstance(words := pages[0].get("instructions"), str) and words
    ]
    more = {"instructions": "\n\n".join(instructions)} if instructions else {}
    return {"capabilities": capabilities, **more}


def _initialized(results: Mapping[str, list[dict[str, Any]]], older: set[str]) -> dict[str, Any]:
    del older
    versions = (str(pages[0]["protocolVersion"]) for pages in results.values())
    return {"protocolVersion": min(versions), "serverInfo": _info(), **_abilities(results)}


def _discovered(results: Mapping[str, list[dict[str, Any]]], older: set[str]) -> dict[str, Any]:
    first, *others = (pages[0] for prefix, pages in results.items() if prefix not in older)
    known = [_versions(each) for each in others]
    own = _versions(first)
    common = [each for each in own if all(each in versions for versions in known)]
    rest = {key: first[key] for key in first if key != "instructions"}
    return {**rest, "supportedVersions": common or own, **_abilities(results)}


def _versions(result: dict[str, Any]) -> list[Any]:
    given = result.get("supportedVersions")
    return given if isinstance(given, list) else []


def _renamed(
    prefix: str, page: dict[str, Any], owner: Callable[[str], str | None]
) -> list[dict[str, Any]]:
    """The tools in a page of a server, under the names that the client sees.

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


def _listed(results: Mapping[str, list[dict[str, Any]]], older: set[str]) -> dict[str, Any]:
    del older
    pages = [page for each in results.values() for page in each]
    rest = {key: page[key] for page in reversed(pages) for key in page}
    rest.pop("nextCursor", None)
    return {**rest, "tools": [tool for page in pages for tool in page["tools"]]}


def _nothing(results: Mapping[str, list[dict[str, Any]]], older: set[str]) -> dict[str, Any]:
    del results, older
    return {}


_MERGED = {
    "initialize": _initialized,
    "server/discover": _discovered,
    "tools/list": _listed,
    "logging/setLevel": _nothing,
}
