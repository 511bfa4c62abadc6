"""The proxy between a client and a server that are scripts: every line, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, strategies as st
from on_a_loop import Proxy, Sides
from proxied import STRINGIFIED, TYPED, Connect, call, got, posix, request
from waiting import PATIENCE, until

LINES = {
    "spaces": (b'{ "jsonrpc" : "2.0", "method" : "x", "n" : 1.50E+2 , "u":"\\u00e9" }\n'),
    "unknown": (b'{"jsonrpc":"2.0","id":9,"method":"future/thing","params":[1]}\r\n'),
    "answer": (b'{"jsonrpc":"2.0","id":7,"result":{"roots":[]},"more":1}\n'),
    "valid": (
        b'{"id":1,"method":"tools/call","params":{"name":"search","arguments":{"score":1e1,'
        b'"limit":1 }}}\n'
    ),
    "unknown-tool": (
        b'{"id":2,"method":"tools/call","params":{"name":"none","arguments":{"limit":"1"}}}\n'
    ),
    "name": (b'{"id":3,"method":"tools/call","params":{"name":["search"]}}\n'),
    "unended": (b'{"method": "x", "params": "no line feed at the end"}'),
}

REFUSED: dict[str, tuple[bytes, Any]] = {
    "infinite": (
        b'{"id":1,"method":"tools/call","params":{"name":"search","arguments":{"score":1e999}}}\n',
        1,
    ),
    "infinite-meta": (
        b'{"method":"tools/call","params":{"_meta":{"x":-1e999},"name":"search"},"id":"a"}\n',
        "a",
    ),
    "deep": (b'{"id":2.0,"method":"x","params":' + b"[" * 201 + b"]" * 201 + b"}\n", 2),
    "very-deep": (b'{"id":3,"method":"x","params":' + b"[" * 50000 + b"]" * 50000 + b"}\n", 3),
    "deep-meta": (
        b'{"method":"tools/call","params":{"name":"search","arguments":{"limit":"1"},"_meta":'
        + b'{"a":' * 200
        + b"1"
        + b"}" * 200
        + b'},"id":4}\n',
        4,
    ),
    "nan": (b'{"id":5,"method":"x","params":NaN}\n', 5),
    "nan-id": (b'{"id":NaN,"method":"x"}\n', None),
    "infinite-id": (b'{"id":-1e999,"method":"x"}\n', None),
    "answer": (b'{"id":6,"result":1e999}\n', None),
    "rubbish": (b"GET / HTTP/1.1\r\n", None),
    "binary": (b"\xff\xfe\x00\n", None),
    "empty-batch": (b"[]\n", None),
    "no-call": (b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n', None),
    "strange-id": (
        b'{"id":[1],"method":"tools/call","params":{"name":"search","arguments":{"limit":"x"}}}\n',
        None,
    ),
    "notification": (
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search","arguments":"x"}}\n',
        None,
    ),
    "no-line-feed": (b"no line feed at the end", None),
}
"""Lines that cannot be checked, and the id of the request in each."""


def test_what_does_not_change_is_forwarded_byte_for_byte(connect: Connect) -> None:
    """To the server. The last line has an end there, and blank lines are none."""
    client = connect()
    client.send(call("first", {}, "none"))  # after which the proxy knows all tools
    client.next()
    client.send(b"\n", *LINES.values())
    client.input.close()
    assert client.ends()[0] == 0
    assert b"".join(client.served()[1:]) == b"".join(LINES.values()) + b"\nEOF\n"


def test_a_batch_is_its_messages(connect: Connect) -> None:
    """One after the other, each as it is spelled, in both directions."""
    client = connect()
    said = b'{"id":1.50,"method":"say","params":{"line":"[{}]\\n"}}'
    client.send(b'[1, "x", null,{"method" : 3}, %b]\n' % said)
    assert client.line() == b"{}\n"
    client.input.close()
    assert client.ends()[0] == 0
    messages = [b"1", b'"x"', b"null", b'{"method" : 3}']
    assert client.served()[:4] == [message + b"\n" for message in messages]


def test_what_cannot_be_checked_is_answered_and_never_forwarded(connect: Connect) -> None:
    """With a JSON-RPC error for its id, wherever in the message the trouble is."""
    client = connect()
    client.send(request("first", "ping"), *(line for line, _ in REFUSED.values()))
    client.input.close()
    answers = [client.next() for _ in (*REFUSED, "first")]
    refused = [answer for answer in answers if "error" in answer]
    ids = [number for _, number in REFUSED.values()]
    assert [answer["id"] for answer in refused] == ids
    assert {answer["error"]["code"] for answer in refused} == {-32700, -32600}
    assert client.ends()[0] == 0
    assert client.served()[1:] == [b"EOF\n"]


def test_a_long_result_is_answered_once() -> None:
    """Also if the server ends right after it."""
    ends = Sides()
    for head, tail in (
        (b'{"id":7,"result":"xxx', b'xxx"}\n'),
        (b'{"result":"xxx', b'xxx","id":7}\n'),
    ):
        ends.say(b'{"id":7,"method":"x"}\n')
        ends.proxy.forwarded_long(head, tail)
        assert not ends.proxy.server_ended("has ended")
    assert ends.heard.empty()


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (b'{"id":7,"params":"xxx', b'xxx","method":"sampling/createMessage"}\n'),
        (b'{"params":"xxx', b'xxx","id":7,"method":"sampling/createMessage"}\n'),
        (b'{"params":"xxx', b'xxx", "method":"sampling/createMessage", "jsonrpc":"2.0", "id":7}\n'),
    ],
)
def test_a_long_request_of_the_server_answers_nothing(head: bytes, tail: bytes) -> None:
    """The client's request of the same id stays open; a text with the word is an answer."""
    ends = Sides()
    ends.say(b'{"id":7,"method":"x"}\n')
    ends.proxy.forwarded_long(head, tail)
    assert ends.proxy.server_ended("has ended")
    assert ends.told()["id"] == 7
    ends.say(b'{"id":7,"method":"x"}\n')
    tail = b'\\"method\\":1","method":"y"}}\n'
    ends.proxy.forwarded_long(b'{"id":7,"result":{"text":"xxx', tail)
    assert not ends.proxy.server_ended("has ended")
    assert ends.heard.empty()


def test_a_broken_answer_to_nothing_is_forwarded() -> None:
    """As any other line that is not JSON: no client waits for an error."""
    ends = Sides()
    broken = b'{"id":7,"result":NaN}\n'
    ends.proxy.from_server(broken)
    assert ends.line() == broken
    ends.say(b'{"id":7,"method":"x"}\n')
    ends.proxy.from_server(broken)
    answer = ends.told()
    assert answer["id"] == 7
    assert "not JSON" in answer["error"]["message"]
    ends.proxy.from_server(broken)
    assert ends.line() == broken


def test_a_last_line_without_an_end_swallows_nothing(connect: Connect) -> None:
    """Neither a call that waits, nor what the proxy asks itself."""
    client = connect()
    client.send(call(1, STRINGIFIED), b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}')
    client.input.close()
    answers = {answer["id"]: answer for answer in (client.next(), client.next())}
    assert got(answers[1]) == TYPED
    assert "result" in answers[2]


def test_what_a_server_says_is_forwarded_byte_for_byte(connect: Connect) -> None:
    """To the client."""
    client = connect()
    said = [line.removesuffix(b"\n") + b"\n" for line in LINES.values()]
    client.send(*({"method": "say", "params": {"line": line.decode("latin-1")}} for line in said))
    client.input.close()
    assert [client.line() for _ in said] == said


def test_huge_messages_pass(connect: Connect) -> None:
    """Images, for instance, in both directions."""
    client = connect()
    for size in (2**20, 2**24 - 1, 2**24):
        sent = request(size, "x", image="A" * size)
        client.send(sent)
        line = client.line()
        assert len(line) > size
        assert json.loads(line)["result"]["got"] == sent["params"], size


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
        last = json.dumps(message[-1] if isinstance(message, list) and message else message)
        if by_client:
            proxy.from_client(line)
            is_open = bool(to_client) and b"a request with this id is open" in to_client[-1]
            is_other = b"tools/call" in line or message == []
            assert is_other or is_open or to_server[-1].strip() == last.encode()
        else:
            proxy.from_server(line)
            assert to_client[-1].strip() == last.encode()
    proxy.client_ended()


def test_lines_keep_their_order(connect: Connect) -> None:
    """Of all kinds, changed and unchanged."""
    client = connect()
    client.send(request(0, "tools/list"))
    client.next()
    sent = []
    for number in range(300):
        notification = {"jsonrpc": "2.0", "method": "n", "params": {"n": number}}
        sent += [call(number, {"limit": str(number)}), notification, request(-1 - number, "ping")]
    client.send_meanwhile(*sent)
    answers = [client.next()["id"] for _ in range(600)]
    assert answers == [id_ for number in range(300) for id_ in (number, -1 - number)]
    arrived = [json.loads(line) for line in client.served()[1:]]
    assert [message["method"] for message in arrived] == [message["method"] for message in sent]


@posix
def test_what_is_read_late_is_whole(connect: Connect) -> None:
    """A slow client slows the server down, and nothing is lost."""
    client = connect()
    client.reading.clear()
    lines = 16
    filler = "x" * 2**20 + "\n"
    sent = [request(number, "say", line=filler) for number in range(lines)]
    client.send_meanwhile(*sent)
    until(client.is_full)
    client.reading.set()
    assert sum(len(client.line()) for _ in range(lines)) == lines * len(filler)


def test_a_list_that_changes_all_the_time_holds_up_no_call() -> None:
    """A server that announces a change with every list: calls are corrected by the last one."""
    lists, calls = [], []
    changed = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
    schema = {"type": "object", "properties": {"limit": {"type": "integer"}}}

    def serve(parts: Iterable[bytes]) -> None:
        message = json.loads(b"".join(parts))
        if message["method"] != "tools/list":
            calls.append(message["params"]["arguments"])
            return
        lists.append(message["id"])
        proxy.from_server(changed)
        result = {"tools": [{"name": "search", "inputSchema": schema}]}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        proxy.from_server(json.dumps(answer).encode() + b"\n")
        proxy.from_server(changed)

    proxy = Proxy(serve, lambda parts: None, timeout=PATIENCE)
    params = {"name": "search", "arguments": {"limit": "10"}}
    for number in range(3):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        proxy.from_client(json.dumps(message).encode() + b"\n")
    proxy.client_ended()
    assert calls == [{"limit": 10}] * 3
    assert len(lists) <= 3 * 3
