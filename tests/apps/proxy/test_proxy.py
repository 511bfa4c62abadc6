"""The proxy between a client and a server that are scripts: what becomes of calls."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from on_a_loop import Sides
from proxied import STRINGIFIED, TYPED, Connect, call, got, refusal, request
from waiting import PATIENCE

from schema2model.apps.proxy import session as proxying


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


ARGUMENTS: list[tuple[Any, Any]] = [
    ('{"limit": 1}', {"limit": 1}),
    ("```json\n{'limit': '1', 'tags': ['a',]}\n```", {"tags": ["a"], "limit": 1}),
    ("", {}),
    (None, {}),
    ([{"limit": "1"}], {"limit": 1}),
    ({"limit": 3.0}, {"limit": 3}),
    ({"limit": "1", "score": 3.0}, {"limit": 1, "score": 3.0}),
]


def test_whatever_stands_for_arguments_is_read(connect: Connect) -> None:
    """Text as a provider sent it, too."""
    client = connect()
    client.send(*(call(number, given) for number, (given, _) in enumerate(ARGUMENTS)))
    found = [got(client.next()) for _ in ARGUMENTS]
    wanted = [arrived for _, arrived in ARGUMENTS]
    assert json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)


def test_a_changed_call_keeps_all_but_what_changes(connect: Connect) -> None:
    """Keys in their order, what is unknown, and every digit."""
    client = connect()
    meta = b'{"progressToken":12345678901234567890123,"x":[0.1,1e-07,"\xc3\xa9"]}'
    before = b'{"id":"a","params":{"_meta":%b,"arguments":{"limit":%b,"score":%b},"name":"search",'
    before += b'"future":null},"method":"tools/call","jsonrpc":"2.0","trace":{}}\n'
    digits = b"98765432109876543210"
    client.send(before % (meta, b'"%b"' % digits, b"1.50"))
    client.line()
    assert client.served() == [before % (meta, digits, b"1.50")]


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


def test_each_call_of_a_batch_is_read(connect: Connect) -> None:
    """As if it came alone."""
    client = connect()
    client.send(request(0, "tools/list"))
    client.next()
    client.send([None, call(3, {"limit": "many"}), call(4, STRINGIFIED), request(5, "ping")])
    answers = {answer["id"]: answer for answer in (client.next() for _ in range(3))}
    assert answers[3] == refusal(3)
    assert got(answers[4]) == TYPED
    assert list(map(json.loads, client.served()[1:])) == [None, call(4, TYPED), request(5, "ping")]


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
    client.send(request("last", "ping"))
    assert client.next()["id"] == "last"
    asked = [json.loads(line) for line in client.received.read_bytes().splitlines()][:-4]
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


def test_ids_come_back_as_they_were(connect: Connect) -> None:
    """Of any type, also while the proxy asks for a list with ids of its own."""
    ids = [1, "1", -5, 2.5, "schema2model-1", "é", 10**30, ""]
    client = connect()
    for arguments in (STRINGIFIED, {"limit": "many"}):
        client.send(*(call(number, arguments) for number in ids))
        answers = [client.next() for _ in ids]
        for number in ids:
            (own,) = [answer for answer in answers if repr(answer["id"]) == repr(number)]
            assert own == refusal(number) if "tags" not in arguments else got(own) == TYPED, number


def test_an_id_is_open_once(connect: Connect) -> None:
    """A second request with it gets an error at once, also in a batch; the first has its answer."""
    client = connect()
    client.send(request(0, "tools/list"))
    client.next()
    client.send(call(1, {"wait": True}), call(1, {}), [call(1.0, {}), call(2, STRINGIFIED)])
    answers = [client.next() for _ in range(3)]
    errors = [answer["error"]["code"] for answer in answers if answer["id"] == 1]
    assert errors == [-32600] * 2
    assert [got(answer) for answer in answers if answer["id"] == 2] == [TYPED]


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


def test_a_string_gets_a_number_as_it_is_spelled() -> None:
    """3.10 is another version than 3.1; in a batch, too."""
    ends = Sides(timeout=PATIENCE)
    properties = {"version": {"type": "string"}, "score": {"type": "number"}}
    ends.lists({"name": "search", "inputSchema": {"properties": properties}})
    sent = json.dumps([call(2, {"version": 0.5, "score": 0.5}), call(3, {"score": 0.5})])
    ends.say(sent.replace("0.5", "3.10").encode() + b"\n")
    assert ends.arrived() == call(2, {"version": "3.10", "score": 3.1})
    assert ends.arrived() == call(3, {"score": 3.1})


def test_what_else_a_server_says_leaves_the_list_as_it_is() -> None:
    """Only a changed list is read anew, and a call then waits for it."""
    ends = Sides(timeout=PATIENCE)
    ends.lists({"name": "search", "inputSchema": {"properties": {"limit": {"type": "integer"}}}})
    for said in (b'{"jsonrpc":"2.0","method":"notifications/message"}\n', b"3\n"):
        ends.proxy.from_server(said)
        assert ends.line() == said
        ends.say(call(1, {"limit": "1"}))
        assert ends.arrived() == call(1, {"limit": 1})
        ends.answer(1, result={})
        assert ends.told()["id"] == 1


def test_a_call_waits_for_the_list_and_nothing_else_does() -> None:
    """But for other calls, and its own cancellation: they keep their order."""
    ends = Sides(timeout=PATIENCE)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    other = {**cancel, "params": {"requestId": 99}}
    first, second, ping = call(1, STRINGIFIED), call(2, {}, "other"), request(3, "ping")
    ends.say(first)
    asked = ends.arrived()
    assert asked["method"] == "tools/list"
    ends.say(cancel, other, second, ping)
    assert [ends.arrived(), ends.arrived()] == [other, ping]
    ends.answer(asked["id"], error={"code": -32601, "message": "no tools"})
    assert [ends.arrived() for _ in range(3)] == [first, cancel, second]  # as they are
    assert ends.heard.empty()


def test_a_call_of_no_tool_asks_for_no_list() -> None:
    """The server says what is wrong with it."""
    ends = Sides()
    nameless = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": {}}}
    ends.say(nameless)
    assert ends.arrived() == nameless


def test_a_call_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does the next one wait again; a list that comes late counts all the same."""
    monkeypatch.setattr(proxying, "time", SimpleNamespace(monotonic=lambda: 0.0))
    ends = Sides(timeout=0.01)
    ends.say(call(1, STRINGIFIED))
    asked = ends.arrived()
    assert asked["method"] == "tools/list"
    assert ends.arrived() == call(1, STRINGIFIED)
    ends.proxy.client_ended()
    ends.say(call(2, STRINGIFIED))
    assert ends.arrived() == call(2, STRINGIFIED)
    tools = [{"name": "search", "inputSchema": {"properties": {"limit": {"type": "integer"}}}}]
    ends.answer(asked["id"], result={"tools": tools})
    ends.say(call(3, {"limit": "1"}))
    assert ends.arrived() == call(3, {"limit": 1})
    assert ends.heard.empty()


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
        '/type: unknown type "nothing\\n"',
        id="invalid",
    ),
    pytest.param(
        {"tools": [{"name": "search", "inputSchema": {"$ref": "file:///etc/passwd"}}]},
        "file:///etc/passwd",
        id="remote",
    ),
]


@pytest.mark.parametrize(("result", "reason"), STRANGE)
def test_a_strange_list_takes_no_tool_away(
    result: Any, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What cannot be compiled is called as it is; a warning says why, in one line."""
    caplog.set_level("WARNING", "schema2model")
    ends = Sides(timeout=0)
    answer = json.dumps({"jsonrpc": "2.0", "id": "list", "result": result}).encode()
    ends.say(request("list", "tools/list"))
    ends.proxy.from_server(answer)
    assert ends.line() == answer
    assert ends.arrived()["method"] == "tools/list"
    for number in range(2):
        sent = call(number, STRINGIFIED)
        ends.say(sent)
        assert ends.arrived() == sent
    ends.proxy.client_ended()
    assert [record.getMessage().count("\n") for record in caplog.records] == [0] * bool(reason)
    assert reason in caplog.text


def test_why_a_schema_cannot_be_compiled_is_on_standard_error(connect: Connect) -> None:
    """In one line, and the tool is called as it is."""
    broken = [{"name": "search", "inputSchema": {"type": "nothing\n"}}]
    client = connect(f"list={json.dumps({'tools': broken})}")
    client.send(request("list", "tools/list"), call(1, STRINGIFIED), call(2, STRINGIFIED))
    assert client.next()["result"] == {"tools": broken}
    assert [got(client.next()), got(client.next())] == [STRINGIFIED] * 2
    client.input.close()
    code, said = client.ends()
    assert code == 0
    assert '/type: unknown type "nothing\\n"' in said
    assert said.count("\n") == 1


def test_a_list_without_an_end_is_not_read_forever(connect: Connect) -> None:
    """A hundred pages, and not once more for the next call."""
    client = connect('list={"tools": [], "nextCursor": "more"}')
    client.send(call(1, STRINGIFIED), call(2, STRINGIFIED))
    assert [got(client.next()), got(client.next())] == [STRINGIFIED] * 2
    assert client.received.read_bytes().count(b"tools/list") == 100
