"""The log of `schema2model proxy`: lines for people, or JSON for programs."""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from schema2model.apps.cli.output import STDIN, InputError, write_words
from schema2model.apps.proxy.log_fields import ATTRIBUTE, ORIGIN, current_origin
from schema2model.apps.proxy.secret_headers import Header, hidden
from schema2model.coercions import STATUSES
from schema2model.faults import describe_error
from schema2model.json.quoting import printable

__all__ = ["SUMMARY_LEVEL", "log_to"]

SUMMARY_LEVEL = logging.WARNING - 1
"""The level of the summary at the end, which standard error gets in any case."""


_OWN: Final = frozenset({"event", "outcome", "session", "user", "rule"})
"""Fields whose texts are the proxy's own; servers, clients and libraries choose all others."""


@functools.lru_cache(1024)
def _hidden(text: str, headers: tuple[Header, ...]) -> str:
    return hidden(text, headers)


def _without_secrets(value: Any, headers: Sequence[Header]) -> Any:
    """Return the fields of a record without the values of headers, which their texts may repeat."""
    if isinstance(value, str):
        return _hidden(value, tuple(headers)) if headers else value
    if isinstance(value, dict):
        return {
            key: each if key in _OWN else _without_secrets(each, headers)
            for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_without_secrets(each, headers) for each in value]
    return value


class _OneLine(logging.Formatter):
    """Formats a record as one line without secrets or control characters."""

    def __init__(self, layout: str, headers: Sequence[Header]) -> None:
        super().__init__(layout)
        self._headers = headers

    def format(self, record: logging.LogRecord) -> str:
        origin = _without_secrets(getattr(record, ORIGIN, {}), self._headers)
        words = ", ".join(f"{key} {value}" for key, value in origin.items())
        end = f" ({words})" if "session" in origin else ""
        if self._headers and isinstance(record.args, tuple):
            record = copy.copy(record)
            record.args = tuple(
                each if each in STATUSES else _without_secrets(each, self._headers)
                for each in record.args or ()
            )
        return printable(super().format(record) + end)


class _JSON(logging.Formatter):
    """Formats a record as one JSON object: its fields, or its message if it has none."""

    def __init__(self, headers: Sequence[Header], servers: Mapping[str, str]) -> None:
        super().__init__()
        self._headers = headers
        self._servers = servers

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, timezone.utc).astimezone()
        level = "info" if record.levelno == SUMMARY_LEVEL else record.levelname.lower()
        fields: dict[str, Any] = dict(getattr(record, ATTRIBUTE, None) or {})
        fields = fields or {"event": "notice", "reason": record.getMessage()}
        fields |= getattr(record, ORIGIN, {})
        if isinstance(tool := fields.get("tool"), str):
            prefixes = [prefix for prefix in self._servers if tool.startswith(prefix)]
            server = self._servers[max(prefixes, key=len)] if prefixes else None
            fields.setdefault("server", server)
        own = {"time": time.isoformat(timespec="milliseconds"), "level": level}
        return printable(json.dumps({**own, **_without_secrets(fields, self._headers)}))


class _Words(logging.Handler):
    """Writes to standard error, as commands do."""

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody can be told
            write_words(self.format(record))


class _File(logging.FileHandler):
    """Appends to a file. While it cannot, standard error gets one line, without any values."""

    _is_failing = False
    _is_renamed = False

    def emit(self, record: logging.LogRecord) -> None:
        if self._is_renamed:
            self._is_renamed = False
            self._close_quietly()
        try:
            if self.stream is None:
                self.stream = self._open()
            self.stream.write(self.format(record) + self.terminator)
            self.stream.flush()
            self._is_failing = False
        except (OSError, ValueError) as error:
            self._close_quietly()
            if not self._is_failing:
                self._is_failing = True
                reason = describe_error(error)
                with contextlib.suppress(OSError, ValueError):
                    write_words(f"schema2model proxy: cannot write to the log: {reason}")

    def _close_quietly(self) -> None:
        """Forget what could not be written."""
        stream, self.stream = self.stream, None
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()

    def reopen(self) -> None:
        """Open the file anew for the next line: somebody may have renamed it.

        A signal's handler may call it while a line is being written.
        """
        self._is_renamed = True


def log_to(
    path: Path | None, headers: Sequence[Header], servers: Mapping[str, str], *, as_json: bool
) -> Callable[[], None]:
    """Send warnings to standard error in any case, and the rest to where it is asked for.

    Returns:
        A function that opens the file anew.

    Args:
        path: a file; `-` is standard error.
        headers: they are hidden.
        servers: the name of each server by the prefix of its tools, for JSON.
        as_json: whether the lines of the log are JSON; then standard error has JSON, too, if it
            is the log.

    Raises:
        InputError: if the file cannot be written to.

    """
    for name in ("mcp", "client", "asyncio"):  # the SDK shows tracebacks otherwise
        logging.getLogger(name).addHandler(logging.NullHandler())
    logger, uvicorn = logging.getLogger("schema2model"), logging.getLogger("uvicorn")
    uvicorn.setLevel(logging.WARNING)
    previous = logging.getLogRecordFactory()

    def with_origin(*args: Any, **options: Any) -> logging.LogRecord:
        record = previous(*args, **options)
        setattr(record, ORIGIN, current_origin())
        return record

    logging.setLogRecordFactory(with_origin)
    logger.setLevel(logging.INFO)
    words = _Words(logging.INFO if path == STDIN else SUMMARY_LEVEL)
    is_log = as_json and path == STDIN
    line = _OneLine("schema2model proxy: %(message)s", headers)
    words.setFormatter(_JSON(headers, servers) if is_log else line)
    for each in (logger, uvicorn):
        each.addHandler(words)
    if path is None or path == STDIN:
        return lambda: None
    try:
        file = _File(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        message = f"cannot write to {path}: {describe_error(error)}"
        raise InputError(message) from None
    dated = _OneLine("%(asctime)s %(message)s", headers)
    file.setFormatter(_JSON(headers, servers) if as_json else dated)
    for each in (logger, uvicorn):
        each.addHandler(file)
    return file.reopen
