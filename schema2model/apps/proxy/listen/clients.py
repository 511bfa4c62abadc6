"""The sessions of a listening proxy: one client each, with servers of its own."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from schema2model.apps.proxy.group import Solo
from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    Id,
    answer_id,
    error_answer,
    object_in,
    unchecked_id,
)
from schema2model.apps.proxy.listen.access import User
from schema2model.apps.proxy.listen.responses import Outlet
from schema2model.apps.proxy.log_fields import Origin, log_server
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.session import Session
from schema2model.limits import MAX_SESSIONS

__all__ = ["Client", "Clients", "SessionLimits", "is_json_rpc"]

CALM = 60.0
"""Seconds for which a session that was used makes no room for one of another user."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """The number of sessions at a time, and when one ends without its client's wish."""

    max_sessions: int = MAX_SESSIONS
    idle_timeout: float = 1800.0
    """Seconds without a request."""
    disconnect_timeout: float = 1800.0
    """Seconds with neither a request nor a stream."""


class Client:
    """The client of a session, over HTTP."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.name = uuid.uuid4().hex
        self.origin = Origin(self.name[:8], user.name)
        self.posts: dict[Id, Outlet] = {}
        """The requests that are not answered."""
        self.stream: Outlet | None = None
        self.connections = 0
        self.calls = 0
        self.last_connected = self.last_posted = time.monotonic()
        self.is_over = False
        self.session: Session
        self.server: Solo

    def send(self, message: Message) -> None:
        """Send a message where it belongs."""
        value = message.value
        answered = answer_id(value)
        if not is_json_rpc(value):
            self._refuse(unchecked_id(message.line, answer=True) if value is None else answered)
        elif answered is not None:
            outlet = self.posts.pop(answered, None)
            if outlet is None:
                log_server("dropped", "dropped an answer to nothing that was asked")
            else:
                outlet.put(message, last=True)
        elif (outlet := self._related(value)) is not None:
            outlet.put(message)
            if outlet.is_full:
                self._leave()

    def _leave(self) -> None:
        """End a session whose client does not read what it is sent."""
        self.is_over = True
        reason = "a client was dropped that does not read what it is sent"
        with self.origin.of():
            log_server("stuck", reason)
        for outlet in (self.stream, *self.posts.values()):
            if outlet is not None:
                outlet.drop()

    def _related(self, value: dict[str, Any]) -> Outlet | None:
        """Return the response that a request or a notification of the server's goes to."""
        if value.get("method") == "notifications/progress":
            token = object_in(value, "params").get("progressToken")
            return next((each for each in self.posts.values() if each.token == token), None)
        if self.posts and (len(self.posts) == 1 or self.stream is None):
            return next(reversed(self.posts.values()))
        return self.stream

    def _refuse(self, request: Id | None) -> None:
        reason = "the server sent what is not a message"
        log_server("dropped", f"dropped a message: {reason}")
        if request is not None and request in self.posts:
            self.send(Message(error_answer(request, INTERNAL_ERROR, reason)))

    def fail_all(self, reason: str) -> None:
        """Answer what is open with an error."""
        for request in [*self.posts]:
            self.send(Message(error_answer(request, CONNECTION_CLOSED, reason)))

    def full(self) -> None:
        """Let nobody wait for a client: what it does not read is limited."""

    def header(self) -> list[tuple[bytes, bytes]]:
        """Return the header that names the session."""
        return [(b"mcp-session-id", self.name.encode())]


class Clients:
    """The open sessions, and who makes room for whom.

    Each token can have a session at any time. One that is full makes room by a session that has no
    connection: of the same token, or of one with more sessions; first by one whose client has never
    called a tool.

    Args:
        limits: of sessions.
        names: returns the names of all tokens.

    """

    def __init__(self, limits: SessionLimits, names: Callable[[], set[str]]) -> None:
        self.limits = limits
        self.refused = 0
        """The number of sessions that were refused."""
        self.opening: Counter[str | None] = Counter()
        """The sessions that are being opened, by user."""
        self._names = names
        self._by_name: dict[str, Client] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Client]:
        return iter([*self._by_name.values()])

    def __contains__(self, client: Client) -> bool:
        return client.name in self._by_name

    def get(self, name: bytes | None) -> Client | None:
        """Return the session of a name."""
        return None if name is None else self._by_name.get(name.decode("latin-1"))

    def add(self, client: Client) -> None:
        """Add a session."""
        self._by_name[client.name] = client

    def remove(self, client: Client) -> bool:
        """Remove a session. Return False if it was not there."""
        return self._by_name.pop(client.name, None) is not None

    @property
    def open_requests(self) -> int:
        """The number of requests that are not answered."""
        return sum(len(each.posts) for each in self)

    def has_room(self, user: str | None = None) -> bool:
        """Return whether a user can have one more, perhaps in place of another."""
        return self.is_free(user) or self.to_replace(user) is not None

    def to_replace(self, user: str | None) -> Client | None:
        """Return the session that makes room for one of a user; None if none is needed, or can."""
        if self.is_free(user):
            return None
        held, calm = self._held(), time.monotonic() - CALM
        may_take = len(self) + self.opening.total() >= self.limits.max_sessions
        free = [
            each
            for each in self
            if not each.connections and not each.posts
            if each.user.name == user
            or (
                may_take
                and held[each.user.name] > held[user] + bool(held[user])
                and not (each.calls and each.last_posted > calm)
            )
        ]
        return min(
            free,
            key=lambda each: (each.calls > 0, -held[each.user.name], each.last_connected),
            default=None,
        )

    def _held(self) -> Counter[str | None]:
        return Counter(each.user.name for each in self) + self.opening

    def is_free(self, user: str | None) -> bool:
        """Return whether there is room, with one session for each other token that has none."""
        held = self._held()
        reserved = sum(not held[name] for name in self._names() - {str(user)})
        if not held[user]:
            reserved = 0
        return held.total() + reserved < self.limits.max_sessions


def is_json_rpc(value: Any) -> bool:
    """Return whether a client's parser takes a value for a message."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return False
    request, error = value.get("id", 0), value.get("error")
    if isinstance(value.get("method"), str):
        return type(request) in {str, int} and isinstance(value.get("params", {}), dict)
    if error is not None and "result" not in value:
        return isinstance(error, dict) and type(error.get("code")) is int
    return type(request) in {str, int} and isinstance(value.get("result"), dict)
