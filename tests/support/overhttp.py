"""A client of a proxy before a server at a URL."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from forking import start
from proxied import PROXY, untold
from typing_extensions import Self
from waiting import PATIENCE


class Raw:
    """A client of a proxy that says line by line what it likes."""

    def __init__(self, url: str, *options: str) -> None:
        self.process = start(
            [*PROXY, "--url", url, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.input: Any = self.process.stdin
        self.output: Any = self.process.stdout
        self.errors: Any = self.process.stderr

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.input, self.output, self.errors):
            pipe.close()

    def ask(self, line: Any) -> Any:
        """The next message after a line, or after a message."""
        self.say(line)
        return json.loads(self.output.readline())

    def say(self, line: Any) -> None:
        """Write a line, or a message."""
        self.input.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.input.flush()

    def initialize(self) -> None:
        """Shake hands."""
        info = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        answer = self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        assert answer["result"]["protocolVersion"] == "2025-06-18"
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ends(self) -> tuple[int, str]:
        """The exit code, and what is on standard error."""
        code = self.process.wait(PATIENCE)
        return code, untold(self.errors.read().decode())


def calling(number: Any, name: str, **arguments: Any) -> dict[str, Any]:
    """A call of a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
