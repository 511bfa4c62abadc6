"""Several servers behind one proxy, and what a proxy tells at its end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from proxied import SERVER, STRINGIFIED, TYPED, Client, call, clients, got, request

Start = Callable[..., Client]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a proxy before servers, each with the words that change how it behaves."""
    with clients(tmp_path) as connect:

        def several(**servers: tuple[str, ...]) -> Client:
            entries = {}
            for name, words in servers.items():
                program, *arguments = SERVER
                arguments += [str(tmp_path / f"received-{name}"), *words]
                entries[name] = {"command": program, "args": arguments}
            path = tmp_path / "client.json"
            path.write_text(json.dumps({"mcpServers": entries}))
            return connect(options=("--servers", str(path)))

        yield several


def received(client: Client, name: str) -> list[Any]:
    """The messages that a server was sent."""
    path = client.received.with_name(f"received-{name}")
    lines = path.read_bytes().replace(b"EOF\n", b"").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("words", [(), ("pages",)], ids=["one-page", "pages"])
def test_the_tools_of_all_are_listed_with_their_servers_names(
    start: Start, words: tuple[str, ...]
) -> None:
    """Every page of them, in one."""
    client = start(one=words, two=())
    client.send(request("l", "tools/list"))
    answer = client.next()
    assert answer["id"] == "l"
    names = {tool["name"] for tool in answer["result"]["tools"]}
    tools = ("search", "other", "change", "die", "ask")
    assert names == {f"{server}__{tool}" for server in ("one", "two") for tool in tools}
    assert "nextCursor" not in answer["result"]


def test_calls_go_to_their_server_and_are_corrected(start: Start) -> None:
    """Whether the client has asked for the tools or not; under the tool's own name."""
    client = start(one=(), two=())
    client.send(call(1, STRINGIFIED, "two__search"), call(2, STRINGIFIED, "one__search"))
    answers = {each["id"]: each for each in (client.next(), client.next())}
    assert got(answers[1]) == got(answers[2]) == TYPED
    assert answers[1]["result"]["got"]["name"] == "search"
    for name in ("one", "two"):
        (sent,) = (m for m in received(client, name) if m["method"] == "tools/call")
        assert sent["params"] == {"name": "search", "arguments": TYPED}


def test_a_call_without_a_valid_reading_never_reaches_a_server(start: Start) -> None:
    """The message names the tool as the model does."""
    client = start(one=(), two=())
    client.send(call(1, {"limit": "many"}, "one__search"))
    (block,) = client.next()["result"]["content"]
    assert block["text"].startswith("Error parsing arguments for `one__search`:\n- /limit: ")
    assert all(message["method"] != "tools/call" for message in received(client, "one"))


def test_the_handshake_is_that_of_all(start: Start) -> None:
    """Each server is asked, and told what the client notifies."""
    client = start(one=(), two=())
    client.send(request(0, "initialize", protocolVersion="2025-06-18", capabilities={}))
    answer = client.next()
    assert answer["result"]["serverInfo"]["name"] == "schema2model"
    assert answer["result"]["capabilities"] == {"tools": {}}
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    client.send(request(1, "tools/list"))
    client.next()
    for name in ("one", "two"):
        methods = [message["method"] for message in received(client, name)]
        assert methods == ["initialize", "notifications/initialized", "tools/list"]


def test_requests_of_servers_are_answered_to_who_has_asked(start: Start) -> None:
    """Though both have given theirs the same id; and are cancelled under the id that is known."""
    client = start(one=(), two=())
    asks = '{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"x":12345678901234567890}}\n'
    cancels = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    asked = {}
    for name in ("one", "two"):
        client.send(call(name, {"line": asks}, f"{name}__ask"))
        said = client.line()
        assert b'"params":{"x":12345678901234567890}' in said
        asked[name] = json.loads(said)["id"]
        assert client.next()["id"] == name
    assert len(set(asked.values())) == 2
    client.send({"jsonrpc": "2.0", "id": asked["two"], "result": {"roots": []}})
    client.send(call("done", {"line": cancels}, "one__ask"))
    assert client.next()["params"] == {"requestId": asked["one"]}
    assert client.next()["id"] == "done"
    client.send(call("last", {}, "two__search"))
    client.next()
    assert {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}} in received(client, "two")
    assert all("result" not in message for message in received(client, "one"))


def test_what_no_server_runs_is_cancelled_nowhere(start: Start) -> None:
    """Other notifications are for all servers."""
    client = start(one=(), two=())
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    client.send({**cancelled, "params": {"requestId": 7}}, {"jsonrpc": "2.0", "method": "x"})
    client.send(call(8, {}, "two__search"))
    client.next()
    assert [m["method"] for m in received(client, "two") if "id" not in m] == ["x"]


def test_what_several_servers_cannot_have_is_refused(start: Start) -> None:
    """By the proxy, which answers pings itself; and so is what no server's name begins."""
    client = start(one=(), two=())
    client.send(request(1, "tasks/list"))
    assert client.next()["error"]["code"] == -32601
    client.send(request(2, "ping"))
    assert client.next() == {"jsonrpc": "2.0", "id": 2, "result": {}}
    client.send(request(3, "tools/list"), call(4, {}, "search"))
    answers = {each["id"]: each for each in (client.next(), client.next())}
    assert answers[4]["error"] == {"code": -32602, "message": 'there is no tool "search"'}
    client.send(b"[1, ]\n", b'{"method": 3, "id": 7}\n')
    assert [client.next()["error"]["code"] for _ in range(2)] == [-32700, -32600]


def initialized(client: Client) -> dict[str, Any]:
    """The capabilities that the client is shown."""
    client.send(request(0, "initialize", protocolVersion="2025-06-18", capabilities={}))
    capabilities: dict[str, Any] = client.next()["result"]["capabilities"]
    return capabilities


def result(client: Client, method: str, **params: Any) -> Any:
    """The result of a request, without what the server was asked."""
    client.send(request(method, method, **params))
    answer = client.next()
    assert answer["id"] == method
    return {name: answer["result"][name] for name in answer["result"] if name != "got"}


def test_prompts_and_resources_are_listed_with_their_servers_names(start: Start) -> None:
    """A URI begins with a scheme of its server's. A server without them is not asked."""
    client = start(my_notes=("notes",), my_=("notes",), two=())
    assert initialized(client) == {
        "tools": {},
        "prompts": {},
        "resources": {"subscribe": True, "listChanged": True},
    }
    names = [{"name": "my___greet"}, {"name": "my_notes__greet"}]
    assert result(client, "prompts/list") == {"prompts": names}
    assert result(client, "resources/list")["resources"] == [
        {"name": "my___a", "uri": "my-+note:a", "size": 1},
        {"name": "my_notes__a", "uri": "my-notes+note:a", "size": 1},
    ]
    (_, template) = result(client, "resources/templates/list")["resourceTemplates"]
    assert template == {"name": "my_notes__all", "uriTemplate": "my-notes+note:{+id}"}
    assert [message["method"] for message in received(client, "two")] == ["initialize"]


def test_prompts_and_resources_are_those_of_their_server(start: Start) -> None:
    """It is asked by its own names, and what it answers has those that the client knows."""
    client = start(one=("notes",), two=("notes",))
    initialized(client)
    shown = {"uri": "two+note:a", "text": "A"}
    assert result(client, "resources/read", uri="TWO+note:a") == {"contents": [shown]}
    _, embedded = result(client, "prompts/get", name="two__greet")["messages"]
    assert embedded["content"] == {"type": "resource", "resource": shown}
    for ref, own in (
        ({"type": "ref/prompt", "name": "two__greet"}, {"type": "ref/prompt", "name": "greet"}),
        ({"type": "ref/resource", "uri": "two+note:{+id}"}, {"uri": "note:{+id}"}),
    ):
        result(client, "completion/complete", ref=ref, argument={})
        assert received(client, "two")[-1]["params"] == {"ref": {**ref, **own}, "argument": {}}
    client.send(call(1, {}, "two__other"))
    (link,) = client.next()["result"]["content"]
    assert link == {"type": "resource_link", "name": "a", "uri": "two+note:a"}
    client.send(request(2, "resources/subscribe", uri="two+note:a"))
    assert client.next()["params"] == {"uri": "two+note:a"}
    assert client.next()["id"] == 2
    asked = {message["method"]: message for message in received(client, "two")}
    for method in ("resources/read", "resources/subscribe"):
        assert asked[method]["params"] == {"uri": "note:a"}
    assert asked["prompts/get"]["params"] == {"name": "greet"}
    assert {m["method"] for m in received(client, "one")} == {"initialize", "tools/list"}


def test_prompts_and_resources_that_nobody_has_are_refused(start: Start) -> None:
    """With the name; and so are lists that no server has."""
    client = start(one=("notes",), two=("notes",))
    for number, (method, params, words) in enumerate(
        (
            ("resources/read", {"uri": "note:a"}, 'there is no resource "note:a"'),
            ("prompts/get", {"name": 7}, "there is no prompt 7"),
            ("completion/complete", {"ref": {}}, "there is no prompt or resource {}"),
        )
    ):
        client.send(request(number, method, **params))
        assert client.next()["error"] == {"code": -32602, "message": words}
    client = start(one=(), two=())
    client.send(request(0, "initialize", protocolVersion="2025-06-18", capabilities={}))
    client.next()
    client.send(request(1, "prompts/list"))
    assert client.next()["error"] == {"code": -32601, "message": "no server has prompts"}


def test_a_server_that_dies_costs_no_other(start: Start) -> None:
    """Its open calls are answered with an error, and so are later ones; the others go on."""
    client = start(one=(), two=())
    client.send(request(0, "tools/list"))
    client.next()
    client.send(call(1, {}, "one__die"))
    assert client.next()["error"] == {
        "code": -32000,
        "message": 'the server "one" ended with exit code 3',
    }
    client.send(call(2, {}, "one__search"))
    assert client.next()["error"]["code"] == -32000
    client.send(call(3, STRINGIFIED, "two__search"))
    assert got(client.next()) == TYPED
    client.send(request(4, "tools/list"))
    assert {t["name"].partition("__")[0] for t in client.next()["result"]["tools"]} == {"two"}
    client.send(call(5, {}, "two__die"))
    assert client.next()["error"]["code"] == -32000
    code, said = client.ends()
    assert code == 1
    assert '"one" ended with exit code 3, "two" ended with exit code 3' in said


def test_a_server_that_refuses_its_list_costs_no_other(start: Start) -> None:
    """What the others have is listed; if none has anything, the error is handed on."""
    client = start(one=("refuse-list",), two=())
    client.send(request(0, "tools/list"))
    assert {t["name"].partition("__")[0] for t in client.next()["result"]["tools"]} == {"two"}
    client = start(one=("refuse-list",), two=("refuse-list",))
    client.send(request("x", "tools/list"))
    answer = client.next()
    assert (answer["id"], answer["error"]["code"]) == ("x", -32601)


def test_lists_of_strangers_break_nothing(start: Start) -> None:
    """What is no tool in them is left out."""
    strange = json.dumps({"tools": [None, 3, {"name": 7}, {"name": "a", "inputSchema": 1}]})
    client = start(one=(f"list={strange}",), two=('list={"tools": "none"}',))
    client.send(request(0, "tools/list"))
    assert client.next()["result"]["tools"] == [{"name": "one__a", "inputSchema": 1}]


# ------------------------------------------------------------------------------------ at the end
def test_what_a_client_asks_before_its_end_is_answered(start: Start) -> None:
    """Servers whose handshake is not over hear of the end after the requests that wait for it."""
    client = start(one=(), two=())
    handshake = request(0, "initialize", protocolVersion="2025-06-18", capabilities={})
    client.send(handshake, request(1, "tools/list"), request(2, "tools/list"))
    client.input.close()
    answers = {each["id"]: each for each in (client.next() for _ in range(3))}
    assert all("result" in each for each in answers.values()), answers
    assert client.ends()[0] == 0


def test_what_was_corrected_is_told_at_the_end(tmp_path: Path) -> None:
    """By tool and rule, without values; nothing if there was nothing."""
    with clients(tmp_path) as connect:
        client = connect()
        client.send(call(1, STRINGIFIED), call(2, STRINGIFIED), call(3, TYPED))
        client.send(call(4, {"limit": "many"}), call(5, {"limit": "3"}, "other"))
        for _ in range(5):
            client.next()
        client.input.close()
        client.process.wait()
        said = client.said.read_text().replace("the server is there\n", "")
        assert said.splitlines() == [
            "schema2model proxy: of 5 calls, 3 coerced, 1 refused",
            'schema2model proxy: "other": 1 coerced (json_text 1)',
            'schema2model proxy: "search": 2 coerced, 1 refused (json_text 4)',
        ]
        client = connect()
        client.send(call(1, TYPED))
        client.next()
        client.input.close()
        client.process.wait()
        assert client.said.read_text() == "the server is there\n"
