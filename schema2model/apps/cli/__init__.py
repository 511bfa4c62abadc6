"""The command line, `schema2model`; it needs the extra `cli`."""

from __future__ import annotations

import os
import signal
import sys
from typing import TextIO

from schema2model.extras import needs

__all__ = ["main"]


def main() -> None:
    """Run the command that `sys.argv` names, and exit with its status."""
    _end_quietly()
    try:
        from schema2model.apps.cli.application import application
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write(f"The command line {needs('cli')}\n")
        sys.exit(2)
    try:
        application.main(prog_name="schema2model")
    finally:
        _flush()


def _flush() -> None:
    """Flush what is written; exit with 2 if a full disk does not take the output.

    Words on standard error that nobody takes are lost. The interpreter would try to write either
    again when it ends, and exit with 120.
    """
    _is_flushed(sys.stderr)
    if not _is_flushed(sys.stdout):
        sys.exit(2)


def _is_flushed(stream: TextIO | None) -> bool:
    """Flush a stream, or else discard what it holds."""
    if stream is None:
        return True
    try:
        stream.flush()
    except OSError:
        with open(os.devnull, "wb") as discarded:  # noqa: PTH123 - it is not a path
            os.dup2(discarded.fileno(), stream.fileno())
        return False
    return True


def _end_quietly() -> None:
    """Let a closed pipe or Ctrl-C end the process at once, as it ends any other command."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
