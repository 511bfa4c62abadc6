"""One server, for one session or for all, as long as the proxy runs.

A request gets an id, and a progress token, that only this server sees; what it answers or reports
goes to who has asked, and nothing else. A request of the server's gets an id that only this hop
knows. So no server, and no client, can speak for another, and a server that is started again is not
taken for the one before it.

One task reads the server, waits until the next message wants it again, and connects.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NamedTuple, Protocol

from schema2model.apps.proxy.dead_server import dead_server_answer, server_words
from schema2model.apps.proxy.json_rpc import (
    HEAD_SIZE,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    Id,
    answer_id,
    as_id,
    cancelled_id,
    error_answer,
    is_empty_answer,
    object_in,
    request_id,
    server_messages,
    text_of,
    unchecked_id,
    without_variants,
)
from schema2model.apps.proxy.log_fields import log_server
from schema2model.apps.proxy.messages import HEAD_ID, Message
from schema2model.apps.proxy.sharing import FOR_ALL, OF_ONE_CLIENT, shown_handshake
from schema2model.apps.proxy.streams import Take, TakeLong, last_bytes
from schema2model.errors import unexpected
from schema2model.faults import describe_error
from schema2model.limits import MAX_MESSAGE_LINE, MAX_RESTARTS

__all__ = ["Asker", "Connection", "Hop"]

GOODBYE = 1.0
"""Seconds in which a process has to end after its output has ended."""

HANDSHAKE_TIMEOUT = 10.0
"""Seconds that a server may take to begin a session again."""

MAX_DELAY = 30.0
"""Maximum seconds between the end of a server and its next start."""

CALM = 60.0
"""Seconds after which earlier restarts are forgotten."""

COOLING = 60.0
"""Seconds after which a server that has ended again and again is tried once more."""

_MEMBERS: Final = {name: name for name in ("id", "method", "params", "result", "error")}
"""The members of messages by which a server could answer for another."""

_TOKEN: Final = {"progresstoken": "progressToken"}

_READ: Final = frozenset({"initialize", "tools/list"})
"""Requests whose answers are read, however large."""

_INITIALIZED: Final = Message({"jsonrpc": "2.0", "method": "notifications/initialized"})


class Asker(Protocol):
    """The user of a hop: it gets what the server says of itself."""

    def told(self, hop: Hop, message: Message) -> None:
        """Take a request or a notification of the server's."""

    def has_ended(self, hop: Hop) -> None:
        """Note that the server has gone for good."""

    def full(self) -> Awaitable[None] | None:
        """Return what to wait for until the client reads."""


class Connection(Protocol):
    """A server that was started, or connected to, once."""

    is_refused: bool
    """True if it has ended since the server does not serve this user, or not in this way."""
    unsent: Message | None
    """The request that it has refused as it does not know the session any more."""
    waits_for_answers: bool
    """True if it must not be closed before all is answered."""

    @property
    def waiting(self) -> int:
        """The number of unread bytes."""

    async def each(self, take: Take, take_long: TakeLong) -> None:
        """Take all lines that it writes, one after the other."""

    def send(self, message: Message) -> None:
        """Send a message soon."""

    def close(self) -> None:
        """Tell it that no more will come."""

    async def stop(self, patience: float) -> str:
        """Wait for its end, then force it. Return how it ended, in words."""


class _Asked(NamedTuple):
    """A request that the server has."""

    asker: Asker | None
    """The receiver of reports on it; None for the proxy itself."""
    id: Id | None
    token: Any
    method: str
    take: Callable[[Message], None]
    """Takes the answer, under the asker's own id."""


class _Asking(NamedTuple):
    """A request of the server's that a client has."""

    id: Id
    token: Any


class Hop:
    """One server.

    If it goes before its first answer, or refuses the user, that is the end.

    Args:
        connect: starts it, or connects to it.
        name: for messages; None for an only server.
        delay: seconds before it is started again, doubled each time that it goes within `CALM`
            seconds; 0 for servers that others start, which may be connected to at any time; None
            if it is not started again.
        is_shared: it serves several askers, and knows none of them.
        restarted: is called when it has been started again.
        max_parsed: bytes of the largest line that is parsed: nothing else runs meanwhile.
        passes_large: whether larger answers are passed on unparsed; no other server exists that
            they could speak for.

    """

    def __init__(  # noqa: PLR0913 - options
        self,
        connect: Callable[[], Awaitable[Connection]],
        *,
        name: str | None = None,
        delay: float | None = None,
        is_shared: bool = False,
        restarted: Callable[[], object] = bool,
        max_parsed: int = MAX_MESSAGE_LINE,
        passes_large: bool = False,
    ) -> None:
        self._max_parsed, self._passes_large = max_parsed, passes_large
        self._connect, self.name, self._delay = connect, name, delay
        self.is_shared = is_shared
        self._is_retired = False
        self._restarted = restarted
        self.askers: set[Asker] = set()
        self.reason = ""
        """Why it is not there; empty while it runs."""
        self.has_ended = self.is_refused = False
        self._connection: Connection | None = None
        self._asked: dict[Id, _Asked] = {}
        self._asking: dict[Id, _Asking] = {}
        self._waiting: list[Message] | None = None  # while it begins a session again
        self._patience: asyncio.TimerHandle | None = None
        self._wanted = asyncio.Event()
        self._restarts = 0
        self._started = self._not_before = 0.0
        self._has_answered = self._closing = False
        self._handshake: Message | None = None  # that a client has begun with
        self._shown: dict[str, Any] | None = None  # the answer to it
        self._late: list[tuple[_Asked, str]] = []  # clients that wait for that
        self._is_initialized = False
        self._resent: Id | None = None
        prefix = f"schema2model-{secrets.token_hex(10)}"
        self._ids = map(f"{prefix}-{{}}".format, itertools.count(1))
        self._task: asyncio.Task[None] | None = None
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the server, once. What `connect` raises, this raises."""
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        self._connection = await self._connect()
        self._started = time.monotonic()
        self._task = asyncio.ensure_future(self._run())

    @property
    def is_up(self) -> bool:
        """True if the server runs."""
        return self._connection is not None

    def retire(self) -> None:
        """End it with its last asker."""
        self._is_retired = True
        self._end_if_unused()

    def _end_if_unused(self) -> None:
        if self._is_retired and not self.askers:
            self._retiring = asyncio.ensure_future(self.stop(0.0))

    # ------------------------------------------------------------------------- to the server
    def ask(self, asker: Asker, message: Message, take: Callable[[Message], None]) -> None:
        """Send a request; `take` gets its answer, in any case, or nothing once it is cancelled."""
        value = message.value
        params = object_in(value, "params")
        meta = object_in(params, "_meta")
        token = meta.get("progressToken")
        upstream: Id = next(self._ids)
        asked = _Asked(asker, value.get("id"), token, value["method"], take)
        own = {**value, "id": upstream}
        if token is not None:
            own["params"] = {**params, "_meta": {**meta, "progressToken": upstream}}
        if asked.method == "initialize":
            if self.is_shared and self._handshake is not None:
                self._late.append((asked, str(params.get("protocolVersion"))))
                self._show_handshake()
                return
            self._handshake, self._shown = message, None
            if self.is_shared:
                self._late.append((asked, str(params.get("protocolVersion"))))
        elif self.is_shared and asked.method in OF_ONE_CLIENT:
            reason = f"a server that is shared by several clients has no {asked.method}"
            take(Message(error_answer(asked.id, METHOD_NOT_FOUND, reason)))
            return
        self._asked[upstream] = asked
        reason = self._send(message.become(own))
        if reason and upstream in self._asked:
            del self._asked[upstream]
            take(Message(dead_server_answer(asked.id, reason, self.name)))

    def answer_to(self, asker: Asker, message: Message) -> asyncio.Future[dict[str, Any]]:
        """Send a request; return a future of its answer."""
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def take(answer: Message) -> None:
            if not answered.done():
                answered.set_result(answer.value)

        self.ask(asker, message, take)
        return answered

    def tell(self, asker: Asker, message: Message) -> None:  # noqa: C901 - one branch for each kind
        """Send a notification or an answer, if it concerns the server."""
        value = message.value
        answered, method = answer_id(value), value.get("method")
        params = object_in(value, "params")
        if answered is not None:
            asking = self._asking.pop(answered, None)
            if asking is not None:
                self._send(message.become({**value, "id": asking.id}))
        elif method == "notifications/progress":
            asking = self._asking.get(as_id(params.get("progressToken")))  # type: ignore[arg-type]
            if asking is not None:
                own = {**params, "progressToken": asking.token}
                self._send(message.become({**value, "params": own}))
        elif method == "notifications/cancelled":
            cancelled = cancelled_id(value)
            for upstream, each in [*self._asked.items()]:
                if each.asker is asker and each.id == cancelled and each.method != "initialize":
                    del self._asked[upstream]
                    self._send(
                        message.become({**value, "params": {**params, "requestId": upstream}})
                    )
        elif method == "notifications/initialized":
            if not self.is_shared or (self._shown is not None and not self._is_initialized):
                self._is_initialized = True
                self._send(message)
        elif not self.is_shared and self._connection is not None:
            self._send(message)

    def _send(self, message: Message) -> str:
        """Send a message soon; return the reason if it is not sent."""
        if self._waiting is not None:
            self._waiting.append(message)
            return ""
        if self._connection is None:
            wait = self._not_before - time.monotonic()
            if self.has_ended or self._closing:
                return self.reason
            if wait > 0:
                return f"{self.reason}; it can be started again in {wait:.1f} s"
            self._waiting = [message]
            self._wanted.set()
            return ""
        if self._connection.waiting > MAX_MESSAGE_LINE:
            reason = "does not read what it is sent"
            words = f"{server_words(self.name)} {reason}"
            log_server("stuck", words, server=self.name, reason=reason)
            return reason
        self._connection.send(message)
        return ""

    def leave(self, asker: Asker) -> None:
        """Forget an asker, and cancel what it has asked."""
        self.askers.discard(asker)
        self._late = [each for each in self._late if each[0].asker is not asker]
        for upstream, each in [*self._asked.items()]:
            if each.asker is asker and each.method != "initialize":
                del self._asked[upstream]
                params = {"requestId": upstream}
                cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
                if self._connection is not None or self._waiting is not None:
                    self._send(Message(cancel))
        self._end_if_unused()

    def close(self) -> None:
        """Close its input; a connection ends when all is answered."""
        self._closing = True
        if self._connection is None:
            self._wanted.set()
        elif not self._connection.waits_for_answers or not self._asked:
            self._connection.close()

    async def stop(self, patience: float) -> str:
        """End it, and return how it ended."""
        self._closing = True
        if self._connection is not None:
            self.reason = await self._connection.stop(patience)
        if self._task is not None:
            self._wanted.set()
            await asyncio.wait({self._task}, timeout=GOODBYE)
            self._task.cancel()
        return self.reason

    # ----------------------------------------------------------------------- from the server
    async def _run(self) -> None:
        try:
            while (connection := self._connection) is not None:
                await connection.each(self._take_line, self._take_long)
                reason = await connection.stop(GOODBYE)
                self._connection, self._waiting = None, None
                self._lost(reason, connection)
                while self._connection is None and not self.has_ended:
                    await self._wanted.wait()
                    self._wanted.clear()
                    if self._closing:
                        self.has_ended = True
                    else:
                        await self._connect_again()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - the others go on
            self.reason = f"cannot be read: {unexpected(error)}"
        self.has_ended = True
        self._fail_all(self.reason)
        for asker in [*self.askers]:
            asker.has_ended(self)

    def _lost(self, reason: str, connection: Connection) -> None:
        """Note that the server has gone, and when it may be started again."""
        self.reason, self.is_refused = reason, connection.is_refused
        self._asking.clear()
        now = time.monotonic()
        is_over = self._delay is None or self._closing or not self._has_answered
        if is_over or self.is_refused:
            self.has_ended = True
            if self.name is not None and not self._closing:
                self._log_end(f"{server_words(self.name)} {reason}")
            return
        self._restarts = 0 if now - self._started > CALM else self._restarts + 1
        pause = min(self._delay * 2 ** max(0, self._restarts - 1), MAX_DELAY)
        if self._delay and self._restarts > MAX_RESTARTS:
            self.reason = f"{reason}; it was started again {MAX_RESTARTS} times"
            self._restarts, pause = 0, COOLING  # not for ever: sessions live longer
        self._not_before = now + pause
        when = (
            f"it can be started again in {pause:g} s"
            if pause
            else "the next message connects again"
        )
        self._log_end(f"{server_words(self.name)} {reason}; {when}")
        unsent = connection.unsent
        request = None if unsent is None else request_id(unsent.value)
        is_new = request is not None and request != self._resent
        again = self._asked.pop(request, None) if request is not None and is_new else None
        self._fail_all(self.reason)
        if again and unsent and request is not None:  # refused unread: its session was not known
            self._resent = request
            self._asked[request] = again
            self._send(unsent)

    def _log_end(self, words: str) -> None:
        log_server("ended", words, server=self.name, reason=self.reason)

    def _fail_all(self, reason: str) -> None:
        """Answer all that it was asked with an error."""
        lost, self._asked = self._asked, {}
        late, self._late = self._late, []
        if self._closing:  # the session answers, if anybody is there to be answered
            return
        begun = [asked for asked, _ in late]
        for each in (*begun, *(each for each in lost.values() if each not in begun)):
            each.take(Message(dead_server_answer(each.id, reason, self.name)))
        if self._shown is None:
            self._handshake = None

    async def _connect_again(self) -> None:
        """Connect, and begin a session as the client has begun the first."""
        try:
            self._connection = connection = await self._connect()
        except (OSError, ValueError) as error:
            self._waiting = None
            self.reason = f"cannot be started again: {describe_error(error)}"
            self._not_before = time.monotonic() + min(self._delay or 1.0, MAX_DELAY)
            self._fail_all(self.reason)
            return
        self._started, self.reason = time.monotonic(), ""
        self._restarted()
        if self._handshake is None or self._shown is None:
            self._flush()
            return
        again: Id = next(self._ids)

        def begun(_: Message) -> None:
            if self._waiting is not None:
                connection.send(_INITIALIZED)
                self._flush()

        self._asked[again] = _Asked(None, None, None, "initialize", begun)
        connection.send(self._handshake.become({**self._handshake.value, "id": again}))
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(HANDSHAKE_TIMEOUT, self._flush)

    def _flush(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        waiting, self._waiting = self._waiting, None
        for each in waiting or ():
            self._send(each)

    async def _take_long(self, head: bytes, rest: AsyncIterator[bytes]) -> None:
        request = unchecked_id(head, await last_bytes(rest), answer=True)
        self._drop(f"a message of more than {MAX_MESSAGE_LINE:,} bytes", request, "too long")

    def _take_large(self, line: bytes) -> None:
        """Pass on an answer under the client's id; read only its two ends."""
        request = unchecked_id(line, answer=True)
        head = HEAD_ID.match(line[:HEAD_SIZE].decode(errors="replace"))
        asked = self._asked.get(request)  # type: ignore[arg-type]
        if not self._passes_large or asked is None or head is None or asked.method in _READ:
            thing = f"a message of more than {self._max_parsed:,} bytes"
            self._drop(thing, request, "too long")
            return
        del self._asked[request]  # type: ignore[arg-type]
        own = b"".join((line[: head.start(1)], text_of(asked.id).encode(), line[head.end(1) :]))
        asked.take(Message({"jsonrpc": "2.0", "id": asked.id, "result": {}}, own))

    def _take_line(self, line: bytes) -> Awaitable[None] | None:
        if len(line) > self._max_parsed:
            self._take_large(line)
            return None
        values = server_messages(line)
        if not values and line.strip():
            request = unchecked_id(line, answer=True)
            self._drop("what is not a message, or is nested too deeply", request)
        for message in Message.all_in(values, line) if values else ():
            self._take(message)
        if self.is_shared:  # which waits for none of its clients
            return None
        return next(filter(None, (asker.full() for asker in self.askers)), None)

    def _take(self, message: Message) -> None:
        self._has_answered = True
        value = message.value
        if isinstance(value, dict):
            message = message.become(without_variants(value, _MEMBERS))
            value = message.value
        answered, request = answer_id(value), request_id(value)
        method = value.get("method") if isinstance(value, dict) else None
        if answered is not None:
            asked = self._asked.pop(answered, None)
            if asked is None:
                self._drop("an answer to nothing that it was asked, or was asked in time")
                return
            self._answer(asked, message)
        elif self.is_shared and request is not None:
            reason = "a server that is shared by several clients can ask none of them"
            answer = error_answer(request, METHOD_NOT_FOUND, reason)
            if method == "ping":
                answer = {"jsonrpc": "2.0", "id": request, "result": {}}
            self._send(Message(answer))
        elif request is not None:
            self._take_request(message.once(), request)
        elif isinstance(method, str):
            self._take_notification(message.once(), method)
        else:
            self._drop("what is not a message")

    def _answer(self, asked: _Asked, message: Message) -> None:
        value = message.value
        if is_empty_answer(value):
            words = f"{server_words(self.name)} answered nothing"
            value = error_answer(None, INTERNAL_ERROR, words)
        if asked.method == "initialize":
            self._shown = value if "result" in value else None
            self._handshake = self._handshake if self._shown else None
            if self.is_shared and asked.asker is not None:
                self._show_handshake(value)
                return
        asked.take(message.become({**value, "id": asked.id}))
        if self._closing and not self._asked and self._connection is not None:
            self._connection.close()

    def _show_handshake(self, answer: dict[str, Any] | None = None) -> None:
        """Answer the clients that have asked for the handshake of a shared server."""
        shown = self._shown or answer
        if shown is not None:
            late, self._late = self._late, []
            for asked, version in late:
                asked.take(Message(shown_handshake(shown, asked.id, version)))

    def _take_request(self, message: Message, request: Id) -> None:
        value, own = message.value, next(self._ids)
        params = object_in(value, "params")
        meta = object_in(params, "_meta")
        token = meta.get("progressToken")
        changed = {**value, "id": own}
        if token is not None:
            changed["params"] = {**params, "_meta": {**meta, "progressToken": own}}
        self._asking[own] = _Asking(request, token)
        for asker in self.askers:
            asker.told(self, message.become(changed))

    def _take_notification(self, message: Message, method: str) -> None:
        value, params = message.value, object_in(message.value, "params")
        if method == "notifications/progress":
            own = {**without_variants(params, _TOKEN)}
            asked = self._asked.get(as_id(own.get("progressToken")))  # type: ignore[arg-type]
            if asked is None or asked.asker is None or asked.token is None:
                self._drop("progress of nothing that it does")
                return
            own["progressToken"] = asked.token
            asked.asker.told(self, message.become({**value, "params": own}))
        elif method == "notifications/cancelled":
            cancelled = cancelled_id(value)
            ids = [own for own, each in self._asking.items() if each.id == cancelled]
            if not ids:
                self._drop("the cancellation of nothing that it asked")
            for each in ids:
                del self._asking[each]
                changed = {**value, "params": {**params, "requestId": each}}
                for asker in self.askers:
                    asker.told(self, message.become(changed))
        elif not self.is_shared or method in FOR_ALL:
            for asker in [*self.askers]:
                asker.told(self, message)

    def _drop(self, thing: str, request: Id | None = None, outcome: str = "dropped") -> None:
        """Drop a message of the server's; what it answers fails."""
        words = f"dropped {thing}, from {server_words(self.name)}"
        log_server(outcome, words, server=self.name)
        asked = None if request is None else self._asked.pop(request, None)
        if asked is not None:
            reason = f"{server_words(self.name)} sent {thing}"
            asked.take(Message(error_answer(asked.id, INTERNAL_ERROR, reason)))
