"""Names and values of strangers neither steer a terminal nor break a line of a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from schema2model import Tool, ToolError, Toolset, compile_schema
from schema2model.apps.cli.application import application
from schema2model.json.quoting import printable

HOSTILE = ["\x1b[2J", "\x7f", "\x85", "\u2028", "\u202e", "\u200b", "\r\n", "\x00", "\ud800"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_message_is_printable(text: str) -> None:
    """Whether the text is a name, a part of a path, a value or the tool's own name."""
    inner = {"properties": {"n": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}
    compiled = compile_schema({"additionalProperties": inner}, name=f"tool{text}")
    for value in ({f"a{text}": {"n": "x"}}, {"a": {f"b{text}": "x"}}, {"a": {"n": f"x{text}"}}):
        with pytest.raises(ToolError) as refused:
            compiled.validate(value)
        message = str(refused.value)
        assert message.replace("\n", "").isprintable(), ascii(message)
        assert len(message.splitlines()) == 4


@pytest.mark.parametrize("text", [*HOSTILE[:-1], "\nFAKE", "\U000e0041", "\u2066"], ids=ascii)
def test_messages_to_developers_are_printable(text: str) -> None:
    """Of schemas and tools, and the account of a strict schema."""
    name = f"n{text}"
    tool = Tool.from_definition(
        {"name": name, "parameters": {"properties": {name: {"minimum": 1}}}}
    )
    for mistake in (
        lambda: compile_schema({"properties": {name: {"type": name}}}),
        lambda: compile_schema({"$ref": f"#/{name}"}),
        lambda: compile_schema({"pattern": f"({name}"}),
        lambda: Toolset([tool, tool]),
        lambda: tool.call({}),
        lambda: tool.call({}, **{name: 1}),
        lambda: Tool.from_definition({"name": name}),
        lambda: Tool.from_definition({"name": name, "parameters": False}).definition("openai"),
        lambda: Tool.from_definition({"name": "t", "parameters": tool.schema}, lambda x: x),
    ):
        with pytest.raises((ValueError, TypeError)) as refused:
            mistake()
        assert str(refused.value).isprintable(), ascii(str(refused.value))
    assert all(str(entry).isprintable() for entry in tool.compiled.strict("openai").account)
    budget = Toolset([tool], strict="anthropic").budget
    assert str(budget).replace("\n", "").isprintable()
    assert "FAKE" not in [line[:4] for line in str(budget).splitlines()]


@pytest.mark.parametrize("command", [["check"], ["strict"], ["tools"], ["validate", "--explain"]])
def test_commands_print_no_control_characters(command: list[str], tmp_path: Path) -> None:
    """Names of tools, parameters and files, and an option's value."""
    name = "n\x1b]0;x\x07\u2028\u202e\u2066\x9b\U000e0041\nFAKE"
    schema = {"type": "object", "properties": {name: {"type": "integer", "enum": [1, name]}}}
    file = tmp_path / "tools\x1b\u2028.json"
    file.write_text(json.dumps([{"name": name, "description": name, "inputSchema": schema}]))
    arguments = tmp_path / "arguments.json"
    arguments.write_text(json.dumps({name: f"1{name}"}))
    options = {
        "validate": ["--schema", str(file), str(arguments)],
        "tools": ["--servers", str(file)],
    }.get(command[0], [str(file)])
    for given in ([*command, *options], [*command, str(tmp_path / name)], [*command, f"--{name}"]):
        done = CliRunner().invoke(application, given)
        printed = done.stdout + done.stderr
        assert printed.replace("\n", "").isprintable(), ascii(printed)
        assert "FAKE" not in [line[:4] for line in printed.splitlines()], printed
        assert "Traceback" not in printed


def test_printable_text_is_unchanged() -> None:
    """In any script."""
    text = 'Zürich 東京 \N{GRINNING FACE} "quoted" back\\slash'
    assert printable(text) == text
