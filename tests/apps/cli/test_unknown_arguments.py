# ruff: noqa: D103 - the names state the promises
"""`--unknown-arguments` and doubts of the commands: one option, by the same words everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra cli")

from click.testing import CliRunner

from schema2model.apps.cli.application import application

TOOL = {"name": "delete", "parameters": {"type": "object", "properties": {"dryRun": {}}}}


def run(*words: str) -> Any:
    return CliRunner().invoke(application, [*words])


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOL), "utf-8")
    return str(path)


def test_validate_shows_doubts_and_refuses_by_the_option(tools: str) -> None:
    given = '{"dry_run": true}'
    shown = run("validate", "--schema", tools, "--explain", given)
    assert shown.exit_code == 0
    assert 'doubt: /dry_run is not declared; rename "dry_run" to "dryRun"' in shown.stderr
    document = json.loads(run("validate", "--schema", tools, "--json", given).stdout)
    assert document["doubts"] == [{"path": "/dry_run", "advice": 'rename "dry_run" to "dryRun"'}]
    for word in ("refuse", "refuse_similar"):
        refused = run("validate", "--schema", tools, "--unknown-arguments", word, given)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert 'rename "dry_run" to "dryRun"' in refused.stderr


def test_read_refuses_by_the_option(tools: str) -> None:
    text = '<tool_call>{"name": "delete", "arguments": {"dry_run": 1}}</tool_call>'
    assert run("read", "--tools", tools, text).exit_code == 0
    refused = run("read", "--tools", tools, "--unknown-arguments", "refuse_similar", text)
    assert refused.exit_code == 1
    assert json.loads(refused.stdout)["arguments"] is None


@pytest.mark.parametrize("command", ["validate", "read", "call", "proxy", "batch"])
def test_every_command_that_corrects_calls_has_the_option(command: str) -> None:
    assert "--unknown-arguments [keep|refuse|refuse_similar]" in run(command, "--help").stdout
