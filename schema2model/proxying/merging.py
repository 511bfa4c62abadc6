"""One answer to what several servers were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from schema2model.extras import DISTRIBUTION
from schema2model.proxying.json_rpc import Id

__all__ = ["OF_ALL", "Question", "merged"]

OF_ALL = frozenset({"initialize", "server/discover", "tools/list", "logging/setLevel"})
"""Requests that go to every server."""


@dataclass
class Question:
    """A request that all servers were asked, and what they have answered."""

    request: Id
    method: str
    params: dict[str, Any]
    open: set[str] = field(default_factory=set)
    results: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The pages of each server."""
    error: dict[str, Any] | None = None
    """The first answer that was none."""


def merged(question: Question) -> dict[str, Any]:
    """The answer to what all servers were asked."""
    error, results = question.error, {p: pages for p, pages in question.results.items() if pages}
    if error is not None and (not results or question.method == "server/discover"):
        return {**error, "id": question.request}  # then a client tries the handshake
    result = _MERGED[question.method](dict(sorted(results.items())))
    return {"jsonrpc": "2.0", "id": question.request, "result": result}


def _abilities(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """What servers say of themselves, as far as it holds of all of them together."""
    given = [pages[0].get("capabilities") for pages in results.values()]
    able = [each for each in given if isinstance(each, dict)]
    tools = [each["tools"] for each in able if isinstance(each.get("tools"), dict)]
    changes = {"listChanged": True} if any(each.get("listChanged") for each in tools) else {}
    capabilities: dict[str, Any] = {"tools": changes}
    if any("logging" in each for each in able):
        capabilities["logging"] = {}
    told = [
        f"{prefix.removesuffix('__')}: {words}"
        for prefix, pages in results.items()
        if isinstance(words := pages[0].get("instructions"), str) and words
    ]
    instructions = {"instructions": "\n\n".join(told)} if told else {}
    return {"capabilities": capabilities, **instructions}


def _initialized(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    versions = (str(pages[0].get("protocolVersion")) for pages in results.values())
    info = {"name": "schema2model", "version": version(DISTRIBUTION)}
    return {"protocolVersion": min(versions), "serverInfo": info, **_abilities(results)}


def _discovered(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    first, *others = (pages[0] for pages in results.values())
    known = [_versions(each) for each in others]
    own = _versions(first)
    common = [each for each in own if all(each in versions for versions in known)]
    rest = {key: first[key] for key in first if key != "instructions"}
    return {**rest, "supportedVersions": common, **_abilities(results)}


def _versions(result: dict[str, Any]) -> list[Any]:
    given = result.get("supportedVersions")
    return given if isinstance(given, list) else []


def _listed(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    first = next(iter(results.values()))[0]
    tools = [
        {**tool, "name": f"{prefix}{tool['name']}"}
        for prefix, pages in results.items()
        for page in pages
        for tool in _tools(page)
    ]
    rest = {key: value for key, value in first.items() if key not in {"tools", "nextCursor"}}
    return {**rest, "tools": tools}


def _tools(page: dict[str, Any]) -> list[dict[str, Any]]:
    """What is a tool in a list of a stranger's."""
    given = page.get("tools")
    tools = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    return [tool for tool in tools if isinstance(tool.get("name"), str)]


def _nothing(results: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    del results
    return {}


_MERGED = {
    "initialize": _initialized,
    "server/discover": _discovered,
    "tools/list": _listed,
    "logging/setLevel": _nothing,
}
