"""`schema2model validate`: arguments as a provider sent them, corrected or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.call_file import calls_in_file
from schema2model.apps.cli.explaining import (
    argument_text,
    changes_document,
    doubts_document,
    error_document,
    without_unknown_arguments,
    write_explanation,
)
from schema2model.apps.cli.options import COERCIONS, FILE, dialect_option, unknown_arguments_option
from schema2model.apps.cli.output import InputError, shown, write_json, write_words
from schema2model.apps.cli.schemas import definition_in
from schema2model.compiled import CompiledSchema, Explanation, compile_schema
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


@click.command(epilog=_EPILOG)
@click.option(
    "--schema",
    "--tools",
    "path",
    type=FILE,
    required=True,
    metavar="FILE",
    help="A JSON Schema, a tool (as MCP, OpenAI, Anthropic, Gemini or LiveKit define it), a list "
    "of tools, or the answer to MCP's tools/list.",
)
@click.option("--tool", metavar="NAME", help="The tool that is called, if FILE defines several.")
@click.option(
    "--coercion",
    type=COERCIONS,
    default="default",
    show_default=True,
    help="How much is corrected: nothing (off), what has only one likely meaning (default), also "
    "strings where a string is allowed (untyped), also guesses that lose nothing (forgiving), also "
    "guesses that may lose something (lenient).",
)
@click.option(
    "--calls",
    "calls",
    type=FILE,
    metavar="FILE",
    help="Several calls instead of ARGUMENTS: on lines of their own, or in a JSON list. Each names "
    "its tool, or is the arguments of the only one.",
)
@unknown_arguments_option
@dialect_option
@click.option(
    "--formats",
    type=click.Choice(["annotate", "assert"]),
    default="annotate",
    show_default=True,
    help='Whether "format" is checked.',
)
@click.option("--explain", is_flag=True, help="Print each change and doubt on standard error.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one object on standard output: the result, the error, changes and doubts; one for "
    "each of several calls, with the tool and the place of the call.",
)
@click.argument("arguments", required=False)
@click.pass_context
def validate(  # noqa: PLR0913 - one for each option
    context: click.Context,
    /,
    *,
    path: Path,
    tool: str | None,
    calls: Path | None,
    unknown_arguments: UnknownArguments,
    explain: bool,
    as_json: bool,
    arguments: str | None,
    **options: Any,
) -> None:
    """Print a tool call's ARGUMENTS as the tool's JSON Schema asks for them.

    ARGUMENTS is the text that a provider sent. It is read from standard input if it is "-", or
    left out. Corrected arguments are printed on standard output, as JSON. Arguments that have no
    valid reading are refused; what to tell the model about them is printed on standard error.
    Of several calls each has a line on standard output, null if it is refused.
    """
    if calls is None:
        compiled = _compiled(path, definition_in(path, tool), **options)
        text = argument_text(context, arguments)
        explanation = _explained(compiled, text, unknown_arguments, changes=explain or as_json)
        if as_json:
            write_json(_document(explanation))
        else:
            _tell(explanation)
        context.exit(0 if explanation.error is None else 1)
    if arguments is not None:
        message = "Give either ARGUMENTS or --calls."
        raise click.UsageError(message, context)
    are_valid = True
    for call in calls_in_file(calls, path, tool):
        if call.tool is None:
            explanation = Explanation(None, call.error, ())
        else:
            compiled = _compiled(path, call.tool, **options)
            explanation = _explained(
                compiled, call.arguments, unknown_arguments, changes=explain or as_json
            )
        is_valid = explanation.error is None
        are_valid &= is_valid
        if as_json:
            place = {"place": call.place, "tool": call.name}
            write_json({**place, **_document(explanation)})
            continue
        if not is_valid or explanation.changes:
            write_words(f"{printable(call.place)}:")
        _tell(explanation)
        if not is_valid:
            write_json(None)
    context.exit(0 if are_valid else 1)


def _compiled(
    path: Path, tool: Definition, *, dialect: str | None, **options: Any
) -> CompiledSchema:
    name, dialect = tool.name if tool.key else None, dialect or tool.dialect
    try:
        return compile_schema(tool.schema, name=name, dialect=dialect, **options)
    except SchemaError as error:
        message = f"{path}: {error}"
        raise InputError(message) from None


def _explained(
    compiled: CompiledSchema, given: Any, option: UnknownArguments, *, changes: bool
) -> Explanation:
    """Return the result or the error, and the changes and doubts if they are asked for."""
    is_text = isinstance(given, (str, bytes))
    if changes:
        explanation = compiled.explain_json(given) if is_text else compiled.explain(given)
    else:
        try:
            result = compiled.validate_json(given) if is_text else compiled.validate(given)
            explanation = Explanation(result, None, ())
        except ToolError as error:
            explanation = Explanation(None, error, ())
    return without_unknown_arguments(compiled, explanation, option)


def _tell(explanation: Explanation) -> None:
    """Print the result on standard output, changes and the error on standard error."""
    write_explanation(explanation)
    if explanation.error is None:
        write_json(explanation.result)
    else:
        write_words(shown(str(explanation.error)))


def _document(explanation: Explanation) -> dict[str, Any]:
    """Return all there is to say, as JSON."""
    return {
        "result": explanation.result,
        "error": error_document(explanation.error),
        "changes": changes_document(explanation.changes),
        "doubts": doubts_document(explanation),
    }
