"""`schema2model strict`: definitions, accounts and the budget of a request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from schema2model import Tool, Toolset
from schema2model.apps.cli.application import application

TOOL = {
    "name": "search",
    "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}}},
}


def run(path: Path, document: Any, *options: str) -> Result:
    """What the command prints for the tools of a file."""
    file = path / "tools.json"
    file.write_text(json.dumps(document), "utf-8")
    return CliRunner().invoke(application, ["strict", str(file), *options])


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_the_definitions_are_those_of_a_toolset(tmp_path: Path, provider: str) -> None:
    """And the account is that of the tool."""
    done = run(tmp_path, [TOOL], "--provider", provider, "--json")
    assert done.exit_code == 0
    (tool,) = json.loads(done.stdout)["tools"]
    toolset = Toolset([Tool.from_schema(TOOL)], strict=provider)
    assert [tool["definition"]] == toolset.definitions(provider)
    assert tool["strict"] is True
    assert {entry["pointer"] for entry in tool["account"]} == {"", "/properties/limit"}


def test_a_person_reads_the_account(tmp_path: Path) -> None:
    """One line for each place and status, before the definition."""
    done = run(tmp_path, [TOOL], "--provider", "anthropic")
    assert "search: strict\n" in done.stdout
    assert "  /properties/limit: checked: minimum\n" in done.stdout
    assert "the limits: 20 tools with 24 optional parameters" in done.stdout


def test_tools_over_the_limits_are_named(tmp_path: Path) -> None:
    """And make the exit code 1."""
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(21)]
    done = run(tmp_path, tools, "--provider", "anthropic", "--json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert document["budget"]["cost"]["tools"] == 20
    assert [each["name"] for each in document["tools"] if not each["strict"]] == ["t20"]


def test_tools_that_cannot_be_compiled_are_named(tmp_path: Path) -> None:
    """The others are strict."""
    broken = {"name": "broken", "inputSchema": {"type": "strange"}}
    done = run(tmp_path, [broken, TOOL])
    assert done.exit_code == 1
    assert "broken: not strict: " in done.stdout
    assert '/type: unknown type "strange"' in done.stdout
    assert "search: strict" in done.stdout


def test_an_unknown_provider_is_a_mistake(tmp_path: Path) -> None:
    """The message has the nearest name."""
    done = run(tmp_path, [TOOL], "--provider", "openia")
    assert done.exit_code == 2
    assert "did you mean 'openai'" in done.stderr


def test_caps(tmp_path: Path) -> None:
    """They reach the definitions."""
    tool = {
        "name": "f",
        "inputSchema": {"properties": {"a": {"type": "string"}}, "required": ["a"]},
    }
    done = run(tmp_path, [tool], "--max-length", "9", "--json")
    (made,) = json.loads(done.stdout)["tools"]
    assert made["definition"]["function"]["parameters"]["properties"]["a"]["maxLength"] == 9
