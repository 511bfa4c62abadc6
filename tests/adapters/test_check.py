# ruff: noqa: D103 - the names state the promises
"""The promises of `schema2model check` for live servers, and that its SARIF is valid."""

from __future__ import annotations

import asyncio
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from forking import python, start
from ports import listening, nobody

from schema2model.apps.cli import servers
from schema2model.apps.cli.application import application
from schema2model.extras import needs

pytestmark = pytest.mark.adapters
pytest.importorskip("mcp", reason=needs("mcp"))

HERE = Path(__file__).parent
CHECK = [sys.executable, "-m", "schema2model", "check"]
PYTHON = f"'{sys.executable}'"


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`schema2model check` with these arguments, in a process of its own."""
    command = [*CHECK, *arguments]
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def names(*arguments: str) -> list[str]:
    """The tools of a server that can be used."""
    done = check(*arguments, "--json", "--fail-on", "never")
    assert (done.returncode, done.stderr) == (0, "")
    return [tool["name"] for tool in json.loads(done.stdout)["tools"] if tool["error"] is None]


def refused(*arguments: str) -> str:
    """Return the one line that says why a server cannot be used, from a command in this process."""
    done = CliRunner().invoke(application, ["check", *arguments])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr
    assert done.stderr.startswith("Error: ")
    return done.stderr


def bad(how: str) -> str:
    """The command of a server that misbehaves."""
    return f"{PYTHON} '{HERE / 'check_server.py'}' {how}"


# ------------------------------------------------------------------------------------ real servers
def test_the_time_server_is_looked_at() -> None:
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time")
    assert names("--server", f"{python()} -m mcp_server_time") == [
        "get_current_time",
        "convert_time",
    ]


def test_the_git_server_is_looked_at() -> None:
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git")
    done = check("--server", f"{python()} -m mcp_server_git")
    assert (done.returncode, done.stderr) == (0, "")
    assert "git_status" in done.stdout
    assert "note nullable-string" in done.stdout


def test_a_server_in_javascript_is_looked_at(everything: str) -> None:
    assert {"echo", "get-sum"} <= {*names("--server", f"'{everything}' stdio")}


OVER_HTTP = """
import sys
port = int(sys.argv[1])
try:
    from mcp.server.mcpserver import MCPServer
    server, options = MCPServer("shop"), {"port": port}
except ImportError:  # 1.x
    from mcp.server.fastmcp import FastMCP
    server, options = FastMCP("shop", port=port), {}

@server.tool()
def search(tags: list[str] | str, limit: int = 10) -> str:
    "Look for articles."
    return ""

server.run(transport="streamable-http", **options)
"""


def test_a_server_over_http_is_looked_at() -> None:
    with listening(sys.executable, "-c", OVER_HTTP, "PORT") as port:
        done = check("--url", f"http://127.0.0.1:{port}/mcp", "--json", "--fail-on", "warning")
    assert (done.returncode, done.stderr) == (1, "")
    (tool,) = json.loads(done.stdout)["tools"]
    assert tool["name"] == "search"
    found = {(finding["rule"], finding["pointer"]) for finding in tool["findings"]}
    assert ("string-or-container", "/properties/tags") in found


# ------------------------------------------------------------------------------------- bad servers
@pytest.mark.parametrize(
    ("command", "problem"),
    [
        pytest.param("no-such-command", "cannot be started: no such file", id="missing"),
        pytest.param("'", "has a quotation mark that is not closed", id="quotes"),
        pytest.param("", "is empty", id="empty"),
        pytest.param(f"{PYTHON} -c 'raise SystemExit(1)'", "ended with exit code 1", id="ends"),
        pytest.param(f"{PYTHON} -c 'print(1)'", "ended with exit code 0", id="no-JSON-RPC"),
        pytest.param(bad("dies"), r"it says: no key\u001b[2J / in the environment", id="dies"),
        pytest.param(bad("endless"), "more than 100 pages", id="endless"),
        pytest.param(bad("rubbish"), "an answer that is not MCP's", id="rubbish"),
        pytest.param(bad("refuses"), r"with an error: no\u001b[2J such method", id="refuses"),
    ],
)
def test_a_bad_server_ends_in_one_line(command: str, problem: str) -> None:
    assert problem in refused("--server", command)


@pytest.mark.parametrize("how", ["silent", "stalls"])
def test_a_server_that_never_answers_is_not_waited_for(how: str) -> None:
    line = refused("--server", bad(how), "--timeout", "2")
    assert "gave no answer within 2 seconds" in line


def test_a_bad_server_ends_the_process_in_one_line() -> None:
    done = check("--server", bad("dies"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "it says: no key" in done.stderr


def test_what_a_server_says_does_not_steer_the_terminal() -> None:
    done = check("--server", bad("hostile"))
    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b" not in done.stdout
    assert r"find\u001b[2J" in done.stdout


class Strange(http.server.BaseHTTPRequestHandler):
    """Answers as its path says; `waiting` is over when the tests are."""

    waiting = threading.Event()
    let_go = False

    def do_POST(self) -> None:  # noqa: D102 - the name is the standard library's
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith("/silent"):
            self.waiting.wait()
        elif self.path.startswith("/html"):
            self.answer(200, "text/html", b"<h1>Hello</h1>")
        elif self.path.startswith("/missing"):
            self.answer(404, "application/json", b"{}")
        elif "id" not in request:
            self.answer(202, "application/json", b"")
        else:
            about = {"name": "clinging", "version": "1"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": about}
            if request["method"] == "tools/list":
                result = {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}
            answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
            self.answer(200, "application/json", json.dumps(answer).encode())

    def do_DELETE(self) -> None:
        """Do not let go of the session."""
        Strange.let_go = self.waiting.wait()

    def answer(self, status: int, kind: str, body: bytes) -> None:
        """A whole answer, in a session."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Mcp-Session-Id", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def strange() -> Iterator[str]:
    """The host of a server that speaks no MCP, with a secret."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Strange) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://user:secret@127.0.0.1:{server.server_address[1]}"
        Strange.waiting.set()
        server.shutdown()


@pytest.mark.parametrize("path", ["/html", "/missing", "/silent"])
def test_a_url_without_mcp_ends_in_one_line(
    strange: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "schema2model.apps.proxy.endpoints.FAREWELL", 0.5
    )  # the server does not end its sessions
    line = refused("--url", f"{strange}{path}?key=secret", "--timeout", "2")
    assert path in line
    assert "secret" not in line


def test_a_server_that_does_not_let_go_is_left(
    strange: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked is answered all the same."""
    monkeypatch.setattr("schema2model.apps.proxy.endpoints.FAREWELL", 0.5)

    async def ask() -> list[dict[str, Any]]:
        async with servers.session(servers.ServerAddress.at(url=f"{strange}/clinging")) as session:
            return await session.tools()

    assert asyncio.run(ask()) == [{"name": "search", "inputSchema": {"type": "object"}}]
    assert not Strange.let_go


@pytest.mark.parametrize("url", ["example.org", "ftp://example.org", "http://", "http://[::1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    assert "looks like https://example.org/mcp" in refused("--url", url)


def test_a_port_where_nobody_listens_is_refused() -> None:
    with nobody() as port:
        line = refused("--url", f"http://127.0.0.1:{port}/mcp")
    assert "cannot be talked to" in line


# ------------------------------------------------------------------------------------------- SARIF
def test_sarif_is_valid(npm: Callable[[str], Path], tmp_path: Path) -> None:
    """Under the schema that OASIS publishes, as a package of Microsoft has it."""
    modules = npm("@microsoft/jest-sarif@1.0.0-beta.0")
    (schema,) = modules.glob("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0*.json")
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text("utf-8")))
    path = tmp_path / "my tools.json"
    path.write_text(json.dumps([{"name": "a b", "inputSchema": {}}, {"name": ""}, 7]))
    for arguments in ([str(path)], ["--server", bad("hostile")]):
        log = json.loads(check(*arguments, "--sarif").stdout)
        assert log["runs"][0]["results"]
        assert [error.message for error in validator.iter_errors(log)] == []
        assert [*validator.iter_errors({**log, "version": "2"})]
