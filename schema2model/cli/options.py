"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

from schema2model.cli.output import shown
from schema2model.coercions import PRESETS
from schema2model.proxying.secret_headers import Header
from schema2model.schema.dialects import DIALECTS

__all__ = [
    "COERCIONS",
    "coercion_option",
    "dialect_option",
    "header_option",
    "no_headers_without",
]

COERCIONS = click.Choice([*PRESETS])

MAX_HEADERS_SIZE = 2**16
"""Bytes of headers that are read from a file."""

coercion_option = click.option(
    "--coercion",
    type=COERCIONS,
    default="default",
    show_default=True,
    help="What is undone, as for 'schema2model validate'.",
)

dialect_option = click.option(
    "--dialect",
    metavar="NAME",
    help=f"The dialect of schemas without $schema: {', '.join(d.name for d in DIALECTS)}, or a "
    f"$schema URI.  [default: {DIALECTS[0].name}]",
)


# ----------------------------------------------------------------------------------------- headers
def _headers(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[Header, ...]:
    """The headers that are given, in lines and in files; no message quotes what may be a value."""
    del context, option  # click names them in messages
    headers = [header for words in given for header in _read(words)]
    if len({header.name.lower() for header in headers}) < len(headers):
        message = "a header is given twice."
        raise click.BadParameter(message)
    return tuple(headers)


def _read(words: str) -> list[Header]:
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
        raise _unusable(path, f"cannot be read: {error.strerror}") from None
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
    help="Send it with every request to the --url. '@FILE' stands for the lines of a file, so that "
    "no secret is in a command line. May be repeated.",
)


def no_headers_without(
    url: str | None, headers: tuple[Header, ...], context: click.Context
) -> None:
    """Refuse headers that nobody would get.

    Raises:
        click.UsageError: if there are headers and no URL.

    """
    if headers and url is None:
        message = "--header is for a server at a --url."
        raise click.UsageError(message, context)
