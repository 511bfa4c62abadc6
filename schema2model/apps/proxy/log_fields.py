"""Fields of the proxy's log records, for logs that programs read."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any

__all__ = [
    "ATTRIBUTE",
    "ORIGIN",
    "Origin",
    "current_origin",
    "log_fields",
    "log_server",
    "rule_fields",
]

LOGGER = logging.getLogger("schema2model.proxy")

MAX_NAME = 60
"""Maximum characters of a client's name."""

ATTRIBUTE = "schema2model"
"""The attribute of a log record that has the fields."""


ORIGIN = "schema2model_origin"
"""The attribute of a log record that says whose message it is about."""

_ORIGIN: ContextVar[dict[str, Any]] = ContextVar(ORIGIN)


def current_origin() -> dict[str, Any]:
    """Return the session, user, client and request that records are about, as far as known."""
    return _ORIGIN.get({})


class Origin:
    """The session, its user and its client, for the records about its messages.

    >>> origin = Origin("5f0c")
    >>> with origin.of(7):
    ...     current_origin()
    {'session': '5f0c', 'request': 7}
    """

    def __init__(self, session: str | None = None, user: str | None = None) -> None:
        known = {"session": session, "user": user}
        self._known: dict[str, Any] = {key: value for key, value in known.items() if value}

    @property
    def user(self) -> str | None:
        """The name of the token with which the client came, if it needed one."""
        user: str | None = self._known.get("user")
        return user

    def learn(self, info: Any) -> None:
        """Note the client's name, from what it says of itself."""
        name = info.get("name") if isinstance(info, dict) else None
        if isinstance(name, str):
            self._known["client"] = name[:MAX_NAME]

    @contextlib.contextmanager
    def of(self, request: Any = None) -> Iterator[None]:
        """Let the records of this context be about a request, or about none in particular."""
        known = self._known if request is None else {**self._known, "request": request}
        before = _ORIGIN.set(known)
        try:
            yield
        finally:
            _ORIGIN.reset(before)


def log_fields(event: str, **fields: Any) -> dict[str, Any]:
    """Return the `extra` of a log record: the event and its fields, without values of arguments.

    >>> log_fields("call", tool="search", outcome="coerced")
    {'schema2model': {'event': 'call', 'tool': 'search', 'outcome': 'coerced'}}
    """
    return {ATTRIBUTE: {"event": event, **fields}}


def log_server(
    outcome: str,
    words: str,
    *,
    server: str | None = None,
    reason: str | None = None,
    level: int = logging.WARNING,
) -> None:
    """Log what a server has done, in words.

    Args:
        outcome: the same for programs.
        words: the line for people.
        server: its name, if it is one of several.
        reason: what happened, if the words say more.
        level: of the record.

    """
    named = {} if server is None else {"server": server}
    fields = log_fields("server", **named, outcome=outcome, reason=reason or words)
    LOGGER.log(level, "%s", words, extra=fields)


def rule_fields(found: Iterable[Any], reason: str) -> list[dict[str, str]]:
    """Return the paths of changes or issues, each with its rule or keyword, without duplicates."""
    pairs = dict.fromkeys((str(each.path), str(getattr(each, reason))) for each in found)
    return [{"path": path, "rule": rule} for path, rule in pairs]
