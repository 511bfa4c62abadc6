"""`schema2model call`: a tool of a live MCP server, called with corrected arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from schema2model.apps.cli.explaining import (
    argument_text,
    explanation_document,
    without_unknown_arguments,
    write_explanation,
)
from schema2model.apps.cli.options import (
    UrlOptions,
    argument,
    coercion_option,
    command,
    flag,
    results_option,
    timeout_option,
    unknown_arguments_option,
)
from schema2model.apps.cli.output import InputError, shown, write_json, write_words
from schema2model.coercions import Preset, coercion_named
from schema2model.errors import SchemaError
from schema2model.json.names import ToolSpellings, likely
from schema2model.json.quoting import quoted
from schema2model.tools.results import ResultError, read_tool_result, replace_structured
from schema2model.tools.tool import Tool

if TYPE_CHECKING:
    from schema2model.apps.cli.servers import ServerAddress
    from schema2model.compiled import CompiledSchema, Explanation
    from schema2model.schema.undeclared import UnknownArguments

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
  1  the arguments are refused, the tool answers with an error, or --results refuse has refused
     its result; the reason is on standard error
  2  the server cannot be talked to, or the command line is wrong
"""


@dataclass(frozen=True, kw_only=True)
class CallOptions(UrlOptions):
    """A server, its tool, and the arguments."""

    timeout: float = timeout_option()
    coercion: Preset = coercion_option()
    unknown_arguments: UnknownArguments = unknown_arguments_option()
    results: str = results_option("check")
    as_json: bool = flag(
        "Print one object on standard output: the arguments as they were sent, the changes, the "
        "result as the protocol has it, and the error.",
        "--json",
    )
    tool: str = argument()
    arguments: str | None = argument(required=False)


@command(CallOptions, epilog=_EPILOG)
def call(given: CallOptions) -> int:
    """Call a server's TOOL with ARGUMENTS, corrected by its schema.

    With --coercion forgiving, TOOL may be spelt differently, where exactly one tool matches.
    ARGUMENTS is the text that a provider sent. It is read from standard input if it is "-", or
    left out. Each change is a line on standard error. The result is printed on standard
    output as JSON: its structured content, or else its content.
    """
    from schema2model.apps.cli.servers import ServerAddress

    given.require_one()
    server = ServerAddress.at(command=given.command, url=given.url, headers=given.headers)
    text = argument_text(given.arguments)

    def explain(tools: list[dict[str, Any]]) -> tuple[dict[str, Any], Explanation]:
        definition, compiled = _choose_tool(tools, given.tool, given.coercion)
        explained = compiled.explain_json(text)
        return definition, without_unknown_arguments(compiled, explained, given.unknown_arguments)

    outcome = asyncio.run(_call_tool(server, explain, given.timeout))
    outcome = _read_result(outcome, given.results)
    if given.as_json:
        write_json(_document(outcome))
    else:
        _tell(outcome)
    return int(outcome.failed)


class _Outcome(NamedTuple):
    """The outcome of a call: its arguments, the result, and what is wrong with that."""

    definition: dict[str, Any]
    explanation: Explanation
    result: dict[str, Any] | None
    wrong: str | None = None
    """Why the result does not match the schema that the server declares."""
    is_refused: bool = False

    @property
    def failed(self) -> bool:
        return self.is_refused or self.result is None or bool(self.result.get("isError"))


async def _call_tool(
    server: ServerAddress,
    explain: Callable[[list[dict[str, Any]]], tuple[dict[str, Any], Explanation]],
    timeout: float,
) -> _Outcome:
    """Return the prepared arguments, and the result of the call unless they were refused."""
    from schema2model.apps.cli.servers import session

    async with session(server, timeout=timeout) as opened:
        definition, explanation = explain(await opened.tools())
        if explanation.error is not None:
            return _Outcome(definition, explanation, None)
        result = await opened.call(definition["name"], explanation.result)
        return _Outcome(definition, explanation, result)


def _read_result(outcome: _Outcome, mode: str) -> _Outcome:
    """Return the outcome with its result read by the tool's `outputSchema`, if there is one."""
    schema, result = outcome.definition.get("outputSchema"), outcome.result
    if mode == "off" or schema is None or result is None:
        return outcome
    try:
        read = read_tool_result(outcome.definition["name"], schema, result)
    except ResultError as error:
        return outcome._replace(wrong=str(error), is_refused=mode == "refuse")
    except SchemaError as error:
        return outcome._replace(wrong=f"the result is not checked: {error}")
    if not read.is_changed:
        return outcome
    if mode == "check":
        return outcome._replace(wrong=f"the result could be corrected: {read.words}")
    return outcome._replace(result=replace_structured(result, read.structured))


def _choose_tool(
    tools: list[dict[str, Any]], name: str, coercion: Preset
) -> tuple[dict[str, Any], CompiledSchema]:
    names = [tool["name"] for tool in tools]
    named = [tool for tool in tools if tool["name"] == name]
    meant = None if named else ToolSpellings(names).find(name)
    if meant is not None and coercion_named(coercion).key_spelling:
        named = [tool for tool in tools if tool["name"] == meant]
    if not named:
        close = likely(name, names)[:3] or names[:MAX_NAMES]
        listed = f"; it has {', '.join(map(quoted, close))}" if close else ""
        message = f"the server has no tool {quoted(name)}{listed}"
        raise InputError(message)
    try:
        tool = Tool.from_definition(named[0], coercion=coercion_named(coercion))
    except SchemaError as error:
        raise InputError(str(error)) from None
    return named[0], tool.compiled


def _tell(outcome: _Outcome) -> None:
    """Print the result on standard output, changes and the error on standard error."""
    explanation, result = outcome.explanation, outcome.result
    write_explanation(explanation)
    if outcome.wrong is not None:
        write_words(shown(outcome.wrong))
    if result is None or outcome.is_refused:
        return
    if result.get("isError"):
        blocks = result["content"]
        texts = [each["text"] if each["type"] == "text" else quoted(each) for each in blocks]
        write_words(shown("\n".join(texts)))
    else:
        write_json(result.get("structuredContent", result["content"]))


def _document(outcome: _Outcome) -> dict[str, Any]:
    """Return all there is to say, as JSON."""
    explanation = outcome.explanation
    return {
        "arguments": explanation.result,
        **explanation_document(explanation),
        "result": None if outcome.is_refused else outcome.result,
        "result_error": outcome.wrong,
    }
