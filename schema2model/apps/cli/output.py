"""Input and output of commands: files, JSON on standard output, messages on standard error."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from schema2model.faults import describe_error
from schema2model.json.quoting import printable

__all__ = [
    "STDIN",
    "InputError",
    "content_of",
    "describe_start",
    "file_name",
    "on_one_line",
    "require_writable",
    "shown",
    "without_commands",
    "write_bytes",
    "write_file",
    "write_json",
    "write_styled",
    "write_text",
    "write_words",
]

STDIN = Path("-")
"""The path that is standard input."""


class InputError(click.ClickException):
    """Unusable input of the user: one line on standard error, and exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message."""
        del file
        write_words(click.style("Error: ", fg="red", bold=True) + printable(self.message))


def describe_start(error: BaseException, folder: str | None = None) -> str:
    """Why the command of a server cannot be started in a folder."""
    hint = "; is the program on the PATH?" if isinstance(error, FileNotFoundError) else ""
    if folder is not None and getattr(error, "filename", None) == folder:
        hint = "; is its cwd right?"
    return f"{describe_error(error)}{hint}"


def content_of(path: Path, size: int) -> bytes:
    """Read a file of at most `size` bytes, or standard input if the path is `-`.

    Raises:
        InputError: if it cannot be read, or is larger.

    """
    name = file_name(path)
    if path == STDIN and sys.stdin is None:
        message = f"there is no {name}"
        raise InputError(message)
    try:
        if path == STDIN:
            content = sys.stdin.buffer.read(size + 1)
        else:
            with path.open("rb") as file:
                content = file.read(size + 1)
    except OSError as error:
        message = f"cannot read {name}: {describe_error(error)}{_path_hint(str(path))}"
        raise InputError(message) from None
    if len(content) > size:
        message = f"{name} is larger than {size >> 20} MiB"
        raise InputError(message)
    return content


def _path_hint(path: str) -> str:
    """Return advice for a path that is JSON text, or that the shell did not expand."""
    if path.lstrip().startswith(("{", "[")):
        return "; give the name of a file with this text"
    return '; the shell did not replace "~": write the whole path' if path.startswith("~") else ""


def file_name(path: Path) -> str:
    """Return a path as messages show it."""
    return "standard input" if path == STDIN else str(path)


def shown(text: str) -> str:
    r"""Return a text of several lines with JSON escapes for characters that steer a terminal.

    >>> print(shown("\x1b[2J"))
    \u001b[2J
    """
    return printable(text, keep="\n\t")


def on_one_line(text: str) -> str:
    r"""Return a text with single spaces for its blanks and line feeds, and escapes for the rest.

    >>> print(on_one_line("a\n  b\u2028c"))
    a b\u2028c
    """
    return " ".join(shown(text).split())


_COMMAND = re.compile(r"(^(?:\s|\x1b\[[\d;]*m)*):(?=:)|#(?=#\[)", re.MULTILINE)
"""The first character of a workflow command: in its newer form at the beginning of a line, which
may be indented and in colour; in its older form anywhere.
"""


def without_commands(text: str) -> str:
    r"""Return a text without workflow commands for the runner of GitHub Actions.

    JSON text remains text of the same value.

    >>> print(without_commands("  ::error::done ##[error]too"))
      \u003a:error::done \u0023#[error]too
    """
    return _COMMAND.sub(lambda found: "\\u0023" if found[1] is None else f"{found[1]}\\u003a", text)


def write_words(text: str) -> None:
    """Write text for people on standard error, in colour on a terminal only."""
    text = without_commands(text)
    click.echo(text, err=True, color=False if os.environ.get("NO_COLOR") else None)


def write_json(value: Any) -> None:
    """Write one line of JSON on standard output; in ASCII if its encoding is not UTF-8."""
    is_utf8 = codecs.lookup(_stdout().encoding).name == "utf-8"
    text = json.dumps(value, ensure_ascii=not is_utf8, allow_nan=False)
    # half a surrogate pair becomes its JSON escape
    write_bytes(without_commands(shown(text)).encode("utf-8", "backslashreplace") + b"\n")


def write_text(text: str) -> None:
    """Write text for people as the result of a command, on standard output."""
    write_styled(shown(text))


def write_styled(text: str) -> None:
    """Write text for people as the result of a command, in colour on a terminal only."""
    encoding = _stdout().encoding or "utf-8"
    text = without_commands(text).encode(encoding, "backslashreplace").decode(encoding)
    try:
        click.echo(text, color=False if os.environ.get("NO_COLOR") else None)
    except OSError as error:
        raise _unwritten(error) from None


def write_bytes(content: bytes) -> None:
    """Write the result of a command on standard output, unchanged."""
    try:
        _stdout().buffer.write(content)
        _stdout().flush()
    except OSError as error:
        raise _unwritten(error) from None


def _unwritten(error: OSError) -> InputError:
    return InputError(f"cannot write the result: {describe_error(error)}")


def _stdout() -> TextIO:
    if sys.stdout is None:
        message = "standard output is closed"
        raise InputError(message)
    return sys.stdout


def require_writable(path: Path) -> None:
    """Check that `write_file` can write a file, before hours of work.

    Raises:
        InputError: if it cannot.

    """
    target = path.resolve()
    folder = target.parent
    reason = ""
    if target.is_dir():
        reason = "it is a folder"
    elif not folder.is_dir():
        reason = f"the folder {folder} does not exist"
    elif not os.access(folder if target.is_file() or not target.exists() else target, os.W_OK):
        reason = "this user may not"
    if reason:
        message = f"cannot write {path}: {reason}"
        raise InputError(message)


def write_file(path: Path | None, content: bytes) -> None:
    """Put bytes in the place of what is there, all of them or nothing; None is standard output.

    Raises:
        InputError: where that cannot be.

    """
    if path is None:
        write_bytes(content)
        return
    import tempfile

    target = path.resolve()  # so that a link stays one
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a terminal, a pipe
            return
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            new = Path(folder, target.name)
            new.write_bytes(content)
            with contextlib.suppress(FileNotFoundError):
                new.chmod(target.stat().st_mode)
            new.replace(target)
    except OSError as error:
        message = f"cannot write {path}: {describe_error(error)}"
        raise InputError(message) from None
