# ruff: noqa: S603 - the processes are our own
"""The proxy between a client and a server that are scripts: every line, byte for byte."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from schema2model.proxying.proxy import Proxy

SERVER = [sys.executable, str(Path(__file__).with_name("scripted_server.py"))]
PROXY = [sys.executable, "-m", "schema2model.cli", "proxy"]
SECONDS = 15.0
"""So long a test waits for what is promised; nothing is, where it does not come in a moment."""
MOMENT = 0.5
posix = pytest.mark.skipif(os.name != "posix", reason="signals and groups are those of POSIX")


class Client:
    """The two ends of a proxy: what a client says and hears, and what the server was sent."""

    def __init__(self, folder: Path, *words: str, options: tuple[str, ...] = ()) -> None:
        self.received = folder / "received"
        self.said = folder / "stderr"
        command = [*SERVER, str(self.received), *words]
        with self.said.open("wb") as stderr:
            self.process = subprocess.Popen(
                [*PROXY, *options, "--", *command] if options != ("direct",) else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self.input: Any = self.process.stdin
        self._heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reading = threading.Event()
        self._reading.set()
        self._deaf = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        output: Any = self.process.stdout
        with output:
            for line in output:
                self._heard.put(line)
                self._reading.wait()
                if self._deaf:
                    return
        self._heard.put(b"")

    def close(self) -> None:
        """End, whatever has become of it."""
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.input.close()
        self._reading.set()
        self._listener.join(SECONDS)

    def send(self, *messages: Any) -> None:
        """Write messages, or lines as they are."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            self.input.write(line)
        self.input.flush()

    def send_meanwhile(self, *messages: Any) -> None:
        """The same in the background, as far as they are taken."""

        def send() -> None:
            with contextlib.suppress(BrokenPipeError):
                self.send(*messages)

        threading.Thread(target=send, daemon=True).start()

    def line(self) -> bytes:
        """The next line, or nothing at the end."""
        return self._heard.get(timeout=SECONDS)

    def next(self) -> Any:
        """The next message."""
        return json.loads(self.line())

    def hears_nothing(self) -> bool:
        """For a moment."""
        try:
            self._heard.get(timeout=MOMENT)
        except queue.Empty:
            return True
        return False

    def served(self) -> list[bytes]:
        """The lines that the server was sent, without what the proxy asks for itself."""
        lines = self.received.read_bytes().splitlines(keepends=True)
        return [line for line in lines if b'"schema2model-' not in line]

    def ends(self) -> tuple[int, str]:
        """The exit code, and what is on standard error but for the server's own line."""
        code = self.process.wait(SECONDS)
        return code, self.said.read_text().replace("the server is there\n", "")


Connect = Callable[..., Client]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Start a proxy with a server."""
    clients: list[Client] = []

    def connected(*words: str, options: tuple[str, ...] = ()) -> Client:
        clients.append(Client(tmp_path, *words, options=options))
        return clients[-1]

    yield connected
    for client in clients:
        client.close()


def request(number: Any, method: str, **params: Any) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: Any, arguments: Any, name: str = "search", **params: Any) -> dict[str, Any]:
    """A call of a tool."""
    return request(number, "tools/call", name=name, arguments=arguments, **params)


def got(message: Any) -> Any:
    """The arguments that reached the server, as it says in its result."""
    return message["result"]["got"]["arguments"]


def refusal(number: Any, found: str = '"many"') -> dict[str, Any]:
    """What a call with a wrong limit is answered with."""
    text = f"Error parsing arguments for `search`:\n- /limit: expected integer, found {found}"
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return {"jsonrpc": "2.0", "id": number, "result": result}


STRINGIFIED = {"tags": '["a"]', "limit": "10"}
TYPED = {"tags": ["a"], "limit": 10}


# ------------------------------------------------------------------------------------------ calls
def test_arguments_are_coerced_that_a_server_alone_takes_as_they_come(connect: Connect) -> None:
    """With the proxy it gets what its schema asks for."""
    alone = connect(options=("direct",))
    alone.send(call(1, STRINGIFIED))
    assert got(alone.next()) == STRINGIFIED
    client = connect()
    client.send(request(0, "tools/list"))
    assert [tool["name"] for tool in client.next()["result"]["tools"]][:2] == ["search", "other"]
    client.send(call(1, STRINGIFIED))
    assert got(client.next()) == TYPED


def test_hopeless_calls_are_answered_and_never_reach_the_server(connect: Connect) -> None:
    """With what to tell the model, as a tool's error."""
    client = connect()
    client.send(call(1, {"limit": "many"}), call(2, TYPED))
    assert client.next() == refusal(1)
    assert got(client.next()) == TYPED
    assert [json.loads(line)["id"] for line in client.served()] == [2]


def test_a_call_that_wants_a_task_is_refused_with_an_error(connect: Connect) -> None:
    """Its result would have to be a task."""
    client = connect()
    client.send(call(1, {"limit": "many"}, task={"ttl": 1}))
    error = client.next()["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("Error parsing arguments for `search`:")


@pytest.mark.parametrize(
    ("given", "arrived"),
    [
        pytest.param('{"limit": 1}', {"limit": 1}, id="json"),
        pytest.param("```json\n{'limit': '1', 'tags': ['a',]}\n```", None, id="malformed"),
        pytest.param("", {}, id="empty"),
        pytest.param(None, {}, id="null"),
        pytest.param([{"limit": "1"}], {"limit": 1}, id="listed"),
        pytest.param({"limit": 3.0}, {"limit": 3}, id="integral-float"),
        pytest.param({"limit": "1", "score": 3.0}, {"limit": 1, "score": 3.0}, id="float"),
    ],
)
def test_whatever_stands_for_arguments_is_read(connect: Connect, given: Any, arrived: Any) -> None:
    """Text as a provider sent it, too."""
    client = connect()
    client.send(call(1, given))
    wanted = {"limit": 1, "tags": ["a"]} if arrived is None else arrived
    assert json.dumps(got(client.next())) == json.dumps(wanted)


def test_a_changed_call_keeps_all_but_what_changes(connect: Connect) -> None:
    """Keys in their order, what is unknown, and every digit."""
    client = connect()
    meta = b'{"progressToken":12345678901234567890123,"x":[0.1,1e-07,"\xc3\xa9"]}'
    before = b'{"id":"a","params":{"_meta":%b,"arguments":{"limit":%b,"score":%b},"name":"search",'
    before += b'"future":null},"method":"tools/call","jsonrpc":"2.0","trace":{}}\n'
    digits = b"98765432109876543210"
    client.send(before % (meta, b'"%b"' % digits, b"1.5"))
    client.line()
    assert client.served() == [before % (meta, digits, b"1.5")]


@pytest.mark.parametrize("kind", ["lenient", "off"])
def test_the_coercion_is_the_users_choice(connect: Connect, kind: str) -> None:
    """`off` only checks."""
    client = connect(options=("--coercion", kind))
    client.send(call(1, {"tags": "a, b"}), call(2, {"limit": "1"}))
    if kind == "lenient":
        assert [got(client.next()), got(client.next())] == [{"tags": ["a", "b"]}, {"limit": 1}]
    else:
        assert [client.next()["result"]["isError"], client.next()["result"]["isError"]] == [
            True
        ] * 2


def test_a_batch_is_taken_apart_only_where_it_must_be(connect: Connect) -> None:
    """What is refused is answered in a batch; what is left is forwarded in one."""
    client = connect()
    client.send([call(1, TYPED), request(2, "ping")])
    assert [client.next()["id"], client.next()["id"]] == [1, 2]
    client.send([None, call(3, {"limit": "many"}), call(4, STRINGIFIED), request(5, "ping")])
    assert client.next() == [refusal(3)]
    assert got(client.next()) == TYPED
    assert client.next()["id"] == 5
    first, second = map(json.loads, client.served())
    assert [message["id"] for message in first] == [1, 2]
    assert second == [None, call(4, TYPED), request(5, "ping")]


# ------------------------------------------------------------------------------- byte for byte
LINES = [
    pytest.param(
        b'{ "jsonrpc" : "2.0", "method" : "x", "n" : 1.50E+2 , "u":"\\u00e9" }\n', id="spaces"
    ),
    pytest.param(
        b'{"jsonrpc":"2.0","id":9,"method":"future/thing","params":[1]}\r\n', id="unknown"
    ),
    pytest.param(b'{"jsonrpc":"2.0","id":7,"result":{"roots":[]},"more":1}\n', id="answer"),
    pytest.param(b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n', id="no-call"),
    pytest.param(
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search","arguments":"x"}}\n',
        id="notification",
    ),
    pytest.param(
        b'{"id":1,"method":"tools/call","params":{"name":"search","arguments":{"score":1e1,'
        b'"limit":1 }}}\n',
        id="valid",
    ),
    pytest.param(
        b'{"id":1,"method":"tools/call","params":{"name":"none","arguments":{"limit":"1"}}}\n',
        id="unknown-tool",
    ),
    pytest.param(
        b'{"id":1,"method":"tools/call","params":{"name":"search","arguments":{"score":1e999}}}\n',
        id="infinite",
    ),
    pytest.param(b'{"id":1,"method":"tools/call","params":{"name":["search"]}}\n', id="name"),
    pytest.param(b'{"method":"x","params":' + b"[" * 5000 + b"]" * 5000 + b"}\n", id="deep"),
    pytest.param(
        b'{"id":[1],"method":"tools/call","params":{"name":"search","arguments":{"limit":"x"}}}\n',
        id="no-id",
    ),
    pytest.param(b"\n", id="blank"),
    pytest.param(b"GET / HTTP/1.1\r\n", id="rubbish"),
    pytest.param(b"\xff\xfe\x00\n", id="binary"),
    pytest.param(b"[]\n", id="empty-batch"),
    pytest.param(b'[1,"x",null,{"method":3}]\n', id="strange-batch"),
    pytest.param(b"no line feed at the end", id="unended"),
]


@pytest.mark.parametrize("line", LINES)
def test_what_does_not_change_is_forwarded_byte_for_byte(connect: Connect, line: bytes) -> None:
    """To the server, which has its own words for what is no JSON."""
    client = connect()
    client.send(line)
    client.input.close()
    assert client.ends()[0] == 0
    assert b"".join(client.served()) == line + b"EOF\n"


@pytest.mark.parametrize("line", LINES)
def test_what_a_server_says_is_forwarded_byte_for_byte(connect: Connect, line: bytes) -> None:
    """To the client."""
    client = connect()
    client.send({"method": "say", "params": {"line": line.decode("latin-1")}})
    client.input.close()
    assert client.line() == line.removesuffix(b"\n") + b"\n"


@pytest.mark.parametrize("size", [2**20, 2**24 - 1, 2**24, 40_000_000])
def test_huge_messages_pass(connect: Connect, size: int) -> None:
    """Images, for instance, in both directions."""
    client = connect()
    sent = request(1, "x", image="A" * size)
    client.send(sent)
    line = client.line()
    assert len(line) > size
    assert json.loads(line)["result"]["got"] == sent["params"]


MEMBERS = st.sampled_from(
    ["x", "tools/call", "tools/list", "notifications/cancelled", "notifications/tools/list_changed"]
)
STRANGE_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["search"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
PARAMS = st.dictionaries(
    st.sampled_from(["name", "arguments", "_meta", "requestId", "cursor", "task"]), STRANGE_VALUES
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": STRANGE_VALUES,
        "method": MEMBERS | STRANGE_VALUES,
        "params": PARAMS | STRANGE_VALUES,
        "result": st.fixed_dictionaries({"tools": STRANGE_VALUES}) | STRANGE_VALUES,
    },
)


@given(st.lists(st.tuples(st.booleans(), MESSAGES | st.lists(MESSAGES)), max_size=5))
def test_nothing_that_is_said_breaks_the_proxy(said: list[tuple[bool, Any]]) -> None:
    """It forwards all that is not its own business, whatever the members of a message hold."""
    to_server: list[bytes] = []
    to_client: list[bytes] = []
    proxy = Proxy(to_server.extend, to_client.extend, timeout=0)
    tools = {"tools": [{"name": "search", "inputSchema": {"required": ["x"]}}]}
    proxy.from_client(b'{"id":"l","method":"tools/list"}')
    proxy.from_server(json.dumps({"id": "l", "result": tools}).encode())
    to_server.clear()
    to_client.clear()
    for by_client, message in said:
        line = json.dumps(message).encode() + b"\n"
        if by_client:
            proxy.from_client(line)
            assert b"tools/call" in line or to_server[-1] == line
        else:
            proxy.from_server(line)
            assert to_client[-1] == line
    proxy.client_ended()


def test_lines_keep_their_order(connect: Connect) -> None:
    """Of all kinds, changed and unchanged."""
    client = connect()
    client.send(request(0, "tools/list"))
    client.next()
    sent = []
    for number in range(300):
        notification = {"jsonrpc": "2.0", "method": "n", "params": {"n": number}}
        sent += [call(number, {"limit": str(number)}), notification, request(-number, "ping")]
    client.send_meanwhile(*sent)
    answers = [client.next()["id"] for _ in range(600)]
    assert answers == [id_ for number in range(300) for id_ in (number, -number)]
    arrived = [json.loads(line) for line in client.served()[1:]]
    assert [message["method"] for message in arrived] == [message["method"] for message in sent]


# --------------------------------------------------------------------------------- the tools' list
def test_a_list_that_the_client_asks_for_is_enough(connect: Connect) -> None:
    """The proxy asks for nothing itself."""
    client = connect()
    client.send(request("list", "tools/list"))
    client.next()
    client.send(call(1, STRINGIFIED))
    assert got(client.next()) == TYPED
    assert b"schema2model" not in client.received.read_bytes()


def test_all_pages_of_the_clients_list_count(connect: Connect) -> None:
    """One after the other."""
    client = connect("pages")
    for cursor in (None, "1"):
        client.send(request(cursor or 0, "tools/list", **({"cursor": cursor} if cursor else {})))
        client.next()
    client.send(call(1, STRINGIFIED), call(2, STRINGIFIED, "other"))
    assert [got(client.next()), got(client.next())] == [TYPED, TYPED]
    assert b"schema2model" not in client.received.read_bytes()


@pytest.mark.parametrize("words", [(), ("pages",)], ids=["one-page", "pages"])
def test_the_proxy_asks_when_the_client_has_not(connect: Connect, words: tuple[str, ...]) -> None:
    """The client sees nothing of it, and it is asked once."""
    client = connect(*words)
    for number in range(3):
        client.send(call(number, STRINGIFIED, "other"))
        answer = client.next()
        assert (answer["id"], got(answer)) == (number, TYPED)
    assert client.hears_nothing()
    asked = [json.loads(line) for line in client.received.read_bytes().splitlines()][:-3]
    assert [message["method"] for message in asked] == ["tools/list"] * (5 if words else 1)
    assert len({message["id"] for message in asked}) == len(asked)


def test_the_proxy_asks_with_what_the_client_says_of_itself(connect: Connect) -> None:
    """Since MCP 2026-07-28 every request has to; a progress token is for one request only."""
    client = connect()
    version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    client.send(call(1, {}, _meta={"progressToken": 7, **version}))
    client.next()
    asked = json.loads(client.received.read_bytes().splitlines()[0])
    assert asked["params"] == {"_meta": version}


@pytest.mark.parametrize("number", [1, "1", -5, 2.5, "schema2model-1", "é", 10**30, ""])
def test_ids_come_back_as_they_were(connect: Connect, number: Any) -> None:
    """Of any type, also while the proxy asks for a list with ids of its own."""
    client = connect()
    client.send(call(number, STRINGIFIED), call(number, {"limit": "many"}))
    answers = [client.next(), client.next()]
    assert [answer["id"] for answer in answers] == [number, number]
    assert refusal(number) in answers
    answers.remove(refusal(number))
    assert got(answers[0]) == TYPED


def test_ids_of_different_types_are_different(connect: Connect) -> None:
    """1 is not "1"; an answer to one is not taken for an answer to the other."""
    client = connect("never-list")
    client.send(request(1, "tools/list"), request("1", "ping"))
    assert client.next()["id"] == "1"
    client.send(request(2, "die"))
    assert sorted(client.next()["id"] for _ in range(2)) == [1, 2]
    assert client.line() == b""


def test_a_changed_list_is_read_anew(connect: Connect) -> None:
    """The notification is forwarded, and the new schema counts for the next call."""
    client = connect()
    client.send(request(0, "tools/list"))
    client.next()
    client.send(call(1, STRINGIFIED, "change"))
    assert client.line() == b'{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}\n'
    assert got(client.next()) == TYPED
    client.send(call(2, {"limit": 10}))
    assert got(client.next()) == {"limit": "10"}


def test_a_call_waits_for_the_list_and_nothing_else_does() -> None:
    """But for other calls, and its own cancellation: they keep their order."""
    sent: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    heard: list[bytes] = []

    def arrived() -> Any:
        return json.loads(sent.get(timeout=SECONDS))

    proxy = Proxy(lambda parts: sent.put(b"".join(parts)), heard.extend, timeout=MOMENT)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    other = {**cancel, "params": {"requestId": 99}}
    first, second, ping = call(1, STRINGIFIED), call(2, {}, "other"), request(3, "ping")
    proxy.from_client(json.dumps(first).encode())
    asked = arrived()
    assert asked["method"] == "tools/list"
    for message in (cancel, other, second, ping):
        proxy.from_client(json.dumps(message).encode())
    assert [arrived(), arrived()] == [other, ping]
    assert [arrived(), arrived(), arrived()] == [
        first,
        cancel,
        second,
    ]  # as they are, after a while
    proxy.from_client(json.dumps(call(4, STRINGIFIED)).encode())  # there is no use in waiting again
    assert arrived() == call(4, STRINGIFIED)

    tools = [{"name": "search", "inputSchema": {"properties": {"limit": {"type": "integer"}}}}]
    late = {"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}}
    proxy.from_server(json.dumps(late).encode())  # it counts all the same
    proxy.from_client(json.dumps(call(5, {"limit": "1"})).encode())
    assert arrived() == call(5, {"limit": 1})
    assert heard == []


def test_a_list_that_is_refused_is_the_servers_business(connect: Connect) -> None:
    """Calls go as they are, at once."""
    client = connect("refuse-list")
    client.send(call(1, STRINGIFIED))
    assert got(client.next()) == STRINGIFIED


STRANGE = [
    pytest.param(None, "", id="null"),
    pytest.param([], "", id="array"),
    pytest.param({}, "", id="empty"),
    pytest.param({"tools": {}}, "", id="no-list"),
    pytest.param(
        {"tools": [1, None, {}, {"name": 1}, {"name": "search"}], "nextCursor": 5},
        "",
        id="no-tools",
    ),
    pytest.param(
        {"tools": [{"name": "search", "inputSchema": {"type": "nothing\n"}}]},
        '/type: "nothing\\n" is not valid',
        id="invalid",
    ),
    pytest.param(
        {"tools": [{"name": "search", "inputSchema": {"$ref": "file:///etc/passwd"}}]},
        "file:///etc/passwd",
        id="remote",
    ),
]


@pytest.mark.parametrize(("result", "reason"), STRANGE)
def test_a_strange_list_takes_no_tool_away(connect: Connect, result: Any, reason: str) -> None:
    """What cannot be compiled is called as it is; standard error says why, in one line."""
    client = connect(f"list={json.dumps(result)}")
    client.send(request("list", "tools/list"))
    assert client.next()["result"] == result
    client.send(call(1, STRINGIFIED))
    assert got(client.next()) == STRINGIFIED
    client.send(call(2, STRINGIFIED))
    assert got(client.next()) == STRINGIFIED
    client.input.close()
    code, said = client.ends()
    assert code == 0
    assert reason in said
    assert said.count("\n") == bool(reason)


def test_a_list_without_an_end_is_not_read_forever(connect: Connect) -> None:
    """A hundred pages, and not once more for the next call."""
    client = connect('list={"tools": [], "nextCursor": "more"}')
    client.send(call(1, STRINGIFIED), call(2, STRINGIFIED))
    assert [got(client.next()), got(client.next())] == [STRINGIFIED] * 2
    assert client.received.read_bytes().count(b"tools/list") == 100


# ----------------------------------------------------------------------------------------- the end
def test_a_server_that_dies_leaves_no_request_without_an_answer(connect: Connect) -> None:
    """Each gets an error, the exit code is 1, and one line says why."""
    client = connect("never-list")
    client.send(request(1, "tools/list"), call("held", {}), request(3, "die"))
    errors = [client.next() for _ in range(3)]
    assert [error["id"] for error in errors] == [1, "held", 3]
    for error in errors:
        assert error["error"] == {"code": -32000, "message": "the server ended with exit code 3"}
    assert client.line() == b""
    assert client.ends() == (1, "schema2model proxy: the server ended with exit code 3\n")


def test_a_message_that_is_cut_off_does_not_swallow_the_errors(connect: Connect) -> None:
    """They come in lines of their own."""
    client = connect()
    client.send({"method": "say", "params": {"line": '{"jsonrpc": "2.0", "id": 1, "res'}})
    client.send(request(1, "die"))
    assert client.line() == b'{"jsonrpc": "2.0", "id": 1, "res\n'
    assert client.next()["error"]["message"] == "the server ended with exit code 3"


def test_a_server_that_closes_its_output_has_gone(connect: Connect) -> None:
    """Whether or not it runs on."""
    client = connect()
    client.send({"jsonrpc": "2.0", "method": "close"})
    assert client.line() == b""
    code, said = client.ends()
    assert code == 1
    assert said.startswith("schema2model proxy: the server ")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("/nowhere/server", id="missing"),
        pytest.param(str(Path(__file__).parent), id="folder"),
    ],
)
def test_a_command_that_cannot_be_started_is_named(command: str) -> None:
    """With exit code 2."""
    done = subprocess.run([*PROXY, "--", command], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"Error: cannot start `{re.escape(command)}`: .+\n", done.stderr)


@pytest.mark.parametrize("arguments", [[], ["--url", "http://localhost/", "--", "server"]])
def test_there_is_one_server(arguments: list[str]) -> None:
    """A command or a URL."""
    done = subprocess.run([*PROXY, *arguments], capture_output=True, check=False, text=True)
    assert done.returncode == 2
    assert "Give either the COMMAND that starts the server, or its --url." in done.stderr


def test_the_servers_options_need_no_dashes_before_them(tmp_path: Path) -> None:
    """What follows the command is its own."""
    command = [*PROXY, sys.executable, "-c", "import sys; print(sys.argv)", "--log", "x", "-h"]
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL
    )
    assert done.stdout == "['-c', '--log', 'x', '-h']\n"


def test_when_the_client_goes_the_server_is_told_and_may_speak(connect: Connect) -> None:
    """It sees the end of its input, ends by itself, and its last words arrive."""
    client = connect("talk")
    client.input.close()
    assert client.line() == b"bye\n"
    assert client.line() == b""
    assert client.ends() == (0, "")
    assert client.served() == [b"EOF\n"]


@posix
def test_a_server_that_does_not_end_is_ended(connect: Connect) -> None:
    """Asked first, then killed."""
    client = connect("stubborn")
    client.send(request(1, "ping"))
    client.next()
    client.input.close()
    assert client.ends()[0] == 0
    assert client.line() == b""  # nobody holds the other end any more


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_too(connect: Connect, number: signal.Signals) -> None:
    """Quietly."""
    client = connect("stubborn")
    client.send(request(1, "ping"))
    client.next()
    client.process.send_signal(number)
    assert client.ends() == (0, "")
    assert client.line() == b""


@posix
def test_a_signal_counts_while_the_client_does_not_read(connect: Connect) -> None:
    """Even if the proxy cannot say what it has to say."""
    client = connect()
    client.send(request(0, "ping"))
    client.next()
    client._reading.clear()
    filler = "x" * 2**20 + "\n"
    sent = [request(number, "say", line=filler) for number in range(8)]
    client.send_meanwhile(*sent, request(9, "die"))
    time.sleep(MOMENT)
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(SECONDS) == 0
    client._reading.set()


def test_a_client_that_has_closed_its_ears_is_gone(connect: Connect) -> None:
    """The server is told, and the proxy ends."""
    client = connect()
    client._deaf = True
    client.send(request(1, "ping"))
    client.next()
    client._listener.join()
    client.send(request(2, "ping"))
    assert client.process.wait(SECONDS) == 0
    assert client.served()[-1] == b"EOF\n"


def test_what_is_not_read_does_not_pile_up(connect: Connect) -> None:
    """A slow client slows the server down, and nothing is lost."""
    client = connect()
    client._reading.clear()
    lines = 64
    filler = "x" * 2**20 + "\n"
    sent = [request(number, "say", line=filler) for number in range(lines)]
    client.send_meanwhile(*sent)
    time.sleep(2 * MOMENT)
    assert len(client.served()) < 16
    client._reading.set()
    assert sum(len(client.line()) for _ in range(lines)) == lines * len(filler)


# ------------------------------------------------------------------------------------------- words
def test_the_servers_standard_error_is_the_proxys(connect: Connect) -> None:
    """Unchanged, and nothing is added unless it is asked for."""
    client = connect()
    client.send(call(1, STRINGIFIED), call(2, {"limit": "many"}))
    client.next(), client.next()
    client.input.close()
    assert client.ends() == (0, "")
    assert client.said.read_text() == "the server is there\n"


@pytest.mark.parametrize("file", ["-", "log"])
def test_the_log_has_a_line_for_each_call_that_is_changed(
    connect: Connect, tmp_path: Path, file: str
) -> None:
    """Where and by which rule; not the values, which may be secret."""
    path = "-" if file == "-" else str(tmp_path / file)
    client = connect(options=("--log", path))
    secret = call(1, {"limit": "1234", "tags": "['s3cret']"})
    client.send(secret, call(2, {"limit": "s3cret"}), call(3, TYPED))
    for _ in range(3):
        client.next()
    client.input.close()
    code, said = client.ends()
    assert code == 0
    if file == "log":
        assert said == ""
        said = Path(path).read_text()
    first, second = said.splitlines()
    assert first.endswith('changed a call of "search": /limit (json_text), /tags (loose_json_text)')
    assert second.endswith('refused a call of "search": /limit (type)')
    assert "s3cret" not in said
    assert "1234" not in said


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Before anything is started."""
    command = [*PROXY, "--log", str(tmp_path), "--", *SERVER, str(tmp_path / "received")]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: cannot write to {tmp_path}: ")
    assert not (tmp_path / "received").exists()
