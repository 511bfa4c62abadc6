"""Bowtie, which compares implementations of JSON Schema (https://bowtie.report): its protocol.

python -m schema2model.adapters.bowtie                    # over standard input and output
bowtie smoke -i direct:schema2model.adapters.bowtie:direct          # in Bowtie's own process
bowtie suite -i direct:schema2model.adapters.bowtie:direct draft7   # or any other command of it

Nothing is coerced, and nothing is fetched. Whatever is sent, there is an answer to it.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import version
from typing import IO, Any

from schema2model.compiled import compile_schema
from schema2model.extras import DISTRIBUTION
from schema2model.schema.dialects import DIALECTS, dialect_named

__all__ = ["Harness", "direct", "serve"]

HOME = f"https://pypi.org/project/{DISTRIBUTION}/"

IMPLEMENTATION = {
    "language": "python",
    "name": "schema2model",
    "version": version(DISTRIBUTION),
    # Of our dialects, those that are JSON Schema's; the older ones are known by an empty fragment.
    "dialects": [
        dialect.uri if dialect.uri.startswith("https:") else f"{dialect.uri}#"
        for dialect in DIALECTS
        if dialect.rewrite is None
    ],
    "homepage": HOME,
    "issues": HOME,
    "source": HOME,
    "language_version": platform.python_version(),
    "os": platform.system(),
    "os_version": platform.release(),
}


class Harness:
    """One conversation with Bowtie."""

    def __init__(self) -> None:
        self._dialect: str | None = None

    def respond(self, command: Any) -> dict[str, Any]:
        """Return the answer to a command, as JSON values. Never raises."""
        try:
            return self._respond(command)
        except Exception as error:  # noqa: BLE001 - a command may hold anything
            answer = {"errored": True, "context": {"message": f"{type(error).__name__}: {error}"}}
            known = isinstance(command, dict) and "seq" in command
            return {"seq": command["seq"], **answer} if known else answer

    def _respond(self, command: Any) -> dict[str, Any]:
        match command:
            case {"cmd": "start"}:
                return {"version": 1, "implementation": IMPLEMENTATION}
            case {"cmd": "dialect", "dialect": dialect}:
                self._dialect = dialect_named(dialect).uri
                return {"ok": True}
            case {"cmd": "run", "seq": seq, "case": case}:
                compiled = compile_schema(
                    case["schema"],
                    coercion="off",
                    dialect=self._dialect,
                    resources=case.get("registry"),
                )
                verdicts = (compiled.is_valid(test["instance"]) for test in case["tests"])
                return {"seq": seq, "results": [{"valid": verdict} for verdict in verdicts]}
            case {"cmd": "stop"}:
                return {}
        message = "no command of Bowtie's: start, dialect, run or stop"
        raise ValueError(message)

    async def request(self, command: Any) -> dict[str, Any]:
        """`respond`, for Bowtie's direct connections."""
        return self.respond(command)


def direct() -> type[Harness]:
    """Return the class of connections, for Bowtie's `direct:`."""
    return Harness


def serve(lines: Iterable[bytes], answers: IO[str]) -> None:
    """Answer commands, a line each, until one says stop."""
    harness = Harness()
    for line in lines:
        try:
            command = json.loads(line)
        except (ValueError, RecursionError):
            command = None
        if isinstance(command, dict) and command.get("cmd") == "stop":
            return
        answers.write(json.dumps(harness.respond(command)) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout)
