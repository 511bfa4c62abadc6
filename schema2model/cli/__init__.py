"""The command line, `schema2model`; it needs the extra `cli`."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]

_MISSING = 'The command line needs the extra "cli": pip install "schema2model[cli]"\n'


def main() -> None:
    """Run the command that `sys.argv` names, and exit with its status."""
    _end_quietly()
    try:
        from schema2model.cli.application import application  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write(_MISSING)
        sys.exit(2)
    application.main(prog_name="schema2model")


def _end_quietly() -> None:
    """Let a closed pipe or Ctrl-C end the process at once, as it ends any other command."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
