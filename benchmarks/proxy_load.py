# ruff: noqa: S603 - the processes are our own; the figures are printed
"""Load on `schema2model proxy`, over stdio and with `--listen`; every answer is checked.

python -m benchmarks.proxy_load [--clients 1,8,64] [--calls 2000] [--seconds 5] [--transports …]
    [--npm FOLDER] [--sdk PYTHON …] [--against PYTHON]

Each client has a session and sends one call after the other, every second one with arguments that
the proxy has to correct. An answer is right, wrong, or lost. The processor time is the proxy's own,
after the handshakes, without that of the servers.

--npm FOLDER    servers of the MCP project in FOLDER/node_modules (everything, filesystem, memory)
--sdk PYTHON    an interpreter with a release of the official SDK, whose client is used as well
--against PYTHON  an interpreter with another version of schema2model, which gets the same load in
    turn; the last column is the processor time as a share of that version's

Loopback only; `--calls` and `--seconds` bound each row of the table.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ECHO = """
import json, sys
schema = {"type": "object", "properties": {"n": {"type": "integer"}, "tags": {"type": "array"}}}
for line in sys.stdin:
    asked = json.loads(line)
    method = asked["method"]
    if method == "tools/call":
        text = json.dumps(asked["params"]["arguments"])
        result = {"content": [{"type": "text", "text": text}]}
    elif method == "tools/list":
        result = {"tools": [{"name": "echo", "inputSchema": schema}]}
    else:
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "echo", "version": "1"}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""

SDK_CLIENTS = """
import asyncio, contextlib, json, sys, time
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

given = json.loads(sys.argv[1])
counts = {"right": 0, "wrong": 0, "lost": 0}

@contextlib.asynccontextmanager
async def opened():
    if given["url"]:
        transport = streamable_http_client(given["url"])
    else:
        command, *words = given["command"]
        transport = stdio_client(StdioServerParameters(command=command, args=words))
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session

async def client(end):
    async with opened() as session:
        for name, arguments, expected in given["calls"]:
            try:
                result = await session.call_tool(name, arguments)
                text = "".join(getattr(each, "text", "") for each in result.content)
                counts["right" if expected in text else "wrong"] += 1
            except Exception as error:
                counts["lost"] += 1
                print(repr(error), file=sys.stderr)
            if time.monotonic() > end:
                break

async def main():
    end = time.monotonic() + given["seconds"]
    await asyncio.gather(*(client(end) for _ in range(given["clients"])))

asyncio.run(main())
print(json.dumps(counts))
"""

MAX_CLIENTS = 200
MAX_PAUSE = 2.0
INFO = {"name": "load", "version": "1"}
HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO}

Ask = Callable[[dict[str, Any]], Any]
"""Sends a message and returns the answer, if it has one."""


class Server(NamedTuple):
    """A server, and calls of it with a text that their results have to contain."""

    name: str
    command: list[str]
    calls: Callable[[int, int], tuple[str, dict[str, Any], str]]


def echo_call(client: int, index: int) -> tuple[str, dict[str, Any], str]:
    """A number of its own for each call; every second one as text."""
    number = client * 1_000_000 + index
    return "echo", {"n": str(number) if index % 2 else number}, f'{{"n": {number}}}'


def servers(npm: Path | None, folder: Path) -> Iterator[Server]:
    """The servers to be tried."""
    yield Server("echo", [sys.executable, "-c", ECHO], echo_call)
    if npm is None:
        return
    modules = npm / "node_modules" / "@modelcontextprotocol"

    def program(name: str, *words: str) -> list[str]:
        return ["node", str(modules / f"server-{name}" / "dist" / "index.js"), *words]

    def total(client: int, index: int) -> tuple[str, dict[str, Any], str]:
        first: Any = str(client) if index % 2 else client
        return "get-sum", {"a": first, "b": index}, f" {client + index}."

    def read(_: int, index: int) -> tuple[str, dict[str, Any], str]:
        head: Any = "1" if index % 2 else 1
        return "read_text_file", {"path": str(folder / "lines.txt"), "head": head}, "first"

    def nodes(_: int, index: int) -> tuple[str, dict[str, Any], str]:
        names: Any = '["no-such-node"]' if index % 2 else ["no-such-node"]
        return "open_nodes", {"names": names}, '"entities": []'

    (folder / "lines.txt").write_text("first\nsecond\n")
    yield Server("everything", program("everything"), total)
    yield Server("filesystem", program("filesystem", str(folder)), read)
    yield Server("memory", program("memory"), nodes)


def processor_seconds(pid: int) -> float:
    """The processor time of a process, without its children's; 0 where there is no /proc."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))
    return 0.0


# --------------------------------------------------------------------------------------- clients
@contextlib.contextmanager
def over_stdio(python: str, command: list[str]) -> Iterator[tuple[Ask, int]]:
    """A proxy of one client, and its process."""
    words = [python, "-m", "schema2model", "proxy", "--", *command]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes, stderr=subprocess.DEVNULL) as process:
        source: Any = process.stdout
        sink: Any = process.stdin

        def ask(message: dict[str, Any]) -> Any:
            sink.write(json.dumps(message).encode() + b"\n")
            sink.flush()
            while "id" in message:
                answer = json.loads(source.readline())
                if "id" in answer and "method" not in answer:
                    return answer
            return None

        yield ask, process.pid
        sink.close()


@contextlib.contextmanager
def over_http(url: str, pid: int) -> Iterator[tuple[Ask, int]]:
    """A session with a listening proxy, over one connection."""
    host, _, port = url.removeprefix("http://").removesuffix("/mcp").rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    last = time.monotonic()

    def ask(message: dict[str, Any]) -> Any:
        nonlocal last
        if time.monotonic() - last > MAX_PAUSE:  # a server closes a connection that is idle
            connection.close()
        connection.request("POST", "/mcp", json.dumps(message), headers)
        answer = connection.getresponse()
        content = answer.read()
        last = time.monotonic()
        if answer.status not in {200, 202}:
            message_text = f"status {answer.status}: {content[:200]!r}"
            raise RuntimeError(message_text)
        if (session := answer.getheader("mcp-session-id")) is not None:
            headers["mcp-session-id"] = session
        if answer.getheader("content-type") == "application/json":
            return json.loads(content) if content else None
        events = [line[6:] for line in content.splitlines() if line.startswith(b"data: {")]
        return json.loads(events[-1]) if events else None

    try:
        yield ask, pid
        connection.request("DELETE", "/mcp", headers=headers)
        connection.getresponse().read()
    finally:
        connection.close()


@contextlib.contextmanager
def listening(python: str, clients: int, command: list[str]) -> Iterator[tuple[str, int]]:
    """A listening proxy: its URL and its process."""
    words = [python, "-m", "schema2model", "proxy", "--listen", "127.0.0.1:0"]
    words += ["--max-sessions", str(clients), "--", *command]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"listens on (\S+)", process.stderr.readline())
        assert found, "the proxy does not listen"
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield found[1], process.pid
        finally:
            process.terminate()
            process.wait(60)


# ------------------------------------------------------------------------------------------ load
class Row(NamedTuple):
    """What became of the calls of one load."""

    counts: Counter[str]
    rate: float
    processor: float
    """Milliseconds of the proxy's processor time a call."""
    latencies: list[float]


def load(  # noqa: PLR0915 - one client, and what starts and counts all
    server: Server, connect: Callable[[], Any], options: Any, clients: int
) -> Row:
    """Let clients call at the same time."""
    counts: Counter[str] = Counter()
    latencies: list[float] = []
    pids: set[int] = set()
    lock, ready = threading.Lock(), threading.Barrier(clients + 1)
    go = threading.Event()
    share = max(1, options.calls // clients)

    def client(number: int) -> None:
        asked = 0
        found: Counter[str] = Counter()
        took: list[float] = []
        try:
            with connect() as (ask, pid):
                pids.add(pid)
                ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE})
                ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
                ask({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
                ready.wait(300)
                go.wait(300)
                end = time.perf_counter() + options.seconds
                for index in range(1, share + 1):
                    name, arguments, expected = server.calls(number, index)
                    params = {"name": name, "arguments": arguments}
                    message = {"jsonrpc": "2.0", "id": index, "method": "tools/call"}
                    asked += 1
                    begun = time.perf_counter()
                    answer = ask({**message, "params": params})
                    took.append(time.perf_counter() - begun)
                    content = answer.get("result", {}).get("content", [])
                    text = "".join(each.get("text", "") for each in content)
                    right = answer["id"] == index and expected in text
                    found["right" if right else "wrong"] += 1
                    if not right and not counts["wrong"]:
                        print(f"wrong: {answer}", file=sys.stderr)
                    if time.perf_counter() > end:
                        break
                ready.wait(300)
                go.wait(300)
        except Exception as error:  # noqa: BLE001 - a call without an answer
            print(f"lost: {error!r}", file=sys.stderr)
            ready.abort()
        with lock:
            counts.update(found)
            counts["lost"] += max(asked - found.total(), 0 if asked else 1)
            latencies.extend(took)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    used = seconds = 0.0
    with contextlib.suppress(threading.BrokenBarrierError):
        ready.wait(300)
        used, seconds = sum(map(processor_seconds, pids)), time.perf_counter()
        go.set()
        ready.wait(300)
        used = sum(map(processor_seconds, pids)) - used
        seconds = time.perf_counter() - seconds
    go.set()
    for thread in threads:
        thread.join()
    calls = counts["right"] + counts["wrong"]
    return Row(counts, calls / (seconds or 1.0), 1000 * used / (calls or 1), latencies)


def sdk_load(  # noqa: PLR0913 - a row of the table
    sdk: str, server: Server, options: Any, clients: int, *, url: str, command: list[str], pid: int
) -> Row:
    """Let clients of the official SDK call at the same time, in a process of their own."""
    share = max(1, options.calls // clients)
    calls = [server.calls(1, index) for index in range(1, share + 1)]
    given = {"url": url, "command": command, "calls": calls, "clients": clients}
    given |= {"seconds": options.seconds}
    used, begun = processor_seconds(pid), time.perf_counter()
    words = [sdk, "-c", SDK_CLIENTS, json.dumps(given)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    seconds, used = time.perf_counter() - begun, processor_seconds(pid) - used
    if done.stderr and done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
    counts = Counter(json.loads(done.stdout) if done.stdout else {"lost": clients * share})
    total = counts["right"] + counts["wrong"]
    return Row(counts, total / seconds, 1000 * used / (total or 1), [])


def row(  # noqa: PLR0913 - a row of the table
    *, python: str, sdk: str, transport: str, server: Server, clients: int, options: Any
) -> Row:
    """One row of the table, with one version of the proxy and one kind of client."""
    command = [python, "-m", "schema2model", "proxy", "--", *server.command]
    if transport == "stdio" and sdk:
        return sdk_load(sdk, server, options, clients, url="", command=command, pid=0)
    if transport == "stdio":
        connect = functools.partial(over_stdio, python, server.command)
        return load(server, connect, options, clients)
    with listening(python, clients, server.command) as (url, pid):
        if sdk:
            return sdk_load(sdk, server, options, clients, url=url, command=command, pid=pid)
        return load(server, functools.partial(over_http, url, pid), options, clients)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", default="1,8,64")
    parser.add_argument("--transports", default="stdio,listen")
    parser.add_argument("--servers", default="echo,everything,filesystem,memory")
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--sdk", action="append", default=[])
    parser.add_argument("--against")
    options = parser.parse_args()
    options.seconds, options.calls = min(options.seconds, 60.0), min(options.calls, 100_000)
    heads = (
        "| server | by | client | clients | right | wrong | lost | calls/s | median ms | 99 % ms"
    )
    print(f"{heads} | processor ms a call | of the other |\n|---|---|---|{'---:|' * 9}")
    failed, npm = False, options.npm and options.npm.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where no checkout hides what the interpreters have installed
        cases = [
            (server, transport, client, min(int(clients), MAX_CLIENTS))
            for server in servers(npm, Path(folder).resolve())
            if server.name in options.servers.split(",")
            for transport in options.transports.split(",")
            for client in ("", *options.sdk)
            for clients in options.clients.split(",")
        ]
        for server, transport, sdk, clients in cases:
            load_on = functools.partial(row, sdk=sdk, transport=transport, server=server)
            found = load_on(python=sys.executable, clients=clients, options=options)
            share = "-"
            if options.against:
                other = load_on(python=options.against, clients=clients, options=options)
                share = f"{found.processor / (other.processor or 1.0):.2f}"
                share += f" ({other.processor:.2f}; {other.counts['right']} right)"
            ordered = sorted(found.latencies) or [0.0]
            times = statistics.median(ordered), ordered[int(0.99 * (len(ordered) - 1))]
            shown = f"{1000 * times[0]:.1f} | {1000 * times[1]:.1f}" if found.latencies else "- | -"
            counted = " | ".join(str(found.counts[each]) for each in ("right", "wrong", "lost"))
            client = f"SDK of {Path(sdk).parent.parent.name}" if sdk else "raw"
            name = f"{server.name} | {transport} | {client} | {clients}"
            processor = f"{found.processor:.3f}" if found.processor else "-"
            print(
                f"| {name} | {counted} | {found.rate:,.0f} | {shown} | {processor} | {share} |",
                flush=True,
            )
            failed |= bool(found.counts["wrong"] + found.counts["lost"])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
