"""The server of a session: one hop, or several as one with names of their own.

A group is a routing table: a request goes to the hop whose prefix the name in it has, or to all,
and then their answers are merged. A server that does not answer delays nobody but itself.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, Protocol

from schema2model.apps.proxy.dead_server import dead_server_answer, server_words
from schema2model.apps.proxy.handshakes import Handshakes, Member
from schema2model.apps.proxy.hop import Hop
from schema2model.apps.proxy.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    VERSION,
    Id,
    error_answer,
    object_in,
    request_id,
    without_progress_token,
)
from schema2model.apps.proxy.log_fields import log_server
from schema2model.apps.proxy.merging import BROADCAST_METHODS, Question
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.prefixed_names import LISTS, ROUTED_METHODS, PrefixedNames, bare_name
from schema2model.apps.proxy.versions import DISCOVER, INITIALIZE
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_TOOL_PAGES

__all__ = ["Group", "Solo"]

PATIENCE = 8.0
"""Seconds that one server may take to answer what all are asked; less than a session waits."""

CALM = 60.0
"""Seconds after which a server that was late is asked again with the others."""


class _Client(Protocol):
    """The session that uses the servers."""

    is_list_partial: bool

    def from_server(self, message: Message) -> None:
        """Take a message."""

    def room(self) -> Awaitable[None] | None:
        """Return something to wait for until its client reads; None if it does."""


class Solo:
    """One hop, as a session's server."""

    def __init__(self, *hops: Hop) -> None:
        self.hops = hops
        self.session: _Client
        self._gone: set[Hop] = set()
        self._ended = asyncio.Event()
        for hop in hops:
            hop.askers.add(self)

    # ------------------------------------------------------------------------ from a session
    def send(self, message: Message) -> None:
        """Send a message."""
        value = message.value
        request = request_id(value)
        method = value.get("method") if isinstance(value, dict) else None
        is_answer = isinstance(value, dict) and bool({"result", "error"} & value.keys())
        if not (isinstance(method, str) or (method is None and is_answer)):
            self.answer(error_answer(request, INVALID_REQUEST, "this is not a JSON-RPC message"))
        elif request is None:
            self._forward_other(message)
        else:
            self._forward_request(message, request, str(method))

    def _forward_request(self, message: Message, request: Id, method: str) -> None:
        del request, method
        self.hops[0].ask(self, message, self._deliver)

    def _forward_other(self, message: Message) -> None:
        for hop in self.hops:
            hop.tell(self, message)

    def _deliver(self, message: Message) -> None:
        self.session.from_server(message)

    def answer(self, value: dict[str, Any]) -> None:
        """Answer the client."""
        self._deliver(Message(value))

    def full(self) -> Awaitable[None] | None:
        """Return something to wait for: the client. Who sends to a server does not wait for it."""
        return self.session.room()

    # ---------------------------------------------------------------------------- from a hop
    def told(self, hop: Hop, message: Message) -> None:
        """Take a request or a notification of a server's."""
        del hop
        self._deliver(message)

    def has_ended(self, hop: Hop) -> None:
        """Note that a server has gone."""
        self._gone.add(hop)
        if self._gone.issuperset(self.hops):
            self._ended.set()

    async def ended(self) -> None:
        """Wait until all have gone."""
        await self._ended.wait()

    def close(self) -> None:
        """Close the input of each."""
        for hop in self.hops:
            if hop.is_shared:
                self._leave(hop)
            else:
                hop.close()

    def _leave(self, hop: Hop) -> None:
        hop.leave(self)
        self.has_ended(hop)

    async def stop(self, patience: float) -> str:
        """End those that are this session's own. Return how, in words."""
        own = [hop for hop in self.hops if not hop.is_shared]
        for hop in self.hops:
            if hop.is_shared:
                self._leave(hop)
        ended = await asyncio.gather(*(hop.stop(patience) for hop in own))
        return ", ".join(
            words if hop.name is None else f"{quoted(hop.name)} {words}"
            for hop, words in zip(own, ended, strict=True)
        )


class Group(Solo):
    """Several hops, by the prefix of their names.

    Args:
        hops: by prefix.
        absent: servers that could not be started, by prefix, each with the reason.
        patience: seconds that one server may take to answer what all are asked.

    """

    def __init__(
        self, hops: Mapping[str, Hop], absent: Mapping[str, str], *, patience: float = PATIENCE
    ) -> None:
        super().__init__(*hops.values())
        self._members = {prefix: Member(prefix, hops[prefix]) for prefix in sorted(hops)}
        self._absent = absent
        self._patience = patience
        self._names = PrefixedNames({**hops, **absent})
        self._handshakes = Handshakes(self, absent)
        self._tasks: set[asyncio.Task[None]] = set()

    def _alive(self) -> list[Member]:
        return [each for each in self._members.values() if not each.hop.has_ended]

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something until the group ends."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self, patience: float) -> str:
        """End all. Return how, in words."""
        for task in [*self._tasks]:
            task.cancel()
        return await super().stop(patience)

    def close(self) -> None:
        """Close the input of each, after what waits for its connection."""
        if self._handshakes.opening is None or self._handshakes.opening.done():
            super().close()
        else:
            self._handshakes.opening.add_done_callback(lambda _: self.close())

    # ------------------------------------------------------------------------ from a session
    def _forward_request(self, message: Message, request: Id, method: str) -> None:
        if method == "ping":
            self.answer({"jsonrpc": "2.0", "id": request, "result": {}})
        elif method in {INITIALIZE, DISCOVER}:
            self._handshakes.greet(message, request, self._alive())
        elif method in BROADCAST_METHODS:
            self._handshakes.open_for(message.value, self._alive())
            self._ask_all(message, request)
        elif method in ROUTED_METHODS:
            self._forward_routed(message, request, method)
        else:
            reason = f"several servers do not have {quoted(method)}"
            self.answer(error_answer(request, METHOD_NOT_FOUND, reason))

    def _forward_other(self, message: Message) -> None:
        method = message.value.get("method")
        if method == "notifications/initialized":
            self._handshakes.initialized(message, self._alive())
        elif method in {None, "notifications/progress"}:  # a hop takes what concerns it
            super()._forward_other(message)
        else:
            for each in self._alive():
                each.when_open(functools.partial(each.hop.tell, self, message))

    def _forward_routed(self, message: Message, request: Id, method: str) -> None:
        value = message.value
        routed = self._names.routed(method, value.get("params"))
        if routed is None:
            params = object_in(value, "params")
            named = params.get("name", params.get("uri", params.get("ref")))
            reason = f"there is no {ROUTED_METHODS[method]} {quoted(named)}"
            self.answer(error_answer(request, INVALID_PARAMS, reason))
            return
        prefix, bare = routed
        member = self._members.get(prefix)
        if member is None:
            self.answer(dead_server_answer(request, self._absent[prefix], bare_name(prefix)))
            return
        self._handshakes.open_for(value, self._alive())

        def take(answer: Message) -> None:
            self._deliver(answer.become(self._adapted(answer.value, prefix, message.value)))

        def send() -> None:
            changed = {**value, "params": self._handshakes.params_for(member, bare)}
            member.hop.ask(self, message.become(changed), take)

        member.when_open(send)

    def _adapted(
        self, answer: dict[str, Any], prefix: str, asked: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the answer of a server to a request in the client's version."""
        result = answer.get("result")
        if not isinstance(result, dict):
            return answer
        own = {**answer, "result": self._names.shown_result(prefix, asked["method"], result)}
        kind = result.get("resultType")
        states_version = VERSION in object_in(object_in(asked, "params"), "_meta")
        if states_version and kind is None:
            own["result"] = {**own["result"], "resultType": "complete"}  # of an older server
        elif not states_version and kind not in (None, "complete"):
            words = f"asks for what only newer clients can give: {quoted(kind)}"
            reason = f"{server_words(bare_name(prefix))} {words}"
            return error_answer(answer["id"], INTERNAL_ERROR, reason)
        return own

    # ---------------------------------------------------------------------- what all are asked
    def _ask_all(self, message: Message, request: Id) -> None:
        """Ask each server, as soon as it is open, and merge what they answer in time."""
        question = Question(request, message.value)
        members, listed = self._alive(), LISTS.get(question.method)
        if listed and listed.ability != "tools":
            members = [
                each
                for each in members
                if not each.method or listed.ability in object_in(each.result, "capabilities")
            ]
        since = time.monotonic() - CALM
        late = [each for each in members if listed and each.is_late and each.late_since > since]
        if len(late) < len(members):
            for each in late:
                self._fail(question, each.prefix, "it did not answer in time before")
            members = [each for each in members if each not in late]
        asked = {self.start(self._collect(question, each, message)): each for each in members}
        if not asked and self._alive() and listed:
            words = f"no server has {listed.ability}"
            question.error = error_answer(None, METHOD_NOT_FOUND, words)
        self.start(self._answer_in_time(question, asked))

    async def _answer_in_time(
        self, question: Question, asked: dict[asyncio.Task[None], Member]
    ) -> None:
        patience = max(self._patience, self._handshakes.seconds_left())
        if asked:
            _, waiting = await asyncio.wait(asked, timeout=patience)
            for member in (asked[task] for task in waiting):
                member.is_late, member.late_since = True, time.monotonic()
                self._fail(question, member.prefix, f"{patience:g} s")
        self.session.is_list_partial = bool(question.missing)
        for prefix, reason in sorted(question.missing.items()):
            name = bare_name(prefix)
            words = f"{server_words(name)} is left out of {question.method}: {reason}"
            log_server("missing", words, server=name)
        self.answer(question.answer())

    async def _collect(self, question: Question, member: Member, message: Message) -> None:
        """Take the pages of one server. It may be late: then nobody waits for it."""
        await member.opened()
        given = without_progress_token(object_in(message.value, "params"))
        given.pop("cursor", None)  # there is one page
        cursor: str | None = None
        for _ in range(MAX_TOOL_PAGES):
            own = {**given, "cursor": cursor} if cursor else given
            params = self._handshakes.params_for(member, own)
            page = message.become({**message.value, "params": params})
            answer = await member.hop.answer_to(self, page)
            member.is_late = False
            if member.prefix in question.missing:
                return
            cursor = question.take(member.prefix, answer, self._names)
            if cursor is None:
                return

    def _fail(self, question: Question, prefix: str, words: str) -> None:
        reason = f"{server_words(bare_name(prefix))} did not answer {question.method}"
        question.fail(prefix, error_answer(None, INTERNAL_ERROR, reason), words)

    # ---------------------------------------------------------------------------- from a hop
    def told(self, hop: Hop, message: Message) -> None:
        """Take a request or a notification of a server's."""
        value = message.value
        if value["method"] == "notifications/resources/updated":
            prefix = next(each.prefix for each in self._members.values() if each.hop is hop)
            params = self._names.shown_resource(prefix, object_in(value, "params"))
            message = message.become({**value, "params": params})
        self._deliver(message)
