# ruff: noqa: S603 - the processes are our own
"""What a proxy writes to standard error and to its log, as lines and as JSON."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from on_a_loop import Sides
from proxied import PROXY, SERVER, STRINGIFIED, TYPED, Connect, call

from schema2model.apps.cli.proxy_log import _JSON, _OneLine
from schema2model.apps.proxy.secret_headers import Header
from schema2model.json.quoting import printable


def test_the_servers_standard_error_is_the_proxys(connect: Connect) -> None:
    """Unchanged, and nothing is added but at the end, unless it is asked for."""
    client = connect()
    client.send(call(1, STRINGIFIED), call(2, {"limit": "many"}))
    client.next(), client.next()
    client.input.close()
    assert client.ends() == (0, "")
    assert client.said.read_text().startswith("the server is there\n")


@pytest.mark.parametrize("file", ["-", "log"])
def test_the_log_has_a_line_for_each_call_that_is_changed(
    connect: Connect, tmp_path: Path, file: str
) -> None:
    """Where and by which rule; not the values, which may be secret."""
    path = "-" if file == "-" else str(tmp_path / file)
    client = connect(options=("--log", path))
    secret = call(1, {"limit": "876543210", "tags": "['s3cret']"})
    client.send(secret, call(2, {"limit": "s3cret"}), call(3, TYPED))
    for _ in range(3):
        client.next()
    client.input.close()
    code, said = client.ends()
    assert code == 0
    if file == "log":
        assert said == ""
        said = Path(path).read_text()
    first, second, *told = said.splitlines()
    assert first.endswith('coerced a call of "search": /limit (json_text), /tags (loose_json_text)')
    assert second.endswith('refused a call of "search": /limit (type)')
    if file == "log":  # of what is on standard error, `ends` has taken that away
        assert told[0].endswith("of 3 calls, 1 coerced, 1 refused")
        assert told[1].endswith(
            '"search": 1 coerced, 1 refused (json_text 1, loose_json_text 1)'
        ), told
    assert "s3cret" not in said
    assert "876543210" not in said


def test_the_line_of_a_call_that_is_not_changed_has_no_places(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Where all calls are logged."""
    caplog.set_level("INFO", "schema2model.proxy")
    ends = Sides(logs_all=True)
    ends.lists({"name": "search", "inputSchema": {}})
    ends.say(call(1, {}))
    ends.arrived()
    assert [record.getMessage() for record in caplog.records] == ['unchanged a call of "search"']


@pytest.mark.parametrize("file", ["-", "log"])
def test_the_log_can_be_objects_of_json(connect: Connect, tmp_path: Path, file: str) -> None:
    """With fields for programs, and neither prose nor values."""
    path = "-" if file == "-" else str(tmp_path / file)
    client = connect(options=("--log", path, "--json"))
    client.send(call(1, {"limit": "876543210", "tags": "['s3cret']"}), call(2, {"limit": "s3cret"}))
    client.send(b"{]\n")
    for _ in range(3):
        client.next()
    client.input.close()
    assert client.process.wait() == 0
    said = client.said.read_text() if file == "-" else Path(path).read_text()
    lines = [line for line in said.splitlines() if line.startswith("{")]
    order = ["call", "message", "summary"]
    records = sorted(map(json.loads, lines), key=lambda each: order.index(each["event"]))
    changed, refused, message, whole, tool = records
    for each in (changed, refused, message, whole, tool):
        assert datetime.fromisoformat(each.pop("time")).tzinfo is not None
    assert changed.pop("duration") >= 0
    assert (changed.pop("request"), refused.pop("request")) == (1, 2)
    assert changed.pop("server").startswith(sys.executable)
    assert changed == {
        "level": "info",
        "event": "call",
        "tool": "search",
        "outcome": "coerced",
        "details": [
            {"path": "/limit", "rule": "json_text"},
            {"path": "/tags", "rule": "loose_json_text"},
        ],
    }
    assert (refused["outcome"], refused["details"]) == (
        "refused",
        [{"path": "/limit", "rule": "type"}],
    )
    assert (message["level"], message["event"]) == ("warning", "message")
    assert whole == {"level": "info", "event": "summary", "calls": 2, "coerced": 1, "refused": 1}
    assert tool["rules"] == {"json_text": 1, "loose_json_text": 1}
    assert "876543210" not in said
    assert "s3cret" not in said


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Before anything is started."""
    command = [*PROXY, "--log", str(tmp_path), "--", *SERVER, str(tmp_path / "received")]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: cannot write to {tmp_path}: ")
    assert not (tmp_path / "received").exists()


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "lines"])
def test_only_texts_of_others_are_searched_for_secrets(as_json: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """A secret that is like a time, a level or an outcome damages no line."""
    secrets = [Header("a", each) for each in ("coerced", "2026-11-28", "warning", "call", "s3cret")]
    record = logging.LogRecord(
        "schema2model.proxy", logging.WARNING, "", 1, "%s a call of %s", ("coerced", "s3cret"), None
    )
    fields = {"event": "call", "outcome": "coerced", "tool": "s3cret", "details": ["a s3cret b"]}
    record.schema2model = fields
    record.schema2model_origin = {"session": "warning", "user": "coerced", "client": "s3cret"}
    if as_json:
        line = json.loads(_JSON(secrets, {}).format(record))
        assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
        assert line == {
            "level": "warning",
            "event": "call",
            "outcome": "coerced",
            "tool": "\u2026",
            "details": ["a \u2026 b"],
            "session": "warning",
            "user": "coerced",
            "client": "\u2026",
            "server": None,
        }
    else:
        words = "coerced a call of \u2026 (session warning, user coerced, client \u2026)"
        assert _OneLine("%(message)s", secrets).format(record) == printable(words)
