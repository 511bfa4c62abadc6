"""`schema2model codegen`: static Python classes for the arguments of tools."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.options import (
    FileOptions,
    coercion_option,
    command,
    flag,
    option,
    output_option,
    usage_error,
)
from schema2model.apps.cli.output import InputError, shown, write_file, write_json, write_words
from schema2model.apps.cli.schemas import definitions_in, document_in
from schema2model.coercions import Preset
from schema2model.errors import SchemaError
from schema2model.faults import describe_error
from schema2model.types import Defaults, Formats

__all__ = ["codegen"]

_EPILOG = """\b
Examples:
  Write the classes for the tools in a file:
    schema2model codegen tools.json -o tools.py
  For those of an MCP server:
    schema2model codegen --server 'uvx mcp-server-time' -o tools.py
  For the components of an OpenAPI document:
    schema2model codegen openapi.json -o models.py
  Fail in CI if that was forgotten:
    schema2model codegen tools.json -o tools.py --check

\b
Exit codes:
  0  the classes are written, or with --check up to date
  1  with --check: they are out of date
  2  a schema or the command line is wrong, or a server does not answer
"""


@dataclass(frozen=True, kw_only=True)
class CodegenOptions(FileOptions):
    """Tools, and the module that is made for them."""

    output: Path | None = output_option("Where to write the module.  [default: standard output]")
    check: bool = flag("Write nothing; exit with 1 if the output is out of date.")
    document: bool = flag(
        "Write a class for each definition in a JSON Schema. An OpenAPI document needs no option."
    )
    as_json: bool = flag(
        "Print one object: the module, where it is written, whether it was up to date there.",
        "--json",
    )
    coercion: Preset = coercion_option()
    formats: Formats = option(
        type=click.Choice(["annotate", "assert", "convert"]),
        default="annotate",
        show_default=True,
        help="Whether formats are checked, and dates and the like Python objects.",
    )
    defaults: Defaults | None = option(
        type=click.Choice(["fill"]), help="Add the defaults of schemas to all data."
    )


@command(CodegenOptions, epilog=_EPILOG)
def codegen(given: CodegenOptions) -> int:
    """Write a Python module with a class for the arguments of each tool in FILE, or of MCP servers.

    FILE is a JSON Schema, a tool (as MCP, OpenAI, Anthropic, Gemini or LiveKit define it), a list
    of tools, or the answer to MCP's tools/list. The module lists its classes under TOOLS.

    For an OpenAPI document, write a class for each component; they are listed under COMPONENTS.
    """
    path, output, is_document = given.file, given.output, given.document
    if given.check and output is None:
        message = "--check compares with the file of --output, which is missing."
        raise usage_error(message)
    given.require_one(FILE=path)
    if path is None:
        if is_document:
            message = "--document is for a FILE."
            raise usage_error(message)
        from schema2model.apps.cli.listing import chosen_servers, server_definitions

        servers = chosen_servers(given)
        used = next(name for name, source in given.sources.items() if source is not None)
        # the servers' names, without what may be secret
        name = str(servers[""]) if given.configuration is None else given.configuration.name
        words, found = [used, name], server_definitions(servers, given.timeout)
    else:
        document = document_in(path)
        is_openapi = isinstance(document, dict) and not document.keys().isdisjoint(_VERSIONS)
        words = [*(["--document"] if is_document and not is_openapi else []), path.name]
        is_document = is_document or is_openapi
        found = document if is_document else definitions_in(path, document)
    names = ("coercion", "dialect", "formats", "defaults")
    options = {name: getattr(given, name) for name in names}
    source = _generate_source(words, found, options, is_document=is_document)
    is_compared = given.check or given.as_json
    is_current = is_compared and output is not None and _existing_source(output) == source
    if not given.check and not (given.as_json and output is None):
        write_file(output, source.encode())
    if given.as_json:
        place = None if output is None else str(output)
        write_json({"module": source, "output": place, "up_to_date": is_current})
    elif given.check and not is_current:
        state = "is out of date" if output is not None and output.exists() else "does not exist"
        write_words(shown(f"{output} {state}; make it without --check"))
    return int(given.check and not is_current)


_VERSIONS = ("openapi", "swagger")
"""Keys that only OpenAPI documents have."""


def _generate_source(
    source: list[str], found: Any, options: dict[str, Any], *, is_document: bool
) -> str:
    from schema2model.apps.codegen import generate, generate_document

    words = ["schema2model", "codegen", *source]
    for name, value in options.items():
        words += [] if value in {None, "default", "annotate"} else [f"--{name}", value]
    header = f"Made by: {shown(shlex.join(words))}\nMake it again instead of editing it."
    try:
        if is_document:
            return generate_document(found, header=header, **options)
        return generate(found, header=header, **options)
    except (SchemaError, ImportError) as error:
        message = f"{source[-1]}: {error}" if isinstance(error, SchemaError) else str(error)
        raise InputError(message) from None


def _existing_source(path: Path) -> str | None:
    """Return the existing file, or None if this command did not write it."""
    try:
        return path.read_text("utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    except OSError as error:
        message = f"cannot read {path}: {describe_error(error)}"
        raise InputError(message) from None
