"""`schema2model read`: calls as lines of JSON, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from schema2model.apps.cli.application import application

TOOL = {
    "name": "search",
    "parameters": {"properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}},
}
GOOD = '<tool_call>{"name": "search", "arguments": {"q": "x", "limit": "3"}}</tool_call>'
BAD = '<tool_call>{"name": "serch", "arguments": {}}</tool_call>'


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A file with a tool."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([TOOL]))
    return str(path)


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    """The command, with standard input."""
    return CliRunner().invoke(application, ["read", *arguments], input=text)


@pytest.mark.parametrize("given", [[f"So: {GOOD}"], ["-"], []])
def test_calls_are_lines_of_json(tools: str, given: list[str]) -> None:
    """From an argument or from standard input."""
    result = run(
        "--tools", tools, *given, text=None if given[:1] == [f"So: {GOOD}"] else f"So: {GOOD}"
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "name": "search",
        "arguments": {"q": "x", "limit": 3},
        "format": "hermes",
        "start": 15,
        "end": 72,
    }


def test_a_call_that_cannot_be_read_is_a_line_too(tools: str) -> None:
    """With its error, which is on standard error as well; the exit code is 1."""
    result = run("--tools", tools, GOOD + BAD)
    assert result.exit_code == 1
    good, bad = map(json.loads, result.stdout.splitlines())
    assert "error" not in good
    assert (bad["name"], bad["arguments"]) == ("serch", None)
    assert "call `search`" in bad["error"]["message"]
    assert "call `search`" in result.stderr


def test_prose_has_no_calls(tools: str) -> None:
    """Which is no error, nor are bytes that are no text."""
    for text in ("Hello.", b"\xff\xfe{"):
        result = run("--tools", tools, "-", text=text)
        assert (result.exit_code, result.stdout) == (0, "")


def test_a_format_can_be_named(tools: str) -> None:
    """And one that is not known is a mistake of the command line."""
    other = run("--tools", tools, "--format", "qwen3_coder", GOOD).stdout
    assert "the mark with which it begins is missing" in other
    unknown = run("--tools", tools, "--format", "qwen3_code", GOOD)
    assert unknown.exit_code == 2
    assert "unknown format 'qwen3_code'; did you mean 'qwen3_coder'?" in unknown.stderr
    missing = run("--tools", f"{tools}.not", GOOD)
    assert missing.exit_code == 2


def test_a_tool_whose_schema_is_wrong_is_named(tmp_path: Path) -> None:
    """With the file, and the place in the schema."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([TOOL, {"name": "other", "parameters": {"type": "x"}}]))
    result = run("--tools", str(path), GOOD)
    assert result.exit_code == 2
    assert 'tools.json: the schema of `other`: /type: unknown type "x"' in result.stderr


def test_json_is_one_object_with_all_calls(tools: str) -> None:
    """And nothing is on standard error."""
    result = run("--tools", tools, "--json", GOOD + BAD)
    assert (result.exit_code, result.stderr) == (1, "")
    good, bad = json.loads(result.stdout)["calls"]
    assert good["arguments"] == {"q": "x", "limit": 3}
    assert "call `search`" in bad["error"]["message"]
