# ruff: noqa: D103 - the names state the promises
"""The files that `--schema` takes: schemas, and tools in the shape of every provider."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from validating import ARGUMENTS, CORRECTED, SCHEMA, Write, refused, run

SHAPES: dict[str, Callable[[str], Any]] = {
    "MCP": lambda name: {"name": name, "inputSchema": SCHEMA},
    "OpenAI chat": lambda name: {
        "type": "function",
        "function": {"name": name, "parameters": SCHEMA},
    },
    "OpenAI responses": lambda name: {"type": "function", "name": name, "parameters": SCHEMA},
    "Anthropic": lambda name: {"name": name, "input_schema": SCHEMA},
    "Gemini": lambda name: {"functionDeclarations": [{"name": name, "parameters": SCHEMA}]},
    "Gemini, JSON Schema": lambda name: {
        "functionDeclarations": [{"name": name, "parametersJsonSchema": SCHEMA}]
    },
    "LiveKit raw": lambda name: {"name": name, "description": "d", "parameters": SCHEMA},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    "around",
    [
        lambda tools: tools,
        lambda tools: {"tools": tools, "nextCursor": "x"},
        lambda tools: {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
        lambda tools: {"result": {"tools": tools}},
    ],
    ids=["list", "tools/list", "JSON-RPC", "result"],
)
def test_every_provider_s_tools_are_found_by_name(
    file: Write, shape: Callable[[str], Any], around: Callable[[Any], Any]
) -> None:
    path = file(around([shape("first"), shape("second")]))
    result = run("--schema", path, "--tool", "second", ARGUMENTS)
    assert (result.exit_code, json.loads(result.stdout)) == (0, CORRECTED)
    assert "arguments for `second`" in run("--schema", path, "--tool", "second", "{}").stderr


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_single_tool_need_not_be_named(file: Write, shape: Callable[[str], Any]) -> None:
    for document in (shape("only"), [shape("only")], {"tools": [shape("only")]}):
        result = run("--schema", file(document), ARGUMENTS)
        assert (result.exit_code, json.loads(result.stdout)) == (0, CORRECTED)


def test_gemini_s_types_are_understood(file: Write) -> None:
    parameters = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "nullable": True}}}
    tools = [{"functionDeclarations": [{"name": "t", "parameters": parameters}]}]
    assert json.loads(run("--schema", file(tools), '{"n": "1"}').stdout) == {"n": 1}


def test_tools_that_the_provider_runs_are_passed_over(file: Write) -> None:
    tools = [{"type": "web_search"}, SHAPES["OpenAI responses"]("search")]
    assert json.loads(run("--schema", file(tools), ARGUMENTS).stdout) == CORRECTED


MANY = [SHAPES["MCP"](f"tool_{i}") for i in range(12)]


@pytest.mark.parametrize(
    ("document", "options", "message"),
    [
        (MANY[:2], [], 'defines 2 tools; choose one by --tool: "tool_0", "tool_1"\n'),
        (MANY, [], '"tool_9" and 2 more\n'),
        (MANY, ["--tool", "tool_l1"], 'defines no tool "tool_l1"; did you mean "tool_1'),
        (MANY[:1], ["--tool", "x"], 'defines no tool "x"; it defines "tool_0"\n'),
        ([MANY[0]] * 2, ["--tool", "tool_0"], 'defines 2 tools of the name "tool_0"\n'),
        (SCHEMA, ["--tool", "x"], "is a JSON Schema and defines no tools; leave --tool out\n"),
        ([], [], "defines no tools\n"),
        ([SCHEMA], [], "the definition has no name"),
        ({"inputSchema": SCHEMA}, [], "the definition has no name"),
        (
            {"openapi": "3.1.0", "paths": {}},
            [],
            "is an OpenAPI document and defines no tools; `codegen` takes it\n",
        ),
        ({"name": "now", "inputSchema": "none"}, [], 'the schema of `now` is "none"'),
        (
            {"type": "function", "function": {"name": "now"}},
            [],
            "the definition of `now` has no schema",
        ),
        ([{"functionDeclarations": 5}], [], "the definition has no name"),
        ({"tools": []}, [], "defines no tools\n"),
        ({"jsonrpc": "2.0", "id": 1, "error": {}}, [], "defines no tools\n"),
        (5, [], "schema.json: "),
    ],
)
def test_a_file_that_does_not_say_which_schema_exits_with_2(
    file: Write, document: Any, options: list[str], message: str
) -> None:
    assert message in refused(run("--schema", file(document), *options, "{}"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON: it is empty"),
        (b"{'a': 1}", "is not JSON: column 2: a name in double quotes is missing"),
        (b'{"title": "\xff"}', "is not JSON: its byte 11 is not valid utf-8"),
        (b"\0" * 9, "is not JSON: "),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"not":' * 100_000 + b"{}" + b"}" * 100_000, "is nested too deeply"),
        (b'{"tools":[' * 100_000 + b"]}" * 100_000, "is nested too deeply"),
        (b'{"not":' * 500 + b"{}" + b"}" * 500, "levels"),
        (b'{"maximum": ' + b"9" * 5000 + b"}", "of more than 4300 digits"),
        (b'{"maximum": NaN}', "has a number that no JSON spells"),
        (b'{"maximum": 1e999}', "no spelling in JSON"),
        (b" " * (64 * 2**20) + b"{}", "is larger than 64 MiB"),
        (b'{"$ref": "http://example.com/x"}', "example.com"),
    ],
    ids=range(13),
)
def test_a_hostile_file_exits_with_2_and_one_line(
    file: Write, content: bytes, message: str
) -> None:
    assert message in refused(run("--schema", file(content), "{}"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_file_may_be_in_any_unicode_encoding(file: Write, encoding: str) -> None:
    content = json.dumps({"type": "integer", "title": "é"}, ensure_ascii=False).encode(encoding)
    assert run("--schema", file(content), '"1"').stdout == "1\n"


def test_a_file_that_cannot_be_read_exits_with_2(tmp_path: Path) -> None:
    missing = refused(run("--schema", str(tmp_path / "none.json"), "{}"))
    assert "none.json: no such file or folder" in missing
    assert ": is a directory" in refused(run("--schema", str(tmp_path), "{}"))


def test_the_text_of_a_schema_is_not_a_file() -> None:
    """And the message says so."""
    message = refused(run("--schema", '{"type": "object"}', "{}"))
    assert "give the name of a file with this text" in message
