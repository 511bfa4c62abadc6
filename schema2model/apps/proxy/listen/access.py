"""Access to the proxy: the host that requests name, their origin, their token, and their share."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from schema2model.limits import MAX_CONNECTIONS

__all__ = ["CONNECTIONS", "Access", "User"]

CONNECTIONS = 8
"""Connections for each session: a client has a stream, and one for each open request."""

_ONCE: Final = (b"authorization", b"mcp-session-id", b"origin", b"host", b"content-type")
"""Headers that a request may have once: servers and proxies differ in which of two counts."""


class User(NamedTuple):
    """The sender of a request: the name of the token, and the token; None where there are none."""

    name: str | None
    token: str | None


class Access:
    """The checks of a request before anything reads it.

    Args:
        names: hosts with their ports, as `Host` names them.
        tokens: returns the names of the bearer tokens, by token; None if nobody needs one.
        max_sessions: at a time; more of them may have more connections.

    """

    def __init__(
        self,
        names: Sequence[str],
        tokens: Callable[[], Mapping[str, str]] | None,
        max_sessions: int,
    ) -> None:
        hosts = [name.lower().encode() for name in names]
        self._hosts = frozenset(hosts)
        self._origins = {scheme + host for host in hosts for scheme in (b"http://", b"https://")}
        self._tokens = tokens
        self._max = max(MAX_CONNECTIONS, CONNECTIONS * max_sessions)
        self._open: Counter[str | None] = Counter()

    def why_refused(self, pairs: Sequence[tuple[bytes, bytes]]) -> tuple[int, bytes] | None:
        """Return the status and the reason for which headers are refused, if they are."""
        named = Counter(name for name, _ in pairs)
        if any(named[name] > 1 for name in _ONCE):
            return 400, b"This header may come once only"
        if named[b"content-length"] and named[b"transfer-encoding"]:
            return 400, b"The length of the body is given in two ways"
        headers = dict(pairs)
        origin = headers.get(b"origin")
        if headers.get(b"host", b"").lower() not in self._hosts:
            return 421, b"Invalid Host header"  # against DNS rebinding
        if origin is not None and origin.lower() not in self._origins:
            return 403, b"Invalid Origin header"
        return None

    def names(self) -> set[str]:
        """Return the names of all tokens."""
        return set() if self._tokens is None else {*self._tokens().values()}

    def counts(self, user: User) -> bool:
        """Return whether the token of a user counts still."""
        return self._tokens is None or self._tokens().get(str(user.token)) == user.name

    def user(self, headers: Mapping[bytes, bytes]) -> User | None:
        """Return who sends a request; None if nobody who may. The time does not depend on texts."""
        if self._tokens is None:
            return User(None, None)
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        found = None
        for known, name in self._tokens().items():
            if hmac.compare_digest(token.strip(), known.encode()):
                found = User(name, known)
        return found if scheme.lower() == b"bearer" else None

    # ------------------------------------------------------------------------------ connections
    def enter(self, user: User) -> bool:
        """Count a request of a user. Return False if it has no share left: others need theirs."""
        others = len(self.names() - {user.name})
        share = max(self._max - CONNECTIONS * others, self._max // (others + 1))
        if self._open[user.name] >= share:
            return False
        self._open[user.name] += 1
        return True

    def leave(self, user: User) -> None:
        """Count the end of a request that was let in."""
        self._open[user.name] -= 1
