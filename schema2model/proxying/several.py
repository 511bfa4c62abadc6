"""Several servers that a relay takes for one: it has the tools of all, under names of their own.

Each server has a prefix; a call goes to the server whose prefix the tool's name has. What is asked
of all of them, the handshake and the list of tools, is answered when the last has answered. Results
are handed on byte for byte, and so are notifications; requests of a server get ids that no other
has. Prompts and resources are not offered: their names are not the proxy's to change.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from queue import Queue
from typing import Any

from schema2model.json.quoting import quoted
from schema2model.proxying.json_rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Id,
    answer_id,
    as_id,
    client_messages,
    error_answer,
    line_of,
    request_id,
    server_messages,
    text_of,
)
from schema2model.proxying.merging import OF_ALL, Question, merged
from schema2model.proxying.relay import MAX_LINE, Server, deal

__all__ = ["Several"]

MAX_PAGES = 100
"""Pages of one server's list of tools; it may never end."""

LOGGER = logging.getLogger("schema2model.proxying")


class Several:
    """Servers that have been started, as one.

    Args:
        servers: by the prefix that the names of their tools get.

    """

    def __init__(self, servers: Mapping[str, Server]) -> None:
        self._servers = dict(servers)
        self._alive = set(servers)
        self._running: dict[Id, str] = {}  # calls, by their ids; the server that has them
        self._questions: dict[Id, tuple[Question, str]] = {}  # by the ids that they have there
        self._asked: dict[Id, tuple[str, Id]] = {}  # requests of servers, by their ids here
        self._count = 0
        self._closing = False
        self._state = threading.Lock()  # guards all of these
        self._turn = threading.Lock()  # of whoever hands a line on
        self._parts: Queue[bytes] = Queue(1)
        for prefix in servers:
            threading.Thread(target=self._read, args=(prefix,), daemon=True).start()

    # ------------------------------------------------------------------------- as a relay has it
    def readline(self, size: int) -> bytes:
        """The next line of any of them; nothing when all have ended."""
        del size  # each has been read so already
        return self._parts.get()

    def send(self, parts: Iterable[bytes]) -> None:
        """Send a line to the server that it is for, or to all."""
        line = b"".join(parts)
        messages = client_messages(line) if len(line) <= MAX_LINE else []
        if not messages and line.strip():
            reason = "this is not JSON" if len(line) <= MAX_LINE else "this is too long"
            self._answer(error_answer(None, PARSE_ERROR, reason))
        for message in messages:
            self._route(message)

    def close(self) -> None:
        """Tell all of them that no more will come."""
        self._closing = True
        for server in self._servers.values():
            server.close()

    def stop(self, patience: float) -> str:
        """Let all of them end at once. How each ended, in words."""
        ended: dict[str, str] = {}

        def end(prefix: str, server: Server) -> None:
            ended[prefix] = server.stop(patience)

        threads = [threading.Thread(target=end, args=each) for each in self._servers.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return ", ".join(f"{_name(prefix)} {ended[prefix]}" for prefix in self._servers)

    # ----------------------------------------------------------------------- from the client
    def _route(self, message: Any) -> None:
        request = request_id(message)
        method = message.get("method") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not (method is None or isinstance(method, str)):
            self._answer(error_answer(request, INVALID_REQUEST, "this is no message of JSON-RPC"))
        elif method is None:
            self._reply(message)
        elif request is None:
            self._notify(message)
        elif method == "ping":
            self._answer({"jsonrpc": "2.0", "id": request, "result": {}})
        elif method in OF_ALL:
            self._ask_all(request, message)
        elif method == "tools/call":
            self._call(request, message)
        else:
            reason = f"of several servers, only tools are offered, not {quoted(method)}"
            self._answer(error_answer(request, METHOD_NOT_FOUND, reason))

    def _reply(self, message: dict[str, Any]) -> None:
        """Hand on an answer to the server that has asked."""
        answered = answer_id(message)
        with self._state:
            asked = None if answered is None else self._asked.pop(answered, None)
        if asked is not None:
            prefix, original = asked
            self._send(prefix, {**message, "id": original})

    def _notify(self, message: dict[str, Any]) -> None:
        params = message.get("params")
        cancelled = as_id(params.get("requestId")) if isinstance(params, dict) else None
        with self._state:
            prefixes = sorted(self._alive)
            if message["method"] == "notifications/cancelled" and cancelled is not None:
                prefixes = [p for p in [self._running.pop(cancelled, None)] if p is not None]
        for prefix in prefixes:
            self._send(prefix, message)

    def _call(self, request: Id, message: dict[str, Any]) -> None:
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        found = [p for p in self._servers if isinstance(name, str) and name.startswith(p)]
        if not isinstance(params, dict) or not isinstance(name, str) or not found:
            reason = f"there is no tool {quoted(name)}"
            self._answer(error_answer(request, INVALID_PARAMS, reason))
            return
        prefix = max(found, key=len)
        with self._state:
            if is_there := prefix in self._alive:
                self._running[request] = prefix
        if is_there:
            self._send(prefix, {**message, "params": {**params, "name": name[len(prefix) :]}})
        else:
            self._answer(error_answer(request, CONNECTION_CLOSED, _gone(prefix)))

    def _ask_all(self, request: Id, message: dict[str, Any]) -> None:
        params = message.get("params")
        params = dict(params) if isinstance(params, dict) else {}
        if isinstance(meta := params.get("_meta"), dict):
            params["_meta"] = {key: meta[key] for key in meta if key != "progressToken"}
        params.pop("cursor", None)  # there is one page
        question = Question(request, message["method"], params)
        with self._state:
            question.open |= self._alive
            asked = [self._put(question, prefix) for prefix in sorted(self._alive)]
        for prefix, sent in asked:
            self._send(prefix, sent)

    def _put(self, question: Question, prefix: str, **more: Any) -> tuple[str, dict[str, Any]]:
        """The message that asks a server; the lock is held."""
        self._count += 1
        number = f"schema2model-several-{self._count}"
        self._questions[number] = question, prefix
        params = {**question.params, **more}
        message = {"jsonrpc": "2.0", "id": number, "method": question.method, "params": params}
        return prefix, message

    def _send(self, prefix: str, message: dict[str, Any]) -> None:
        try:
            self._servers[prefix].send((line_of([text_of(message)], batch=False),))
        except OSError:  # whoever reads from it says so
            LOGGER.info("a message does not reach %s", _name(prefix))

    # ---------------------------------------------------------------------- from the servers
    def _read(self, prefix: str) -> None:
        try:
            while line := self._servers[prefix].readline(MAX_LINE):
                if len(line) < MAX_LINE or line.endswith(b"\n"):
                    deal(functools.partial(self._take, prefix), line)
                else:
                    self._hand_on([line, *self._rest(prefix)])
        finally:
            self._end(prefix)

    def _rest(self, prefix: str) -> Iterator[bytes]:
        """The rest of a line whose first part has been read."""
        while part := self._servers[prefix].readline(MAX_LINE):
            yield part
            if part.endswith(b"\n"):
                return

    def _take(self, prefix: str, line: bytes) -> None:
        line = line if line.endswith(b"\n") else line + b"\n"  # others come behind it
        messages = server_messages(line)
        if len(messages) == 1 and not line.lstrip().startswith(b"["):
            if not self._learn(prefix, messages[0], line):
                self._hand_on([line])
            return
        for message in client_messages(line):
            own = line_of([text_of(message)], batch=False)
            if not self._learn(prefix, message, own):
                self._hand_on([own])

    def _learn(self, prefix: str, message: Any, line: bytes) -> bool:
        """Deal with a message that the client must not see as it is. Whether it is one."""
        answered, request = answer_id(message), request_id(message)
        if answered is not None:
            with self._state:
                self._running.pop(answered, None)
                question = self._questions.pop(answered, (None, ""))[0]
            if question is not None:
                self._collect(question, prefix, message)
            return question is not None
        if request is not None:
            with self._state:
                self._count += 1
                number = f"{prefix}{self._count}"
                self._asked[number] = prefix, request
            (exact,) = client_messages(line) or [message]
            self._answer({**exact, "id": number})
            return True
        params = message.get("params") if isinstance(message, dict) else None
        cancelled = as_id(params.get("requestId")) if isinstance(params, dict) else None
        with self._state:
            ids = [each for each, asked in self._asked.items() if asked == (prefix, cancelled)]
            for each in ids:
                del self._asked[each]
        for each in ids:
            self._answer({**message, "params": {**message["params"], "requestId": each}})
        return bool(ids)

    def _collect(self, question: Question, prefix: str, message: dict[str, Any]) -> None:
        """Note what a server has answered; ask for its next page, or answer if it was the last."""
        result = message.get("result")
        if isinstance(result, dict) and not _is_json(result):
            message = error_answer(question.request, INTERNAL_ERROR, "a server's answer is no JSON")
            result = None
        more: list[tuple[str, dict[str, Any]]] = []
        with self._state:
            pages = question.results.setdefault(prefix, [])
            if isinstance(result, dict):
                pages.append(result)
                cursor = result.get("nextCursor")
                if question.method == "tools/list" and cursor and len(pages) < MAX_PAGES:
                    more.append(self._put(question, prefix, cursor=cursor))
            else:
                question.error = question.error or message
            if not more:
                question.open.discard(prefix)
            done = not question.open
        for each in more:
            self._send(*each)
        if done:
            self._answer(merged(question))

    def _end(self, prefix: str) -> None:
        """A server has gone: nobody waits for it any more."""
        with self._state:
            self._alive.discard(prefix)
            calls = [each for each, there in self._running.items() if there == prefix]
            for each in calls:
                del self._running[each]
            waiting = [each for each, (_, there) in self._questions.items() if there == prefix]
            questions = [self._questions.pop(each)[0] for each in waiting]
            is_last = not self._alive
        if not is_last and not self._closing:
            LOGGER.warning("%s", _gone(prefix))
        for each in calls:
            self._answer(error_answer(each, CONNECTION_CLOSED, _gone(prefix)))
        for question in questions:
            error = error_answer(question.request, CONNECTION_CLOSED, _gone(prefix))
            self._collect(question, prefix, error)
        if is_last:
            self._hand_on([b""])

    # ------------------------------------------------------------------------- to the client
    def _answer(self, message: dict[str, Any]) -> None:
        self._hand_on([line_of([text_of(message)], batch=False)])

    def _hand_on(self, parts: Iterable[bytes]) -> None:
        with self._turn:
            for part in parts:
                self._parts.put(part)


def _is_json(value: Any) -> bool:
    """Whether what a parser took can be written again: it takes NaN as well."""
    try:
        text_of(value)
    except ValueError:
        return False
    return True


def _name(prefix: str) -> str:
    return quoted(prefix.removesuffix("__"))


def _gone(prefix: str) -> str:
    return f"the server {_name(prefix)} has gone"
