"""Records of options: each field declares an option of a command, with its default and its help.

A configuration file sets the same options (`settings`). Records that several commands have are
here, as the bases of theirs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
from click.core import ParameterSource

from schema2model.apps.cli.output import InputError, shown, write_json
from schema2model.apps.proxy.secret_headers import Header
from schema2model.coercions import PRESETS
from schema2model.faults import describe_error
from schema2model.limits import MAX_HEADERS_SIZE
from schema2model.schema.dialects import NAMES
from schema2model.schema.undeclared import UNKNOWN_ARGUMENTS

__all__ = [
    "COERCIONS",
    "FILE",
    "LEVELS",
    "FileOptions",
    "Form",
    "FormOptions",
    "NumberRange",
    "ServerOptions",
    "UrlOptions",
    "argument",
    "coercion_option",
    "command",
    "dialect_option",
    "flag",
    "option",
    "options_given",
    "output_option",
    "results_option",
    "timeout_option",
    "unknown_arguments_option",
    "usage_error",
]

_Options = TypeVar("_Options")
_DECLARE = "declare"


def option(*names: str, **settings: Any) -> Any:
    """Declare an option as a field of a record: `--max-items` for `max_items` by default."""

    def declare(name: str) -> Any:
        return click.option(*(names or (f"--{name.replace('_', '-')}",)), name, **settings)

    return field(metadata={_DECLARE: declare})


def flag(help: str, *names: str) -> Any:  # noqa: A002 - click's word
    """Declare an option without a value."""
    return option(*names, is_flag=True, help=help)


def argument(**settings: Any) -> Any:
    """Declare an argument as a field of a record."""
    return field(metadata={_DECLARE: lambda name: click.argument(name, **settings)})


def command(
    options: type[_Options], **settings: Any
) -> Callable[[Callable[[_Options], int | None]], click.Command]:
    """Make a command of a function that takes a record of options and returns the exit code.

    Args:
        options: the record.
        settings: those of `click.command`.

    """

    def decorate(function: Callable[[_Options], int | None]) -> click.Command:
        @functools.wraps(function)
        def run(**given: Any) -> None:
            record = options(**given)
            try:
                code = function(record)
            except InputError as error:
                if isinstance(record, FormOptions) and record.as_sarif:
                    from schema2model.apps.audit.sarif import sarif_log

                    name = str(click.get_current_context().command.name)
                    write_json(sarif_log(name, [], [], error.message))
                raise
            click.get_current_context().exit(code or 0)

        made: Callable[..., Any] = run
        for each in reversed(fields(options)):  # type: ignore[arg-type]
            made = each.metadata[_DECLARE](each.name)(made)
        made_command: click.Command = click.command(**settings)(made)
        return made_command

    return decorate


def usage_error(message: str) -> click.UsageError:
    """Return the error for a command line that makes no sense."""
    return click.UsageError(message, click.get_current_context())


def options_given(options: type[Any]) -> list[str]:
    """Return the options of a record that the command line or a configuration file has."""
    context, names = click.get_current_context(), {each.name for each in fields(options)}
    return [
        each.opts[0]
        for each in context.command.params
        if each.name in names
        and context.get_parameter_source(each.name) is not ParameterSource.DEFAULT
    ]


# ------------------------------------------------------------------------------------------- types
COERCIONS = click.Choice([*PRESETS])
LEVELS = ("error", "warning", "note", "never")
"""The values of `--fail-on`: the severities, the worst first, and none of them."""


class _File(click.Path):
    """A path that is not empty: `Path("")` is the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or an error if it is empty, as an unset shell variable makes it."""
        if value == "":
            self.fail("the name of the file is empty", param, ctx)
        return super().convert(value, param, ctx)


FILE = _File(path_type=Path, readable=False)
"""A file that a command reads. It is checked when it is read."""


class NumberRange(click.FloatRange):
    """A range of numbers without NaN, which no comparison excludes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or an error if it is not in the range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


# ----------------------------------------------------------------------------------------- headers
def _headers(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[Header, ...]:
    """Return the headers in lines and files; no message quotes what may be a value."""
    del context, option  # click names them in messages
    headers = [header for words in given for header in _read_headers(words)]
    if len({header.name.lower() for header in headers}) < len(headers):
        message = "a header is given twice."
        raise click.BadParameter(message)
    return tuple(headers)


def _read_headers(words: str) -> list[Header]:
    if not words.startswith("@"):
        return [_header(words)]
    if words == "@-":
        message = "headers are not read from standard input; give a file."
        raise click.BadParameter(message)
    path = Path(words[1:])
    try:
        with path.open("rb") as file:
            content = file.read(MAX_HEADERS_SIZE + 1)
        lines = content.decode("utf-8-sig").split("\n")
    except OSError as error:
        raise _unusable(path, f"cannot be read: {describe_error(error)}") from None
    except UnicodeDecodeError:
        raise _unusable(path, "is not UTF-8") from None
    if len(content) > MAX_HEADERS_SIZE:
        raise _unusable(path, f"is larger than {MAX_HEADERS_SIZE >> 10} KiB")
    numbered = [(n, line.removesuffix("\r")) for n, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise _unusable(path, "has no headers")
    return [_header(line, f"line {number} of {shown(str(path))}: ") for number, line in numbered]


def _header(line: str, place: str = "") -> Header:
    try:
        return Header.read(line)
    except ValueError as error:
        message = f"{place}{error}."
        raise click.BadParameter(message) from None


def _unusable(path: Path, reason: str) -> click.BadParameter:
    return click.BadParameter(f"{shown(str(path))} {reason}.")


# ---------------------------------------------------------------------------- options of several
def results_option(default: str) -> Any:
    """Declare what becomes of wrong results."""
    return option(
        type=click.Choice(["off", "check", "correct", "refuse"]),
        default=default,
        show_default=True,
        help="What becomes of results that do not match the outputSchema of their tool.",
    )


def output_option(help: str) -> Any:  # noqa: A002 - click's word
    """Declare the file that is written."""
    path = click.Path(path_type=Path, dir_okay=False)
    return option("-o", "--output", type=path, metavar="FILE", help=help)


def timeout_option() -> Any:
    """Declare the patience with servers."""
    return option(
        type=NumberRange(0, min_open=True, max=86400),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="How long a server may take to start, and then for each thing that it is asked.",
    )


def coercion_option() -> Any:
    """Declare how much is corrected."""
    return option(
        type=COERCIONS,
        default="default",
        show_default=True,
        help="How much is corrected, as for 'schema2model validate'.",
    )


def unknown_arguments_option() -> Any:
    """Declare what becomes of undeclared arguments."""
    return option(
        type=click.Choice([*UNKNOWN_ARGUMENTS]),
        default="keep",
        show_default=True,
        help="Arguments that the schema allows and does not declare: keep them, refuse them, or "
        "refuse only those that spell a declared, absent name differently (dry_run for dryRun).",
    )


def dialect_option() -> Any:
    """Declare the dialect of schemas that carry none."""
    return option(
        metavar="NAME",
        help=f"The dialect of schemas without $schema: {', '.join(NAMES)}, or a $schema URI.  "
        f"[default: {NAMES[0]}]",
    )


# ----------------------------------------------------------------------------------------- records
@dataclass(frozen=True, kw_only=True)
class UrlOptions:
    """One MCP server."""

    command: str | None = option(
        "--server", metavar="COMMAND", help="The MCP server that a command starts."
    )
    url: str | None = option(metavar="URL", help="The MCP server at a URL, over streamable HTTP.")
    headers: tuple[Header, ...] = option(
        "--header",
        multiple=True,
        callback=_headers,
        metavar="'NAME: VALUE'",
        help="Send it with every request to the --url. '@FILE' means the lines of a file, so that "
        "no secret is in a command line. May be repeated.",
    )

    @property
    def sources(self) -> dict[str, object]:
        """The value of each option."""
        return {"--server": self.command, "--url": self.url}

    def require_one(self, **others: object) -> None:
        """Refuse a command line with no source, or several, or headers that nobody would get.

        Args:
            others: sources besides servers.

        Raises:
            click.UsageError: with the names of the sources.

        """
        sources = {**others, **self.sources}
        if sum(bool(source) or source == "" for source in sources.values()) != 1:
            *names, last = sources
            message = f"Give one of {', '.join(names)} and {last}."
            raise usage_error(message)
        if self.headers and self.url is None:
            message = "--header is for a server at a --url."
            raise usage_error(message)


@dataclass(frozen=True, kw_only=True)
class ServerOptions(UrlOptions):
    """The MCP servers that a command line names."""

    configuration: Path | None = option(
        "--servers",
        type=FILE,
        metavar="FILE",
        help="All servers in a client's configuration, which starts their commands.",
    )

    @property
    def sources(self) -> dict[str, object]:
        """The value of each option."""
        return {**super().sources, "--servers": self.configuration}


@dataclass(frozen=True, kw_only=True)
class FileOptions(ServerOptions):
    """The file of the tools, or their servers."""

    path: Any = argument(metavar="[FILE]", type=FILE, required=False)
    named: Any = option("--tools", type=FILE, metavar="FILE", help="The same as FILE.")
    timeout: float = timeout_option()
    dialect: str | None = dialect_option()

    @property
    def file(self) -> Any:
        """The file, or the files, if there are any.

        Raises:
            click.UsageError: if they are given in two ways.

        """
        if self.path and self.named:
            message = "Give FILE or --tools, not both."
            raise usage_error(message)
        return self.path or self.named or None


Form = Literal["text", "json", "sarif"]
"""The form of a report: for people, for programs, or for code review."""


@dataclass(frozen=True, kw_only=True)
class FormOptions:
    """The form of a report. If the input cannot be read, a SARIF log says so as well."""

    as_json: bool = flag("Print JSON.", "--json")
    as_sarif: bool = flag("Print SARIF 2.1.0.", "--sarif")

    @property
    def form(self) -> Form:
        """The form that is asked for.

        Raises:
            click.UsageError: if two are.

        """
        if self.as_json and self.as_sarif:
            message = "Give --json or --sarif, not both."
            raise usage_error(message)
        return "sarif" if self.as_sarif else "json" if self.as_json else "text"
