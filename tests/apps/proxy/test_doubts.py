# ruff: noqa: D103 - the names state the promises
"""Undeclared names like declared, absent ones in calls through the proxy: counted, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from schema2model.apps.proxy.calls import CallPolicy, ListedTools, Tally

TOOL = {"name": "delete", "inputSchema": {"type": "object", "properties": {"dryRun": {}}}}


def call(**arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": "delete", "arguments": arguments}}


def test_doubtful_calls_pass_and_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    tally = Tally()
    tools = ListedTools(CallPolicy(tally=tally))
    tools.add({"tools": [TOOL]})
    message = call(dry_run="secret")
    with caplog.at_level("INFO", logger="schema2model.proxy"):
        assert tools.read(message).message is message
        tools.read(call(dryRun=1))
    assert [words for words, _ in tally.lines()] == [
        "of 2 calls, 1 doubtful",
        '"delete": 1 doubtful',
    ]
    assert caplog.messages == ['doubts about a call of "delete": /dry_run (declared: "dryRun")']


def test_all_calls_are_logged_if_that_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    tools = ListedTools(CallPolicy(logs_all=True))
    tools.add({"tools": [TOOL]})
    with caplog.at_level("INFO", logger="schema2model.proxy"):
        tools.read(call(dryRun=1))
    assert caplog.messages == ['unchanged a call of "delete"']


def test_the_option_refuses_them() -> None:
    tools = ListedTools(CallPolicy(unknown_arguments="refuse_similar"))
    tools.add({"tools": [TOOL]})
    assert 'rename "dry_run" to "dryRun"' in str(tools.read(call(dry_run=True)).error)
    assert tools.read(call(other=1)).message == call(other=1)


def test_a_call_without_arguments_may_have_numbers_elsewhere() -> None:
    """Python would spell them otherwise, as those of arguments; the call passes as it is."""
    tools = ListedTools(CallPolicy())
    tools.add({"tools": [TOOL]})
    message = {"method": "tools/call", "params": {"name": "delete", "_meta": {"v": 3.10}}}
    sent = '{"method": "tools/call", "params": {"name": "delete", "_meta": {"v": 3.10}}}'
    assert tools.read(message, sent) is not None
    assert tools.read({**message, "params": {"name": "delete", "arguments": {}}}, sent)
