# ruff: noqa: D103, S603 - the names state the promises; the processes are our own
"""The promises of `schema2model check` for files: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checking import ERROR, GOOD, NOTE, SCHEMA, WARNING, run
from click.testing import CliRunner
from validating import Write, refused

from schema2model.apps.audit import RULES, SEVERITIES
from schema2model.apps.cli.application import application

HOSTILE = "\x1b[2J\u202e\ud800\n\r" + "x" * 500


# ------------------------------------------------------------------------------------- exit codes
@pytest.mark.parametrize(
    ("tools", "codes"),
    [
        pytest.param([GOOD], [0, 0, 0, 0], id="nothing"),
        pytest.param([GOOD, NOTE], [0, 0, 1, 0], id="note"),
        pytest.param([NOTE, WARNING], [0, 1, 1, 0], id="warning"),
        pytest.param([ERROR, GOOD], [1, 1, 1, 0], id="error"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"], ["--sarif"]], ids=["text", "json", "sarif"])
def test_the_exit_code_is_that_of_the_worst_finding(
    file: Write, tools: Any, codes: list[int], form: list[str]
) -> None:
    path = file({"tools": tools})
    levels = ["error", "warning", "note", "never"]
    assert [run(path, "--fail-on", level, *form).exit_code for level in levels] == codes
    assert run(path, *form).exit_code == codes[0]


def test_the_documentation_knows_every_rule() -> None:
    text = (Path(__file__).parents[3] / "docs" / "check.md").read_text("utf-8")
    listed, severity = [], ""
    for line in text.partition("<!-- table:start -->")[2].splitlines()[2:]:
        severity = severity if line.startswith("  ") else line
        listed += [(line.split()[0], severity)] if line.startswith("  ") else []
    assert listed == sorted(
        ((rule.id, rule.severity) for rule in RULES), key=lambda pair: SEVERITIES.index(pair[1])
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        pytest.param(["a", "--fail-on", "often"], "'often' is not one of", id="level"),
        pytest.param(["--url", "http://b", "--timeout", "0"], "--timeout", id="timeout"),
    ],
)
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str], problem: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param("{", "is not JSON", id="not-JSON"),
        pytest.param("[]", "defines no tools", id="empty"),
        pytest.param({"jsonrpc": "2.0", "error": {}}, "defines no tools", id="no-result"),
        pytest.param("[" * 100_000, "nested too deeply", id="too-deep"),
    ],
)
def test_a_file_without_tools_is_an_error(file: Write, content: Any, problem: str) -> None:
    assert problem in refused(run(file(content)))


def test_an_unknown_dialect_is_an_error(file: Write) -> None:
    assert "unknown dialect" in refused(run(file([GOOD]), "--dialect", "draft-99"))


def test_standard_input_is_a_file_called_dash(file: Write) -> None:
    """With the same report and exit code."""
    text = json.dumps([GOOD, WARNING, ERROR])
    read = CliRunner().invoke(application, ["check", file(text), "--json"])
    piped = CliRunner().invoke(application, ["check", "-", "--json"], input=text)
    assert piped.exit_code == read.exit_code == 1
    assert json.loads(piped.stdout)["summary"] == json.loads(read.stdout)["summary"]
    empty = CliRunner().invoke(application, ["check", "-"], input="")
    assert empty.exit_code == 2
    assert "Error: standard input is not JSON" in empty.stderr


def test_an_empty_file_name_is_not_the_current_folder() -> None:
    """An unset shell variable is an error, instead of an audit of whatever is here."""
    result = CliRunner().invoke(application, ["check", ""])
    assert result.exit_code == 2
    assert "the name of the file is empty" in result.output


# --------------------------------------------------------------------------------- what is printed
def test_people_get_a_line_for_each_tool_and_its_findings(file: Write) -> None:
    schema = {
        "type": "object",
        "properties": {
            **{f"p{n}": {"type": ["string", "null"], "description": "d"} for n in range(5)},
            "a": {"type": "integer", "description": "d", "default": "1"},
        },
    }
    tools = [GOOD, {**GOOD, "name": "longer_name", "inputSchema": schema}]
    output = run(file(tools)).output.splitlines()
    assert output[0].startswith("good         2020-12  ")
    assert output[1].startswith("longer_name  2020-12  ")
    assert output[2:] == [
        "  warning invalid-default",
        '    the default "1" is not valid here',
        "      /properties/a/default",
        "  note nullable-string",
        '    it may be a string or null: the text "null" is both',
        "      /properties/p0",
        "      /properties/p1",
        "      /properties/p2",
        "      and 2 more",
        "",
        "What to do:",
        "  invalid-default: Correct the default or the schema; models send what they see",
        "    there.",
        "  nullable-string: Leave the property out of required, and null out of its type.",
        "",
        "2 tools: 1 warning, 5 notes",
    ]


def test_a_tool_without_findings_is_one_line(file: Write) -> None:
    first, empty, summary = run(file([GOOD])).output.splitlines()
    assert first.startswith("good  2020-12  ")
    assert (empty, summary) == ("", "1 tool: nothing found")


def test_tokens_are_counted_on_demand(file: Write) -> None:
    """Of each tool and of all; JSON has them always."""
    path = file([GOOD, {**GOOD, "name": "other"}])
    of_each = [tool["tokens"] for tool in json.loads(run(path, "--json").stdout)["tools"]]
    first, second, _, _, total = run(path, "--tokens").output.splitlines()
    assert first.endswith(f" {of_each[0]} tokens")
    assert second.endswith(f" {of_each[1]} tokens")
    assert total == f"about {sum(of_each)} tokens in each request"
    assert json.loads(run(path, "--json").stdout)["tokens"] == sum(of_each)


@pytest.mark.parametrize("form", [[], ["--json"], ["--sarif"]], ids=["text", "json", "sarif"])
def test_tools_above_the_maximum_of_tokens_fail(file: Write, form: list[str]) -> None:
    """The maximum itself does not; and the text says which it is."""
    path = file([GOOD])
    (tokens,) = [tool["tokens"] for tool in json.loads(run(path, "--json").stdout)["tools"]]
    within = run(path, "--max-tokens", str(tokens), *form)
    above = run(path, "--max-tokens", str(tokens - 1), *form)
    assert (within.exit_code, above.exit_code) == (0, 1)
    if not form:
        assert f"within the maximum of {tokens}" in within.output
        assert f"more than the maximum of {tokens - 1}" in above.output


def test_a_tool_that_cannot_be_used_does_not_hide_the_others(file: Write) -> None:
    broken = [{"name": "broken", "inputSchema": {"type": "whole"}}, {"title": "nothing"}, 7]
    report = json.loads(run(file([*broken, GOOD]), "--json").stdout)
    assert [tool["name"] for tool in report["tools"]] == ["broken", "", "", "good"]
    assert [bool(tool["error"]) for tool in report["tools"]] == [True, True, True, False]
    assert report["tools"][3]["findings"] == []


@pytest.mark.parametrize("form", [[], ["--json"], ["--sarif"]], ids=["text", "json", "sarif"])
def test_nothing_that_a_tool_says_steers_the_terminal(file: Write, form: list[str]) -> None:
    schema = {"type": "object", "properties": {HOSTILE: {"default": HOSTILE, "type": "integer"}}}
    broken = {"type": "object", "properties": {HOSTILE: {"type": HOSTILE}}}
    tools = [{"name": HOSTILE, "description": HOSTILE, "inputSchema": s} for s in (schema, broken)]
    result = run(file(tools), *form)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert not {"\x1b", "\u202e", "\r"} & {*result.stdout}
    if not form:
        assert max(map(len, result.stdout.splitlines())) <= 300


def test_the_table_fits_into_80_columns(file: Write) -> None:
    name = "x" * 64
    schema = {"type": "object", "properties": {f"{name}{n}": {} for n in range(9)}}
    tools = [{**GOOD, "name": name[:40], "inputSchema": schema}]
    output = run(file(tools), env={"COLUMNS": "200"}).output
    longest = max((line for line in output.splitlines() if name not in line), key=len)
    assert len(longest) <= 80


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_encoding_takes_the_table(file: Write, encoding: str) -> None:
    tools = [{**GOOD, "name": "größe\ud800"}]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", "schema2model", "check", file(tools)],
        capture_output=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert "gr" in done.stdout.decode(encoding)


def test_a_schema_alone_is_looked_at_without_a_name(file: Write) -> None:
    report = json.loads(run(file(SCHEMA), "--json").stdout)
    (tool,) = report["tools"]
    assert (tool["name"], tool["findings"], tool["error"]) == ("", [], None)
    assert report["summary"] == {"error": 0, "warning": 0, "note": 0}
