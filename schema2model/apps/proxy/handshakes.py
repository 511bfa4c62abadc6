"""The handshake with each of several servers, in its own version of MCP.

Since 2026-07-28 a client asks `server/discover` and describes itself with every request; before, a
handshake (`initialize`) comes first. The client uses one of them. A server that refuses it, or does
not answer it in time, is offered the other, so that each server is spoken to in its own version.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from schema2model.apps.proxy.json_rpc import (
    CLIENT_INFO,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    VERSION,
    Id,
    error_answer,
    object_in,
    text_of,
    without_progress_token,
)
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.merging import (
    failure_of,
    merged_discovery,
    merged_handshake,
    own_info,
    why_not_result,
)
from schema2model.apps.proxy.prefixed_names import bare_name
from schema2model.json.quoting import quoted
from schema2model.json.spans import respelled
from schema2model.limits import MAX_OUTBOX_LINES

__all__ = ["DISCOVER", "HANDSHAKE_VERSIONS", "INITIALIZE", "VERSIONS", "Handshakes"]

INITIALIZE: Final = "initialize"
DISCOVER: Final = "server/discover"

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of MCP that begin with a handshake."""

MODERN_VERSION: Final = "2026-07-28"
"""The version of MCP without a handshake."""

VERSIONS: Final = (*HANDSHAKE_VERSIONS, MODERN_VERSION)
"""The versions of MCP. A server that names none of them is left out, as MCP asks of clients: the
client would end its connection to all servers for it."""

PROBE_PATIENCE = 5.0
"""Seconds after which a server that does not answer `server/discover` is offered the handshake."""

DISCOVER_PATIENCE = 8.0
"""Seconds after which `server/discover` is answered. Clients wait 10 for it."""

HANDSHAKE_PATIENCE = 30.0
"""Seconds that one server may take for the handshake: `npx` and `uvx` install servers first."""

NO_HANDSHAKE: Final = frozenset({-32022, METHOD_NOT_FOUND})
"""The error codes of servers that have no handshake any more; the first is for other versions."""

_CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"

LOGGER = logging.getLogger("schema2model.proxy")

Ask = Callable[[str, Callable[[Id], str], Callable[[dict[str, Any]], None]], None]
"""Asks a server: its prefix, the text for an id, and what takes the answer."""


@dataclass(eq=False, slots=True)
class _Connection:
    """The state of the connection to one server."""

    method: str = ""
    """The request that has opened it: `initialize`, `server/discover`, or none yet."""
    result: dict[str, Any] = field(default_factory=dict)
    """The result of that request."""
    pending: set[str] = field(default_factory=set)
    """The requests that are not answered yet."""
    tried: set[str] = field(default_factory=set)
    failure: tuple[dict[str, Any], str] | None = None
    """The error that says why it is not open, as a message and in words."""
    waiting: list[Callable[[], object]] = field(default_factory=list)
    """Actions for when it is open: they send messages, whose text depends on the version."""
    by_proxy: bool = False
    """True if the client knows nothing of the handshake, whose end the proxy has to notify."""

    def is_settled(self) -> bool:
        return bool(self.method) or not self.pending


@dataclass(eq=False, slots=True)
class _Greeting:
    """The request by which a client opens its connection to all servers."""

    request: Id | None
    """Its id; None if the client has sent none."""
    message: dict[str, Any]
    text: str
    prefixes: list[str]
    is_late: bool = False
    """True if servers that do not answer `server/discover` are offered the handshake."""
    is_answered: bool = False
    timers: list[threading.Timer] = field(default_factory=list)

    @property
    def method(self) -> str:
        return str(self.message["method"])

    def params(self) -> dict[str, Any]:
        return object_in(self.message, "params")

    def version(self) -> str:
        """Return the version that the client asks for; the newest with a handshake for others."""
        asked = self.params().get("protocolVersion")
        is_known = asked in HANDSHAKE_VERSIONS
        return str(asked) if is_known else HANDSHAKE_VERSIONS[-1]


class Handshakes:
    """The connections to several servers, and how each was opened.

    Args:
        prefixes: of the servers.
        ask: sends a request to a server.
        send: sends any other message to a server.
        answer: sends an answer to the client.
        absent: servers that could not be started, each with the reason.

    """

    def __init__(
        self,
        prefixes: Iterable[str],
        ask: Ask,
        send: Callable[[str, str], object],
        answer: Callable[[dict[str, Any]], None],
        absent: dict[str, str],
    ) -> None:
        self._connections = {prefix: _Connection() for prefix in prefixes}
        self._ask = ask
        self._send = send
        self._answer = answer
        self._absent = absent
        self._greeting: _Greeting | None = None
        self._client: dict[str, Any] = {}
        self._is_initialized = False
        self._deadline = 0.0
        self._lock = threading.RLock()

    # ------------------------------------------------------------------------- from the client
    def greet(
        self, request: Id | None, message: dict[str, Any], text: str, prefixes: Iterable[str]
    ) -> None:
        """Open the connection to all servers, and answer the client."""
        greeting = _Greeting(request, message, text, sorted(prefixes))
        is_discovery = greeting.method == DISCOVER
        if self._greeting is not None:  # only the last one counts
            self._finish(self._greeting)
            _cancel_timers(self._greeting)
        with self._lock:
            self._greeting = greeting
            self._client = _described(greeting.params())
            self._deadline = time.monotonic() + HANDSHAKE_PATIENCE
            asked = []
            for prefix in greeting.prefixes:
                connection = self._connections[prefix]
                is_own = connection.method == greeting.method and not connection.by_proxy
                if not connection.method or is_own:
                    connection.method = ""
                    connection.tried.clear()
                    asked.append(self._prepared(prefix, greeting.method))
        for each in asked:
            self._ask(*each)
        if is_discovery:
            self._schedule(PROBE_PATIENCE, self._offer_handshakes, greeting)
            self._schedule(DISCOVER_PATIENCE, self._finish, greeting)
        self._schedule(HANDSHAKE_PATIENCE, self._give_up, greeting)
        self._take_next_step(greeting)

    def open_for(self, params: Mapping[str, Any], prefixes: Iterable[str]) -> None:
        """Open connections for a client that begins with another request, if it may do so."""
        if VERSION not in object_in(params, "_meta"):
            return
        with self._lock:
            if self._greeting is not None:
                return
            message = {"jsonrpc": "2.0", "method": DISCOVER, "params": {"_meta": params["_meta"]}}
            self.greet(None, message, text_of(message), prefixes)

    def initialized(self, text: str, prefixes: Iterable[str]) -> None:
        """Forward the client's notification that the handshake is done."""
        with self._lock:
            self._is_initialized = True
            ready = [
                prefix
                for prefix in prefixes
                if (connection := self._connections[prefix]).method == INITIALIZE
                or not (connection.method or connection.pending)
            ]
        for prefix in ready:
            self._send(prefix, text)

    def params_for(self, prefix: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a request, with the client described if the server needs it."""
        connection = self._connections[prefix]
        meta = object_in(params, "_meta")
        if connection.method != DISCOVER or VERSION in meta:
            return {**params}
        return {**params, "_meta": {**meta, **self._client, VERSION: MODERN_VERSION}}

    def may_have(self, prefix: str, ability: str) -> bool:
        """Return whether a server has a capability, or may have it: its connection is not open."""
        connection = self._connections[prefix]
        return not connection.method or ability in object_in(connection.result, "capabilities")

    def hold(self, prefix: str, act: Callable[[], object]) -> bool:
        """Keep an action until the connection is open. Return False if it need not wait."""
        with self._lock:
            connection = self._connections[prefix]
            if self._is_ready(connection) or len(connection.waiting) >= MAX_OUTBOX_LINES:
                return False
            connection.waiting.append(act)
            return True

    def _is_ready(self, connection: _Connection) -> bool:
        """Return whether a connection is open, or nothing more is tried; the lock is held."""
        is_idle = self._greeting is None or self._greeting.is_answered
        return bool(connection.method) or (is_idle and not connection.pending)

    def seconds_left(self) -> float:
        """Return the seconds that connections may still take to open; 0 if none is being opened."""
        with self._lock:
            if all(map(self._is_ready, self._connections.values())):
                return 0.0
            return max(0.0, self._deadline - time.monotonic())

    # ------------------------------------------------------------------------ from the servers
    def _receive_answer(self, prefix: str, method: str, message: dict[str, Any]) -> None:
        """Take the answer of a server."""
        reason = _why_not_opened(method, message.get("result"))
        with self._lock:
            connection, greeting = self._connections[prefix], self._greeting
            connection.pending.discard(method)
            if greeting is None:
                return
            asked = []
            if reason is None and connection.method in {"", method}:
                connection.method, connection.result = method, message["result"]
                connection.failure = None
                self._opened(prefix)
            elif not connection.method:
                connection.failure = failure_of(message, reason)
                code = object_in(message, "error").get("code")
                if (
                    method == INITIALIZE
                    and code in NO_HANDSHAKE
                    and "again" not in connection.tried
                ):
                    connection.tried.add("again")  # the first may be lost
                    asked.append(self._prepared(prefix, DISCOVER))
            if not asked and self._is_ready(connection):
                self._end_waiting(prefix)
        for each in asked:
            self._ask(*each)
        self._take_next_step(greeting)

    def _opened(self, prefix: str) -> None:
        """End the handshake of a server where the client has no part in it; the lock is held."""
        connection = self._connections[prefix]
        if connection.method == INITIALIZE and (connection.by_proxy or self._is_initialized):
            done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            self._send(prefix, text_of(done))

    def _end_waiting(self, prefix: str) -> None:
        connection = self._connections[prefix]
        for act in connection.waiting:
            act()
        connection.waiting.clear()

    def _prepared(self, prefix: str, method: str) -> tuple[Any, ...]:
        """Return the arguments of `ask` for one server; the lock is held."""
        connection = self._connections[prefix]
        connection.pending.add(method)
        connection.tried.add(method)
        greeting: Any = self._greeting
        connection.by_proxy = method != greeting.method
        take = functools.partial(self._receive_answer, prefix, method)
        return prefix, functools.partial(self._text, greeting, method), take

    def _text(self, greeting: _Greeting, method: str, upstream: Id) -> str:
        params = greeting.params()
        if method == greeting.method:
            own = without_progress_token(params)
            if method == INITIALIZE:
                own["protocolVersion"] = greeting.version()
            message = {**greeting.message, "id": upstream, "params": own}
            return respelled(greeting.text, greeting.message, message)
        if method == INITIALIZE:
            own = {
                "protocolVersion": HANDSHAKE_VERSIONS[-1],
                "capabilities": self._client.get(_CLIENT_CAPABILITIES, {}),
                "clientInfo": self._client.get(CLIENT_INFO, own_info()),
            }
        else:
            own = {"_meta": {**self._client, VERSION: MODERN_VERSION}}
        return text_of({"jsonrpc": "2.0", "id": upstream, "method": method, "params": own})

    # ----------------------------------------------------------------------------- the greeting
    def _schedule(
        self, seconds: float, work: Callable[[_Greeting], None], greeting: _Greeting
    ) -> None:
        timer = threading.Timer(seconds, work, (greeting,))
        timer.daemon = True
        greeting.timers.append(timer)
        timer.start()

    def _offer_handshakes(self, greeting: _Greeting) -> None:
        """Stop waiting for answers to `server/discover`."""
        greeting.is_late = True
        self._take_next_step(greeting)

    def _take_next_step(self, greeting: _Greeting) -> None:
        """Take the next step, after an answer or in time."""
        with self._lock:
            if greeting is not self._greeting:
                return
            connections = [(each, self._connections[each]) for each in greeting.prefixes]
            is_modern = any(each.method == DISCOVER for _, each in connections)
            asked = []
            if greeting.method == DISCOVER and is_modern:
                asked = [
                    self._prepared(prefix, INITIALIZE)
                    for prefix, each in connections
                    if not each.method and INITIALIZE not in each.tried
                    if DISCOVER not in each.pending or greeting.is_late
                ]
            is_done = all(each.is_settled() for _, each in connections)
            # an older server alone gets the handshake that its client begins itself:
            is_done = is_done or (greeting.is_late and not is_modern)
            is_over = not any(each.pending for _, each in connections)
        for each in asked:
            self._ask(*each)
        if is_done:
            self._finish(greeting)
        if is_over:
            _cancel_timers(greeting)

    def _give_up(self, greeting: _Greeting) -> None:
        """Stop waiting for servers that do not answer."""
        self._finish(greeting)
        with self._lock:
            if greeting is not self._greeting:
                return
            for prefix in greeting.prefixes:
                connection = self._connections[prefix]
                connection.pending.clear()
                self._end_waiting(prefix)

    def _finish(self, greeting: _Greeting) -> None:
        """Answer the client, once."""
        with self._lock:
            if greeting.is_answered:
                return
            greeting.is_answered = True
            for prefix in greeting.prefixes:
                if self._is_ready(self._connections[prefix]):
                    self._end_waiting(prefix)
            connections = [(each, self._connections[each]) for each in greeting.prefixes]
            results = {prefix: each.result for prefix, each in connections if each.method}
            missing = self._absent | {
                prefix: _why_missing(each) for prefix, each in connections if not each.method
            }
            failures = [each.failure[0] for _, each in connections if each.failure]
        result = _merged(greeting, results, missing)
        if result is not None:
            for prefix, reason in sorted(missing.items()):
                name = bare_name(prefix)
                fields = log_fields("server", server=name, outcome="missing", reason=reason)
                words = "the server %s is left out of %s: %s"
                LOGGER.warning(words, quoted(name), greeting.method, reason, extra=fields)
        if greeting.request is None:
            return
        if result is None:
            nothing = error_answer(None, INTERNAL_ERROR, "no server has answered")
            self._answer({**next(iter(failures), nothing), "id": greeting.request})
        else:
            self._answer({"jsonrpc": "2.0", "id": greeting.request, "result": result})


def _cancel_timers(greeting: _Greeting) -> None:
    """End the threads that would wait for the rest of the time."""
    for timer in greeting.timers:
        timer.cancel()


def _why_missing(connection: _Connection) -> str:
    if connection.failure is not None and not connection.pending:
        return connection.failure[1]
    return "it has not answered yet"


def _merged(
    greeting: _Greeting, results: Mapping[str, dict[str, Any]], missing: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the result of all servers for the client; None if there is none in its version."""
    if greeting.method == DISCOVER:
        newer = [each for each in results.values() if "supportedVersions" in each]
        return merged_discovery(VERSIONS, newer, results, missing) if newer else None
    return merged_handshake(results, missing, greeting.version()) if results else None


def _described(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the client's name and capabilities as members of `_meta`."""
    meta = object_in(params, "_meta")
    return {
        CLIENT_INFO: meta.get(CLIENT_INFO) or params.get("clientInfo") or own_info(),
        _CLIENT_CAPABILITIES: meta.get(_CLIENT_CAPABILITIES) or params.get("capabilities") or {},
    }


def _why_not_opened(method: str, result: Any) -> str | None:
    """Explain why a result does not open a connection; None if it does."""
    reason = why_not_result(result)
    if reason is not None:
        return reason
    if method == INITIALIZE:
        version = result.get("protocolVersion")
        if version not in HANDSHAKE_VERSIONS:
            return f"its version of MCP, {quoted(version)}, is unknown"
    else:
        versions = result.get("supportedVersions")
        if not isinstance(versions, list) or MODERN_VERSION not in versions:
            return f"its versions of MCP, {quoted(versions)}, are unknown"
    return None
