"""The names of tools, prompts and resources of several servers, as their client sees them.

Tools and prompts begin with the prefix of their server: `git__log`. The URI of a resource begins
with a scheme of its server's: `git+file:///notes.txt`; so does a template of such URIs.
"""

from __future__ import annotations

import itertools
import logging
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from schema2model.apps.proxy.json_rpc import object_in, without_variants
from schema2model.json.quoting import quoted

__all__ = ["LISTS", "ROUTED_METHODS", "PrefixedNames", "bare_name"]

LOGGER = logging.getLogger("schema2model.proxy")


class _List(NamedTuple):
    ability: str
    """The capability of servers that have this list."""
    member: str
    """The member of the result that holds the items."""
    key: str
    """The member of an item by which a client asks for it."""


LISTS: Final = {
    "tools/list": _List("tools", "tools", "name"),
    "prompts/list": _List("prompts", "prompts", "name"),
    "resources/list": _List("resources", "resources", "uri"),
    "resources/templates/list": _List("resources", "resourceTemplates", "uriTemplate"),
}
"""Requests whose answer is a list of named items, in pages."""

ROUTED_METHODS: Final = {
    "tools/call": "tool",
    "prompts/get": "prompt",
    "resources/read": "resource",
    "resources/subscribe": "resource",
    "resources/unsubscribe": "resource",
    "completion/complete": "prompt or resource",
}
"""Requests for the one server that has what they name, with words for that."""

_KEYS: Final = {each.key.casefold(): each.key for each in LISTS.values()}
_NOT_IN_SCHEME: Final = re.compile(r"[^a-z0-9.-]")


def bare_name(prefix: str) -> str:
    """Return the name of a server, which its prefix begins with."""
    return prefix.removesuffix("__")


class PrefixedNames:
    """The names of several servers' tools, prompts and resources.

    Args:
        prefixes: of the servers.

    >>> names = PrefixedNames(["git__", "my_files__"])
    >>> names.owner("git__log"), names.owner("log")
    ('git__', None)
    >>> names.routed("resources/read", {"uri": "my-files+file:///a"})
    ('my_files__', {'uri': 'file:///a'})

    """

    def __init__(self, prefixes: Iterable[str]) -> None:
        self._by_scheme: dict[str, str] = {}
        for prefix in sorted(prefixes):
            base = _NOT_IN_SCHEME.sub("-", bare_name(prefix).lower())
            base = scheme = base if base[:1].isalpha() else f"mcp-{base}"
            for number in itertools.count(2):
                if self._by_scheme.setdefault(scheme, prefix) == prefix:
                    break
                scheme = f"{base}-{number}"
        self._schemes = {prefix: scheme for scheme, prefix in self._by_scheme.items()}

    def owner(self, name: str) -> str | None:
        """Return the longest prefix that a name begins with, or None."""
        known = (each for each in self._schemes if name.startswith(each))
        return max(known, key=len, default=None)

    # ----------------------------------------------------------------------- from the client
    def routed(self, method: str, params: Any) -> tuple[str, dict[str, Any]] | None:
        """Return the server that has what a request names, and the parameters for it; or None."""
        if not isinstance(params, dict):
            return None
        if method == "completion/complete":
            found = self._bare(object_in(params, "ref"))
            return found and (found[0], {**params, "ref": found[1]})
        return self._bare(params, is_uri=method.startswith("resources/"))

    def _bare(
        self, named: dict[str, Any], *, is_uri: bool | None = None
    ) -> tuple[str, dict[str, Any]] | None:
        is_uri = named.get("type") == "ref/resource" if is_uri is None else is_uri
        key = "uri" if is_uri else "name"
        name = named.get(key)
        if not isinstance(name, str):
            return None
        scheme, _, uri = name.partition("+")
        # some clients write schemes in lower case
        prefix = self._by_scheme.get(scheme.lower()) if is_uri else self.owner(name)
        bare = uri if is_uri else name.removeprefix(prefix or "")
        return None if prefix is None else (prefix, {**named, key: bare})

    # ----------------------------------------------------------------------- from the servers
    def shown_items(self, prefix: str, method: str, page: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the items in a page of a server's list, under the names that the client sees.

        What is not an item is left out, and so, with a warning, is a name under which another
        server would be called.
        """
        _, member, key = LISTS[method]
        given = page.get(member)
        items = (
            [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
        )
        shown = []
        for item in items:
            own = {**without_variants(item, _KEYS)}
            if isinstance(item.get("name"), str):
                own["name"] = f"{prefix}{item['name']}"
            if key != "name" and isinstance(item.get(key), str):
                own[key] = self._shown_uri(prefix, item[key])
            name = own.get(key)
            if not isinstance(name, str):
                continue
            owner = prefix if key != "name" else self.owner(name) or prefix
            if owner == prefix:
                shown.append(own)
            else:
                words = "%s of the server %s is left out: by this name, %s would be asked"
                LOGGER.warning(words, *map(quoted, (name, bare_name(prefix), bare_name(owner))))
        return shown

    def shown_result(self, prefix: str, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request with the URIs of resources as the client sees them."""
        if method == "prompts/get":
            return self._with_each(result, "messages", self._shown_message, prefix)
        if method == "resources/read":
            return self._with_each(result, "contents", self.shown_resource, prefix)
        return self._with_each(result, "content", self._shown_block, prefix)

    def shown_resource(self, prefix: str, resource: Any) -> Any:
        """Return an object of a server's with its `uri` as the client sees it."""
        if isinstance(resource, dict) and isinstance(uri := resource.get("uri"), str):
            return {**resource, "uri": self._shown_uri(prefix, uri)}
        return resource

    def _shown_uri(self, prefix: str, uri: str) -> str:
        return f"{self._schemes[prefix]}+{uri}"

    def _shown_block(self, prefix: str, block: Any) -> Any:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "resource_link":
            return self.shown_resource(prefix, block)
        if kind == "resource":
            return {**block, "resource": self.shown_resource(prefix, block.get("resource"))}
        return block

    def _shown_message(self, prefix: str, message: Any) -> Any:
        if not isinstance(message, dict) or "content" not in message:
            return message
        if isinstance(message["content"], list):
            return self._with_each(message, "content", self._shown_block, prefix)
        return {**message, "content": self._shown_block(prefix, message["content"])}

    def _with_each(
        self,
        parent: dict[str, Any],
        member: str,
        shown: Callable[[str, Any], Any],
        prefix: str,
    ) -> dict[str, Any]:
        items = parent.get(member)
        if not isinstance(items, list):
            return parent
        changed = [shown(prefix, item) for item in items]
        return parent if all(map(operator.is_, items, changed)) else {**parent, member: changed}
