"""`schema2model validate`, in this process and in others, with a schema and arguments for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from schema2model.apps.cli.application import application

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
        "q": {"type": "string"},
    },
    "required": ["tags"],
    "additionalProperties": False,
}
ARGUMENTS = '{"tags": "[\\"a\\"]", "limit": "10"}'
CORRECTED = {"tags": ["a"], "limit": 10}
REFUSED = """Error parsing arguments for `tool`:
- /limit: must be an integer, without quotes, not "many"

Fix the errors and try again.
"""
Write = Callable[[Any], str]
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and terminals are those of POSIX")
RUN = [sys.executable, "-m", "schema2model"]


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """`schema2model validate` with these arguments, in this process."""
    return CliRunner().invoke(application, ["validate", *arguments], input=stdin)


def spawn(*arguments: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The same in a process of its own."""
    return subprocess.run(  # noqa: S603 - our own process
        [*RUN, "validate", *arguments], capture_output=True, check=False, **options
    )


def refused(result: Result) -> str:
    """The one line that says why a file or a command line will not do."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr
