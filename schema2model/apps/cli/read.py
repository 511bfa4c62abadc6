"""`schema2model read`: the calls in what a model wrote, as lines of JSON."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schema2model.apps.cli.explaining import argument_text, error_document
from schema2model.apps.cli.options import (
    FILE,
    argument,
    coercion_option,
    command,
    dialect_option,
    flag,
    option,
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


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """A text, and the tools that it may call."""

    path: Path = option(
        "--tools",
        type=FILE,
        required=True,
        metavar="FILE",
        help="The tools that may be called, as for 'schema2model validate --schema'.",
    )
    format: str | None = option(
        metavar="NAME", help="The format of the calls.  [default: detected]"
    )
    coercion: Preset = coercion_option()
    unknown_arguments: UnknownArguments = unknown_arguments_option()
    dialect: str | None = dialect_option()
    as_json: bool = flag(
        "Print one object with all calls, and nothing on standard error.", "--json"
    )
    text: str | None = argument(required=False)


@command(ReadOptions, epilog=_EPILOG)
def read(given: ReadOptions) -> int:
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
                coercion=coercion_named(given.coercion),
                unknown_arguments=given.unknown_arguments,
                dialect=given.dialect or each.dialect,
            )
            for each in definitions_in(given.path)
        )
    except (SchemaError, ValueError) as error:
        message = f"{given.path}: {error}"
        raise InputError(message) from None
    text = argument_text(given.text)
    written = text if isinstance(text, str) else text.decode("utf-8", "replace")
    try:
        found = toolset.read_calls(written, given.format, errors="keep")
    except ValueError as error:
        raise InputError(str(error)) from None
    calls = [_check_arguments(call, toolset) for call in found]
    documents = [_document(call) for call in calls]
    if given.as_json:
        write_json({"calls": documents})
    else:
        for call, document in zip(calls, documents, strict=True):
            if call.error is not None:
                write_words(shown(str(call.error)))
            write_json(document)
    return 0 if all(call.error is None for call in calls) else 1


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
