"""A client of a listening proxy that sends what it likes over HTTP; and the proxy."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from forking import start
from waiting import PATIENCE

UPSTREAM = [sys.executable, str(Path(__file__).with_name("misbehaving_server.py"))]
PROXY = [sys.executable, "-m", "schema2model", "proxy"]
ACCEPT = "application/json, text/event-stream"


@contextlib.contextmanager
def proxy(*options: str, server: list[str] | None = None) -> Iterator[tuple[str, Any]]:
    """The URL of a listening proxy, and its process; it has to end well."""
    words = [*PROXY, "--listen", "127.0.0.1:0", *options]
    words += ["--", *UPSTREAM] if server is None else server
    process = start(words, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = None
        while found is None:
            line = process.stderr.readline()
            assert line, "the proxy has ended"
            found = re.search(r"listens on (\S+)", line)
        yield found[1], process
    finally:
        process.kill()
        process.communicate()


def is_running(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class HTTPClient:
    """One client; `headers` go with every request."""

    def __init__(self, url: str, **headers: str) -> None:
        self.address = urlsplit(url)
        self.headers = {
            "accept": ACCEPT,
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }

    def request(
        self, method: str, body: Any = None, path: str = "/mcp", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, the headers and the body of an answer."""
        assert self.address.hostname is not None
        connection = http.client.HTTPConnection(
            self.address.hostname, self.address.port or 0, timeout=PATIENCE
        )
        with contextlib.closing(connection):
            data = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, path, data, {**self.headers, **headers})
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content

    @contextlib.contextmanager
    def stream(self) -> Iterator[http.client.HTTPResponse]:
        """Hold the stream open on which the server may send what it likes."""
        assert self.address.hostname is not None
        connection = http.client.HTTPConnection(
            self.address.hostname, self.address.port or 0, timeout=PATIENCE
        )
        with contextlib.closing(connection):
            connection.request("GET", "/mcp", headers=self.headers)
            answer = connection.getresponse()
            assert answer.status == 200
            yield answer

    def ask(self, message: Any) -> Any:
        """The last message of the answer to a POST, with its status if it has none."""
        status, headers, content = self.request("POST", message)
        if "mcp-session-id" in headers:
            self.headers["mcp-session-id"] = headers["mcp-session-id"]
        if headers.get("content-type") == "application/json" and content:
            answer = json.loads(content)
            return answer if "id" in answer and status == 200 else status
        events = [line[6:] for line in content.splitlines() if line.startswith(b"data: ")]
        return json.loads(events[-1]) if events else status

    def initialize(self) -> Any:
        """Open a session."""
        info = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        answer = self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        assert answer["result"]["serverInfo"]["name"]
        assert self.ask({"jsonrpc": "2.0", "method": "notifications/initialized"}) == 202
        return answer

    def call(self, name: str, request: Any = 1, **arguments: Any) -> Any:
        """The answer to a call."""
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": request, "method": "tools/call", "params": params}
        return self.ask(message)

    def text(self, name: str, request: Any = 1, **arguments: Any) -> str:
        """The text of a result."""
        text: str = self.call(name, request, **arguments)["result"]["content"][0]["text"]
        return text
