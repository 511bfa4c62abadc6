"""Several servers that a relay takes for one: it has what all of them have, under names of its own.

Each server has a prefix; a request goes to the server whose prefix the name in it has. No server
speaks for another: what is sent to a server has an id that only this server has seen, an answer
counts once and only from the server that was asked, and progress and cancellations concern the
sender's own requests. Anything else is dropped and logged. A server that does not answer, or does
not read, delays nobody but itself.

A message keeps the spelling of all but the members that are changed in it.
"""

from __future__ import annotations

import functools
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import Queue
from typing import Any, Final, NamedTuple, TypeVar

from schema2model.apps.proxy.dead_server import dead_server_answer, describe_dead_server
from schema2model.apps.proxy.handshakes import DISCOVER, INITIALIZE, Handshakes
from schema2model.apps.proxy.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    VERSION,
    Id,
    answer_id,
    as_id,
    cancelled_id,
    client_messages,
    error_answer,
    is_empty_answer,
    line_of_texts,
    object_in,
    request_id,
    server_messages,
    text_of,
    unchecked_id,
    with_texts,
    without_variants,
)
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.merging import BROADCAST_METHODS, Question
from schema2model.apps.proxy.outbox import Outbox
from schema2model.apps.proxy.prefixed_names import (
    LISTS,
    ROUTED_METHODS,
    PrefixedNames,
    bare_name,
)
from schema2model.apps.proxy.relay import Server, each_line, last_bytes
from schema2model.json.quoting import quoted
from schema2model.json.spans import respelled
from schema2model.limits import MAX_MESSAGE_LINE, MAX_TOOL_PAGES

__all__ = ["ServerGroup"]

LOGGER = logging.getLogger("schema2model.proxy")


_MEMBERS: Final = {name: name for name in ("id", "method", "params", "result", "error")}
"""The members of messages by which a server could answer for another."""

_TOKEN: Final = {"progresstoken": "progressToken"}


class _ClientCall(NamedTuple):
    """A request of the client's that one server has."""

    prefix: str
    request: Id
    """The client's own id."""
    method: str
    token: Any
    """The token by which the server reports progress, if the client gave one."""
    states_version: bool
    """Whether the client states its version with each request, since MCP 2026-07-28."""


class _OwnRequest(NamedTuple):
    """A request of the proxy's own, which one server has."""

    prefix: str
    take: Callable[[dict[str, Any]], None]
    """Is called with the answer, or with an error if the server ends."""
    question: Question | None = None


class _ServerRequest(NamedTuple):
    """A request of a server's, which the client has."""

    prefix: str
    request: Id
    """The server's own id."""
    token: Any
    """The server's own token for progress; the client has the id instead."""


_Asked = TypeVar("_Asked", _ClientCall, _OwnRequest)


def _server_name(prefix: str) -> str:
    """Return the name of a server for messages."""
    return quoted(bare_name(prefix))


def _adapted_answer(
    call: _ClientCall, message: dict[str, Any], names: PrefixedNames
) -> dict[str, Any]:
    """Return the answer of a server to a call, in the client's version, under the client's id."""
    if is_empty_answer(message):
        reason = f"the server {_server_name(call.prefix)} answered nothing"
        return error_answer(call.request, INTERNAL_ERROR, reason)
    own = {**message, "id": call.request}
    result = message.get("result")
    if not isinstance(result, dict):
        return own
    own["result"] = names.shown_result(call.prefix, call.method, result)
    kind = result.get("resultType")
    if call.states_version and kind is None:
        own["result"] = {**own["result"], "resultType": "complete"}  # of an older server
    elif not call.states_version and kind not in (None, "complete"):
        reason = f"the server {_server_name(call.prefix)} asks for what only newer clients can give"
        return error_answer(call.request, INTERNAL_ERROR, f"{reason}: {quoted(kind)}")
    return own


def _log_server(prefix: str, outcome: str, words: str) -> None:
    """Log a warning about a server."""
    fields = log_fields("server", server=bare_name(prefix), outcome=outcome, reason=words)
    LOGGER.warning("%s", words, extra=fields)


PATIENCE = 8.0
"""Seconds that one server may take to answer what all are asked. It is less than a relay waits."""

CALM = 60.0
"""Seconds for which a server is left out after it was late with a list that all are asked for: it
would delay the others each time. They end with its answer."""

GOODBYE = 1.0  # seconds in which a server has to end after its output has ended


class ServerGroup:
    """Servers that have been started, as one.

    Args:
        servers: by the prefix that the names of their tools get.
        patience: seconds that a server may take to answer what all are asked.
        absent: the servers that could not be started, by prefix, each with the reason.

    """

    def __init__(
        self,
        servers: Mapping[str, Server],
        *,
        patience: float = PATIENCE,
        absent: Mapping[str, str] | None = None,
    ) -> None:
        self._servers = dict(servers)
        self._gone = {**(absent or {})}
        self._names = PrefixedNames({**servers, **self._gone})
        self._patience = patience
        self._alive = set(servers)
        # by the ids that the server, or the client, has seen:
        self._calls: dict[Id, _ClientCall] = {}
        self._asked: dict[Id, _OwnRequest] = {}
        self._requests: dict[Id, _ServerRequest] = {}
        self._late: dict[str, float] = {}  # when servers were no longer waited for
        self._closing = False
        self._ended: dict[str, str] = {}
        self._state = threading.Lock()  # guards all of these
        self._turn = threading.Lock()  # of the thread that writes to the client
        self._parts: Queue[bytes] = Queue(1)
        self._outboxes = {prefix: Outbox(server) for prefix, server in servers.items()}
        self._handshakes = Handshakes(servers, self._ask, self._send, self._answer, {**self._gone})
        for prefix in servers:
            threading.Thread(target=self._read_server, args=(prefix,), daemon=True).start()

    def readline(self, size: int) -> bytes:
        """Return the next line of any of them; nothing when all have ended."""
        del size  # each has been read in parts already
        return self._parts.get()

    def send(self, parts: Iterable[bytes]) -> None:
        """Send a line, which a `Proxy` has checked, to the server that it is for, or to all."""
        line = b"".join(parts)
        for message, text in with_texts(client_messages(line), line):
            self._route_message(message, text)

    def close(self) -> None:
        """Close the input of each, when what waits for it has been sent."""
        self._closing = True
        for prefix, outbox in self._outboxes.items():
            if not self._handshakes.hold(prefix, outbox.close):
                outbox.close()

    def stop(self, patience: float) -> str:
        """End all of them at once. Return how each ended, in words."""
        ended: dict[str, str] = {}

        def end(prefix: str, server: Server) -> None:
            ended[prefix] = self._ended.get(prefix) or server.stop(patience)

        threads = [threading.Thread(target=end, args=each) for each in self._servers.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return ", ".join(f"{_server_name(prefix)} {ended[prefix]}" for prefix in self._servers)

    # ----------------------------------------------------------------------- from the client
    def _route_message(self, message: Any, text: str) -> None:
        request = request_id(message)
        method = message.get("method") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not (method is None or isinstance(method, str)):
            self._answer(error_answer(request, INVALID_REQUEST, "this is not a JSON-RPC message"))
        elif method is None:
            self._forward_answer(message, text)
        elif request is None:
            self._forward_notification(message, text)
        elif method == "ping":
            self._answer({"jsonrpc": "2.0", "id": request, "result": {}})
        elif method in {INITIALIZE, DISCOVER}:
            self._handshakes.greet(request, message, text, self._alive_prefixes())
        elif method in BROADCAST_METHODS:
            self._ask_all(request, message, text)
        elif method in ROUTED_METHODS:
            self._forward_call(request, message, text)
        else:
            reason = f"several servers do not have {quoted(method)}"
            self._answer(error_answer(request, METHOD_NOT_FOUND, reason))

    def _forward_answer(self, message: dict[str, Any], text: str) -> None:
        """Send an answer to the server that has asked."""
        answered = answer_id(message)
        with self._state:
            asked = None if answered is None else self._requests.pop(answered, None)
        if asked is not None:
            own = {**message, "id": asked.request}
            self._send(asked.prefix, respelled(text, message, own))

    def _forward_notification(self, message: dict[str, Any], text: str) -> None:
        if message["method"] == "notifications/initialized":
            self._handshakes.initialized(text, self._alive_prefixes())
            return
        if message["method"] == "notifications/progress":
            params = object_in(message, "params")
            with self._state:
                asked = self._requests.get(as_id(params.get("progressToken")))  # type: ignore[arg-type]
            if asked is not None:
                own = {**message, "params": {**params, "progressToken": asked.token}}
                self._send(asked.prefix, respelled(text, message, own))
            return
        if message["method"] != "notifications/cancelled":
            for prefix in self._alive_prefixes():
                self._send_when_open(prefix, text)
            return
        cancelled = cancelled_id(message)
        with self._state:
            ids = [each for each, call in self._calls.items() if call.request == cancelled]
            calls = {each: self._calls.pop(each).prefix for each in ids}
        for upstream, prefix in calls.items():
            changed = {**message, "params": {**message["params"], "requestId": upstream}}
            self._send_when_open(prefix, respelled(text, message, changed))

    def _alive_prefixes(self) -> list[str]:
        """Return the prefixes of the servers that have not ended."""
        with self._state:
            return sorted(self._alive)

    def _forward_call(self, request: Id, message: dict[str, Any], text: str) -> None:
        method = message["method"]
        routed = self._names.routed(method, message.get("params"))
        if routed is None:
            params = object_in(message, "params")
            named = params.get("name", params.get("uri", params.get("ref")))
            reason = f"there is no {ROUTED_METHODS[method]} {quoted(named)}"
            self._answer(error_answer(request, INVALID_PARAMS, reason))
            return
        prefix, bare = routed
        meta = object_in(bare, "_meta")
        token = meta.get("progressToken")
        upstream = _new_id()
        with self._state:
            if is_alive := prefix in self._alive:
                states_version = VERSION in meta
                self._calls[upstream] = _ClientCall(prefix, request, method, token, states_version)
        if not is_alive:
            self._answer(self._dead_answer(request, prefix))
            return
        self._handshakes.open_for(bare, self._alive_prefixes())

        def send() -> bool:
            changed = self._handshakes.params_for(prefix, bare)
            own = {**message, "id": upstream, "params": changed}
            return self._send(prefix, respelled(text, message, own))

        if not self._handshakes.hold(prefix, send) and not send():
            with self._state:
                self._calls.pop(upstream, None)
            reason = f"the server {_server_name(prefix)} does not read what it is sent"
            self._answer(error_answer(request, INTERNAL_ERROR, reason))

    def _ask_all(self, request: Id, message: dict[str, Any], text: str) -> None:
        question = Question(request, message, text)
        living = self._alive_prefixes()
        listed = LISTS.get(question.method)
        if listed and listed.ability != "tools":
            living = [each for each in living if self._handshakes.may_have(each, listed.ability)]
        late = self._late_prefixes() if listed else set()
        if not late.issuperset(living):
            for prefix in late.intersection(living):
                self._fail(question, prefix, "it did not answer in time before")
            living = [each for each in living if each not in late]
        question.open |= {*living}
        self._handshakes.open_for(object_in(message, "params"), living)
        patience = max(self._patience, self._handshakes.seconds_left())
        question.timer = threading.Timer(patience, self._expire_question, (question, patience))
        question.timer.daemon = True
        question.timer.start()
        for prefix in living:
            self._ask_for_page(question, prefix)
        if not living:
            if self._alive and listed:
                words = f"no server has {listed.ability}"
                question.error = error_answer(None, METHOD_NOT_FOUND, words)
            self._answer_question(question)

    def _late_prefixes(self) -> set[str]:
        """Return the prefixes of the servers that have not answered lately."""
        with self._state:
            since = time.monotonic() - CALM
            return {prefix for prefix, when in self._late.items() if when > since}

    def _fail(self, question: Question, prefix: str, words: str) -> None:
        """Note that a server does not answer in time."""
        reason = f"the server {_server_name(prefix)} did not answer {question.method}"
        question.fail(prefix, error_answer(None, INTERNAL_ERROR, reason), words)

    def _ask_for_page(self, question: Question, prefix: str, **more: Any) -> None:
        """Ask a server for its answer, or for a page of it."""
        given = object_in(question.message, "params")

        def text(upstream: Id) -> str:
            return question.text_for(upstream, self._handshakes.params_for(prefix, given), **more)

        take = functools.partial(self._collect, question, prefix)
        self._ask(prefix, text, take, question)

    def _ask(
        self,
        prefix: str,
        text: Callable[[Id], str],
        take: Callable[[dict[str, Any]], None],
        question: Question | None = None,
    ) -> None:
        """Send a request of the proxy's own; if it has a question, when the connection is open."""
        upstream = _new_id()
        with self._state:
            is_alive = prefix in self._alive
            if is_alive:
                self._asked[upstream] = _OwnRequest(prefix, take, question)

        def send() -> bool:
            return self._send(prefix, text(upstream))

        if not is_alive:
            take(self._dead_answer(None, prefix))
        elif question is None or not self._handshakes.hold(prefix, send):
            send()

    def _send(self, prefix: str, text: str) -> bool:
        """Send a message to a server soon. Return False if it is lost: the server reads none."""
        sent = self._outboxes[prefix].put(line_of_texts(text))
        if not sent:
            reason = f"the server {_server_name(prefix)} does not read what it is sent"
            _log_server(prefix, "stuck", reason)
        return sent

    def _send_when_open(self, prefix: str, text: str) -> None:
        """Send a message to a server after the requests that wait for its connection."""
        send = functools.partial(self._send, prefix, text)
        if not self._handshakes.hold(prefix, send):
            send()

    # ---------------------------------------------------------------------- from the servers
    def _read_server(self, prefix: str) -> None:
        try:
            take = functools.partial(self._receive_line, prefix)
            take_long = functools.partial(self._receive_long_line, prefix)
            each_line(self._servers[prefix].readline, take, take_long)
        finally:
            self._finish_server(prefix)

    def _receive_long_line(self, prefix: str, head: bytes, rest: Iterator[bytes]) -> None:
        """Answer for a server whose result is too long to be checked."""
        request = unchecked_id(head, last_bytes(rest), answer=True)
        thing = f"a message of more than {MAX_MESSAGE_LINE:,} bytes"
        self._drop(prefix, thing, request, outcome="too long")

    def _receive_line(self, prefix: str, line: bytes) -> None:
        messages = server_messages(line)
        if not messages and line.strip():
            request = unchecked_id(line, answer=True)
            self._drop(prefix, "what is not a message, or is nested too deeply", request)
        for message, text in with_texts(messages, line):
            self._receive_message(prefix, message, text)

    def _receive_message(self, prefix: str, message: Any, text: str) -> None:
        if isinstance(message, dict):
            known = without_variants(message, _MEMBERS)
            message, text = known, respelled(text, message, known)
        answered, request = answer_id(message), request_id(message)
        if answered is not None:
            self._receive_answer(prefix, answered, message, text)
        elif request is not None:
            self._forward_text(respelled(text, message, self._own_request(prefix, message)))
        elif isinstance(message, dict) and isinstance(message.get("method"), str):
            self._receive_notification(prefix, message, text)
        else:
            self._drop(prefix, "what is not a message")

    def _own_request(self, prefix: str, message: dict[str, Any]) -> dict[str, Any]:
        """Return a request of a server's under an id that no other server can know."""
        own = {**message, "id": _new_id()}
        params = object_in(message, "params")
        meta = object_in(params, "_meta")
        token = meta.get("progressToken")
        if token is not None:
            own["params"] = {**params, "_meta": {**meta, "progressToken": own["id"]}}
        with self._state:
            self._requests[own["id"]] = _ServerRequest(prefix, message["id"], token)
        return own

    def _receive_answer(
        self, prefix: str, answered: Id, message: dict[str, Any], text: str
    ) -> None:
        with self._state:
            call = _taken(self._calls, prefix, answered)
            asked = _taken(self._asked, prefix, answered)
        if call is not None:
            adapted = _adapted_answer(call, message, self._names)
            self._forward_text(respelled(text, message, adapted))
        elif asked is not None:
            asked.take(message)
        else:
            self._drop(prefix, "an answer to nothing that it was asked, or was asked in time")

    def _receive_notification(self, prefix: str, message: dict[str, Any], text: str) -> None:
        own, params = {**message}, object_in(message, "params")
        if message["method"] == "notifications/progress":
            token = params.get("progressToken")
            own["params"] = {**without_variants(params, _TOKEN)}
            with self._state:
                tokens = [call.token for call in self._calls.values() if call.prefix == prefix]
            if token is None or token not in tokens:
                self._drop(prefix, "progress of nothing that it does")
                return
        elif message["method"] == "notifications/cancelled":
            asked = prefix, cancelled_id(message)
            with self._state:
                ids = [each for each, known in self._requests.items() if known[:2] == asked]
                for each in ids:
                    del self._requests[each]
            if not ids:
                self._drop(prefix, "the cancellation of nothing that it asked")
            for each in ids:
                own = {**message, "params": {**params, "requestId": each}}
                self._forward_text(respelled(text, message, own))
            return
        elif message["method"] == "notifications/resources/updated":
            own["params"] = self._names.shown_resource(prefix, params)
        self._forward_text(respelled(text, message, own))  # without a name that comes twice

    def _drop(
        self, prefix: str, thing: str, request: Id | None = None, *, outcome: str = "dropped"
    ) -> None:
        """Drop a message of a server; what it answers fails."""
        _log_server(prefix, outcome, f"dropped {thing}, from the server {_server_name(prefix)}")
        with self._state:
            call = _taken(self._calls, prefix, request)
            asked = _taken(self._asked, prefix, request)
        text = f"the server {_server_name(prefix)} sent {thing}"
        if call is not None:
            self._answer(error_answer(call.request, INTERNAL_ERROR, text))
        elif asked is not None:
            asked.take(error_answer(None, INTERNAL_ERROR, text))

    # -------------------------------------------------------------------- what all are asked
    def _collect(self, question: Question, prefix: str, message: dict[str, Any]) -> None:
        """Take the answer of a server; ask for its next page, or answer if all have answered."""
        with self._state:
            if prefix not in question.open:  # it was too late
                self._late.pop(prefix, None)
                return
            cursor = question.take(prefix, message, self._names)
            has_more = cursor is not None and len(question.results[prefix]) < MAX_TOOL_PAGES
            if not has_more:
                question.open.discard(prefix)
            is_done = not question.open
        if has_more:
            self._ask_for_page(question, prefix, cursor=cursor)
        elif is_done:
            self._answer_question(question)

    def _expire_question(self, question: Question, patience: float) -> None:
        """Answer without those servers that have not answered in time."""
        with self._state:
            late = sorted(question.open)
            # answers may come that late; of each server, one is waited for
            for upstream, each in [*self._asked.items()]:
                if each.question is not None and each.prefix not in each.question.open:
                    del self._asked[upstream]
            question.open.clear()
            self._late |= dict.fromkeys(late, time.monotonic())
        for prefix in late:
            self._fail(question, prefix, f"{patience:g} s")
        if late:
            self._answer_question(question)

    def _answer_question(self, question: Question) -> None:
        if question.timer is not None:  # its thread would wait for the rest of the time
            question.timer.cancel()
        for prefix, reason in sorted(question.missing.items()):
            words = f"the server {_server_name(prefix)} is left out of {question.method}: {reason}"
            _log_server(prefix, "missing", words)
        self._answer(question.answer())

    def _finish_server(self, prefix: str) -> None:
        """Answer what a server that has gone was asked."""
        reason = self._ended[prefix] = self._servers[prefix].stop(GOODBYE)
        with self._state:
            self._gone[prefix] = reason
            self._alive.discard(prefix)
            ids = [each for each, call in self._calls.items() if call.prefix == prefix]
            calls = [self._calls.pop(each).request for each in ids]
            waiting = [each for each, asked in self._asked.items() if asked.prefix == prefix]
            takers = [self._asked.pop(each).take for each in waiting]
            is_last = not self._alive
        self._outboxes[prefix].close()
        if not is_last and not self._closing:
            _log_server(prefix, "ended", describe_dead_server(reason, bare_name(prefix)))
        for each in calls:
            self._answer(self._dead_answer(each, prefix))
        for take in takers:
            take(self._dead_answer(None, prefix))
        if is_last:
            self._forward_line(b"")

    def _dead_answer(self, request: Id | None, prefix: str) -> dict[str, Any]:
        return dead_server_answer(request, self._gone[prefix], bare_name(prefix))

    # ------------------------------------------------------------------------- to the client
    def _answer(self, message: dict[str, Any]) -> None:
        self._forward_text(text_of(message))

    def _forward_text(self, text: str) -> None:
        self._forward_line(line_of_texts(text))

    def _forward_line(self, line: bytes) -> None:
        with self._turn:
            self._parts.put(line)


def _taken(table: dict[Id, _Asked], prefix: str, upstream: Id | None) -> _Asked | None:
    """Take what a server was asked, and answers now, out of a table; the lock is held."""
    asked = table.get(upstream)  # type: ignore[arg-type]
    return table.pop(upstream) if asked is not None and asked.prefix == prefix else None  # type: ignore[arg-type]


def _new_id() -> str:
    """Return an id that nobody can guess."""
    return f"schema2model-{secrets.token_hex(12)}"
