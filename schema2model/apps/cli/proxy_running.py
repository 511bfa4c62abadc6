"""Runs `schema2model proxy`: starts its servers, and handles signals."""

from __future__ import annotations

import asyncio
import logging
import shlex
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from schema2model.apps.cli.output import InputError, describe_start
from schema2model.apps.cli.proxy_log import SUMMARY_LEVEL
from schema2model.apps.cli.servers import connector
from schema2model.apps.proxy.calls import CallPolicy
from schema2model.apps.proxy.group import Group, Solo
from schema2model.apps.proxy.hop import Hop
from schema2model.apps.proxy.log_fields import log_server
from schema2model.apps.proxy.relay import Relay
from schema2model.apps.proxy.session import Session
from schema2model.apps.proxy.streams import Stdio
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_MESSAGE_LINE

if TYPE_CHECKING:
    from schema2model.apps.cli.listening import ListenOptions
    from schema2model.apps.cli.servers import ServerAddress
    from schema2model.apps.proxy.visible_tools import VisibleTools

__all__ = ["run_listening", "run_stdio"]

RESTART_DELAY = 0.5
"""Seconds between the end of a server of `--listen` and its first restart."""

MAX_PARSED = 8 * 2**20
"""Maximum bytes of an answer of a server of `--listen`: to parse one stops all other sessions."""

MAX_PARSED_ALONE = 2**20
"""Bytes of the largest answer that is parsed if it comes from the only server of `--listen`, which
speaks for no other: larger ones are passed on as they are."""

LOGGER = logging.getLogger("schema2model.proxy")

Servers = Mapping[str, "ServerAddress"]
"""The addresses of servers, by the prefix of their tools."""


def _on_signals(stop: Callable[[], None], reread: Callable[[], object]) -> None:
    """Let signals call functions on the event loop; a closed pipe is an error like any other."""
    loop = asyncio.get_running_loop()

    def handle(number: signal.Signals, act: Callable[[], object]) -> None:
        try:
            loop.add_signal_handler(number, act)
        except NotImplementedError:  # on Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # not in the background
            handle(number, stop)
    if hasattr(signal, "SIGHUP"):
        handle(signal.SIGHUP, reread)


# ---------------------------------------------------------------------------------------- servers
@dataclass(slots=True)
class _Starting:
    """How servers are started.

    Args:
        restarts: they are started again when they have ended.
        restarted: is called when one is.
        passes_large: an only server's large answers are passed on unparsed.

    """

    restarts: bool = False
    restarted: Callable[[], object] = bool
    passes_large: bool = False

    def hop(self, prefix: str, server: ServerAddress) -> Hop:
        """Return the way to a server, which is not started yet.

        Raises:
            InputError: if it needs what is not installed.

        """
        name = prefix.removesuffix("__") or None
        connect = connector(server)
        if server.url is not None:
            return Hop(connect, name=name, delay=0.0, restarted=self.restarted)
        is_shared = self.restarts and server.is_stateless
        is_alone = self.passes_large and not prefix and not is_shared
        most = MAX_PARSED_ALONE if is_alone else MAX_PARSED
        return Hop(
            connect,
            name=name,
            delay=RESTART_DELAY if self.restarts else None,
            is_shared=is_shared,
            restarted=self.restarted,
            max_parsed=most if self.restarts else MAX_MESSAGE_LINE,
            passes_large=is_alone,
        )

    async def start(self, servers: Servers, shared: dict[Any, Hop]) -> Solo:
        """Start servers at the same time, and return them as one.

        Args:
            servers: their addresses.
            shared: those that run for all sessions, by address; new ones are added.

        Raises:
            InputError: if none can be started.

        """
        absent: dict[str, str] = {}
        hops: dict[str, Hop] = {}

        async def start(prefix: str, server: ServerAddress) -> None:
            hop = shared.get(server)
            if hop is None or hop.has_ended:
                hop = self.hop(prefix, server)
                if hop.is_shared:
                    shared[server] = hop
            try:
                await hop.start()
            except (OSError, ValueError) as error:  # the latter for a NUL character
                absent[prefix] = _why_not_started(server, error)
                shared.pop(server, None)
            else:
                hops[prefix] = hop

        await asyncio.gather(*(start(*each) for each in servers.items()))
        if not hops:
            raise InputError("; ".join(_named(*each) for each in absent.items()))
        if [*servers] == [""]:
            return Solo(hops[""])
        for prefix, reason in absent.items():
            name = prefix.removesuffix("__")
            log_server("missing", _named(prefix, reason), server=name, reason=reason)
        return Group(hops, absent)


def _named(prefix: str, reason: str) -> str:
    """Return a reason with the name of the entry, if it has one."""
    return f"the server {quoted(prefix.removesuffix('__'))} {reason}" if prefix else reason


# ------------------------------------------------------------------------------------- one client
def run_stdio(
    servers: Servers,
    policy: CallPolicy,
    shows: Callable[[str], bool] | None,
    reopen_log: Callable[[], None],
) -> bool:
    """Run between one client on standard input and output, and its servers.

    Args:
        servers: their addresses.
        policy: what becomes of calls.
        shows: whether the client may see and call a tool; None for all.
        reopen_log: opens the log anew.

    Returns:
        Whether all ended well.

    Raises:
        InputError: if no server can be started.

    """

    async def run() -> bool:
        try:
            client = await Stdio.open()
        except OSError as error:
            message = f"standard input or output is closed: {describe_error(error)}"
            raise InputError(message) from None
        session = Session(client, policy, shows=shows)
        only = servers[""] if [*servers] == [""] else None
        server = await (start_alone(only) if only and not only.url else start())
        if isinstance(server, Solo):
            server.session = session
        relay = Relay(client, server, session)
        _on_signals(relay.stop, reopen_log)
        return await relay.run()

    def start() -> Any:
        return _Starting().start(servers, {})

    async def start_alone(server: ServerAddress) -> Any:
        try:
            return await connector(server)()
        except (OSError, ValueError) as error:
            raise InputError(_why_not_started(server, error)) from None

    return asyncio.run(run())


def _why_not_started(server: ServerAddress, error: Exception) -> str:
    program = shlex.quote(server.command[0])  # clients are told; arguments may be secret
    return f"cannot start `{program}`: {describe_start(error, server.folder)}"


# ------------------------------------------------------------------------------------ many clients
def run_listening(  # noqa: C901 - the functions in it share its state
    address: tuple[str, int],
    current: Callable[[], tuple[Servers, VisibleTools, dict[str, str]]],
    listen: ListenOptions,
    policy: CallPolicy,
    reread: Callable[[], object],
) -> None:
    """Serve clients over HTTP until a signal comes.

    Args:
        address: where it listens.
        current: returns the addresses of servers, the tools, and the names of tokens, that count
            now.
        listen: for whom it listens.
        policy: what becomes of calls.
        reread: reads tokens, servers and tools again.

    Raises:
        InputError: if it cannot listen, or must not.

    """
    try:
        from schema2model.apps.proxy.listen.clients import Client, Clients, SessionLimits
        from schema2model.apps.proxy.listen.listener import Listener, NotStartedError, is_loopback
        from schema2model.apps.proxy.listen.metrics import metrics_text
    except ImportError as error:
        raise InputError(str(error)) from None
    host, port = address
    if listen.token_file is None and not is_loopback(host):
        message = f"other machines can reach {host}: give a --token-file, or listen on 127.0.0.1"
        raise InputError(message)
    limits = SessionLimits(listen.max_sessions, listen.idle_timeout, listen.disconnect_timeout)
    starting = _Starting(
        restarts=True,
        restarted=policy.tally.count_restart,
        passes_large=policy.results == "off",
    )
    shared: dict[Any, Hop] = {}

    async def start() -> Solo:
        try:
            return await starting.start(current()[0], shared)
        except click.ClickException as error:
            raise NotStartedError(error.message) from None

    def new_session(client: Client) -> Session:
        shows = current()[1].of(client.user.name)
        return Session(client, policy, origin=client.origin, shows=shows)

    def metrics(clients: Clients) -> str:
        every = {*shared.values(), *(hop for each in clients for hop in each.server.hops)}
        return metrics_text(clients, policy.tally, {hop: hop.name or "" for hop in every})

    async def run() -> None:
        try:
            listener = Listener(
                host,
                port,
                start,
                new_session,
                metrics=metrics,
                tokens=None if listen.token_file is None else lambda: current()[2],
                hosts=listen.allow_host,
                limits=limits,
            )
        except OSError as error:
            message = f"cannot listen on {host}:{port}: {describe_error(error)}"
            raise InputError(message) from None

        def reread_all() -> None:
            before = current()[1]
            reread()
            servers, visible, _ = current()
            for each in shared.keys() - {*servers.values()}:
                shared.pop(each).retire()
            for client in listener.clients if visible != before else ():
                client.session.hide(visible.of(client.user.name))

        LOGGER.log(SUMMARY_LEVEL, "listens on %s", listener.url)
        _on_signals(listener.stop, reread_all)
        await listener.run()
        await asyncio.gather(*(hop.stop(0.0) for hop in shared.values()))

    asyncio.run(run())
