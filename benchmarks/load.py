# ruff: noqa: S603 - the processes are our own; the figures are printed
"""Load on `schema2model proxy --listen`, from 1 to 200 clients at a time; every answer is checked.

python -m benchmarks.load [--clients 1,8,32,200] [--seconds 3] [--calls 4000]

Each client has a session, sends one call after the other, and gets its own number back. Beside the
figures of the proxy are those of the same server without it, one process for each client. Loopback
only; `--calls` and `--seconds` bound each row of the table.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

SERVER = """
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
COMMAND = [sys.executable, "-c", SERVER]
MAX_CLIENTS = 200
MAX_PAUSE = 2.0
INFO = {"name": "load", "version": "1"}
HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO}

Ask = Callable[[dict[str, Any]], Any]
"""Sends a message and returns the answer, if it has one."""


@contextlib.contextmanager
def direct() -> Iterator[Ask]:
    """A server process of one client."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(message: dict[str, Any]) -> Any:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline()) if "id" in message else None

        yield ask
        process.stdin.close()


@contextlib.contextmanager
def over_http(port: int) -> Iterator[Ask]:
    """A session with a proxy, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
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
        lines = [line[6:] for line in content.splitlines() if line.startswith(b"data: {")]
        return json.loads(lines[-1]) if lines else None

    try:
        yield ask
        connection.request("DELETE", "/mcp", headers=headers)
        connection.getresponse().read()
    finally:
        connection.close()


@contextlib.contextmanager
def proxy(clients: int) -> Iterator[int]:
    """The port of a listening proxy."""
    words = [sys.executable, "-m", "schema2model", "proxy", "--listen", "127.0.0.1:0"]
    words += ["--max-sessions", str(clients), "--", *COMMAND]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"listens on http://[^:]+:(\d+)", process.stderr.readline())
        assert found, "the proxy does not listen"
        try:
            yield int(found[1])
        finally:
            process.terminate()
            process.communicate(timeout=60)


def load(
    clients: int,
    connect: Callable[[], Any],
    *,
    seconds: float,
    calls: int,
    sent: Callable[[int], Any],
) -> tuple[int, float, list[float], int]:
    """Return the number of right answers, the seconds, the latencies and the wrong answers."""
    latencies: list[float] = []
    wrong: list[Any] = []
    lock, ready = threading.Lock(), threading.Barrier(clients + 1)
    share = max(1, calls // clients)

    def client(number: int) -> None:
        own: list[float] = []
        try:
            with connect() as ask:
                ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE})
                ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
                ready.wait(120)
                end = time.perf_counter() + seconds
                for index in range(1, share + 1):
                    value = number * 1_000_000 + index
                    params = {"name": "echo", "arguments": {"n": sent(value)}}
                    begun = time.perf_counter()
                    message = {"jsonrpc": "2.0", "id": index, "method": "tools/call"}
                    answer = ask({**message, "params": params})
                    took = time.perf_counter() - begun
                    text = answer["result"]["content"][0]["text"]
                    if answer["id"] != index or int(json.loads(text)["n"]) != value:
                        wrong.append(answer)
                    else:
                        own.append(took)
                    if time.perf_counter() > end:
                        break
        except Exception as error:  # noqa: BLE001 - each is a call without an answer
            wrong.append(repr(error))
            ready.abort()
        with lock:
            latencies.extend(own)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    with contextlib.suppress(threading.BrokenBarrierError):
        ready.wait(120)
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    if wrong:
        print(f"wrong: {wrong[0]}", file=sys.stderr)
    return len(latencies), time.perf_counter() - begun, latencies, len(wrong)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", default="1,8,32,200")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--calls", type=int, default=4_000)
    options = parser.parse_args()
    print("| clients | | calls | wrong | calls a second | median ms | 99 % ms |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    failed = False
    for clients in (min(int(each), MAX_CLIENTS) for each in options.clients.split(",")):
        bounds = {"seconds": min(options.seconds, 60.0), "calls": min(options.calls, 100_000)}
        rows = [("server alone", load(clients, direct, **bounds, sent=int))]
        with proxy(clients) as port:
            through = load(clients, lambda: over_http(port), **bounds, sent=str)
        rows.append(("proxy", through))
        for name, (right, seconds, latencies, wrong) in rows:
            ordered = sorted(latencies) or [0.0]
            high = ordered[int(0.99 * (len(ordered) - 1))] * 1000
            middle = statistics.median(ordered) * 1000
            rate = right / seconds
            figures = f"{rate:,.0f} | {middle:.1f} | {high:.1f}"
            print(f"| {clients} | {name} | {right} | {wrong} | {figures} |")
            failed |= bool(wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
