"""Route each line: forward it byte for byte, change it, hold it back, or answer it.

A line of the client is forwarded as it is unless it calls a tool with arguments that have to
change. A line that cannot be checked is answered with an error and never forwarded. A call of a
tool that is not known yet waits until the proxy has asked for the tools itself; other calls and its
own cancellation, which must not overtake it, wait after it.
"""

from __future__ import annotations

import itertools
import logging
import operator
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from schema2model.apps.proxy.calls import ListedTools, Tally, tool_called
from schema2model.apps.proxy.dead_server import dead_server_answer
from schema2model.apps.proxy.json_rpc import (
    CLIENT_INFO,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Id,
    answer_id,
    cancelled_id,
    client_messages,
    error_answer,
    failure,
    is_empty_answer,
    is_json_line,
    line_of,
    line_of_texts,
    object_in,
    refusal,
    request_id,
    server_messages,
    text_of,
    unchecked_id,
    why_unchecked,
    with_texts,
    without_progress_token,
)
from schema2model.apps.proxy.log_fields import Origin, log_fields
from schema2model.apps.proxy.result_checks import Results
from schema2model.apps.proxy.spans import end_span, with_span
from schema2model.coercions import Coercion, Preset
from schema2model.errors import ToolError, unexpected
from schema2model.json.quoting import quoted
from schema2model.json.spans import respelled
from schema2model.limits import MAX_HELD_LINES, MAX_TOOL_PAGES
from schema2model.schema.undeclared import UnknownArguments

__all__ = ["LIST_TIMEOUT", "Proxy", "Send"]

REQUEST_TIMEOUT = -32001
"""The code that SDKs have for a request that has taken too long."""

LIST = "tools/list"
LIST_CHANGED = "notifications/tools/list_changed"
MAX_LISTS = 3
"""Maximum lists of tools that one call waits for, if the server changes them all the time."""

LIST_TIMEOUT = 10.0
"""Seconds that a call waits for the list of tools, before it is forwarded as it is."""

LOGGER = logging.getLogger("schema2model.proxy")

Send: TypeAlias = Callable[[Iterable[bytes]], None]
"""Writes one line, given in parts, to the other side; blocks until it has taken them."""


class Proxy:
    """The state between one client and one server. It reads nothing and has no end of its own.

    `from_client` is called by one thread, `from_server` by another.

    Args:
        to_server: writes to the server.
        to_client: writes to the client. Both are called by several threads.
        coercion: how arguments are read.
        strict: the provider whose projections the client is shown; calls are decoded then.
        unknown_arguments: see `ToolOptions`.
        timeout: seconds that a call waits for the list of tools.
        results: what is done about results; nothing by default.
        tally: counts the calls; several may share it.
        coercion_by_tool: of the tools that have one of their own.
        session: the name of the client's session, for the log.
        call_timeout: seconds that the server may take for a call; no limit by default.

    """

    def __init__(  # noqa: PLR0913 - options
        self,
        to_server: Send,
        to_client: Send,
        *,
        coercion: Preset | Coercion = "default",
        strict: str | None = None,
        unknown_arguments: UnknownArguments = "keep",
        timeout: float = LIST_TIMEOUT,
        results: Results | None = None,
        tally: Tally | None = None,
        coercion_by_tool: Mapping[str, Preset] | None = None,
        session: str | None = None,
        call_timeout: float | None = None,
    ) -> None:
        self._call_timeout = call_timeout
        self._origin = Origin(session)
        self._to_server = to_server
        self._to_client = to_client
        self._timeout = timeout
        self._results = results
        self.tally = tally or Tally()
        """Counts of the calls so far."""
        self._strict = strict
        self._new_tools = partial(
            ListedTools, coercion, self.tally, strict, unknown_arguments, coercion_by_tool
        )
        self._tools = self._new_tools()
        self._open: dict[Id, _OpenRequest] = {}
        self._held: deque[tuple[bytes, list[Any]]] = deque()
        self._room = threading.Condition()  # guards all of these
        self._ids = map(f"schema2model-{secrets.token_hex(8)}-{{}}".format, itertools.count(1))

    # ------------------------------------------------------------------------------- client
    def from_client(self, line: bytes) -> None:
        """Take a line from the client."""
        messages = client_messages(line)
        if line.strip() and not messages:
            self._refuse_line(unchecked_id(line), PARSE_ERROR, why_unchecked(line))
            return
        if any(_is_unanswerable_call(message) for message in messages):
            self._refuse_line(None, INVALID_REQUEST, "a call of a tool needs an id")
            return
        if not line.endswith(b"\n"):  # it is the last one, and nothing may be written after it
            self.client_ended()
        with self._room:
            self._room.wait_for(lambda: len(self._held) < MAX_HELD_LINES)
            for message in messages:
                self._register_request(message)
            tools = self._tools
            if self._must_wait(messages, tools):
                self._held.append((line, messages))
                if len(self._held) == 1:
                    threading.Thread(target=self._release_held, daemon=True).start()
                return
        self._forward_line(line, messages, tools)

    def refuse_long(self, head: bytes, tail: bytes) -> None:
        """Refuse a line that is too long to be checked.

        Args:
            head: its beginning.
            tail: its end.

        """
        reason = f"a message has at most {len(head):,} bytes"
        self._refuse_line(unchecked_id(head, tail), INVALID_REQUEST, reason)

    def _refuse_line(self, request: Id | None, code: int, reason: str) -> None:
        fields = log_fields("message", outcome="refused", reason=reason)
        with self._origin.of(request):
            LOGGER.warning("a message was not forwarded: %s", reason, extra=fields)
        self._to_client((line_of(error_answer(request, code, reason)),))

    def client_ended(self) -> None:
        """Wait until nothing is held back: the server must not hear of the end before that."""
        with self._room:
            self._room.wait_for(lambda: not self._held)

    def _register_request(self, message: Any) -> None:
        """Remember a request, and forget one that is cancelled: it may never be answered."""
        request = request_id(message)
        if request is not None:
            params = object_in(message, "params")
            meta = object_in(params, "_meta")
            self._origin.learn(params.get("clientInfo") or meta.get(CLIENT_INFO))
            self._open[request] = _OpenRequest(self._tools if message["method"] == LIST else None)
        elif (cancelled := cancelled_id(message)) is not None:
            call = self._open.get(cancelled)
            if call is not None and not call.is_expired:
                self._end_call(self._open.pop(cancelled), "cancelled")

    def _must_wait(self, messages: list[Any], tools: ListedTools) -> bool:
        if not self._held:
            return not all(tools.knows(tool_called(message)) for message in messages)
        held = {request_id(message) for _, waiting in self._held for message in waiting} - {None}
        return any(
            tool_called(message) is not None or cancelled_id(message) in held
            for message in messages
        )

    def _forward_line(self, line: bytes, messages: list[Any], tools: ListedTools) -> None:
        """Send a line to the server, and to the client the answers to calls that are refused."""
        spelled = with_texts(messages, line)
        outcomes = [self._outcome(message, text, tools) for message, text in spelled]
        answers = [each for each in outcomes if isinstance(each, _Answer)]
        batch = line.lstrip().startswith(b"[")
        if answers:
            self._answer_client(answers, batch=batch)
        if all(map(operator.is_, outcomes, messages)):
            self._to_server((line,))
        elif len(answers) < len(outcomes):
            forwarded = [
                respelled(text, message, outcome)
                for (message, text), outcome in zip(spelled, outcomes, strict=True)
                if not isinstance(outcome, _Answer)
            ]
            self._to_server((line_of_texts(*forwarded, batch=batch),))

    def _outcome(self, message: Any, text: str, tools: ListedTools) -> Any:
        """Return the outcome of a message; records about it name its request."""
        if tool_called(message) is None:
            return message
        request = message["id"]
        with self._origin.of(request):
            outcome = _outcome(message, text, tools)
        name = "" if isinstance(outcome, _Answer) else outcome["params"]["name"]
        if name and tools.has(name):
            outcome, span = with_span(outcome, name)
            with self._room:
                call = self._open.get(request)
                if call is not None:  # it may have been cancelled while it was held
                    call.tool, call.start, call.span = name, time.monotonic(), span
                    # the result of a call that asks for a task comes later
                    if self._results is not None and "task" not in outcome["params"]:
                        call.results, call.output_schema = self._results, tools.output_schema(name)
                    if self._call_timeout is not None:
                        call.timer = threading.Timer(
                            self._call_timeout, self._expire, (request, call)
                        )
                        call.timer.daemon = True
            if call is not None and call.timer is not None:
                call.timer.start()
            elif call is None and span is not None:
                end_span(span, "cancelled")
        return outcome

    def _expire(self, request: Id, call: _OpenRequest) -> None:
        """Answer a call that takes too long, and cancel it; its answer is dropped."""
        with self._room:
            if self._open.get(request) is not call:
                return
            call.is_expired = True
        self._end_call(call, "timeout")
        params = {"requestId": request, "reason": "it takes too long"}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        reason = f"the server did not answer within {self._call_timeout:g} seconds"
        self._to_client((line_of(error_answer(request, REQUEST_TIMEOUT, reason)),))
        self._to_server((line_of(cancel),))

    def _end_call(self, ended: _OpenRequest | None, error: str | None = None) -> None:
        """Count how long a call took that the server has answered, or will not answer."""
        if ended is None:
            return
        with self._room:  # the answer may come while the time runs out
            name, ended.tool = ended.tool, ""
        if not name:
            return
        if ended.timer is not None:  # its thread would wait for the rest of the time
            ended.timer.cancel()
        self.tally.observe(name, time.monotonic() - ended.start)
        if ended.span is not None:
            end_span(ended.span, error)

    def _answer_client(self, answers: list[Any], *, batch: bool) -> None:
        with self._room:
            for answer in answers:
                self._open.pop(answer["id"], None)
        self._to_client((line_of_texts(*map(text_of, answers), batch=batch),))

    # ----------------------------------------------------------------------- calls that wait
    def _release_held(self) -> None:
        """Forward what is held, in its order, once the tools are known."""
        more = True
        while more:
            line, messages = self._held[0]
            tools = self._tools
            for message in messages:
                tools = self._look_up(message, tools)
            self._forward_line(line, messages, tools)
            with self._room:  # not before it is on its way: nothing may overtake it
                self._held.popleft()
                self._room.notify()
                more = bool(self._held)

    def _look_up(self, call: Any, tools: ListedTools) -> ListedTools:
        """Return a list of tools with the one that is called, or that is complete.

        It is `tools`, or else the server is asked, until time is up. It is asked again if it
        announces a change meanwhile, but not for ever: other calls wait.
        """
        name, deadline = tool_called(call), time.monotonic() + self._timeout
        for _ in range(0 if name is None else MAX_LISTS):
            current = self._tools
            if time.monotonic() >= deadline or (tools is current and tools.knows(name)):
                break
            tools = current
            if tools.knows(name):
                break
            # since MCP 2026-07-28, what the client says of itself with every request
            meta = object_in(without_progress_token(call["params"]), "_meta")
            params: dict[str, Any] = {"_meta": meta} if meta else {}
            for _ in range(MAX_TOOL_PAGES):
                cursor = self._request_page(tools, params, deadline)
                if cursor is None:
                    break
                params["cursor"] = cursor
            tools.complete = True
        return tools

    def _request_page(
        self, tools: ListedTools, params: dict[str, Any], deadline: float
    ) -> str | None:
        """Ask for a page of tools; return the cursor of the next page, if it comes in time."""
        request, cursor = next(self._ids), SimpleQueue[str | None]()
        with self._room:
            self._open[request] = _OpenRequest(tools, cursor)
        message = {"jsonrpc": "2.0", "id": request, "method": LIST, "params": params}
        self._to_server((line_of(message),))
        try:
            return cursor.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:  # an answer that comes late is noted all the same
            return None

    # ------------------------------------------------------------------------------- server
    def from_server(self, line: bytes) -> None:
        """Take a line from the server."""
        messages = server_messages(line)
        if not messages:
            self._take_unparsed(line)
            return
        noted = [self._learn_from(message) for message in messages]
        if all(map(operator.is_, noted, messages)):
            self._to_client((line,))
        elif any(message is not None for message in noted):
            theirs = [
                respelled(text, message, outcome)
                for (message, text), outcome in zip(with_texts(messages, line), noted, strict=True)
                if outcome is not None
            ]
            self._to_client((line_of_texts(*theirs, batch=line.lstrip().startswith(b"[")),))

    def _take_unparsed(self, line: bytes) -> None:
        """Take a line that is not JSON, or is too deep for a parser.

        It is forwarded, but for an answer that is not JSON, to a request that is open: the client
        could not read it, and wait.
        """
        answered = unchecked_id(line, answer=True)
        if answered is not None:
            settled = self._settle_unread(answered)
            if settled is not None and (settled.is_expired or settled.asked is not None):
                return
            if settled is not None and not is_json_line(line):
                reason = "the server sent an answer that is not JSON"
                self._refuse_line(answered, INTERNAL_ERROR, reason)
                return
        self._to_client((line,))

    def _settle_unread(self, answered: Id) -> _OpenRequest | None:
        """Settle a request whose answer is not parsed; the proxy itself waits no longer for it."""
        with self._room:
            settled = self._open.pop(answered, None)
        self._end_call(settled)
        if settled is not None and settled.asked is not None:
            settled.asked.put(None)
        return settled

    def _learn_from(self, message: Any) -> Any:
        """Learn from a message of the server.

        Returns:
            The message to forward; None if it is for the proxy, and for nobody else.

        """
        if isinstance(message, dict) and message.get("method") == LIST_CHANGED:
            self._tools = self._new_tools()
        answered = answer_id(message)
        if answered is None:
            return message
        with self._room:
            settled = self._open.pop(answered, None)
        is_error = "error" in message or object_in(message, "result").get("isError") is True
        name = "" if settled is None else settled.tool
        self._end_call(settled, "tool_error" if is_error else None)
        if is_empty_answer(message):
            message = error_answer(answered, INTERNAL_ERROR, "the server answered nothing")
        if settled is None or settled.is_expired:
            return message if settled is None else None
        forwarded, cursor, tools, asked = message, None, settled.tools, settled.asked
        try:
            if settled.results is not None:
                with self._origin.of(answered):
                    forwarded = settled.results.forwarded(name, settled.output_schema, message)
            elif tools is not None:
                cursor = tools.add(message.get("result"))
                if asked is None and self._strict is not None:
                    forwarded = {**message, "result": tools.shown(message.get("result"))}
        except BaseException as error:  # noqa: BLE001 - libraries may raise anything
            LOGGER.warning("an answer was not read: %s", unexpected(error))
        if asked is not None:
            asked.put(cursor)
            return None
        return forwarded

    def forwarded_long(self, head: bytes, tail: bytes) -> None:
        """Note that an answer was forwarded which is too long to be parsed.

        Args:
            head: its beginning.
            tail: its end.

        """
        answered = unchecked_id(head, tail, answer=True)
        if answered is not None:
            self._settle_unread(answered)

    def server_ended(self, reason: str) -> bool:
        """Answer all open requests with an error. Return whether there was one.

        Args:
            reason: how the server ended, such as "ended with exit code 1".

        """
        with self._room:
            left = {
                request: each
                for request, each in self._open.items()
                if each.asked is None and not each.is_expired
            }
            self._open.clear()
        for request, each in left.items():
            self._end_call(each, "connection_closed")
            self._to_client((line_of(dead_server_answer(request, reason)),))
        return bool(left)


@dataclass(slots=True, eq=False)
class _OpenRequest:
    """A request that is not answered yet."""

    tools: ListedTools | None = None
    """Of a request for tools, the list that its answer completes."""
    asked: SimpleQueue[str | None] | None = None
    """Of one of the proxy's own, what waits for the cursor of the next page."""
    tool: str = ""
    """Of a call that the server has, the name of the tool; empty when its end was counted."""
    results: Results | None = None
    """The checks of its result, if there are any."""
    output_schema: Any = None
    start: float = 0.0
    span: Any = None
    timer: threading.Timer | None = None
    is_expired: bool = False
    """True if it was answered in place of the server, whose own answer is dropped."""


class _Answer(dict[str, Any]):
    """An answer of the proxy itself to a call that it does not forward."""


def _outcome(message: Any, text: str, tools: ListedTools) -> Any:
    """Return the message to forward, coerced where it is a call, or else an `_Answer`.

    It never raises: other messages come after this one.
    """
    name = tool_called(message)
    if name is None:
        return message
    try:
        return tools.coerced(message, text)
    except ToolError as error:
        return _Answer(refusal(message, error))
    except BaseException as error:  # noqa: BLE001 - libraries may raise anything
        kind = unexpected(error)
        tools.count_failed(name)
        fields = log_fields("call", tool=name, outcome="refused", reason=kind)
        LOGGER.warning("could not read a call of %s: %s", quoted(name), kind, extra=fields)
        return _Answer(failure(message, kind))


def _is_unanswerable_call(message: Any) -> bool:
    """Return whether a message calls a tool without an id, so that nothing can be answered."""
    return (
        isinstance(message, dict)
        and message.get("method") == "tools/call"
        and request_id(message) is None
    )
