"""The tools of the servers that a command line names: one, or those of a client side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.configurations import prefixes, servers_in
from schema2model.apps.cli.options import ServerOptions
from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.schemas import definitions_in
from schema2model.apps.cli.servers import ServerAddress, session
from schema2model.errors import SchemaError
from schema2model.json.quoting import quoted
from schema2model.tools.providers.definitions import Definition, read_definition

__all__ = [
    "chosen_definitions",
    "chosen_servers",
    "named_tools",
    "server_definitions",
    "tools_of_any",
]


def chosen_servers(given: ServerOptions) -> dict[str, ServerAddress]:
    """Return the servers of a command line by name; a single one has none.

    Raises:
        InputError: for one that makes no sense.

    """
    if given.configuration is not None:
        return servers_in(given.configuration)
    return {
        "": ServerAddress.at(command=given.command, url=given.url, headers=given.headers),
    }


def _listed_tools(
    servers: Mapping[str, ServerAddress], timeout: float
) -> tuple[dict[str, list[dict[str, Any]]], list[click.ClickException]]:
    """Return the tools of the servers that list them, and the errors of the others, by their names.

    All are asked at once.
    """

    async def one(name: str, server: ServerAddress) -> list[dict[str, Any]] | click.ClickException:
        try:
            async with session(server, timeout=timeout) as asked:
                return await asked.tools()
        except click.ClickException as error:
            return InputError(f"{quoted(name)}: {error.message}") if name else error

    async def together() -> list[list[dict[str, Any]] | click.ClickException]:
        return await asyncio.gather(*(one(*each) for each in servers.items()))

    found = asyncio.run(together())
    named = zip(servers, found, strict=True)
    tools = {name: each for name, each in named if isinstance(each, list)}
    return tools, [each for each in found if isinstance(each, click.ClickException)]


def tools_of_any(
    servers: Mapping[str, ServerAddress], timeout: float
) -> tuple[dict[str, list[dict[str, Any]]], list[click.ClickException]]:
    """Return what `_listed_tools` does, if any server lists its tools.

    Raises:
        InputError: of the last server, if none does; standard error names the others.

    """
    listed, refused = _listed_tools(servers, timeout)
    if not listed:
        *others, last = refused
        for error in others:
            error.show()
        raise last
    return listed, refused


def server_definitions(servers: Mapping[str, ServerAddress], timeout: float) -> list[Definition]:
    """Return the tools of all servers, with the names of their servers if those have names.

    Raises:
        InputError: if a server does not list its tools, or one of them cannot be read.

    """
    listed, refused = _listed_tools(servers, timeout)
    if refused:
        raise refused[0]
    try:
        return [read_definition(tool) for tool in named_tools(listed)]
    except SchemaError as error:
        raise InputError(str(error)) from None


def chosen_definitions(path: Path | None, given: ServerOptions, timeout: float) -> list[Definition]:
    """Return the tools in a file, or without a file those that servers list.

    Raises:
        InputError: if there are none, or they cannot be read.

    """
    if path is not None:
        return definitions_in(path)
    return server_definitions(chosen_servers(given), timeout)


def named_tools(listed: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the tools of servers in one list, prefixed with the names of their servers."""
    before = prefixes([*listed])
    return [
        {**tool, "name": f"{before[name]}{tool['name']}"}
        for name, tools in listed.items()
        for tool in tools
    ]
