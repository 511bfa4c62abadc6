"""Loggers whose records steer no terminal, whatever a name in them holds."""

from __future__ import annotations

import logging
from typing import Any

from schema2model.json.quoting import printable

__all__ = ["logger_named"]


def logger_named(name: str) -> logging.Logger:
    r"""Return the logger of that name, whose records have escapes for control characters.

    >>> logger = logger_named("schema2model.example")
    >>> with_name = logging.LogRecord("", 20, "", 1, "no `%s`", ("a\x1b[2J\u2028",), None)
    >>> logger.filter(with_name) and with_name.getMessage() == r"no `a\u001b[2J\u2028`"
    True
    """
    logger = logging.getLogger(name)
    if _escape not in logger.filters:
        logger.addFilter(_escape)
    return logger


def _escape(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple([_shown(each) for each in record.args])
    return True


def _shown(value: Any) -> Any:
    """Return a number unchanged, and anything else as printable text, errors with their lines."""
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, BaseException):
        return printable(str(value), keep="\n")
    return printable(str(value))
