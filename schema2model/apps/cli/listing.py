"""The tools of the servers that a command line names: one, or those of a client side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from schema2model.apps.cli.configurations import prefixes, servers_in
from schema2model.apps.cli.options import ServerOptions
from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.servers import ServerAddress, list_tools, session
from schema2model.json.quoting import quoted

__all__ = ["chosen_servers", "fail_for_all", "listed_tools", "named_tools", "tools_of"]


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


def listed_tools(
    servers: Mapping[str, ServerAddress], timeout: float
) -> dict[str, list[dict[str, Any]] | click.ClickException]:
    """Return the tools of each server, or the error that names its entry; all are asked at once."""
    return asyncio.run(_listed(servers, timeout))


def tools_of(servers: Mapping[str, ServerAddress], timeout: float) -> list[dict[str, Any]]:
    """Return all tools in one list, prefixed with the names of their servers if those have names.

    Raises:
        InputError: if a server does not list its tools.

    """
    listed = listed_tools(servers, timeout)
    for each in listed.values():
        if isinstance(each, click.ClickException):
            raise each
    return named_tools(listed)


def named_tools(
    listed: Mapping[str, list[dict[str, Any]] | click.ClickException],
) -> list[dict[str, Any]]:
    """Return the tools of the servers that have listed them, with the names of their servers."""
    before = prefixes([*listed])
    return [
        {**tool, "name": f"{before[name]}{tool['name']}"}
        for name, tools in listed.items()
        if not isinstance(tools, click.ClickException)
        for tool in tools
    ]


def fail_for_all(errors: Sequence[click.ClickException]) -> NoReturn:
    """Name every server that has failed, and end the command."""
    *others, last = errors
    for error in others:
        error.show()
    raise last


async def _listed(
    servers: Mapping[str, ServerAddress], timeout: float
) -> dict[str, list[dict[str, Any]] | click.ClickException]:
    async def one(name: str, server: ServerAddress) -> list[dict[str, Any]] | click.ClickException:
        try:
            async with session(server, timeout=timeout) as asked:
                return await list_tools(asked, timeout=timeout)
        except click.ClickException as error:
            return InputError(f"{quoted(name)}: {error.message}") if name else error

    found = await asyncio.gather(*(one(*each) for each in servers.items()))
    return dict(zip(servers, found, strict=True))
