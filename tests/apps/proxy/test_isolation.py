"""No server behind a proxy speaks for another, delays another, or guesses what it was not sent."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from typing import Any

import on_a_loop
import pytest
from fake_servers import Ends, FakeServer
from proxied import call, request
from waiting import PATIENCE, until

from schema2model.apps.proxy import group, hop


def test_an_answer_counts_only_from_the_server_that_was_asked(
    ends: Callable[..., Ends], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever id another one writes: the client's own, the one that was sent, or a guess."""
    both = ends()
    one, two = both.servers["one"], both.servers["two"]
    both.say(call(7, {}, "two__pay"))
    sent = two.next()
    assert sent["params"]["name"] == "pay"
    guesses = [7, "7", sent["id"], "schema2model-1", "schema2model-several-1", "two__1", True, 7.0]
    for guess in guesses:
        one.answer(guess, stolen=True)
        one.say({"jsonrpc": "2.0", "id": guess, "error": {"code": 1, "message": "stolen"}})
    both.say(call(8, {}, "one__x"))
    one.answer(one.next()["id"])
    assert both.next()["id"] == 8  # all that `one` has said before was dropped
    two.answer(sent["id"], paid=True)
    assert both.next() == {"jsonrpc": "2.0", "id": 7, "result": {"paid": True}}
    assert caplog.text.count("dropped an answer") == 2 * len(guesses)


def test_members_in_other_letters_are_left_out(ends: Callable[..., Ends]) -> None:
    """Parsers that do not tell letters apart would take them for the id or the name."""
    both = ends()
    one, two = both.servers["one"], both.servers["two"]
    both.say(call(7, {}, "two__pay"))
    two.next()
    forged = {"ID": 7, "Result": {"stolen": True}, "iD": 7}
    one.say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}, **forged})
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}}
    assert both.next() == note
    both.say(request(8, "tools/list"))
    forged = {"name": "a", "NAME": "two__pay", "Description": "x"}
    one.answer(one.next()["id"], tools=[forged])
    two.answer(two.next()["id"], tools=[])
    (tool,) = both.next()["result"]["tools"]
    assert tool == {"name": "one__a", "Description": "x"}


def test_an_answer_counts_once(ends: Callable[..., Ends], caplog: pytest.LogCaptureFixture) -> None:
    """And not after the call was cancelled."""
    both = ends()
    two = both.servers["two"]
    both.say(call(1, {}, "two__x"))
    first = two.next()["id"]
    both.say(call(2, {}, "two__x"))
    second = two.next()["id"]
    both.say({"method": "notifications/cancelled", "params": {"requestId": 2, "n": "…"}})
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": second, "n": "…"}}
    assert two.next() == cancelled
    two.answer(second)
    two.answer(first, n=1)
    two.answer(first, n=2)
    both.say(request(3, "ping"))
    assert sorted([both.next()["id"], both.next()["id"]]) == [1, 3]
    both.say(call(4, {}, "two__x"))
    two.answer(two.next()["id"])
    assert both.next()["id"] == 4
    assert caplog.text.count("dropped an answer") == 2


def test_ids_cannot_be_guessed_from_others(ends: Callable[..., Ends]) -> None:
    """No two are alike, and none has the client's in it."""
    both = ends()
    ids = []
    for number in range(50):
        both.say(call(number, {}, "one__x"))
        both.say(request(f"list {number}", "tools/list"))
        ids += [both.servers["one"].next()["id"] for _ in range(2)]
    assert len({*ids}) == 100
    assert all(len(each) >= 32 for each in ids)


def test_a_server_that_answers_for_others_stops_no_list(ends: Callable[..., Ends]) -> None:
    """It hurries to answer all questions that it can think of; the others' tools arrive."""
    both = ends()
    one, two = both.servers["one"], both.servers["two"]
    both.say(request("l", "tools/list"))
    asked = one.next()["id"]
    for guess in [*(f"schema2model-several-{n}" for n in range(9)), "l", asked]:
        one.say({"jsonrpc": "2.0", "id": guess, "error": {"code": 1, "message": "no"}})
    two.answer(two.next()["id"], tools=[{"name": "a"}])
    answer = both.next()
    assert (answer["id"], answer["result"]["tools"]) == ("l", [{"name": "two__a"}])


WRONG: dict[str, Any] = {
    "never": None,
    "text": "no JSON at all",
    "deep": '{"jsonrpc":"2.0","id":"ID","result":' + "[" * 5000 + "]" * 5000 + "}",
    "no-result": {"jsonrpc": "2.0", "id": "ID"},
    "null": {"jsonrpc": "2.0", "id": "ID", "result": None},
    "list": {"jsonrpc": "2.0", "id": "ID", "result": []},
    "error": {"jsonrpc": "2.0", "id": "ID", "error": "no"},
    "nan": '{"jsonrpc":"2.0","id":"ID","result":{"tools":[{"name":"b","x":NaN}]}}',
    "endless": {"jsonrpc": "2.0", "id": "ID", "result": {"tools": [], "nextCursor": "more"}},
    "other-id": {"jsonrpc": "2.0", "id": "else", "result": {"tools": []}},
}
"""What a bad server answers; `ID` is the id that it was sent."""


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_server_that_answers_wrongly_delays_only_itself(
    ends: Callable[..., Ends], wrong: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Or twice, or never: the others' tools arrive in time, and the log names who is missing.

    An answer to what it was asked, however wrong, ends the wait.
    """
    text = wrong if isinstance(wrong, str) else json.dumps(wrong)
    both = ends(patience=10 * PATIENCE if "ID" in text else 0.2)
    bad, good = both.servers["one"], both.servers["two"]
    both.say(request("l", "tools/list"))
    asked = bad.next()["id"]
    for _ in range(2):
        if wrong is not None:
            bad.say(text.replace('"ID"', json.dumps(asked)))
    good.answer(good.next()["id"], tools=[{"name": "a"}])
    if wrong is WRONG["endless"]:
        threading.Thread(target=_turn_pages, args=(bad,), daemon=True).start()
    answer = both.next()
    assert (answer["id"], answer["result"]["tools"]) == ("l", [{"name": "two__a"}])
    assert wrong is WRONG["endless"] or '"one" is left out of tools/list' in caplog.text


@pytest.mark.parametrize("text", ["3", "{}", '{"id": 8}', '{"id": 8, "method": 3}'])
def test_what_is_neither_request_nor_answer_reaches_no_server(
    ends: Callable[..., Ends], text: str
) -> None:
    """The client has an error, as nobody knows for whom it is."""
    both = ends()
    both.say(text)
    assert both.next()["error"]["code"] == -32600
    assert all(each.sent.empty() for each in both.servers.values())


def test_an_answer_that_is_no_json_costs_no_other(ends: Callable[..., Ends]) -> None:
    """Parsers take NaN, and others would not; the next list is asked for in the same way."""
    both = ends(patience=0.2)
    bad, good = both.servers["one"], both.servers["two"]
    for number in range(2):
        both.say(request(number, "tools/list"))
        bad.say(WRONG["nan"].replace('"ID"', json.dumps(bad.next()["id"])))
        good.answer(good.next()["id"], tools=[{"name": "a"}])
        answer = both.next()
        assert (answer["id"], answer["result"]["tools"]) == (number, [{"name": "two__a"}])


def _turn_pages(server: FakeServer) -> None:
    for _ in range(group.MAX_TOOL_PAGES - 1):
        server.answer(server.next()["id"], tools=[], nextCursor="more")


def test_an_older_server_beside_newer_ones_gets_its_own_handshake(
    ends: Callable[..., Ends],
) -> None:
    """So that the tools of all are there, whichever version each speaks."""
    both = ends()
    older, newer = both.servers["one"], both.servers["two"]
    about = {
        "io.modelcontextprotocol/clientInfo": {"name": "a client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
    }
    both.say(request(1, "server/discover", _meta=about))
    refused = {"code": -32601, "message": "Method not found"}
    older.say({"jsonrpc": "2.0", "id": older.next()["id"], "error": refused})
    newer.answer(newer.next()["id"], supportedVersions=["2026-07-28"], capabilities={"tools": {}})
    asked = older.next()
    assert asked["method"] == "initialize"
    assert asked["params"]["clientInfo"] == {"name": "a client", "version": "1"}
    assert asked["params"]["capabilities"] == {"roots": {}}
    older.answer(asked["id"], protocolVersion="2025-06-18", capabilities={"logging": {}})
    answer = both.next()
    assert answer["result"]["supportedVersions"] == ["2026-07-28"]
    assert answer["result"]["capabilities"] == {"tools": {}, "logging": {}}
    assert older.next() == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    both.say(call(2, {}, "one__x", _meta=version))
    older.answer(older.next()["id"], content=[])
    assert both.next()["result"] == {"content": [], "resultType": "complete"}


def test_older_servers_alone_are_left_to_the_client(ends: Callable[..., Ends]) -> None:
    """Which begins the handshake itself, where nobody has anything newer."""
    both = ends()
    both.say(request(1, "server/discover"))
    for server in both.servers.values():
        error = {"code": -32601, "message": "Method not found"}
        server.say({"jsonrpc": "2.0", "id": server.next()["id"], "error": error})
    assert both.next()["error"]["code"] == -32601


def test_a_server_that_does_not_read_delays_only_itself(
    ends: Callable[..., Ends], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its calls are refused once too much waits."""
    monkeypatch.setattr(hop, "MAX_MESSAGE_LINE", 300)
    both = ends(one=FakeServer(reads=False), two=FakeServer())
    for number in range(5):
        both.say(call(number, {}, "one__x"))
    both.say(call("other", {}, "two__x"))
    two = both.servers["two"]
    two.answer(two.next()["id"])
    answers = [both.next() for _ in range(2)]
    refused = [each for each in answers if "error" in each]
    assert {each["id"] for each in answers} - {"other"} == {each["id"] for each in refused}
    assert refused[0]["error"]["message"] == 'the server "one" does not read what it is sent'


def test_a_server_that_does_not_list_its_tools_is_waited_for_once(
    ends: Callable[..., Ends],
) -> None:
    """Each change of its list would delay the others' calls; its answer brings it back.

    It gets what is no question for a list all the same.
    """
    both = ends(patience=0.3)
    one, two = both.servers["one"], both.servers["two"]

    def listed(number: int) -> set[str]:
        both.say(request(number, "tools/list"))
        one.answer(one.next()["id"], tools=[{"name": "x"}])
        if number == 3:
            two.answer(two.next()["id"], tools=[{"name": "x"}])
        return {tool["name"] for tool in both.next()["result"]["tools"]}

    assert listed(1) == {"one__x"}
    late = two.next()
    assert listed(2) == {"one__x"}
    assert two.sent.empty()
    both.say(request(9, "logging/setLevel", level="error"))
    for each in (one, two):
        each.answer(each.next()["id"])
    assert both.next() == {"jsonrpc": "2.0", "id": 9, "result": {}}
    two.answer(late["id"], tools=[])
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    two.say(changed)
    assert both.next() == changed
    assert listed(3) == {"one__x", "two__x"}


def test_progress_and_cancellations_concern_the_servers_own_requests(
    ends: Callable[..., Ends], caplog: pytest.LogCaptureFixture
) -> None:
    """Those of others are dropped, so that none reports or ends what another does."""
    both = ends()
    one, two = both.servers["one"], both.servers["two"]
    both.say(call(1, {}, "two__x", _meta={"progressToken": "t"}))
    sent = two.next()
    two.say(request("ask", "elicitation/create"))
    asked = both.next()

    def progress(token: Any) -> Any:
        return {"method": "notifications/progress", "params": {"progressToken": token}}

    token = sent["params"]["_meta"]["progressToken"]
    one.say(progress(token))
    two.say(progress("t"))
    for guess in ("ask", asked["id"], 1, sent["id"]):
        one.say({"method": "notifications/cancelled", "params": {"requestId": guess}})
    both.say(call("later", {}, "one__x"))
    one.answer(one.next()["id"])
    assert both.next()["id"] == "later"
    until(lambda: caplog.text.count("dropped") == 6)
    two.say(progress(token))
    assert both.next() == progress("t")
    two.say({"method": "notifications/cancelled", "params": {"requestId": "ask"}})
    assert both.next()["params"]["requestId"] == asked["id"]


def test_progress_of_the_client_is_for_the_server_that_has_asked(
    ends: Callable[..., Ends],
) -> None:
    """Whose tokens may be alike; it gets its own back, and no other server hears of it."""
    both = ends()
    servers = [both.servers["one"], both.servers["two"]]
    shown = []
    for server in servers:
        params = {"_meta": {"progressToken": 1, "n": 1.5}}
        server.say(request("ask", "sampling/createMessage", **params))
        shown.append(both.next())
    tokens = [asked["params"]["_meta"]["progressToken"] for asked in shown]
    assert tokens[0] != tokens[1]
    assert shown[0]["params"]["_meta"]["n"] == 1.5
    for token in (*reversed(tokens), 1, None, "else"):
        progress = {"progressToken": token, "progress": 1}
        both.say({"method": "notifications/progress", "params": progress})
    both.say({"method": "notifications/roots/list_changed"})
    for server in servers:
        sent = [server.next() for _ in range(2)]
        assert sent[0]["params"] == {"progressToken": 1, "progress": 1}
        assert sent[1] == {"method": "notifications/roots/list_changed"}


@pytest.mark.parametrize(
    "members",
    [
        '"params":{"progressToken":"OWN","ProgressToken":"OTHER"}',
        '"params":{"progressToken":"OTHER","progressToken":"OWN"}',
        '"params":{"progressToken":"OTHER"},"params":{"progressToken":"OWN"}',
    ],
)
def test_no_other_progress_hides_in_ones_own(ends: Callable[..., Ends], members: str) -> None:
    """Parsers differ in which of two members they take: the client gets one."""
    both = ends()
    both.say(call(1, {}, "two__x", _meta={"progressToken": "t"}))
    both.say(call(2, {}, "one__x", _meta={"progressToken": "own"}))
    one, two = both.servers["one"], both.servers["two"]
    for word, server in (("OWN", one), ("OTHER", two)):
        members = members.replace(word, server.next()["params"]["_meta"]["progressToken"])
    one.say(f'{{"method":"notifications/progress",{members}}}')
    assert both.line() == '{"method":"notifications/progress","params":{"progressToken":"own"}}\n'


def test_a_tool_whose_name_leads_to_another_server_is_not_listed(
    ends: Callable[..., Ends], caplog: pytest.LogCaptureFixture
) -> None:
    """The longest prefix counts, and nobody can put a tool under another's; the log says so."""
    both = ends(a=FakeServer(), a__b=FakeServer())
    both.say(request(1, "tools/list"))
    for server in both.servers.values():
        server.answer(server.next()["id"], tools=[{"name": "b__x"}, {"name": "y"}])
    names = [tool["name"] for tool in both.next()["result"]["tools"]]
    assert sorted(names) == ["a__b__b__x", "a__b__y", "a__y"]
    told = '"a__b__x" of the server "a" is left out: by this name, "a__b" would be asked'
    logged = [record.getMessage() for record in caplog.records]  # and ends of other tests' servers
    assert logged.count(told) == 1
    assert not any("left out" in message for message in logged if message != told)


META = '{"a":1.10,"b":12345678901234567890.123456789,"c":"\\u00e9","d":-0,"e":[1E+2]}'


def test_every_digit_passes_through(ends: Callable[..., Ends]) -> None:
    """Of a call, whose name and id change, and of its result, whose id changes."""
    both = ends()
    two = both.servers["two"]
    seen: queue.SimpleQueue[str] = queue.SimpleQueue()
    two.send = lambda parts: seen.put(b"".join(parts).decode())  # type: ignore[method-assign]
    both.say(
        f'{{"id": 1, "params": {{"name": "two__x", "arguments": {META}, "_meta": {META}}},'
        f' "method": "tools/call", "more": {META}}}'
    )
    text = seen.get(timeout=PATIENCE)
    upstream = json.loads(text)["id"]
    assert text.count(META) == 3
    two.say(f'{{"id": "{upstream}", "result": {META}, "more": {META}}}')
    assert both.line() == f'{{"id": 1, "result": {META}, "more": {META}}}\n'
    both.say(f'{{"id": 2, "method": "tools/list", "params": {{"_meta": {META}}}}}')
    assert META in seen.get(timeout=PATIENCE)


def test_a_result_that_is_too_long_is_answered_once(
    ends: Callable[..., Ends], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an error for its call, and the server goes on."""
    monkeypatch.setattr(on_a_loop, "MAX_MESSAGE_LINE", 1024)
    both = ends()
    two = both.servers["two"]
    for order in ('"id":"%s","result":"%s"', '"result":"%s","id":"%s"'):
        both.say(call(1, {}, "two__x"))
        filler = "x" * 5000
        sent = two.next()["id"]
        values = (sent, filler) if order.startswith('"id"') else (filler, sent)
        two.say("{" + order % values + "}")
        answer = both.next()
        assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    both.say(call(2, {}, "two__x"))
    two.answer(two.next()["id"])
    assert both.next()["id"] == 2


def test_a_result_that_cannot_be_parsed_is_answered(ends: Callable[..., Ends]) -> None:
    """With an error for its call, and the server goes on."""
    both = ends()
    two = both.servers["two"]
    both.say(call(1, {}, "two__x"))
    nested = "[" * 5000 + "]" * 5000
    two.say(f'{{"jsonrpc":"2.0","id":"{two.next()["id"]}","result":{nested}}}')
    answer = both.next()
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    both.say(call(2, {}, "two__x"))
    two.answer(two.next()["id"])
    assert both.next()["id"] == 2
