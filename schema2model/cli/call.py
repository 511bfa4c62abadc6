"""`schema2model call`: a tool of a live MCP server, called with corrected arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from schema2model.cli.explaining import (
    argument_text,
    change_line,
    changes_document,
    doubt_line,
    doubts_document,
    error_document,
    without_unknown_arguments,
)
from schema2model.cli.options import (
    ServerOptions,
    coercion_option,
    one_source,
    server_options,
    timeout_option,
    unknown_arguments_option,
)
from schema2model.cli.output import InputError, shown, write_json, write_words
from schema2model.coercions import coercion_named
from schema2model.errors import SchemaError
from schema2model.json.quoting import quoted
from schema2model.likeness import likely
from schema2model.tools.tool import Tool

if TYPE_CHECKING:
    from schema2model.cli.servers import ServerAddress
    from schema2model.coerce.undeclared import UnknownArguments
    from schema2model.compiled import Explanation

__all__ = ["call"]

MAX_NAMES = 10
"""Maximum tools named in a message."""

_EPILOG = """\b
Examples:
  Call a tool of a server that a command starts:
    schema2model call --server 'uvx mcp-server-time' get_current_time "{'timezone': 'UTC'}"
  Call one at a URL, with arguments from a file, and print everything as JSON:
    schema2model call --url https://example.org/mcp --json search < call.json
  A server that needs a key; the file has the line 'Authorization: Bearer ...':
    schema2model call --url https://example.org/mcp --header @key.txt search '{}'

\b
Exit codes:
  0  the tool has answered
  1  the arguments are refused, or the tool answers with an error; it is on standard error
  2  the server cannot be talked to, or the command line is wrong
"""


@click.command(epilog=_EPILOG, short_help="Call a tool of an MCP server, with correct arguments.")
@server_options(several=False)
@timeout_option
@coercion_option
@unknown_arguments_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one object on standard output: the arguments as they were sent, the changes, the "
    "result as the protocol has it, and the error.",
)
@click.argument("tool")
@click.argument("arguments", required=False)
@click.pass_context
def call(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    given: ServerOptions,
    timeout: float,
    coercion: str,
    unknown_arguments: UnknownArguments,
    as_json: bool,
    tool: str,
    arguments: str | None,
) -> None:
    """Call a server's TOOL with ARGUMENTS, corrected by its schema.

    ARGUMENTS is the text that a provider sent. It is read from standard input if it is "-", or
    left out. Each change is a line on standard error. The result is printed on standard
    output as JSON: its structured content, or else its content.
    """
    from schema2model.cli.servers import ServerAddress  # noqa: PLC0415 - other commands need not wait

    one_source(context, given.sources(several=False), given)
    server = ServerAddress.at(command=given.command, url=given.url, headers=given.headers)
    text = argument_text(context, arguments)
    explain = partial(_explained, name=tool, text=text, coercion=coercion, option=unknown_arguments)
    explanation, result = asyncio.run(_called(server, tool, explain, timeout))
    if as_json:
        write_json(_document(explanation, result))
    else:
        _tell(explanation, result)
    context.exit(1 if result is None or result.get("isError") else 0)


async def _called(
    server: ServerAddress,
    name: str,
    explain: Callable[[list[dict[str, Any]]], Explanation],
    timeout: float,
) -> tuple[Explanation, dict[str, Any] | None]:
    """Return the prepared arguments, and the result of the call unless they were refused."""
    from schema2model.cli.servers import (  # noqa: PLC0415 - as above
        call_tool,
        list_tools,
        session,
    )

    async with session(server, timeout=timeout) as opened:
        explanation = explain(await list_tools(opened, timeout=timeout))
        if explanation.error is not None:
            return explanation, None
        return explanation, await call_tool(opened, name, explanation.result, timeout=timeout)


def _explained(
    tools: list[dict[str, Any]],
    *,
    name: str,
    text: str | bytes,
    coercion: str,
    option: UnknownArguments,
) -> Explanation:
    compiled = _chosen(tools, name, coercion).compiled
    return without_unknown_arguments(compiled, compiled.explain_json(text), option)


def _chosen(tools: list[dict[str, Any]], name: str, coercion: str) -> Tool:
    named = [tool for tool in tools if tool["name"] == name]
    if not named:
        names = [tool["name"] for tool in tools]
        close = likely(name, names)[:3] or names[:MAX_NAMES]
        listed = f"; it has {', '.join(map(quoted, close))}" if close else ""
        message = f"the server has no tool {quoted(name)}{listed}"
        raise InputError(message)
    try:
        return Tool.from_definition(named[0], coercion=coercion_named(coercion))
    except SchemaError as error:
        message = f"the schema of {quoted(name)} cannot be used: {error}"
        raise InputError(message) from None


def _tell(explanation: Explanation, result: dict[str, Any] | None) -> None:
    """Print the result on standard output, changes and the error on standard error."""
    for change in explanation.changes:
        write_words(change_line(change))
    for doubt in explanation.doubts:
        write_words(doubt_line(doubt))
    if result is None:
        write_words(shown(str(explanation.error)))
    elif result.get("isError"):
        write_words(shown("\n".join(map(_words, result["content"]))))
    else:
        write_json(result.get("structuredContent", result["content"]))


def _words(block: dict[str, Any]) -> str:
    """A block of content, for people."""
    return block["text"] if block["type"] == "text" else quoted(block)


def _document(explanation: Explanation, result: dict[str, Any] | None) -> dict[str, Any]:
    """All there is to say, as JSON."""
    return {
        "arguments": explanation.result,
        "changes": changes_document(explanation.changes),
        "doubts": doubts_document(explanation),
        "result": result,
        "error": error_document(explanation.error),
    }
