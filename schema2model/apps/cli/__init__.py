"""The command line, `schema2model`; it needs the extra `cli`."""

from __future__ import annotations

import os
import signal
import sys

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
    """Flush standard output; discard what a full disk does not take, and exit with 2.

    The interpreter would try to write it again when it ends, and exit with 120.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        with open(os.devnull, "wb") as discarded:  # noqa: PTH123 - it is not a path
            os.dup2(discarded.fileno(), sys.stdout.fileno())
        sys.exit(2)


def _end_quietly() -> None:
    """Let a closed pipe or Ctrl-C end the process at once, as it ends any other command."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
