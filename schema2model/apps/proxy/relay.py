"""One client on standard input and output, until it or the server goes.

After the end of the client's input, only what a server still answers is written: nobody waits for
an error of the proxy's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable

from schema2model.apps.proxy.dead_server import server_words
from schema2model.apps.proxy.group import Solo
from schema2model.apps.proxy.json_rpc import unchecked_id
from schema2model.apps.proxy.log_fields import log_server
from schema2model.apps.proxy.processes import Process
from schema2model.apps.proxy.session import Session
from schema2model.apps.proxy.streams import Stdio, last_bytes

__all__ = ["Relay"]

GRACE = 5.0
"""Seconds that the server has to end after the client has gone, and its last words to arrive."""

FAREWELL = 1.0
"""Seconds that the server has to end after its output has ended."""


class Relay:
    """A client, a server, and what is between them; lines of one process go on byte for byte."""

    def __init__(self, client: Stdio, server: Process | Solo, session: Session) -> None:
        self._client, self._server, self._session = client, server, session
        session.server = server
        self._told = asyncio.Event()

    def stop(self) -> None:
        """Make `run` return soon."""
        self._told.set()

    async def run(self) -> bool:
        """Forward until one side goes, and end the server. Return whether all is well."""
        session, server = self._session, self._server
        up = asyncio.ensure_future(self._read_client())
        down = asyncio.ensure_future(self._read_server())
        told = asyncio.ensure_future(self._told.wait())
        gone = asyncio.ensure_future(self._client.writer.gone.wait())
        try:
            await asyncio.wait({up, down, told, gone}, return_when="FIRST_COMPLETED")
            is_client = (up.done() or gone.done()) and not told.done()
            session.client_has_ended = session.client_has_ended or gone.done()
            server.close()
            if is_client:
                await asyncio.wait({down, told}, timeout=GRACE, return_when="FIRST_COMPLETED")
            has_ended = down.done() and not told.done()
            reason = await server.stop(FAREWELL if has_ended else 0.0)
            if told.done():
                session.server_ended("was ended with the proxy")
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._flushed(), FAREWELL)
                return True
            await asyncio.wait({down, told}, timeout=GRACE, return_when="FIRST_COMPLETED")
            failed = session.server_ended(reason) or not is_client
            flushed = asyncio.ensure_future(self._flushed())
            await asyncio.wait({flushed, told, gone}, return_when="FIRST_COMPLETED")
            if failed:
                words = f"{server_words()} {reason}"
                log_server("ended", words, reason=reason, level=logging.ERROR)
            return not failed
        finally:
            for each in (up, down, told, gone):
                each.cancel()

    async def _flushed(self) -> None:
        while self._client.writer.waiting:  # noqa: ASYNC110 - at the end
            await asyncio.sleep(0.005)

    async def _read_client(self) -> None:
        await self._client.each(self._session.take_line, self._refuse_long)
        await self._session.client_ended()

    async def _read_server(self) -> None:
        if isinstance(self._server, Process):
            await self._server.each(self._from_server, self._forward_long)
        else:
            await self._server.ended()

    def _from_server(self, line: bytes) -> Awaitable[None] | None:
        self._session.from_server_line(line)
        return self._client.full()

    async def _refuse_long(self, head: bytes, rest: AsyncIterator[bytes]) -> None:
        self._session.refuse_long(head, await last_bytes(rest))

    async def _forward_long(self, head: bytes, rest: AsyncIterator[bytes]) -> None:
        tail = await self._client.send_long(head, rest)
        answered = unchecked_id(head, tail, answer=True)
        if answered is not None:
            self._session.settle_unread(answered)
