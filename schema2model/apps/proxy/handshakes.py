"""The handshake with each of several servers, in its own version of MCP.

Since 2026-07-28 a client asks `server/discover` and describes itself with every request; before, a
handshake (`initialize`) comes first. The client uses one of them. A server that refuses it, or does
not answer it in time, is offered the other, so that each server is spoken to in its own version.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from schema2model.apps.proxy.dead_server import server_words
from schema2model.apps.proxy.hop import Asker, Hop
from schema2model.apps.proxy.json_rpc import (
    CLIENT_INFO,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    VERSION,
    Id,
    error_answer,
    object_in,
    without_progress_token,
)
from schema2model.apps.proxy.log_fields import log_server
from schema2model.apps.proxy.merging import (
    failure_of,
    merged_discovery,
    merged_handshake,
    own_info,
    why_not_result,
)
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.prefixed_names import bare_name
from schema2model.apps.proxy.versions import (
    DISCOVER,
    HANDSHAKE_VERSIONS,
    INITIALIZE,
    MODERN_VERSION,
    VERSIONS,
)
from schema2model.json.quoting import quoted

__all__ = ["Handshakes", "Member", "describe_client", "why_not_opened"]

PROBE_PATIENCE = 5.0
"""Seconds after which a server that does not answer `server/discover` is offered the handshake."""

DISCOVER_PATIENCE = 8.0
"""Seconds after which `server/discover` is answered. Clients wait 10 for it."""

HANDSHAKE_PATIENCE = 30.0
"""Seconds that one server may take for the handshake: `npx` and `uvx` install servers first."""

NO_HANDSHAKE: Final = frozenset({-32022, METHOD_NOT_FOUND})
"""The error codes of servers that have no handshake any more; the first is for other versions."""

_CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"


@dataclass(eq=False)
class Member:
    """A server of a group, and how the connection to it was opened."""

    prefix: str
    hop: Hop
    method: str = ""
    """The request that has opened it: `initialize`, `server/discover`, or none yet."""
    result: dict[str, Any] = field(default_factory=dict)
    """The result of that request."""
    failure: tuple[dict[str, Any], str] | None = None
    """The error that says why it is not open, as a message and in words."""
    is_opening: bool = False
    is_late: bool = False
    """True if an answer to a list is overdue."""
    late_since: float = 0.0
    _waiting: list[Callable[[], object]] = field(default_factory=list)

    def when_open(self, act: Callable[[], object]) -> None:
        """Act now, or as soon as it is open: what is sent depends on its version."""
        if self.is_opening:
            self._waiting.append(act)
        else:
            act()

    async def opened(self) -> None:
        """Wait until it is open, or nothing more is tried."""
        if self.is_opening:
            is_open = asyncio.Event()
            self._waiting.append(is_open.set)
            await is_open.wait()

    def release(self) -> None:
        """Do all that waits for it to be open."""
        self.is_opening = False
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()


class Owner(Asker, Protocol):
    """The group whose connections are opened."""

    def answer(self, value: dict[str, Any]) -> None:
        """Answer the client."""

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something until the group ends."""


@dataclass(eq=False)
class _Greeting:
    """The request by which a client opens its connection to all servers."""

    message: Message
    request: Id | None
    """Its id; None if the client has sent none."""
    members: list[Member]
    is_answered: bool = False

    @property
    def method(self) -> str:
        return str(self.message.value["method"])


class Handshakes:
    """Opens the connections to the servers of a group.

    Args:
        owner: the group.
        absent: servers that could not be started, each with the reason.

    """

    def __init__(self, owner: Owner, absent: Mapping[str, str]) -> None:
        self._owner, self._absent = owner, absent
        self._greeting: _Greeting | None = None
        self._client: dict[str, Any] = {}
        self._is_initialized = False
        self._deadline = 0.0
        self.opening: asyncio.Task[None] | None = None
        """Is done when nothing more is tried."""

    # ------------------------------------------------------------------------- from the client
    def greet(self, message: Message, request: Id | None, members: list[Member]) -> None:
        """Open the connection to all servers, and answer the client."""
        if self._greeting is not None:  # only the last one counts
            self._finish(self._greeting)
        self._greeting = _Greeting(message, request, members)
        self._client = describe_client(object_in(message.value, "params"))
        self._deadline = time.monotonic() + HANDSHAKE_PATIENCE
        for each in members:
            each.is_opening = True
        self.opening = self._owner.start(self._open_all(self._greeting))

    def open_for(self, value: Mapping[str, Any], members: list[Member]) -> None:
        """Open connections for a client that begins with another request, if it may do so."""
        meta = object_in(object_in(value, "params"), "_meta")
        if VERSION in meta and self._greeting is None:
            own = {"jsonrpc": "2.0", "method": DISCOVER, "params": {"_meta": meta}}
            self.greet(Message(own), None, members)

    def initialized(self, message: Message, members: list[Member]) -> None:
        """Forward the client's notification that the handshake is done."""
        self._is_initialized = True
        for each in members:
            if each.method == INITIALIZE or not (each.method or each.is_opening):
                each.hop.tell(self._owner, message)

    def params_for(self, member: Member, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a request, with the client described if the server needs it."""
        meta = object_in(params, "_meta")
        if member.method != DISCOVER or VERSION in meta:
            return {**params}
        return {**params, "_meta": {**meta, **self._client, VERSION: MODERN_VERSION}}

    def seconds_left(self) -> float:
        """Return the seconds that connections may still take to open; 0 if none is opened."""
        is_done = self.opening is None or self.opening.done()
        return 0.0 if is_done else max(0.0, self._deadline - time.monotonic())

    # ------------------------------------------------------------------------ from the servers
    async def _open_all(self, greeting: _Greeting) -> None:
        """Open each in its own version, and answer the client in time."""
        begun, is_modern = time.monotonic(), asyncio.Event()
        members, is_discovery = greeting.members, greeting.method == DISCOVER
        probes = {
            each: self._owner.start(self._try(each, greeting.method, greeting)) for each in members
        }
        tasks = {
            self._owner.start(self._open(each, greeting, probe, is_modern))
            for each, probe in probes.items()
        }
        if is_discovery and probes:
            await asyncio.wait(probes.values(), timeout=PROBE_PATIENCE)
            if not any(each.method == DISCOVER for each in members):
                tasks = set()  # an older server alone gets the handshake that its client begins
        patience = DISCOVER_PATIENCE if is_discovery else HANDSHAKE_PATIENCE
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, begun + patience - time.monotonic()))
        self._finish(greeting)
        running = [each for each in (*probes.values(), *tasks) if not each.done()]
        if running:
            await asyncio.wait(running, timeout=max(0.0, self._deadline - time.monotonic()))
        if greeting is self._greeting:
            for each in members:
                each.release()

    async def _open(
        self, member: Member, greeting: _Greeting, probe: asyncio.Task[None], modern: asyncio.Event
    ) -> None:
        """Open one: as the client does, and then in the other way."""
        if greeting.method == DISCOVER:
            await asyncio.wait({probe}, timeout=PROBE_PATIENCE)
            if member.method:
                modern.set()
                return
            await modern.wait()
            await self._try(member, INITIALIZE, greeting)
        else:
            await asyncio.wait({probe})
        failure = member.failure
        if failure and object_in(failure[0], "error").get("code") in NO_HANDSHAKE:
            await self._try(member, DISCOVER, greeting)  # again: the first may be lost

    async def _try(self, member: Member, method: str, greeting: _Greeting) -> None:
        """Ask a server to open the connection, and note what it answers."""
        is_own = method == greeting.method
        value = self._request(method, greeting.message.value)
        message = greeting.message.become(value) if is_own else Message(value)
        answer = await member.hop.answer_to(self._owner, message)
        reason = why_not_opened(method, answer.get("result"))
        if member.method not in {"", method}:
            return
        if reason is not None:
            member.failure = failure_of(answer, reason)
            return
        member.method, member.result, member.failure = method, answer["result"], None
        if method == INITIALIZE and (not is_own or self._is_initialized):
            done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            member.hop.tell(self._owner, Message(done))  # the client has no part in this, or had it
        member.release()

    def _request(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        """Return the request that opens a connection in the client's way, or in the other."""
        if method == given["method"]:
            own = without_progress_token(object_in(given, "params"))
            if method == INITIALIZE:
                own["protocolVersion"] = _known_version(own)
            return {**given, "params": own}
        if method == INITIALIZE:
            own = {
                "protocolVersion": HANDSHAKE_VERSIONS[-1],
                "capabilities": self._client.get(_CLIENT_CAPABILITIES, {}),
                "clientInfo": self._client.get(CLIENT_INFO, own_info()),
            }
        else:
            own = {"_meta": {**self._client, VERSION: MODERN_VERSION}}
        return {"jsonrpc": "2.0", "id": 0, "method": method, "params": own}

    # ------------------------------------------------------------------------------ the answer
    def _finish(self, greeting: _Greeting) -> None:
        """Answer the client, once."""
        if greeting.is_answered:
            return
        greeting.is_answered = True
        members = greeting.members
        results = {each.prefix: each.result for each in members if each.method}
        missing = {**self._absent}
        for each in members:
            if not each.method:
                missing[each.prefix] = each.failure[1] if each.failure else "no answer yet"
        result = _merged(greeting, results, missing)
        if result is not None:
            for prefix, reason in sorted(missing.items()):
                name = bare_name(prefix)
                words = f"{server_words(name)} is left out of {greeting.method}"
                log_server("missing", f"{words}: {reason}", server=name, reason=reason)
        if greeting.request is None:
            return
        if result is None:
            nothing = error_answer(None, INTERNAL_ERROR, "no server has answered")
            failures = [each.failure[0] for each in members if each.failure]
            self._owner.answer({**next(iter(failures), nothing), "id": greeting.request})
        else:
            self._owner.answer({"jsonrpc": "2.0", "id": greeting.request, "result": result})


def _known_version(params: Mapping[str, Any]) -> str:
    """Return the version that a client asks for; the newest with a handshake for others."""
    asked = params.get("protocolVersion")
    return str(asked) if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def _merged(
    greeting: _Greeting, results: Mapping[str, dict[str, Any]], missing: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the result of all servers for the client; None if there is none in its version."""
    if greeting.method == DISCOVER:
        newer = [each for each in results.values() if "supportedVersions" in each]
        return merged_discovery(VERSIONS, newer, results, missing) if newer else None
    version = _known_version(object_in(greeting.message.value, "params"))
    return merged_handshake(results, missing, version) if results else None


def describe_client(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the client's name and capabilities as members of `_meta`."""
    meta = object_in(params, "_meta")
    return {
        CLIENT_INFO: meta.get(CLIENT_INFO) or params.get("clientInfo") or own_info(),
        _CLIENT_CAPABILITIES: meta.get(_CLIENT_CAPABILITIES) or params.get("capabilities") or {},
    }


def why_not_opened(method: str, result: Any) -> str | None:
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
