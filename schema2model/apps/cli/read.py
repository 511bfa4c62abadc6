"""`schema2model read`: the calls in what a model wrote, as lines of JSON."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema2model.apps.cli.explaining import argument_text, error_document
from schema2model.apps.cli.options import (
    FILE,
    coercion_option,
    dialect_option,
    unknown_arguments_option,
)
from schema2model.apps.cli.output import InputError, shown, write_json, write_words
from schema2model.apps.cli.schemas import definitions_in
from schema2model.coercions import Preset, coercion_named
from schema2model.errors import SchemaError, ToolError

if TYPE_CHECKING:
    from schema2model.calls.call_types import Call
    from schema2model.schema.undeclared import UnknownArguments
    from schema2model.tools.toolset import Toolset

__all__ = ["read"]

_EPILOG = """\b
Examples:
  The calls in a model's answer, whatever format it is in:
    schema2model read --tools tools.json '<tool_call>{"name": "search", "arguments": {}}'
  Of a format that is known, from standard input:
    schema2model read --tools tools.json --format qwen3_coder < answer.txt

\b
Exit codes:
  0  every call was read; there may be none
  1  a call cannot be read; what to tell the model is on standard error
  2  the tools or the command line are wrong
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--tools",
    "path",
    type=FILE,
    required=True,
    metavar="FILE",
    help="The tools that may be called, as for 'schema2model validate --schema'.",
)
@click.option(
    "--format", "format_", metavar="NAME", help="The format of the calls.  [default: detected]"
)
@coercion_option
@unknown_arguments_option
@dialect_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one object with all calls, and nothing on standard error.",
)
@click.argument("text", required=False)
@click.pass_context
def read(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    path: Path,
    format_: str | None,
    coercion: Preset,
    unknown_arguments: UnknownArguments,
    dialect: str | None,
    as_json: bool,
    text: str | None,
) -> None:
    """Print the calls in TEXT, each as a line of JSON.

    TEXT is what a model wrote: calls, and prose and thinking around them. It is read from standard
    input if it is "-", or left out. Calls that cannot be read are printed with their error.
    """
    from schema2model.tools.tool import Tool
    from schema2model.tools.toolset import Toolset

    try:
        toolset = Toolset(
            Tool.from_definition(
                {"name": each.name, "inputSchema": each.schema},
                coercion=coercion_named(coercion),
                unknown_arguments=unknown_arguments,
                dialect=dialect or each.dialect,
            )
            for each in definitions_in(path)
        )
    except (SchemaError, ValueError) as error:
        message = f"{path}: {error}"
        raise InputError(message) from None
    given = argument_text(context, text)
    written = given if isinstance(given, str) else given.decode("utf-8", "replace")
    try:
        found = toolset.read_calls(written, format_, errors="keep")
    except ValueError as error:
        raise InputError(str(error)) from None
    calls = [_check_arguments(call, toolset) for call in found]
    documents = [_document(call) for call in calls]
    if as_json:
        write_json({"calls": documents})
    else:
        for call, document in zip(calls, documents, strict=True):
            if call.error is not None:
                write_words(shown(str(call.error)))
            write_json(document)
    context.exit(0 if all(call.error is None for call in calls) else 1)


def _check_arguments(call: Call, toolset: Toolset) -> Call:
    """Return the call, with an error if the options refuse its arguments."""
    if call.error is None:
        try:
            toolset.prepare(call.name, call.arguments)
        except ToolError as error:
            return dataclasses.replace(call, arguments=None, error=error)
    return call


def _document(call: Call) -> dict[str, Any]:
    """Return all there is to say about a call, as JSON."""
    document = {
        "name": call.name,
        "arguments": call.arguments,
        "format": call.format,
        "start": call.start,
        "end": call.end,
    }
    return document if call.error is None else {**document, "error": error_document(call.error)}
