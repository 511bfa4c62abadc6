"""The servers that the configuration of an MCP client names.

Its `mcpServers`, or VS Code's `servers`, say how each is started, or where it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.schemas import document_in
from schema2model.apps.cli.servers import ServerAddress
from schema2model.apps.proxy.secret_headers import Header
from schema2model.json.names import nearest
from schema2model.json.quoting import quoted

__all__ = ["SERVER_KEYS", "prefixes", "servers_in"]

SERVER_KEYS: Final = ("mcpServers", "servers")
"""Keys of the servers: most clients have the first, VS Code has the second."""

_MEMBERS = ("command", "url", "args", "env", "cwd", "headers", "type", "disabled", "stateless")
"""Members of a server's entry."""

_SYNONYMS = {"serverUrl": "url", "httpUrl": "url"}
"""Names that some clients have for them."""

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
"""A variable as clients write it."""

_ENVIRONMENT = re.compile(r"(?:env:)?(\w+)(?::-(.*))?", re.DOTALL)
"""A variable of the environment, with its default."""

_EDITOR_FOLDERS = frozenset({".vscode", ".cursor"})
"""Folders in a workspace for the configuration of an editor."""

_OF_WORKSPACE = frozenset({"workspaceFolder", "workspaceFolderBasename"})

_STRANGE = re.compile(r"[^A-Za-z0-9_-]+")
"""Characters that the name of a tool cannot have."""


def servers_in(path: Path) -> dict[str, ServerAddress]:
    """Return the servers of a configuration that are not disabled, by name.

    Raises:
        InputError: if the file cannot be read, names no servers, or one that makes no sense.

    """
    document = document_in(path, comments=True)
    keys = [key for key in SERVER_KEYS if isinstance(document, dict) and key in document]
    if len(keys) > 1:
        message = f"{path} has both `mcpServers` and `servers`; leave one of them out"
        raise InputError(message)
    named = document[keys[0]] if keys else None
    if not isinstance(named, dict):
        message = f"{path} has no object `mcpServers` or `servers`"
        raise InputError(message)
    editor = _editor_variables(path)
    servers = {
        name: _shareable(_Entry(f"{path}: the server {quoted(name)}", editor), entry)
        for name, entry in named.items()
        if not (isinstance(entry, dict) and entry.get("disabled") is True)
    }
    if not servers:
        message = f"{path} names no servers"
        raise InputError(message)
    return servers


def prefixes(names: list[str]) -> dict[str, str]:
    """Return the prefixes of the tools of several servers in one list.

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


class _Entry(NamedTuple):
    """The location of a server's entry for messages, and the variables that an editor sets."""

    location: str
    variables: Mapping[str, str]

    def expanded(self, text: str) -> str:
        """Return a text with the values of the variables in it.

        Raises:
            InputError: if one has no value here. No variable reaches a server as it is written.

        """
        return _VARIABLE.sub(self._variable_value, text)

    def _variable_value(self, found: re.Match[str]) -> str:
        name = found[1]
        if name in self.variables:
            return self.variables[name]
        environment = _ENVIRONMENT.fullmatch(name)
        value = environment and os.environ.get(environment[1], environment[2])
        if value is not None:
            return value
        message = f"{self.location} {_why_unknown(name, environment and environment[1])}"
        raise InputError(message)


def _why_unknown(name: str, environment: str | None) -> str:
    """Explain why a variable has no value, and what to do."""
    if name in _OF_WORKSPACE:
        folders = " or ".join(sorted(_EDITOR_FOLDERS))
        return f"uses ${{{name}}}, which is known only for a file in {folders}; write the path"
    if environment is not None:
        return f"wants the environment variable {environment}, which is not set"
    kind = "an input that only an editor asks for" if name.startswith("input:") else "unknown here"
    return f"uses ${{{name}}}, {kind}; write ${{env:NAME}} and set that variable"


def _editor_variables(path: Path) -> dict[str, str]:
    """Return the variables of VS Code and Cursor that the path of their file shows."""
    variables = {"userHome": os.path.expanduser("~"), "pathSeparator": os.sep, "/": os.sep}  # noqa: PTH111 - Path.home raises where there is none
    folder = path.absolute().parent
    if folder.name in _EDITOR_FOLDERS:
        variables["workspaceFolder"] = str(folder.parent)
        variables["workspaceFolderBasename"] = folder.parent.name
    return variables


def _shareable(source: _Entry, entry: Any) -> ServerAddress:
    address = _address(source, entry)
    stateless = entry.get("stateless", False)
    if not isinstance(stateless, bool):
        message = f"{source.location} has stateless that is neither true nor false"
        raise InputError(message)
    return replace(address, is_stateless=stateless)


def _address(source: _Entry, entry: Any) -> ServerAddress:
    if not isinstance(entry, dict):
        message = f"{source.location} is not an object"
        raise InputError(message)
    if "envFile" in entry:
        message = f"{source.location} has an envFile, which is not read; write its variables in env"
        raise InputError(message)
    command, url = entry.get("command"), entry.get("url")
    if isinstance(command, str) and command and url is None:
        words = (command, *_require_strings(source, "args", entry.get("args", [])))
        environment = _members(source, "env", entry.get("env", {}))
        folder = entry.get("cwd")
        return ServerAddress(
            command=tuple(source.expanded(word) for word in words),
            environment=tuple(environment.items()),
            folder=source.expanded(folder) if isinstance(folder, str) else None,
        )
    if isinstance(url, str) and command is None:
        url = source.expanded(url)
        if entry.get("type") == "sse":
            message = f"{source.location} speaks only the older SSE transport, not streamable HTTP"
            raise InputError(message)
        headers = _members(source, "headers", entry.get("headers", {}))
        try:
            read = tuple(Header.read(f"{name}: {value}") for name, value in headers.items())
            return ServerAddress.at(url=url, headers=read)
        except (ValueError, InputError) as error:
            message = f"{source.location}: {error}"
            raise InputError(message) from None
    unknown = [key for key in entry if key not in _MEMBERS]
    meant = ((key, _SYNONYMS.get(key) or nearest(key, _MEMBERS)) for key in unknown)
    hints = (f"; it has {quoted(key)}: did you mean {quoted(name)}?" for key, name in meant if name)
    message = f"{source.location} has neither a command nor a URL, or both{''.join(hints)}"
    raise InputError(message)


def _require_strings(source: _Entry, key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        message = f"{source.location} has {key} that are not a list of strings"
        raise InputError(message)
    return value


def _members(source: _Entry, key: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
        message = f"{source.location} has {key} that are not an object of strings"
        raise InputError(message)
    return {name: source.expanded(text) for name, text in value.items()}
