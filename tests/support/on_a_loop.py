"""The proxy's parts for tests that drive them from threads: each on an event loop of its own."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import queue
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from waiting import PATIENCE

from schema2model.apps.proxy import session as sessions
from schema2model.apps.proxy.calls import CallPolicy
from schema2model.apps.proxy.group import Group, Solo
from schema2model.apps.proxy.hop import Hop
from schema2model.apps.proxy.json_rpc import client_messages, unchecked_id
from schema2model.apps.proxy.log_fields import Origin
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.prefixed_names import bare_name
from schema2model.limits import MAX_MESSAGE_LINE


class Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run, args=(self._loop,), daemon=True)
        self._thread.start()
        weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    def run(self, work: Any) -> Any:
        """Run a coroutine, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on the loop, from wherever."""
        if threading.current_thread() is self._thread:
            return function(*arguments)

        async def call() -> Any:
            return function(*arguments)

        return self.run(call())

    def call_soon(self, function: Callable[..., Any], *arguments: Any) -> None:
        """The same later."""
        self._loop.call_soon_threadsafe(function, *arguments)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped; then end its tasks, and close it."""

    async def end() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    loop.run_forever()
    loop.run_until_complete(end())
    loop.close()


class Connection:
    """A server of a test's own, as a hop has it: two threads read and write."""

    is_refused = False
    waits_for_answers = False

    def __init__(self, server: Any) -> None:
        self.server = server
        self.waiting = 0
        self.unsent: Message | None = None
        self._out: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._write, daemon=True).start()

    def _write(self) -> None:
        while line := self._out.get():
            try:
                self.server.send((line,))
            except OSError:
                return
            self.waiting -= len(line)

    async def each(self, take: Any, take_long: Any) -> None:
        """Take all lines of the server."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()

        def read() -> None:
            with contextlib.suppress(RuntimeError):  # the test, and its loop, have ended
                while line := self.server.readline(MAX_MESSAGE_LINE):
                    loop.call_soon_threadsafe(lines.put_nowait, line)
                loop.call_soon_threadsafe(lines.put_nowait, b"")

        async def rest() -> AsyncIterator[bytes]:
            while part := await lines.get():
                yield part
                if part.endswith(b"\n"):
                    return

        threading.Thread(target=read, daemon=True).start()
        while line := await lines.get():
            more = take(line) if line.endswith(b"\n") else take_long(line, rest())
            if more is not None:
                await more

    def send(self, message: Message) -> None:
        """Send a message."""
        self.waiting += len(message.line)
        self._out.put(message.line)

    def close(self) -> None:
        """Close the server."""
        self._out.put(b"")
        self.server.close()

    async def stop(self, patience: float) -> str:
        """End the server; return how it ended, and note what it says of that."""
        loop = asyncio.get_running_loop()
        reason: str = await loop.run_in_executor(None, self.server.stop, patience)
        unsent = getattr(self.server, "unsent", b"")
        self.unsent = Message(client_messages(unsent)[0]) if unsent else None
        return reason


class _Asked:
    """A session that keeps what it gets in lines, and what a thread sends through it."""

    def __init__(self, loop: Loop) -> None:
        self._on = loop
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._server: Solo
        self.is_list_partial = False

    def from_server(self, message: Message) -> None:
        """Take a message."""
        self._lines.put(message.line)

    def room(self) -> None:
        """There is always room."""

    async def _use(self, server: Solo) -> None:
        self._server, server.session = server, self

        async def end() -> None:
            await server.ended()
            self._lines.put(b"")

        self._waiting = asyncio.ensure_future(end())

    def readline(self, size: int) -> bytes:
        """The next line; nothing at the end."""
        del size
        return self._lines.get()

    def send(self, parts: Iterable[bytes]) -> None:
        """Send a line of the client's."""
        line = b"".join(parts)

        def send() -> None:
            for each in Message.all_in(client_messages(line), line):
                self._server.send(each)

        self._on.call_soon(send)

    def close(self) -> None:
        """No more comes from the client."""
        self._on.call_soon(self._server.close)

    def stop(self, patience: float) -> str:
        """End, and return how."""
        stopped: str = self._on.run(self._server.stop(patience))
        return stopped


class ServerGroup(_Asked):
    """A `Group` of servers of a test's own."""

    def __init__(self, servers: Mapping[str, Any], *, patience: float = 8.0) -> None:
        super().__init__(Loop())
        self._on.run(self._begin(servers, patience))

    async def _begin(self, servers: Mapping[str, Any], patience: float) -> None:
        hops = {}
        for prefix, server in servers.items():

            async def connect(server: Any = server) -> Connection:
                return Connection(server)

            hops[prefix] = Hop(connect, name=bare_name(prefix))
            await hops[prefix].start()
        await self._use(Group(hops, {}, patience=patience))


class Shared(Loop):
    """A `Hop` that several clients share, or that is started again; its servers are a test's own.

    Args:
        connect: returns a server, or is a coroutine that returns a connection.
        options: those of `Hop`.

    """

    def __init__(self, connect: Callable[[], Any], **options: Any) -> None:
        super().__init__()

        async def connected() -> Any:
            server = connect()
            return await server if inspect.isawaitable(server) else Connection(server)

        async def begin() -> Hop:
            hop = Hop(connected, **options)
            await hop.start()
            return hop

        self.hop: Hop = self.run(begin())

    def client(self) -> _Asked:
        """A client of the hop."""
        client = _Asked(self)

        async def begin() -> None:
            await client._use(Solo(self.hop))

        self.run(begin())
        return client


class _End:
    """One side of a session: a function that takes lines."""

    def __init__(self, send: Any) -> None:
        self._send = send

    def send(self, message: Message) -> None:
        """Pass a line on."""
        self._send((message.line,))

    def full(self) -> None:
        """There is always room."""


class Proxy(Loop):
    """A `Session` between two functions that take lines, which may call it themselves."""

    def __init__(
        self,
        to_server: Any,
        to_client: Any,
        *,
        session: str | None = None,
        user: str | None = None,
        timeout: float = sessions.LIST_TIMEOUT,
        **options: Any,
    ) -> None:
        super().__init__()
        policy, origin = CallPolicy(**options), Origin(session, user)

        async def begin() -> sessions.Session:
            begun = sessions.Session(_End(to_client), policy, origin=origin, timeout=timeout)
            begun.server = _End(to_server)
            return begun

        self.session: sessions.Session = self.run(begin())
        self.tally = policy.tally

    def from_client(self, line: bytes) -> None:
        """Take a line of the client's."""
        if threading.current_thread() is self._thread:
            self._later = asyncio.ensure_future(self._take(line))
        else:
            self.run(self._take(line))

    async def _take(self, line: bytes) -> None:
        more = self.session.take_line(line)
        if more is not None:
            await more

    def from_server(self, line: bytes) -> None:
        """Take a line of the server's."""
        self.call(self.session.from_server_line, line)

    def refuse_long(self, head: bytes, tail: bytes) -> None:
        """Take a line of the client's that is too long."""
        self.call(self.session.refuse_long, head, tail)

    def server_ended(self, reason: str) -> bool:
        """Note the end of the server."""
        is_lost: bool = self.call(self.session.server_ended, reason)
        return is_lost

    def forwarded_long(self, head: bytes, tail: bytes) -> None:
        """Note an answer that was too long to be parsed."""
        answered = unchecked_id(head, tail, answer=True)
        if answered is not None:
            self.call(self.session.settle_unread, answered)

    @property
    def _open(self) -> Any:
        return self.session._open

    def client_ended(self) -> None:
        """Note the end of the client's input."""
        self.run(self.session.client_ended())


class Sides:
    """A `Proxy`, and what it has sent to either side."""

    def __init__(self, **options: Any) -> None:
        self.served: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.proxy = Proxy(
            lambda parts: self.served.put(b"".join(parts)),
            lambda parts: self.heard.put(b"".join(parts)),
            **options,
        )

    def say(self, *messages: Any) -> None:
        """Take messages of the client's, or lines as they are."""
        for message in messages:
            is_line = isinstance(message, bytes)
            self.proxy.from_client(message if is_line else json.dumps(message).encode() + b"\n")

    def answer(self, request: Any, **members: Any) -> None:
        """Take an answer of the server's."""
        answer = {"jsonrpc": "2.0", "id": request, **members}
        self.proxy.from_server(json.dumps(answer).encode() + b"\n")

    def lists(self, *tools: Any) -> Any:
        """Have the client ask for the tools and the server list these; return what is shown."""
        self.say({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
        self.answer(self.arrived()["id"], result={"tools": [*tools]})
        return self.told()["result"]

    def arrived(self) -> Any:
        """The next message that the server gets."""
        return json.loads(self.served.get(timeout=PATIENCE))

    def line(self) -> bytes:
        """The next line that the client gets."""
        return self.heard.get(timeout=PATIENCE)

    def told(self) -> Any:
        """The next message that the client gets."""
        return json.loads(self.line())
