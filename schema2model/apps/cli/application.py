"""The program: its commands, its version, what holds for all commands."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import click

from schema2model.apps.cli.output import InputError
from schema2model.extras import DISTRIBUTION
from schema2model.faults import describe_error
from schema2model.json.names import meant
from schema2model.json.quoting import printable

__all__ = ["COMMANDS", "application"]

COMMANDS = {
    "batch": "Correct recorded calls by the million.",
    "call": "Call a tool of an MCP server, with correct arguments.",
    "check": "Find what is wrong with tools, or misleads models.",
    "codegen": "Write Python classes for the arguments of tools.",
    "diff": "Find what changes for callers between two versions.",
    "proxy": "Coerce the calls between any MCP client and a server.",
    "read": "Read the calls out of what a model wrote.",
    "report": "Show which model gets which parameter wrong.",
    "strict": "Write strict definitions of tools for a provider.",
    "tools": "List the tools of MCP servers as JSON.",
    "validate": "Correct a call's arguments, or say what is wrong.",
}
"""The commands, each with its line of help. It is the function of its name in the module of it."""


_OPTIONS = {"explain": "validate --explain"}
"""Functions of the library that are options of a command."""


class _Commands(click.Group):
    """Commands that are imported when they are asked for, so that none waits for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of help."""
        del ctx
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without importing them: all take longer than any one."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, if there is one."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module: Any = import_module(f"schema2model.apps.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        command.short_help = COMMANDS[cmd_name]
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command."""
        with _printable_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Parse the options of the command, and run it."""
        with _printable_errors():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for; the error for any other names the likeliest."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            close = _OPTIONS.get(args[0]) or meant(args[0], COMMANDS)
            if close is None or close in error.message:
                raise
            message = f"{error.message} Did you mean '{close}'?"
            raise click.UsageError(message, ctx) from None


@contextlib.contextmanager
def _printable_errors() -> Iterator[None]:
    """Escape control characters in click's messages; report help that finds no room."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise  # its message is the help
    except click.UsageError as error:
        vars(error)["message"] = printable(error.message)  # which type checkers take for final
        raise
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise
        message = f"cannot write the output: {describe_error(error)}"
        raise InputError(message) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try 'schema2model validate --help' for options, examples and exit codes.",
)
@click.version_option(package_name=DISTRIBUTION, message="schema2model %(version)s")
def application() -> None:
    """Make the arguments of a language model's tool call what the tool's JSON Schema asks for."""
