"""What goes wrong outside is told in one line of our own words, by every command."""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner
from forking import python, start

from schema2model.apps.cli.application import COMMANDS, application
from schema2model.extras import needs

pytestmark = [
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete"),  # the SDK 1.26
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject"),  # the same
]

FOREIGN = re.compile(
    r"Traceback|\[Errno|\[errno|Detail:|pydantic\.dev|Expecting|No closing quotation|\(char \d"
    r"|\b(?!Error\b)[A-Za-z]*(Error|Exception|Exit|Timeout|Invalid:)\b"
)
"""Names of libraries' errors, and phrases of theirs."""

FILES: dict[str, bytes | None] = {
    "missing": None,
    "empty": b"",
    "binary": bytes(range(256)),
    "cut off": b'{"tools": [',
    "no UTF-8": b'"\xff"',
    "deep": b"[" * 10**5,
    "reference": b'{"type": "object", "properties": {"a": {"$ref": "http://[::1/x"}}}',
    "nowhere": b'{"type": "object", "properties": {"a": {"$ref": "http://a.test/x"}}}',
    "dialect": b'{"$schema": "x:", "type": "object"}',
    "pattern": b'[{"name": "a", "inputSchema": {"properties": {"a": {"pattern": "("}}}}]',
}
ENDINGS = ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]
SERVERS = {
    "refused": ("--url", "http://127.0.0.1:9/"),
    "TLS": ("--url", "https://127.0.0.1:9/"),
    "no host": ("--url", "http://no-such-host.invalid/"),
    "no URL": ("--url", "http://[::1"),
    "no command": ("--server", "no-such-command"),
    "quotation": ("--server", "'"),
    "backslash": ("--server", "a\\"),
    "folder": ("--server", "/"),
    "ends": ("--server", f"'{sys.executable}' -c pass"),
    "talks": ("--server", f"'{sys.executable}' -c 'print(\"hello\")'"),
}
TOOL = b'{"name": "search", "inputSchema": {"type": "object"}}'


def told(*arguments: str, codes: tuple[int, ...] = (2,), apart: bool | None = None) -> str:
    """What a command that fails says on standard error, which is nothing of another library's.

    It runs in a process of its own if it is `apart`: by default the proxy, which may keep the
    streams and the log for itself.
    """
    if (arguments[0] == "proxy") if apart is None else apart:
        words = [sys.executable, "-m", "schema2model", *arguments]
        pipe = subprocess.PIPE
        process = start(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        _, error = process.communicate()
        code = process.returncode
    else:
        result = CliRunner().invoke(application, arguments, input="")
        assert isinstance(result.exception, (SystemExit, type(None))), result.exception
        code, error = result.exit_code, result.stderr
    assert code in codes, error
    assert not FOREIGN.search(error), error
    return error


@pytest.fixture(params=FILES)
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file that no command can use, or that is not there."""
    path = tmp_path / "given.json"
    content = FILES[request.param]
    if content is not None:
        path.write_bytes(content)
    return str(path)


READERS = {
    "validate": ("validate", "--schema", "FILE", "{}"),
    "check": ("check", "FILE"),
    "diff": ("diff", "FILE", "FILE"),
    "codegen": ("codegen", "FILE"),
    "strict": ("strict", "FILE"),
    "read": ("read", "--tools", "FILE", "text"),
    "tools": ("tools", "--servers", "FILE"),
    "proxy": ("proxy", "--servers", "FILE"),
    "call": ("call", "--url", "http://127.0.0.1:9/", "--header", "@FILE", "search", "{}"),
    "report": ("report", "FILE"),
    "batch": ("batch", "FILE", "-o", "FILE.out", "--tools", "FILE"),
}


CODES = {**dict.fromkeys(["check", "batch", "strict"], (1, 2, 3)), "diff": (0, 2)}
"""Exit codes of commands that may find nothing, or report what is wrong with a schema."""


def test_every_command_is_tried() -> None:
    """One that is added is to be tried, too."""
    assert set(READERS) == set(COMMANDS)


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_cannot_be_used(
    command: str, hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is wrong."""
    if command == "batch":
        monkeypatch.setattr(sys, "executable", python())  # for Daft
    if command == "codegen":
        pytest.importorskip("datamodel_code_generator", reason=needs("codegen"))
    words = [word.replace("FILE", hostile) for word in READERS[command]]
    error = told(
        *words, codes=CODES.get(command, (2,)), apart=False
    )  # even the proxy has not begun
    assert error.startswith(("Error: ", "Usage: ", "Layout: ")) or command in CODES


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "content", [b"", b"\x1f\x8b\x08rubbish", b"(\xb5/\xfdrubbish", b"PAR1PAR1"]
)
def test_an_input_of_a_batch_that_cannot_be_read(
    ending: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compressed, or in columns; of lines each is a row that is refused."""
    pytest.importorskip("daft", reason=needs("batch"))
    monkeypatch.setattr(sys, "executable", python())  # for Daft
    (tmp_path / f"rows.{ending}").write_bytes(content)
    (tmp_path / "tools.json").write_bytes(TOOL)
    place, tools = str(tmp_path / f"rows.{ending}"), str(tmp_path / "tools.json")
    told("batch", place, "--tools", tools, "-o", str(tmp_path / "out"), codes=(2, 3))


@pytest.mark.parametrize("url", ["foo://a/b", "http://a/b", "s3://", "file://", "no*files"])
@pytest.mark.parametrize("command", ["batch", "report"])
def test_a_place_that_cannot_be_reached(command: str, url: str, tmp_path: Path) -> None:
    """As an input, or as an output to report on."""
    pytest.importorskip("jinja2", reason=needs("report"))
    pytest.importorskip("pyarrow", reason=needs("batch"))
    (tmp_path / "tools.json").write_bytes(TOOL)
    options = ["-o", str(tmp_path / "out"), "--tools", str(tmp_path / "tools.json")]
    told(command, url, *(options if command == "batch" else []))


@pytest.mark.parametrize("server", SERVERS.values(), ids=SERVERS)
@pytest.mark.parametrize("command", ["tools", "check", "codegen", "call"])
def test_a_server_that_cannot_be_used(command: str, server: tuple[str, str]) -> None:
    """However it is reached."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    error = told(command, *server, *(["search", "{}"] if command == "call" else []))
    assert error.startswith("Error: the ")


STATUSES = {400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 503: "Service Unav"}
ANSWERS = {
    "HTML": (200, {"content-type": "text/html"}, b"<html>"),
    "no JSON": (200, {"content-type": "application/json"}, b"{not json"),
    "no message": (200, {"content-type": "application/json"}, b"[1]"),
    "no event": (200, {"content-type": "text/event-stream"}, b"event: message\ndata: {junk\n\n"),
    "nothing": (200, {"content-type": "text/event-stream"}, b""),
    "damaged": (200, {"content-type": "application/json", "content-encoding": "gzip"}, b"no gzip"),
    "in a circle": (307, {"location": "/mcp"}, b""),
    **{str(status): (status, {"content-type": "text/plain"}, b"s3cret") for status in STATUSES},
}


class Answering(http.server.BaseHTTPRequestHandler):
    """Answers every request alike."""

    answer: tuple[int, dict[str, str], bytes]

    def log_message(self, *words: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """The answer, once the request is read."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        status, headers, content = self.answer
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST  # noqa: N815 - as http.server calls it


@pytest.mark.parametrize("name", ANSWERS)
def test_a_server_that_answers_anything_but_mcp(name: str) -> None:
    """Over HTTP; the status is told if it says what is wrong, the content never."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    handler = type("Handler", (Answering,), {"answer": ANSWERS[name]})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        error = told("tools", "--url", f"http://127.0.0.1:{server.server_port}/mcp")
        server.shutdown()
    assert error.startswith("Error: the server `http://127.0.0.1:")
    assert "s3cret" not in error
    if name.isdigit():
        assert f"answered {name} {STATUSES[int(name)]}" in error


@pytest.mark.parametrize(
    "entry",
    [{"command": "a\0b"}, {"command": "true", "cwd": "/no/such"}, {"command": "a", "args": 1}, 1],
    ids=["NUL", "folder", "arguments", "number"],
)
@pytest.mark.parametrize("command", ["tools", "check", "codegen", "proxy"])
def test_a_configuration_that_makes_no_sense(command: str, entry: object, tmp_path: Path) -> None:
    """It names a program or a folder that no system has."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    path = tmp_path / "client.json"
    path.write_text(json.dumps({"mcpServers": {"a": entry}}))
    assert told(command, "--servers", str(path)).startswith("Error: ")


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """By whoever runs the command."""
    path = tmp_path / "given.json"
    path.write_bytes(TOOL)
    path.chmod(0)
    assert "permission denied" in told("validate", "--schema", str(path), "{}")


def test_a_file_without_calls_is_no_success(tmp_path: Path) -> None:
    """Nothing has been validated."""
    tool, calls = tmp_path / "tool.json", tmp_path / "calls.jsonl"
    tool.write_bytes(TOOL)
    calls.write_bytes(b"\n \n")
    assert "is empty" in told("validate", "--schema", str(tool), "--calls", str(calls))


# --------------------------------------------------------------------------- files, and their names
@pytest.mark.parametrize("command", ["check", "codegen", "strict"])
def test_tools_are_a_file_by_argument_or_by_option(command: str, tmp_path: Path) -> None:
    """`--tools FILE` means the same in every command that reads tools."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "f", "inputSchema": {"type": "object"}}]))
    runner = CliRunner()
    if command == "codegen":
        pytest.importorskip("datamodel_code_generator", reason='needs the extra "codegen"')
    results = [
        runner.invoke(application, [command, *given])
        for given in ([str(path)], ["--tools", str(path)], [str(path), "--tools", str(path)])
    ]
    assert results[0].exit_code in {0, 1}
    assert re.sub(r" *[\d.]+ ms", "", results[0].output) == re.sub(
        r" *[\d.]+ ms", "", results[1].output
    )
    assert results[2].exit_code == 2
    assert "Give FILE or --tools, not both." in results[2].stderr


def test_a_path_that_the_shell_has_not_expanded_is_explained() -> None:
    """As it is not after an equals sign, or within quotes."""
    done = CliRunner().invoke(application, ["check", "~/tools.json"])
    assert done.exit_code == 2
    assert 'the shell did not replace "~": write the whole path' in done.stderr


@pytest.mark.parametrize("command", [["read"], ["validate"]])
def test_the_name_of_a_file_in_the_place_of_a_text_is_noticed(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read as text all the same: a model may write anything."""
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps([{"name": "f", "inputSchema": {"type": "object"}}]))
    Path("my call.json").write_text("{}")
    done = CliRunner().invoke(application, [*command, "--tools", "tools.json", "my call.json"])
    assert "'my call.json' is read as text, not as a file" in done.stderr
    assert "write < 'my call.json'" in done.stderr
    for text in ("{}", "x" * 5000, "a\0b"):
        done = CliRunner().invoke(application, [*command, "--tools", "tools.json", text])
        assert "not as a file" not in done.stderr
