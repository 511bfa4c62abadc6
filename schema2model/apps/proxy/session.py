"""One client: each message is forwarded as it is, changed, held back, or answered.

A message of the client is forwarded byte for byte unless it calls a tool with arguments that have
to change. One that cannot be checked is answered with an error and never forwarded. A call of a
tool that is not known yet waits until the proxy has asked for the tools itself; other calls and its
own cancellation, which must not overtake it, wait after it.

Everything runs in the callbacks that bring the messages, but for corrections of long calls.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Protocol

from schema2model.apps.proxy.calls import CallPolicy, ListedTools, ReadCall, tool_called
from schema2model.apps.proxy.dead_server import dead_server_answer
from schema2model.apps.proxy.json_rpc import (
    CLIENT_INFO,
    CONNECTION_CLOSED,
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
    object_in,
    refusal,
    request_id,
    server_messages,
    unchecked_id,
    why_unchecked,
    without_progress_token,
    without_variants,
)
from schema2model.apps.proxy.log_fields import Origin, log_fields
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.result_checks import checked_answer
from schema2model.apps.proxy.spans import end_span, with_span
from schema2model.errors import unexpected
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_HELD_LINES, MAX_TOOL_PAGES

__all__ = ["Session"]

REQUEST_TIMEOUT = -32001
"""The code that SDKs have for a request that has taken too long."""

LIST = "tools/list"
LIST_CHANGED = "notifications/tools/list_changed"
_MEMBERS: Final = {name: name for name in ("id", "method", "params")}
_OF_CALLS: Final = {name: name for name in ("name", "arguments")}

MAX_LISTS = 3
"""Maximum lists of tools that one call waits for, if the server changes them all the time."""

LIST_TIMEOUT = 10.0
"""Seconds that a call waits for the list of tools, before it is forwarded as it is."""

MAX_SHORT_CALL = 2**15
"""Maximum bytes of a call that is corrected at once; others go on while a longer one is."""

_LOST = "\0"
"""In place of a cursor: the server has gone before it answered."""

_LONG_CALLS = ThreadPoolExecutor(1, "schema2model-long-calls")

LOGGER = logging.getLogger("schema2model.proxy")


class Side(Protocol):
    """The receiver of a session's messages: its client, or what it takes for one server."""

    def send(self, message: Message) -> None:
        """Send a message soon."""

    def full(self) -> Awaitable[None] | None:
        """Return what to wait for until it has room for more; None if it has."""


@dataclass(slots=True, eq=False)
class _OpenRequest:
    """A request that is not answered yet."""

    tools: ListedTools | None = None
    """Of a request for tools, the list that its answer completes."""
    asked: asyncio.Future[str | None] | None = None
    """Of one of the proxy's own, the cursor of the next page."""
    tool: str = ""
    """Of a call that the server has, the name of the tool; empty when its end was counted."""
    output_schema: Any = None
    """The schema of its result, if that is checked."""
    start: float = 0.0
    span: Any = None
    timer: asyncio.TimerHandle | None = None
    is_expired: bool = False
    """True if it was answered in place of the server, whose own answer is dropped."""


class _Answer(dict[str, Any]):
    """An answer of the proxy itself to a call that it does not forward."""


class Session:
    """The state between one client and what it takes for one server.

    Args:
        client: where answers go.
        policy: what becomes of calls.
        origin: names the session in the log.
        timeout: seconds that a call waits for the list of tools.
        shows: returns whether the client may see and call a tool; all by default.

    """

    def __init__(
        self,
        client: Side,
        policy: CallPolicy,
        *,
        origin: Origin | None = None,
        timeout: float = LIST_TIMEOUT,
        shows: Callable[[str], bool] | None = None,
    ) -> None:
        self.client = client
        self.server: Side
        self.client_has_ended = False
        """True after the end of its input: nobody waits for the proxy's own answers any more."""
        self.is_list_partial = False
        """True if the last list of tools lacks those of a server that was not there."""
        self._policy, self._timeout = policy, timeout
        self.origin = origin or Origin()
        self._shows = shows
        self._tools = ListedTools(self._policy, self.shows)
        self._open: dict[Id, _OpenRequest] = {}
        self._held: deque[Message] = deque()
        self._releasing: asyncio.Task[None] | None = None
        self._released = asyncio.Event()
        self._ids = map(f"schema2model-{secrets.token_hex(8)}-{{}}".format, itertools.count(1))

    @property
    def open_requests(self) -> int:
        """The number of requests that are not answered."""
        return len(self._open)

    def room(self) -> Awaitable[None] | None:
        """Return something to wait for until the client reads; None if it does."""
        return self.client.full()

    # ------------------------------------------------------------------------------- client
    def take_line(self, line: bytes) -> Awaitable[None] | None:
        """Take a line from the client; return what to wait for before the next.

        A batch (MCP 2025-03-26) is its messages, one after the other.
        """
        values = client_messages(line)
        if not values:
            if line.strip():
                self._refuse_line(unchecked_id(line), PARSE_ERROR, why_unchecked(line))
            return self.client.full()
        messages = Message.all_in(values, line)
        return self.take(messages[0]) if len(messages) == 1 else self._take_all(messages)

    async def _take_all(self, messages: list[Message]) -> None:
        for each in messages:
            await self.from_client(each)

    async def from_client(self, message: Message) -> None:
        """Take a message from the client, and wait for room."""
        more = self.take(message)
        if more is not None:
            await more

    def take(self, message: Message) -> Awaitable[None] | None:
        """Take a message from the client; return what to wait for before the next."""
        if _is_unanswerable_call(message.value):
            self._refuse_line(None, INVALID_REQUEST, "a call of a tool needs an id")
            return self.client.full()
        if self._shows is not None and _has_variants(message.value):
            reason = "a name of a member is written in two ways"
            self._refuse_line(request_id(message.value), INVALID_REQUEST, reason)
            return self.client.full()
        if not self._register(message.value):
            return self.client.full()
        if self._must_wait(message.value):
            self._held.append(message)
            if self._releasing is None or self._releasing.done():
                self._releasing = asyncio.ensure_future(self._release())
            return self._room() if len(self._held) >= MAX_HELD_LINES else None
        return self._forward(message, self._tools)

    async def _room(self) -> None:
        while len(self._held) >= MAX_HELD_LINES:
            self._released.clear()
            await self._released.wait()

    def refuse_long(self, head: bytes, tail: bytes) -> None:
        """Refuse a line that is too long to be checked."""
        reason = f"a message has at most {len(head):,} bytes"
        self._refuse_line(unchecked_id(head, tail), INVALID_REQUEST, reason)

    def _refuse_line(self, request: Id | None, code: int, reason: str) -> None:
        fields = log_fields("message", outcome="refused", reason=reason)
        with self.origin.of(request):
            LOGGER.warning("a message was not forwarded: %s", reason, extra=fields)
        self._answer(error_answer(request, code, reason))

    def _answer(self, value: Any) -> None:
        self.client.send(Message(value))

    async def client_ended(self) -> None:
        """Wait until nothing is held back: the server must not hear of the end before that."""
        self.client_has_ended = True
        if self._releasing is not None:
            await self._releasing

    def _register(self, message: Any) -> bool:
        """Remember a request, and forget one that is cancelled: it may never be answered.

        Return False for a request whose id another has that is open: it was answered.
        """
        request = request_id(message)
        if request in self._open:
            self._refuse_line(request, INVALID_REQUEST, "a request with this id is open")
            return False
        if request is not None:
            params = object_in(message, "params")
            if info := params.get("clientInfo") or object_in(params, "_meta").get(CLIENT_INFO):
                self.origin.learn(info)
            self._open[request] = _OpenRequest(self._tools if message["method"] == LIST else None)
        elif (cancelled := cancelled_id(message)) is not None:
            call = self._open.get(cancelled)
            if call is not None and not call.is_expired:
                self._end_call(self._open.pop(cancelled), "cancelled")
        return True

    def _must_wait(self, value: Any) -> bool:
        name = tool_called(value)
        if not self._held:
            return not self._tools.knows(name)
        held = {request_id(each.value) for each in self._held} - {None}
        return name is not None or cancelled_id(value) in held

    def _forward(self, message: Message, tools: ListedTools) -> Awaitable[None] | None:
        """Send a message to the server, or to the client the answer to a call that is refused."""
        if message.size > MAX_SHORT_CALL and tool_called(message.value):
            return self._forward_slowly(message, tools)
        return self._send(message, self._outcome(message, tools), tools)

    async def _forward_slowly(self, message: Message, tools: ListedTools) -> None:
        """Do the same in a thread: other sessions go on meanwhile."""
        loop = asyncio.get_running_loop()
        outcome = await loop.run_in_executor(_LONG_CALLS, self._outcome, message, tools)
        more = self._send(message, outcome, tools)
        if more is not None:
            await more

    def _send(
        self, message: Message, outcome: ReadCall | _Answer | None, tools: ListedTools
    ) -> Awaitable[None] | None:
        if outcome is None:
            self.server.send(message)
        elif isinstance(outcome, ReadCall) and outcome.error is None:
            self.server.send(message.become(self._begin(outcome, tools)))
        else:
            self._open.pop(message.value["id"], None)
            self._answer(self._refused(message.value, outcome))
            return self.client.full()
        return self.server.full()

    def _outcome(self, message: Message, tools: ListedTools) -> ReadCall | _Answer | None:
        """Return a call as it was read, or the proxy's answer to it; None for other messages."""
        value = message.value
        if tool_called(value) is None:
            return None
        with self.origin.of(value["id"]):
            return _outcome(value, message.text, tools)

    def shows(self, name: str) -> bool:
        """Return whether the client may see and call a tool."""
        return self._shows is None or self._shows(name)

    def hide(self, shows: Callable[[str], bool] | None) -> None:
        """Let the client see other tools from now on, and tell it."""
        self._shows = shows
        self.client.send(Message({"jsonrpc": "2.0", "method": LIST_CHANGED}))

    def _refused(self, call: Any, outcome: ReadCall | _Answer) -> Any:
        """Return the answer to a call that is not forwarded."""
        if not isinstance(outcome, ReadCall) or outcome.error is None:
            return outcome
        _, span = with_span(call, call["params"]["name"], outcome, self.origin.user)
        if span is not None:
            end_span(span, "refused")
        return refusal(call, outcome.error)

    def _begin(self, read: ReadCall, tools: ListedTools) -> Any:
        """Note that a call is forwarded. Return it, perhaps with a span."""
        outcome = read.message
        name, request = outcome["params"]["name"], outcome["id"]
        if not tools.has(name):
            return outcome
        outcome, span = with_span(outcome, name, read, self.origin.user)
        call = self._open.get(request)
        if call is None:  # it was cancelled while it was held
            if span is not None:
                end_span(span, "cancelled")
            return outcome
        call.tool, call.start, call.span = name, time.monotonic(), span
        if self._policy.results != "off" and "task" not in outcome["params"]:
            call.output_schema = tools.output_schema(name)
        if self._policy.call_timeout is not None:
            loop = asyncio.get_running_loop()
            call.timer = loop.call_later(self._policy.call_timeout, self._expire, request, call)
        return outcome

    def _expire(self, request: Id, call: _OpenRequest) -> None:
        """Answer a call that takes too long, and cancel it; its answer is dropped."""
        if self._open.get(request) is not call:
            return
        call.is_expired = True
        self._end_call(call, "timeout")
        params = {"requestId": request, "reason": "it takes too long"}
        reason = f"the server did not answer within {self._policy.call_timeout:g} seconds"
        if not self.client_has_ended:
            self._answer(error_answer(request, REQUEST_TIMEOUT, reason))
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        self.server.send(Message(cancel))

    def _end_call(self, ended: _OpenRequest | None, error: str | None = None) -> None:
        if ended is None or not ended.tool:
            return
        name, ended.tool = ended.tool, ""
        if ended.timer is not None:
            ended.timer.cancel()
        self._policy.tally.observe(name, time.monotonic() - ended.start)
        if ended.span is not None:
            end_span(ended.span, error)

    # ----------------------------------------------------------------------- calls that wait
    async def _release(self) -> None:
        """Forward what is held, in its order, once the tools are known."""
        while self._held:
            try:
                await self._forward_held(self._held[0])
            except Exception as error:  # noqa: BLE001 - the others go on
                LOGGER.error("a message was lost: %s", unexpected(error))  # noqa: TRY400 - secrets
            self._held.popleft()  # not before it is on its way: nothing may overtake it
            self._released.set()

    async def _forward_held(self, message: Message) -> None:
        more = self._forward(message, await self._look_up(message.value, self._tools))
        if more is not None:
            await more

    async def _look_up(self, call: Any, tools: ListedTools) -> ListedTools:
        """Return a list of tools with the one that is called, or that is complete."""
        name, deadline = tool_called(call), time.monotonic() + self._timeout
        for _ in range(MAX_LISTS):
            current = self._tools
            if time.monotonic() >= deadline or (tools is current and tools.knows(name)):
                break
            tools = current
            if tools.knows(name):
                break
            meta = object_in(without_progress_token(call["params"]), "_meta")
            params: dict[str, Any] = {"_meta": meta} if meta else {}
            for _ in range(MAX_TOOL_PAGES):
                cursor = await self._page(tools, params, deadline)
                if cursor is None:
                    break
                if cursor == _LOST:  # the next call asks again
                    return tools
                params["cursor"] = cursor
            tools.complete = not self.is_list_partial
            self.is_list_partial = False
        return tools

    async def _page(
        self, tools: ListedTools, params: dict[str, Any], deadline: float
    ) -> str | None:
        """Ask for a page of tools; return the cursor of the next page, if it comes in time."""
        request = next(self._ids)
        asked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[request] = _OpenRequest(tools, asked)
        message = {"jsonrpc": "2.0", "id": request, "method": LIST, "params": params}
        self.server.send(Message(message))
        done, _ = await asyncio.wait({asked}, timeout=max(0.0, deadline - time.monotonic()))
        return asked.result() if done else None

    # ------------------------------------------------------------------------------- server
    def from_server_line(self, line: bytes) -> None:
        """Take a line from the only server."""
        values = server_messages(line)
        if not values:
            self._take_unparsed(line)
        for message in Message.all_in(values, line):
            self.from_server(message)

    def from_server(self, message: Message) -> None:
        """Take a message from a server."""
        noted = self._noted(message.value)
        if noted is not None:
            self.client.send(message.become(noted))

    def _take_unparsed(self, line: bytes) -> None:
        """Take a line that is not JSON, or is too deep for a parser."""
        answered = unchecked_id(line, answer=True)
        if answered is not None:
            settled = self.settle_unread(answered)
            if settled is not None and (settled.is_expired or settled.asked is not None):
                return
            is_hiding = settled is not None and settled.tools is not None and self._shows
            if settled is not None and (is_hiding or not is_json_line(line)):
                reason = "the server sent an answer that is not JSON, or is nested too deeply"
                self._refuse_line(answered, INTERNAL_ERROR, reason)
                return
        self.client.send(Message(None, line))

    def settle_unread(self, answered: Id) -> _OpenRequest | None:
        """Settle a request whose answer is not parsed; the proxy itself waits no longer for it."""
        settled = self._open.pop(answered, None)
        self._end_call(settled)
        if settled is not None and settled.asked is not None:
            _resolve(settled.asked, None)
        return settled

    def _noted(self, value: Any) -> Any:
        """Learn from a message of the server. Return it as it is forwarded, or None."""
        answered = answer_id(value)
        if answered is None:
            if isinstance(value, dict) and value.get("method") == LIST_CHANGED:
                self._tools = ListedTools(self._policy, self.shows)
            return value
        settled = self._open.pop(answered, None)
        is_error = "error" in value or object_in(value, "result").get("isError") is True
        name = "" if settled is None else settled.tool
        is_lost = object_in(value, "error").get("code") == CONNECTION_CLOSED
        reason = "connection_closed" if is_lost else "tool_error" if is_error else None
        self._end_call(settled, reason)
        if is_empty_answer(value):
            value = error_answer(answered, INTERNAL_ERROR, "the server answered nothing")
        if settled is None or settled.is_expired:
            return value if settled is None else None
        forwarded, cursor = value, None
        try:
            if settled.output_schema is not None:
                with self.origin.of(answered):
                    schema = settled.output_schema
                    forwarded = checked_answer(self._policy, name, schema, value)
            elif settled.tools is not None:
                result = value.get("result")
                cursor = settled.tools.add(result)
                shown = settled.tools.shown(result) if settled.asked is None else result
                forwarded = value if shown is result else {**value, "result": shown}
        except BaseException as error:  # noqa: BLE001 - libraries may raise anything: a panic, too
            LOGGER.warning("an answer was not read: %s", unexpected(error))
            if settled.tools is not None and self._shows is not None:
                forwarded = error_answer(answered, INTERNAL_ERROR, "the list was not read")
        if settled.asked is not None:
            _resolve(settled.asked, _LOST if is_lost else cursor)
            return None
        return forwarded

    def server_ended(self, reason: str) -> bool:
        """Answer all open requests with an error. Return whether there was one."""
        left, self._open = self._open, {}
        lost = [
            request for request, each in left.items() if each.asked is None and not each.is_expired
        ]
        for each in left.values():
            self._end_call(each, "connection_closed")
            if each.asked is not None:
                _resolve(each.asked, None)
        if not self.client_has_ended:  # nobody waits for it any more
            for request in lost:
                self._answer(dead_server_answer(request, reason))
        return bool(lost) and not self.client_has_ended


def _outcome(message: Any, text: str, tools: ListedTools) -> ReadCall | _Answer:
    """Return a call as it was read, or the answer to one that cannot be.

    It never raises: other messages come after this one.
    """
    try:
        return tools.read(message, text)
    except BaseException as error:  # noqa: BLE001 - libraries may raise anything: a panic, too
        kind, name = unexpected(error), message["params"]["name"]
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


def _has_variants(message: Any) -> bool:
    """Return whether a parser that ignores case could take a message for a call of another tool."""
    if not isinstance(message, dict):
        return False
    params = object_in(message, "params")
    own = without_variants(message, _MEMBERS), without_variants(params, _OF_CALLS)
    return own[0] is not message or own[1] is not params


def _resolve(future: asyncio.Future[str | None], value: str | None) -> None:
    if not future.done():
        future.set_result(value)
