"""A connection for Bowtie's `direct:` that speaks to the harness as a container would: by stdio."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


class Connection:
    """A process of its own, and a line each way."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "schema2model.adapters.bowtie"]
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    async def request(self, message: Any) -> Any:
        """Send a command and wait for its answer; there is none to `stop`."""
        if message["cmd"] == "stop":
            self._process.communicate(json.dumps(message) + "\n")
            return {}
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def direct() -> type[Connection]:
    """What makes a connection."""
    return Connection
