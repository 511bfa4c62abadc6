"""Options that several commands have."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from schema2model.apps.cli.output import InputError, shown, write_json
from schema2model.apps.proxy.secret_headers import Header
from schema2model.coercions import PRESETS
from schema2model.faults import describe_error
from schema2model.limits import MAX_HEADERS_SIZE
from schema2model.schema.dialects import NAMES
from schema2model.schema.undeclared import UNKNOWN_ARGUMENTS
from schema2model.strict.profiles import PROFILES

__all__ = [
    "COERCIONS",
    "FILE",
    "LEVELS",
    "Form",
    "NumberRange",
    "ServerOptions",
    "coercion_option",
    "dialect_option",
    "form_options",
    "one_source",
    "server_options",
    "strict_option",
    "timeout_option",
    "tools_argument",
    "unknown_arguments_option",
]

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

coercion_option = click.option(
    "--coercion",
    type=COERCIONS,
    default="default",
    show_default=True,
    help="How much is corrected, as for 'schema2model validate'.",
)


def results_option(default: str) -> Callable[[Any], Any]:
    """Return the option of what becomes of wrong results."""
    return click.option(
        "--results",
        type=click.Choice(["off", "check", "correct", "refuse"]),
        default=default,
        show_default=True,
        help="What becomes of results that do not match the outputSchema of their tool.",
    )


unknown_arguments_option = click.option(
    "--unknown-arguments",
    type=click.Choice([*UNKNOWN_ARGUMENTS]),
    default="keep",
    show_default=True,
    help="Arguments that the schema allows and does not declare: keep them, refuse them, or refuse "
    "only those that spell a declared, absent name differently (dry_run for dryRun).",
)

dialect_option = click.option(
    "--dialect",
    metavar="NAME",
    help=f"The dialect of schemas without $schema: {', '.join(NAMES)}, or a $schema URI.  "
    f"[default: {NAMES[0]}]",
)


strict_option = click.option(
    "--strict",
    type=click.Choice([*PROFILES]),
    help="Show clients the schemas that a provider enforces, and decode the calls.",
)


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


header_option = click.option(
    "--header",
    "headers",
    multiple=True,
    callback=_headers,
    metavar="'NAME: VALUE'",
    help="Send it with every request to the --url. '@FILE' means the lines of a file, so that "
    "no secret is in a command line. May be repeated.",
)


class NumberRange(click.FloatRange):
    """A range of numbers without NaN, which no comparison excludes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or an error if it is not in the range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


# ----------------------------------------------------------------------------------------- servers
timeout_option = click.option(
    "--timeout",
    type=NumberRange(0, min_open=True, max=86400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a server may take to start, and then for each thing that it is asked.",
)


def tools_argument(*, several: bool = False) -> Callable[[Any], Any]:
    """Return a decorator that adds the file of the tools: an argument, or the option `--tools`."""
    name = "paths" if several else "path"
    argument = click.argument(
        name,
        metavar="[FILE]..." if several else "[FILE]",
        type=FILE,
        nargs=-1 if several else 1,
        required=False,
    )
    option = click.option(
        "--tools", "named", type=FILE, multiple=several, metavar="FILE", help="The same as FILE."
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def with_file(*context: Any, named: Any, **options: Any) -> Any:
            if named and options[name]:
                message = "Give FILE or --tools, not both."
                raise click.UsageError(message)
            options[name] = options[name] or named
            return function(*context, **options)

        return argument(option(with_file))

    return decorate


_SERVER = click.option(
    "--server", "command", metavar="COMMAND", help="The MCP server that a command starts."
)
_URL = click.option("--url", metavar="URL", help="The MCP server at a URL, over streamable HTTP.")
_SERVERS = click.option(
    "--servers",
    "configuration",
    type=FILE,
    metavar="FILE",
    help="All servers in a client's configuration, which starts their commands.",
)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The MCP servers that a command line names."""

    command: str | None
    url: str | None
    headers: tuple[Header, ...]
    configuration: Path | None = None

    @property
    def option(self) -> str:
        """The one that was given."""
        return next(name for name, given in self.sources().items() if given is not None)

    def sources(self, *, several: bool = True) -> dict[str, object]:
        """Return the value of each option."""
        sources: dict[str, object] = {"--server": self.command, "--url": self.url}
        return {**sources, "--servers": self.configuration} if several else sources


def server_options(*, several: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Options that name MCP servers; a command gets them as `given`.

    Args:
        several: whether it takes a client's configuration, too.

    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command_of(
            *,
            command: str | None,
            url: str | None,
            headers: tuple[Header, ...],
            configuration: Path | None = None,
            **others: Any,
        ) -> Any:
            given = ServerOptions(command, url, headers, configuration)
            return function(given=given, **others)

        wrapped: Callable[..., Any] = command_of
        for option in (*([_SERVERS] if several else []), header_option, _URL, _SERVER):
            wrapped = option(wrapped)
        return wrapped

    return decorate


def one_source(context: click.Context, sources: Mapping[str, object], given: ServerOptions) -> None:
    """Refuse a command line that names no source, or several, or headers that nobody would get.

    Args:
        context: of the command.
        sources: what was given, by the name of each argument or option.
        given: the headers among it.

    Raises:
        click.UsageError: with the names of the sources.

    """
    if sum(source is not None for source in sources.values()) != 1:
        *names, last = sources
        message = f"Give one of {', '.join(names)} and {last}."
        raise click.UsageError(message, context)
    if given.headers and given.url is None:
        message = "--header is for a server at a --url."
        raise click.UsageError(message, context)


# ----------------------------------------------------------------------------------------- reports
Form = Literal["text", "json", "sarif"]
"""The form of a report: for people, for programs, or for code review."""


def form_options(thing: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add `--json` and `--sarif`; a command gets the one that is given as `form`.

    If its input cannot be read, a SARIF log says so as well.

    Args:
        thing: what is printed, such as "report".

    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command_of(
            context: click.Context, *, as_json: bool, as_sarif: bool, **others: Any
        ) -> Any:
            if as_json and as_sarif:
                message = "Give --json or --sarif, not both."
                raise click.UsageError(message, context)
            form: Form = "sarif" if as_sarif else "json" if as_json else "text"
            try:
                return function(context, form=form, **others)
            except InputError as error:
                if as_sarif:
                    from schema2model.apps.audit.sarif import sarif_log

                    write_json(sarif_log(str(context.command.name), [], [], error.message))
                raise

        as_json = click.option(
            "--json", "as_json", is_flag=True, help=f"Print the {thing} as JSON."
        )
        as_sarif = click.option(
            "--sarif", "as_sarif", is_flag=True, help=f"Print the {thing} as SARIF 2.1.0."
        )
        return as_json(as_sarif(command_of))

    return decorate
