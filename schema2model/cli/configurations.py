"""The servers that the configuration of an MCP client names.

Its `mcpServers` say how each is started, or where it is, as in Claude Desktop, Cursor and others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schema2model.cli.output import InputError
from schema2model.cli.schemas import document_in
from schema2model.cli.servers import ServerAddress
from schema2model.json.quoting import quoted
from schema2model.proxying.secret_headers import Header

__all__ = ["prefixes", "servers_in"]

_VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}")
"""A variable of the environment as clients write it, with its default."""

_STRANGE = re.compile(r"[^A-Za-z0-9_-]+")
"""Characters that the name of a tool cannot have."""


def servers_in(path: Path) -> dict[str, ServerAddress]:
    """The servers of a configuration that are not disabled, by name.

    Raises:
        InputError: if the file cannot be read, names no servers, or one that makes no sense.

    """
    document = document_in(path)
    named = document.get("mcpServers") if isinstance(document, dict) else None
    if not isinstance(named, dict):
        message = f"{path} has no object `mcpServers`"
        raise InputError(message)
    servers = {
        name: _address(f"{path}: the server {quoted(name)}", entry)
        for name, entry in named.items()
        if not (isinstance(entry, dict) and entry.get("disabled") is True)
    }
    if not servers:
        message = f"{path} names no servers"
        raise InputError(message)
    return servers


def prefixes(names: list[str]) -> dict[str, str]:
    """The prefixes of the tools of several servers in one list.

    >>> prefixes(["git", "my files"])
    {'git': 'git__', 'my files': 'my_files__'}

    Raises:
        InputError: if two are the same.

    """
    made = {name: name and f"{_STRANGE.sub('_', name)}__" for name in names}
    if len(set(made.values())) < len(made):
        message = "the names of two servers are alike but for characters that tools cannot have"
        raise InputError(message)
    return made


def _address(place: str, entry: Any) -> ServerAddress:
    if not isinstance(entry, dict):
        message = f"{place} is not an object"
        raise InputError(message)
    command, url = entry.get("command"), entry.get("url")
    if isinstance(command, str) and command and url is None:
        words = (command, *_texts(place, "args", entry.get("args", [])))
        environment = _members(place, "env", entry.get("env", {}))
        folder = entry.get("cwd")
        return ServerAddress(
            command=tuple(_expanded(place, word) for word in words),
            environment=tuple(environment.items()),
            folder=_expanded(place, folder) if isinstance(folder, str) else None,
        )
    if isinstance(url, str) and command is None:
        if entry.get("type") == "sse":
            message = f"{place} speaks only the older SSE transport, not streamable HTTP"
            raise InputError(message)
        headers = _members(place, "headers", entry.get("headers", {}))
        try:
            read = tuple(Header.read(f"{name}: {value}") for name, value in headers.items())
            return ServerAddress.at(url=_expanded(place, url), headers=read)
        except (ValueError, InputError) as error:
            message = f"{place}: {error}"
            raise InputError(message) from None
    message = f"{place} has neither a command nor a URL, or both"
    raise InputError(message)


def _texts(place: str, key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        message = f"{place} has {key} that are not a list of strings"
        raise InputError(message)
    return value


def _members(place: str, key: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
        message = f"{place} has {key} that are not an object of strings"
        raise InputError(message)
    return {name: _expanded(place, text) for name, text in value.items()}


def _expanded(place: str, text: str) -> str:
    """A text with the values of the variables in it."""

    def value(found: re.Match[str]) -> str:
        known = os.environ.get(found[1], found[2])
        if known is None:
            message = f"{place} wants the environment variable {found[1]}, which is not set"
            raise InputError(message)
        return known

    return _VARIABLE.sub(value, text)
