"""`schema2model validate`: arguments as a provider sent them, corrected or refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from schema2model.apps.cli.call_file import calls_in_file
from schema2model.apps.cli.explaining import (
    argument_text,
    explanation_document,
    without_unknown_arguments,
    write_explanation,
)
from schema2model.apps.cli.options import (
    COERCIONS,
    FILE,
    argument,
    command,
    dialect_option,
    flag,
    option,
    unknown_arguments_option,
    usage_error,
)
from schema2model.apps.cli.output import InputError, write_json, write_words
from schema2model.apps.cli.schemas import definition_in
from schema2model.coercions import Preset
from schema2model.compiled import Explanation, compile_schema
from schema2model.errors import SchemaError, ToolError
from schema2model.json.quoting import printable
from schema2model.schema.undeclared import UnknownArguments
from schema2model.tools.providers.definitions import Definition

__all__ = ["validate"]

_EPILOG = """\b
Examples:
  Correct what a model sent for the only tool in a file:
    schema2model validate --schema tool.json '{"tags": "[\\"a\\"]", "limit": "10"}'
  Choose a tool from the answer to MCP's tools/list; read a recorded call:
    schema2model validate --schema tools.json --tool search < call.json
  Many calls, a line each, {"name": ..., "arguments": ...}; all there is to know of each:
    schema2model validate --schema tools.json --calls calls.jsonl --json
  See what is changed, and by which rule:
    schema2model validate --schema tool.json --explain '{"limit": "10"}'

\b
Exit codes:
  0  the arguments satisfy the schema, unchanged or corrected; of several calls, all do
  1  the arguments are refused; the message for the model is on standard error
  2  the schema or the command line is wrong
"""


@dataclass(frozen=True, kw_only=True)
class ValidateOptions:
    """A call, or several, and the schemas."""

    path: Path = option(
        "--schema",
        "--tools",
        type=FILE,
        required=True,
        metavar="FILE",
        help="A JSON Schema, a tool (as MCP, OpenAI, Anthropic, Gemini or LiveKit define it), a "
        "list of tools, or the answer to MCP's tools/list.",
    )
    tool: str | None = option(
        metavar="NAME", help="The tool that is called, if FILE defines several."
    )
    coercion: Preset = option(
        type=COERCIONS,
        default="default",
        show_default=True,
        help="How much is corrected: nothing (off), what has only one likely meaning (default), "
        "also strings where a string is allowed (untyped), also guesses that lose nothing "
        "(forgiving), also guesses that may lose something (lenient).",
    )
    calls: Path | None = option(
        type=FILE,
        metavar="FILE",
        help="Several calls instead of ARGUMENTS: on lines of their own, or in a JSON list. Each "
        "names its tool, or is the arguments of the only one.",
    )
    unknown_arguments: UnknownArguments = unknown_arguments_option()
    dialect: str | None = dialect_option()
    formats: Literal["annotate", "assert"] = option(
        type=click.Choice(["annotate", "assert"]),
        default="annotate",
        show_default=True,
        help='Whether "format" is checked.',
    )
    explain: bool = flag("Print each change and doubt on standard error.")
    as_json: bool = flag(
        "Print one object on standard output: the result, the error, changes and doubts; one for "
        "each of several calls, with the tool and the place of the call.",
        "--json",
    )
    arguments: str | None = argument(required=False)


@command(ValidateOptions, epilog=_EPILOG)
def validate(given: ValidateOptions) -> int:
    """Print a tool call's ARGUMENTS as the tool's JSON Schema asks for them.

    ARGUMENTS is the text that a provider sent. It is read from standard input if it is "-", or
    left out. Corrected arguments are printed on standard output, as JSON. Arguments that have no
    valid reading are refused; what to tell the model about them is printed on standard error.
    Of several calls each has a line on standard output, null if it is refused.
    """
    if given.calls is None:
        text = argument_text(given.arguments)
        explanation = _explained(given, definition_in(given.path, given.tool), text)
        if given.as_json:
            write_json(_document(explanation))
        else:
            _tell(explanation)
        return 0 if explanation.error is None else 1
    if given.arguments is not None:
        message = "Give either ARGUMENTS or --calls."
        raise usage_error(message)
    are_valid = True
    for call in calls_in_file(given.calls, given.path, given.tool):
        if call.tool is None:
            explanation = Explanation(None, call.error, ())
        else:
            explanation = _explained(given, call.tool, call.arguments)
        is_valid = explanation.error is None
        are_valid &= is_valid
        if given.as_json:
            place = {"place": call.place, "tool": call.name}
            write_json({**place, **_document(explanation)})
            continue
        if not is_valid or explanation.changes:
            write_words(f"{printable(call.place)}:")
        _tell(explanation)
        if not is_valid:
            write_json(None)
    return 0 if are_valid else 1


def _explained(given: ValidateOptions, tool: Definition, arguments: Any) -> Explanation:
    """Return the result or the error, and the changes and doubts if they are asked for."""
    try:
        compiled = compile_schema(
            tool.schema,
            name=tool.name if tool.key else None,
            coercion=given.coercion,
            dialect=given.dialect or tool.dialect,
            formats=given.formats,
        )
    except SchemaError as error:
        message = f"{given.path}: {error}"
        raise InputError(message) from None
    is_text = isinstance(arguments, (str, bytes))
    if given.explain or given.as_json:
        explained = compiled.explain_json(arguments) if is_text else compiled.explain(arguments)
    else:
        validate = compiled.validate_json if is_text else compiled.validate
        try:
            explained = Explanation(validate(arguments), None, ())
        except ToolError as error:
            explained = Explanation(None, error, ())
    return without_unknown_arguments(compiled, explained, given.unknown_arguments)


def _tell(explanation: Explanation) -> None:
    """Print the result on standard output, changes and the error on standard error."""
    write_explanation(explanation)
    if explanation.error is None:
        write_json(explanation.result)


def _document(explanation: Explanation) -> dict[str, Any]:
    """Return all there is to say, as JSON."""
    return {"result": explanation.result, **explanation_document(explanation)}
