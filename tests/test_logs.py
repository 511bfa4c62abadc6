"""Logs and commands show names of strangers with escapes, so that none steers a terminal."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from schema2model import Tool, ToolError
from schema2model.tools.tool_cache import compile_checker

HOSTILE = "a\x1b[2J\u2028b\r"
ESCAPED = r"a\u001b[2J\u2028b\r"
UNSEEN = {"\x1b", "\u2028", "\r"}


def test_log_records_have_escapes(caplog: pytest.LogCaptureFixture) -> None:
    """For names of tools, and for what a tool says; lines of a message stay lines."""

    def fail() -> None:
        message = f"{HOSTILE}\nnext"
        raise ToolError(message)

    caplog.set_level(logging.DEBUG, "schema2model")
    assert compile_checker(HOSTILE, {"type": 5}) is None
    with pytest.raises(ToolError):
        Tool.from_schema({"name": HOSTILE, "parameters": {}}, fail).call({})
    assert f"`{ESCAPED}`" in caplog.text
    assert f"{ESCAPED}\nnext" in caplog.text
    assert UNSEEN.isdisjoint(caplog.text)


@pytest.mark.parametrize("command", [["strict"], ["check"], ["codegen"]])
def test_commands_have_escapes(command: list[str], tmp_path: Path) -> None:
    """In what they print of names, descriptions and schemas, on both streams."""
    if command == ["codegen"]:
        pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")
    schema = {"type": "object", "properties": {HOSTILE: {"type": "integer"}}, "required": [HOSTILE]}
    tools = [{"name": HOSTILE, "description": HOSTILE, "inputSchema": schema}]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(tools), "utf-8")
    run = "from schema2model.apps.cli import main; main()"
    done = subprocess.run(  # noqa: S603 - this interpreter
        [sys.executable, "-c", run, *command, str(file)], capture_output=True, check=False
    )
    shown = (done.stdout + done.stderr).decode()
    assert "1b[2J" in shown
    assert UNSEEN.isdisjoint(shown)
