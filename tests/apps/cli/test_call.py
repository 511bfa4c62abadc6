"""`schema2model call`, and the other command that talks to a server, where there is no SDK."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from forking import python

from schema2model.apps.cli.application import application
from schema2model.extras import needs

SEARCH = f"{sys.executable} {Path(__file__).parents[2] / 'support' / 'search_server.py'}"
SERVER = ("--server", SEARCH)


def call(*arguments: str, stdin: str | None = None) -> Result:
    """`schema2model call` in this process."""
    return CliRunner().invoke(application, ["call", *arguments], input=stdin)


def test_a_server_that_a_command_starts_needs_no_sdk() -> None:
    """It is asked without any."""
    program = (
        "import sys; sys.modules['mcp'] = None; from schema2model.apps.cli import main; main()"
    )
    command = ["call", *SERVER, "search", '{"tags": "[]", "limit": "7"}']
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program, *command], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr.count("\n")) == (0, 2)
    assert "7" in done.stdout


# ---------------------------------------------------------------------------------- with the SDK
@pytest.fixture
def _sdk() -> None:
    pytest.importorskip("mcp", reason=needs("mcp"))


SENT = '{"tags": "[\'a\']", "limit": "7", "active": "yes"}'
ANSWER = "(['a'], 7, True)"


def with_sdk(test: Any) -> Any:
    """Mark a test that needs it."""
    return pytest.mark.adapters(pytest.mark.usefixtures("_sdk")(test))


@with_sdk
@pytest.mark.parametrize("stdin", [False, True], ids=["argument", "stdin"])
def test_a_tool_is_called_with_corrected_arguments(stdin: bool) -> None:  # noqa: FBT001
    """The result is JSON on standard output; each change is a line on standard error."""
    result = call(*SERVER, "search", "-", stdin=SENT) if stdin else call(*SERVER, "search", SENT)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"result": ANSWER}
    assert result.stderr.splitlines() == [
        '/tags: loose_json_text: "[\'a\']" -> ["a"]',
        '/limit: json_text: "7" -> 7',
        '/active: boolean_words: "yes" -> true',
    ]


@with_sdk
def test_json_has_all_there_is_to_know() -> None:
    """In one object."""
    result = call(*SERVER, "--json", "search", '{"tags": [], "limit": "7"}')
    assert (result.exit_code, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert document["arguments"] == {"tags": [], "limit": 7}
    (change,) = document["changes"]
    assert change == {"path": "/limit", "rule": "json_text", "before": "7", "after": 7}
    assert document["result"]["content"] == [{"type": "text", "text": "([], 7, False)"}]
    assert document["error"] is None


@with_sdk
def test_refused_arguments_never_reach_the_server() -> None:
    """What to tell the model is on standard error, and in the JSON."""
    result = call(*SERVER, "search", '{"tags": [], "limit": "many"}')
    told = (
        "Error parsing arguments for `search`:\n"
        '- /limit: must be an integer, without quotes, not "many"\n\n'
        "Fix the errors and try again."
    )
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", told + "\n")
    result = call(*SERVER, "--json", "search", '{"tags": [], "limit": "many"}')
    assert (result.exit_code, result.stderr) == (1, "")
    document = json.loads(result.stdout)
    assert document["error"]["message"] == told
    assert document["result"] is None


@with_sdk
def test_a_tools_error_is_one() -> None:
    """It is told in words, too."""
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time")
    server = ("--server", f"{python()} -m mcp_server_time", "get_current_time")
    result = call(*server, '{"timezone": "Mars"}')
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No time zone found with key Mars" in result.stderr
    result = call(*server, '{"timezone": "UTC"}')
    assert result.exit_code == 0
    assert "UTC" in result.stdout


@with_sdk
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            (*SERVER, "serch", "{}"), 'the server has no tool "serch"; it has "search"', id="tool"
        ),
        pytest.param(("--server", "/nowhere/x", "t", "{}"), "cannot be started", id="command"),
        pytest.param(("--server", "", "t", "{}"), "is empty", id="empty"),
        pytest.param(("--url", "http://127.0.0.1:9/", "t", "{}"), "cannot be talked to", id="url"),
        pytest.param(("--url", "ftp://x", "t", "{}"), "looks like https://", id="scheme"),
    ],
)
def test_what_cannot_be_called_is_a_line(arguments: tuple[str, ...], message: str) -> None:
    """With exit code 2."""
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


# --------------------------------------------------------------------------------------- results
def counted(count: str, *arguments: str) -> Result:
    """The call of a tool whose result has this count."""
    return call("--server", f"{SEARCH} {count}", *arguments)


@with_sdk
@pytest.mark.parametrize(
    ("mode", "count", "code", "printed", "words"),
    [
        ("off", "3", 0, {"count": "3"}, ""),
        ("check", "3", 0, {"count": "3"}, "the result could be corrected: /count (json_text)"),
        ("correct", "3", 0, {"count": 3}, ""),
        ("check", "many", 0, {"count": "many"}, '/count: expected integer, found "many"'),
        ("refuse", "3", 0, {"count": 3}, ""),
        ("refuse", "many", 1, None, '/count: expected integer, found "many"'),
    ],
)
def test_results_are_read_by_their_schema(
    mode: str, count: str, code: int, printed: Any, words: str
) -> None:
    """Where that is asked for; what a server has done wrong is on standard error."""
    result = counted(count, "--results", mode, "count_rows", "{}")
    assert result.exit_code == code
    assert (json.loads(result.stdout) if result.stdout else None) == printed
    assert words in result.stderr
    assert bool(words) == bool(result.stderr)
    result = counted(count, "--json", "--results", mode, "count_rows", "{}")
    document = json.loads(result.stdout)
    assert (document["result"] and document["result"]["structuredContent"]) == printed
    assert words in (document["result_error"] or "")


@with_sdk
def test_a_tool_may_be_spelt_differently() -> None:
    """Under `forgiving`; elsewhere the message names it."""
    refused = counted("3", "countRows", "{}")
    assert (refused.exit_code, "count_rows" in refused.stderr) == (2, True)
    done = counted("3", "--coercion", "forgiving", "countRows", "{}")
    assert json.loads(done.stdout) == {"count": "3"}
